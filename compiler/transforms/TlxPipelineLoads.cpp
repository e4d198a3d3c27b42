// Loads of a loop that feed matrix products run ahead of it: copies into a ring of
// buffers (cp.async), issued some rounds before their product.
//
//   for %i ..                    copy of rounds 0 .. ahead - 1
//     %a = load f(%i)            for %i ..
//     dot %a, ..           ->      wait for round %i; copy of f(%i + ahead)
//                                  dot (ring[%i mod size]), ..
//                                wait for all
//
// What the addresses are computed from is computed a second time for the round ahead;
// loop values that only addresses need are carried for that round alone. A product of
// a warp group that only adds up is waited for one round later, so that products of
// two rounds overlap; then copies follow the wait, into what the round before read.
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/SharedBuffers.h"

#include "compiler/analysis/AxisInfo.h"
#include "compiler/dialect/tlx/TLX.h"
#include "compiler/dialect/ttng/TTNG.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tlx {
#define GEN_PASS_DEF_TLXPIPELINELOADS
#include "compiler/transforms/Passes.h.inc"

namespace {

/// Rounds that copies run ahead where there is room.
constexpr int64_t kAhead = 2;

/// Rings larger than this keep CTAs from a multiprocessor: where products do not overlap those of
/// the next round, which leaves a round other work, copies run one round ahead then.
constexpr int64_t kSmallRings = 32 * 1024;

struct Staged {
  tt::LoadOp load;
  Operation *user; ///< a buffer filled from it, a transposition before a product, or one
  ttg::MemDescType buffer;
  Value ring;
};

/// Whether the loop neither changes what later rounds load, nor learns that somebody else has
/// (barriers), nor counts copies of its own.
bool mayRunAhead(scf::ForOp loop) {
  auto isLocal = [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Read, MemoryEffects::Allocate>(effect.getEffect()) ||
           isa<ttg::SharedMemory>(effect.getResource());
  };
  return !loop.getBody()
              ->walk([&](Operation *op) {
                if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                    isa<ttng::WarpGroupDotOp, ttng::WarpGroupDotWaitOp, ttng::FenceAsyncSharedOp>(
                        op))
                  return WalkResult::advance();
                auto effects = getEffectsRecursively(op);
                return effects && llvm::all_of(*effects, isLocal) ? WalkResult::advance()
                                                                  : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// A sum of products that only the next round adds to.
struct Overlap {
  unsigned index;
  tlxd::RequireLayoutOp entry;
  ttng::WarpGroupDotWaitOp wait;
  tlxd::ReleaseLayoutOp exit;
};

class LoopPipeline {
public:
  LoopPipeline(scf::ForOp loop, const AxisInfos &axes) : loop(loop), body(loop.getBody()) {
    for (Operation &op : *body)
      if (auto load = dyn_cast<tt::LoadOp>(op))
        consider(load, axes);
  }

  void run(int64_t budget) {
    if (staged.empty() || loop.getUnsignedCmp() || !mayRunAhead(loop))
      return;
    std::optional<Overlap> sums = findOverlap();
    int64_t bytes = 0;
    for (const Staged &one : staged)
      bytes += bytesOf(one.buffer);
    for (auto [rounds, overlaps] :
         {std::pair(kAhead, true), {1, true}, {kAhead, false}, {1, false}}) {
      if (overlaps && !sums)
        continue;
      ahead = rounds;
      size = rounds + 1;
      if (bytes * size > (overlaps || rounds == 1 ? budget : std::min(budget, kSmallRings)))
        continue;
      if (overlaps)
        overlap = sums;
      return rewrite();
    }
  }

private:
  //===--------------------------------------------------------------------===//
  // Which loads
  //===--------------------------------------------------------------------===//

  /// Bytes that one copy can take at once.
  static int64_t width(tt::LoadOp load, const AxisInfo &info, unsigned dim, const AxisInfos &axes) {
    int64_t bytes = tileOf(load).getElementTypeBitWidth() / 8;
    int64_t elements = std::min(info.contiguity[dim], info.divisibility[dim] / bytes);
    if (load.getMask())
      elements = std::min(elements, axes.of(load.getMask()).constancy[dim]);
    return elements * bytes;
  }

  static RankedTensorType tileOf(tt::LoadOp load) { return cast<RankedTensorType>(load.getType()); }

  static bool isFilledWithZeros(tt::LoadOp load) {
    return !load.getOther() || matchPattern(load.getOther(), m_AnyZeroFloat()) ||
           matchPattern(load.getOther(), m_Zero());
  }

  void consider(tt::LoadOp load, const AxisInfos &axes) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    if (!type || type.getRank() != 2 || type.getEncoding() || !load->hasOneUse() ||
        load.getIsVolatile() || !isFilledWithZeros(load) || !type.getElementType().isIntOrFloat() ||
        type.getElementTypeBitWidth() < 8)
      return;
    Operation *user = *load->user_begin();
    if (user->getBlock() != body)
      return;
    AxisInfo info = axes.of(load.getPtr());
    unsigned fastest = info.contiguity[0] > info.contiguity[1] ? 0 : 1;
    // A product's operands in memory that ldmatrix or wgmma reads want whole rows of 32
    // bytes; a copy takes 4 bytes or more.
    int64_t row = type.getDimSize(fastest) * type.getElementTypeBitWidth() / 8;
    if (width(load, info, fastest, axes) < 4 || row < 32)
      return;
    ttg::MemDescType buffer =
        memoryType(type.getShape(), type.getElementType(), swizzledLayout(type, fastest == 0));
    auto feedsProduct = [](Operation *op) {
      return op->hasOneUse() && isa<tt::DotOp>(*op->user_begin());
    };
    if (auto alloc = dyn_cast<ttg::LocalAllocOp>(user))
      buffer = memoryType(type.getShape(), type.getElementType(), alloc.getType().getEncoding());
    else if (!isa<tt::DotOp>(user) && !(isa<tt::TransOp>(user) && feedsProduct(user)))
      return;
    llvm::SetVector<Operation *> sliceBefore = slice;
    llvm::SetVector<unsigned> carriedBefore = carried;
    bool known = needs(load.getPtr()) && (!load.getMask() || needs(load.getMask())) &&
                 (!load.getOther() || needs(load.getOther()));
    if (!known) {
      slice = sliceBefore;
      carried = carriedBefore;
      return;
    }
    staged.push_back({load, user, buffer, {}});
  }

  /// Puts what `value` is computed from into the slice; false: it is not only arithmetic.
  bool needs(Value value) {
    if (loop.isDefinedOutsideOfLoop(value) || value == loop.getInductionVar())
      return true;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != body)
        return false;
      unsigned index = argument.getArgNumber() - 1;
      return !carried.insert(index) || needs(loop.getYieldedValues()[index]);
    }
    Operation *op = value.getDefiningOp();
    if (op->getBlock() != body || op->getNumRegions() != 0 || !isPure(op))
      return false;
    return !slice.insert(op) || llvm::all_of(op->getOperands(), [&](Value v) { return needs(v); });
  }

