//===- Deadlock.cpp - who waits for what, and who should have come --------===//
#include "sim/functional/Cluster.h"

#include "sim/functional/Exec.h"

#include <algorithm>
#include <set>

namespace tlx::sim {
namespace {

std::string who(const Cluster &cluster, const TaskRef &ref, const std::string &name) {
  std::string text = "'" + name + "'";
  if (cluster.numCtas() > 1)
    text += " of CTA " + std::to_string(ref.rank);
  return text;
}

/// The task whose code an instruction belongs to: "default" or a partition's name.
std::string ownerOf(const Program &program, Pc pc) {
  for (const Specialize &specialize : program.specializes)
    for (const Partition &partition : specialize.partitions)
      if (pc >= partition.entry && pc < partition.end)
        return partition.name;
  return "default";
}

/// The allocation that covers a byte of shared memory, or -1.
int32_t allocationAt(const Prepared &prepared, int64_t offset) {
  const std::vector<Allocation> &list = prepared.program.allocations;
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].space != sync::Space::Tensor && offset >= prepared.allocOffsets[i] &&
        offset < prepared.allocOffsets[i] + list[i].bytes)
      return int32_t(i);
  return -1;
}

std::string barrierName(const Prepared &prepared, int64_t offset) {
  int32_t allocation = allocationAt(prepared, offset);
  char text[64];
  if (allocation < 0 || prepared.program.allocations[allocation].name.empty()) {
    std::snprintf(text, sizeof(text), "mbarrier at byte 0x%llx", (long long)offset);
    return text;
  }
  std::string name = "'" + prepared.program.allocations[allocation].name;
  int64_t index = (offset - prepared.allocOffsets[allocation]) / 8;
  if (prepared.program.allocations[allocation].bytes > 8)
    name += "[" + std::to_string(index) + "]";
  return name + "'";
}

/// Instructions that signal a barrier of the allocation.
std::vector<Pc> signallers(const Prepared &prepared, int32_t allocation) {
  std::vector<Pc> pcs;
  const Program &program = prepared.program;
  for (Pc pc = 0; pc < Pc(program.code.size()); ++pc) {
    const Inst &inst = program.code[pc];
    for (unsigned i = 0; i < inst.numEffects; ++i) {
      const Effect &effect = program.effectsOf(inst)[i];
      bool signals = effect.kind == sync::Kind::BarrierArrive ||
                     effect.kind == sync::Kind::BarrierExpect ||
                     effect.kind == sync::Kind::BarrierComplete;
      if (signals && effect.target >= 0 && prepared.allocationOf[effect.target] == allocation) {
        pcs.push_back(pc);
        break;
      }
    }
  }
  return pcs;
}

const char *verb(BarrierEvent::What what) {
  switch (what) {
  case BarrierEvent::What::Init: return "initialised";
  case BarrierEvent::What::Inval: return "invalidated";
  case BarrierEvent::What::Expect: return "expects bytes";
  case BarrierEvent::What::Complete: return "bytes complete";
  default: return "arrived";
  }
}

} // namespace

