#include "compiler/lowering/nvidia/Convert.h"

#include "compiler/analysis/EncodingToLayout.h"
#include "compiler/lowering/nvidia/Cluster.h"
#include "compiler/lowering/nvidia/Exchange.h"
#include "compiler/lowering/nvidia/Families.h"

#include "compiler/dialect/tt/TT.h"

using namespace mlir;
using tlx::layout::LinearLayout;

namespace tlx::nvidia {

/// Where the registers of `from` hold each element: packed coordinates to number.
static llvm::DenseMap<uint64_t, int64_t> holders(const LinearLayout &from) {
  llvm::DenseMap<uint64_t, int64_t> result;
  for (int64_t reg = 0; reg < from.inSize(layout::kRegister); ++reg)
    result.try_emplace(from.applyPacked(from.packIn({{std::string(layout::kRegister), reg}})), reg);
  return result;
}

bool isRenaming(const LinearLayout &from, const LinearLayout &to) {
  LinearLayout source = from.transposeOuts(to.outNames());
  for (std::string_view input : {layout::kLane, layout::kWarp, layout::kBlock}) {
    unsigned bits = std::max(source.inBits(input), to.inBits(input));
    std::vector<uint64_t> a = source.hasIn(input) ? source.packed(input) : std::vector<uint64_t>();
    std::vector<uint64_t> b = to.hasIn(input) ? to.packed(input) : std::vector<uint64_t>();
    a.resize(bits);
    b.resize(bits);
    if (a != b)
      return false;
  }
  llvm::DenseMap<uint64_t, int64_t> held = holders(source);
  for (uint64_t basis : to.packed(layout::kRegister))
    if (!held.count(basis))
      return false;
  return true;
}

/// More than this is exchanged in two halves, one after the other.
constexpr int64_t kLargestExchange = 32 * 1024;

/// A conversion cut in two along the upper half of a dimension, where on both sides
/// one register bit alone tells the halves apart.
struct Halves {
  unsigned fromBit, toBit;
  Movement half;
};

/// The register bit that stands for `value` of a dimension, if nothing else reaches
/// that bit of it.
static std::optional<unsigned> registerBitFor(const LinearLayout &layout, const std::string &dim,
                                              int64_t value) {
  std::optional<unsigned> found;
  for (const LinearLayout::Dim &input : layout.ins())
    for (unsigned bit = 0; bit < input.bits; ++bit) {
      if (!(layout.basis(input.name, bit, dim) & value))
        continue;
      std::vector<int32_t> basis = layout.basis(input.name, bit);
      int64_t all = 0;
      for (int32_t coordinate : basis)
        all |= coordinate;
      if (found || input.name != layout::kRegister || all != value ||
          layout.basis(input.name, bit, dim) != value)
        return std::nullopt;
      found = bit;
    }
  return found;
}

static LinearLayout withoutRegisterBit(const LinearLayout &layout, unsigned bit) {
  std::vector<std::pair<std::string, layout::Bases>> bases;
  std::vector<std::pair<std::string, int64_t>> outs;
  for (const LinearLayout::Dim &input : layout.ins()) {
    layout::Bases mine = layout.bases(input.name);
    if (input.name == layout::kRegister)
      mine.erase(mine.begin() + bit);
    bases.emplace_back(input.name, mine);
  }
  for (const LinearLayout::Dim &output : layout.outs())
    outs.emplace_back(output.name, output.size());
  return LinearLayout::fromBases(bases, outs);
}

static std::optional<Halves> halve(const LinearLayout &from, const LinearLayout &to) {
  for (const LinearLayout::Dim &dim : to.outs()) {
    if (dim.bits == 0)
      continue;
    std::optional<unsigned> fromBit = registerBitFor(from, dim.name, dim.size() / 2);
    std::optional<unsigned> toBit = registerBitFor(to, dim.name, dim.size() / 2);
    if (fromBit && toBit)
      return Halves{*fromBit,
                    *toBit,
                    {withoutRegisterBit(from, *fromBit).resizeOut(dim.name, dim.bits - 1),
                     withoutRegisterBit(to, *toBit).resizeOut(dim.name, dim.bits - 1)}};
  }
  return std::nullopt;
}

static std::optional<Halves> halveIfLarge(const LinearLayout &from, const LinearLayout &to,
                                          unsigned elementBits) {
  if (from.totalOutSize() * std::max(8u, elementBits) / 8 <= kLargestExchange)
    return std::nullopt;
  return halve(from, to);
}

int64_t conversionScratch(const LinearLayout &from, const LinearLayout &to, unsigned elementBits) {
  if (isRenaming(from, to))
    return 0;
  if (std::optional<Halves> halves = halveIfLarge(from, to, elementBits))
    return conversionScratch(halves->half.from, halves->half.to, elementBits);
  return from.totalOutSize() * std::max(8u, elementBits) / 8;
}

/// `number` with a bit put in at a place.
static int64_t withBit(int64_t number, unsigned place, int64_t bit) {
  int64_t low = number & ((int64_t(1) << place) - 1);
  return (number >> place << (place + 1)) | bit << place | low;
}

static Registers convertHalves(Emitter &e, const Registers &registers, const Halves &halves) {
  int64_t count = registers.size() / 2;
  Registers results(2 * halves.half.to.inSize(layout::kRegister));
  for (int64_t which : {0, 1}) {
    if (which == 1)
      e.taskBarrier(); // everyone has read the first half
    Registers mine;
    for (int64_t reg = 0; reg < count; ++reg)
      mine.push_back(registers[withBit(reg, halves.fromBit, which)]);
    Registers converted = convertRegisters(e, mine, halves.half.from, halves.half.to);
    for (auto [reg, value] : llvm::enumerate(converted))
      results[withBit(reg, halves.toBit, which)] = value;
  }
  return results;
}

Registers convertRegisters(Emitter &e, const Registers &registers, const LinearLayout &from,
                           const LinearLayout &to) {
  if (isRenaming(from, to)) {
    llvm::DenseMap<uint64_t, int64_t> held = holders(from.transposeOuts(to.outNames()));
    Registers results;
    for (int64_t reg = 0; reg < to.inSize(layout::kRegister); ++reg)
      results.push_back(registers[held.lookup(
          to.applyPacked(to.packIn({{std::string(layout::kRegister), reg}})))]);
    return results;
  }
  Type element = registers.front().getType();
  unsigned bits = isa<mlir::LLVM::LLVMPointerType>(element) ? 64 : element.getIntOrFloatBitWidth();
  if (std::optional<Halves> halves = halveIfLarge(from, to, bits))
    return convertHalves(e, registers, *halves);
  Exchange exchange(e, {from, to}, element, 0);
  bool crosses = crossesCtas(from, to);
  if (crosses) // others may still read the memory that is written here
    meetCluster(e);
  exchange.store(registers);
  if (crosses)
    meetCluster(e);
  else
    e.taskBarrier();
  return exchange.load();
}

/// A layout with one more output of a single value, named and placed as `names`
/// says.
static LinearLayout withUnitDim(LinearLayout layout, unsigned axis, unsigned rank) {
  for (unsigned dim = rank; dim-- > axis;)
    layout = layout.renameOut(layout::dimName(dim), layout::dimName(dim + 1));
  layout *= LinearLayout::zeros1D(1, layout::kRegister, layout::dimName(axis), 1);
  return layout.transposeOuts(layout::dimNames(rank + 1));
}

/// Coordinates of dimensions that the source has once become 0.
static LinearLayout projected(const LinearLayout &layout, ArrayRef<int64_t> shape) {
  LinearLayout result = layout;
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size == 1)
      result = result.resizeOut(layout::dimName(dim), 0);
  return result;
}

