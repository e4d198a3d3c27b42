// What layouts tell: which elements a thread holds, and about an op's cost whether a
// change of layout moves data at all, how wide shared-memory accesses are and how their
// banks meet, and how many threads hold a copy of the same element.
#include "compiler/export/Exporter.h"

#include "compiler/analysis/EncodingToLayout.h"
#include "compiler/layout/Queries.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace tlx {

using layout::LinearLayout;

static unsigned bitsOf(Type element) {
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

/// The register layout of a tile, when it has one yet.
static std::optional<LinearLayout> registersOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getEncoding())
    return std::nullopt;
  Result<LinearLayout> found = layoutOf(tensor);
  if (!found)
    return std::nullopt;
  return *found;
}

std::optional<ElementSlots> elementSlots(Type type) {
  std::optional<LinearLayout> registers = registersOf(type);
  if (!registers || registers->inBits(layout::kBlock))
    return std::nullopt;
  LinearLayout rowMajor = registers->rowMajorOuts(layout::dimName(0));
  ElementSlots slots;
  slots.registers = int32_t(rowMajor.inSize(layout::kRegister));
  for (int64_t warp = 0; warp < rowMajor.inSize(layout::kWarp); ++warp)
    for (int64_t lane = 0; lane < rowMajor.inSize(layout::kLane); ++lane)
      for (int64_t reg = 0; reg < slots.registers; ++reg)
        slots.elements.push_back(rowMajor.apply({{std::string(layout::kRegister), reg},
                                                 {std::string(layout::kLane), lane},
                                                 {std::string(layout::kWarp), warp}},
                                                layout::dimName(0)));
  return slots;
}

/// Whether each warp holds 32 rows of the tile, a lane each: so tensor memory of 128 lanes is read,
/// and what works within rows leaves them there, wherever their columns go.
static bool hasRowPerLane(Value tile, unsigned depth = 0) {
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  Operation *op = tile.getDefiningOp();
  if (!type || !op || depth > 32 || type.getRank() < 2 || type.getDimSize(0) != 128)
    return false;
  if (isa<ttng::TMEMLoadOp>(op))
    return true;
  bool withinRows =
      TypeSwitch<Operation *, bool>(op)
          .Case<tt::ReduceOp>([](auto reduce) { return reduce.getAxis() != 0; })
          .Case<tt::ElementwiseInlineAsmOp, tt::ReshapeOp, arith::SelectOp, tlxd::ReleaseLayoutOp,
                tlxd::RequireLayoutOp>([](auto) { return true; })
          .Default([](Operation *op) { return op->hasTrait<OpTrait::Elementwise>(); });
  return withinRows && llvm::any_of(op->getOperands(),
                                    [&](Value from) { return hasRowPerLane(from, depth + 1); });
}

std::optional<ElementSlots> elementSlots(Value tile) {
  if (std::optional<ElementSlots> slots = elementSlots(tile.getType());
      slots || !hasRowPerLane(tile))
    return slots;
  auto type = cast<RankedTensorType>(tile.getType());
  ElementSlots slots;
  slots.registers = int32_t(type.getNumElements() / type.getDimSize(0));
  slots.elements.resize(type.getNumElements());
  std::iota(slots.elements.begin(), slots.elements.end(), 0);
  return slots;
}

std::vector<int64_t> warpGroupBits(Type type) {
  std::optional<LinearLayout> registers = registersOf(type);
  if (!registers || registers->inBits(layout::kBlock))
    return {};
  LinearLayout rowMajor = registers->rowMajorOuts(layout::dimName(0));
  std::vector<int64_t> bits;
  int64_t others = 0;
  for (std::string_view in : {layout::kWarp, layout::kLane, layout::kRegister})
    for (unsigned bit = 0; bit < rowMajor.inBits(in); ++bit) {
      int64_t element = rowMajor.basis(in, bit, layout::dimName(0));
      if (in == layout::kWarp && bit >= 2)
        bits.push_back(element);
      else
        others |= element;
    }
  for (int64_t bit : bits) // a copy (zero), or a bit that other inputs move as well
    if (!layout::isPowerOf2(bit) || (others & bit))
      return {};
  return bits;
}

void setReductionOrder(tt::ReduceOp op, sim::Attrs &attrs) {
  auto type = cast<RankedTensorType>(op.getSrcs().front().getType());
  int64_t length = type.getDimSize(op.getAxis());
  if (length < 2 || !layout::isPowerOf2(length))
    return;
  // Neighbours first, whatever the layout: halves of an axis with its bits reversed.
  if (op.getReductionOrdering() == "inner_tree") {
    for (int64_t place = 0; place < length; ++place) {
      int64_t from = 0;
      for (int64_t bit = 1; bit < length; bit *= 2)
        from = 2 * from + (place & bit ? 1 : 0);
      attrs.ints.push_back(from);
    }
    return;
  }
  std::optional<LinearLayout> registers = registersOf(type);
  if (!registers || registers->inBits(layout::kBlock))
    return;
  // A thread's registers one by one; then lanes, then warps exchange with those whose
  // highest bit differs, and so on down. Bits that move other coordinates as well: unknown.
  std::string axis = layout::dimName(op.getAxis());
  std::vector<int64_t> places{0};
  int64_t perThread = 1;
  for (std::string_view in : {layout::kWarp, layout::kLane, layout::kRegister})
    for (unsigned bit = 0; bit < registers->inBits(in); ++bit) {
      int64_t step = registers->basis(in, bit, axis);
      if (step == 0)
        continue;
      if (llvm::count_if(registers->basis(in, bit), [](int32_t x) { return x != 0; }) > 1)
        return;
      for (size_t i = 0, count = places.size(); i < count; ++i)
        places.push_back(places[i] ^ step);
      perThread *= in == layout::kRegister ? 2 : 1;
    }
  if (int64_t(places.size()) != length)
    return;
  attrs.ints = std::move(places);
  attrs.count = perThread;
}

