//===- Types.h - types and memory layouts of a simulated program -------------===//
//
// A register holds one of five kinds of value. Register tensors are logical
// row-major arrays: which thread holds which element does not change a value.
// Memory is different: shared and tensor memory are byte arrays, and a memory
// descriptor's layout says where each element's bytes lie, so that views,
// reinterpretations and aliases show what the hardware would show.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Dtype.h"
#include "runtime/base/Sync.h"

#include <cstdint>
#include <vector>

namespace tlx::sim {

using TypeId = int32_t;
using LayoutId = int32_t;
using Shape = std::vector<int64_t>;

/// Where the elements of one buffer lie: byte = base + elementBytes * offset,
/// offset a function of the coordinates (c0, c1, ...) of the buffer,
///
///   offset = pad(XOR over dims d, bits b of c_d of bases[d][b])
///   pad(o) = o + sum over (interval, amount) of o / interval * amount
///
/// which covers every encoding: plain row-major (bases are powers of two),
/// swizzles, nvmma panels, transposed and sub-sliced views, fp4 padding (a gap
/// in the bases). Dimensions that are no power of two use plain bases.
///
/// Tensor memory uses the same form. It is an array of 128 lanes of 512 columns
/// of 4 bytes, lane-major: byte = lane * 2048 + column * 4; the bases of a lane
/// bit are therefore lane * 2048 / elementBytes.
///
/// `replicas`: every element is stored at offset XOR r as well, for each r
/// (scale factors that the hardware keeps once for each of four warps).
struct MemLayout {
  std::vector<std::vector<uint32_t>> bases;
  struct Padding {
    uint32_t interval, amount; ///< elements
  };
  std::vector<Padding> paddings;
  std::vector<uint32_t> replicas;

  /// Offset in elements. `coords` has bases.size() entries.
  uint32_t offset(const int64_t *coords) const;
  /// Plain row-major over a shape.
  static MemLayout rowMajor(const Shape &shape);
  /// Column swizzle of a rows x columns buffer, row-major: groups of `vec`
  /// columns are XORed with (row / perPhase) % maxPhase.
  static MemLayout swizzled(int64_t rows, int64_t columns, int vec, int perPhase, int maxPhase);
  bool operator==(const MemLayout &other) const;
};
inline bool operator==(const MemLayout::Padding &a, const MemLayout::Padding &b) {
  return a.interval == b.interval && a.amount == b.amount;
}

/// Bytes of tensor memory in one lane, and in all.
inline constexpr uint32_t tmemLaneBytes = 512 * 4;
inline constexpr uint32_t tmemBytes = 128 * tmemLaneBytes;

enum class TypeKind : uint8_t {
  Scalar,     ///< one element, or one pointer
  Tensor,     ///< elements or pointers, row-major
  MemDesc,    ///< a buffer, or an array of buffers, in shared or tensor memory
  TensorDesc, ///< a TMA descriptor: `shape` is the block, `elem` its elements
  Token,      ///< orders operations, holds nothing
};

struct Type {
  TypeKind kind = TypeKind::Token;
  DType elem = DType::i32; ///< of a pointer: what it points to
  bool pointer = false;    ///< Scalar and Tensor: the elements are addresses
  Shape shape;             ///< Tensor, MemDesc, TensorDesc

  // MemDesc only.
  sync::Space space = sync::Space::None;
  /// Shape of the allocation that the layout covers; its trailing dimensions
  /// match the layout's. As in MLIR, equal to `shape` except for sub-slices.
  Shape allocShape;
  LayoutId layout = -1;
  /// The layout covers the last `bases.size()` dimensions. Dimensions before
  /// them are arrays of buffers, `bufferBytes` apart (tensor memory: counted in
  /// byte addresses, that is columns * 4); zero: the buffers are packed.
  int64_t bufferBytes = 0;
  bool isMutable = false;
  /// Bytes of an element in memory when the element type has no DType (128-bit
  /// responses); zero: from `elem`.
  int32_t elementBytes = 0;

  int64_t numElements() const {
    int64_t count = 1;
    for (int64_t dim : shape)
      count *= dim;
    return count;
  }
  int64_t memoryElementBytes() const {
    return elementBytes ? elementBytes : int64_t(byteWidth(elem));
  }
  bool operator==(const Type &other) const;

  static Type scalar(DType elem);
  static Type pointerTo(DType elem);
  static Type tensor(Shape shape, DType elem);
  static Type pointerTensor(Shape shape, DType elem);
  static Type tensorDesc(Shape block, DType elem);
  static Type token();
  /// Plain shared memory; set layout, allocShape and so on for anything else.
  static Type memDesc(Shape shape, DType elem, LayoutId layout,
                      sync::Space space = sync::Space::Shared);
};

} // namespace tlx::sim
