// Loops marked `tt.multi_cta`: the CTAs of a cluster take turns at the rounds.
//
//   for %i = %lo to %hi step %s       for %i = %lo + rank * %s to %hi step %s * ctas
//   tt.reduce %sum            ->      tt.reduce %sum, then its result into a slot of
//                                     every CTA's buffer; tt.reduce of the slots
//
// Every CTA adds the slots in the order of ranks, so that all have the same bits. One
// cluster barrier, which is arrived at on entry and waited for before the first slot is
// sent, says that all peers' mbarriers are ready.
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/SharedBuffers.h"

#include "compiler/dialect/nvg/NVG.h"
#include "compiler/dialect/ttng/TTNG.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tlx {
#define GEN_PASS_DEF_TLXCLUSTERLOOPS
#include "compiler/transforms/Passes.h.inc"

namespace {

constexpr StringRef kMark = "tt.multi_cta";

/// The op that combines two elements, if nothing but it is in the region.
Operation *onlyOp(tt::ReduceOp reduce) {
  Block &block = reduce.getCombineOp().front();
  Operation *first = &block.front();
  bool single = block.getOperations().size() == 2 && first->getNumOperands() == 2 &&
                first->getNumResults() == 1 &&
                first->getResult(0) == block.getTerminator()->getOperand(0) &&
                llvm::is_contained(first->getOperands(), block.getArgument(0)) &&
                llvm::is_contained(first->getOperands(), block.getArgument(1));
  return single ? first : nullptr;
}

/// Whether a sum may begin with `start` in each CTA and still have it once.
bool mayRepeat(Operation *combine, Value start) {
  if (isa<arith::MaxNumFOp, arith::MinNumFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp,
          arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp, arith::AndIOp, arith::OrIOp>(combine))
    return true;
  if (isa<arith::AddFOp>(combine))
    return matchPattern(start, m_AnyZeroFloat());
  if (isa<arith::AddIOp, arith::XOrIOp>(combine))
    return matchPattern(start, m_Zero());
  return false;
}

class ClusterLoops {
public:
  ClusterLoops(tt::FuncOp function, int64_t ctas) : function(function), ctas(ctas) {}

