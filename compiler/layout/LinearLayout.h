//===- LinearLayout.h - maps between indices, linear over GF(2) -----------===//
//
// The idea. Where an element lives (which thread and register, which byte of
// shared memory, which lane and column of tensor memory) is a function from
// hardware indices to tensor coordinates. For every encoding of the IR that
// function is linear over the field of two elements: write the indices in
// binary, and the coordinate of x is the exclusive or of the coordinates of the
// set bits of x. So a layout is a list of coordinates, one per input bit, called
// bases; the rest is linear algebra on bit vectors.
//
// The smallest example: 4 x 2 elements, two lanes along the columns, each lane
// holding two consecutive rows, two warps stacked on top of each other:
//
//     register: [(1, 0)]      lane: [(0, 1)]      warp: [(2, 0)]
//
//     register 1 of lane 1 of warp 1 holds (1,0) ^ (0,1) ^ (2,0) = (3, 1)
//
// A zero basis is a broadcast: two hardware indices hold the same element. A
// basis with several coordinates is a swizzle: offset bit 6 of a 64 x 64 tile of
// 16-bit elements under 128-byte swizzling is (1, 8): the next row, and the
// column xor 8.
//
// What falls out of it:
//   where is element y?           invert, rightInverse
//   register -> shared address    registers.invertAndCompose(shared)
//   which copies are redundant?   freeVariableMasks
//   vector widths                 quotient by an identity (divideLeft)
//   bank conflicts                the bank bits of the lane bases
// so that no lowering needs a case for each name of an encoding.
//
// The alternative not taken is the shape:stride tuples of CuTe, with a separate
// Swizzle functor. They handle sizes that are not powers of two, but a swizzle
// is then no layout, and composition and inversion are partial and need cases;
// here they are Gaussian elimination. CuTe is how we print (Print.h).
//
// Representation. Input and output dimensions have names and sizes, which are
// powers of two. The output coordinates of a basis are packed in one 64-bit
// word, first output dimension in the low bits; the words of all input bits,
// first input dimension first, are the columns of the matrix.
//
// Calling a function against its stated precondition is a fault of the program
// and ends it with a message. What comes from the user's IR is checked before,
// in Convert.h, and gives an Error.
//
// The construction is described in "Linear Layouts: Robust Code Generation of
// Efficient Tensor Computation Using F2" (arXiv 2505.23819).
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tlx::layout {

/// Names of dimensions. Tensor coordinates are "dim0", "dim1", ...
inline constexpr std::string_view kRegister = "register";
inline constexpr std::string_view kLane = "lane";
inline constexpr std::string_view kWarp = "warp";
inline constexpr std::string_view kBlock = "block";         ///< CTA of the cluster
inline constexpr std::string_view kOffset = "offset";       ///< element of shared memory
inline constexpr std::string_view kPartition = "partition"; ///< LDS partition
inline constexpr std::string_view kRow = "row";             ///< lane of tensor memory
inline constexpr std::string_view kCol = "col";             ///< element column of tensor memory

std::string dimName(unsigned index);
/// dim0 ... dim<rank-1>
std::vector<std::string> dimNames(unsigned rank);

bool isPowerOf2(int64_t value);
/// Of a power of two.
unsigned log2Exact(int64_t value);

/// A list of coordinates, one per bit.
using Bases = std::vector<std::vector<int32_t>>;
/// A value for each of some dimensions.
using Coords = std::vector<std::pair<std::string, int64_t>>;

class LinearLayout {
public:
  struct Dim {
    std::string name;
    unsigned bits = 0;  ///< log2 of the size
    unsigned first = 0; ///< first column (inputs), lowest bit (outputs)
    int64_t size() const { return int64_t(1) << bits; }
    bool operator==(const Dim &) const = default;
  };

  /// No dimensions: neutral for the product.
  LinearLayout() = default;

  /// x -> x for x < size.
  static LinearLayout identity1D(int64_t size, std::string_view in, std::string_view out);
  /// x -> stride * x.
  static LinearLayout strided1D(int64_t size, int64_t stride, std::string_view in,
                                std::string_view out);
  /// x -> 0 for x < size, into an output of `outSize` values.
  static LinearLayout zeros1D(int64_t size, std::string_view in, std::string_view out,
                              int64_t outSize = 1);
  /// The identity onto dim<order[0]>, dim<order[1]>, ...: fastest first.
  static LinearLayout identityND(std::string_view in, const std::vector<unsigned> &shape,
                                 const std::vector<unsigned> &order);
  /// Explicit bases; every basis has one value per output, below its size.
  static LinearLayout fromBases(const std::vector<std::pair<std::string, Bases>> &bases,
                                const std::vector<std::pair<std::string, int64_t>> &outs);

  //===------------------------------------------------------------------===//
  // Shape
  //===------------------------------------------------------------------===//
  const std::vector<Dim> &ins() const { return inputs; }
  const std::vector<Dim> &outs() const { return outputs; }
  std::vector<std::string> inNames() const;
  std::vector<std::string> outNames() const;
  bool hasIn(std::string_view name) const { return findIn(name); }
  bool hasOut(std::string_view name) const { return findOut(name); }
  /// Bits or size of a dimension; 0 bits if there is none of that name.
  unsigned inBits(std::string_view name) const;
  unsigned outBits(std::string_view name) const;
  int64_t inSize(std::string_view n) const { return int64_t(1) << inBits(n); }
  int64_t outSize(std::string_view n) const { return int64_t(1) << outBits(n); }
  unsigned totalInBits() const { return unsigned(columns.size()); }
  unsigned totalOutBits() const;
  int64_t totalInSize() const { return int64_t(1) << totalInBits(); }
  int64_t totalOutSize() const { return int64_t(1) << totalOutBits(); }

  /// The matrix: one packed output word per input bit.
  const std::vector<uint64_t> &matrix() const { return columns; }
  /// Coordinates of bit `bit` of input `in`, one per output.
  std::vector<int32_t> basis(std::string_view in, unsigned bit) const;
  int64_t basis(std::string_view in, unsigned bit, std::string_view out) const;
  /// All bases of one input.
  Bases bases(std::string_view in) const;
  /// Packed output words of one input's bits.
  std::vector<uint64_t> packed(std::string_view in) const;

  //===------------------------------------------------------------------===//
  // Evaluation
  //===------------------------------------------------------------------===//
  /// Packed input (first input in the low bits) to packed output.
  uint64_t applyPacked(uint64_t in) const;
  /// Inputs that are not named count as 0.
  Coords apply(const Coords &in) const;
  /// The value of one output.
  int64_t apply(const Coords &in, std::string_view out) const;
  uint64_t packIn(const Coords &in) const;
  Coords unpackOut(uint64_t word) const;

  //===------------------------------------------------------------------===//
  // Rearranging dimensions
  //===------------------------------------------------------------------===//
  /// The same dimensions in another order.
  LinearLayout transposeIns(const std::vector<std::string> &order) const;
  LinearLayout transposeOuts(const std::vector<std::string> &order) const;
  /// Coordinates of a transposed tensor: dim<i> becomes dim<order[i]>.
  LinearLayout permuteOuts(const std::vector<unsigned> &order) const;
  /// The same bits under other dimensions; total sizes must agree.
  LinearLayout reshapeIns(const std::vector<std::pair<std::string, int64_t>> &dims) const;
  LinearLayout reshapeOuts(const std::vector<std::pair<std::string, int64_t>> &dims) const;
  LinearLayout renameIn(std::string_view from, std::string_view to) const;
  LinearLayout renameOut(std::string_view from, std::string_view to) const;
  /// All outputs as one, last coordinate fastest: the row-major index.
  LinearLayout rowMajorOuts(std::string_view name) const;

  /// The part from some inputs to some outputs.
  LinearLayout sublayout(const std::vector<std::string> &ins,
                         const std::vector<std::string> &outs) const;
  bool sublayoutIsZero(const std::vector<std::string> &ins,
                       const std::vector<std::string> &outs) const;
  /// Without one output.
  LinearLayout dropOut(std::string_view out) const;
  /// Without the bits of `in` that do nothing.
  LinearLayout removeZeroBases(std::string_view in) const;
  /// `in` with its lowest `bits` bits only.
  LinearLayout truncateIn(std::string_view in, unsigned bits) const;
  /// The output gets 2^bits values; when it shrinks, what overshoots becomes 0.
  LinearLayout resizeOut(std::string_view out, unsigned bits) const;

  //===------------------------------------------------------------------===//
  // Algebra
  //===------------------------------------------------------------------===//
  /// The product: both side by side, `other` in the high bits of the
  /// dimensions that they share.
  LinearLayout operator*(const LinearLayout &other) const;
  LinearLayout &operator*=(const LinearLayout &other) { return *this = *this * other; }

  /// outer(this(x)). The outputs of this are the inputs of outer, in any order;
  /// outer may be larger.
  LinearLayout compose(const LinearLayout &outer) const;
  /// The inverse of a bijection; nothing for another layout.
  std::optional<LinearLayout> invert() const;
  /// Some R with this(R(y)) = y; of all, the one that leaves the free variables
  /// at 0. Nothing if this is not surjective.
  std::optional<LinearLayout> rightInverse() const;
  /// Some R with R(this(x)) = x; 0 on outputs that are not reached, and on all
  /// but the first of dependent ones. Nothing if this is not injective.
  std::optional<LinearLayout> leftInverse() const;
  /// R with R(y) some x such that this(x) = y on the image, 0 on a complement
  /// of the image: this(R(this(x))) = this(x) always.
  LinearLayout pseudoInverse() const;
  /// C with outer(C(x)) = this(x): from the inputs of this to those of outer,
  /// free variables of outer at 0. Nothing if some this(x) is not in the image
  /// of outer. The outputs agree in name, in any order.
  std::optional<LinearLayout> invertAndCompose(const LinearLayout &outer) const;

  /// C with divisor * C = this, dimensions of this kept; nothing if there is
  /// none.
  std::optional<LinearLayout> divideLeft(const LinearLayout &divisor) const;
  /// C with C * divisor = this.
  std::optional<LinearLayout> divideRight(const LinearLayout &divisor) const;
  /// this without dimensions (input and output of the same name) on which it is
  /// an identity that nothing else touches; nothing if it is not.
  std::optional<LinearLayout> quotient(const std::vector<std::string> &dims) const;

  unsigned rank() const;
  bool isSurjective() const { return rank() == totalOutBits(); }
  bool isInjective() const { return rank() == totalInBits(); }
  bool isBijective() const { return isSurjective() && isInjective(); }
  /// For each input the bits that are free: changing them never reaches an
  /// element that the other bits do not reach. Of dependent bits the first
  /// (lowest input, lowest bit) are kept as not free.
  std::vector<std::pair<std::string, uint64_t>> freeVariableMasks() const;
  /// The free bits of one input.
  uint64_t freeVariableMask(std::string_view in) const;

  bool operator==(const LinearLayout &) const = default;

private:
  const Dim *findIn(std::string_view name) const;
  const Dim *findOut(std::string_view name) const;
  const Dim &in(std::string_view name) const;
  const Dim &out(std::string_view name) const;
  void addIn(std::string_view name, unsigned bits);
  void addOut(std::string_view name, unsigned bits);

  std::vector<Dim> inputs;
  std::vector<Dim> outputs;
  std::vector<uint64_t> columns;
};

} // namespace tlx::layout
