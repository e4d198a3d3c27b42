#include "compiler/dialect/ttng/TTNGVerify.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tlx::ttng {

int64_t contextNumCtas(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  auto attr = module ? module->getAttrOfType<IntegerAttr>("ttg.num-ctas") : IntegerAttr();
  return attr ? attr.getInt() : 1;
}

bool pairsCtas(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  for (StringRef name : {"tlx.enable_paired_cta_mma", "ttng.two-ctas"})
    if (auto flag = module ? module->getAttrOfType<BoolAttr>(name) : BoolAttr())
      if (flag.getValue())
        return true;
  return false;
}

LogicalResult verifyBarrier(Operation *op, Value barrier) {
  auto type = cast<ttg::MemDescType>(barrier.getType());
  int64_t ctas = contextNumCtas(op);
  if (!type.getElementType().isInteger(64) || type.getShape().size() != 1 ||
      type.getShape()[0] > ctas)
    return op->emitOpError("barrier must be a rank-1 memdesc of i64 with at most ")
           << ctas << (ctas == 1 ? " element" : " elements") << " (one for each CTA); got " << type;
  return success();
}

/// That a barrier counts at most 2^20 - 1 arrivals is for the verifier to say, which finds what
/// comes of it.
LogicalResult verifyArrivals(Operation *op, int32_t count) {
  if (count < 1)
    return op->emitOpError("count must be at least 1; got ") << count;
  return success();
}

RankedTensorType blockOf(Value desc) {
  if (auto tiled = dyn_cast<tt::TensorDescType>(desc.getType()))
    return tiled.getBlockType();
  if (auto im2col = dyn_cast<TensorDescIm2ColType>(desc.getType()))
    return im2col.getBlockType();
  return {};
}

LogicalResult verifyPredicates(Operation *op, size_t barriers, size_t preds) {
  if (barriers != preds)
    return op->emitOpError("needs one predicate for each barrier; got ")
           << barriers << " barriers and " << preds << " predicates";
  return success();
}

} // namespace tlx::ttng
