// TMA and bulk copies between global and shared memory.
// PTX ISA: "cp.async.bulk", "cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor",
// "tensormap.replace", "fence.proxy.tensormap", "prefetch".
#ifndef TLX_TTNG_TMA_OPS_TD
#define TLX_TTNG_TMA_OPS_TD

include "compiler/dialect/ttng/TTNGOpBase.td"

class TTNG_TmaOp<string mnemonic, list<MemoryEffect> effects, list<Trait> traits = []>
    : TTNG_Op<mnemonic, !listconcat([HasSyncEffects, CostPerElement<"Tma">,
        MemoryEffects<!listconcat(effects, [MemRead<TTG_SyncState>, MemWrite<TTG_SyncState>])>],
        traits)>;

defvar TTNG_LoadEffects = [MemRead<TT_GlobalMemory>, MemWrite<TTG_SharedMemory>];
defvar TTNG_StoreEffects = [MemRead<TTG_SharedMemory>, MemWrite<TT_GlobalMemory>];
defvar TTNG_ReduceEffects =
    [MemRead<TTG_SharedMemory>, MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>];

defvar TTNG_DefaultEvict =
    DefaultValuedAttr<TT_EvictionPolicy, "::tlx::tt::EvictionPolicy::NORMAL">;

def TTNG_AsyncTMACopyGlobalToLocalOp
    : TTNG_TmaOp<"async_tma_copy_global_to_local", TTNG_LoadEffects, [AttrSizedOperandSegments]> {
  let summary = "one block of a described tensor to shared memory";
  let description = [{
    Issued by elected threads when `pred` holds; its bytes complete on `barrier`.
    `multicastTargets` is a mask of the CTAs of the cluster that receive the data,
    and whose barriers complete, at the same place. With `two_cta` the bytes
    complete on the barrier of the pair's even CTA. `result` is the destination
    buffer, an operand; `offsets` belong to im2col addressing.
  }];
  let arguments = (ins Optional<I32>:$multicastTargets, TT_AnyDesc:$desc, Variadic<I32>:$coord,
                       Variadic<I16>:$offsets, TTG_MemDesc:$barrier, TTG_MemDesc:$result, I1:$pred,
                       UnitAttr:$multicast,
                       DefaultValuedAttr<TT_CacheModifier, "::tlx::tt::CacheModifier::NONE">:$cache,
                       TTNG_DefaultEvict:$evict, DefaultValuedAttr<BoolAttr, "false">:$isVolatile,
                       DefaultValuedAttr<BoolAttr, "false">:$two_cta,
                       DefaultValuedAttr<TTNG_TensorMode, "::tlx::ttng::TensorMode::TILED">:$tensorMode);
  let assemblyFormat = [{
    $desc `[` $coord `]` (`offsets` `=` `[` $offsets^ `]`)? $result `,` $barrier `,` $pred
    (`,` $multicastTargets^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict | `tensorMode` `=` $tensorMode)
    attr-dict `:` type($desc) `,` qualified(type($barrier)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def TTNG_AsyncTMAPrefetchOp : TTNG_HintOp<"async_tma_prefetch", [CostPerElement<"Tma">]> {
  let summary = "one block of a described tensor to the L2 cache";
  let arguments = (ins TT_AnyDesc:$desc, Variadic<I32>:$coord, I1:$pred, TTNG_DefaultEvict:$evict);
  let assemblyFormat = [{
    $desc `[` $coord `]` `,` $pred oilist(`evictionPolicy` `=` $evict) attr-dict `:` type($desc)
  }];
}

def TTNG_PrefetchOp : TTNG_HintOp<"prefetch", [CostPerElement<"LoadStore">]> {
  let summary = "brings what pointers name into a cache";
  let arguments = (ins TT_PtrLike:$ptr, Optional<TT_BoolLike>:$mask,
                       DefaultValuedAttr<TT_CacheModifier, "::tlx::tt::CacheModifier::CG">:$cache);
  let assemblyFormat = [{
    $ptr (`,` $mask^)? oilist(`cacheModifier` `=` $cache) attr-dict `:`
    type($ptr) (`,` type($mask)^)?
  }];
}

def TTNG_PrefetchTensormapOp : TTNG_HintOp<"prefetch_tensormap", [CostPerElement<"Scalar">]> {
  let summary = "brings a descriptor into the descriptor cache";
  let arguments = (ins TT_AnyDesc:$desc);
  let assemblyFormat = "$desc attr-dict `:` type($desc)";
}

def TTNG_AsyncTMACopyLocalToGlobalOp
    : TTNG_TmaOp<"async_tma_copy_local_to_global", TTNG_StoreEffects> {
  let summary = "shared memory to one block of a described tensor";
  let description = [{
    Issued by elected threads; every thread then commits a bulk group (of nothing,
    for most). `async_tma_store_wait` waits for groups.
  }];
  let arguments = (ins TT_AnyDesc:$desc, Variadic<I32>:$coord, TTG_MemDesc:$src,
                       TTNG_DefaultEvict:$evict);
  let results = (outs Optional<TTG_AsyncToken>:$token);
  let assemblyFormat = [{
    $desc `[` $coord `]` $src oilist(`evictionPolicy` `=` $evict) attr-dict `:`
    type($desc) `,` qualified(type($src)) (`->` type($token)^)?
  }];
  let hasVerifier = 1;
}

def TTNG_AsyncTMAReduceOp : TTNG_TmaOp<"async_tma_reduce", TTNG_ReduceEffects> {
  let summary = "combines a buffer into one block of a described tensor";
  let arguments = (ins TT_DescriptorReduceKind:$kind, TT_AnyDesc:$desc, Variadic<I32>:$coord,
                       TTG_MemDesc:$src, TTNG_DefaultEvict:$evict);
  let results = (outs Optional<TTG_AsyncToken>:$token);
  let assemblyFormat = [{
    $kind `,` $desc `[` $coord `]` $src oilist(`evictionPolicy` `=` $evict) attr-dict `:`
    type($desc) `,` qualified(type($src)) (`->` type($token)^)?
  }];
  let hasVerifier = 1;
}

def TTNG_AsyncTMAGatherOp : TTNG_TmaOp<"async_tma_gather", TTNG_LoadEffects> {
  let summary = "rows of a described matrix, picked by an index tile, to shared memory";
  let arguments = (ins TT_AnyDesc:$desc, TT_I32Tensor:$x_offsets, I32:$y_offset,
                       TTG_MemDesc:$barrier, TTG_MemDesc:$result, I1:$pred, UnitAttr:$multicast);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` $result `,` $barrier `,` $pred attr-dict `:`
    type(operands)
  }];
  let hasVerifier = 1;
}

def TTNG_AsyncTMAScatterOp : TTNG_TmaOp<"async_tma_scatter", TTNG_StoreEffects> {
  let summary = "shared memory to rows of a described matrix, picked by an index tile";
  let arguments = (ins TT_AnyDesc:$desc, TT_I32Tensor:$x_offsets, I32:$y_offset, TTG_MemDesc:$src);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` $src attr-dict `:` type(operands)
  }];
  let hasVerifier = 1;
}

def TTNG_TMAStoreWaitOp : TTNG_SyncOp<"async_tma_store_wait"> {
  let summary = "blocks each thread until at most `pendings` of its bulk groups are pending";
  let description = [{
    Release 3.7.4 waits for the reads of the source buffers only; the main branch
    says so with `read_only`.
  }];
  let arguments = (ins I32Attr:$pendings, UnitAttr:$read_only);
  let assemblyFormat = "attr-dict";
}

def TTNG_TMAStoreTokenWaitOp
    : TTNG_SyncOp<"async_tma_store_token_wait", [AttrSizedOperandSegments]> {
  let summary = "waits for the store that made `token`, then arrives on barriers";
  let arguments = (ins TTG_AsyncToken:$token, Variadic<TTG_MemDesc>:$barriers,
                       Variadic<I1>:$barrier_preds, Variadic<AnyType>:$nvws_tokens,
                       Variadic<I32>:$nvws_token_indices);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TTNG_AsyncStoreOp : TTNG_TmaOp<"async_store", TTNG_StoreEffects> {
  let summary = "`size` contiguous bytes of shared memory to global memory";
  let description = [{
    Issued by one thread, then committed as a bulk group. `size` is a multiple of
    16.
  }];
  let arguments = (ins TTG_MemDesc:$src, TT_Ptr:$dst, I32:$size);
  let assemblyFormat = [{
    $src `,` $dst `,` $size attr-dict `:` qualified(type($src)) `,` qualified(type($dst))
  }];
}

def TTNG_AsyncSharedStoreOp
    : TTNG_Op<"async_shared_store", [HasSyncEffects, CostPerElement<"SharedMemory">,
        MemoryEffects<[MemWrite<TTG_SharedMemory>, MemRead<TTG_SyncState>,
                       MemWrite<TTG_SyncState>]>]> {
  let summary = "registers to shared memory; the bytes complete on a barrier";
  let arguments = (ins TT_Tensor:$src, TTG_MemDesc:$dst, TTG_MemDesc:$mbarrier);
  let assemblyFormat = [{
    $src `,` $dst `,` $mbarrier attr-dict `:` type($src) `->` qualified(type($dst)) `,`
    qualified(type($mbarrier))
  }];
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

def TTNG_ReinterpretTensorDescOp
    : TTNG_PureOp<"reinterpret_tensor_descriptor", "Scalar"> {
  let summary = "reads a pointer to a 128-byte descriptor as a descriptor";
  let arguments = (ins TT_Ptr:$rawDesc);
  let results = (outs TT_AnyDesc:$result);
  let assemblyFormat = "$rawDesc attr-dict `:` qualified(type($rawDesc)) `to` type($result)";
}

def TTNG_TensormapCreateOp : TTNG_Op<"tensormap_create",
    [AttrSizedOperandSegments, HasSyncEffects, CostPerElement<"Scalar">,
     MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "writes a 128-byte descriptor";
  let description = [{
    Sizes from the innermost dimension out; `global_stride` in bytes, one fewer
    than dimensions. The four numbers are the fields of the tensor map.
  }];
  let arguments = (ins TT_Ptr:$desc_ptr, TT_Ptr:$global_address, Variadic<I32>:$box_dim,
                       Variadic<I32>:$global_dim, Variadic<I64>:$global_stride,
                       Variadic<I32>:$element_stride, I32Attr:$elem_type,
                       I32Attr:$interleave_layout, I32Attr:$swizzle_mode, I32Attr:$fill_mode);
  let assemblyFormat = [{
    $desc_ptr `,` $global_address `,` `[` $box_dim `]` `,` `[` $global_dim `]` `,`
    `[` $global_stride `]` `,` `[` $element_stride `]` attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def TTNG_TensormapFenceproxyAcquireOp
    : TTNG_SyncOp<"tensormap_fenceproxy_acquire"> {
  let summary = "makes a descriptor written to memory visible to the TMA unit";
  let arguments = (ins TT_Ptr:$desc_ptr);
  let assemblyFormat = "$desc_ptr attr-dict `:` qualified(type($desc_ptr))";
}

#endif
