// Buffer instructions, and loads, stores and copies around LDS.
//
// Buffer instructions address a scalar base pointer plus an i32 offset in
// elements for each element; lanes out of bounds do nothing.
// CDNA3 ISA, "Memory Buffer Instructions".
#ifndef TLX_AMDG_MEMORY_OPS_TD
#define TLX_AMDG_MEMORY_OPS_TD

include "compiler/dialect/amdg/AMDGOpBase.td"

// Types that follow from the tile which is printed.
class AMDG_OffsetsFit<string tile>
    : TypesMatchWith<"offsets are i32 of the shape of " # tile, tile, "offsets",
                     "::tlx::amdg::offsetsFor($_self)">;
class AMDG_PointerFits<string tile>
    : TypesMatchWith<tile # " element type matches the pointed type of ptr", tile, "ptr",
                     "::tlx::amdg::pointerFor($_self)", "::tlx::amdg::samePointee">;
class AMDG_MaskFits<string tile>
    : OptionalTypesMatchWith<"mask is i1 of the shape of " # tile, tile, "mask",
                             "::tlx::tt::i1SameShape($_self)">;

class AMDG_BufferOp<string mnemonic, list<MemoryEffect> effects, list<Trait> traits = []>
    : AMDG_Op<mnemonic, !listconcat([HasSyncEffects, CostPerElement<"LoadStore">,
        MemoryEffects<effects>], traits)>;

