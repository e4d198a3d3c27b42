//===- Lifetime.cpp - accesses to what has not begun or has ended ---------===//
//
// A CTA's shared memory and barriers exist from its start to its end. Another
// CTA of the cluster may touch them only when it knows of the start, and the
// end has to be ordered after everything that touches them. Tensor memory
// exists until it is freed; a barrier's memory is the barrier's until that is
// invalidated.
//
//===----------------------------------------------------------------------===//

#include "verify/checks/Machine.h"

#include <algorithm>

using namespace tlx::verify;

/// Keeps one warning for each pair of places.
void Machine::warn(Violation violation) {
  violation.warning = true;
  auto other = [](const Violation &v) { return v.related.empty() ? -1 : v.related[0].event; };
  bool known = std::any_of(warnings.begin(), warnings.end(), [&](const Violation &w) {
    return w.cls == violation.cls && w.at.event == violation.at.event &&
           other(w) == other(violation);
  });
  if (!known)
    warnings.push_back(std::move(violation));
}

bool Machine::reachPeer(State &state, int rank, int row, Touch touch) {
  std::string cta = "CTA " + std::to_string(rank) + " of the cluster";
  Step at = here(state, touch.task, touch.event);
  if (!state.knowledge.knows(row, state.entry[rank])) {
    violate({BugClass::ClusterEntry,
             "this reaches into " + cta +
                 ", which may not have started: nothing orders it after "
                 "a cluster barrier or an arrival of that CTA",
             std::move(at),
             {}});
    return false;
  }
  bool ended = true;
  for (int task = 0; task < numTasks; ++task)
    if (program.tasks[task].rank == rank && program.tasks[task].region < 0)
      ended &= state.tasks[task].done;
  if (ended)
    return outlived(rank, std::move(at), touch);
  auto &touches = state.touches[rank];
  // Who is ordered after this one is ordered after what this one knew of.
  std::erase_if(touches, [&](const Touch &earlier) {
    return state.knowledge.knows(row, earlier.token) && (earlier.harmless || !touch.harmless);
  });
  bool recorded = std::any_of(touches.begin(), touches.end(), [&](const Touch &earlier) {
    return earlier.token == touch.token && (touch.harmless || !earlier.harmless);
  });
  if (!recorded)
    touches.push_back(touch);
  return true;
}

/// `touch` is not ordered before the end of CTA `rank`. False: violation.
bool Machine::outlived(int rank, Step at, const Touch &touch) {
  Violation v{BugClass::Exit,
              "CTA " + std::to_string(rank) +
                  " of the cluster can have ended when this reaches it: nothing orders its end "
                  "after this",
              std::move(at),
              {{-1, touch.event, {}, "the access from another CTA", {}}}};
  if (touch.harmless) {
    warn(std::move(v));
    return true;
  }
  violate(std::move(v));
  return false;
}

/// At the end of a CTA nothing may still write its shared memory, and no other
/// CTA may still touch it.
bool Machine::checkExit(State &state, int task) {
  int row = strand(task, 0), rank = program.tasks[task].rank;
  for (size_t i = 0; i < state.cells.size(); ++i)
    for (const Access &access : state.cells[i].accesses) {
      // Bulk stores read the memory, other copies write it.
      bool store = access.agent == asyncAgent(taskOf(access), sync::Group::BulkStore);
      if (!access.async || (!store && (!access.write || access.ordered)) ||
          state.knowledge.knows(row, access.token))
        continue;
      if (map.spaceKind(static_cast<int>(i)) != static_cast<int>(sync::Space::Shared) ||
          map.cellRank(static_cast<int>(i)) != rank)
        continue;
      Violation v{BugClass::Exit,
                  "the kernel can end while the " + accessText(access) + " is still in flight",
                  Step{taskOf(access), access.event, {}, {}, {}},
                  {}};
      // Memory that is only read lives on until the chip gives it to another CTA.
      if (store) {
        v.related.push_back({task, -1, {}, "the end of the CTA, with no wait before it", {}});
        warn(std::move(v));
        continue;
      }
      violate(std::move(v));
      return false;
    }
  for (const Touch &touch : state.touches[rank])
    if (!state.knowledge.knows(row, touch.token) &&
        !outlived(rank, Step{touch.task, touch.event, {}, {}, {}}, touch))
      return false;
  state.touches[rank].clear();
  return true;
}

bool Machine::isAlive(State &state, int task, int event, int cell, bool write) {
  if (int freedBy = state.cells[cell].freedBy; freedBy >= 0) {
    violate({BugClass::MemoryLifetime,
             "this memory can have been freed",
             here(state, task, event),
             {{-1, freedBy, {}, "freed here", {}}}});
    return false;
  }
  if (!write)
    return true;
  for (int barrier : map.barriersAt(cell))
    if (const BarrierState &b = state.barriers[barrier]; b.inited) {
      if (isApproximate(event))
        return unknownPart(state, task, event);
      violate({BugClass::BarrierLifetime,
               "this overwrites " + map.barrierName(barrier) +
                   ", which is initialised and has not been invalidated",
               here(state, task, event),
               {{-1, b.initEvent, {}, "initialised here", {}}}});
      return false;
    }
  return true;
}

/// Memory is allocated or freed. What is freed must not be in use any more.
Machine::Outcome Machine::beginOrEnd(State &state, int task, int event, const Resolved &r) {
  if (r.effect->lifetime == Lifetime::Begins) {
    int peer = program.tasks[task].rank ^ 1;
    if (r.effect->paired && !state.knowledge.knows(strand(task, 0), state.entry[peer]))
      return violate({BugClass::ClusterEntry,
                      "this allocates together with CTA " + std::to_string(peer) +
                          " of the cluster, which may not have started: nothing orders it after a "
                          "cluster barrier",
                      here(state, task, event),
                      {}});
    for (int cell : *r.cells) {
      state.cells[cell].freedBy = -1;
      state.cells[cell].holds = map.startsBlank(cell) ? Cell::Nothing : Cell::Anything;
    }
    return Outcome::Ran;
  }
  for (int half = 0; half < halves(task); ++half) {
    int row = strand(task, half);
    for (int cell : *r.cells)
      for (const Access &access : state.cells[cell].accesses)
        if (!state.knowledge.knows(row, access.token)) {
          if (isApproximate(event) || isApproximate(access.event)) {
            unknownPart(state, task, event);
            return Outcome::Stopped;
          }
          Violation v{BugClass::MemoryLifetime,
                      "memory is freed that the " + accessText(access) +
                          " may still use: nothing orders this after it",
                      here(state, task, event),
                      {{taskOf(access), access.event, {}, "the use", {}}}};
          return violate(std::move(v));
        }
  }
  for (int cell : *r.cells)
    state.cells[cell].freedBy = event;
  return Outcome::Ran;
}
