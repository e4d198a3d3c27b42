// All ops of dialect `nvg`.
#ifndef TLX_NVG_OPS_TD
#define TLX_NVG_OPS_TD

include "compiler/dialect/ttg/TTGOpBase.td"
include "compiler/dialect/nvg/NVGAttrs.td"

class NVG_Op<string mnemonic, list<Trait> traits = []> : Op<NVG_Dialect, mnemonic, traits>;

def NVG_ClusterCTAIdOp : NVG_Op<"cluster_id", [Pure, NoSyncEffects, CostPerElement<"Scalar">]> {
  let summary = "rank of the executing CTA in its cluster";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def NVG_TensorMemoryBaseAddress
    : NVG_Op<"tensor_memory_base", [Pure, NoSyncEffects, CostPerElement<"Scalar">]> {
  let summary = "address of the kernel's allocation in tensor memory";
  let results = (outs AnyType:$result);
  // The result is always `!llvm.ptr<6>`, which is not printed.
  let hasCustomAssemblyFormat = 1;
}

def NVG_WGMMAOp : NVG_Op<"wgmma", [HasSyncEffects, HasTileCost]> {
  let summary = "wgmma.mma_async on descriptors or registers";
  let description = [{PTX ISA, "wgmma.mma_async".}];
  let arguments = (ins AnyType:$opA, AnyType:$opB, I1:$useC, Optional<AnyType>:$opC, I32Attr:$m,
                       I32Attr:$n, I32Attr:$k, NVG_WGMMAEltType:$eltTypeC,
                       NVG_WGMMAEltType:$eltTypeA, NVG_WGMMAEltType:$eltTypeB,
                       NVG_WGMMALayout:$layoutA, NVG_WGMMALayout:$layoutB);
  let results = (outs AnyType:$res);
  let assemblyFormat = [{
    $opA `,` $opB `,` $useC (`,` $opC^)? attr-dict `:` functional-type(operands, $res)
  }];
}

def NVG_WGMMAWaitGroupOp : NVG_Op<"wgmma_wait_group", [HasSyncEffects, CostPerElement<"Barrier">,
                                                      TT_SameType<"input", "output">]> {
  let summary = "blocks until at most `pendings` wgmma groups are pending";
  let arguments = (ins AnyType:$input, I32Attr:$pendings);
  let results = (outs AnyType:$output);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def NVG_LoadAcquireOp : NVG_Op<"ld_acquire", [HasSyncEffects, CostPerElement<"LoadStore">]> {
  let summary = "load with ordering, by the threads whose mask holds";
  let arguments = (ins AnyType:$addr, Optional<I1>:$mask, TT_MemSemantic:$sem,
                       TT_MemSyncScope:$scope);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $addr (`,` $mask^)? attr-dict `:` functional-type($addr, $result)
  }];
}

#endif
