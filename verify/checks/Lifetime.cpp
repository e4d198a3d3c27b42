//===- Lifetime.cpp - accesses to what has not begun or has ended ---------===//
//
// A CTA's shared memory and barriers exist from its start to its end. Another
// CTA of the cluster may touch them only when it knows of the start, and the
// end has to be ordered after everything that touches them.
//
//===----------------------------------------------------------------------===//

#include "verify/checks/Machine.h"

#include <algorithm>

using namespace tlx::verify;

/// Keeps one warning for each pair of places.
void Machine::warn(Violation violation) {
  violation.warning = true;
  bool known = std::any_of(warnings.begin(), warnings.end(), [&](const Violation &w) {
    return w.cls == violation.cls && w.at.event == violation.at.event &&
           w.related[0].event == violation.related[0].event;
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
      if (!access.write || !access.async || access.ordered ||
          state.knowledge.knows(row, access.token))
        continue;
      if (map.spaceKind(static_cast<int>(i)) != static_cast<int>(sync::Space::Shared) ||
          map.cellRank(static_cast<int>(i)) != rank)
        continue;
      Violation v{BugClass::Exit,
                  "the kernel can end while the " + accessText(access) + " is still in flight",
                  Step{(access.agent - 2 * numTasks) / 8, access.event, {}, {}, {}},
                  {}};
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
