//===- SyncEffects.h - an op's synchronisation effects, declared once ------===//
//
// Every operation says here what it does to memory and barriers. The verifier
// encodes these facts, the simulator executes them, and the compiler relies on
// them; nothing else may switch over op names to learn them.
//
//   ttng.arrive_barrier %b, 2, %p
//     => { BarrierArrive, target = %b, amount = 2, predicate = %p,
//          threads = Elected, taskBarrierBefore = true }
//
//   ttng.async_tma_copy_global_to_local %d[..] %dst, %bar, %p
//     => { Read, Global, Async, Completion, target = %d },
//        { Write, Shared, Async, Completion, target = %dst, barrier = %bar },
//        { BarrierComplete, Completion, target = %bar, amount = bytes of %dst }
//
// An asynchronous access has `moment = Completion`; `group` or `barrier` names
// what signals that it is over. Effects are listed in program order.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Sync.h"

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace tlx {

/// One effect of one operation. Values that are null are absent: no predicate
/// means always, no rank means the executing CTA.
struct SyncEffect {
  sync::Kind kind = sync::Kind::Hint;
  sync::Space space = sync::Space::None;
  sync::Proxy proxy = sync::Proxy::Generic;
  sync::Moment moment = sync::Moment::Issue;
  sync::Threads threads = sync::Threads::All;
  sync::Group group = sync::Group::None;

  /// The memory, barrier, descriptor or named-barrier id that is meant.
  mlir::Value target;
  /// i1 (or i32, as AMD's data mover has it): the effect happens only when it is
  /// not zero.
  mlir::Value predicate;
  /// Read: what is read matters only where this is not zero, as what a product that starts anew
  /// finds in its accumulator does not.
  mlir::Value matters;
  /// BarrierWait: the parity (i32) of the phase to wait for.
  mlir::Value phase;
  /// Arrivals, bytes, threads (named barriers) or pending groups; a run-time
  /// `amountValue` wins over the constant.
  int64_t amount = 0;
  mlir::Value amountValue;
  /// Rank of the CTA whose copy of `target` is meant, or, with `rankIsMask`, a
  /// bit mask of such ranks (multicast). i32.
  mlir::Value rank;
  bool rankIsMask = false;
  /// A constant bit mask of ranks, where no value gives one; 0 is absent, -1 is
  /// every CTA of the cluster.
  int64_t rankMask = 0;
  /// The mbarrier that signals completion of this asynchronous effect.
  mlir::Value barrier;
  mlir::Value barrierPredicate;
  /// The op is preceded by a barrier over all threads of the task (an ordinary
  /// arrive or expect; not a per-thread one, an MMA or a TMA issue).
  bool taskBarrierBefore = false;
  /// Executed by the even CTA of a pair for both (two_ctas MMA, two_cta TMA).
  bool pairLeader = false;
  /// A group wait that covers reads of the source only (`.read`).
  bool readOnly = false;
  /// An arrival at the cluster's barrier that is no release.
  bool relaxed = false;
};

using SyncEffects = llvm::SmallVectorImpl<SyncEffect>;

/// Bytes of a memdesc or tensor value's own shape (sub-byte elements rounded up
/// as a whole).
int64_t bytesOf(mlir::Type type);

/// Trait of ops without any synchronisation effect.
template <typename ConcreteOp>
class NoSyncEffects : public mlir::OpTrait::TraitBase<ConcreteOp, NoSyncEffects> {};

/// Trait of ops whose effects are those of their regions or of their callee.
template <typename ConcreteOp>
class SyncEffectsOfBody : public mlir::OpTrait::TraitBase<ConcreteOp, SyncEffectsOfBody> {};

/// How an op declared its effects.
enum class SyncEffectsKind : uint8_t { Undeclared, None, OfBody, Own };

/// What kind of declaration an op carries; ops of upstream dialects (arith, scf,
/// ...) are covered by one table in SyncEffects.cpp.
SyncEffectsKind syncEffectsKind(mlir::OperationName name);

/// Appends the op's own effects; returns false for an op that declares nothing,
/// which callers must report by name.
bool collectSyncEffects(mlir::Operation *op, SyncEffects &effects);

} // namespace tlx

#include "compiler/dialect/interfaces/SyncEffects.h.inc"
