// Tiles from scalars and indices, and pairs of tiles.
#include "compiler/lowering/nvidia/Convert.h"
#include "compiler/lowering/nvidia/Families.h"

using namespace mlir;
using tlx::layout::LinearLayout;

namespace tlx::nvidia {

static LogicalResult lowerSplat(tt::SplatOp op, Emitter &e) {
  Value element = e.get(op.getSrc()).front();
  e.set(op.getResult(), Registers(e.registerTypes(op.getType()).size(), element));
  return success();
}

static LogicalResult lowerUnsplat(tt::UnsplatOp op, Emitter &e) {
  e.set(op.getResult(), e.get(op.getSrc()).front());
  return success();
}

static LogicalResult lowerMakeRange(tt::MakeRangeOp op, Emitter &e) {
  const LinearLayout &layout = e.layout(cast<RankedTensorType>(op.getType()));
  Index position(e, layout, layout::dimName(0));
  Registers results;
  for (int64_t reg = 0; reg < layout.inSize(layout::kRegister); ++reg)
    results.push_back(e.add(position.at(reg), e.i32(op.getStart())));
  e.set(op.getResult(), std::move(results));
  return success();
}

/// The registers of a tile of pairs that hold one half, as a layout of its own.
static LinearLayout halfOf(const LinearLayout &pairs, unsigned rank) {
  return pairs.resizeOut(layout::dimName(rank), 0).dropOut(layout::dimName(rank));
}

/// Register numbers of `pairs` whose last coordinate is `half`.
static SmallVector<int64_t> registersOf(const LinearLayout &pairs, unsigned rank, int64_t half) {
  SmallVector<int64_t> result;
  for (int64_t reg = 0; reg < pairs.inSize(layout::kRegister); ++reg)
    if (pairs.apply({{std::string(layout::kRegister), reg}}, layout::dimName(rank)) == half)
      result.push_back(reg);
  return result;
}

/// The halves must lie in registers of the same thread.
static bool halvesInThread(const LinearLayout &pairs, unsigned rank) {
  for (std::string_view input : {layout::kLane, layout::kWarp, layout::kBlock})
    for (unsigned bit = 0; bit < pairs.inBits(input); ++bit)
      if (pairs.basis(input, bit, layout::dimName(rank)) != 0)
        return false;
  return true;
}

static LogicalResult lowerJoin(tt::JoinOp op, Emitter &e) {
  auto half = cast<RankedTensorType>(op.getLhs().getType());
  unsigned rank = half.getRank();
  const LinearLayout pairs = e.layout(cast<RankedTensorType>(op.getType()));
  const LinearLayout from = e.layout(half), to = halfOf(pairs, rank);
  if (!halvesInThread(pairs, rank) || !isRenaming(from, to))
    return op.emitError("'tt.join' across threads has no lowering for sm_90a");
  Registers lhs = convertRegisters(e, e.get(op.getLhs()), from, to);
  Registers rhs = convertRegisters(e, e.get(op.getRhs()), from, to);
  Registers results = lhs;
  for (int64_t reg : registersOf(pairs, rank, 1))
    results[reg] = rhs[reg];
  e.set(op.getResult(), std::move(results));
  return success();
}

static LogicalResult lowerSplit(tt::SplitOp op, Emitter &e) {
  auto half = cast<RankedTensorType>(op.getOutLHS().getType());
  unsigned rank = half.getRank();
  const LinearLayout pairs = e.layout(cast<RankedTensorType>(op.getSrc().getType()));
  const LinearLayout from = halfOf(pairs, rank), to = e.layout(half);
  if (!halvesInThread(pairs, rank) || !isRenaming(from, to))
    return op.emitError("'tt.split' across threads has no lowering for sm_90a");
  Registers source = e.get(op.getSrc());
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    // Every register is given the half in question: the other's twin.
    Registers mine(source.size());
    SmallVector<int64_t> chosen = registersOf(pairs, rank, index);
    SmallVector<int64_t> other = registersOf(pairs, rank, 1 - index);
    llvm::DenseMap<uint64_t, int64_t> held;
    auto place = [&](int64_t reg) {
      return from.applyPacked(from.packIn({{std::string(layout::kRegister), reg}}));
    };
    for (int64_t reg : chosen) {
      mine[reg] = source[reg];
      held.try_emplace(place(reg), reg);
    }
    for (int64_t reg : other)
      mine[reg] = source[held.lookup(place(reg))];
    e.set(result, convertRegisters(e, mine, from, to));
  }
  return success();
}

/// In any order: each thread's own registers, one tile's after the other's.
static LogicalResult lowerCat(tt::CatOp op, Emitter &e) {
  Registers results = e.get(op.getLhs());
  llvm::append_range(results, Registers(e.get(op.getRhs())));
  if (results.size() != e.registerTypes(op.getType()).size())
    return op.emitError("'tt.cat' of tiles that threads share has no lowering for sm_90a");
  e.set(op.getResult(), std::move(results));
  return success();
}

void addShape(LoweringTable &table) {
  table.add<tt::SplatOp>(lowerSplat);
  table.add<tt::UnsplatOp>(lowerUnsplat);
  table.add<tt::MakeRangeOp>(lowerMakeRange);
  table.add<tt::JoinOp>(lowerJoin);
  table.add<tt::SplitOp>(lowerSplit);
  table.add<tt::CatOp>(lowerCat);
}

} // namespace tlx::nvidia
