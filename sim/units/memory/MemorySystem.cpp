#include "sim/units/memory/MemorySystem.h"

#include <cmath>

namespace tlx::sim {

MemorySystem::Spec MemorySystem::Spec::of(const Chip &chip) {
  Spec spec;
  spec.gpcs = chip.gpcs();
  spec.smBytesPerClk = chip[Param::L2SmBytesPerClk];
  spec.smWriteBytesPerClk = chip[Param::L2SmWriteBytesPerClk];
  spec.l2BytesPerClk = chip[Param::L2BytesPerClk];
  spec.l2WriteBytesPerClk = chip[Param::L2WriteBytesPerClk];
  spec.hbmBytesPerClk = chip.hbmBytesPerClk();
  spec.atomicBytesPerClk = chip[Param::L2AtomicBytesPerClk];
  spec.sliceWriteBytesPerClk = chip[Param::L2SliceWriteBytesPerClk];
  spec.sliceInterval = chip[Param::L2AtomicSameInt];
  spec.hitLatency = chip.cycles(Param::L2HitLatency);
  spec.farLatency = chip.cycles(Param::L2FarLatency);
  spec.hbmLatency = chip.cycles(Param::HbmLatency);
  spec.l2Bytes = chip.integer(Param::L2Bytes);
  spec.partitions = int(chip.integer(Param::L2Partitions));
  spec.mergeMost = int(chip.integer(Param::L2MergeMost));
  spec.mergeReturn = chip.cycles(Param::L2MergeReturn);
  spec.drift = chip.cycles(Param::SmDrift);
  return spec;
}

MemorySystem::MemorySystem(const Spec &spec)
    : spec(spec), reads(spec.gpcs.size(), Port(spec.smBytesPerClk)),
      writes(spec.gpcs.size(), Port(spec.smWriteBytesPerClk)), lastReady(spec.gpcs.size()),
      slices(spec.l2BytesPerClk), hbm(spec.hbmBytesPerClk), cache(spec.l2Bytes, spec.partitions) {
  int groups = spec.gpcs.empty() ? 1 : spec.gpcs.back() + 1;
  for (size_t sm = 0; sm < spec.gpcs.size(); ++sm) {
    partitionOf.push_back(spec.gpcs[sm] * spec.partitions / groups);
    driftOf.push_back(Cycles((sm + 1) * 0x9E3779B97F4A7C15ull >> 32) % (spec.drift + 1));
  }
  pieces.resize(1 << 10);
  if (spec.mergeMost > 1)
    pending.resize(1 << 14);
}

MemorySystem::Pending *MemorySystem::pendingFor(const MemoryRequest &request) {
  if (pending.empty() || request.write || request.atomic || request.alone)
    return nullptr;
  uint64_t key = (request.address >> 4) * 8191 + uint64_t(spec.gpcs[request.sm]);
  return &pending[(key * 0x9E3779B97F4A7C15ull >> 40) % pending.size()];
}

Cycles MemorySystem::storedInTurn(const MemoryRequest &request) {
  uint64_t place = request.address / PieceBytes;
  Piece &piece = pieces[place % pieces.size()];
  double begin = double(request.time);
  if (piece.place == place)
    begin = std::max(begin, piece.freeAt);
  double moved = double(std::min(request.bytes, PieceBytes)) / spec.sliceWriteBytesPerClk;
  piece = {place, begin + std::max(moved, spec.sliceInterval)};
  return Cycles(piece.freeAt);
}

MemoryReply MemorySystem::commit(const MemoryRequest &request) {
  MemoryReply reply = serve(request);
  lastReady[request.sm] = std::max(lastReady[request.sm], reply.ready);
  return reply;
}

MemoryReply MemorySystem::serve(const MemoryRequest &request) {
  asked += request.bytes;
  Port &link = (request.write || request.atomic ? writes : reads)[request.sm];
  Cycles linkDone = link.commit(request.time, request.bytes).done;
  int gpc = spec.gpcs[request.sm];
  Pending *earlier = pendingFor(request);
  Cycles meets = request.time + driftOf[request.sm];
  if (earlier && earlier->address == request.address && earlier->gpc == gpc &&
      earlier->bytes >= request.bytes && meets >= earlier->joinFrom &&
      meets <= earlier->joinUntil && earlier->merged < spec.mergeMost) {
    ++earlier->merged;
    return {linkDone, std::max(linkDone + spec.hitLatency, earlier->ready), true};
  }

  // Reads, writes and atomics share the slices; a written byte keeps them for longer.
  double rate = request.atomic  ? spec.atomicBytesPerClk
                : request.write ? spec.l2WriteBytesPerClk
                                : spec.l2BytesPerClk;
  int64_t asReads = std::llround(double(request.bytes) * spec.l2BytesPerClk / rate);
  Cycles accepted = std::max(linkDone, slices.commit(request.time, asReads).done);
  if (request.write)
    accepted = std::max(accepted, storedInTurn(request));
  L2Cache::Outcome outcome;
  if (!warm)
    outcome = cache.access(request.address, request.bytes, request.write, partitionOf[request.sm]);
  // Half of what is written is at home in the other half and passes through both.
  int64_t passed = request.write ? cache.foreign(request.bytes) : 0;
  l2Moved += request.bytes + outcome.copied + passed;
  Cycles latency = spec.hitLatency;
  if (outcome.copied > 0)
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
    *earlier = {request.address,
                gpc,
                1,
                meets - (spec.hitLatency - spec.mergeReturn),
                meets + accepted - linkDone + latency - spec.mergeReturn,
                accepted + latency,
                request.bytes};
  return {accepted, accepted + latency, outcome.hit};
}

} // namespace tlx::sim
