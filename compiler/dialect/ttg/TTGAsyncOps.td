// Asynchronous copies and remote shared memory.
#ifndef TLX_TTG_ASYNC_OPS_TD
#define TLX_TTG_ASYNC_OPS_TD

include "compiler/dialect/ttg/TTGOpBase.td"

def TTG_AsyncCopyGlobalToLocalOp : TTG_Op<"async_copy_global_to_local",
    [AttrSizedOperandSegments, HasSyncEffects, CostPerElement<"LoadStore">,
     TT_MaskMatches<"src", "mask">, TT_PointeeMatches<"src", "other">,
     MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TTG_SharedMemory>, MemWrite<TTG_SyncState>]>]> {
  let summary = "global to shared memory without passing through registers";
  let description = [{
    Per element with cp.async, completed by async groups of each thread; or, with
    `useBulk`, `bulkSize` contiguous bytes that complete on `barrier`. `result`
    is the destination buffer, an operand.
  }];
  let arguments = (ins TT_PtrLike:$src, TTG_MemDesc:$result, Optional<TT_I1Tensor>:$mask,
                       Optional<AnyType>:$other, Optional<I32>:$bulkSize,
                       Optional<TTG_MemDesc>:$barrier,
                       DefaultValuedAttr<TT_CacheModifier, "::tlx::tt::CacheModifier::NONE">:$cache,
                       DefaultValuedAttr<TT_EvictionPolicy, "::tlx::tt::EvictionPolicy::NORMAL">:$evict,
                       DefaultValuedAttr<BoolAttr, "false">:$isVolatile,
                       DefaultValuedAttr<BoolAttr, "false">:$useBulk,
                       DefaultValuedAttr<I32Attr, "1">:$contiguity);
  let results = (outs TTG_AsyncToken:$token);
  // The destination prints without `!ttg.memdesc`; both spellings are read.
  let assemblyFormat = [{
    $src `,` $result (`mask` $mask^)? (`other` $other^)?
    (`bulk_size` $bulkSize^ `:` type($bulkSize))?
    (`barrier` $barrier^ `:` qualified(type($barrier)))?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($src) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TTG_AsyncCommitGroupOp : TTG_Op<"async_commit_group",
    [HasSyncEffects, CostPerElement<"Barrier">, MemoryEffects<[MemWrite<TTG_SyncState>]>]> {
  let summary = "closes each thread's current group of asynchronous copies";
  let arguments = (ins Variadic<TTG_AsyncToken>:$inputTokens);
  let results = (outs TTG_AsyncToken:$asyncToken);
  let assemblyFormat = "(`tokens` $inputTokens^)? attr-dict";
}

def TTG_AsyncWaitOp : TTG_Op<"async_wait",
    [HasSyncEffects, CostPerElement<"Barrier">,
     MemoryEffects<[MemRead<TTG_SyncState>, MemWrite<TTG_SyncState>, MemWrite<TTG_SharedMemory>]>]> {
  let summary = "blocks each thread until at most `num` of its groups are pending";
  let arguments = (ins Variadic<TTG_AsyncToken>:$asyncToken, I32Attr:$num);
  let results = (outs TTG_AsyncToken:$retToken);
  let assemblyFormat = "($asyncToken^)? attr-dict";
}

class TTG_RemoteStoreOp<string mnemonic, list<Trait> traits = []>
    : TTG_Op<mnemonic, !listconcat([HasSyncEffects, CostPerElement<"SharedMemory">,
        MemoryEffects<[MemWrite<TTG_SharedMemory>, MemWrite<TTG_SyncState>]>], traits)> {
  let hasVerifier = 1;
}

def TTG_RemoteShmemStoreOp : TTG_RemoteStoreOp<"remote_shmem_store"> {
  let summary = "registers to the shared memory of another CTA of the cluster";
  let arguments = (ins TT_Tensor:$src, TTG_MemDesc:$dst, I32:$ctaRank);
  let assemblyFormat = [{
    $src `,` `rank` $ctaRank `,` $dst attr-dict `:` type($src) `->` qualified(type($dst))
  }];
}

def TTG_AsyncRemoteShmemStoreOp : TTG_RemoteStoreOp<"async_remote_shmem_store"> {
  let summary = "remote store that completes bytes on the remote CTA's barrier";
  let arguments = (ins TT_Tensor:$src, TTG_MemDesc:$dst, I32:$ctaRank, TTG_MemDesc:$barrier);
  let assemblyFormat = [{
    $src `,` `rank` $ctaRank `,` $dst `barrier` $barrier attr-dict `:`
    type($src) `->` qualified(type($dst)) `barrier_ty` qualified(type($barrier))
  }];
}

def TTG_AsyncRemoteShmemCopyOp : TTG_RemoteStoreOp<"async_remote_shmem_copy"> {
  let summary = "bulk copy to another CTA's shared memory, completing on its barrier";
  let arguments = (ins TTG_MemDesc:$src, TTG_MemDesc:$dst, I32:$ctaRank, TTG_MemDesc:$barrier);
  let assemblyFormat = [{
    $src `,` `rank` $ctaRank `,` $dst `barrier` $barrier attr-dict `:`
    qualified(type($src)) `->` qualified(type($dst)) `barrier_ty` qualified(type($barrier))
  }];
}

#endif