/// Different elements that a thread holds: a second copy of one takes no instruction.
static int64_t elementsPerThread(const LinearLayout &registers) {
  int64_t count = 1;
  for (unsigned bit = 0; bit < registers.inBits(layout::kRegister); ++bit)
    if (llvm::any_of(registers.basis(layout::kRegister, bit), [](int32_t x) { return x != 0; }))
      count *= 2;
  return count;
}

/// Elements that all threads together compute, those that several of them hold once for each.
static int64_t slotsOf(const LinearLayout &registers) {
  return elementsPerThread(registers) * registers.inSize(layout::kLane) *
         registers.inSize(layout::kWarp);
}

static void refineConversion(ttg::ConvertLayoutOp op, sim::Cost &cost) {
  std::optional<LinearLayout> from = registersOf(op.getSrc().getType()),
                              to = registersOf(op.getType());
  if (!from || !to)
    return;
  Result<layout::Conversion> kind = layout::conversionKind(*from, *to);
  if (!kind)
    return;
  switch (*kind) {
  case layout::Conversion::None:
  case layout::Conversion::Registers: cost.unit = CostUnit::None; break;
  case layout::Conversion::Lanes: cost.unit = CostUnit::Shuffle; break;
  case layout::Conversion::Warps:
  case layout::Conversion::Blocks: cost.unit = CostUnit::SharedMemory; break;
  }
}

/// One load or store of a tile in a buffer.
static void refineSharedAccess(Type tile, Type buffer, sim::Cost &cost) {
  auto memory = dyn_cast<ttg::MemDescType>(buffer);
  std::optional<LinearLayout> registers = registersOf(tile);
  if (!memory || !registers || memory.getShape() != cast<RankedTensorType>(tile).getShape())
    return;
  Result<LinearLayout> shared = layoutOf(memory);
  if (!shared)
    return;
  Result<LinearLayout> toShared = layout::registersToShared(*registers, *shared);
  if (!toShared)
    return;
  unsigned bits = bitsOf(memory.getElementType());
  if (bits < 8)
    return;
  unsigned vector = layout::maxVectorElements(*toShared, bits);
  layout::BankCost bank = layout::bankCost(*toShared, bits, vector);
  int64_t perWarp = std::max<int64_t>(1, elementsPerThread(*registers) / vector);
  int64_t warps = registers->inSize(layout::kWarp);
  cost.sharedWavefronts = perWarp * warps * bank.wavefronts;
  // Pairs of 16-bit elements as matrix products lay them out move four at a time
  // (ldmatrix, stmatrix).
  bool matrix = bits == 16 && vector == 2 && perWarp % 4 == 0;
  cost.warpInstructions = perWarp * warps / (matrix ? 4 : 1);
}

/// Who holds which element of the tile that the op's work depends on.
static void setTileLayout(Type tile, sim::Cost &cost) {
  std::optional<LinearLayout> registers = registersOf(tile);
  if (!registers || registers->inBits(layout::kBlock))
    return;
  auto bitsOf = [&](std::string_view in, sim::TileLayout::Bits &bits) {
    for (unsigned bit = 0; bit < registers->inBits(in); ++bit)
      bits.push_back(registers->basis(in, bit));
  };
  bitsOf(layout::kRegister, cost.layout.registers);
  bitsOf(layout::kLane, cost.layout.lanes);
  bitsOf(layout::kWarp, cost.layout.warps);
}

void refineCostByLayout(Operation *op, sim::Cost &cost) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp, tt::AtomicCASOp>(
          [&](auto access) { setTileLayout(access.getPtr().getType(), cost); })
      .Case<ttg::AsyncCopyGlobalToLocalOp>([&](auto copy) {
        setTileLayout(copy.getSrc().getType(), cost);
        refineSharedAccess(copy.getSrc().getType(), copy.getResult().getType(), cost);
      })
      .Case<tt::ReduceOp>(
          [&](auto reduce) { setTileLayout(reduce.getSrcs().front().getType(), cost); })
      .Case<ttg::ConvertLayoutOp>([&](auto convert) { refineConversion(convert, cost); })
      .Case<ttg::LocalLoadOp>(
          [&](auto load) { refineSharedAccess(load.getType(), load.getSrc().getType(), cost); })
      .Case<ttg::LocalStoreOp>([&](auto store) {
        refineSharedAccess(store.getSrc().getType(), store.getDst().getType(), cost);
      })
      .Case<ttg::LocalAllocOp>([&](auto alloc) {
        if (alloc.getSrc())
          refineSharedAccess(alloc.getSrc().getType(), alloc.getType(), cost);
      })
      .Default([&](Operation *other) {
        if (other->getNumResults() != 1)
          return;
        std::optional<LinearLayout> registers = registersOf(other->getResult(0).getType());
        if (!registers)
          return;
        cost.registersPerThread = int32_t(elementsPerThread(*registers));
        cost.elements = std::max(cost.elements, slotsOf(*registers));
      });
}

} // namespace tlx
