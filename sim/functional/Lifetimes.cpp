//===- Lifetimes.cpp - what CTAs of a cluster do to each other's memory ----------------===//
//
// Shared memory of another CTA may be touched from that CTA's start to its end, and its
// mbarriers too. Both are events on the clock of the CTA's first task: the visitor must
// know the start, and the CTA, when it ends, every visit.
//
//===----------------------------------------------------------------------===//
#include "sim/functional/Launch.h"
#include "sim/functional/RaceCheck.h"

namespace tlx::sim {

void RaceCheck::reportLifetime(const Stamp &stamp, std::string message, const Stamp *other) {
  Finding finding;
  finding.kind = Finding::Kind::Race;
  finding.by = stamp.by;
  finding.loc = program.code[stamp.pc].loc;
  finding.message = std::move(message);
  if (other)
    finding.notes.push_back(
        {program.code[other->pc].loc, "CTA " + std::to_string(other->by.rank) + " ends here"});
  cluster->report(std::move(finding));
}

/// The stamp's task does something to memory of CTA `rank`.
void RaceCheck::visit(int32_t rank, const Stamp &stamp, const Knowledge &knows, const char *what) {
  const TaskState &host = stateOf({0, rank, 0});
  const std::string whose = std::string(what) + " of CTA " + std::to_string(rank);
  if (knows.ordered.at(host.actor) < 1)
    reportLifetime(stamp, "race: CTA " + std::to_string(stamp.by.rank) + " touches " + whose +
                              ", and nothing orders this after that CTA has started");
  if (host.ended)
    reportLifetime(stamp, "race: CTA " + std::to_string(stamp.by.rank) + " touches " + whose +
                              ", which has ended");
  visits[{rank, stamp.actor}] = stamp;
}

void RaceCheck::visitBarrier(const BarrierEvent &event) {
  // Who commits tensor-core operations does not wait for the last ones' signals.
  if (event.async != noAsync)
    return;
  const TaskState &task = stateOf(event.by);
  Stamp stamp{task.actor, task.knows.ordered.at(task.actor), event.by, event.pc, false};
  visit(event.rank, stamp, task.knows, "an mbarrier");
}

/// A CTA ends: every visit must be known to be over, and the partner's use of the pair's
/// tensor memory, which is given back.
void RaceCheck::leave(TaskRef ref) {
  TaskState &host = stateOf(ref);
  host.ended = true;
  const Clock &known = host.knows.ordered;
  Stamp end{host.actor, 0, ref, taskOf(ref)->pc, false};
  auto over = [&](const Stamp &stamp) {
    return stamp.actor < 0 || known.at(stamp.actor) >= stamp.clock;
  };
  for (const auto &[key, stamp] : visits)
    if (key.first == ref.rank && !over(stamp))
      reportLifetime(stamp,
                     "race: CTA " + std::to_string(stamp.by.rank) + " touches memory of CTA " +
                         std::to_string(ref.rank) +
                         ", and nothing orders this before that CTA ends",
                     &end);
  if (!pairs)
    return;
  for (const auto &[begin, cell] : shadows[{ref.rank ^ 1, int(sync::Space::Tensor)}]) {
    const Stamp *open = over(cell.write) ? nullptr : &cell.write;
    for (const Stamp &read : cell.reads)
      if (!open && !over(read))
        open = &read;
    if (open)
      return reportLifetime(*open,
                            "race: CTA " + std::to_string(ref.rank ^ 1) +
                                " uses tensor memory of its pair, and nothing orders this "
                                "before CTA " +
                                std::to_string(ref.rank) + " ends, which gives it back",
                            &end);
  }
}

} // namespace tlx::sim
