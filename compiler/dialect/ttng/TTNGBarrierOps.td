// mbarriers, named barriers and fences.
// PTX ISA: "mbarrier", "barrier{.cta}", "membar/fence".
#ifndef TLX_TTNG_BARRIER_OPS_TD
#define TLX_TTNG_BARRIER_OPS_TD

include "compiler/dialect/ttng/TTNGOpBase.td"

def TTNG_InitBarrierOp : TTNG_SyncOp<"init_barrier"> {
  let summary = "makes an mbarrier of phase 0 that waits for `count` arrivals";
  let arguments = (ins TTG_MemDesc:$alloc, I32Attr:$count);
  let assemblyFormat = "$alloc `,` $count attr-dict `:` qualified(type($alloc))";
  let hasVerifier = 1;
}

def TTNG_InvalBarrierOp : TTNG_SyncOp<"inval_barrier"> {
  let summary = "ends an mbarrier's life; its memory may be reused";
  let arguments = (ins TTG_MemDesc:$alloc);
  let assemblyFormat = "$alloc attr-dict `:` qualified(type($alloc))";
  let hasVerifier = 1;
}

def TTNG_BarrierExpectOp : TTNG_SyncOp<"barrier_expect"> {
  let summary = "expects `size` more bytes and arrives once";
  let description = [{
    One thread executes mbarrier.arrive.expect_tx, after a barrier over all
    threads of the task.
  }];
  let arguments = (ins TTG_MemDesc:$alloc, I32Attr:$size, I1:$pred);
  // The attributes stand between the size and the predicate.
  let assemblyFormat = "$alloc `,` $size attr-dict `,` $pred `:` qualified(type($alloc))";
  let hasVerifier = 1;
}

def TTNG_WaitBarrierOp : TTNG_SyncOp<"wait_barrier", [AttrSizedOperandSegments]> {
  let summary = "blocks until the barrier's phase of parity `phase` has completed";
  let description = [{
    Returns at once when the current parity differs from `phase`; so phase 1
    passes on a fresh barrier. `deps` are buffers whose contents are awaited.
  }];
  let arguments = (ins TTG_MemDesc:$alloc, I32:$phase, Optional<I1>:$pred,
                       Variadic<TTG_MemDesc>:$deps, OptionalAttr<DictionaryAttr>:$constraints);
  let assemblyFormat = [{
    $alloc `,` $phase (`,` $pred^)? (`deps` $deps^)? attr-dict `:`
    qualified(type($alloc)) (`,` type($deps)^)?
  }];
  let hasVerifier = 1;
}

def TTNG_ArriveBarrierOp : TTNG_SyncOp<"arrive_barrier"> {
  let summary = "`count` arrivals on an mbarrier";
  let description = [{
    By one thread, after a barrier over all threads of the task; or, with
    `perThread`, by every thread and with no barrier before it. The mbarrier may
    be another CTA's (`#ttng.shared_cluster_memory`). A `ctaMask` other than 0
    arrives in every CTA whose bit is set.
  }];
  let arguments = (ins TTG_MemDesc:$alloc, Optional<I1>:$pred, I32Attr:$count,
                       OptionalAttr<I32Attr>:$ctaMask, UnitAttr:$perThread,
                       OptionalAttr<DictionaryAttr>:$constraints);
  let assemblyFormat = "$alloc `,` $count (`,` $pred^)? attr-dict `:` qualified(type($alloc))";
  let hasVerifier = 1;
}

def TTNG_AsyncCopyMbarrierArriveOp : TTNG_SyncOp<"async_copy_mbarrier_arrive"> {
  let summary = "every thread arrives when its cp.async copies so far have completed";
  let description = [{
    Without `noIncrement` each thread first raises the pending count by one, so
    that the arrival counts as none of those the barrier was made for.
  }];
  let arguments = (ins TTG_MemDesc:$barrier, UnitAttr:$noIncrement);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
  let hasVerifier = 1;
}

class TTNG_NamedBarrierOp<string mnemonic> : TTNG_SyncOp<mnemonic> {
  let arguments = (ins I32:$bar, I32:$numThreads);
  let assemblyFormat = "$bar `,` $numThreads attr-dict `:` type(operands)";
}
def TTNG_NamedBarrierArriveOp : TTNG_NamedBarrierOp<"arrive_barrier_named"> {
  let summary = "arrives at hardware barrier `bar` of `numThreads` threads without waiting";
}
def TTNG_NamedBarrierWaitOp : TTNG_NamedBarrierOp<"wait_barrier_named"> {
  let summary = "arrives at hardware barrier `bar` of `numThreads` threads and waits";
}

def TTNG_FenceAsyncSharedOp : TTNG_SyncOp<"fence_async_shared"> {
  let summary = "orders generic accesses to shared memory before later asynchronous ones";
  let arguments = (ins BoolAttr:$bCluster);
  let assemblyFormat = "attr-dict";
}

def TTNG_FenceOp : TTNG_SyncOp<"fence"> {
  let summary = "acquire-release fence of scope `gpu` or `sys`";
  let arguments = (ins StrAttr:$scope);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def TTNG_FenceMBarrierInitReleaseClusterOp
    : TTNG_SyncOp<"fence_mbarrier_init_release_cluster"> {
  let summary = "makes mbarrier initialisations visible to the cluster";
  let assemblyFormat = "attr-dict";
}

#endif
