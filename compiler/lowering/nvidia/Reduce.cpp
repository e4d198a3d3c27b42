// Reductions along an axis.
//
// A thread first combines its own registers, then the lanes of a warp exchange
// partial results by shuffles, one bit of the lane at a time, then the warps
// through scratch memory; what is asked of all of them at once ("any of", "all
// of") the barrier itself answers. What bits those are is read off the layout: the bases
// that move along the axis and nowhere else. A reduction of prescribed order
// (inner_tree) combines neighbours along the axis first, so that registers whose
// elements lie further apart than those of lanes and warps come last.
#include "compiler/lowering/nvidia/Reduce.h"
#include "compiler/lowering/nvidia/Exchange.h"
#include "compiler/lowering/nvidia/Families.h"
#include "compiler/lowering/nvidia/Ptx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using tlx::layout::LinearLayout;

namespace tlx::nvidia {

/// The layout that a reduction leaves behind: the operand's, the axis gone.
static LinearLayout reducedLayout(const LinearLayout &source, unsigned axis) {
  std::string gone = layout::dimName(axis);
  LinearLayout result = source.resizeOut(gone, 0).dropOut(gone);
  for (unsigned dim = axis + 1; dim < source.outs().size(); ++dim)
    result = result.renameOut(layout::dimName(dim), layout::dimName(dim - 1));
  return result;
}

/// Bits of an input whose basis lies along the axis.
static SmallVector<unsigned> axisBits(const LinearLayout &layout, std::string_view input,
                                      unsigned axis) {
  SmallVector<unsigned> bits;
  for (unsigned bit = 0; bit < layout.inBits(input); ++bit)
    if (layout.basis(input, bit, layout::dimName(axis)) != 0)
      bits.push_back(bit);
  return bits;
}

std::optional<std::string> reductionProblem(const LinearLayout &layout, unsigned axis) {
  for (std::string_view input : {layout::kRegister, layout::kLane, layout::kWarp, layout::kBlock})
    for (unsigned bit : axisBits(layout, input, axis)) {
      if (input == layout::kBlock)
        return "across the CTAs of a cluster";
      std::vector<int32_t> basis = layout.basis(input, bit);
      basis[axis] = 0;
      if (llvm::any_of(basis, [](int32_t value) { return value != 0; }))
        return "of a layout that swizzles the axis";
    }
  return std::nullopt;
}

/// What is combined before the late registers of a prescribed order: these move along a dimension
/// of their own, behind the others. The layout itself where there are none.
static LinearLayout withoutLateRegisters(tt::ReduceOp op, const LinearLayout &layout) {
  unsigned axis = op.getAxis(), rank = layout.outs().size();
  std::string name = layout::dimName(axis);
  int64_t early = 1;
  for (std::string_view input : {layout::kLane, layout::kWarp})
    for (unsigned bit : axisBits(layout, input, axis))
      early = std::max<int64_t>(early, 2 * layout.basis(input, bit, name));
  int64_t size = layout.outSize(name);
  if (op.getReductionOrdering() != "inner_tree" || early == 1 || early == size)
    return layout;
  std::vector<std::pair<std::string, layout::Bases>> inputs;
  for (std::string_view input : {layout::kRegister, layout::kLane, layout::kWarp, layout::kBlock}) {
    layout::Bases bases;
    for (unsigned bit = 0; bit < layout.inBits(input); ++bit) {
      bases.push_back(layout.basis(input, bit));
      bases.back().push_back(bases.back()[axis] / early);
      bases.back()[axis] %= early;
    }
    inputs.emplace_back(std::string(input), bases);
  }
  std::vector<std::pair<std::string, int64_t>> outs;
  for (const LinearLayout::Dim &dim : layout.outs())
    outs.emplace_back(dim.name, dim.name == name ? early : dim.size());
  outs.emplace_back(layout::dimName(rank), size / early);
  return LinearLayout::fromBases(inputs, outs);
}

Movement reductionExchange(const LinearLayout &source, unsigned axis) {
  // Partial results of the warps side by side: a new first dimension counts the
  // warps along the axis.
  SmallVector<unsigned> warpBits = axisBits(source, layout::kWarp, axis);
  LinearLayout reduced = reducedLayout(source, axis);
  unsigned rank = reduced.outs().size();
  // Register copies are one value; lanes along the axis hold copies as well.
  std::vector<std::pair<std::string, layout::Bases>> from, to;
  for (std::string_view input : {layout::kRegister, layout::kLane, layout::kWarp}) {
    layout::Bases fromBases, toBases;
    unsigned next = 0;
    for (unsigned bit = 0; bit < reduced.inBits(input); ++bit) {
      std::vector<int32_t> basis = reduced.basis(input, bit);
      if (input == layout::kRegister && llvm::is_contained(axisBits(source, input, axis), bit))
        continue;
      std::vector<int32_t> withPart = basis, readers = basis;
      withPart.push_back(0);
      readers.push_back(0);
      if (input == layout::kWarp && llvm::is_contained(warpBits, bit))
        withPart.back() = 1 << next++;
      fromBases.push_back(withPart);
      toBases.push_back(readers);
    }
    // A reader takes all parts, in its highest registers.
    if (input == layout::kRegister)
      for (unsigned part = 0; part < warpBits.size(); ++part) {
        std::vector<int32_t> basis(rank + 1, 0);
        basis.back() = 1 << part;
        toBases.push_back(basis);
      }
    from.emplace_back(std::string(input), fromBases);
    to.emplace_back(std::string(input), toBases);
  }
  std::vector<std::pair<std::string, int64_t>> outs;
  for (const LinearLayout::Dim &dim : reduced.outs())
    outs.emplace_back(dim.name, dim.size());
  outs.emplace_back(layout::dimName(rank), int64_t(1) << warpBits.size());
  return {LinearLayout::fromBases(from, outs), LinearLayout::fromBases(to, outs)};
}

bool isQuestion(Operation *op) {
  auto reduce = dyn_cast<tt::ReduceOp>(op);
  if (!reduce || reduce.getNumOperands() != 1 || !reduce->getResult(0).getType().isInteger(1))
    return false;
  Block &body = reduce.getCombineOp().front();
  Operation *combine = &body.front();
  return isa<arith::AndIOp, arith::OrIOp>(combine) &&
         llvm::equal(combine->getOperands(), body.getArguments()) &&
         body.getTerminator()->getOperand(0) == combine->getResult(0);
}

int64_t reductionScratch(tt::ReduceOp op) {
  int64_t bytes = 0;
  if (isQuestion(op))
    return 0;
  for (Value source : op.getSrcs()) {
    auto type = cast<RankedTensorType>(source.getType());
    LinearLayout layout = std::move(*layoutOf(type));
    if (reductionProblem(layout, op.getAxis()))
      return 0;
    layout = withoutLateRegisters(op, layout);
    Movement exchange = reductionExchange(layout, op.getAxis());
    if (axisBits(layout, layout::kWarp, op.getAxis()).empty())
      return 0;
    bytes += llvm::alignTo(
        exchange.from.totalOutSize() * Emitter::memoryBits(type.getElementType()) / 8, 16);
  }
  return bytes;
}

namespace {

class Reduction {
public:
  Reduction(tt::ReduceOp op, Emitter &e)
      : op(op), e(e), axis(op.getAxis()),
        source(e.layout(cast<RankedTensorType>(op.getSrcs().front().getType()))),
        early(withoutLateRegisters(op, source)) {}