void Cluster::reportDeadlock() {
  Finding finding;
  finding.kind = Finding::Kind::Deadlock;
  int waiting = 0;
  std::set<std::pair<int32_t, int64_t>> explained;
  const int32_t perCta = int32_t(ctas.size());
  for (const std::unique_ptr<Task> &task : tasks) {
    if (task->state != Task::State::Blocked)
      continue;
    ++waiting;
    LocId loc = program().code[task->pc].loc;
    if (finding.loc < 0 && task->block.reason != BlockReason::Join) {
      finding.loc = loc;
      finding.by = task->ref;
    }
    std::string name = who(*this, task->ref, task->name);
    switch (task->block.reason) {
    case BlockReason::Join:
      finding.notes.push_back({loc, name + " waits for the other regions to end"});
      continue;
    case BlockReason::AsyncGroup:
      finding.notes.push_back({loc, name + " waits for its asynchronous operations"});
      continue;
    case BlockReason::ClusterBarrier:
      finding.notes.push_back(
          {loc, name + " waits at the cluster barrier: " + std::to_string(clusterBarrier.arrived) +
                    " of " + std::to_string(clusterThreads()) + " threads have arrived"});
      continue;
    case BlockReason::NamedBarrier: {
      NamedBarrier &barrier = ctas[task->block.rank].named[task->block.id];
      finding.notes.push_back(
          {loc, name + " waits at named barrier " + std::to_string(task->block.id) + ": " +
                    std::to_string(barrier.arrived) + " of " + std::to_string(barrier.expected) +
                    " threads have arrived"});
      continue;
    }
    case BlockReason::Mbarrier: break;
    }
    BarrierCell &barrier = ctas[task->block.rank].mbarriers[task->block.id];
    std::string text = name + " waits for phase " + std::to_string(task->waitPhase) + " of " +
                       barrierName(prepared(), task->block.id);
    if (perCta > 1)
      text += " in CTA " + std::to_string(task->block.rank);
    text += ": " + std::to_string(barrier.state.pending) + " of " +
            std::to_string(barrier.state.count) + " arrivals and " +
            std::to_string(barrier.state.txBytes) + " bytes are missing";
    finding.notes.push_back({loc, text});
    if (!explained.insert({task->block.rank, task->block.id}).second)
      continue;
    size_t from = barrier.history.size() > 6 ? barrier.history.size() - 6 : 0;
    for (size_t i = from; i < barrier.history.size(); ++i) {
      const BarrierCell::Past &past = barrier.history[i];
      finding.notes.push_back(
          {program().code[past.pc].loc, barrierName(prepared(), task->block.id) + " in phase " +
                                            std::to_string(past.generation) + ": " +
                                            verb(past.what) + " (" + std::to_string(past.amount) +
                                            ") by '" + ownerOf(program(), past.pc) + "'"});
    }
    int32_t allocation = allocationAt(prepared(), task->block.id);
    if (allocation < 0)
      continue;
    for (Pc pc : signallers(prepared(), allocation))
      finding.notes.push_back(
          {program().code[pc].loc, "'" + ownerOf(program(), pc) + "' would signal " +
                                       barrierName(prepared(), task->block.id) + " here"});
  }
  finding.message = "deadlock: " + std::to_string(waiting) +
                    (waiting == 1 ? " task waits and nothing can wake it"
                                  : " tasks wait and nothing can wake them");
  report(std::move(finding), true);
}

void Cluster::reportUnwaitedStores(Task &task) {
  // Shared memory goes away with the CTA: a bulk store may still be reading it.
  const GroupQueue &stores = task.groups[unsigned(sync::Group::BulkStore)];
  int64_t committed = stores.firstSequence + int64_t(stores.unfinished.size());
  if (committed <= stores.waited)
    return;
  warn({Finding::Kind::Leftover,
        "'" + task.name + "' ends without waiting for " +
            std::to_string(committed - stores.waited) +
            " bulk store(s) that read its shared memory",
        stores.lastIssue >= 0 ? program().code[stores.lastIssue].loc : -1,
        task.ref,
        {},
        1});
}

void Cluster::reportLeftovers() {
  for (const Cta &cta : ctas)
    for (const auto &[offset, barrier] : cta.mbarriers)
      if (barrier.state.valid && barrier.state.txBytes != 0) {
        Pc pc = barrier.history.empty() ? 0 : barrier.history.back().pc;
        report({Finding::Kind::Leftover,
                barrierName(prepared(), offset) + " still has " +
                    std::to_string(barrier.state.txBytes) + " bytes to come when its CTA exits",
                program().code[pc].loc,
                {cta.linear, cta.rank, 0},
                {},
                1});
      }
}

} // namespace tlx::sim
