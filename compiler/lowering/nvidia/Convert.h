//===- Convert.h - registers of one layout from those of another -------------===//
//
// Every operation that moves elements between registers without changing them
// (layout changes, transposes, reshapes, broadcasts, …) is the same question: the
// layout that the registers have, and the one that they shall have, as maps to
// one set of coordinates.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/layout/LinearLayout.h"
#include "compiler/lowering/nvidia/Emitter.h"

namespace tlx::nvidia {

/// Whether `to` only renames the registers of `from`: every thread has what it
/// needs.
bool isRenaming(const layout::LinearLayout &from, const layout::LinearLayout &to);

/// Registers in layout `to`. Through scratch memory when threads must exchange
/// elements.
Registers convertRegisters(Emitter &e, const Registers &registers, const layout::LinearLayout &from,
                           const layout::LinearLayout &to);

/// Bytes of scratch that this takes for elements of some width.
int64_t conversionScratch(const layout::LinearLayout &from, const layout::LinearLayout &to,
                          unsigned elementBits);

/// For an operation that moves elements: where its operand's registers lie, and
/// where its result's must, in coordinates of the operand. Nothing for others.
struct Movement {
  layout::LinearLayout from, to;
};
std::optional<Movement> movementOf(Operation *op);

/// Fails where some warps are not there to meet those of the cluster's other CTAs.
LogicalResult checkMeeting(Operation *op);

} // namespace tlx::nvidia
