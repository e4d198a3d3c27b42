//===- Machine.h - runs a program in simulated time -----------------------===//
//
// The machine owns the SMs of a chip and the CTAs on them. Every task runs
// ahead on its own clock through arithmetic and control flow; before it touches
// anything that others can see (a barrier, the TMA engine, a tensor core, a
// shared port) it lets the event queue catch up, so that such steps happen in
// one global order.
//
//   Step.cpp      the interpreter loop and control flow
//   Effects.cpp   barriers, fences and group waits, from Effect records
//   Transfers.cpp shared and device memory, TMA, clusters
//   Products.cpp  tensor cores and tensor memory
//   Machine.cpp   launch, CTAs, accounting, report
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/timing/Launch.h"
#include "sim/timing/Registers.h"
#include "sim/timing/State.h"
#include "sim/timing/Work.h"
#include "sim/units/launch/CtaScheduler.h"

#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace tlx::sim {

class TimingMachine final : public EventTarget {
public:
  TimingMachine(const Program &program, const TimingLaunch &launch, const Chip &chip,
                const TimingOptions &options);
  ~TimingMachine() override;

  Result<TimingReport> run();

  /// Called by a task's event.
  void resume(TimedTask &task, Cycles now);
  /// A completion is due.
  void onEvent(Cycles now, uint64_t payload) override;

private:
  enum class Step : uint8_t { Next, Jumped, Suspend };

  /// Costs in whole cycles, read from the chip once.
  struct Costs {
    Cycles aluLatency, fp64Latency, shuffleLatency, divide, branch;
    Cycles smemLoad, smemStore, smemAtomic, l2Atomic, l1Hit;
    double atomicSameFloat, atomicSameInt;
    int64_t queuedLines = 32; ///< that the load/store queue takes before warps wait
    Cycles tmaIssue, mmaWait, mmaSyncLatency;
    Cycles mbarrierInit, mbarrierArrive, mbarrierLand, mbarrierExpect, mbarrierReady, mbarrierWake;
    Cycles barLatency, barIssue, fenceProxy, fenceGpu, fenceSystem, descriptorMake;
    double syncRatio; ///< time of a register-to-register MMA against the tensor cores' best
    Cycles clusterStore, clusterStoreAsync, clusterBarrier, clusterArrive;
    Cycles ctaStart, ctaExit, turnaround, perWarp, fork, join, setRegisters;
    Cycles tcgenCommit, tcgenPair, tcgenSmem, tmemLoad, tmemStore, tmemAlloc, clc;
    double coldClocksPerInst, tcgenCopyBytesPerClk, warpInterval;
    int warpSize, partitions;
    static Costs of(const Chip &chip);
  };

  /// Something asynchronous that will happen to an mbarrier.
  struct Completion {
    TimedCta *cta = nullptr;
    int64_t barrier = 0;
    int64_t bytes = 0;
    int64_t arrivals = 0;
    TrackId by = NoTrack;
  };

  struct TaskStat {
    std::string name;
    Cycles total = 0;
    std::array<Cycles, ReasonCount> blocked{};
  };

  // Machine.cpp
  Result<void> prepare();
  Result<void> checkArguments() const;
  void placeCtas(Cycles now);
  std::array<int64_t, 3> firstCta(int64_t cluster) const;
  void startCluster(const CtaScheduler::Placement &placement);
  void startTask(TimedCta &cta, int index, Pc entry, int warps, int firstWarp, Cycles when);
  void setParameters(TimedTask &task);
  void finishCta(TimedTask &task);
  void finishTask(TimedTask &task);
  void block(TimedTask &task, Reason reason, Cycles from, Cycles to, int64_t detail = -1);
  void sleep(TimedTask &task, Reason reason, int64_t detail = -1);
  void wake(TimedTask &task, Cycles when);
  void fail(Error error);
  Error errorAt(const TimedTask &task, const std::string &message) const;
  SourceLocation sourceOf(Pc pc) const;
  Error deadlock();
  TimingReport report();
  void extrapolate(TimingReport &report);
  TrackId newTrack(TrackKind kind, int sm, int64_t cta, std::string name);
  void unitInterval(TrackId track, Cycles begin, Cycles end, Pc pc, int64_t detail);
  void note(const std::string &text) { notes.insert(text); }
  bool hooked(int sm) const { return options.hooks && sm < options.hookedSms; }

  // Step.cpp
  bool align(TimedTask &task);
  void execute(TimedTask &task);
  Step step(TimedTask &task, const Inst &inst, const Work &work);
  void chargeCode(TimedTask &task, const Work &work);
  void waitOperands(TimedTask &task, const Inst &inst);
  bool begins(TimedTask &task, const Inst &inst, const Work &work);
  void setResults(TimedTask &task, const Inst &inst, const Slot &result);
  void runPipes(TimedTask &task, const Inst &inst, const Work &work);
  void addChain(TimedTask &task, const Inst &inst, const Work &work, Cycles begin);
  void evalFirst(TimedTask &task, const Inst &inst, const Work &work, Cycles ready);
  void scalar(TimedTask &task, const Inst &inst, const Work &work);
  void value(TimedTask &task, const Inst &inst);
  void view(TimedTask &task, const Inst &inst, const Work &work);
  void takeEdge(TimedTask &task, const Edge &edge);
  Step condBranch(TimedTask &task, const Inst &inst);
  Step callFunction(TimedTask &task, const Inst &inst);
  Step returnFrom(TimedTask &task, const Inst &inst);
  Step fork(TimedTask &task, const Inst &inst);
  Step yield(TimedTask &task, const Inst &inst);
  int64_t specialValue(const TimedTask &task, const Inst &inst, bool &unknown) const;

