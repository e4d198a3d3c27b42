//===- Matrix.cpp - matrix products over tiles ----------------------------===//
#include "sim/functional/Matrix.h"

#include "sim/functional/Tf32.h"

#include <algorithm>
#include <cblas.h>
#include <cmath>

namespace tlx::sim {

/// Stored elements as floats; bytes are signed unless told otherwise.
static void toFloatElements(const Value &value, size_t count, bool isUnsigned, float *to) {
  withStore(value.store(), [&](auto zero) {
    using T = decltype(zero);
    const T *x = value.data<T>();
    size_t step = value.count() == 1 ? 0 : 1;
    if constexpr (std::is_same_v<T, int8_t>) {
      if (isUnsigned) {
        for (size_t i = 0; i < count; ++i)
          to[i] = float(uint8_t(x[i * step]));
        return;
      }
    }
    for (size_t i = 0; i < count; ++i)
      to[i] = float(x[i * step]);
  });
}

/// Of NVIDIA's chips, by element type; others add in ways of their own.
static MmaWindow windowOf(const Exec &exec, DType elem) {
  const std::string &target = exec.program.facts.target;
  if (!exec.cluster.launch().config.exactMma || !target.starts_with("cuda:"))
    return {};
  switch (elem) {
  case DType::f16:
  case DType::bf16: return {16, 25};
  case DType::f32: return {8, 25};
  case DType::f8E4M3FN:
  case DType::f8E5M2: return {32, target == "cuda:90" ? 13 : 25};
  default: return {};
  }
}

bool readMatrix(Exec &exec, unsigned i, Matrix &matrix, bool isUnsigned, int32_t rank) {
  const Type &type = exec.type(i);
  matrix.window = windowOf(exec, type.elem);
  const size_t dims = type.shape.size();
  if (dims < 2) {
    exec.unsupported("a matrix product of a tensor of rank " + std::to_string(dims));
    return false;
  }
  matrix.columns = type.shape[dims - 1];
  matrix.rows = type.numElements() / matrix.columns;
  size_t count = size_t(type.numElements());
  isUnsigned |= isInteger(type.elem) && !isSigned(type.elem);
  if (type.kind != TypeKind::MemDesc) {
    const Value &value = exec.in(i);
    if (value.store() == Store::F32 && value.count() == count) {
      matrix.data = value.data<float>();
      return true;
    }
    toFloatElements(value, count, isUnsigned, matrix.allocate());
    return true;
  }
  const TileMap &map = exec.prepared.map(exec.typeId(i));
  MemRef ref = exec.in(i).mem();
  if (rank >= 0)
    ref.rank = rank;
  sync::Space space = type.space == sync::Space::Tensor ? type.space : sync::Space::Shared;
  Cta *owner = nullptr;
  std::vector<char> *memory = exec.storage(ref, space, &owner);
  if (!memory)
    return false;
  thread_local std::vector<char> raw;
  raw.resize(count * map.elementBytes);
  if (!gatherTile(map, ref, memory->data(), memory->size(), raw.data())) {
    exec.fail(Finding::Kind::OutOfBounds, "a matrix operand reaches outside its memory");
    return false;
  }
  exec.noteAccess(*owner, map, ref, space, sync::Proxy::Async, false);
  matrix.transposed = map.columnMajor;
  float *elements = matrix.allocate();
  Type as = type;
  as.kind = TypeKind::Tensor;
  if (storeOf(as) == Store::F32) {
    fromMemory(as, raw.data(), elements, count);
  } else {
    Value value = Value::elements(storeOf(as), count);
    fromMemory(as, raw.data(), value.mutableData<char>(), count);
    toFloatElements(value, count, isUnsigned, elements);
  }
  return true;
}

void roundOperand(Matrix &matrix, DType elem, Precision precision) {
  if (elem != DType::f32)
    return;
  if (precision != Precision::Tf32) {
    matrix.window = {}; // not on tensor cores, or as several products
    return;
  }
  const float *from = matrix.data;
  float *to = matrix.own ? matrix.own.get() : matrix.allocate();
  for (int64_t i = 0; i < matrix.size(); ++i)
    to[i] = __builtin_bit_cast(float, roundToTf32(__builtin_bit_cast(uint32_t, from[i])));
}

/// Raw bytes of a register tensor or a memory tile, row-major.
static bool rawBytes(Exec &exec, unsigned i, std::vector<char> &raw, int32_t rank) {
  if (exec.type(i).kind == TypeKind::MemDesc)
    return exec.readTileRaw(i, raw, sync::Proxy::Async, rank);
  const Type &type = exec.type(i);
  size_t count = size_t(type.numElements());
  raw.resize(count * 8);
  toMemory(type, exec.in(i).expanded(count).data<char>(), raw.data(), count);
  return true;
}

static DType dtypeOf(ScaleElem kind) {
  switch (kind) {
  case ScaleElem::E4M3: return DType::f8E4M3FN;
  case ScaleElem::E5M2: return DType::f8E5M2;
  case ScaleElem::E2M1: return DType::f4E2M1;
  case ScaleElem::BF16: return DType::bf16;
  case ScaleElem::FP16: return DType::f16;
  default: return DType::f8E4M3FN;
  }
}

/// 6-bit floats in the low bits of a byte: E2M3 (bias 1) and E3M2 (bias 3), no infinities.
static float sixBits(uint8_t bits, int exponentBits, int mantissaBits, int bias) {
  int mantissa = bits & ((1 << mantissaBits) - 1);
  int exponent = bits >> mantissaBits & ((1 << exponentBits) - 1);
  float value =
      exponent ? std::ldexp(float((1 << mantissaBits) + mantissa), exponent - bias - mantissaBits)
               : std::ldexp(float(mantissa), 1 - bias - mantissaBits);
  return bits >> 5 & 1 ? -value : value;
}

/// Factor (row, k). A tensor of five dimensions holds 512-byte blocks of 32 x 4 x 4 (128 rows,
/// 4 factors). One of two holds rows x factors; when it has fewer rows than there are, the
/// next rows stand beside the first ones.
static float scaleAt(const Type &type, const std::vector<char> &raw, int64_t row, int64_t k,
                     int64_t perRow, int64_t storedRows, int64_t storedColumns) {
  size_t at;
  if (type.shape.size() > 2) {
    int64_t blocksAlongK = std::max<int64_t>(1, perRow / 4);
    at = size_t(((row / 128) * blocksAlongK + k / 4) * 512 + row % 32 * 16 + row / 32 % 4 * 4 +
                k % 4);
  } else {
    at = size_t(row % storedRows * storedColumns + row / storedRows * perRow + k);
  }
  if (at >= raw.size())
    return 1;
  uint8_t bits = uint8_t(raw[at]);
  bool isFloatScale = type.elem == DType::f8E4M3FN || type.elem == DType::f8E5M2;
  return float(toDouble(isFloatScale ? type.elem : DType::f8E8M0FNU, bits));
}

bool readScaledMatrix(Exec &exec, unsigned i, int scaleOperand, ScaleElem kind, bool kPack,
                      bool isA, Matrix &matrix, int32_t rank) {
  const Type &type = exec.type(i);
  std::vector<char> raw;
  if (!rawBytes(exec, i, raw, rank))
    return false;
  int64_t rows = type.shape[type.shape.size() - 2], columns = type.shape.back();
  const bool packed = kind == ScaleElem::E2M1 && bitWidth(type.elem) == 8;
  // The dimension along which two elements share a byte: K, or the other one.
  const bool alongColumns = isA == kPack;
  matrix.rows = packed && !alongColumns ? rows * 2 : rows;
  matrix.columns = packed && alongColumns ? columns * 2 : columns;
  matrix.transposed = false;
  float *elements = matrix.allocate();
  DType elem = isFloat(type.elem) && type.elem != DType::f32 ? type.elem : dtypeOf(kind);
  if (packed) {
    float values[16];
    for (unsigned bits = 0; bits < 16; ++bits)
      values[bits] = float(toDouble(DType::f4E2M1, bits));
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) {
        uint8_t byte = uint8_t(raw[r * columns + c]);
        if (alongColumns) {
          elements[r * matrix.columns + 2 * c] = values[byte & 15];
          elements[r * matrix.columns + 2 * c + 1] = values[byte >> 4];
        } else {
          elements[2 * r * columns + c] = values[byte & 15];
          elements[(2 * r + 1) * columns + c] = values[byte >> 4];
        }
      }
  } else if (kind == ScaleElem::E2M3 || kind == ScaleElem::E3M2) {
    for (int64_t e = 0; e < matrix.size(); ++e)
      elements[e] = kind == ScaleElem::E2M3 ? sixBits(raw[e], 2, 3, 1) : sixBits(raw[e], 3, 2, 3);
  } else {
    toFloats(elem, raw.data(), elements, size_t(matrix.size()));
  }
  if (scaleOperand < 0 || !exec.has(unsigned(scaleOperand)))
    return true;
  const Type &scaleType = exec.type(unsigned(scaleOperand));
  std::vector<char> scales;
  if (!rawBytes(exec, unsigned(scaleOperand), scales, rank))
    return false;
  int64_t k = isA ? matrix.columns : matrix.rows, outer = isA ? matrix.rows : matrix.columns;
  int64_t total = scaleType.numElements();
  // One factor for 32 elements, or for 16 when the factors are 8-bit floats.
  int64_t perRow = std::max<int64_t>(
      1, k / (bitWidth(scaleType.elem) == 8 &&
                      (scaleType.elem == DType::f8E4M3FN || scaleType.elem == DType::f8E5M2)
                  ? 16
                  : 32));
  int64_t storedRows = scaleType.shape.size() == 2 ? scaleType.shape[0] : total / perRow;
  int64_t storedColumns = scaleType.shape.size() == 2 ? scaleType.shape[1] : perRow;
  if (k % perRow || total % perRow || total / perRow < outer) {
    exec.fail(Finding::Kind::BadLaunch, "scale factors of " + std::to_string(total) +
                                            " elements do not fit a matrix of " +
                                            std::to_string(outer) + " x " + std::to_string(k));
    return false;
  }
  // A pair of CTAs holds B's columns half and half, but each has the factors of all.
  int64_t firstRow =
      !isA && rank >= 0 && rank % 2 && exec.forPair() && total / perRow >= 2 * outer ? outer : 0;
  int64_t group = k / perRow;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t g = 0; g < perRow; ++g) {
      float scale = scaleAt(scaleType, scales, firstRow + o, g, perRow, storedRows, storedColumns);
      for (int64_t e = g * group; e < (g + 1) * group; ++e)
        elements[isA ? o * k + e : e * outer + o] *= scale;
    }
  return true;
}

