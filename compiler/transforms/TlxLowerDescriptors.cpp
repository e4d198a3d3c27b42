// Reads and writes of tiles through tensor descriptors become copies by the TMA
// unit, and descriptors made on the device are written to memory.
//
//   %t = tt.descriptor_load %d[..]       buffer and barrier; expect, copy, wait;
//                                        local_load
//   tt.descriptor_store %d[..], %t       buffer filled with %t; fence, copy, wait
//   %d = tt.make_tensor_descriptor ..    128 bytes of scratch; tensormap_create
#include "compiler/transforms/Passes.h"

#include "compiler/analysis/EncodingToLayout.h"
#include "compiler/analysis/TmaBox.h"
#include "compiler/dialect/ttg/TTG.h"
#include "compiler/dialect/ttng/TTNG.h"
#include "compiler/transforms/SharedBuffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tlx {
#define GEN_PASS_DEF_TLXLOWERDESCRIPTORS
#include "compiler/transforms/Passes.h.inc"

namespace {

/// A buffer for a tile of the descriptor's block, whose leading dimensions of size
/// 1 the tile may lack.
ttg::MemDescType bufferFor(tt::TensorDescType descriptor, RankedTensorType tile) {
  Attribute encoding = descriptor.getBlockType().getEncoding();
  unsigned rank = tile.getRank();
  if (auto swizzled = dyn_cast<ttg::NVMMASharedEncodingAttr>(encoding))
    encoding = ttg::NVMMASharedEncodingAttr::get(
        tile.getContext(), swizzled.getSwizzlingByteWidth(), swizzled.getTransposed(),
        swizzled.getElementBitWidth(), swizzled.getFp4Padded(), rank, swizzled.getCga());
  return memoryType(tile.getShape(), tile.getElementType(), encoding);
}

/// Null, with an error, for what is no plain tiled descriptor.
tt::TensorDescType plainDescriptor(Operation *op, Value descriptor) {
  auto type = dyn_cast<tt::TensorDescType>(descriptor.getType());
  if (!type)
    op->emitError("'") << op->getName() << "' of an im2col descriptor has no lowering";
  return type;
}

LogicalResult lowerLoad(tt::DescriptorLoadOp op) {
  tt::TensorDescType descriptor = plainDescriptor(op, op.getDesc());
  if (!descriptor)
    return failure();
  if (op.getMulticast().value_or(false))
    return op.emitError("'tt.descriptor_load' to several CTAs has no lowering");
  OpBuilder b(op);
  Location loc = op.getLoc();
  RankedTensorType tile = cast<RankedTensorType>(op.getType());
  Value buffer = allocate(b, loc, bufferFor(descriptor, tile));
  Value barrier = allocate(b, loc, barrierType(b.getContext()));
  Value yes = integer(b, loc, 1, 1);
  int64_t bytes = tile.getNumElements() * tile.getElementTypeBitWidth() / 8;
  ttng::InitBarrierOp::create(b, loc, barrier, 1);
  ttng::BarrierExpectOp::create(b, loc, barrier, bytes, yes);
  ttng::AsyncTMACopyGlobalToLocalOp::create(
      b, loc, /*multicastTargets=*/Value(), op.getDesc(), op.getIndices(), /*offsets=*/ValueRange(),
      barrier, buffer, yes, /*multicast=*/false, op.getCache(), op.getEvict());
  ttng::WaitBarrierOp::create(b, loc, barrier, integer(b, loc, 0), /*pred=*/Value(),
                              /*deps=*/ValueRange(), /*constraints=*/nullptr);
  ttng::InvalBarrierOp::create(b, loc, barrier);
  op.replaceAllUsesWith(
      ttg::LocalLoadOp::create(b, loc, tile, buffer, /*token=*/Value()).getResult());
  op.erase();
  return success();
}

/// `write` is a store, or a reduction of some kind.
LogicalResult lowerWrite(Operation *op, Value desc, Value source, ValueRange indices,
                         tt::DescriptorReduceKind kind) {
  tt::TensorDescType descriptor = plainDescriptor(op, desc);
  if (!descriptor)
    return failure();
  OpBuilder b(op);
  Location loc = op->getLoc();
  auto tile = cast<RankedTensorType>(source.getType());
  Value buffer = ttg::LocalAllocOp::create(b, loc, bufferFor(descriptor, tile), source, nullptr);
  ttng::FenceAsyncSharedOp::create(b, loc, false);
  if (kind == tt::DescriptorReduceKind::NONE)
    ttng::AsyncTMACopyLocalToGlobalOp::create(b, loc, /*token=*/Type(), desc, indices, buffer,
                                              tt::EvictionPolicy::NORMAL);
  else
    ttng::AsyncTMAReduceOp::create(b, loc, /*token=*/Type(), kind, desc, indices, buffer,
                                   tt::EvictionPolicy::NORMAL);
  ttng::TMAStoreWaitOp::create(b, loc, 0, false);
  op->erase();
  return success();
}

/// The number of an element type in a tensor map (PTX ISA, "tensormap.replace");
/// nothing: TMA knows no such type.
std::optional<int> elementCode(Type element) {
  if (element.isF16())
    return 6;
  if (element.isF32())
    return 7;
  if (element.isF64())
    return 9;
  if (element.isBF16())
    return 10;
  bool isSigned = element.isSignedInteger();
  switch (element.getIntOrFloatBitWidth()) {
  case 8: return 0;
  case 16: return 1;
  case 32: return isSigned ? 3 : 2;
  case 64: return isSigned ? 5 : 4;
  default: return std::nullopt;
  }
}

/// The number of a swizzle of 0, 32, 64 or 128 bytes.
int swizzleCode(int64_t bytes) { return bytes ? int(llvm::Log2_64(bytes)) - 4 : 0; }

LogicalResult lowerMake(tt::MakeTensorDescOp op) {
  RankedTensorType block = op.getType().getBlockType();
  Type element = block.getElementType();
  Result<TmaBox> box = tmaBox(block.getShape(), element, block.getEncoding());
  std::optional<int> code = elementCode(element);
  if (!box || !code)
    return op.emitError("'tt.make_tensor_descriptor': ")
           << (box ? std::string("TMA knows no such elements") : box.error().message);
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value place = op.getDescPtr();
  if (!place)
    place =
        ttg::GlobalScratchAllocOp::create(b, loc, tt::PointerType::get(b.getI8Type()), 128, 128);
  // From the innermost dimension out.
  SmallVector<Value> sizes(llvm::reverse(op.getShape())), boxes, strides, steps;
  for (int64_t size : llvm::reverse(box->shape))
    boxes.push_back(integer(b, loc, size));
  Value bytes = integer(b, loc, element.getIntOrFloatBitWidth() / 8, 64);
  for (Value stride : llvm::drop_begin(llvm::reverse(op.getStrides())))
    strides.push_back(arith::MulIOp::create(b, loc, stride, bytes));
  steps.assign(sizes.size(), integer(b, loc, 1));
  ttng::TensormapCreateOp::create(b, loc, place, op.getBase(), boxes, sizes, strides, steps, *code,
                                  /*interleave_layout=*/0, swizzleCode(box->swizzleBytes),
                                  op.getPadding() == tt::PaddingOption::PAD_NAN);
  ttng::TensormapFenceproxyAcquireOp::create(b, loc, place);
  op.replaceAllUsesWith(
      ttng::ReinterpretTensorDescOp::create(b, loc, op.getType(), place).getResult());
  op.erase();
  return success();
}

struct TlxLowerDescriptors : public impl::TlxLowerDescriptorsBase<TlxLowerDescriptors> {
  void runOnOperation() override {
    WalkResult walk = getOperation().walk([](Operation *op) {
      LogicalResult done = llvm::TypeSwitch<Operation *, LogicalResult>(op)
                               .Case([](tt::DescriptorLoadOp load) { return lowerLoad(load); })
                               .Case([](tt::DescriptorStoreOp store) {
                                 return lowerWrite(store, store.getDesc(), store.getSrc(),
                                                   store.getIndices(), store.getReduceKind());
                               })
                               .Case([](tt::DescriptorReduceOp reduce) {
                                 return lowerWrite(reduce, reduce.getDesc(), reduce.getSrc(),
                                                   reduce.getIndices(), reduce.getKind());
                               })
                               .Case([](tt::MakeTensorDescOp make) { return lowerMake(make); })
                               .Default(success());
      return WalkResult(done);
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace tlx
