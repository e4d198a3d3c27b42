// Types, memory layouts and constants of a program.
#include "compiler/export/Exporter.h"

#include "compiler/analysis/ElementType.h"
#include "compiler/analysis/EncodingToLayout.h"
#include "compiler/analysis/TensorMemorySize.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace tlx {

sim::TypeId Exporter::typeId(Type type) {
  auto found = typeIdCache.find(type);
  if (found != typeIdCache.end())
    return found->second;
  sim::TypeId id = builder.type(simType(type));
  typeIdCache[type] = id;
  return id;
}

std::vector<sim::TypeId> Exporter::typeIds(TypeRange types) {
  std::vector<sim::TypeId> ids;
  for (Type type : types)
    if (!isToken(type))
      ids.push_back(typeId(type));
  return ids;
}

sim::Type Exporter::simType(Type type) {
  auto element = [&](Type of) {
    if (std::optional<DType> dtype = elementType(of))
      return *dtype;
    // The simulator never touches elements of 128-bit answers.
    if (of.isIntOrFloat() && of.getIntOrFloatBitWidth() == 128)
      return DType::u64;
    fail(currentLoc, "the simulator has no element type for " + llvm::Twine([&] {
                       std::string s;
                       llvm::raw_string_ostream os(s);
                       os << of;
                       return s;
                     }()));
    return DType::i32;
  };
  if (auto memory = dyn_cast<ttg::MemDescType>(type))
    return memDescType(memory);
  if (auto pointer = dyn_cast<tt::PointerType>(type)) {
    if (isa<tt::PointerType>(pointer.getPointeeType()))
      return sim::Type::pointerTo(DType::u64);
    return sim::Type::pointerTo(element(pointer.getPointeeType()));
  }
  if (auto desc = dyn_cast<tt::TensorDescType>(type)) {
    RankedTensorType block = desc.getBlockType();
    return sim::Type::tensorDesc(sim::Shape(block.getShape().begin(), block.getShape().end()),
                                 element(block.getElementType()));
  }
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    sim::Shape shape(tensor.getShape().begin(), tensor.getShape().end());
    if (auto pointer = dyn_cast<tt::PointerType>(tensor.getElementType()))
      return sim::Type::pointerTensor(shape, element(pointer.getPointeeType()));
    return sim::Type::tensor(shape, element(tensor.getElementType()));
  }
  if (isToken(type))
    return sim::Type::token();
  return sim::Type::scalar(element(type));
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// Bases of each coordinate's bits: the element offset (shared memory) or the
/// byte address divided by the element size (tensor memory) they contribute.
/// `upperLanesFree`: lanes 16 to 31 of each 32 hold nothing, rather than copies.
static sim::MemLayout memLayoutOf(const layout::LinearLayout &layout, bool tensorMemory,
                                  bool upperLanesFree, int64_t elementBytes, unsigned rank) {
  sim::MemLayout result;
  result.bases.resize(rank);
  // A copy of an element is an input bit that does nothing.
  auto place = [&](std::string_view in, int64_t index) -> uint32_t {
    // One task stands for all CTAs that share a tile: their parts lie one after another, each once.
    if (in == layout::kBlock) {
      uint64_t copies = layout.freeVariableMask(layout::kBlock) & uint64_t(index - 1);
      return uint32_t(index >> llvm::popcount(copies) << layout.inBits(layout::kOffset));
    }
    if (!tensorMemory)
      return uint32_t(index);
    if (in == layout::kRow)
      return uint32_t(index * sim::tmemLaneBytes / elementBytes);
    return uint32_t(index); // columns are counted in elements
  };
  auto isPlace = [tensorMemory](std::string_view in) {
    return in == layout::kOffset || in == layout::kRow || in == layout::kCol ||
           in == layout::kPartition || (in == layout::kBlock && !tensorMemory);
  };
  // A buffer's layout is onto its coordinates unless the tile is larger than
  // what the hardware can place.
  layout::LinearLayout inverse = layout.rightInverse().value_or(layout.pseudoInverse());
  for (unsigned dim = 0; dim < rank; ++dim) {
    std::string name = layout::dimName(dim);
    for (unsigned bit = 0; bit < inverse.inBits(name); ++bit) {
      uint32_t offset = 0;
      for (const auto &out : inverse.outs())
        if (isPlace(out.name)) {
          int64_t value = inverse.basis(name, bit, out.name);
          // Each set bit of the place index contributes on its own.
          for (unsigned at = 0; at < 40; ++at)
            if (value >> at & 1)
              offset ^= place(out.name, int64_t(1) << at);
        }
      result.bases[dim].push_back(offset);
    }
  }
  for (const auto &in : layout.ins()) {
    if (!isPlace(in.name))
      continue;
    std::vector<uint64_t> words = layout.packed(in.name);
    for (unsigned bit = 0; bit < words.size(); ++bit)
      if (words[bit] == 0 && in.name == layout::kRow && !(upperLanesFree && bit == 4)) {
        uint32_t copy = place(in.name, int64_t(1) << bit);
        size_t count = result.replicas.size();
        for (size_t at = 0; at < count; ++at)
          result.replicas.push_back(result.replicas[at] ^ copy);
        result.replicas.push_back(copy);
      }
  }
  return result;
}

