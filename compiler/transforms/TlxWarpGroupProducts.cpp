// Products that are large enough become products of warp groups (wgmma), which read
// their operands from shared memory:
//
//   %d = tt.dot %a, %b, %c   ->   %d = ttng.warp_group_dot %a', buffer of %b, %c'
//                                 ttng.warp_group_dot_wait
//
// The first operand stays in registers where the loop around has just computed it. Elements of
// other than 16 bits must lie along the sum. Where they do not, or products are too small, those of
// 8-bit floats, which `mma.sync` lacks, are products of f16, which holds them all; their sums in
// f32 are as exact as any bound on accumulation asks.
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

/// Columns that one instruction has at most, bits of a row of its first operand, and rows of a warp
/// group (PTX ISA, "wgmma.mma_async").
constexpr int64_t kMostColumns = 256, kInstructionBits = 256, kGroupRows = 64, kGroupWarps = 4;

RankedTensorType tileType(Value value) { return cast<RankedTensorType>(value.getType()); }

bool isFloat8(Value value) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(tileType(value).getElementType());
}

void widenOperands(tt::DotOp op) {
  OpBuilder b(op);
  for (OpOperand *operand : {&op.getAMutable(), &op.getBMutable()}) {
    RankedTensorType type = tileType(operand->get());
    if (isFloat8(operand->get()))
      operand->set(tt::FpToFpOp::create(
          b, op.getLoc(), RankedTensorType::get(type.getShape(), b.getF16Type()), operand->get(),
          /*rbits=*/Value(), /*rounding=*/tt::RoundingModeAttr()));
  }
}

/// Whether one instruction multiplies the elements of `op` as they are.
bool hasInstruction(tt::DotOp op) {
  Type a = tileType(op.getA()).getElementType(), b = tileType(op.getB()).getElementType();
  if (a.isInteger(8) && b.isInteger(8))
    return tileType(op.getD()).getElementType().isInteger(32);
  if (!tileType(op.getD()).getElementType().isF32())
    return false;
  return (isFloat8(op.getA()) && isFloat8(op.getB())) ||
         (a == b && (a.isF16() || a.isBF16() ||
                     (a.isF32() && op.getInputPrecision() == tt::InputPrecision::TF32)));
}

/// The layout of the product by its types; null: it has none.
Attribute productLayout(tt::DotOp op) {
  RankedTensorType d = tileType(op.getD()), a = tileType(op.getA());
  int64_t warps = ttg::contextNumWarps(op).value_or(0);
  int64_t depth = kInstructionBits / a.getElementTypeBitWidth();
  bool suits = d.getRank() == 2 && !d.getEncoding() && !a.getEncoding() && hasInstruction(op) &&
               warps > 0 && warps % kGroupWarps == 0 && d.getDimSize(0) % kGroupRows == 0 &&
               d.getDimSize(1) >= 16 && a.getDimSize(1) >= depth &&
               !op->getParentOfType<ttg::WarpSpecializePartitionsOp>();
  if (!suits)
    return {};
  int64_t down = std::min(warps, d.getDimSize(0) / 16), across = warps / down;
  int64_t columns = std::min(kMostColumns, d.getDimSize(1) / across);
  if (columns < 8)
    return {};
  return ttg::NvidiaMmaEncodingAttr::get(op.getContext(), 3, 0, {unsigned(down), unsigned(across)},
                                         ArrayAttr::get(op.getContext(), {}),
                                         {16u, unsigned(columns), unsigned(depth)});
}

class Products {
public:
  explicit Products(tt::FuncOp function) : axes(function) {}

  void convert(tt::DotOp op) {
    Attribute layout = layoutFor(op);
    if (!layout && !tileType(op.getD()).getEncoding()) {
      widenOperands(op);
      layout = layoutFor(op);
    }
    if (!layout)
      return;
    OpBuilder b(op);
    Location loc = op.getLoc();
    Value c = required(b, op.getC(), layout);
    Value a = op.getA();
    unsigned packed = 32 / tileType(a).getElementTypeBitWidth();
    if (isComputedHere(op, a))
      a = required(b, a, ttg::DotOperandEncodingAttr::get(op.getContext(), 0, layout, packed));
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
  /// The layout of the product; null: mma.sync it is.
  Attribute layoutFor(tt::DotOp op) {
    Attribute layout = productLayout(op);
    bool anyOrder = tileType(op.getA()).getElementTypeBitWidth() == 16;
    bool suits = anyOrder || (liesAlong(op, op.getA(), 1) && liesAlong(op, op.getB(), 0));
    return suits ? layout : Attribute();
  }

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

  /// Whether `inMemory` has the elements along `dim` next to each other, as instructions read
  /// elements of other than 16 bits only.
  bool liesAlong(Operation *op, Value value, unsigned dim) {
    if (auto trans = value.getDefiningOp<tt::TransOp>())
      return liesAlong(op, trans.getSrc(), 1 - dim);
    if (Value buffer = bufferRead(op, value)) {
      auto type = cast<ttg::MemDescType>(buffer.getType());
      return cast<ttg::NVMMASharedEncodingAttr>(type.getEncoding()).getTransposed() == (dim == 0);
    }
    return isColumns(value) == (dim == 0);
  }

  /// Whether `value` was loaded from memory where its columns are contiguous.
  bool isColumns(Value value) {
    auto load = value.getDefiningOp<tt::LoadOp>();
    if (!load)
      return false;
    AxisInfo info = axes.of(load.getPtr());
    return info.contiguity[0] > info.contiguity[1];
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
    OpBuilder b(op->getContext());
    b.setInsertionPointAfterValue(value);
    auto buffer =
        memoryType(type.getShape(), type.getElementType(), swizzledLayout(type, isColumns(value)));
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