  LogicalResult run() {
    if (std::optional<std::string> problem = reductionProblem(source, axis))
      return op.emitError("'tt.reduce' ") << *problem << " has no lowering for sm_90a";
    if (isQuestion(op))
      return ask();
    if (failed(withinThread()) || failed(withinWarp()) || failed(acrossWarps()) ||
        failed(lateRegisters()))
      return failure();
    return finish();
  }

private:
  using Tuple = SmallVector<Value>;

  FailureOr<Tuple> combine(const Tuple &x, const Tuple &y) {
    Tuple inputs = x;
    llvm::append_range(inputs, y);
    return e.inlineRegion(op.getCombineOp(), inputs);
  }

  /// Neighbours first, which is also shorter than a chain.
  FailureOr<Tuple> tree(SmallVector<Tuple> parts) {
    while (parts.size() > 1) {
      SmallVector<Tuple> next;
      for (size_t index = 0; index + 1 < parts.size(); index += 2) {
        FailureOr<Tuple> both = combine(parts[index], parts[index + 1]);
        if (failed(both))
          return failure();
        next.push_back(*both);
      }
      if (parts.size() % 2)
        next.push_back(parts.back());
      parts = std::move(next);
    }
    return parts.front();
  }

  /// Bits of an input along the axis, near elements first.
  SmallVector<unsigned> nearFirst(const LinearLayout &layout, std::string_view input) const {
    SmallVector<unsigned> bits = axisBits(layout, input, axis);
    llvm::sort(bits, [&](unsigned a, unsigned b) {
      return layout.basis(input, a, layout::dimName(axis)) <
             layout.basis(input, b, layout::dimName(axis));
    });
    return bits;
  }

