//===- Finding.h - what a check reports -----------------------------------===//
#pragma once

#include "verify/model/Program.h"

namespace tlx::verify {

/// Every way in which a kernel can be wrong. The names, explanations and
/// examples are in Classes.cpp, one entry each.
enum class BugClass : uint8_t {
  Deadlock,        ///< every unfinished task waits and nothing is in flight
  BytesMismatch,   ///< bytes expected and bytes delivered differ
  EarlyPass,       ///< a wait can return on an older phase of the same parity
  LostPhase,       ///< a phase can complete and be overrun before its wait looks
  ArrivalOrder,    ///< an arrival can land in an earlier phase than meant
  OverArrival,     ///< more arrivals than the barrier counts in one phase
  BarrierInit,     ///< used before, or not ordered after, its initialisation
  BarrierLifetime, ///< initialised twice, invalidated or overwritten while in use
  NamedBarrier,    ///< named barrier: counts or participants do not agree
  Race,            ///< two accesses to the same memory, one a write, unordered
  ProxyFence,      ///< ordered, but the proxy fence the pair needs is missing
  Uninitialized,   ///< memory is read that nothing has written
  OutOfRange,      ///< a slot that the buffer or barrier array does not have
  Exit,            ///< asynchronous work outlives the CTA or what it uses
  ClusterBarrier,  ///< cluster barrier arrive and wait do not pair up
  ClusterEntry,    ///< a CTA is reached before it is known to have started
  MemoryLifetime,  ///< memory is used after, or while, it is freed
  RemoteForm,      ///< a CTA-local instruction on another CTA's barrier
  Resources,       ///< more tensor memory, shared memory or barriers than there are
};

struct ClassInfo {
  const char *name;    ///< as printed and as --explain takes it
  const char *summary; ///< one line
  const char *detail;  ///< what it means, how it comes about, how to mend it
};
const ClassInfo &info(BugClass cls);
/// All classes, in order; for --explain and the documents.
std::vector<BugClass> allClasses();

/// One step of a trace, or a place that explains the violation.
struct Step {
  int task = -1; ///< index into Program::tasks; -1: no task
  int event = -1;
  std::vector<int64_t> iteration; ///< of the enclosing loops, outermost first
  std::string note;
  SourceLoc loc; ///< when there is no event
};

struct Violation {
  BugClass cls;
  std::string message;
  Step at;
  std::vector<Step> related;
  bool warning = false; ///< reported, but the verdict may still be PROVED
};

} // namespace tlx::verify
