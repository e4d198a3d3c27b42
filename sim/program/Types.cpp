//===- Types.cpp - types, memory layouts, location text ---------------------===//
#include "sim/program/Types.h"

#include "sim/program/Program.h"

#include <algorithm>
#include <bit>

namespace tlx::sim {

uint32_t MemLayout::offset(const int64_t *coords) const {
  uint32_t offset = 0;
  for (size_t d = 0; d < bases.size(); ++d) {
    uint64_t coord = uint64_t(coords[d]);
    for (size_t bit = 0; bit < bases[d].size() && coord >> bit; ++bit)
      if (coord >> bit & 1)
        offset ^= bases[d][bit];
  }
  uint32_t padded = offset;
  for (const Padding &padding : paddings)
    padded += offset / padding.interval * padding.amount;
  return padded;
}

/// Bits that count 0 ... size - 1.
static unsigned bitsFor(int64_t size) { return size <= 1 ? 0 : std::bit_width(uint64_t(size - 1)); }

MemLayout MemLayout::rowMajor(const Shape &shape) {
  MemLayout layout;
  layout.bases.resize(shape.size());
  uint64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    for (unsigned bit = 0; bit < bitsFor(shape[d]); ++bit)
      layout.bases[d].push_back(uint32_t(stride << bit));
    stride <<= bitsFor(shape[d]);
  }
  return layout;
}

MemLayout MemLayout::swizzled(int64_t rows, int64_t columns, int vec, int perPhase, int maxPhase) {
  MemLayout layout = rowMajor({rows, columns});
  for (unsigned bit = 0; bit < layout.bases[0].size(); ++bit) {
    int64_t row = int64_t(1) << bit;
    layout.bases[0][bit] ^= uint32_t(vec * (row / perPhase % maxPhase) % columns);
  }
  return layout;
}

bool MemLayout::operator==(const MemLayout &other) const {
  return bases == other.bases && paddings == other.paddings && replicas == other.replicas;
}

bool Type::operator==(const Type &other) const {
  return kind == other.kind && elem == other.elem && pointer == other.pointer &&
         shape == other.shape && space == other.space && allocShape == other.allocShape &&
         layout == other.layout && bufferBytes == other.bufferBytes &&
         isMutable == other.isMutable && elementBytes == other.elementBytes;
}

Type Type::scalar(DType elem) {
  Type type;
  type.kind = TypeKind::Scalar;
  type.elem = elem;
  return type;
}

Type Type::pointerTo(DType elem) {
  Type type = scalar(elem);
  type.pointer = true;
  return type;
}

Type Type::tensor(Shape shape, DType elem) {
  Type type;
  type.kind = TypeKind::Tensor;
  type.elem = elem;
  type.shape = std::move(shape);
  return type;
}

Type Type::pointerTensor(Shape shape, DType elem) {
  Type type = tensor(std::move(shape), elem);
  type.pointer = true;
  return type;
}

Type Type::tensorDesc(Shape block, DType elem) {
  Type type = tensor(std::move(block), elem);
  type.kind = TypeKind::TensorDesc;
  return type;
}

Type Type::token() { return Type(); }

Type Type::memDesc(Shape shape, DType elem, LayoutId layout, sync::Space space) {
  Type type = tensor(std::move(shape), elem);
  type.kind = TypeKind::MemDesc;
  type.allocShape = type.shape;
  type.layout = layout;
  type.space = space;
  type.isMutable = true;
  return type;
}

const Attrs &Program::attrsOf(const Inst &inst) const {
  static const Attrs none;
  return inst.attrs < 0 ? none : attrs[inst.attrs];
}

int32_t Program::launchedWarps() const {
  constexpr int32_t group = 4;
  int32_t most = 0;
  for (const Specialize &specialize : specializes) {
    int32_t warps = 0;
    for (const Partition &partition : specialize.partitions)
      warps += partition.numWarps;
    most = std::max(most, warps);
  }
  return facts.numWarps + (most + group - 1) / group * group;
}

std::string Program::opText(Pc pc) const {
  if (pc < 0 || size_t(pc) >= code.size())
    return "?";
  const Inst &inst = code[pc];
  if (inst.op != Op::Sync || inst.numEffects == 0)
    return name(inst.op);
  std::string text;
  for (unsigned i = 0; i < inst.numEffects; ++i)
    text += (i ? ", " : "") + std::string(sync::name(effectsOf(inst)[i].kind));
  return text;
}

std::string Program::locationText(LocId loc) const {
  if (loc < 0 || size_t(loc) >= locations.size() || locations[loc].file.empty())
    return kernelName;
  const Location &location = locations[loc];
  return location.file + ":" + std::to_string(location.line) + ":" +
         std::to_string(location.column);
}

} // namespace tlx::sim