  /// Leaves one tuple for each register off the axis, numbered by its bits.
  LogicalResult withinThread() {
    // In the order of the axis, so that what is not commutative works too.
    SmallVector<unsigned> order = nearFirst(early, layout::kRegister);
    uint64_t copies = early.freeVariableMask(layout::kRegister), alongMask = 0;
    for (unsigned bit : order)
      alongMask |= uint64_t(1) << bit;
    SmallVector<Registers> operands;
    for (Value value : op.getSrcs())
      operands.push_back(e.get(value));
    for (int64_t first = 0; first < source.inSize(layout::kRegister); ++first) {
      if (first & alongMask)
        continue;
      SmallVector<Tuple> parts;
      for (uint64_t index = 0; index < uint64_t(1) << order.size(); ++index) {
        int64_t reg = first;
        for (size_t bit = 0; bit < order.size(); ++bit)
          if (index >> bit & 1)
            reg |= int64_t(1) << order[bit];
        if (reg & copies & alongMask)
          continue;
        Tuple tuple;
        for (const Registers &registers : operands)
          tuple.push_back(registers[reg]);
        parts.push_back(tuple);
      }
      FailureOr<Tuple> sum = tree(std::move(parts));
      if (failed(sum))
        return failure();
      partial.push_back(*sum);
    }
    return success();
  }

  LogicalResult withinWarp() {
    for (unsigned bit : nearFirst(early, layout::kLane))
      for (Tuple &tuple : partial) {
        Tuple other;
        for (Value value : tuple)
          other.push_back(e.shuffle(value, NVVM::ShflKind::bfly, e.i32(int64_t(1) << bit)));
        FailureOr<Tuple> both = combine(tuple, other);
        if (failed(both))
          return failure();
        tuple = *both;
      }
    return success();
  }

  /// One answer for all threads of the task.
  LogicalResult ask() {
    if (failed(withinThread()))
      return failure();
    const bool all = isa<arith::AndIOp>(op.getCombineOp().front().front());
    Value mine = partial.front().front(), answer;
    if (e.task.warps == 1) {
      e.taskBarrier(); // a vote orders no accesses
      answer = NVVM::VoteSyncOp::create(e.b, e.loc, e.i1Type(), e.i32(-1), mine,
                                        all ? NVVM::VoteSyncKind::all : NVVM::VoteSyncKind::any);
    } else {
      answer = ptx::namedBarrierAsk(e, e.i32(e.task.barrier), e.i32(e.task.warps * 32), mine, all);
    }
    e.set(op->getResult(0), answer);
    return success();
  }

