//===- Operators.h - one small fault at a time -----------------------------===//
//
// Mutation operators damage a kernel the way people do: a wait forgotten, an
// arrive twice, a phase flipped, a count off by one. They work on the IR and find
// their places by what an operation declares of itself (SyncEffects.h), so they
// hold for every level and every chip:
//
//   for (Site site : sites(module)) {
//     OwningOpRef<ModuleOp> mutant = module->clone();
//     if (apply(*mutant, site)) ...
//   }
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/interfaces/SyncEffects.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallSet.h"

namespace tlx::mutation {

/// What an operation is to its neighbours, from its declared effects.
struct Role {
  explicit Role(mlir::Operation *op);
  bool has(sync::Kind kind) const;
  const SyncEffect *first(sync::Kind kind) const;

  llvm::SmallVector<SyncEffect> effects;
  bool wait, arrive, expect, init, inval, fence, commit, groupWait, named, cluster, taskBarrier;
  bool copy;         ///< asynchronous, fills shared or tensor memory
  bool store;        ///< fills shared or tensor memory when it is issued
  bool touches;      ///< reads or writes shared or tensor memory
  bool synchronises; ///< any of the above but `touches` alone
};

/// What operators need to know of the whole kernel.
struct KernelFacts {
  explicit KernelFacts(mlir::ModuleOp module);
  llvm::SmallSet<int64_t, 8> stages; ///< leading dimensions of what is indexed
};

struct Operator {
  const char *name;
  const char *what;
  /// How many mutants it makes of an operation.
  int (*variants)(mlir::Operation *op, const Role &role, const KernelFacts &facts);
  /// Makes one of them; false when that is not possible after all.
  bool (*apply)(mlir::Operation *op, const Role &role, int variant);
};

llvm::ArrayRef<Operator> operators();

/// One mutant: which operator, on which operation in the order of a walk.
struct Site {
  int op = 0, operation = 0, variant = 0;
};

/// The integer that a value always has.
std::optional<int64_t> constantOf(mlir::Value value);
mlir::Value integer(mlir::OpBuilder &b, mlir::Operation *op, mlir::Type type, int64_t value);

std::vector<Site> sites(mlir::ModuleOp module);

/// Damages a clone of the module that `sites` saw. The operation is in `at` for
/// messages, also after it is gone.
bool apply(mlir::ModuleOp module, const Site &site, mlir::Location &at);

// By family; operators() is their sum.
llvm::ArrayRef<Operator> dropOperators();
llvm::ArrayRef<Operator> orderOperators();
llvm::ArrayRef<Operator> valueOperators();
llvm::ArrayRef<Operator> targetOperators();
llvm::ArrayRef<Operator> controlOperators();

} // namespace tlx::mutation
