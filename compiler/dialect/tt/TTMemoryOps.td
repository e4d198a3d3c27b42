// Global memory: pointers, atomics and tensor descriptors.
#ifndef TLX_TT_MEMORY_OPS_TD
#define TLX_TT_MEMORY_OPS_TD

include "compiler/dialect/tt/TTOpBase.td"


def TT_LoadOp : TT_Op<"load", [AttrSizedOperandSegments, HasSyncEffects, CostPerElement<"LoadStore">,
                              DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                              TT_PointeeMatches<"ptr", "result">,
                              TT_MaskMatches<"ptr", "mask">,
                              TT_PointeeMatches<"ptr", "other">]> {
  let summary = "reads from global memory, element by element";
  let arguments = (ins TT_PtrLike:$ptr, Optional<TT_BoolLike>:$mask, Optional<AnyType>:$other,
                       DefaultValuedAttr<TT_CacheModifier, "::tlx::tt::CacheModifier::NONE">:$cache,
                       DefaultValuedAttr<TT_EvictionPolicy, "::tlx::tt::EvictionPolicy::NORMAL">:$evict,
                       DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $ptr (`,` $mask^)? (`,` $other^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($ptr)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def TT_StoreOp : TT_Op<"store", [HasSyncEffects, CostPerElement<"LoadStore">,
                                TT_PointeeMatches<"ptr", "value">,
                                TT_MaskMatches<"ptr", "mask">]> {
  let summary = "writes to global memory, element by element";
  let arguments = (ins Arg<TT_PtrLike, "", [MemWrite<TT_GlobalMemory>]>:$ptr, AnyType:$value,
                       Optional<TT_BoolLike>:$mask,
                       DefaultValuedAttr<TT_CacheModifier, "::tlx::tt::CacheModifier::NONE">:$cache,
                       DefaultValuedAttr<TT_EvictionPolicy, "::tlx::tt::EvictionPolicy::NORMAL">:$evict,
                       UnitAttr:$ignore_cta);
  let assemblyFormat = [{
    $ptr `,` $value (`,` $mask^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($ptr)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def TT_AtomicRMWOp : TT_Op<"atomic_rmw", [HasSyncEffects, CostPerElement<"LoadStore">]> {
  let summary = "atomic read-modify-write; returns the old values";
  let arguments = (ins TT_RMWOp:$atomic_rmw_op,
                       Arg<TT_PtrLike, "", [MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>:$ptr,
                       AnyType:$val, Optional<TT_BoolLike>:$mask,
                       TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? attr-dict `:`
    functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TT_AtomicCASOp : TT_Op<"atomic_cas", [HasSyncEffects, CostPerElement<"LoadStore">]> {
  let summary = "atomic compare-and-swap; returns the old values";
  let arguments = (ins Arg<TT_PtrLike, "", [MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>:$ptr,
                       AnyType:$cmp, AnyType:$val, TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $cmp `,` $val attr-dict `:` functional-type(operands, $result)
  }];
}

def TT_MakeTensorDescOp : TT_Op<"make_tensor_descriptor",
    [AttrSizedOperandSegments, HasSyncEffects, CostPerElement<"Scalar">,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "descriptor of a tensor in global memory, made on the device";
  let description = [{
    `shape` in elements (i32), `strides` in elements (i64), as many as the block
    has dimensions. With `descPtr` the 128 bytes of the descriptor are written
    there, to be read back by `ttng.reinterpret_tensor_descriptor`.
  }];
  let arguments = (ins TT_Ptr:$base, Variadic<I32>:$shape, Variadic<I64>:$strides,
                       Optional<TT_Ptr>:$descPtr,
                       DefaultValuedAttr<TT_PaddingOption, "::tlx::tt::PaddingOption::PAD_ZERO">:$padding);
  let results = (outs TT_TensorDesc:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]`
    (`,` `descPtr` `=` $descPtr^ `:` qualified(type($descPtr)))? attr-dict `:`
    qualified(type($base)) `,` qualified(type($result))
  }];
  let hasVerifier = 1;
}

class TT_DescriptorOp<string mnemonic, list<Trait> traits = []>
    : TT_Op<mnemonic, !listconcat([HasSyncEffects, CostPerElement<"Tma">], traits)>;

def TT_DescriptorLoadOp : TT_DescriptorOp<"descriptor_load"> {
  let summary = "reads one block of a described tensor";
  let arguments = (ins Arg<TT_AnyDesc, "", [MemRead<TT_GlobalMemory>]>:$desc,
                       Variadic<I32>:$indices,
                       DefaultValuedAttr<TT_CacheModifier, "::tlx::tt::CacheModifier::NONE">:$cache,
                       DefaultValuedAttr<TT_EvictionPolicy, "::tlx::tt::EvictionPolicy::NORMAL">:$evict,
                       OptionalAttr<BoolAttr>:$multicast);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $desc `[` $indices `]`
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($desc) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorStoreOp : TT_DescriptorOp<"descriptor_store"> {
  let summary = "writes one block of a described tensor";
  let arguments = (ins Arg<TT_AnyDesc, "", [MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>:$desc,
                       TT_Tensor:$src, Variadic<I32>:$indices,
                       DefaultValuedAttr<TT_DescriptorReduceKind,
                         "::tlx::tt::DescriptorReduceKind::NONE">:$reduce_kind);
  let assemblyFormat = [{
    $desc `[` $indices `]` `,` $src oilist(`reduce_kind` `=` $reduce_kind)
    attr-dict `:` type($desc) `,` type($src)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorReduceOp : TT_DescriptorOp<"descriptor_reduce"> {
  let summary = "combines one block into a described tensor, atomically per element";
  let arguments = (ins TT_DescriptorReduceKind:$kind,
                       Arg<TT_AnyDesc, "", [MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>:$desc,
                       TT_Tensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = [{
    $kind `,` $desc `[` $indices `]` `,` $src attr-dict `:` type($desc) `,` type($src)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorGatherOp : TT_DescriptorOp<"descriptor_gather"> {
  let summary = "reads rows picked by an index tile";
  let arguments = (ins Arg<TT_AnyDesc, "", [MemRead<TT_GlobalMemory>]>:$desc,
                       TT_IntTensor:$x_offsets, I32:$y_offset);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` attr-dict `:` functional-type(operands, results)
  }];
}

def TT_DescriptorScatterOp : TT_DescriptorOp<"descriptor_scatter"> {
  let summary = "writes rows picked by an index tile";
  let arguments = (ins Arg<TT_AnyDesc, "", [MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>:$desc,
                       TT_IntTensor:$x_offsets, I32:$y_offset, TT_Tensor:$src);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:`
    type(operands)
  }];
}

#endif
