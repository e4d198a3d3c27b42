// Register tiles: verifiers and cost. Whether the same threads hold what a slice
// or transpose names is a question to the layouts, asked after parsing.
#include "compiler/dialect/amdg/AMDG.h"

using namespace mlir;

namespace tlx::amdg {

LogicalResult ExtractSliceOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getType());
  ArrayRef<int64_t> offsets = getStaticOffsets();
  if (source.getRank() != result.getRank() || offsets.size() != size_t(source.getRank()))
    return emitOpError("needs a source, a result and offsets of one rank; got ")
           << source.getRank() << ", " << result.getRank() << " and " << offsets.size();
  if (source.getElementType() != result.getElementType())
    return emitOpError("source and result must have the same element type; got ")
           << source.getElementType() << " and " << result.getElementType();
  for (auto [dim, offset] : llvm::enumerate(offsets))
    if (offset < 0 || offset + result.getDimSize(dim) > source.getDimSize(dim))
      return emitOpError("slice from ")
             << offset << " of size " << result.getDimSize(dim) << " exceeds dimension " << dim
             << " of size " << source.getDimSize(dim);
  return success();
}

LogicalResult ConcatOp::verify() {
  if (getSources().empty())
    return emitOpError("needs at least one source");
  auto source = cast<RankedTensorType>(getSources()[0].getType());
  auto result = cast<RankedTensorType>(getType());
  for (Value other : getSources())
    if (other.getType() != source)
      return emitOpError("sources must have one type; got ")
             << source << " and " << other.getType();
  if (source.getElementType() != result.getElementType())
    return emitOpError("sources and result must have the same element type; got ")
           << source.getElementType() << " and " << result.getElementType();
  if (source.getRank() != result.getRank())
    return emitOpError("sources and result must have the same rank; got ")
           << source.getRank() << " and " << result.getRank();
  int64_t tiles = 1;
  for (auto [part, whole] : llvm::zip(source.getShape(), result.getShape())) {
    if (whole % part)
      return emitOpError("result of type ") << result << " cannot be tiled by " << source;
    tiles *= whole / part;
  }
  if (tiles != int64_t(getSources().size()))
    return emitOpError("needs ") << tiles << " sources; got " << getSources().size();
  return success();
}

LogicalResult AssumeUniformOp::verify() {
  Type type = getType();
  bool wide = type.isInteger(32) || type.isInteger(64);
  if (!wide && !isa<FloatType, tt::PointerType>(type))
    return emitOpError("needs an i32, i64, float or pointer scalar; got ") << type;
  return success();
}

static LogicalResult verifySameTile(Operation *op, Type from, Type to) {
  auto source = cast<RankedTensorType>(from), result = cast<RankedTensorType>(to);
  if (source.getShape() != result.getShape() || source.getElementType() != result.getElementType())
    return op->emitOpError("source and result must agree in shape and element type; got ")
           << source << " and " << result;
  return success();
}

LogicalResult InThreadTransposeOp::verify() {
  return verifySameTile(*this, getSrc().getType(), getType());
}

LogicalResult ScaledUpcastFp4Op::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto output = cast<RankedTensorType>(getType());
  if (!input.getElementType().isInteger(8))
    return emitOpError("input must be packed in i8; got ") << input;
  int64_t axis = int32_t(getAxis());
  if (axis < 0 || axis >= input.getRank() || input.getRank() != output.getRank())
    return emitOpError("axis ") << axis << " does not fit " << input << " and " << output;
  for (int64_t dim = 0; dim < input.getRank(); ++dim) {
    int64_t expected = input.getDimSize(dim) * (dim == axis ? 2 : 1);
    if (output.getDimSize(dim) != expected)
      return emitOpError("dimension ")
             << dim << " of the result must be " << expected << "; got " << output.getDimSize(dim);
  }
  return success();
}

LogicalResult ScaledUpcastFp8Op::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto output = cast<RankedTensorType>(getType());
  if (!isa<Float8E4M3FNType, Float8E5M2Type>(input.getElementType()))
    return emitOpError("input must be f8E4M3FN or f8E5M2; got ") << input;
  if (input.getShape() != output.getShape())
    return emitOpError("input and result must have the same shape; got ")
           << input << " and " << output;
  return success();
}

LogicalResult RematerializedRangeOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  int64_t start = int32_t(getStart()), end = int32_t(getEnd());
  if (type.getRank() != 1 || end <= start || type.getDimSize(0) != end - start)
    return emitOpError("result must have rank 1 and size ")
           << end - start << " (end - start); got " << type;
  return success();
}

static LogicalResult verifyRegisterClass(Operation *op, StringRef name) {
  if (name != "agpr" && name != "vgpr")
    return op->emitOpError("register class must be agpr or vgpr; got ") << name;
  return success();
}

LogicalResult RegisterResidentOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (failed(verifyRegisterClass(*this, getRegisterClass())))
    return failure();
  uint32_t group = getRegistersPerGroup();
  if (!llvm::isPowerOf2_32(group) || group > 32)
    return emitOpError("groups must be a power of two up to 32; got ") << group;
  if (!type.getEncoding())
    return emitOpError("needs a tile with a layout; got ") << type;
  Type element = type.getElementType();
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  if (bits != 16 && bits != 32)
    return emitOpError("elements must have 16 or 32 bits; got ") << element;
  return success();
}

LogicalResult RegisterHandoffOp::verify() { return verifyRegisterClass(*this, getRegisterClass()); }

LogicalResult MfmaCommitOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                             ValueRange operands, DictionaryAttr, OpaqueProperties,
                                             RegionRange, SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.getTypes());
  return success();
}

LogicalResult MfmaCommitOp::verify() {
  for (Value input : getInputs())
    if (cast<RankedTensorType>(input.getType()).getElementType().isF32())
      return success();
  return emitOpError("needs at least one f32 input");
}

LogicalResult ScheduledMfmaOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType()), b = cast<RankedTensorType>(getB().getType()),
       acc = cast<RankedTensorType>(getAcc().getType());
  if (a.getRank() != 2 || b.getRank() != 2 || acc.getRank() != 2)
    return emitOpError("operands must have rank 2; got ")
           << a.getRank() << ", " << b.getRank() << " and " << acc.getRank();
  if (a.getDimSize(1) != b.getDimSize(0) || acc.getDimSize(0) != a.getDimSize(0) ||
      acc.getDimSize(1) != b.getDimSize(1))
    return emitOpError("shapes do not make a product: ") << a << ", " << b << " and " << acc;
  if (a.getElementType() != b.getElementType() ||
      !(a.getElementType().isF16() || a.getElementType().isBF16()) || !acc.getElementType().isF32())
    return emitOpError("needs f16 or bf16 operands and an f32 accumulator; got ")
           << a.getElementType() << ", " << b.getElementType() << " and " << acc.getElementType();
  return success();
}

TileCost ScheduledMfmaOp::getTileCost() {
  TileCost cost;
  auto a = cast<RankedTensorType>(getA().getType()), acc = cast<RankedTensorType>(getType());
  cost.unit = CostUnit::TensorCore;
  cost.m = acc.getDimSize(0);
  cost.n = acc.getDimSize(1);
  cost.k = a.getDimSize(1);
  cost.operandBits = a.getElementTypeBitWidth();
  cost.elements = cost.m * cost.n;
  return cost;
}

} // namespace tlx::amdg
