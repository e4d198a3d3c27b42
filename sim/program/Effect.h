//===- Effect.h - what an instruction does to memory and barriers -----------===//
//
// The mirror of the compiler's SyncEffect with registers in place of SSA values.
// The machine executes these records; it never guesses an op's effect from its
// name.
//
//   arrive_barrier %b, 2, %p
//     { BarrierArrive, target %b, amount 2, predicate %p, Elected, taskBarrierBefore }
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Sync.h"

#include <cstdint>

namespace tlx::sim {

/// A register of the enclosing function; dense from zero.
using Reg = int32_t;
inline constexpr Reg noReg = -1;

struct Effect {
  sync::Kind kind = sync::Kind::Hint;
  sync::Space space = sync::Space::None;
  sync::Proxy proxy = sync::Proxy::Generic;
  sync::Moment moment = sync::Moment::Issue;
  sync::Threads threads = sync::Threads::All;
  sync::Group group = sync::Group::None;
  bool rankIsMask = false;        ///< `rank` is a bit mask of CTA ranks (multicast)
  bool taskBarrierBefore = false; ///< a barrier over the task's threads comes first
  bool pairLeader = false;        ///< even CTA of a pair acts for both (two_ctas)
  bool relaxed = false;           ///< orders nothing: without a fence
  bool readOnly = false;          ///< group wait that covers source reads only

  Reg target = noReg;           ///< memory, barrier, descriptor or named-barrier id
  Reg predicate = noReg;        ///< i1: happens only when true
  Reg matters = noReg;          ///< i1 of a read: whether it matters what is read
  Reg phase = noReg;            ///< BarrierWait: parity (i32)
  Reg amountReg = noReg;        ///< wins over `amount`
  Reg rank = noReg;             ///< CTA whose copy of `target` is meant; absent: as `target` says
  Reg barrier = noReg;          ///< mbarrier that signals completion
  Reg barrierPredicate = noReg; ///< i1 for `barrier`
  int64_t rankMask = 0;         ///< constant mask of CTA ranks (-1: all of the cluster); 0: none
  int64_t amount = 0;           ///< arrivals, bytes, threads or pending groups
};

} // namespace tlx::sim