  /// Whether a product may still read `operand` while the next round runs.
  bool staysForRounds(Value operand) {
    if (!isa<ttg::MemDescType>(operand.getType()))
      return false;
    if (auto view = operand.getDefiningOp<ttg::MemDescTransOp>())
      operand = view.getSrc();
    return loop.isDefinedOutsideOfLoop(operand) || llvm::any_of(staged, [&](const Staged &one) {
             return one.user == operand.getDefiningOp();
           });
  }

  /// Whether products of warp groups read rings.
  bool fences() {
    return llvm::any_of(staged, [](const Staged &one) { return isa<ttg::LocalAllocOp>(one.user); });
  }

  /// The fence behind the wait for copies does for products that read nothing else.
  void dropFences() {
    if (!fences())
      return;
    for (auto product : llvm::to_vector(body->getOps<ttng::WarpGroupDotOp>())) {
      auto fence = dyn_cast_or_null<ttng::FenceAsyncSharedOp>(product->getPrevNode());
      bool inRegisters = isa<RankedTensorType>(product.getA().getType());
      if (fence && (inRegisters || staysForRounds(product.getA())) &&
          staysForRounds(product.getB()))
        fence.erase();
    }
  }

  std::optional<Overlap> findOverlap() {
    SmallVector<ttng::WarpGroupDotOp> products(body->getOps<ttng::WarpGroupDotOp>());
    if (products.size() != 1 || !products.front()->hasOneUse())
      return std::nullopt;
    auto entry = products.front().getC().getDefiningOp<tlxd::RequireLayoutOp>();
    auto wait = dyn_cast<ttng::WarpGroupDotWaitOp>(*products.front()->user_begin());
    if (!entry || !entry->hasOneUse() || !wait || !wait->hasOneUse() ||
        wait.getInputs().size() != 1 || !staysForRounds(products.front().getA()) ||
        !staysForRounds(products.front().getB()))
      return std::nullopt;
    auto argument = dyn_cast<BlockArgument>(entry.getSrc());
    auto exit = dyn_cast<tlxd::ReleaseLayoutOp>(*wait->user_begin());
    if (!argument || argument.getOwner() != body || !argument.hasOneUse() || !exit ||
        !exit->hasOneUse())
      return std::nullopt;
    unsigned index = argument.getArgNumber() - 1;
    if (argument.getArgNumber() == 0 || loop.getYieldedValues()[index] != exit.getResult())
      return std::nullopt;
    return Overlap{index, entry, wait, exit};
  }