def AMDG_BufferLoadOp : AMDG_BufferOp<"buffer_load", [MemRead<TT_GlobalMemory>],
    [AttrSizedOperandSegments, AMDG_PointerFits<"result">, AMDG_OffsetsFit<"result">,
     AMDG_MaskFits<"result">,
     OptionalTypesMatchWith<"other has the type of result", "result", "other", "$_self">]> {
  let summary = "reads from global memory at a base pointer plus offsets";
  let arguments = (ins TT_Ptr:$ptr, TT_I32Tensor:$offsets, Optional<I32>:$stride,
                       Optional<TT_I1Tensor>:$mask, Optional<TT_Tensor>:$other,
                       AMDG_DefaultCache:$cache, AMDG_Contiguity:$contiguity);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $ptr `[` $offsets `]` (`,` $mask^)? (`,` $other^)? oilist(`cacheModifier` `=` $cache)
    (`stride` `=` $stride^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def AMDG_BufferLoadToLocalOp
    : AMDG_BufferOp<"buffer_load_to_local",
        [MemRead<TT_GlobalMemory>, MemWrite<TTG_SharedMemory>, MemWrite<TTG_SyncState>],
        [AttrSizedOperandSegments, AMDG_MaskFits<"offsets">]> {
  let summary = "global memory at a base pointer plus offsets to LDS, asynchronously";
  let arguments = (ins TTG_MemDesc:$dest, TT_Ptr:$ptr, TT_I32Tensor:$offsets,
                       Optional<TT_I1Tensor>:$mask, Optional<TT_Tensor>:$other,
                       Optional<I32>:$stride, AMDG_DefaultCache:$cache,
                       AMDG_Contiguity:$contiguity);
  let results = (outs TTG_AsyncToken:$token);
  // The pointer and the buffer print without their dialect and mnemonic; both
  // spellings are read.
  let assemblyFormat = [{
    $ptr `[` $offsets `]` (`mask` `=` $mask^)? (`other` `=` $other^)? (`stride` `=` $stride^)?
    oilist(`cacheModifier` `=` $cache) `into` $dest attr-dict `:`
    type($ptr) `[` type($offsets) `]` type($other) `->` type($dest)
  }];
  let hasVerifier = 1;
}

def AMDG_BufferStoreOp : AMDG_BufferOp<"buffer_store", [MemWrite<TT_GlobalMemory>],
    [AttrSizedOperandSegments, AMDG_PointerFits<"value">, AMDG_OffsetsFit<"value">,
     AMDG_MaskFits<"value">]> {
  let summary = "writes to global memory at a base pointer plus offsets";
  let arguments = (ins TT_Tensor:$value, TT_Ptr:$ptr, TT_I32Tensor:$offsets, Optional<I32>:$stride,
                       Optional<TT_I1Tensor>:$mask, AMDG_DefaultCache:$cache,
                       AMDG_Contiguity:$contiguity);
  let assemblyFormat = [{
    $value `,` $ptr `[` $offsets `]` (`,` $mask^)? oilist(`cacheModifier` `=` $cache)
    (`stride` `=` $stride^)? attr-dict `:` type($value)
  }];
  let hasVerifier = 1;
}

defvar AMDG_AtomicEffects = [MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>];

def AMDG_BufferAtomicRMWOp : AMDG_BufferOp<"buffer_atomic_rmw", AMDG_AtomicEffects,
    [AttrSizedOperandSegments, AMDG_PointerFits<"result">, AMDG_OffsetsFit<"result">,
     AMDG_MaskFits<"result">, TT_SameType<"result", "value">]> {
  let summary = "atomic read-modify-write at a base pointer plus offsets";
  let arguments = (ins TT_RMWOp:$atomic_rmw_op, TT_Ptr:$ptr, TT_I32Tensor:$offsets,
                       TT_Tensor:$value, Optional<I32>:$stride, TT_MemSemantic:$sem,
                       TT_MemSyncScope:$scope, Optional<TT_I1Tensor>:$mask,
                       AMDG_Contiguity:$contiguity);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $value `,` $ptr `[` $offsets `]` (`,` $mask^)?
    (`stride` `=` $stride^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def AMDG_BufferAtomicCASOp : AMDG_BufferOp<"buffer_atomic_cas", AMDG_AtomicEffects,
    [AMDG_PointerFits<"result">, AMDG_OffsetsFit<"result">, TT_SameType<"result", "val">,
     TT_SameType<"result", "cmp">]> {
  let summary = "atomic compare-and-swap at a base pointer plus offsets";
  let arguments = (ins TT_Ptr:$ptr, TT_I32Tensor:$offsets, TT_Tensor:$cmp, TT_Tensor:$val,
                       Optional<I32>:$stride, TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $cmp `,` $val `,` $ptr `[` $offsets `]` (`stride` `=` $stride^)?
    attr-dict `:` type($result)
  }];
}

def AMDG_MaskedLoadOp : AMDG_Op<"masked_load", [HasSyncEffects, CostPerElement<"LoadStore">]> {
  let summary = "load by the threads whose mask holds, else `falseVal`";
  let arguments = (ins AnyType:$ptr, I1:$mask, AnyType:$falseVal, Optional<I16>:$multicastMask,
                       AMDG_DefaultCache:$cache,
                       DefaultValuedAttr<BoolAttr, "false">:$forceNoAlias);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $ptr `,` $mask `,` $falseVal (`,` $multicastMask^)?
    oilist(`cacheModifier` `=` $cache | `forceNoAlias` $forceNoAlias) attr-dict `:`
    functional-type(operands, results)
  }];
}

def AMDG_MaskedStoreOp : AMDG_Op<"masked_store", [HasSyncEffects, CostPerElement<"LoadStore">]> {
  let summary = "store by the threads whose mask holds";
  let arguments = (ins AnyType:$ptr, AnyType:$value, I1:$mask, AMDG_DefaultCache:$cache,
                       DefaultValuedAttr<BoolAttr, "false">:$forceNoAlias);
  let assemblyFormat = [{
    $ptr `,` $value `,` $mask oilist(`cacheModifier` `=` $cache | `forceNoAlias` $forceNoAlias)
    attr-dict `:` type(operands)
  }];
}

def AMDG_LocalLoadPackedTransposedOp
    : AMDG_Op<"local_load_packed_tranposed", [HasSyncEffects, CostPerElement<"SharedMemory">,
        MemoryEffects<[MemRead<TTG_SharedMemory>]>]> {
  let summary = "LDS to registers, transposing pairs of 4-bit elements";
  let arguments = (ins TTG_MemDesc:$src, Optional<TTG_AsyncToken>:$token);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src (`token` $token^)? attr-dict `:` qualified(type($src)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def AMDG_AsyncCopyLocalToGlobalOp
    : AMDG_Op<"async_copy_local_to_global", [HasSyncEffects, CostPerElement<"LoadStore">,
        MemoryEffects<[MemRead<TTG_SharedMemory>, MemWrite<TT_GlobalMemory>,
                       MemWrite<TTG_SyncState>]>, AMDG_MaskFits<"dst">]> {
  let summary = "LDS to global memory at pointers, asynchronously";
  let arguments = (ins TTG_MemDesc:$src, TT_PtrTensor:$dst, Optional<TT_I1Tensor>:$mask,
                       AMDG_DefaultCache:$cache,
                       DefaultValuedAttr<TT_EvictionPolicy, "::tlx::tt::EvictionPolicy::NORMAL">:$evict,
                       AMDG_Contiguity:$contiguity);
  let results = (outs TTG_AsyncToken:$token);
  let assemblyFormat = [{
    $src `,` $dst (`mask` $mask^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict) attr-dict `:`
    qualified(type($src)) `->` type($dst)
  }];
}

#endif
