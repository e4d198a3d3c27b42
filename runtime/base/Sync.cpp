#include "runtime/base/Sync.h"

namespace tlx::sync {

const char *name(Kind kind) {
  switch (kind) {
  case Kind::Read: return "read";
  case Kind::Write: return "write";
  case Kind::BarrierInit: return "barrier-init";
  case Kind::BarrierInval: return "barrier-inval";
  case Kind::BarrierExpect: return "barrier-expect";
  case Kind::BarrierArrive: return "barrier-arrive";
  case Kind::BarrierComplete: return "barrier-complete";
  case Kind::BarrierWait: return "barrier-wait";
  case Kind::NamedBarrierSync: return "named-barrier-sync";
  case Kind::NamedBarrierArrive: return "named-barrier-arrive";
  case Kind::ClusterArrive: return "cluster-arrive";
  case Kind::ClusterWait: return "cluster-wait";
  case Kind::TaskBarrier: return "task-barrier";
  case Kind::GroupCommit: return "group-commit";
  case Kind::GroupWait: return "group-wait";
  case Kind::ProxyFence: return "proxy-fence";
  case Kind::MemoryFence: return "memory-fence";
  case Kind::BarrierInitFence: return "barrier-init-fence";
  case Kind::TensormapFence: return "tensormap-fence";
  case Kind::ClcRequest: return "clc-request";
  case Kind::Hint: return "hint";
  }
  return "?";
}

const char *name(Space space) {
  switch (space) {
  case Space::None: return "none";
  case Space::Global: return "global";
  case Space::Shared: return "shared";
  case Space::SharedCluster: return "shared-cluster";
  case Space::Tensor: return "tensor";
  }
  return "?";
}

const char *name(Proxy proxy) { return proxy == Proxy::Generic ? "generic" : "async"; }

const char *name(Moment moment) { return moment == Moment::Issue ? "issue" : "completion"; }

const char *name(Threads threads) {
  switch (threads) {
  case Threads::All: return "all";
  case Threads::Elected: return "elected";
  case Threads::PerThread: return "per-thread";
  case Threads::EachWarp: return "each-warp";
  }
  return "?";
}

const char *name(Group group) {
  switch (group) {
  case Group::None: return "none";
  case Group::CpAsync: return "cp-async";
  case Group::BulkStore: return "bulk-store";
  case Group::Wgmma: return "wgmma";
  case Group::Tcgen05: return "tcgen05";
  case Group::Tdm: return "tdm";
  case Group::AmdAsync: return "amd-async";
  }
  return "?";
}

} // namespace tlx::sync
