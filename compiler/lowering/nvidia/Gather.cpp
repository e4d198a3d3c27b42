// Elements picked by index tiles: gathers and scatters in buffers, tt.gather,
// scans and histograms, all through shared memory.
//
// The offset of an element is the exclusive or of what each of its coordinates
// contributes; a coordinate that is only known at run time contributes bit by bit.
#include "compiler/lowering/nvidia/Gather.h"

#include "compiler/lowering/nvidia/Families.h"
#include "compiler/lowering/nvidia/Ptx.h"

#include "compiler/analysis/EncodingToLayout.h"

using namespace mlir;
using tlx::layout::LinearLayout;

namespace tlx::nvidia {

/// Row-major order of a tile in scratch memory.
static LinearLayout rowMajor(ArrayRef<int64_t> shape) {
  std::vector<unsigned> sizes(shape.begin(), shape.end()), order;
  for (unsigned dim = sizes.size(); dim-- > 0;)
    order.push_back(dim);
  return LinearLayout::identityND(layout::kOffset, sizes, order)
      .transposeOuts(layout::dimNames(sizes.size()));
}

static int64_t bytesIn(Type element) { return Emitter::memoryBits(element) / 8; }

namespace {

/// Addresses of elements of one buffer, by the coordinates of a tile's registers.
class Picker {
public:
  Picker(Emitter &e, const LinearLayout &tile, const LinearLayout &shared, int64_t elementBytes)
      : e(e), toOffset(shared.pseudoInverse()), bytes(elementBytes) {
    for (unsigned dim = 0; dim < tile.outs().size(); ++dim)
      coordinates.emplace_back(e, tile, layout::dimName(dim));
  }

  Value coordinate(int64_t reg, unsigned dim) { return coordinates[dim].at(reg); }

