// Products that are large enough become products of warp groups (wgmma), which read
// their operands from shared memory:
//
//   %d = tt.dot %a, %b, %c   ->   %d = ttng.warp_group_dot %a', buffer of %b, %c'
//                                 ttng.warp_group_dot_wait
//
// The first operand stays in registers where the loop around has just computed it.
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/SharedBuffers.h"

#include "compiler/analysis/AxisInfo.h"
#include "compiler/dialect/tlx/TLX.h"
#include "compiler/dialect/ttng/TTNG.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tlx {
#define GEN_PASS_DEF_TLXWARPGROUPPRODUCTS
#include "compiler/transforms/Passes.h.inc"

namespace {

/// Columns that one instruction has at most, and rows of a warp group (PTX ISA,
/// "wgmma.mma_async").
constexpr int64_t kMostColumns = 256, kGroupRows = 64, kGroupWarps = 4;

RankedTensorType tileType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The layout of the product; null: mma.sync it is.
Attribute productLayout(tt::DotOp op) {
  RankedTensorType d = tileType(op.getD()), a = tileType(op.getA());
  Type element = a.getElementType();
  int64_t warps = ttg::contextNumWarps(op).value_or(0);
  bool suits = d.getRank() == 2 && !d.getEncoding() && !a.getEncoding() &&
               d.getElementType().isF32() && (element.isF16() || element.isBF16()) &&
               element == tileType(op.getB()).getElementType() && warps > 0 &&
               warps % kGroupWarps == 0 && d.getDimSize(0) % kGroupRows == 0 &&
               d.getDimSize(1) >= 16 && a.getDimSize(1) >= 16 &&
               !op->getParentOfType<ttg::WarpSpecializePartitionsOp>();
  if (!suits)
    return {};
  int64_t down = std::min(warps, d.getDimSize(0) / 16), across = warps / down;
  int64_t columns = std::min(kMostColumns, d.getDimSize(1) / across);
  if (columns < 8)
    return {};
  return ttg::NvidiaMmaEncodingAttr::get(op.getContext(), 3, 0, {unsigned(down), unsigned(across)},
                                         ArrayAttr::get(op.getContext(), {}),
                                         {16u, unsigned(columns), 16u});
}

class Products {
public:
  explicit Products(tt::FuncOp function) : axes(function) {}

  void convert(tt::DotOp op) {
    Attribute layout = productLayout(op);
    if (!layout)
      return;
    OpBuilder b(op);
    Location loc = op.getLoc();
    Value c = required(b, op.getC(), layout);
    Value a = op.getA();
    if (isComputedHere(op, a))
      a = required(b, a, ttg::DotOperandEncodingAttr::get(op.getContext(), 0, layout, 2));
    else
      a = inMemory(op, a);
    Value columns = inMemory(op, op.getB());
    // Whoever filled them did so by ordinary stores.
    if (llvm::any_of(ValueRange{a, columns}, [&](Value operand) { return isFilled(operand); }))
      ttng::FenceAsyncSharedOp::create(b, loc, false);
    Value d = ttng::WarpGroupDotOp::create(b, loc, c.getType(), a, columns, c,
                                           /*useC=*/Value(), op.getInputPrecision(),
                                           op.getMaxNumImpreciseAcc(), /*isAsync=*/true);
    Value done = ttng::WarpGroupDotWaitOp::create(b, loc, d, 0).getResult(0);
    llvm::SmallSetVector<Operation *, 2> sources;
    for (Value read : {op.getA(), op.getB()})
      sources.insert(read.getDefiningOp());
    op.replaceAllUsesWith(tlxd::ReleaseLayoutOp::create(b, loc, op.getType(), done).getResult());
    op.erase();
    // Reads and transpositions that are views now.
    for (Operation *source : sources)
      if (source && isOpTriviallyDead(source))
        source->erase();
  }

private:
  static Value required(OpBuilder &b, Value value, Attribute layout) {
    RankedTensorType type = tileType(value);
    auto wanted = RankedTensorType::get(type.getShape(), type.getElementType(), layout);
    return tlxd::RequireLayoutOp::create(b, value.getLoc(), wanted, value);
  }

  static bool isFilled(Value operand) {
    if (auto view = operand.getDefiningOp<ttg::MemDescTransOp>())
      operand = view.getSrc();
    auto alloc = operand.getDefiningOp<ttg::LocalAllocOp>();
    return alloc && alloc.getSrc();
  }

  /// In the loop of `op`, and not read from memory.
  static bool isComputedHere(tt::DotOp op, Value value) {
    Operation *from = value.getDefiningOp();
    auto loop = op->getParentOfType<LoopLikeOpInterface>();
    return from && loop && loop->isProperAncestor(from) &&
           !isa<tt::LoadOp, tt::TransOp, ttg::LocalLoadOp>(from);
  }

  /// The buffer that `value` was read from, if it still holds that at `op`.
  static Value bufferRead(Operation *op, Value value) {
    auto load = value.getDefiningOp<ttg::LocalLoadOp>();
    if (!load || load->getBlock() != op->getBlock() || load.getToken() ||
        !isa<ttg::NVMMASharedEncodingAttr>(load.getSrc().getType().getEncoding()))
      return {};
    for (Operation *between = load; between != op; between = between->getNextNode())
      if (!isa<ttg::LocalLoadOp, ttng::InvalBarrierOp>(between) && !isPure(between))
        return {};
    return load.getSrc();
  }

  Value inMemory(Operation *op, Value value) {
    if (auto trans = value.getDefiningOp<tt::TransOp>()) {
      OpBuilder b(op);
      return transposed(b, trans.getLoc(), inMemory(op, trans.getSrc()));
    }
    if (Value buffer = bufferRead(op, value))
      return buffer;
    if (Value known = buffers.lookup(value))
      return known;
    RankedTensorType type = tileType(value);
    bool columns = false;
    if (auto load = value.getDefiningOp<tt::LoadOp>()) {
      AxisInfo info = axes.of(load.getPtr());
      columns = info.contiguity[0] > info.contiguity[1];
    }
    OpBuilder b(op->getContext());
    b.setInsertionPointAfterValue(value);
    auto buffer = memoryType(type.getShape(), type.getElementType(), swizzledLayout(type, columns));
    return buffers[value] =
               ttg::LocalAllocOp::create(b, value.getLoc(), buffer, value, nullptr).getResult();
  }

  AxisInfos axes;
  DenseMap<Value, Value> buffers;
};

struct TlxWarpGroupProducts : public impl::TlxWarpGroupProductsBase<TlxWarpGroupProducts> {
  void runOnOperation() override {
    if (!isForHopper(getOperation()))
      return;
    for (auto function : getOperation().getOps<tt::FuncOp>()) {
      if (function.isExternal())
        continue;
      SmallVector<tt::DotOp> dots;
      function.walk([&](tt::DotOp op) { dots.push_back(op); });
      Products products(function);
      for (tt::DotOp op : dots)
        products.convert(op);
    }
  }
};

} // namespace
} // namespace tlx