std::optional<Movement> movementOf(Operation *op) {
  auto of = [](Value value) {
    return std::move(*layoutOf(cast<RankedTensorType>(value.getType())));
  };
  if (auto convert = dyn_cast<ttg::ConvertLayoutOp>(op))
    return Movement{of(convert.getSrc()), of(convert.getResult())};
  if (auto expand = dyn_cast<tt::ExpandDimsOp>(op)) {
    unsigned rank = cast<RankedTensorType>(expand.getSrc().getType()).getRank();
    return Movement{withUnitDim(of(expand.getSrc()), expand.getAxis(), rank),
                    of(expand.getResult())};
  }
  if (auto broadcast = dyn_cast<tt::BroadcastOp>(op)) {
    auto type = cast<RankedTensorType>(broadcast.getSrc().getType());
    return Movement{of(broadcast.getSrc()), projected(of(broadcast.getResult()), type.getShape())};
  }
  if (auto trans = dyn_cast<tt::TransOp>(op))
    return Movement{
        of(trans.getSrc()),
        of(trans.getResult()).permuteOuts({trans.getOrder().begin(), trans.getOrder().end()})};
  if (auto reshape = dyn_cast<tt::ReshapeOp>(op))
    return Movement{of(reshape.getSrc()).rowMajorOuts("element"),
                    of(reshape.getResult()).rowMajorOuts("element")};
  return std::nullopt;
}

LogicalResult checkMeeting(Operation *op) {
  bool specialised = op->getParentOfType<tt::FuncOp>()
                         ->walk([](ttg::WarpSpecializeOp) { return WalkResult::interrupt(); })
                         .wasInterrupted();
  if (specialised)
    return op->emitError("'")
           << op->getName()
           << "' across the CTAs of a cluster has no lowering in a warp-specialised kernel";
  return success();
}

template <typename Op> static LogicalResult lowerMovement(Op op, Emitter &e) {
  std::optional<Movement> movement = movementOf(op);
  if (crossesCtas(movement->from, movement->to) && failed(checkMeeting(op)))
    return failure();
  Registers source = e.get(op.getOperand());
  e.set(op.getResult(), convertRegisters(e, source, movement->from, movement->to));
  return success();
}

void addConvert(LoweringTable &table) {
  table.add<ttg::ConvertLayoutOp>(lowerMovement<ttg::ConvertLayoutOp>);
  table.add<tt::ExpandDimsOp>(lowerMovement<tt::ExpandDimsOp>);
  table.add<tt::BroadcastOp>(lowerMovement<tt::BroadcastOp>);
  table.add<tt::TransOp>(lowerMovement<tt::TransOp>);
  table.add<tt::ReshapeOp>(lowerMovement<tt::ReshapeOp>);
}

} // namespace tlx::nvidia
