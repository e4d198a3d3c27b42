#include "sim/units/memory/MemorySystem.h"

namespace tlx::sim {

MemorySystem::Spec MemorySystem::Spec::of(const Chip &chip) {
  Spec spec;
  spec.sms = int(chip.integer(Param::SmCount));
  spec.smBytesPerClk = chip[Param::L2SmBytesPerClk];
  spec.l2BytesPerClk = chip[Param::L2BytesPerClk];
  spec.hbmBytesPerClk = chip.hbmBytesPerClk();
  spec.hitLatency = chip.cycles(Param::L2HitLatency);
  spec.farLatency = chip.cycles(Param::L2FarLatency);
  spec.hbmLatency = chip.cycles(Param::HbmLatency);
  spec.l2Bytes = chip.integer(Param::L2Bytes);
  spec.partitions = int(chip.integer(Param::L2Partitions));
  spec.coalesceGroups = int(chip.integer(Param::L2CoalesceGroups));
  spec.coalesceWindow = chip.cycles(Param::L2CoalesceWindow);
  return spec;
}

MemorySystem::MemorySystem(const Spec &spec)
    : spec(spec), links(spec.sms, Port(spec.smBytesPerClk)), l2(spec.l2BytesPerClk),
      hbm(spec.hbmBytesPerClk), cache(spec.l2Bytes) {
  if (spec.coalesceWindow > 0)
    pending.resize(1 << 14);
}

MemorySystem::Pending *MemorySystem::pendingFor(const MemoryRequest &request) {
  if (pending.empty() || request.write)
    return nullptr;
  uint64_t key = (request.address >> 4) * 8191 + uint64_t(request.sm % spec.coalesceGroups);
  return &pending[(key * 0x9E3779B97F4A7C15ull >> 40) % pending.size()];
}

MemoryReply MemorySystem::commit(const MemoryRequest &request) {
  Cycles linkDone = links[request.sm].commit(request.time, request.bytes).done;
  asked += request.bytes;
  int group = request.sm % spec.coalesceGroups;
  Pending *earlier = pendingFor(request);
  if (earlier && earlier->address == request.address && earlier->group == group &&
      earlier->bytes >= request.bytes && request.time - earlier->time <= spec.coalesceWindow)
    return {linkDone, std::max(linkDone + spec.hitLatency, earlier->ready), true};

  Cycles accepted = std::max(linkDone, l2.commit(request.time, request.bytes).done);
  l2Moved += request.bytes;

  // Two halves of the chip have an L2 partition each, which keeps copies of what
  // it fetched from the other: only the first request of a half goes far.
  L2Cache::Outcome outcome{true, 0, true};
  if (!warm)
    outcome =
        cache.access(request.address, request.bytes, request.write, request.sm % spec.partitions);
  Cycles latency = spec.hitLatency;
  if (outcome.hit && !outcome.known && spec.partitions > 1)
    latency += spec.farLatency;
  int64_t toHbm = outcome.writtenBack;
  if (!outcome.hit && !request.write) {
    toHbm += request.bytes;
    latency += spec.hbmLatency;
  }
  if (toHbm > 0) {
    Cycles done = hbm.commit(request.time, toHbm).done;
    if (!outcome.hit && !request.write)
      accepted = std::max(accepted, done);
    hbmMoved += toHbm;
  }
  if (earlier)
    *earlier = {request.address, group, request.time, accepted + latency, request.bytes};
  return {accepted, accepted + latency, outcome.hit};
}

} // namespace tlx::sim
