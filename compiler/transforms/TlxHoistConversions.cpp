// Conversions of tiles that a loop does not change leave the loop. Fragments of mma.sync,
// which would take many registers throughout, stay in shared memory instead:
//
//   %q = tt.load                      %q = tt.load ; %b = local_alloc %q
//   scf.for {                    ->   scf.for {
//     %a = convert_layout %q            %a = local_load %b
//     dot %a, ..                        dot %a, ..
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/SharedBuffers.h"

#include "compiler/analysis/EncodingToLayout.h"
#include "compiler/dialect/ttg/TTG.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tlx {
#define GEN_PASS_DEF_TLXHOISTCONVERSIONS
#include "compiler/transforms/Passes.h.inc"

namespace {

/// Registers of a thread that a fragment may take in a whole loop.
constexpr int64_t kMostRegisters = 16;

/// The outermost loop around `op` that does not change `value`; null: none.
Operation *loopToLeave(Operation *op, Value value) {
  Operation *found = nullptr;
  for (Operation *parent = op->getParentOp(); isa<LoopLikeOpInterface, scf::IfOp>(parent);
       parent = parent->getParentOp())
    if (auto loop = dyn_cast<LoopLikeOpInterface>(parent)) {
      if (!loop.isDefinedOutsideOfLoop(value))
        break;
      found = loop;
    }
  return found;
}

/// A fragment of mma.sync that takes many registers and that ldmatrix reads.
bool isLargeFragment(RankedTensorType type) {
  auto operand = dyn_cast<ttg::DotOperandEncodingAttr>(type.getEncoding());
  auto product = operand ? dyn_cast<ttg::NvidiaMmaEncodingAttr>(operand.getParent())
                         : ttg::NvidiaMmaEncodingAttr();
  if (!product || product.getVersionMajor() != 2 || type.getRank() != 2 ||
      type.getElementTypeBitWidth() != 16)
    return false;
  Result<layout::LinearLayout> layout = layoutOf(type);
  return layout && layout->inSize(layout::kRegister) * 16 / 32 > kMostRegisters;
}

class Hoister {
public:
  explicit Hoister(tt::FuncOp function) : function(function) {
    function.walk([&](ttg::LocalAllocOp op) { bytes += bytesOf(op.getType()); });
  }

  void run() {
    SmallVector<ttg::ConvertLayoutOp> conversions;
    function.walk([&](ttg::ConvertLayoutOp op) { conversions.push_back(op); });
    for (ttg::ConvertLayoutOp op : conversions)
      if (Operation *loop = loopToLeave(op, op.getSrc()))
        if (!isLargeFragment(cast<RankedTensorType>(op.getType())) || !readFromMemory(op))
          op->moveBefore(loop);
  }

private:
  bool readFromMemory(ttg::ConvertLayoutOp op) {
    Value &buffer = buffers[op.getSrc()];
    OpBuilder b(op);
    if (!buffer) {
      auto type = cast<RankedTensorType>(op.getSrc().getType());
      auto blocked = dyn_cast<ttg::BlockedEncodingAttr>(type.getEncoding());
      bool columns = blocked && blocked.getOrder().front() == 0;
      ttg::MemDescType memory =
          memoryType(type.getShape(), type.getElementType(), swizzledLayout(type, columns));
      if (bytes + bytesOf(memory) > kMostSharedBytes)
        return false;
      bytes += bytesOf(memory);
      b.setInsertionPointAfterValue(op.getSrc());
      buffer = ttg::LocalAllocOp::create(b, op.getLoc(), memory, op.getSrc(), nullptr);
      b.setInsertionPoint(op);
    }
    op.replaceAllUsesWith(
        ttg::LocalLoadOp::create(b, op.getLoc(), op.getType(), buffer, Value()).getResult());
    op.erase();
    return true;
  }

  tt::FuncOp function;
  int64_t bytes = 0; ///< of buffers
  DenseMap<Value, Value> buffers;
};

struct TlxHoistConversions : public impl::TlxHoistConversionsBase<TlxHoistConversions> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<tt::FuncOp>())
      if (!function.isExternal())
        Hoister(function).run();
  }
};

} // namespace
} // namespace tlx
