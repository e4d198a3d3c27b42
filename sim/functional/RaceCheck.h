//===- RaceCheck.h - accesses that nothing orders, by vector clocks -------===//
//
// Every task has a clock; so has every queue of asynchronous operations, whose accesses
// happen at a time the issuing task does not know:
//
//   loads that signal an mbarrier    the clock of the barrier: its phases
//   bulk stores, cp.async, wgmma     the clock of (task, queue): its groups
//   tcgen05                          the clock of (task, tcgen05): its operations in order
//
// An arrive adds the task's clocks to the barrier's, a wait takes them over, a group wait
// advances the queue's clock as the task knows it. Two accesses of which one writes
// race when the later one's clocks do not include the earlier one.
//
// A second set of clocks says what has been made visible to the async proxy: it
// advances at proxy fences only. A generic write that an async access follows must be in it.
//
// Threads of one task count as one, for the compiler orders their accesses; but an
// arrival by some of them covers only what came before they last met the others, and tensor
// memory that one four of its warps has touched is the others' only after all have met.
//
// The warps of a task wait each on their own: the one that leads, which does what one thread
// does for all, and the rest, which are known to have waited where all of the task meet. A
// phase that may complete before both have looked at the one before is lost.
//
// A CTA's memory is there from its start to its end: what others do to it must come after
// the one and before the other. Tensor memory of a pair of CTAs goes with the first.
//
// One checker watches one cluster. Device memory is checked within it; atomics order.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/functional/Cluster.h"

#include <map>
#include <unordered_map>
#include <vector>

namespace tlx::sim {

class RaceCheck : public Observer {
public:
  /// `next` sees every event too; it may be null.
  RaceCheck(const Program &program, Observer *next);
  void attach(Cluster &cluster);
  /// Looks for proxy fences before the compiler has added its own, and between a generic read
  /// and an asynchronous write, as the letter of PTX has it.
  void demandFences() { checksFences = afterReads = true; }

  bool wantsAccesses() const override { return true; }
  void onTaskStart(TaskRef task, Pc entry) override;
  void onTaskEnd(TaskRef task, Pc pc) override;
  void onInst(TaskRef task, Pc pc) override;
  void onAccess(const AccessEvent &event) override;
  void onBarrier(const BarrierEvent &event) override;
  void onAsyncStart(const AsyncEvent &event) override;
  void onAsyncEnd(const AsyncEvent &event) override;
  void onBlock(const BlockEvent &event) override;
  void onWake(const BlockEvent &event) override;
  void onFence(TaskRef task, Pc pc, const Effect &effect) override;

private:
  using Actor = int32_t;
  /// Grows on demand; absent components are zero.
  class Clock {
  public:
    uint32_t at(Actor actor) const { return size_t(actor) < values.size() ? values[actor] : 0; }
    void raise(Actor actor, uint32_t value);
    void lower(Actor actor, uint32_t value) { values[actor] = value; }
    void join(const Clock &other);

  private:
    std::vector<uint32_t> values;
  };
  /// What is known, and what the async proxy sees of it.
  struct Knowledge {
    Clock ordered, fenced;
    void join(const Knowledge &other) {
      ordered.join(other.ordered);
      fenced.join(other.fenced);
    }
  };
  struct TaskState {
    Actor actor = -1;
    Knowledge knows;
    uint32_t met = 0;             ///< its clock when its threads last met
    Actor leader = -1, rest = -1; ///< of waits; rest -1: there is one warp
    uint32_t seen = 0;            ///< waits so far
    bool ended = false;
  };
  /// A wait that has passed, for the last completed phase.
  struct Look {
    TaskRef by;
    Pc pc = -1;
    uint32_t seen = 0; ///< the task's waits up to this one
  };
  struct BarrierState {
    Knowledge arrived;       ///< of all arrivals so far
    Knowledge done;          ///< of those whose phase has completed
    std::vector<Look> looks; ///< since the last phase completed
  };
  struct Stamp {
    Actor actor = -1;
    uint32_t clock = 0;
    TaskRef by;
    Pc pc = -1;
    bool async = false;
    int32_t warps = -1; ///< as in AccessEvent
  };
  struct Cell {
    uint64_t end = 0;
    Stamp write;              ///< actor -1: never written
    std::vector<Stamp> reads; ///< since the last write
  };
  using Shadow = std::map<uint64_t, Cell>; ///< by first byte; cells do not overlap

  const Program &program;
  Observer *next;
  Cluster *cluster = nullptr;
  bool checksFences, afterReads = false;
  bool pairs = false; ///< tcgen05 operations of a pair of CTAs share the even one's queue
  bool clustered = false;
  Actor numActors = 0;
  std::map<std::pair<int32_t, int32_t>, TaskState> tasks;             ///< by rank, task
  std::map<std::tuple<int, int32_t, int64_t>, BarrierState> barriers; ///< kind, rank, id
  std::map<std::tuple<int32_t, int32_t, int>, Actor> queues;          ///< rank, task, group
  std::map<std::pair<int32_t, int64_t>, Actor> mbarrierActors;
  std::unordered_map<AsyncId, Knowledge> issued;
  std::map<std::pair<int32_t, int>, Shadow> shadows; ///< rank, space
  std::unordered_map<uint64_t, Knowledge> atomics;   ///< by address of the first byte
  /// What tasks of other CTAs have last done to a CTA's memory, by rank and actor.
  std::map<std::pair<int32_t, Actor>, Stamp> visits;

  TaskState &stateOf(TaskRef task);
  Actor queueActor(TaskRef task, sync::Group group);
  Actor mbarrierActor(int32_t rank, int64_t offset);
  Task *taskOf(TaskRef task);
  enum class Who : uint8_t { All, Leader, Some };
  void release(TaskState &task, Knowledge &into, Who who = Who::All);
  void meet(TaskState &task);
  void checkLooks(const BarrierEvent &event, BarrierState &barrier);
  // Lifetimes.cpp
  void visit(int32_t rank, const Stamp &stamp, const Knowledge &knows, const char *what);
  void visitBarrier(const BarrierEvent &event);
  void leave(TaskRef task);
  void reportLifetime(const Stamp &stamp, std::string message, const Stamp *other = nullptr);
  Stamp stampOf(const AccessEvent &event, Knowledge &knows);
  void onGlobal(const AccessEvent &event);
  void touch(Shadow &shadow, const AccessEvent &event, const ByteRange &range, const Stamp &stamp,
             const Knowledge &knows);
  bool ordered(const Stamp &before, const Stamp &now, const Knowledge &knows);
  void report(Finding::Kind kind, const AccessEvent &event, const Stamp &before, bool beforeWrote,
              uint64_t byte);
};

} // namespace tlx::sim
