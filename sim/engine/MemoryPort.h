//===- MemoryPort.h - how units reach device memory -----------------------===//
#pragma once

#include "sim/engine/Time.h"

namespace tlx::sim {

/// Asks for one block: a TMA box, or what one instruction reads or writes.
struct MemoryRequest {
  Cycles time;
  int sm;
  uint64_t address;
  int64_t bytes;
  bool write = false;
  bool alone = false;  ///< never merged with others (multicasts)
  bool atomic = false; ///< L2 computes
};

struct MemoryReply {
  Cycles accepted; ///< the last byte has passed the ports
  Cycles ready;    ///< loads: data at the SM; stores: acknowledged
  bool hit;        ///< in L2
};

/// What an SM's units see of L2 and HBM.
class MemoryPort {
public:
  virtual ~MemoryPort() = default;
  virtual MemoryReply commit(const MemoryRequest &request) = 0;
};

} // namespace tlx::sim