  // Effects.cpp
  void tellMemory(const TimedTask &task, const Effect &effect);
  Step runEffects(TimedTask &task, const Inst &inst);
  void issuedUntil(TimedTask &task, Cycles completion, Cycles sourceRead);
  static bool hasCommit(const Program &program, const Inst &inst);
  bool issueEffect(TimedTask &task, const Effect &effect);
  void asyncEffect(TimedTask &task, const Effect &effect);
  bool predicate(const TimedTask &task, Reg reg) const;
  int64_t amountOf(const TimedTask &task, const Effect &effect) const;
  bool waitMbarrier(TimedTask &task, const Effect &effect);
  bool namedBarrier(TimedTask &task, const Effect &effect, bool waits);
  void cancelLaunch(TimedTask &task, int64_t answer);
  void clusterArrive(TimedTask &task);
  bool clusterWait(TimedTask &task);
  void dropCached(TimedTask &task);
  void awaitSent(TimedTask &task, Cycles roundTrip);
  void orderShared(TimedTask &task, Reg memory, bool write);
  void groupWait(TimedTask &task, const Effect &effect);
  void settle(TimedTask &task);
  bool overtakesWait(const Inst &inst, const Work &work) const;
  /// What a barrier of the task's warps takes.
  Cycles barrierTime(const TimedTask &task) const {
    return task.warps > 1 ? costs.barLatency + costs.barIssue * (task.warps - 1) : 0;
  }
  /// The task's warps exchange data through shared memory; until all are done with what was
  /// exchanged before, they wait at a barrier.
  Cycles useScratch(TimedTask &task) const {
    return std::exchange(task.scratchRead, true) ? barrierTime(task) : 0;
  }
  void taskBarrier(TimedTask &task);
  TimedMbarrier *mbarrierAt(TimedTask &task, TimedCta &cta, int64_t offset);
  void afterStep(TimedMbarrier &barrier, bool flipped, Cycles now, TrackId by);
  void arriveNow(TimedTask &task, TimedCta &cta, int64_t offset, int64_t bytes, int64_t arrivals);
  void completeLater(Cycles when, const Completion &completion);
  std::vector<TimedCta *> targetsOf(TimedTask &task, const Effect &effect);
  std::string barrierName(int64_t offset) const;
  TimedCta *ctaOf(TimedTask &task, int64_t bits);

  // Transfers.cpp
  bool spill(TimedTask &task, const Work &work);
  Step sharedAccess(TimedTask &task, const Inst &inst, const Work &work);
  Step globalAccess(TimedTask &task, const Inst &inst, const Work &work);
  Step tmaCopy(TimedTask &task, const Inst &inst, const Work &work);
  Step asyncCopy(TimedTask &task, const Inst &inst, const Work &work);
  Step remoteStore(TimedTask &task, const Inst &inst, const Work &work);
  TmaEngine::Copy describeCopy(TimedTask &task, const Inst &inst, const Work &work);
  bool firstUse(TimedTask &task, int64_t descriptor);

  // Products.cpp
  Step product(TimedTask &task, const Inst &inst, const Work &work);
  void issueDescriptors(TimedTask &task, int instructions);
  Step syncProduct(TimedTask &task, const Inst &inst, const Work &work);
  Step tensorMma(TimedTask &task, const Inst &inst, const Work &work);
  Step tmemAccess(TimedTask &task, const Inst &inst, const Work &work);

  TimedSm &smOf(const TimedTask &task) { return *sms[task.cta->sm]; }

  const Program &program;
  const TimingLaunch &launch;
  const Chip &chip;
  TimingOptions options;
  Costs costs;
  std::vector<Work> work;
  std::vector<int64_t> allocationOffsets;
  std::vector<bool> loopExit; ///< by pc: a CondBr whose false edge leaves a loop
  std::array<int64_t, 3> ctaGrid{1, 1, 1}, clusterDims{1, 1, 1};
  int totalWarps = 4;
  int64_t sharedBytes = 0;
  int64_t cachedBytes = 0;   ///< what an SM's first-level cache holds
  int64_t tensorColumns = 0; ///< of a CTA
  /// Of a large grid only the first waves are simulated: see prepare().
  int64_t totalClusters = 0, simulatedClusters = 0;
  int64_t steadyFirst = 0, steadyLast = 0; ///< clusters between which starts are steady
  Cycles steadyFrom = 0, steadyTo = 0;     ///< their starts
  std::vector<RegisterEstimate> estimates; ///< AMD: none

  EventQueue queue;
  std::unique_ptr<MemorySystem> memory;
  std::vector<std::unique_ptr<TimedSm>> sms;
  std::optional<CtaScheduler> scheduler;
  std::vector<std::unique_ptr<TimedCluster>> clusters; ///< alive
  std::vector<Completion> completions;
  std::vector<uint32_t> freeCompletions;
  std::vector<std::array<Cycles, ReasonCount>> stallTable; ///< by pc
  std::vector<TaskStat> taskStats;
  uint64_t scatteredAccesses = 0;
  std::unordered_map<uint64_t, Cycles> wordFree; ///< by word: when the next atomic may change it
  std::set<std::string> notes;
  std::optional<Error> failure;
  TrackId nextTrack = 0;
  Cycles lastEnd = 0, lastWrite = 0;
  int64_t ctasDone = 0;
  double flops = 0;
  uint64_t instructions = 0;
};

} // namespace tlx::sim
