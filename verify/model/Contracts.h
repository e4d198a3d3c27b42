//===- Contracts.h - what the verdicts rest on ----------------------------===//
//
// Facts about the compiler below the IR and about launches that the IR does not
// show. Each has a name, is printed with --explain contracts and with every
// verdict it may matter to, and is one row here.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tlx::verify {

/// Those that a verdict can be asked without.
enum class Lowering : uint8_t {
  TaskBarrierBeforeArrive,
  IssueByEachWarp,
  Membar,
  TaskBarrierAfterStoreWait,
  TaskBarrierAfterCopyWait,
  WarpsStartTogether,
  WarpsLeaveTogether,
  ClusterSync,
  FenceBeforeBulkStore,
  ParityIsLowestBit,
};

/// Of those, which are in force.
class Lowerings {
public:
  bool has(Lowering one) const { return bits >> static_cast<int>(one) & 1; }
  void drop(Lowering one) { bits &= ~(uint32_t(1) << static_cast<int>(one)); }
  bool operator==(const Lowerings &) const = default;

private:
  uint32_t bits = ~uint32_t(0);
};

struct Contract {
  const char *name;
  const char *text;
  std::optional<Lowering> lowering = {};
};

/// All contracts, in order.
const std::vector<Contract> &contracts();

} // namespace tlx::verify
