// The tensor data mover of gfx1250: descriptors and copies.
//
// Release 3.7.4 gives a copy its place as indices and a predicate; on the main
// branch both are part of the descriptor (`update_tensor_descriptor`). Both
// spellings are read and kept. Their operands differ by type alone, in order:
//
//   desc, [rows], index*, buffer, [pred], [barrier]
#ifndef TLX_AMDG_TDM_OPS_TD
#define TLX_AMDG_TDM_OPS_TD

include "compiler/dialect/amdg/AMDGOpBase.td"

class AMDG_TdmCopyOp<string mnemonic, list<MemoryEffect> effects>
    : AMDG_Op<mnemonic, [HasSyncEffects, CostPerElement<"Tma">,
        MemoryEffects<!listconcat(effects, [MemRead<TTG_SyncState>, MemWrite<TTG_SyncState>])>]> {
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  // `operandSegmentSizes` is what the generic form of 3.7.4 carries; the
  // operands' types say the same.
  dag common = (ins TT_AnyDesc:$desc, Variadic<AnyType>:$rest,
                    OptionalAttr<DenseI32ArrayAttr>:$operandSegmentSizes);
  let extraClassDeclaration = [{
    /// Row indices of a gather or scatter; null otherwise.
    ::mlir::Value getRows();
    /// Position of the block, in elements; empty where the descriptor has it.
    ::mlir::ValueRange getIndices();
    /// The LDS buffer.
    ::mlir::TypedValue<::tlx::ttg::MemDescType> getBuffer();
    /// i32: nothing is moved when zero; null means always.
    ::mlir::Value getPred();
    /// The barrier that is arrived on at completion; null otherwise.
    ::mlir::Value getBarrier();
  }];
}

defvar AMDG_TdmLoadEffects = [MemRead<TT_GlobalMemory>, MemWrite<TTG_SharedMemory>];
defvar AMDG_TdmStoreEffects = [MemRead<TTG_SharedMemory>, MemWrite<TT_GlobalMemory>];

def AMDG_AsyncTDMCopyGlobalToLocalOp
    : AMDG_TdmCopyOp<"async_tdm_copy_global_to_local", AMDG_TdmLoadEffects> {
  let summary = "one block of a described tensor to LDS";
  let arguments = !con(common, (ins AMDG_DefaultCache:$cache,
                                    OptionalAttr<I32Attr>:$warp_used_hint));
  let results = (outs TTG_AsyncToken:$token);
}

def AMDG_AsyncTDMCopyLocalToGlobalOp
    : AMDG_TdmCopyOp<"async_tdm_copy_local_to_global", AMDG_TdmStoreEffects> {
  let summary = "LDS to one block of a described tensor";
  let arguments = !con(common, (ins AMDG_DefaultCache:$cache));
}

def AMDG_AsyncTDMGatherOp : AMDG_TdmCopyOp<"async_tdm_gather", AMDG_TdmLoadEffects> {
  let summary = "rows of a described matrix, picked by an index tile, to LDS";
  let arguments = common;
  let results = (outs TTG_AsyncToken:$token);
}

def AMDG_AsyncTDMScatterOp : AMDG_TdmCopyOp<"async_tdm_scatter", AMDG_TdmStoreEffects> {
  let summary = "LDS to rows of a described matrix, picked by an index tile";
  let arguments = common;
  let results = (outs TTG_AsyncToken:$retToken);
}

def AMDG_AsyncTDMFusedCopyGlobalToLocalOp
    : AMDG_Op<"async_tdm_fused_copy_global_to_local",
        [HasSyncEffects, CostPerElement<"Tma">, SameVariadicOperandSize,
         MemoryEffects<!listconcat(AMDG_TdmLoadEffects,
                                   [MemRead<TTG_SyncState>, MemWrite<TTG_SyncState>])>]> {
  let summary = "blocks of 2 to 4 described tensors to LDS, each by warps of its own";
  let arguments = (ins Variadic<TT_AnyDesc>:$descs, Variadic<TTG_MemDesc>:$dests,
                       DenseI32ArrayAttr:$warp_used_hints, AMDG_DefaultCache:$cache);
  let results = (outs TTG_AsyncToken:$token);
  let assemblyFormat = "$descs `into` $dests attr-dict `:` type($descs) `->` type($dests)";
  let hasVerifier = 1;
}

class AMDG_TokenWaitOp<string mnemonic> : AMDG_SyncOp<mnemonic> {
  let results = (outs TTG_AsyncToken:$retToken);
  let assemblyFormat = "($asyncToken^)? attr-dict";
}

def AMDG_AsyncTDMWait : AMDG_TokenWaitOp<"async_tdm_wait"> {
  let summary = "blocks until at most `num` TDM ops are outstanding";
  let arguments = (ins Variadic<TTG_AsyncToken>:$asyncToken, I32Attr:$num);
}

def AMDG_AsyncTDMIntrinsicWait : AMDG_TokenWaitOp<"async_tdm_intrinsic_wait"> {
  let summary = "blocks until at most `count` TDM instructions are outstanding";
  let arguments = (ins Variadic<TTG_AsyncToken>:$asyncToken, I32Attr:$count);
}

def AMDG_TDMPrefetchOp : AMDG_Op<"tdm_prefetch",
    [HasSyncEffects, CostPerElement<"Tma">, MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "one block of a described tensor to the L2 cache";
  let description = [{
    `speculative` tolerates addresses that are not mapped. `returnOffsets` makes
    the offsets that were touched a result, for tests.
  }];
  let arguments = (ins TT_AnyDesc:$desc, Variadic<I32>:$indices, I1:$pred, BoolAttr:$speculative,
                       UnitAttr:$returnOffsets);
  let results = (outs Optional<TT_Tensor>:$maybeOffsets);
  let assemblyFormat = [{
    $desc `[` $indices `]` `,` $pred `,` `speculative` `=` $speculative
    (`returnOffsets` $returnOffsets^)? attr-dict `:` type($desc) (`->` type($maybeOffsets)^)?
  }];
  let hasVerifier = 1;
}

def AMDG_UpdateTensorDescriptorOp
    : AMDG_PureOp<"update_tensor_descriptor", "Scalar",
        [AttrSizedOperandSegments, TT_SameType<"desc", "result">]> {
  let summary = "a descriptor moved, bounded or predicated";
  let description = [{
    `clamp_bounds` shrinks the bounds by the offsets that are added.
  }];
  let arguments = (ins TT_AnyDesc:$desc, Variadic<I32>:$add_offsets, Variadic<I32>:$set_bounds,
                       Optional<I32>:$pred, UnitAttr:$clamp_bounds);
  let results = (outs TT_AnyDesc:$result);
  let assemblyFormat = [{
    $desc (`add_offsets` `=` `[` $add_offsets^ `]`)? (`set_bounds` `=` `[` $set_bounds^ `]`)?
    (`pred` `=` $pred^)? attr-dict `:` type($desc)
  }];
  let hasVerifier = 1;
}

#endif