  /// Of register `reg`, the coordinate along `axis` replaced.
  Value address(Buffer buffer, int64_t reg, unsigned axis, Value replaced) {
    Value offset = buffer.flip;
    for (unsigned dim = 0; dim < coordinates.size(); ++dim) {
      Value at = dim == axis ? replaced : coordinates[dim].at(reg);
      SmallVector<int64_t> bases;
      for (unsigned bit = 0; bit < toOffset.inBits(layout::dimName(dim)); ++bit)
        bases.push_back(toOffset.basis(layout::dimName(dim), bit, layout::kOffset) * bytes);
      offset = e.bxor(offset, e.flipped(at, bases));
    }
    return e.add(buffer.base, offset);
  }

private:
  Emitter &e;
  LinearLayout toOffset;
  int64_t bytes;
  SmallVector<Index, 4> coordinates;
};

Value indexOf(Emitter &e, Value index) { return e.resize(index, e.i32Type()); }

Value loadElement(Emitter &e, Type type, Value address) {
  bool bit = type.isInteger(1);
  Value loaded = e.loadShared(bit ? e.b.getI8Type() : type, address);
  return bit ? e.resize(loaded, type) : loaded;
}

void storeElement(Emitter &e, Value value, Value address) {
  e.storeShared(value.getType().isInteger(1) ? e.resize(value, e.b.getI8Type()) : value, address);
}

LogicalResult lowerLocalGather(ttg::LocalGatherOp op, Emitter &e) {
  auto type = cast<RankedTensorType>(op.getType());
  auto memory = cast<ttg::MemDescType>(op.getSrc().getType());
  Picker picker(e, e.layout(cast<RankedTensorType>(op.getIndices().getType())), e.layout(memory),
                bytesIn(memory.getElementType()));
  Registers results;
  for (auto [reg, index] : llvm::enumerate(Registers(e.get(op.getIndices()))))
    results.push_back(
        loadElement(e, e.scalarType(type),
                    picker.address(e.buffer(op.getSrc()), reg, op.getAxis(), indexOf(e, index))));
  e.set(op.getResult(), std::move(results));
  return success();
}

LogicalResult lowerLocalScatter(ttg::LocalScatterOp op, Emitter &e) {
  auto memory = cast<ttg::MemDescType>(op.getDst().getType());
  Picker picker(e, e.layout(cast<RankedTensorType>(op.getIndices().getType())), e.layout(memory),
                bytesIn(memory.getElementType()));
  const Registers &values = e.get(op.getValues());
  for (auto [reg, index] : llvm::enumerate(Registers(e.get(op.getIndices()))))
    storeElement(e, values[reg],
                 picker.address(e.buffer(op.getDst()), reg, op.getAxis(), indexOf(e, index)));
  return success();
}

Buffer scratchAt(Emitter &e, int64_t offset) {
  return {e.add(e.scratch(), e.i32(offset)), e.i32(0)};
}

/// Whether the CTAs of a cluster hold other parts of a tile along a dimension.
bool isSplit(const LinearLayout &layout, unsigned dim) {
  for (unsigned bit = 0; bit < layout.inBits(layout::kBlock); ++bit)
    if (layout.basis(layout::kBlock, bit, layout::dimName(dim)) != 0)
      return true;
  return false;
}

LogicalResult refuseSplit(Operation *op) {
  return op->emitError("'") << op->getName() << "' across the CTAs of a cluster has no lowering";
}

LogicalResult lowerGather(tt::GatherOp op, Emitter &e) {
  auto source = cast<RankedTensorType>(op.getSrc().getType());
  for (unsigned dim = 0; dim < source.getRank(); ++dim)
    if (isSplit(e.layout(source), dim))
      return refuseSplit(op);
  LinearLayout shared = rowMajor(source.getShape());
  int64_t bytes = bytesIn(source.getElementType());
  Buffer scratch = scratchAt(e, 0);
  Picker writer(e, e.layout(source), shared, bytes);
  for (auto [reg, value] : llvm::enumerate(Registers(e.get(op.getSrc()))))
    storeElement(e, value, writer.address(scratch, reg, 0, writer.coordinate(reg, 0)));
  e.taskBarrier();
  Picker reader(e, e.layout(cast<RankedTensorType>(op.getIndices().getType())), shared, bytes);
  Registers results;
  for (auto [reg, index] : llvm::enumerate(Registers(e.get(op.getIndices()))))
    results.push_back(loadElement(e, e.scalarType(op.getType()),
                                  reader.address(scratch, reg, op.getAxis(), indexOf(e, index))));
  e.set(op.getResult(), std::move(results));
  return success();
}

/// By doubling: after step d every element has combined the 2d elements up to it.
LogicalResult lowerScan(tt::ScanOp op, Emitter &e) {
  auto type = cast<RankedTensorType>(op.getSrcs().front().getType());
  const LinearLayout tile = e.layout(type);
  LinearLayout shared = rowMajor(type.getShape());
  unsigned axis = op.getAxis();
  if (isSplit(tile, axis))
    return refuseSplit(op);
  int64_t length = type.getShape()[axis];
  SmallVector<Registers> values;
  SmallVector<int64_t> offsets;
  int64_t bytes = 0;
  for (Value source : op.getSrcs()) {
    values.push_back(e.get(source));
    offsets.push_back(bytes);
    auto each = cast<RankedTensorType>(source.getType());
    bytes += llvm::alignTo(each.getNumElements() * bytesIn(each.getElementType()), 16);
  }
  auto pickerOf = [&](size_t index) {
    return Picker(e, tile, shared,
                  bytesIn(cast<RankedTensorType>(op.getSrcs()[index].getType()).getElementType()));
  };
  for (int64_t distance = 1; distance < length; distance *= 2) {
    if (distance > 1)
      e.taskBarrier(); // everyone has read
    for (size_t index = 0; index < values.size(); ++index) {
      Picker picker = pickerOf(index);
      for (auto [reg, value] : llvm::enumerate(values[index]))
        storeElement(
            e, value,
            picker.address(scratchAt(e, offsets[index]), reg, axis, picker.coordinate(reg, axis)));
    }
    e.taskBarrier();
    for (int64_t reg = 0; reg < int64_t(values.front().size()); ++reg) {
      SmallVector<Value> inputs, own;
      Value reaches;
      for (size_t index = 0; index < values.size(); ++index) {
        Picker picker = pickerOf(index);
        Value at = picker.coordinate(reg, axis);
        Value other = op.getReverse() ? e.add(at, e.i32(distance)) : e.sub(at, e.i32(distance));
        // Negative ones are larger than any as unsigned numbers.
        reaches = e.compare(mlir::LLVM::ICmpPredicate::ult, other, e.i32(length));
        Value safe = e.select(reaches, other, at);
        Value address = picker.address(scratchAt(e, offsets[index]), reg, axis, safe);
        inputs.push_back(loadElement(e, values[index][reg].getType(), address));
        own.push_back(values[index][reg]);
      }
      SmallVector<Value> arguments = inputs;
      llvm::append_range(arguments, own);
      FailureOr<SmallVector<Value>> combined = e.inlineRegion(op.getCombineOp(), arguments);
      if (failed(combined))
        return failure();
      for (size_t index = 0; index < values.size(); ++index)
        values[index][reg] = e.select(reaches, (*combined)[index], own[index]);
    }
  }
  for (auto [result, registers] : llvm::zip(op->getResults(), values))
    e.set(result, registers);
  return success();
}

/// Bins in scratch memory, counted by shared-memory atomics.
LogicalResult lowerHistogram(tt::HistogramOp op, Emitter &e) {
  auto result = cast<RankedTensorType>(op.getType());
  auto source = cast<RankedTensorType>(op.getSrc().getType());
  if (isSplit(e.layout(source), 0) || isSplit(e.layout(result), 0))
    return refuseSplit(op);
  int64_t bins = result.getShape()[0];
  for (int64_t first = 0; first < bins; first += e.task.warps * 32) {
    Value bin = e.add(e.task.thread, e.i32(first));
    e.ifThen(e.compare(mlir::LLVM::ICmpPredicate::ult, bin, e.i32(bins)),
             [&] { e.storeShared(e.i32(0), e.add(e.scratch(), e.shl(bin, 2))); });
  }
  e.taskBarrier();
  const LinearLayout &tile = e.layout(source);
  uint64_t copies = tile.freeVariableMask(layout::kRegister);
  Value owner = isOwner(e, source);
  for (auto [reg, value] : llvm::enumerate(Registers(e.get(op.getSrc())))) {
    if (reg & copies)
      continue;
    Value counts = owner;
    if (op.getMask()) {
      Value mask = e.get(op.getMask())[reg];
      counts = owner ? e.band(owner, mask) : mask;
    }
    ptx::countShared(e, counts, e.add(e.scratch(), e.shl(indexOf(e, value), 2)));
  }
  e.taskBarrier();
  Index position(e, e.layout(result), layout::dimName(0));
  Type element = e.scalarType(result);
  Registers results;
  for (int64_t reg = 0; reg < e.layout(result).inSize(layout::kRegister); ++reg)
    results.push_back(e.resize(
        e.loadShared(e.i32Type(), e.add(e.scratch(), e.shl(position.at(reg), 2))), element));
  e.set(op.getResult(), std::move(results));
  return success();
}

} // namespace

int64_t gatherScratch(Operation *op) {
  if (auto histogram = dyn_cast<tt::HistogramOp>(op))
    return cast<RankedTensorType>(histogram.getType()).getShape()[0] * 4;
  if (!isa<tt::GatherOp, tt::ScanOp>(op))
    return 0;
  int64_t bytes = 0;
  size_t sources = isa<tt::GatherOp>(op) ? 1 : op->getNumOperands();
  for (Value source : op->getOperands().take_front(sources)) {
    auto type = cast<RankedTensorType>(source.getType());
    bytes += llvm::alignTo(type.getNumElements() * bytesIn(type.getElementType()), 16);
  }
  return bytes;
}

void addGather(LoweringTable &table) {
  table.add<ttg::LocalGatherOp>(lowerLocalGather);
  table.add<ttg::LocalScatterOp>(lowerLocalScatter);
  table.add<tt::GatherOp>(lowerGather);
  table.add<tt::ScanOp>(lowerScan);
  table.add<tt::HistogramOp>(lowerHistogram);
}

} // namespace tlx::nvidia
