#include "compiler/transforms/SharedBuffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tlx {

ttg::MemDescType memoryType(ArrayRef<int64_t> shape, Type element, Attribute encoding) {
  MLIRContext *context = element.getContext();
  return ttg::MemDescType::get(context, shape, element, encoding,
                               ttg::SharedMemorySpaceAttr::get(context), true, shape);
}

ttg::MemDescType plainMemoryType(ArrayRef<int64_t> shape, Type element) {
  MLIRContext *context = element.getContext();
  SmallVector<unsigned> order;
  for (unsigned dim = shape.size(); dim-- > 0;)
    order.push_back(dim);
  return memoryType(
      shape, element,
      ttg::SwizzledSharedEncodingAttr::get(context, 1, 1, 1, order, ArrayAttr::get(context, {})));
}

/// Swizzles repeat after 8 rows: fewer need none.
Attribute swizzledLayout(RankedTensorType tile, bool columns) {
  int64_t row = columns ? tile.getShape().front() : tile.getShape().back();
  int64_t bits = tile.getElementTypeBitWidth();
  unsigned swizzle = 0;
  if (tile.getNumElements() / row >= 8)
    for (unsigned bytes : {32u, 64u, 128u})
      if (row * bits >= 8 * bytes)
        swizzle = bytes;
  return ttg::NVMMASharedEncodingAttr::get(tile.getContext(), swizzle, columns, bits, false,
                                           tile.getRank(), ArrayAttr::get(tile.getContext(), {}));
}

Value transposed(OpBuilder &b, Location loc, Value buffer) {
  auto type = cast<ttg::MemDescType>(buffer.getType());
  auto layout = cast<ttg::NVMMASharedEncodingAttr>(type.getEncoding());
  auto other = ttg::NVMMASharedEncodingAttr::get(
      b.getContext(), layout.getSwizzlingByteWidth(), !layout.getTransposed(),
      layout.getElementBitWidth(), layout.getFp4Padded(), layout.getRank(), layout.getCga());
  SmallVector<int64_t> shape(llvm::reverse(type.getShape()));
  auto view = ttg::MemDescType::get(b.getContext(), shape, type.getElementType(), other,
                                    type.getMemorySpace(), type.getMutableMemory(), shape);
  return ttg::MemDescTransOp::create(b, loc, view, buffer, ArrayRef<int32_t>{1, 0});
}

bool isForHopper(ModuleOp module) {
  auto target = module->getAttrOfType<StringAttr>("ttg.target");
  return target && target.getValue() == "cuda:90";
}

ttg::MemDescType barrierType(MLIRContext *context) {
  return plainMemoryType({1}, IntegerType::get(context, 64));
}

Value allocate(OpBuilder &b, Location loc, ttg::MemDescType type) {
  return ttg::LocalAllocOp::create(b, loc, type, Value(), nullptr);
}

Value integer(OpBuilder &b, Location loc, int64_t value, unsigned bits) {
  return arith::ConstantIntOp::create(b, loc, value, bits);
}

} // namespace tlx
