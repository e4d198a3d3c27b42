// Verifiers and costs of tile products.
#include "compiler/dialect/tt/TT.h"

using namespace mlir;

namespace tlx::tt {

static TileCost productCost(Type a, Type d, int64_t k) {
  auto result = cast<RankedTensorType>(d);
  TileCost cost;
  cost.unit = CostUnit::TensorCore;
  cost.elements = result.getNumElements();
  cost.n = result.getShape().back();
  cost.m = result.getNumElements() / cost.n;
  cost.k = k;
  cost.operandBits = elementTypeOrSelf(a).getIntOrFloatBitWidth();
  return cost;
}

TileCost DotOp::getTileCost() {
  auto a = cast<RankedTensorType>(getA().getType());
  return productCost(a, getType(), a.getShape().back());
}

TileCost DotScaledOp::getTileCost() {
  auto a = cast<RankedTensorType>(getA().getType());
  bool packed = getAElemType() == ScaleDotElemType::E2M1 && getLhsKPack();
  TileCost cost = productCost(a, getType(), a.getShape().back() * (packed ? 2 : 1));
  if (getAElemType() == ScaleDotElemType::E2M1)
    cost.operandBits = 4;
  return cost;
}

LogicalResult DotOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType()), b = cast<RankedTensorType>(getB().getType());
  auto d = cast<RankedTensorType>(getType());
  int64_t rank = a.getRank();
  if (rank < 2 || b.getRank() != rank || d.getRank() != rank)
    return emitOpError("needs matrices (or batches of them) of one rank");
  auto m = a.getDimSize(rank - 2), k = a.getDimSize(rank - 1), n = b.getDimSize(rank - 1);
  if (b.getDimSize(rank - 2) != k || d.getDimSize(rank - 2) != m || d.getDimSize(rank - 1) != n)
    return emitOpError("shapes do not multiply: ") << a << " x " << b << " -> " << d;
  return success();
}

LogicalResult DotScaledOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType()), b = cast<RankedTensorType>(getB().getType());
  auto d = cast<RankedTensorType>(getType());
  int64_t rank = a.getRank();
  if (rank < 2 || b.getRank() != rank || d.getRank() != rank)
    return emitOpError("needs matrices (or batches of them) of one rank");
  int64_t aPack = getAElemType() == ScaleDotElemType::E2M1 ? 2 : 1;
  int64_t bPack = getBElemType() == ScaleDotElemType::E2M1 ? 2 : 1;
  int64_t ka = a.getDimSize(rank - 1) * (getLhsKPack() ? aPack : 1);
  int64_t kb = b.getDimSize(rank - 2) * (getRhsKPack() ? bPack : 1);
  if (ka != kb)
    return emitOpError("operands must agree in k; got ") << ka << " and " << kb << " elements";
  return success();
}

} // namespace tlx::tt