  LogicalResult acrossWarps() {
    SmallVector<unsigned> along = axisBits(early, layout::kWarp, axis);
    if (along.empty())
      return success();
    Movement movement = reductionExchange(early, axis);
    SmallVector<Registers> all;
    int64_t offset = 0;
    // All stores, one barrier, all loads.
    SmallVector<Exchange> exchanges;
    for (size_t index = 0; index < op.getSrcs().size(); ++index) {
      Registers mine;
      for (const Tuple &tuple : partial)
        mine.push_back(tuple[index]);
      exchanges.emplace_back(e, movement, mine.front().getType(), offset).store(mine);
      auto type = cast<RankedTensorType>(op.getSrcs()[index].getType());
      offset += llvm::alignTo(
          movement.from.totalOutSize() * Emitter::memoryBits(type.getElementType()) / 8, 16);
    }
    e.taskBarrier();
    for (Exchange &exchange : exchanges)
      all.push_back(exchange.load());
    size_t count = partial.size(), parts = size_t(1) << along.size();
    for (size_t position = 0; position < count; ++position) {
      SmallVector<Tuple> ofWarps;
      for (size_t number = 0; number < parts; ++number) {
        Tuple &tuple = ofWarps.emplace_back();
        for (const Registers &registers : all)
          tuple.push_back(registers[number * count + position]);
      }
      FailureOr<Tuple> sum = tree(std::move(ofWarps));
      if (failed(sum))
        return failure();
      partial[position] = *sum;
    }
    return success();
  }

  /// Combines what registers hold along the rest of the axis.
  LogicalResult lateRegisters() {
    SmallVector<unsigned> axisRegisters = nearFirst(source, layout::kRegister), late;
    SmallVector<unsigned> done = axisBits(early, layout::kRegister, axis);
    for (unsigned bit : axisRegisters)
      if (!llvm::is_contained(done, bit)) // its place among the bits that number `partial`
        late.push_back(bit - llvm::count_if(done, [&](unsigned other) { return other < bit; }));
    uint64_t mask = 0;
    for (unsigned bit : late)
      mask |= uint64_t(1) << bit;
    SmallVector<Tuple> sums;
    for (uint64_t first = 0; first < partial.size(); ++first) {
      if (first & mask)
        continue;
      SmallVector<Tuple> parts;
      for (uint64_t index = 0; index < uint64_t(1) << late.size(); ++index) {
        uint64_t number = first;
        for (size_t bit = 0; bit < late.size(); ++bit)
          number |= (index >> bit & 1) << late[bit];
        parts.push_back(partial[number]);
      }
      FailureOr<Tuple> sum = tree(std::move(parts));
      if (failed(sum))
        return failure();
      sums.push_back(*sum);
    }
    partial = std::move(sums);
    return success();
  }

  LogicalResult finish() {
    LinearLayout reduced = reducedLayout(source, axis);
    // Every register along the axis has the result.
    SmallVector<unsigned> along = axisBits(source, layout::kRegister, axis);
    for (size_t index = 0; index < op.getSrcs().size(); ++index) {
      Value result = op->getResult(index);
      if (!isa<RankedTensorType>(result.getType())) {
        e.set(result, partial.front()[index]);
        continue;
      }
      Registers registers;
      for (int64_t reg = 0; reg < source.inSize(layout::kRegister); ++reg) {
        int64_t number = 0;
        unsigned next = 0;
        for (unsigned bit = 0; bit < source.inBits(layout::kRegister); ++bit)
          if (!llvm::is_contained(along, bit))
            number |= (reg >> bit & 1) << next++;
        registers.push_back(partial[number][index]);
      }
      const LinearLayout to = e.layout(cast<RankedTensorType>(result.getType()));
      if (!isRenaming(reduced, to))
        return op.emitError("'tt.reduce' result must have the slice of its operand's layout");
      e.set(result, convertRegisters(e, registers, reduced, to));
    }
    return success();
  }

  tt::ReduceOp op;
  Emitter &e;
  unsigned axis;
  const LinearLayout source;
  const LinearLayout early; ///< without the registers that come last
  SmallVector<Tuple> partial;
};

LogicalResult lowerReduce(tt::ReduceOp op, Emitter &e) { return Reduction(op, e).run(); }

} // namespace

void addReduce(LoweringTable &table) { table.add<tt::ReduceOp>(lowerReduce); }

} // namespace tlx::nvidia
