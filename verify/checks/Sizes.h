//===- Sizes.h - the same kernel at a few small sizes ---------------------===//
//
// Where the proof for all sizes ends in doubt, a fault may still show at one size: with
// numbers for everything that the launch chooses, hardly anything is left to decide, and
// what the prover finds is exact. Finding nothing proves nothing.
//
//   if (result.verdict == ProofResult::Unknown)
//     if (auto bug = violationAtSomeSize(program, result.preconditions, proveOne)) ...
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/checks/Prover.h"

namespace tlx::verify {

using ValueOfSymbol = std::function<std::optional<int64_t>(int64_t)>;

/// Whether preconditions and what the IR states hold for these values; what depends on
/// more than them is taken not to.
bool holdAt(const Program &program, const std::vector<Precondition> &preconditions,
            const ValueOfSymbol &valueOf);

/// The first violation at one of some sizes that the preconditions allow and that leave no
/// loop of the whole launch empty. `prove` is asked about the kernel at one size.
std::optional<ProofResult>
violationAtSomeSize(const Program &program, const std::vector<Precondition> &preconditions,
                    const std::function<ProofResult(const Program &)> &prove);

} // namespace tlx::verify
