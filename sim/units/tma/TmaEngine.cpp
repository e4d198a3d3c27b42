#include "sim/units/tma/TmaEngine.h"

namespace tlx::sim {

TmaEngine::Spec TmaEngine::Spec::of(const Chip &chip) {
  Spec spec;
  spec.issueGap = chip.cycles(Param::TmaIssueGap);
  spec.latency = chip.cycles(Param::TmaLatency);
  spec.storeLatency = chip.cycles(Param::TmaStoreLatency);
  spec.storeCommit = chip.cycles(Param::TmaStoreCommit);
  spec.multicast = chip.cycles(Param::TmaMulticast);
  spec.descriptorMiss = chip.cycles(Param::TmaDescriptorMiss);
  spec.creditBytes = chip.integer(Param::TmaCreditBytes);
  return spec;
}

TmaEngine::TmaEngine(const Spec &spec, int sm, MemoryPort &memory)
    : spec(spec), sm(sm), memory(memory), gaps(1e9, std::max<Cycles>(1, spec.issueGap)),
      credit(spec.creditBytes) {}

TmaEngine::Turn TmaEngine::query(Cycles now, const Copy &copy) const {
  Turn turn{now, Reason::None, now, now, 0};
  Cycles free = gaps.query(now, 0).start;
  if (free > turn.start) {
    turn.start = free;
    turn.heldBy = Reason::Port;
  }
  Cycles fits = credit.query(turn.start, copy.boxBytes);
  if (fits > turn.start) {
    turn.start = fits;
    turn.heldBy = Reason::Credit;
  }
  return turn;
}

TmaEngine::Turn TmaEngine::load(Cycles now, const Copy &copy) {
  Turn turn = query(now, copy);
  Cycles descriptor = copy.firstUseOfDescriptor ? spec.descriptorMiss : 0;
  Cycles extra = spec.latency + descriptor + (copy.multicast ? spec.multicast : 0);
  for (int box = 0; box < copy.boxes; ++box) {
    Cycles start = credit.query(std::max(now, gaps.free()), copy.boxBytes);
    gaps.commit(start, 0);
    MemoryRequest request{start,         sm,    copy.address + uint64_t(box * copy.pitch),
                          copy.boxBytes, false, copy.multicast};
    MemoryReply reply = memory.commit(request);
    Cycles arrived = reply.ready + extra;
    credit.commit(start, copy.boxBytes, arrived);
    turn.done = std::max(turn.done, arrived);
    turn.hits += reply.hit;
  }
  return turn;
}

TmaEngine::Turn TmaEngine::store(Cycles now, const Copy &copy) {
  Turn turn{std::max(now, gaps.free()), Reason::None, now, now, 0};
  if (turn.start > now)
    turn.heldBy = Reason::Port;
  Cycles descriptor = copy.firstUseOfDescriptor ? spec.descriptorMiss : 0;
  for (int box = 0; box < copy.boxes; ++box) {
    Cycles start = std::max(now, gaps.free());
    gaps.commit(start, 0);
    MemoryRequest request{start, sm, copy.address + uint64_t(box * copy.pitch), copy.boxBytes,
                          true};
    MemoryReply reply = memory.commit(request);
    turn.sourceRead = std::max(turn.sourceRead, reply.accepted + spec.storeLatency + descriptor);
    turn.hits += reply.hit;
  }
  turn.done = turn.sourceRead + spec.storeCommit;
  return turn;
}

} // namespace tlx::sim
