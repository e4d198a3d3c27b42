//===- Clusters.cpp - clusters, remote shared memory, cluster launch control, barrier words ---===//
#include "sim/functional/Elementwise.h"

namespace tlx::sim {
namespace {

void clusterId(Exec &exec) { exec.out(0, Value::integer(Store::I32, exec.cta.rank)); }

void clusterSize(Exec &exec) {
  exec.out(0, Value::integer(Store::I32, int64_t(exec.cluster.numCtas())));
}

void mapToRemote(Exec &exec) {
  MemRef ref = exec.in(0).mem();
  ref.rank = int32_t(exec.in(1).asInt());
  if (ref.rank < 0 || ref.rank >= int32_t(exec.cluster.numCtas()))
    return exec.fail(Finding::Kind::OutOfBounds, "CTA rank " + std::to_string(ref.rank) +
                                                     " in a cluster of " +
                                                     std::to_string(exec.cluster.numCtas()));
  exec.out(0, Value::memory(ref));
}

/// Plain and asynchronous stores differ in when they run and whom they signal only.
void remoteStore(Exec &exec) {
  if (!exec.wantsValues() || exec.in(0).isUnknown())
    return;
  exec.writeTile(1, exec.in(0), exec.type(0), sync::Proxy::Generic, int32_t(exec.in(2).asInt()));
}

void remoteCopy(Exec &exec) {
  if (!exec.wantsValues())
    return;
  std::vector<char> raw;
  if (exec.readTileRaw(0, raw, sync::Proxy::Async))
    exec.writeTileRaw(1, raw.data(), sync::Proxy::Async, int32_t(exec.in(2).asInt()));
}

/// The 16-byte answer of cluster launch control, in a format of our own.
struct ClcResponse {
  int32_t cancelled;
  int32_t ids[3];
};
static_assert(sizeof(ClcResponse) == 16);

/// Takes the next cluster that has not been launched; the answer goes to every CTA of this one.
void clcTryCancel(Exec &exec) {
  LaunchState &launch = exec.cluster.launch();
  ClcResponse response = {0, {-1, -1, -1}};
  if (launch.nextWaiting < launch.waiting.size()) {
    const auto &first = launch.waiting[launch.nextWaiting++];
    response = {1, {first[0], first[1], first[2]}};
  }
  const MemRef &memory = exec.in(1).mem();
  for (int32_t rank = 0; rank < int32_t(exec.cluster.numCtas()); ++rank) {
    Cta &cta = exec.cluster.cta(rank);
    if (memory.base < 0 || memory.base + 16 > int64_t(cta.shared.size()))
      return exec.fail(Finding::Kind::OutOfBounds, "the response lies outside shared memory");
    std::memcpy(cta.shared.data() + memory.base, &response, 16);
    exec.noteShared(cta, sync::Space::Shared, {{uint64_t(memory.base), 16}}, sync::Proxy::Async,
                    true);
  }
}

void clcQuery(Exec &exec) {
  const MemRef &memory = exec.in(0).mem();
  Cta *owner = nullptr;
  std::vector<char> *bytes = exec.storage(memory, sync::Space::Shared, &owner);
  if (!bytes)
    return;
  if (memory.base < 0 || memory.base + 16 > int64_t(bytes->size()))
    return exec.fail(Finding::Kind::OutOfBounds, "the response lies outside shared memory");
  ClcResponse response;
  std::memcpy(&response, bytes->data() + memory.base, 16);
  exec.noteShared(*owner, sync::Space::Shared, {{uint64_t(memory.base), 16}}, sync::Proxy::Generic,
                  false);
  for (unsigned i = 0; i < 3; ++i)
    exec.out(i, Value::integer(Store::I32, response.cancelled ? response.ids[i] : -1));
}

void readBarrierPhase(Exec &exec) {
  const MemRef &ref = exec.in(0).mem();
  BarrierCell *barrier = exec.cluster.mbarrier(ref.rank < 0 ? exec.cta.rank : ref.rank, ref.base,
                                               exec.task, exec.pc, "read");
  exec.out(0, Value::integer(Store::I32, barrier ? barrier->state.parity() : 0));
}

} // namespace

void registerClusters(HandlerTable &table) {
  table.set(Op::ClusterId, clusterId);
  table.set(Op::ClusterSize, clusterSize);
  table.set(Op::MapToRemoteBuffer, mapToRemote);
  table.set(Op::RemoteStore, remoteStore);
  table.set(Op::AsyncRemoteStore, remoteStore);
  table.set(Op::AsyncRemoteCopy, remoteCopy);
  table.set(Op::ClcTryCancel, clcTryCancel);
  table.set(Op::ClcQuery, clcQuery);
}

void registerBarriers(HandlerTable &table) {
  table.set(Op::ReadBarrierPhase, readBarrierPhase);
  table.set(Op::ArriveBarrierPhase, readBarrierPhase); // before its arrival
}

} // namespace tlx::sim