sim::Type Exporter::memDescType(ttg::MemDescType type) {
  sim::Type result;
  result.kind = sim::TypeKind::MemDesc;
  result.isMutable = type.getMutableMemory();
  result.shape.assign(type.getShape().begin(), type.getShape().end());
  result.allocShape.assign(type.getAllocShape().begin(), type.getAllocShape().end());
  bool tensorMemory = isa<ttng::TensorMemorySpaceAttr>(type.getMemorySpace());
  result.space = tensorMemory ? sync::Space::Tensor
                 : isa<ttng::SharedClusterMemorySpaceAttr>(type.getMemorySpace())
                     ? sync::Space::SharedCluster
                     : sync::Space::Shared;
  Type element = type.getElementType();
  if (element.isIntOrFloat() && element.getIntOrFloatBitWidth() == 128) {
    result.elem = DType::u64;
    result.elementBytes = 16;
  } else if (std::optional<DType> dtype = elementType(element)) {
    result.elem = *dtype;
  } else {
    fail(currentLoc, "the simulator has no buffers of this element type");
    return result;
  }

  unsigned rank = encodedRank(type);
  Result<layout::LinearLayout> layout = layoutOf(type);
  if (!layout) {
    fail(currentLoc, layout.error().message);
    return result;
  }
  int64_t elementBytes = result.memoryElementBytes();
  bool upperLanesFree = false;
  if (tensorMemory)
    if (std::optional<TensorMemorySize> size = tensorMemorySize(type, type.getAllocShape()))
      upperLanesFree = size->lanes == 64;
  sim::MemLayout table = memLayoutOf(*layout, tensorMemory, upperLanesFree, elementBytes, rank);
  Attribute encoding = tlxd::unwrapLayout(type.getEncoding());
  int64_t bufferElements = 1;
  for (int64_t dim : type.getAllocShape().take_back(rank))
    bufferElements *= dim;
  if (auto padded = dyn_cast<ttg::PaddedSharedEncodingAttr>(encoding)) {
    int64_t paddedElements = bufferElements;
    for (auto [interval, amount] : llvm::zip(padded.getIntervals(), padded.getPaddings())) {
      table.paddings.push_back({interval, amount});
      paddedElements += (bufferElements - 1) / interval * amount;
    }
    result.bufferBytes = paddedElements * elementBytes;
  } else if (auto nvmma = dyn_cast<ttg::NVMMASharedEncodingAttr>(encoding);
             nvmma && nvmma.getFp4Padded()) {
    result.bufferBytes = 2 * bufferElements * elementBytes;
  } else if (tensorMemory) {
    result.bufferBytes = layout->inSize(layout::kCol) * elementBytes;
  }
  result.layout = builder.layout(table);
  return result;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static uint64_t bitsOf(Attribute value) {
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return integer.getValue().getBitWidth() <= 64 ? integer.getValue().getZExtValue() : 0;
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getValue().bitcastToAPInt().getZExtValue();
  return 0;
}

void Exporter::emitConstant(Operation *op, TypedAttr value) {
  std::vector<uint64_t> bits;
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    if (dense.isSplat())
      bits.push_back(bitsOf(dense.getSplatValue<Attribute>()));
    else
      for (Attribute element : dense.getValues<Attribute>())
        bits.push_back(bitsOf(element));
  } else if (isa<IntegerAttr, FloatAttr>(value)) {
    bits.push_back(bitsOf(value));
  } else {
    return fail(op->getLoc(), "the simulator cannot read this constant");
  }
  bind(op->getResult(0), builder.constant(typeId(op->getResult(0).getType()), std::move(bits)));
}

} // namespace tlx
