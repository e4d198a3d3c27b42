//===- Matrix.h - matrix products over tiles ------------------------------===//
//
// Operands of any narrow type are exact in f32, so products run through sgemm (dgemm for
// f64), accumulating in f32 block by block of K. Integer products are exact as well: 256 terms
// of two bytes stay below 2^24, and each block is added to the 32-bit accumulator.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/functional/Exec.h"

#include <memory>

namespace tlx::sim {

/// How a tensor core adds: the products of `step` elements of K and the accumulator are cut
/// off below `fraction` bits under the largest exponent, summed, and the sum is cut off to
/// f32. Step 0: as the library of matrix products does.
struct MmaWindow {
  int step = 0, fraction = 0;
};

/// A matrix in f32, row-major or transposed, in storage of its own or borrowed.
struct Matrix {
  int64_t rows = 0, columns = 0;
  bool transposed = false; ///< data is [columns][rows]
  const float *data = nullptr;
  std::unique_ptr<float[]> own;
  MmaWindow window;
  int64_t size() const { return rows * columns; }
  /// Storage for all elements, to be written by the caller.
  float *allocate() {
    own = std::make_unique_for_overwrite<float[]>(size_t(size()));
    data = own.get();
    return own.get();
  }
  int64_t ld() const { return transposed ? rows : columns; }
  float at(int64_t r, int64_t c) const {
    return transposed ? data[c * rows + r] : data[r * columns + c];
  }
};

/// Operand `i`, a register tensor or a memory tile, as f32. False: a finding was made.
bool readMatrix(Exec &exec, unsigned i, Matrix &matrix, bool isUnsigned = false, int32_t rank = -1);

/// Rounds elements as the tensor cores read them: f32 as tf32 unless `ieee`.
void roundOperand(Matrix &matrix, DType elem, Precision precision);

/// A block-scaled operand: elements of type `kind` (4-bit ones packed along K, or along the
/// other dimension when !kPack) times 2^(scale - 127), or times an 8-bit float scale.
/// `isA`: [M, K] with scales [M, K / group]; else [K, N] with scales [N, K / group].
bool readScaledMatrix(Exec &exec, unsigned i, int scaleOperand, ScaleElem kind, bool kPack,
                      bool isA, Matrix &matrix, int32_t rank = -1);

/// c = a * b (+ c). `c` is row-major with leading dimension ldc.
void multiply(const Matrix &a, const Matrix &b, float *c, int64_t ldc, bool accumulate);
/// The same as a tensor core does it, by a's window (ExactMatrix.cpp).
void multiplyExact(const Matrix &a, const Matrix &b, float *c, int64_t ldc, bool accumulate);
void multiplyInt(const Matrix &a, const Matrix &b, int32_t *c, bool accumulate);

} // namespace tlx::sim
