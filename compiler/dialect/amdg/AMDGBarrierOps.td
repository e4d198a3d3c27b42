// Barriers, counters and scheduling hints.
#ifndef TLX_AMDG_BARRIER_OPS_TD
#define TLX_AMDG_BARRIER_OPS_TD

include "compiler/dialect/amdg/AMDGOpBase.td"

def AMDG_InitBarrierOp : AMDG_SyncOp<"init_barrier"> {
  let summary = "makes an LDS barrier of phase 0 that waits for `count` arrivals";
  let arguments = (ins TTG_MemDesc:$alloc, I32Attr:$count);
  let assemblyFormat = "$alloc `,` $count attr-dict `:` qualified(type($alloc))";
  let hasVerifier = 1;
}

def AMDG_ReadBarrierPhaseOp : AMDG_SyncOp<"read_barrier_phase"> {
  let summary = "parity of a barrier's current phase";
  let arguments = (ins TTG_MemDesc:$alloc);
  let results = (outs I32:$result);
}

def AMDG_ArriveBarrierOp : AMDG_SyncOp<"arrive_barrier"> {
  let summary = "`count` arrivals by each thread that executes it; gives the phase before";
  let arguments = (ins TTG_MemDesc:$alloc, I32Attr:$count);
  let results = (outs I32:$result);
  let assemblyFormat = "$alloc `,` $count attr-dict `:` qualified(type($alloc)) `->` type($result)";
  let hasVerifier = 1;
}

def AMDG_WaitBarrierOp : AMDG_SyncOp<"wait_barrier"> {
  let summary = "blocks until the barrier's phase of parity `phase` has completed";
  let arguments = (ins TTG_MemDesc:$alloc, I32:$phase);
  let assemblyFormat = "$alloc `,` $phase attr-dict `:` qualified(type($alloc))";
  let hasVerifier = 1;
}

def AMDG_AsyncCopyMbarrierArriveOp : AMDG_SyncOp<"async_copy_mbarrier_arrive"> {
  let summary = "every thread arrives when its copies to LDS so far have completed";
  let arguments = (ins TTG_MemDesc:$barrier);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
  let hasVerifier = 1;
}

def AMDG_CondBarrierOp : AMDG_SyncOp<"cond_barrier"> {
  let summary = "one workgroup barrier, executed by the waves for which `pred` holds";
  let description = [{Sets waves apart on purpose: one half runs a step ahead.}];
  let arguments = (ins I1:$pred);
  let assemblyFormat = "$pred attr-dict";
}

class AMDG_ClusterBarrierOp<string mnemonic> : AMDG_SyncOp<mnemonic> {
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}
def AMDG_ClusterBarrierArriveOp : AMDG_ClusterBarrierOp<"cluster_barrier_arrive"> {
  let summary = "arrives at the cluster's barrier";
}
def AMDG_ClusterBarrierWaitOp : AMDG_ClusterBarrierOp<"cluster_barrier_wait"> {
  let summary = "waits at the cluster's barrier";
}

def AMDG_AsyncWaitOp : AMDG_SyncOp<"async_wait"> {
  let summary = "blocks until at most `num_inst` copy instructions are outstanding";
  let arguments = (ins Variadic<TTG_AsyncToken>:$asyncToken, I32Attr:$num_inst);
  let results = (outs TTG_AsyncToken:$retToken);
  let assemblyFormat = "($asyncToken^)? attr-dict";
}

def AMDG_MemoryCounterWaitOp : AMDG_SyncOp<"memory_counter_wait"> {
  let summary = "blocks until counters of outstanding loads, stores or LDS ops are low enough";
  let arguments = (ins OptionalAttr<I32Attr>:$load, OptionalAttr<I32Attr>:$store,
                       OptionalAttr<I32Attr>:$ds);
  let assemblyFormat = [{
    oilist(`load` `(` $load `)` | `store` `(` $store `)` | `ds` `(` $ds `)`) attr-dict
  }];
}

def AMDG_InstructionSchedHint : AMDG_SyncOp<"instruction_sched_hint"> {
  let summary = "asks for a schedule of the surrounding instructions";
  let arguments = (ins AMDG_SchedHintAttr:$variant);
  let assemblyFormat = "attr-dict";
}

#endif