void multiply(const Matrix &a, const Matrix &b, float *c, int64_t ldc, bool accumulate) {
  if (a.window.step)
    return multiplyExact(a, b, c, ldc, accumulate);
  cblas_sgemm(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans,
              b.transposed ? CblasTrans : CblasNoTrans, int(a.rows), int(b.columns), int(a.columns),
              1.0f, a.data, int(a.ld()), b.data, int(b.ld()), accumulate ? 1.0f : 0.0f, c,
              int(ldc));
}

void multiplyInt(const Matrix &a, const Matrix &b, int32_t *c, bool accumulate) {
  constexpr int64_t block = 256;
  size_t count = size_t(a.rows * b.columns);
  std::vector<float> part(count);
  if (!accumulate)
    std::fill_n(c, count, 0);
  for (int64_t k = 0; k < a.columns; k += block) {
    int64_t n = std::min(block, a.columns - k);
    cblas_sgemm(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans,
                b.transposed ? CblasTrans : CblasNoTrans, int(a.rows), int(b.columns), int(n), 1.0f,
                a.data + (a.transposed ? k * a.rows : k), int(a.ld()),
                b.data + (b.transposed ? k : k * b.columns), int(b.ld()), 0.0f, part.data(),
                int(b.columns));
    for (size_t i = 0; i < count; ++i)
      c[i] = int32_t(uint32_t(c[i]) + uint32_t(int32_t(part[i])));
  }
}

} // namespace tlx::sim
