//===- TT.h - dialect `tt`: types, attributes and ops ----------------------===//
#pragma once

#include "compiler/dialect/interfaces/SyncEffects.h"
#include "compiler/dialect/interfaces/TileCost.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tlx::tt {

/// Type trait of tensor descriptors (tiled and im2col).
template <typename ConcreteType>
class TensorDescTrait : public mlir::TypeTrait::TraitBase<ConcreteType, TensorDescTrait> {};

bool isTensorDesc(mlir::Type type);

/// i1 with the shape and encoding of `type`.
mlir::Type i1SameShape(mlir::Type type);
/// The pointee of a pointer or tensor of pointers, with its shape and encoding.
mlir::Type pointeeSameShape(mlir::Type type);
/// Scalar or element type.
mlir::Type elementTypeOrSelf(mlir::Type type);

/// Spelling of IR that is printed: where fbtriton 3.7.4 and its main branch
/// differ (see docs/reference).
enum class IrVersion { V3_7_4, Main };
void setIrVersion(mlir::MLIRContext *context, IrVersion version);
IrVersion getIrVersion(mlir::MLIRContext *context);

/// The global memory that pointers and descriptors address.
struct GlobalMemory : public mlir::SideEffects::Resource::Base<GlobalMemory> {
  llvm::StringRef getName() final { return "<GlobalMemory>"; }
};

} // namespace tlx::tt

#include "compiler/dialect/tt/TTDialect.h.inc"
#include "compiler/dialect/tt/TTEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "compiler/dialect/tt/TTTypes.h.inc"

#define GET_OP_CLASSES
#include "compiler/dialect/tt/TTOps.h.inc"
