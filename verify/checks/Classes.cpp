//===- Classes.cpp - the ways to be wrong, one entry each -----------------===//

#include "verify/checks/Finding.h"

using namespace tlx::verify;

const ClassInfo &tlx::verify::info(BugClass cls) {
  static const ClassInfo table[] = {
      {"deadlock", "every unfinished task waits for something that will not come",
       "A wait needs a phase that nobody will complete: an arrival is missing, a phase starts "
       "with\n"
       "the wrong parity, or tasks wait for each other in a circle. Compare, for the barrier of "
       "the\n"
       "wait, its count with the arrivals of the phase that the trace shows.\n\n"
       "  producer: wait(empty, phase)      # wrong: the first wait must not block\n"
       "  producer: wait(empty, phase ^ 1)  # right"},
      {"bytes-mismatch", "a phase expects other bytes than are delivered",
       "barrier_expect announces bytes; copies deliver them. A phase completes only when both "
       "sums\n"
       "are equal, so the wait hangs. Expect exactly the bytes of all copies that name the "
       "barrier\n"
       "in that phase."},
      {"early-pass", "a wait can return on an older phase of the same parity",
       "An mbarrier wait sees one bit. A task that is not ordered after phase n-1 when it waits "
       "for\n"
       "phase n can return at once because phase n-2 has the same parity. Wait for every phase, "
       "or\n"
       "order the task after the one before by another way."},
      {"lost-phase", "a phase can be overrun before its wait has looked",
       "If phase n+1 can complete while a task has not yet looked at phase n, the parity it waits\n"
       "for is gone and the wait blocks, or returns on a later phase. Whatever completes phase "
       "n+1\n"
       "must be ordered after every wait for phase n. A common cause is a wait with the wrong\n"
       "parity, which returns before the first phase."},
      {"arrival-order", "an arrival can count towards an earlier phase than meant",
       "An arrival counts towards whatever phase is current. One that is not ordered after the\n"
       "completion of phase n-1 can complete phase n-1 in place of another task's arrival. Common\n"
       "causes: an init count that is too small, one task that arrives twice, or two CTAs of "
       "which\n"
       "one laps the other."},
      {"over-arrival", "more arrivals in one phase than the barrier counts",
       "The pending count of an mbarrier must not go below zero. Raise the init count or remove "
       "an\n"
       "arrival."},
      {"barrier-init", "a barrier is used before its initialisation is ordered before it",
       "Initialise barriers before warp_specialize; in a cluster, put a cluster barrier between\n"
       "the initialisation and the first use from another CTA. A count outside of 1 to 2^20 - 1 "
       "is\n"
       "no initialisation."},
      {"barrier-lifetime", "a barrier is initialised twice or invalidated while in use",
       "An mbarrier object must be invalidated, with all its users done, before its memory is "
       "used\n"
       "for anything else, another barrier included."},
      {"named-barrier", "tasks disagree about a named barrier",
       "All tasks that take part in one phase of a named barrier must give the same thread count,\n"
       "and their threads must add up to it. A later phase may start only after the earlier one."},
      {"race", "two accesses to the same memory, one of them a write, are unordered",
       "Put a barrier between them: the task that comes first arrives after its access, the other\n"
       "waits before its own. Asynchronous work counts as running until its completion was waited\n"
       "for. Where two tasks, or CTAs of a cluster, store to one tile of global memory, it is "
       "mostly\n"
       "an offset that is wrong."},
      {"proxy-fence", "ordered, but not visible to the other proxy",
       "What ordinary stores wrote becomes visible to TMA, wgmma and tcgen05 only after a\n"
       "fence.proxy.async (tlx.fence_async_shared) between the store and the barrier, or before "
       "the\n"
       "asynchronous operation."},
      {"uninitialized", "shared or tensor memory is read that nothing has written",
       "What memory holds before the first write is left over from another kernel. The write "
       "may be\n"
       "missing, go to another slot or to a part of what is read, or come only later. An\n"
       "accumulator is written by a product that does not take over what was there "
       "(use_acc=False), or\n"
       "by a store of zeros before the first product."},
      {"out-of-range", "a slot that the array does not have, or a parity that is neither 0 nor 1",
       "Check the index arithmetic. A wait for parity n says `n & 1`."},
      {"exit", "asynchronous work outlives the CTA",
       "Wait for all loads before the kernel ends, and for peers before a CTA of a cluster ends."},
      {"cluster-barrier", "cluster arrive and wait do not pair up",
       "Every task of every CTA must arrive and then wait, once for each phase."},
      {"cluster-entry", "another CTA's memory or barrier is used before that CTA has started",
       "CTAs of a cluster start at different times. Put a cluster barrier (tlx.cluster_barrier)\n"
       "between the start of the kernel and the first access to a peer."},
      {"memory-lifetime", "memory is freed while it may still be used",
       "Tensor memory is given back by an explicit deallocation or at the end of the kernel; by\n"
       "then every MMA on it and every load from it must be over. CTAs that work on tensor memory\n"
       "in pairs free it together: synchronise the cluster at the end."},
      {"remote-form", "an instruction that knows only the CTA's own barriers names a peer's",
       "Initialising, expecting bytes and waiting work on barriers of the executing CTA. Of a\n"
       "peer's barrier only arrivals and completions can be asked for; let the owner expect the\n"
       "bytes and wait."},
      {"resources", "more of a resource than the chip has",
       "Tensor memory has 512 columns for each CTA; barriers, shared memory and registers have\n"
       "limits of the chip."},
  };
  return table[static_cast<size_t>(cls)];
}

std::vector<BugClass> tlx::verify::allClasses() {
  std::vector<BugClass> all;
  for (int i = 0; i <= static_cast<int>(BugClass::Resources); ++i)
    all.push_back(static_cast<BugClass>(i));
  return all;
}
