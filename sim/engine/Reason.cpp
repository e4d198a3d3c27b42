#include "sim/engine/Reason.h"

namespace tlx::sim {

const char *name(Reason reason) {
  switch (reason) {
  case Reason::None: return "none";
  case Reason::Operand: return "operand";
  case Reason::Mbarrier: return "mbarrier";
  case Reason::NamedBarrier: return "named barrier";
  case Reason::Cluster: return "cluster barrier";
  case Reason::Port: return "port";
  case Reason::IssueSlot: return "issue slot";
  case Reason::MmaQueue: return "MMA queue";
  case Reason::Credit: return "credit";
  case Reason::Memory: return "memory";
  case Reason::Code: return "code";
  case Reason::Join: return "join";
  }
  return "?";
}

} // namespace tlx::sim
