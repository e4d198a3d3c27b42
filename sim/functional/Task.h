//===- Task.h - one thread of control: a warp group of a CTA -------------------------------===//
//
// A task is a state machine: its position is `pc` and, within an instruction, the
// index of the next effect. Stopping anywhere and going on later costs nothing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/functional/Value.h"
#include "sim/program/Program.h"

#include <deque>
#include <string>
#include <vector>

namespace tlx::sim {

struct Cta;

/// Asynchronous operations of one kind that a task has issued, in groups: a wait
/// passes when at most so many of the newest groups are unfinished.
struct GroupQueue {
  std::deque<int32_t> unfinished; ///< operations left in each committed group, oldest first
  int64_t firstSequence = 0;      ///< sequence number of unfinished.front()
  int32_t open = 0;               ///< issued and not yet committed, still unfinished
  std::vector<AsyncId> openOps;   ///< operations of the open group
  int64_t waited = 0;             ///< groups that a wait has covered
  Pc lastIssue = -1;
  std::deque<AsyncId> inOrder; ///< unfinished operations, when they complete in order
};

/// Threads of a task that disagree about a branch: the ways run one after the other,
/// each for its own threads, and meet again at `merge`.
struct Divergence {
  Pc merge = -1;
  int32_t otherEdge = -1;                    ///< edge of the way that runs second
  bool second = false;                       ///< it runs now
  std::vector<uint8_t> outer, first;         ///< active threads before, and on the first way
  std::vector<std::pair<Reg, Value>> values; ///< what the first way passes to the merge
};

struct Task {
  enum class State : uint8_t { Ready, Blocked, Finished };

  int32_t id = 0; ///< in the cluster
  TaskRef ref;
  Cta *cta = nullptr;
  std::string name; ///< "default", "partition0"
  State state = State::Ready;
  bool queued = false;

  Pc pc = 0;
  int32_t effectIndex = 0; ///< next effect of the instruction at pc
  bool valueDone = false;  ///< its behaviour has been executed
  bool waitPassed = false; ///< what it slept for has happened
  std::vector<Value> regs;

  int32_t numWarps = 4;
  int32_t numThreads = 128;
  int32_t startWarp = 0;

  struct Frame {
    Pc returnTo;
    std::vector<Reg> results;
  };
  std::vector<Frame> frames;

  std::vector<uint8_t> active; ///< by thread; empty: all of them
  std::vector<Divergence> divergences;
  bool isActive(size_t thread) const { return active.empty() || active[thread]; }

  GroupQueue groups[8]; ///< by sync::Group

  // While blocked.
  BlockEvent block;
  int32_t waitPhase = 0;
  int64_t waitAmount = 0;
  sync::Group waitGroup = sync::Group::None;

  int32_t specialize = -1; ///< inside the default region of this warp_specialize
  int32_t runningPartitions = 0;
  int32_t parent = -1; ///< partitions: task id of the default region

  int64_t clusterArrivals = 0; ///< generation of the cluster barrier to wait for
  int64_t steps = 0;           ///< instructions executed
};

} // namespace tlx::sim
