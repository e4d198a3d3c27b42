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
