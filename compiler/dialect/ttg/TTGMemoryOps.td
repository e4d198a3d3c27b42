// Shared-memory buffers: allocation, views, register loads and stores.
#ifndef TLX_TTG_MEMORY_OPS_TD
#define TLX_TTG_MEMORY_OPS_TD

include "compiler/dialect/ttg/TTGOpBase.td"

def TTG_LocalAllocOp : TTG_Op<"local_alloc", [HasSyncEffects, CostPerElement<"SharedMemory">,
                                             DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "shared-memory buffer, filled from a tile when one is given";
  let arguments = (ins Optional<TT_Tensor>:$src, OptionalAttr<I32Attr>:$alignment);
  let results = (outs TTG_MemDesc:$result);
  let assemblyFormat = "($src^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TTG_LocalDeallocOp : TTG_Op<"local_dealloc", [NoSyncEffects, CostPerElement<"None">,
                                                 MemoryEffects<[MemFree<TTG_SharedMemory>]>]> {
  let summary = "end of a buffer's life";
  let arguments = (ins TTG_MemDesc:$src);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src))";
}

def TTG_LocalLoadOp : TTG_Op<"local_load", [HasSyncEffects, CostPerElement<"SharedMemory">,
                                           MemoryEffects<[MemRead<TTG_SharedMemory>]>]> {
  let summary = "shared memory to registers";
  let arguments = (ins TTG_MemDesc:$src, Optional<TTG_AsyncToken>:$token);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src (`token` $token^)? attr-dict `:` qualified(type($src)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TTG_LocalStoreOp : TTG_Op<"local_store", [HasSyncEffects, CostPerElement<"SharedMemory">,
                                             MemoryEffects<[MemWrite<TTG_SharedMemory>]>]> {
  let summary = "registers to shared memory";
  let arguments = (ins TT_Tensor:$src, TTG_MemDesc:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` type($src) `->` qualified(type($dst))";
  let hasVerifier = 1;
}

def TTG_LocalGatherOp : TTG_Op<"local_gather", [HasSyncEffects, CostPerElement<"SharedMemory">,
                                               MemoryEffects<[MemRead<TTG_SharedMemory>]>]> {
  let summary = "elements of a buffer picked by an index tile along one axis";
  let arguments = (ins TTG_MemDesc:$src, TT_IntTensor:$indices, Optional<TTG_AsyncToken>:$token,
                       I32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src `[` $indices `]` (`token` $token^)? attr-dict `:`
    qualified(type($src)) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TTG_LocalScatterOp : TTG_Op<"local_scatter", [HasSyncEffects, CostPerElement<"SharedMemory">,
                                                 MemoryEffects<[MemWrite<TTG_SharedMemory>]>]> {
  let summary = "writes a tile's elements to places picked by an index tile";
  let arguments = (ins TTG_MemDesc:$dst, TT_Tensor:$values, TT_IntTensor:$indices,
                       Optional<TTG_AsyncToken>:$token, I32Attr:$axis);
  let assemblyFormat = [{
    $dst `[` $indices `]` `,` $values (`token` $token^)? attr-dict `:`
    qualified(type($dst)) `,` type($indices) `,` type($values)
  }];
  let hasVerifier = 1;
}

def TTG_LocalAtomicScatterRMWOp : TTG_Op<"local_atomic_scatter_rmw",
    [HasSyncEffects, CostPerElement<"SharedMemory">,
     MemoryEffects<[MemRead<TTG_SharedMemory>, MemWrite<TTG_SharedMemory>]>]> {
  let summary = "atomic read-modify-write at places picked by an index tile";
  let arguments = (ins TT_RMWOp:$atomic_rmw_op, TTG_MemDesc:$dst, TT_Tensor:$values,
                       TT_IntTensor:$indices, Optional<TT_I1Tensor>:$mask, I32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $dst `[` $indices `]` `,` $values (`,` $mask^)? attr-dict `:`
    functional-type(operands, $result)
  }];
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

def TTG_MemDescIndexOp : TTG_ViewOp<"memdesc_index"> {
  let summary = "one buffer of a multi-buffered allocation";
  let arguments = (ins TTG_MemDesc:$src, I32:$index);
  let assemblyFormat = [{
    $src `[` $index `]` attr-dict `:` qualified(type($src)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def TTG_MemDescSubsliceOp : TTG_ViewOp<"memdesc_subslice"> {
  let summary = "rectangular part of a buffer at constant offsets";
  let arguments = (ins TTG_MemDesc:$src, DenseI32ArrayAttr:$offsets);
  let assemblyFormat = [{
    $src `` custom<OffsetList>($offsets) attr-dict `:` qualified(type($src)) `->`
    qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def TTG_MemDescDynamicSubsliceOp : TTG_ViewOp<"memdesc_dynamic_subslice"> {
  let summary = "rectangular part of a buffer at run-time offsets";
  let arguments = (ins TTG_MemDesc:$src, Variadic<I32>:$offsets);
  let assemblyFormat = [{
    $src `[` $offsets `]` attr-dict `:` qualified(type($src)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def TTG_MemDescTransOp : TTG_ViewOp<"memdesc_trans"> {
  let summary = "permutes a buffer's dimensions";
  let arguments = (ins TTG_MemDesc:$src, DenseI32ArrayAttr:$order);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TTG_MemDescReshapeOp : TTG_ViewOp<"memdesc_reshape"> {
  let summary = "same elements, another shape";
  let arguments = (ins TTG_MemDesc:$src);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def TTG_MemDescReinterpretOp : TTG_ViewOp<"memdesc_reinterpret"> {
  let summary = "same bytes, another shape, element type or encoding";
  let arguments = (ins TTG_MemDesc:$src);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TTG_GlobalScratchAllocOp : TTG_Op<"global_scratch_alloc",
    [NoSyncEffects, CostPerElement<"Scalar">]> {
  let summary = "global scratch memory of this CTA";
  let arguments = (ins I32Attr:$nbytes, I32Attr:$alignment, UnitAttr:$third_party_allocation,
                       UnitAttr:$shared_cluster_state);
  let results = (outs Res<TT_Ptr, "", [MemAlloc<DefaultResource>]>:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
}

#endif
