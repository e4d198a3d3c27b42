// Tensor memory: allocation, views, loads, stores and copies.
// PTX ISA: "tcgen05.alloc", "tcgen05.ld", "tcgen05.st", "tcgen05.cp".
#ifndef TLX_TTNG_TMEM_OPS_TD
#define TLX_TTNG_TMEM_OPS_TD

include "compiler/dialect/ttng/TTNGOpBase.td"

def TTNG_TMEMAllocOp : TTNG_Op<"tmem_alloc", [HasSyncEffects, CostPerElement<"None">,
                                             DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "tensor-memory buffer, filled from a tile when one is given";
  let arguments = (ins Optional<TT_Tensor>:$src);
  let results = (outs TTG_MemDesc:$result, Optional<TTG_AsyncToken>:$token);
  let assemblyFormat = "($src^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def TTNG_TMEMLoadOp : TTNG_Op<"tmem_load", [HasSyncEffects, CostPerElement<"TensorMemory">,
                                           AttrSizedResultSegments,
                                           MemoryEffects<[MemRead<TTNG_TensorMemory>]>]> {
  let summary = "tensor memory to registers, complete when the op is";
  let description = [{
    With `redOp` the minimum or maximum of each row is computed on the way.
  }];
  let arguments = (ins TTG_MemDesc:$src, Optional<TTG_AsyncToken>:$dep,
                       OptionalAttr<TTNG_TMEMLoadReduceModifierAttr>:$redOp,
                       OptionalAttr<BoolAttr>:$abs, OptionalAttr<BoolAttr>:$NaN);
  let results = (outs TT_Tensor:$result, Optional<TTG_AsyncToken>:$token,
                      Optional<TT_Tensor>:$red);
  let assemblyFormat = [{
    $src `` custom<Token>($dep, type($token)) attr-dict `:`
    qualified(type($src)) `->` type($result) (`,` type($red)^)?
  }];
  let hasVerifier = 1;
}

def TTNG_TMEMStoreOp : TTNG_Op<"tmem_store", [HasSyncEffects, CostPerElement<"TensorMemory">,
                                             MemoryEffects<[MemWrite<TTNG_TensorMemory>]>]> {
  let summary = "registers to tensor memory, complete when the op is";
  let arguments = (ins TTG_MemDesc:$dst, Optional<TTG_AsyncToken>:$dep, TT_Tensor:$src, I1:$pred);
  let results = (outs Optional<TTG_AsyncToken>:$token);
  let assemblyFormat = [{
    $src `,` $dst `` custom<Token>($dep, type($token)) `,` $pred attr-dict `:`
    type($src) `->` qualified(type($dst))
  }];
  let hasVerifier = 1;
}

def TTNG_TMEMSubSliceOp : TTNG_PureOp<"tmem_subslice", "None"> {
  let summary = "columns of a tensor-memory buffer, from column `N` on";
  let description = [{`N` counts elements of the innermost dimension.}];
  let arguments = (ins TTG_MemDesc:$src, I32Attr:$N);
  let results = (outs TTG_MemDesc:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def TTNG_TMEMCopyOp : TTNG_Op<"tmem_copy", [HasSyncEffects, CostPerElement<"TensorMemory">,
    MemoryEffects<[MemRead<TTG_SharedMemory>, MemWrite<TTNG_TensorMemory>, MemRead<TTG_SyncState>,
                   MemWrite<TTG_SyncState>]>]> {
  let summary = "shared to tensor memory, in order with products of the same thread";
  let description = [{
    With `barrier`, one arrival when the copy is complete.
  }];
  let arguments = (ins TTG_MemDesc:$src, TTG_MemDesc:$dst, Optional<TTG_MemDesc>:$barrier);
  let assemblyFormat = "$src `,` $dst (`,` $barrier^)? attr-dict `:` type(operands)";
  let hasVerifier = 1;
}

def TTNG_TCGen5GlobalAllocOp : TTNG_Op<"tcgen5_global_alloc", [NoSyncEffects, CostPerElement<"Scalar">]> {
  let summary = "the kernel's hardware allocation of tensor-memory columns";
  let arguments = (ins I32Attr:$tensor_memory_size,
                       DefaultValuedAttr<BoolAttr, "false">:$two_ctas);
  let assemblyFormat = "attr-dict";
}

#endif
