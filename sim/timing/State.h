//===- State.h - tasks, CTAs and SMs of a timed run -----------------------===//
//
// Plain data. A task is a resumable interpreter: registers, a position and a
// clock that may run ahead of the event queue as long as the task touches
// nothing shared.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/engine/EventQueue.h"
#include "sim/program/Program.h"
#include "sim/units/barriers/Waiters.h"
#include "sim/units/memory/MemorySystem.h"
#include "sim/units/sm/SharedMemoryPort.h"
#include "sim/units/sm/SubPartition.h"
#include "sim/units/tensor_core/TensorCore.h"
#include "sim/units/tma/TmaEngine.h"

#include <array>
#include <deque>
#include <memory>
#include <vector>

namespace tlx::sim {

class TimingMachine;
struct TimedCta;

/// A register: its bits (Scalar.h), and when a dependent instruction may start.
struct Slot {
  int64_t bits = 0;
  Cycles ready = 0;
  bool unknown = false; ///< depends on data that timing does not have
  bool queued = false;  ///< its instructions wait for a busy pipe
};

/// Asynchronous operations of a task, group by group.
struct AsyncGroups {
  Cycles open = 0;         ///< completion of what is in the open group
  Cycles openRead = 0;     ///< the same for its sources
  bool any = false;        ///< the open group holds something
  std::deque<Cycles> done; ///< closed groups, oldest first
  std::deque<Cycles> sourceRead;

  void add(Cycles completion, Cycles read) {
    open = std::max(open, completion);
    openRead = std::max(openRead, read);
    any = true;
  }
  void commit() {
    done.push_back(open);
    sourceRead.push_back(openRead);
    open = openRead = 0;
    any = false;
  }
};

inline constexpr unsigned AsyncGroupCount = unsigned(sync::Group::AmdAsync) + 1;

struct TimedTask : EventTarget {
  TimingMachine *machine = nullptr;
  TimedCta *cta = nullptr;
  int index = 0; ///< 0: the CTA's own task and default region; 1 + i: partition i
  int warps = 4;
  int firstPartition = 0; ///< sub-partition of warp 0
  Pc pc = 0;
  unsigned effectStep = 0;               ///< effects of the instruction already done
  bool barrierDone = false;              ///< the task barrier before the current effect is done
  bool spillDone = false;                ///< the instruction's spilled registers are moved
  bool issued = false;                   ///< the instruction's own work is committed
  Cycles completion = 0, sourceRead = 0; ///< of the instruction, when asynchronous
  bool finished = false;
  Cycles clock = 0;
  std::vector<Slot> slots;
  std::vector<Pc> calls; ///< pcs of the calls in progress
  std::array<AsyncGroups, AsyncGroupCount> groups;
  /// Products that a wait before the current instruction names are done: arithmetic that does not
  /// use them has gone before it, all else has not.
  Cycles awaited = 0;
  Cycles storesVisible = 0; ///< shared stores issued so far have landed
  /// Allocations that its threads have used since their last barrier: read, written.
  std::vector<std::pair<int, bool>> usedShared;
  bool scratchRead = false;     ///< by warps that may not be done with it, for an exchange
  bool copiedByThreads = false; ///< since the last fence its threads have copied to shared memory
  int64_t namedGeneration = -1; ///< generation awaited
  // Why and since when it sleeps.
  Reason sleepReason = Reason::None;
  Cycles sleepSince = 0;
  int64_t sleepDetail = -1;
  int joinsLeft = 0;
  // Accounting.
  Cycles started = 0, progressSince = 0;
  TrackId track = NoTrack;
  int stat = 0; ///< row of the per-task statistics

  void onEvent(Cycles now, uint64_t payload) override;
};

/// A few things that lie in shared memory, by byte offset.
template <typename T> class ByOffset {
public:
  T *find(int64_t offset) {
    for (auto &[at, thing] : things)
      if (at == offset)
        return &thing;
    return nullptr;
  }
  /// Makes it where there is none; earlier references become invalid.
  T &operator[](int64_t offset) {
    if (T *found = find(offset))
      return *found;
    return things.emplace_back(offset, T()).second;
  }

private:
  std::vector<std::pair<int64_t, T>> things;
};

struct TimedCluster;

struct TimedCta {
  int64_t index = 0; ///< linear in the launched grid
  int rank = 0;
  int sm = 0;
  std::array<int64_t, 3> id{};
  TimedCluster *cluster = nullptr;
  Cycles started = 0;
  std::vector<std::unique_ptr<TimedTask>> tasks;
  ByOffset<TimedMbarrier> mbarriers;
  ByOffset<int64_t> launchAnswers; ///< of launch control: the cluster granted, -1: none
  std::array<TimedNamedBarrier, 64> named;
  bool exited = false;
};

struct TimedCluster {
  int64_t index = 0;
  std::vector<std::unique_ptr<TimedCta>> ctas;
  TimedNamedBarrier barrier;
  int exited = 0;
  int outstanding = 0; ///< completions that will still reach one of its CTAs
};

/// The units of one SM.
struct TimedSm {
  std::vector<SubPartition> partitions;
  SharedMemoryPort smem;
  Port l1Lines{1};
  Port tmemRead{1}, tmemWrite{1}, clusterOut{1};
  std::unique_ptr<TensorCore> tensorCore;
  std::unique_ptr<TmaEngine> tma;
  std::unique_ptr<L2Cache> l1; ///< what plain loads left; null: none
  std::vector<bool> codeSeen;  ///< by pc
  std::vector<int64_t> descriptorsSeen;
  int residentCtas = 0;
  Cycles activeSince = 0, active = 0;
  TrackId tmaTrack = NoTrack, tensorTrack = NoTrack, smemTrack = NoTrack, tmemTrack = NoTrack;
};

} // namespace tlx::sim
