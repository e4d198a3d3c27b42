#include "verify/model/Contracts.h"

const std::vector<tlx::verify::Contract> &tlx::verify::contracts() {
  static const std::vector<Contract> table = {
      {"no-overflow", "integer counters do not wrap, and what is compared or divided as unsigned "
                      "or by an unknown is not negative; unknown divisors are positive"},
      {"sizes-not-negative", "an argument that a loop's upper bound grows with is not negative"},
      {"loops-end", "a loop without synchronisation ends"},
      {"task-barrier-before-arrive",
       "an ordinary arrive or expect is preceded by a barrier over "
       "the task's threads; a per-thread "
       "arrive, an MMA or a TMA issue is not",
       Lowering::TaskBarrierBeforeArrive},
      {"tma-issue-by-each-warp",
       "every warp of a task issues its part of a TMA load, after what "
       "it has waited for",
       Lowering::IssueByEachWarp},
      {"membar",
       "accesses of one task to one shared-memory allocation that conflict have a barrier "
       "over the task's threads between them",
       Lowering::Membar},
      {"task-barrier-after-store-wait",
       "a wait for bulk stores is followed by a barrier over the task's threads",
       Lowering::TaskBarrierAfterStoreWait},
      {"task-barrier-after-copy-wait",
       "on NVIDIA's chips a wait for asynchronous copies (cp.async) is followed by a barrier over "
       "the task's threads",
       Lowering::TaskBarrierAfterCopyWait},
      {"warps-start-together",
       "all warps of a task look at a fresh barrier before its first phase "
       "completes",
       Lowering::WarpsStartTogether},
      {"warps-leave-together",
       "warps that leave a barrier over their task together have looked at what they then wait for "
       "before asynchronous work that one of them issues after these waits has completed and its "
       "slot is filled again",
       Lowering::WarpsLeaveTogether},
      {"parity-is-lowest-bit",
       "a wait tests the lowest bit of its parity, as ptxas shifts it out; PTX defines 0 and 1 "
       "only",
       Lowering::ParityIsLowestBit},
      {"synchronous-tmem-access", "tmem_load and tmem_store complete before the next operation"},
      {"lds-copies-in-order",
       "on gfx9 what one wave copies to LDS lands in issue order (vmcnt), and copies of one tensor "
       "type to one buffer are divided among the waves alike"},
      {"warp-pipeline",
       "waves 4 and up of a warp pipeline are one barrier behind waves 0-3; barriers stand between "
       "its stages, behind waits for copies and between accesses to one allocation that conflict, "
       "other than a copy and a load marked syncedViaAsyncWait"},
      {"tcgen05-in-order", "tcgen05 operations of one issuing thread run and complete in order"},
      {"global-memory",
       "different arguments are different memory; tasks' accesses by one of them are compared "
       "where the distance of their tiles is a number, or address and mask are the same function "
       "of arguments and program ids; others of which one writes are named in a note; those of "
       "different programs are compared for a few small ids; a proxy "
       "fence is one for global memory too; loads of memory that the kernel does not write give "
       "the same value to all tasks"},
      {"cluster-sync-after-init",
       "a cluster kernel that reaches other CTAs gets a cluster barrier "
       "after the barrier initialisations of its entry block, which "
       "move ahead of the rest of the block and allocations behind it, and a 2-CTA one at its end "
       "unless tlx.user_post_ws_sync",
       Lowering::ClusterSync},
      {"fence-before-bulk-store",
       "above .ttgir, a proxy fence stands before every TMA store and "
       "reduction, but no async_store: fbtriton inserts it",
       Lowering::FenceBeforeBulkStore},
      {"distinct-allocations",
       "above .ttgir, allocations that no alias construct joins do not share memory; at .ttgir, "
       "those whose lives are over make room for others as a first fit of the larger ones first "
       "does, unless the IR gives addresses"},
      {"register-contents",
       "asynchronous use of registers is ordered by the IR's values; only results "
       "of wgmma that are read without a wait are looked for"},
      {"clc-answers-end", "cluster launch control stops granting at some time"},
  };
  return table;
}