  /// Loop values that nothing but the slice needs.
  llvm::SetVector<unsigned> onlyAhead() {
    llvm::SetVector<Operation *> dead = slice;
    for (const Staged &one : staged)
      dead.insert(one.load);
    llvm::SetVector<unsigned> moved;
    for (unsigned index : carried)
      if (loop.getResult(index).use_empty())
        moved.insert(index);
    auto isDead = [&](OpOperand &use) {
      Operation *user = use.getOwner();
      return user == body->getTerminator() ? moved.contains(use.getOperandNumber())
                                           : dead.contains(user);
    };
    auto allDead = [&](Value value) {
      return llvm::all_of(value.getUses(), [&](OpOperand &use) { return isDead(use); });
    };
    for (bool changed = true; changed;) {
      changed =
          moved.remove_if([&](unsigned index) { return !allDead(loop.getRegionIterArg(index)); });
      changed |= dead.remove_if([&](Operation *op) {
        return !isa<tt::LoadOp>(op) && !llvm::all_of(op->getResults(), allDead);
      });
    }
    return moved;
  }

  //===--------------------------------------------------------------------===//
  // The loop that copies ahead
  //===--------------------------------------------------------------------===//

  Value stepTimes(OpBuilder &b, int64_t rounds) {
    Location loc = loop.getLoc();
    Type type = loop.getStep().getType();
    Value factor = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, rounds));
    return arith::MulIOp::create(b, loc, loop.getStep(), factor);
  }

  /// Copies of the round `ahead` of `from`, if there is one; `values` are those carried,
  /// and become the next round's.
  void copyRound(OpBuilder &b, Value from, int64_t rounds, SmallVector<Value> &values, Value slot) {
    Location loc = loop.getLoc();
    Value distance = stepTimes(b, rounds);
    Value left = arith::SubIOp::create(b, loc, loop.getUpperBound(), from);
    Value exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, left, distance);
    IRMapping map;
    map.map(loop.getInductionVar(), arith::AddIOp::create(b, loc, from, distance).getResult());
    for (auto [index, value] : llvm::zip(carried, values))
      map.map(carriedArguments[index], value);
    for (Operation *op : ordered)
      b.clone(*op, map);
    for (const Staged &one : staged) {
      tt::LoadOp load = one.load;
      Type flags = RankedTensorType::get(tileOf(load).getShape(), b.getI1Type());
      Value mask = tt::SplatOp::create(b, loc, flags, exists);
      if (load.getMask())
        mask = arith::AndIOp::create(b, loc, mask, map.lookupOrDefault(load.getMask()));
      Value other = load.getOther() ? map.lookupOrDefault(load.getOther()) : Value();
      Value place = ttg::MemDescIndexOp::create(b, loc, one.buffer, one.ring, slot);
      Value copy = ttg::AsyncCopyGlobalToLocalOp::create(
          b, load.getLoc(), map.lookupOrDefault(load.getPtr()), place, mask, other,
          /*bulkSize=*/Value(), /*barrier=*/Value(), load.getCache(), load.getEvict(),
          /*isVolatile=*/false, /*useBulk=*/false, /*contiguity=*/1);
      ttg::AsyncCommitGroupOp::create(b, loc, copy);
    }
    for (auto [index, value] : llvm::zip(carried, values))
      value = map.lookupOrDefault(yielded[index]);
  }

  Value nextSlot(OpBuilder &b, Value slot) {
    Location loc = loop.getLoc();
    Value next = arith::AddIOp::create(b, loc, slot, integer(b, loc, 1));
    Value wraps =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next, integer(b, loc, size));
    return arith::SelectOp::create(b, loc, wraps, integer(b, loc, 0), next);
  }

  void rewrite() {
    OpBuilder b(loop);
    Location loc = loop.getLoc();
    for (Operation &op : *body)
      if (slice.contains(&op))
        ordered.push_back(&op);
    dropFences();
    yielded = llvm::to_vector(loop.getYieldedValues());
    carriedArguments = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
    for (Staged &one : staged) {
      SmallVector<int64_t> shape = {size};
      llvm::append_range(shape, one.buffer.getShape());
      one.ring = allocate(b, loc,
                          memoryType(shape, one.buffer.getElementType(), one.buffer.getEncoding()));
    }
    SmallVector<Value> values;
    for (unsigned index : carried)
      values.push_back(loop.getInitArgs()[index]);
    for (int64_t round = 0; round < ahead; ++round)
      copyRound(b, loop.getLowerBound(), round, values, integer(b, loc, round));

    llvm::SetVector<unsigned> moved = onlyAhead();
    SmallVector<Value> inits;
    SmallVector<unsigned> kept;
    for (auto [index, init] : llvm::enumerate(loop.getInitArgs())) {
      if (moved.contains(index))
        continue;
      kept.push_back(index);
      bool sums = overlap && overlap->index == index;
      inits.push_back(sums ? tlxd::RequireLayoutOp::create(b, loc, overlap->entry.getType(), init)
                           : init);
    }
    llvm::append_range(inits, values);
    inits.push_back(integer(b, loc, 0));
    inits.push_back(integer(b, loc, ahead));
    scf::ForOp next = scf::ForOp::create(b, loc, loop.getLowerBound(), loop.getUpperBound(),
                                         loop.getStep(), inits);
    next->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    fill(next, kept);
    leave(next, kept);
  }

  /// The operation that must not begin before copies have arrived: the first product where only
  /// products of warp groups read rings, or its fence.
  Operation *firstReader() {
    if (llvm::all_of(staged, [](const Staged &one) { return isa<ttg::LocalAllocOp>(one.user); }))
      for (auto product : body->getOps<ttng::WarpGroupDotOp>())
        if (staysForRounds(product.getA()) || staysForRounds(product.getB())) {
          auto fence = dyn_cast_or_null<ttng::FenceAsyncSharedOp>(product->getPrevNode());
          return fence ? fence.getOperation() : product.getOperation();
        }
    return &body->front();
  }

  /// Moves the body over, with copies in front of what reads them and reads of the ring in place
  /// of loads.
  void fill(scf::ForOp next, ArrayRef<unsigned> kept) {
    Location loc = loop.getLoc();
    Block *target = next.getBody();
    MutableArrayRef<BlockArgument> arguments = next.getRegionIterArgs();
    Operation *front = firstReader();
    OpBuilder b(front);
    Value token = ttg::AsyncWaitOp::create(b, loc, ValueRange(), (ahead - 1) * staged.size());
    if (fences() && !isa<ttng::FenceAsyncSharedOp>(front))
      front = ttng::FenceAsyncSharedOp::create(b, loc, false);
    else if (!fences())
      front = token.getDefiningOp();
    SmallVector<Value> values(arguments.slice(kept.size(), carried.size()));
    Value reads = arguments[arguments.size() - 2], writes = arguments.back();

    Operation *terminator = body->getTerminator();
    target->getOperations().splice(target->end(), body->getOperations());
    b.setInsertionPointAfter(overlap ? overlap->wait.getOperation() : front);
    copyRound(b, next.getInductionVar(), ahead, values, writes);
    loop.getInductionVar().replaceAllUsesWith(next.getInductionVar());
    for (auto [number, index] : llvm::enumerate(kept))
      carriedArguments[index].replaceAllUsesWith(arguments[number]);
    // The rest has only users that go.
    for (auto [number, index] : llvm::enumerate(carried))
      carriedArguments[index].replaceAllUsesWith(arguments[kept.size() + number]);
    for (Staged &one : staged)
      readRing(one, reads, token);

    b.setInsertionPoint(terminator);
    SmallVector<Value> results;
    for (unsigned index : kept)
      results.push_back(terminator->getOperand(index));
    if (overlap) {
      overlap->entry.replaceAllUsesWith(overlap->entry.getSrc());
      overlap->entry.erase();
      overlap->wait.setPendings(1);
      results[llvm::find(kept, overlap->index) - kept.begin()] = overlap->wait.getResult(0);
    }
    llvm::append_range(results, values);
    results.push_back(nextSlot(b, reads));
    results.push_back(nextSlot(b, writes));
    terminator->setOperands(results);
    if (overlap)
      overlap->exit.erase();
    for (Operation *op : llvm::reverse(ordered))
      if (isOpTriviallyDead(op))
        op->erase();
  }

  static void readRing(Staged &one, Value slot, Value token) {
    OpBuilder b(one.load);
    Location loc = one.load.getLoc();
    Value place = ttg::MemDescIndexOp::create(b, loc, one.buffer, one.ring, slot);
    Operation *read = one.load;
    if (isa<ttg::LocalAllocOp>(one.user)) {
      one.user->getResult(0).replaceAllUsesWith(place);
      one.user->erase();
    } else {
      if (isa<tt::TransOp>(one.user)) {
        place = transposed(b, loc, place);
        read = one.user;
      }
      Value tile = ttg::LocalLoadOp::create(b, loc, read->getResult(0).getType(), place, token);
      read->getResult(0).replaceAllUsesWith(tile);
      if (read != one.load)
        read->erase();
    }
    one.load.erase();
  }

  void leave(scf::ForOp next, ArrayRef<unsigned> kept) {
    OpBuilder b(loop);
    Location loc = loop.getLoc();
    for (auto [number, index] : llvm::enumerate(kept)) {
      Value result = next.getResult(number);
      if (overlap && overlap->index == index) {
        result = ttng::WarpGroupDotWaitOp::create(b, loc, result, 0).getResult(0);
        result = tlxd::ReleaseLayoutOp::create(b, loc, loop.getResult(index).getType(), result);
      }
      loop.getResult(index).replaceAllUsesWith(result);
    }
    // Behind the products' wait, in front of which ptxas wants nothing.
    ttg::AsyncWaitOp::create(b, loc, ValueRange(), 0);
    for (const Staged &one : staged)
      ttg::LocalDeallocOp::create(b, loc, one.ring);
    loop.erase();
  }

  scf::ForOp loop;
  Block *body;
  SmallVector<Staged> staged;
  llvm::SetVector<Operation *> slice; ///< what the addresses are computed from
  llvm::SetVector<unsigned> carried;  ///< loop values among that
  SmallVector<Operation *> ordered;   ///< the slice as it stands
  SmallVector<Value> yielded, carriedArguments;
  std::optional<Overlap> overlap;
  int64_t ahead = 0, size = 0; ///< rounds; of the rings
};

struct TlxPipelineLoads : public impl::TlxPipelineLoadsBase<TlxPipelineLoads> {
  void runOnOperation() override {
    if (!isForHopper(getOperation()))
      return;
    for (auto function : getOperation().getOps<tt::FuncOp>()) {
      if (function.isExternal())
        continue;
      SmallVector<scf::ForOp> loops;
      // Memory that roles would need at the same time is the program's to plan.
      function.walk([&](scf::ForOp loop) {
        if (!loop->getParentOfType<ttg::WarpSpecializeOp>())
          loops.push_back(loop);
      });
      AxisInfos axes(function);
      for (scf::ForOp loop : loops) {
        int64_t taken = 0;
        function.walk([&](ttg::LocalAllocOp op) {
          if (!op.getSrc())
            taken += bytesOf(op.getType());
        });
        LoopPipeline(loop, axes).run(kMostSharedBytes - taken);
      }
    }
  }
};

} // namespace
} // namespace tlx
