#include "compiler/dialect/interfaces/TileCost.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringMap.h"

#include "compiler/dialect/interfaces/TileCost.cpp.inc"

using namespace mlir;

namespace tlx {

template <CostUnit unit> static bool declares(OperationName name, CostUnit &out) {
  if (!name.hasTrait<CostPerElement<unit>::template Impl>())
    return false;
  out = unit;
  return true;
}

/// Upstream ops that are not plain ALU work.
static CostUnit upstreamUnit(OperationName name) {
  static const llvm::StringMap<CostUnit> units = {
      {"arith.constant", CostUnit::None},  {"arith.addf", CostUnit::Fma},
      {"arith.subf", CostUnit::Fma},       {"arith.mulf", CostUnit::Fma},
      {"math.fma", CostUnit::Fma},         {"arith.divf", CostUnit::Mufu},
      {"arith.remf", CostUnit::Mufu},      {"arith.extf", CostUnit::Convert},
      {"arith.truncf", CostUnit::Convert}, {"arith.sitofp", CostUnit::Convert},
      {"arith.uitofp", CostUnit::Convert}, {"arith.fptosi", CostUnit::Convert},
      {"arith.fptoui", CostUnit::Convert}, {"arith.bitcast", CostUnit::None},
      {"math.absf", CostUnit::Alu},        {"math.absi", CostUnit::Alu},
      {"math.floor", CostUnit::Convert},   {"math.ceil", CostUnit::Convert}};
  if (auto found = units.find(name.getStringRef()); found != units.end())
    return found->second;
  StringRef dialect = name.getDialectNamespace();
  if (dialect == "math")
    return CostUnit::Mufu;
  return dialect == "arith" ? CostUnit::Alu : CostUnit::None;
}

TileCost tileCostOf(Operation *op) {
  if (auto declared = dyn_cast<TileCostOpInterface>(op))
    return declared.getTileCost();
  TileCost cost;
  OperationName name = op->getName();
  bool found =
      declares<CostUnit::None>(name, cost.unit) || declares<CostUnit::Scalar>(name, cost.unit) ||
      declares<CostUnit::Alu>(name, cost.unit) || declares<CostUnit::Fma>(name, cost.unit) ||
      declares<CostUnit::Fp64>(name, cost.unit) || declares<CostUnit::Mufu>(name, cost.unit) ||
      declares<CostUnit::Convert>(name, cost.unit) ||
      declares<CostUnit::LoadStore>(name, cost.unit) ||
      declares<CostUnit::SharedMemory>(name, cost.unit) ||
      declares<CostUnit::Shuffle>(name, cost.unit) || declares<CostUnit::Tma>(name, cost.unit) ||
      declares<CostUnit::TensorMemory>(name, cost.unit) ||
      declares<CostUnit::Barrier>(name, cost.unit);
  if (!found)
    cost.unit = upstreamUnit(name);
  if (cost.unit == CostUnit::None)
    return cost;
  cost.elements = 1;
  auto widen = [&](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped || shaped.getNumElements() < cost.elements)
      return;
    cost.elements = shaped.getNumElements();
    Type element = shaped.getElementType();
    cost.bytes = element.isIntOrFloat() ? (cost.elements * element.getIntOrFloatBitWidth() + 7) / 8
                                        : cost.elements * 8;
  };
  for (Type type : op->getOperandTypes())
    widen(type);
  for (Type type : op->getResultTypes())
    widen(type);
  // f64 runs on its own, much slower pipe.
  if (cost.unit == CostUnit::Fma && op->getNumResults() &&
      mlir::getElementTypeOrSelf(op->getResult(0).getType()).isF64())
    cost.unit = CostUnit::Fp64;
  return cost;
}

} // namespace tlx
