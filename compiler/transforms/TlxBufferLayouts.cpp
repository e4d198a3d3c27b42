// A layout that an operation requires of a buffer is that of its allocation and of
// all other views of it; buffers of tensor memory are left as they are.
//
//   %a = ttg.local_alloc : <2x64xf16, #swizzled>     %a = ttg.local_alloc : <2x64xf16, #nvmma>
//   %b = ttg.memdesc_index %a[%i]                    %b = ttg.memdesc_index %a[%i]
//   %c = tlx.require_layout %b : #nvmma              (%c is %b)
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/ValueFlow.h"

#include "compiler/dialect/tlx/TLX.h"

using namespace mlir;

namespace tlx {
#define GEN_PASS_DEF_TLXBUFFERLAYOUTS
#include "compiler/transforms/Passes.h.inc"

namespace {

ttg::MemDescType sharedType(Value value) {
  auto type = dyn_cast<ttg::MemDescType>(value.getType());
  return type && isa<ttg::SharedMemorySpaceAttr>(type.getMemorySpace()) ? type : nullptr;
}

/// The layout of a transposed view of a buffer, or the other way round; null: it has none.
Attribute transposedLayout(Attribute layout, ArrayRef<int32_t> order) {
  if (order != ArrayRef<int32_t>{1, 0})
    return {};
  if (auto swizzled = dyn_cast<ttg::SwizzledSharedEncodingAttr>(layout)) {
    SmallVector<unsigned> dims;
    for (unsigned dim : swizzled.getOrder())
      dims.push_back(1 - dim);
    return ttg::SwizzledSharedEncodingAttr::get(layout.getContext(), swizzled.getVec(),
                                                swizzled.getPerPhase(), swizzled.getMaxPhase(),
                                                dims, swizzled.getCga());
  }
  auto mma = dyn_cast<ttg::NVMMASharedEncodingAttr>(layout);
  return mma ? ttg::NVMMASharedEncodingAttr::get(layout.getContext(), mma.getSwizzlingByteWidth(),
                                                 !mma.getTransposed(), mma.getElementBitWidth(),
                                                 mma.getFp4Padded(), mma.getRank(), mma.getCga())
             : Attribute();
}

struct TlxBufferLayouts : public impl::TlxBufferLayoutsBase<TlxBufferLayouts> {
  void runOnOperation() override {
    SmallVector<tlxd::RequireLayoutOp> requests;
    getOperation().walk([&](tlxd::RequireLayoutOp op) {
      if (sharedType(op.getSrc()))
        requests.push_back(op);
    });
    if (requests.empty())
      return;
    getOperation().walk([&](Operation *op) {
      eachHandover(op, [&](OpOperand &operand, Value value) {
        if (sharedType(value)) {
          same[operand.get()].push_back(value);
          same[value].push_back(operand.get());
        }
      });
    });
    for (tlxd::RequireLayoutOp request : requests) {
      give(request.getSrc(), cast<ttg::MemDescType>(request.getType()).getEncoding());
      while (!pending.empty())
        spread(pending.pop_back_val());
      if (problem) {
        request.emitError("requires a layout of a buffer that ") << *problem;
        return signalPassFailure();
      }
    }
    for (tlxd::RequireLayoutOp request : requests) {
      request.replaceAllUsesWith(request.getSrc());
      request.erase();
    }
  }

private:
  void give(Value buffer, Attribute layout) {
    auto [known, isNew] = layouts.try_emplace(buffer, layout);
    if (!isNew) {
      if (known->second != layout)
        problem = "must have another one elsewhere";
      return;
    }
    auto type = cast<ttg::MemDescType>(buffer.getType());
    buffer.setType(ttg::MemDescType::get(type.getContext(), type.getShape(), type.getElementType(),
                                         layout, type.getMemorySpace(), type.getMutableMemory(),
                                         type.getAllocShape()));
    pending.push_back(buffer);
  }

  /// To the buffer that `buffer` is a view of, and to the views of it.
  void spread(Value buffer) {
    Attribute layout = layouts.lookup(buffer);
    for (Value other : same.lookup(buffer))
      give(other, layout);
    Operation *source = buffer.getDefiningOp();
    if (auto view = dyn_cast_or_null<ttg::MemDescTransOp>(source))
      giveTransposed(view.getSrc(), layout, view);
    else if (isa_and_nonnull<ttg::MemDescIndexOp, ttg::MemDescSubsliceOp>(source))
      give(source->getOperand(0), layout);
    else if (isa_and_nonnull<ttg::MemDescReshapeOp>(source))
      problem = "is another one in a new shape";
    for (Operation *user : buffer.getUsers()) {
      if (auto view = dyn_cast<ttg::MemDescTransOp>(user))
        giveTransposed(view.getResult(), layout, view);
      else if (isa<ttg::MemDescIndexOp, ttg::MemDescSubsliceOp>(user))
        give(user->getResult(0), layout);
      else if (isa<ttg::MemDescReshapeOp, ttg::MemDescReinterpretOp>(user))
        problem = "is seen in another shape or type";
    }
  }

  void giveTransposed(Value buffer, Attribute layout, ttg::MemDescTransOp view) {
    if (Attribute other = transposedLayout(layout, view.getOrder()))
      give(buffer, other);
    else
      problem = "is transposed in another way";
  }

  DenseMap<Value, SmallVector<Value, 1>> same; ///< what control flow makes of each other
  DenseMap<Value, Attribute> layouts;
  SmallVector<Value> pending;
  std::optional<StringRef> problem;
};

} // namespace
} // namespace tlx
