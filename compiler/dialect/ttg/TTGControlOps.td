// Warp specialisation, CTA-wide barriers, layouts, the pipeliner's own ops.
#ifndef TLX_TTG_CONTROL_OPS_TD
#define TLX_TTG_CONTROL_OPS_TD

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "compiler/dialect/ttg/TTGOpBase.td"

def TTG_ConvertLayoutOp : TTG_Op<"convert_layout", [Pure, NoSyncEffects, CostPerElement<"SharedMemory">,
                                                   SameOperandsAndResultShape,
                                                   SameOperandsAndResultElementType]> {
  let summary = "the same tile in another register layout";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def TTG_Fp4ToFpOp : TTG_Op<"fp4_to_fp", [Pure, NoSyncEffects, CostPerElement<"Convert">]> {
  let summary = "unpacks two e2m1 values from each byte along an axis";
  let arguments = (ins TT_IntTensor:$src, I32Attr:$axis);
  let results = (outs TT_FloatTensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def TTG_WarpSpecializeOp : TTG_Op<"warp_specialize",
    [SyncEffectsOfBody, CostPerElement<"Barrier">, RecursiveMemoryEffects, RecursivelySpeculatable,
     DeclareOpInterfaceMethods<RegionBranchOpInterface>]> {
  let summary = "runs regions at the same time on different warps";
  let description = [{
    The default region runs on the warps that reached the op, partition i on
    `partitionNumWarps[i]` further warps. All join after the op. Region 1 holds
    one `warp_specialize.partitions`, whose isolated regions are the partitions.
  }];
  let arguments = (ins DenseI32ArrayAttr:$partitionNumWarps,
                       OptionalAttr<DenseI32ArrayAttr>:$warpGroupStartIds,
                       OptionalAttr<DenseI32ArrayAttr>:$requestedRegisters,
                       OptionalAttr<I32Attr>:$defaultRequestedRegisters,
                       OptionalAttr<DenseI32ArrayAttr>:$actualRegisters);
  let results = (outs Variadic<AnyType>:$defaultPassthrough);
  let regions = (region MinSizedRegion<1>:$defaultRegion, SizedRegion<1>:$partitionOpHolder);
  let extraClassDeclaration = [{
    /// The op that holds the partitions, in region 1.
    WarpSpecializePartitionsOp getPartitionsOp();
    ::mlir::MutableArrayRef<::mlir::Region> getPartitionRegions();
    ::mlir::ValueRange getCaptures();
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def TTG_WarpSpecializePartitionsOp : TTG_Op<"warp_specialize.partitions",
    [IsolatedFromAbove, Terminator, SyncEffectsOfBody, CostPerElement<"None">,
     ParentOneOf<["WarpSpecializeOp"]>, RecursiveMemoryEffects, RecursivelySpeculatable,
     DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getEntrySuccessorOperands"]>]> {
  let summary = "the partitions of a warp_specialize and the values they capture";
  let arguments = (ins Variadic<AnyType>:$explicitCaptures);
  let regions = (region VariadicRegion<MinSizedRegion<1>>:$partitionRegions);
  let hasVerifier = 1;
}

def TTG_WarpYieldOp : TTG_Op<"warp_yield", [Pure, Terminator, ReturnLike, NoSyncEffects,
                                           CostPerElement<"None">,
                                           ParentOneOf<["WarpSpecializeOp"]>]> {
  let summary = "end of the default region";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^)? attr-dict (`:` type($values)^)?";
}

def TTG_WarpReturnOp : TTG_Op<"warp_return", [Pure, Terminator, ReturnLike, NoSyncEffects,
                                             CostPerElement<"None">,
                                             ParentOneOf<["WarpSpecializePartitionsOp"]>]> {
  let summary = "end of a partition";
  let assemblyFormat = "attr-dict";
}

def TTG_BarrierOp : TTG_Op<"barrier", [HasSyncEffects, CostPerElement<"Barrier">,
                                      MemoryEffects<[MemRead<TTG_SyncState>, MemWrite<TTG_SyncState>,
                                                     MemRead<TTG_SharedMemory>,
                                                     MemWrite<TTG_SharedMemory>]>]> {
  let summary = "barrier over the threads of the task, ordering the address spaces it names";
  let arguments = (ins TTG_AddrSpace:$addrSpace);
  let assemblyFormat = "custom<AddrSpaces>($addrSpace) attr-dict";
}

def TTG_Clock64Op : TTG_Op<"clock64", [NoSyncEffects, CostPerElement<"Scalar">,
                                      MemoryEffects<[MemRead<DefaultResource>,
                                                     MemWrite<DefaultResource>]>]> {
  let summary = "cycle counter of the SM";
  let results = (outs I64:$result);
  let assemblyFormat = "attr-dict";
}

def TTG_WarpIdOp : TTG_Op<"warp_id", [Pure, NoSyncEffects, CostPerElement<"Scalar">]> {
  let summary = "index of the executing warp in its CTA";
  let arguments = (ins UnitAttr:$omitUniformHint);
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def TTG_PredicateStageOp : TTG_Op<"predicate_stage", [Pure, NoSyncEffects, CostPerElement<"Scalar">,
                                                     AllTypesMatch<["iv", "ub", "step"]>]> {
  let summary = "whether a pipeline stage runs in this iteration";
  let arguments = (ins AnyTypeOf<[AnyInteger, Index]>:$iv, AnyTypeOf<[AnyInteger, Index]>:$ub,
                       AnyTypeOf<[AnyInteger, Index]>:$step, I32Attr:$maxStage, I32Attr:$stage);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $iv `,` $ub `,` $step `maxStage` $maxStage `stage` $stage attr-dict `:` type($iv) `->` type($result)
  }];
}

def TTG_MaskOp : TTG_Op<"mask", [SingleBlock, SyncEffectsOfBody, CostPerElement<"None">,
                                RecursiveMemoryEffects]> {
  let summary = "ops that run only where a predicate holds, before that is made explicit";
  let arguments = (ins I1:$pred);
  let results = (outs Variadic<AnyType>:$result);
  let regions = (region SizedRegion<1>:$region);
}

def TTG_MaskReturnOp : TTG_Op<"mask.return", [Pure, Terminator, ReturnLike, NoSyncEffects,
                                             CostPerElement<"None">, ParentOneOf<["MaskOp"]>]> {
  let summary = "results of a mask";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

#endif