  void run() {
    function.walk([&](scf::ForOp loop) {
      if (loop->hasAttr(kMark))
        loops.push_back(loop);
    });
    if (loops.empty() || !llvm::all_of(loops, [&](scf::ForOp loop) { return mayShare(loop); }))
      return;
    llvm::sort(reduces, [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
    OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
    Location loc = function.getLoc();
    rank = nvg::ClusterCTAIdOp::create(b, loc, b.getI32Type());
    for (tt::ReduceOp reduce : reduces)
      prepare(b, reduce);
    if (!reduces.empty()) {
      for (auto [reduce, slots, barrier] : exchanges)
        ttng::BarrierExpectOp::create(b, loc, barrier, bytesOf(slots.getType()),
                                      integer(b, loc, 1, 1));
      ttng::ClusterArriveOp::create(b, loc, /*relaxed=*/false);
      b.setInsertionPointAfter(reduces.front());
      ttng::ClusterWaitOp::create(b, loc);
    }
    for (scf::ForOp loop : loops)
      share(loop);
    for (auto [reduce, slots, barrier] : exchanges)
      exchange(reduce, slots, barrier);
  }

private:
  /// Once for each launch, so that buffers and barriers are used once.
  bool runsOnce(Operation *op) { return op->getBlock() == &function.getBody().front(); }

  bool mayShare(scf::ForOp loop) {
    if (!runsOnce(loop) || !matchPattern(loop.getStep(), m_Constant()))
      return false;
    for (auto [index, result] : llvm::enumerate(loop.getResults())) {
      Value carried = loop.getRegionIterArg(index), start = loop.getInitArgs()[index];
      Operation *next = loop.getYieldedValues()[index].getDefiningOp();
      if (!next || !carried.hasOneUse() || *carried.user_begin() != next ||
          next->getNumOperands() != 2 || next->getBlock() != loop.getBody())
        return false;
      for (Operation *user : result.getUsers()) {
        auto reduce = dyn_cast<tt::ReduceOp>(user);
        if (!reduce || !runsOnce(reduce) || reduce.getSrcs().size() != 1)
          return false;
        Operation *combine = onlyOp(reduce);
        if (!combine || combine->getName() != next->getName() || !mayRepeat(combine, start))
          return false;
        // Less than a word cannot be sent.
        unsigned bits = getElementTypeOrSelf(reduce->getResult(0)).getIntOrFloatBitWidth();
        if (bits != 32 && bits != 64)
          return false;
        reduces.push_back(reduce);
      }
    }
    return true;
  }

  /// One slot for each CTA, and what announces that all are filled.
  void prepare(OpBuilder &b, tt::ReduceOp reduce) {
    Location loc = reduce.getLoc();
    SmallVector<int64_t> shape = {ctas};
    llvm::append_range(shape, partType(reduce).getShape());
    Type element = partType(reduce).getElementType();
    Value slots = allocate(b, loc, plainMemoryType(shape, element));
    Value barrier = allocate(b, loc, barrierType(b.getContext()));
    ttng::InitBarrierOp::create(b, loc, barrier, 1);
    exchanges.emplace_back(reduce, slots, barrier);
  }

  /// What one CTA sends: a scalar as a tile of one.
  static RankedTensorType partType(tt::ReduceOp reduce) {
    Type type = reduce->getResult(0).getType();
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile ? tile : RankedTensorType::get({1}, type);
  }

  void share(scf::ForOp loop) {
    OpBuilder b(loop);
    Location loc = loop.getLoc();
    Type type = loop.getStep().getType();
    Value mine = rank, all = integer(b, loc, ctas, type.getIntOrFloatBitWidth());
    if (type.getIntOrFloatBitWidth() > 32)
      mine = arith::ExtUIOp::create(b, loc, type, mine);
    Value first = arith::MulIOp::create(b, loc, mine, loop.getStep());
    loop.setLowerBound(arith::AddIOp::create(b, loc, loop.getLowerBound(), first));
    loop.setStep(arith::MulIOp::create(b, loc, loop.getStep(), all));
    loop->removeAttr(kMark);
  }

  void exchange(tt::ReduceOp reduce, Value slots, Value barrier) {
    OpBuilder b(reduce);
    b.setInsertionPointAfter(reduce == reduces.front() ? reduce->getNextNode() : reduce);
    Location loc = reduce.getLoc();
    RankedTensorType type = partType(reduce);
    Type element = type.getElementType();
    Value part = reduce->getResult(0);
    bool scalar = part.getType() == element;
    SmallPtrSet<Operation *, 2> own;
    if (scalar) {
      part = tt::SplatOp::create(b, loc, type, part);
      own.insert(part.getDefiningOp());
    }
    Value slot =
        ttg::MemDescIndexOp::create(b, loc, plainMemoryType(type.getShape(), element), slots, rank);
    for (int64_t peer = 0; peer < ctas; ++peer)
      own.insert(
          ttg::AsyncRemoteShmemStoreOp::create(b, loc, part, slot, integer(b, loc, peer), barrier));
    ttng::WaitBarrierOp::create(b, loc, barrier, integer(b, loc, 0), /*pred=*/Value(),
                                /*deps=*/ValueRange(), /*constraints=*/nullptr);
    SmallVector<int64_t> shape = {ctas};
    if (!scalar)
      llvm::append_range(shape, type.getShape());
    else
      slots = ttg::MemDescReshapeOp::create(b, loc, plainMemoryType(shape, element), slots);
    Value parts = ttg::LocalLoadOp::create(b, loc, RankedTensorType::get(shape, element), slots,
                                           /*token=*/Value());
    IRMapping operands;
    operands.map(reduce.getSrcs().front(), parts);
    auto whole = cast<tt::ReduceOp>(b.clone(*reduce, operands));
    whole.setAxis(0);
    reduce->getResult(0).replaceAllUsesExcept(whole->getResult(0), own);
  }

  tt::FuncOp function;
  int64_t ctas;
  Value rank;
  SmallVector<scf::ForOp> loops;
  SmallVector<tt::ReduceOp> reduces;
  SmallVector<std::tuple<tt::ReduceOp, Value, Value>> exchanges;
};

struct TlxClusterLoops : public impl::TlxClusterLoopsBase<TlxClusterLoops> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    int64_t ctas = 1;
    for (const char *name : {"ttg.cluster-dim-x", "ttg.cluster-dim-y", "ttg.cluster-dim-z"})
      if (auto size = module->getAttrOfType<IntegerAttr>(name))
        ctas *= size.getInt();
    auto shared = module->getAttrOfType<IntegerAttr>("ttg.num-ctas");
    if (!llvm::isPowerOf2_64(ctas) || ctas == 1 || (shared && shared.getInt() > 1))
      return;
    for (auto function : module.getOps<tt::FuncOp>())
      if (!function.isExternal())
        ClusterLoops(function, ctas).run();
  }
};

} // namespace
} // namespace tlx
