//===- Cluster.h - the CTAs of one cluster, executing ---------------------===//
//
// step() executes one instruction of a task; complete() finishes one asynchronous operation.
// Any interleaving of the two is a legal execution, and Schedule.h chooses one. A timing engine
// may make the choice instead, by its clock.
//
// Asynchronous operations (TMA, bulk copies, wgmma, tcgen05, cp.async, TDM) take effect as a whole
// when they complete: they read their sources then, write their results, and signal. Operations
// of one issuing task complete in order where the hardware says so (wgmma, tcgen05, TDM).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/functional/Barriers.h"
#include "sim/functional/ByteMap.h"
#include "sim/functional/Finding.h"
#include "sim/functional/GlobalMemory.h"
#include "sim/functional/Prepared.h"
#include "sim/functional/Task.h"

#include <map>
#include <memory>
#include <unordered_map>

namespace tlx::sim {

struct Cta {
  int32_t rank = 0;
  int32_t linear = 0;
  int32_t ids[3] = {}; ///< program ids
  std::vector<char> shared;
  std::vector<char> tensor;             ///< empty unless the program has tensor memory
  ByteMap sharedWritten, tensorWritten; ///< empty: not tracked
  std::unordered_map<int64_t, BarrierCell> mbarriers; ///< by byte offset
  std::map<int64_t, NamedBarrier> named;
  uint64_t scratch = 0; ///< device address of this CTA's global scratch
  bool exited = false;
};

/// A barrier effect that an asynchronous operation performs when it completes.
struct Signal {
  sync::Kind kind = sync::Kind::BarrierArrive;
  int32_t rank = 0;
  int64_t offset = 0;
  int64_t amount = 0;
};

struct AsyncOp {
  AsyncId id = noAsync;
  int32_t task = 0;
  Pc pc = -1;
  sync::Group group = sync::Group::None;
  int64_t groupSequence = -1; ///< -1: in the open group
  bool inOrder = false;       ///< after all earlier ones of its task and group
  bool counted = false;       ///< in its task's groups
  bool hasValue = true;       ///< false: signals only (commits)
  std::vector<Value> operands;
  Value result; ///< wgmma: the tile it will fill
  std::vector<Signal> signals;
};

/// What all clusters of a launch share.
struct LaunchState;

enum class StepStatus : uint8_t {
  Ran,      ///< one instruction done
  Blocked,  ///< the task sleeps; it will be among the ready ones when it can go on
  Finished, ///< the task ended
  Failed,   ///< the run cannot go on; a finding says why
};

class Cluster {
public:
  Cluster(LaunchState &launch, int32_t firstCtaX, int32_t firstCtaY, int32_t firstCtaZ,
          Observer *observer);

  const Program &program() const;
  const Prepared &prepared() const;
  LaunchState &launch() { return state; }

  // What can happen next.
  bool finished() const { return liveTasks == 0; }
  bool failed() const { return stop; }
  size_t numTasks() const { return tasks.size(); }
  Task &task(int32_t id) { return *tasks[id]; }
  Cta &cta(int32_t rank) { return ctas[rank]; }
  size_t numCtas() const { return ctas.size(); }
  /// Tasks that became ready since the last call (new ones and woken ones).
  std::vector<int32_t> takeReady() { return std::exchange(newlyReady, {}); }
  const std::map<AsyncId, AsyncOp> &pending() const { return asyncs; }
  /// May complete now: nothing that must come before it is pending.
  bool completable(const AsyncOp &op) const;
  std::vector<AsyncId> completableOps() const;

  StepStatus step(int32_t task);
  void complete(AsyncId id);
  /// Completes everything that was issued by the task, up to and including `id`.
  void completeThrough(AsyncId id);
  /// No task is ready, nothing is pending, and tasks are left: says who waits for what.
  void reportDeadlock();
  void reportUnwaitedStores(Task &task);
  /// Barriers whose bytes never came. Legal at exit, so a run does not ask; a replay may.
  void reportLeftovers();

  // For the operations.
  Observer *observer() { return watching; }
  void report(Finding finding, bool fatal = false);
  void warn(Finding finding);
  int64_t asyncsIssued() const { return nextAsync; }
  /// Things that are wrong by the rules but do no harm on the hardware.
  std::vector<Finding> takeWarnings() { return std::move(warnings); }
  std::vector<Finding> takeFindings() { return std::move(findings); }
  bool wantsAccesses() const { return accesses; }

  /// The CTA that a memory reference means, seen from `from`; null and a finding
  /// if the rank is not in the cluster.
  Cta *ctaOf(const MemRef &ref, const Cta &from);

private:
  LaunchState &state;
  Observer *watching;
  bool accesses = false;
  bool stop = false;
  int32_t liveTasks = 0;
  std::vector<Cta> ctas;
  std::vector<std::unique_ptr<Task>> tasks;
  std::vector<int32_t> newlyReady;
  std::map<AsyncId, AsyncOp> asyncs;
  AsyncId nextAsync = 0;
  ClusterBarrier clusterBarrier;
  std::vector<Finding> findings, warnings;

public:
  // Used by effects and control flow; not by drivers.
  Task &newTask(Cta &cta, std::string name, Pc entry, int32_t numWarps, int32_t startWarp);
  void wake(int32_t task);
  void block(Task &task, BlockReason reason, int32_t rank, int64_t id);
  void finish(Task &task);
  void startPartitions(Task &task, const Specialize &specialize);

  BarrierCell *mbarrier(int32_t rank, int64_t offset, const Task &by, Pc pc, const char *what);
  /// `partial`: as in BarrierEvent.
  void barrierArrive(int32_t rank, int64_t offset, int64_t amount, const Task &by, Pc pc,
                     AsyncId async, bool partial = false);
  void barrierExpect(int32_t rank, int64_t offset, int64_t bytes, const Task &by, Pc pc,
                     bool partial = false);
  void barrierComplete(int32_t rank, int64_t offset, int64_t bytes, const Task &by, Pc pc,
                       AsyncId async);
  void flipped(BarrierCell &barrier, int32_t rank, int64_t offset, const Task &by, Pc pc,
               AsyncId async);
  void barrierEvent(BarrierEvent::What what, BarrierCell &barrier, int32_t rank, int64_t offset,
                    int64_t amount, const Task &by, Pc pc, AsyncId async, bool partial = false);

  AsyncOp &issue(Task &task, Pc pc, const Inst &inst);
  void commitGroup(Task &task, sync::Group group);
  bool groupsPending(const Task &task, sync::Group group, int64_t allowed) const;
  void clusterArrive(Task &task);
  int64_t clusterThreads() const;
  void settleCluster();
  bool clusterPassed(const Task &task) const;
  void waitForCluster(Task &task);
};

} // namespace tlx::sim
