// Verifiers and folders of ops that change a tile's shape.
#include "compiler/dialect/tt/TT.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tlx::tt {

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  Attribute value = adaptor.getSrc();
  auto type = dyn_cast<ShapedType>(getType());
  if (!type || !isa_and_present<FloatAttr, IntegerAttr>(value))
    return {};
  return SplatElementsAttr::get(type, ArrayRef<Attribute>(value));
}

LogicalResult UnsplatOp::verify() {
  int64_t count = tensorType(getSrc()).getNumElements();
  if (count != 1)
    return emitOpError("needs exactly one element; got ") << count;
  return success();
}

LogicalResult ExpandDimsOp::verify() {
  auto from = tensorType(getSrc()), to = cast<RankedTensorType>(getType());
  int64_t axis = getAxis();
  if (axis < 0 || axis > from.getRank())
    return emitOpError("axis must be in [0, ") << from.getRank() << "]; got " << axis;
  SmallVector<int64_t> expected(from.getShape());
  expected.insert(expected.begin() + axis, 1);
  if (to.getShape() != ArrayRef<int64_t>(expected))
    return emitOpError("result must have the operand's shape with a 1 at axis ") << axis;
  return success();
}

LogicalResult ReshapeOp::verify() {
  int64_t from = tensorType(getSrc()).getNumElements();
  int64_t to = cast<RankedTensorType>(getType()).getNumElements();
  if (from != to)
    return emitOpError("must keep the number of elements; got ") << from << " and " << to;
  return success();
}

LogicalResult BroadcastOp::verify() {
  auto from = tensorType(getSrc()), to = cast<RankedTensorType>(getType());
  if (from.getRank() != to.getRank())
    return emitOpError("must keep the rank; got ") << from.getRank() << " and " << to.getRank();
  for (auto [dim, size] : llvm::enumerate(from.getShape()))
    if (size != 1 && size != to.getDimSize(dim))
      return emitOpError("cannot repeat dimension ")
             << dim << " of size " << size << " to " << to.getDimSize(dim)
             << "; only size 1 repeats";
  return success();
}

LogicalResult CatOp::verify() {
  int64_t inputs = tensorType(getLhs()).getNumElements() * 2;
  int64_t result = cast<RankedTensorType>(getType()).getNumElements();
  if (inputs != result)
    return emitOpError("result must have ") << inputs << " elements; got " << result;
  return success();
}

static bool hasTrailingTwo(RankedTensorType pair, RankedTensorType half) {
  return pair.getRank() == half.getRank() + 1 && pair.getShape().back() == 2 &&
         pair.getShape().drop_back() == half.getShape();
}

LogicalResult JoinOp::verify() {
  if (!hasTrailingTwo(cast<RankedTensorType>(getType()), tensorType(getLhs())))
    return emitOpError("result must have the operands' shape with a trailing dimension of 2");
  return success();
}

LogicalResult SplitOp::verify() {
  if (!hasTrailingTwo(tensorType(getSrc()), cast<RankedTensorType>(getOutLHS().getType())))
    return emitOpError("operand must have the results' shape with a trailing dimension of 2");
  return success();
}

LogicalResult TransOp::verify() {
  auto from = tensorType(getSrc()), to = cast<RankedTensorType>(getType());
  ArrayRef<int32_t> order = getOrder();
  int64_t rank = from.getRank();
  SmallVector<bool> seen(rank);
  for (int32_t dim : order)
    if (dim >= 0 && dim < rank)
      seen[dim] = true;
  if (int64_t(order.size()) != rank || llvm::is_contained(seen, false))
    return emitOpError("order must be a permutation of 0..") << rank - 1;
  if (to.getRank() != rank)
    return emitOpError("must keep the rank; got ") << rank << " and " << to.getRank();
  for (auto [dim, source] : llvm::enumerate(order))
    if (to.getDimSize(dim) != from.getDimSize(source))
      return emitOpError("dimension ")
             << dim << " of the result must be dimension " << source << " of the operand, "
             << from.getDimSize(source) << "; got " << to.getDimSize(dim);
  return success();
}

LogicalResult MakeRangeOp::verify() {
  int64_t start = int32_t(getStart()), end = int32_t(getEnd());
  auto type = cast<RankedTensorType>(getType());
  if (type.getRank() != 1 || end <= start || type.getNumElements() != end - start)
    return emitOpError("result must be a vector of end - start = ")
           << end - start << " elements; got " << type;
  return success();
}

LogicalResult GatherOp::verify() {
  auto src = tensorType(getSrc()), indices = tensorType(getIndices());
  auto result = cast<RankedTensorType>(getType());
  if (indices.getShape() != result.getShape())
    return emitOpError("result must have the shape of the indices");
  if (src.getRank() != indices.getRank())
    return emitOpError("indices must have the rank of the source, ") << src.getRank();
  if (int64_t(getAxis()) >= src.getRank())
    return emitOpError("axis must be below the rank ") << src.getRank() << "; got " << getAxis();
  for (int64_t dim = 0; dim < src.getRank(); ++dim)
    if (dim != int64_t(getAxis()) && src.getDimSize(dim) != indices.getDimSize(dim))
      return emitOpError("indices and source must agree in dimension ") << dim;
  return success();
}

} // namespace tlx::tt
