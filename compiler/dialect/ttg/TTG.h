//===- TTG.h - dialect `ttg`: encodings, memdesc and ops -------------------===//
#pragma once

#include "compiler/dialect/tt/TT.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"

namespace tlx::ttg {

template <typename ConcreteAttr>
class RegisterEncodingTrait
    : public mlir::AttributeTrait::TraitBase<ConcreteAttr, RegisterEncodingTrait> {};
template <typename ConcreteAttr>
class SharedEncodingTrait
    : public mlir::AttributeTrait::TraitBase<ConcreteAttr, SharedEncodingTrait> {};
template <typename ConcreteAttr>
class MmaEncodingTrait : public mlir::AttributeTrait::TraitBase<ConcreteAttr, MmaEncodingTrait> {};

} // namespace tlx::ttg

#include "compiler/dialect/ttg/TTGDialect.h.inc"
#include "compiler/dialect/ttg/TTGEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/ttg/TTGAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "compiler/dialect/ttg/TTGTypes.h.inc"

namespace tlx::ttg {

/// The shared memory of a CTA.
struct SharedMemory : public mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "<SharedMemory>"; }
};
/// Barriers, async groups and fences: what keeps synchronising ops in order.
struct SyncState : public mlir::SideEffects::Resource::Base<SyncState> {
  llvm::StringRef getName() final { return "<SyncState>"; }
};

/// Element type i64 of rank-1 shape: an mbarrier or an array of them.
bool isBarrierType(MemDescType type);

/// Number of warps that execute `op`: of its partition, else of the function,
/// else of the module; nothing when none of them says.
std::optional<int> contextNumWarps(mlir::Operation *op);

} // namespace tlx::ttg

#define GET_OP_CLASSES
#include "compiler/dialect/ttg/TTGOps.h.inc"
