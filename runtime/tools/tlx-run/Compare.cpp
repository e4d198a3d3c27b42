//===- Compare.cpp ----------------------------------------------------------------===//
#include "runtime/tools/tlx-run/Compare.h"

#include <algorithm>
#include <cmath>

namespace tlx::run {

double defaultTolerance(DType type) {
  if (!isFloat(type))
    return 0;
  switch (type) {
  case DType::f64: return 0x1p-40;
  case DType::f32: return 0x1p-14;
  case DType::f16: return 0x1p-8;
  case DType::bf16: return 0x1p-6;
  default: return 0x1p-3;
  }
}

Result<Comparison> compare(DType type, std::string_view bytes, const npy::Array &expected,
                           double tolerance) {
  if (npy::storedType(type) != expected.type || bytes.size() != expected.bytes.size())
    return Error(std::string("what is expected has other sizes or another type: ") +
                 name(expected.type) + ", " + std::to_string(expected.bytes.size()) +
                 " bytes; got " + name(npy::storedType(type)) + ", " +
                 std::to_string(bytes.size()));
  Comparison result;
  result.elements = int64_t(bytes.size() / byteWidth(type));
  result.tolerance = tolerance;
  double sum = 0;
  bool special = true; // infinities and NaN where they are expected, and only there
  for (int64_t index = 0; index < result.elements; ++index) {
    uint64_t got = loadElement(type, bytes.data(), size_t(index));
    uint64_t wanted = loadElement(type, expected.bytes.data(), size_t(index));
    double x = toDouble(type, got), y = toDouble(type, wanted);
    if (std::isfinite(y))
      result.largestExpected = std::max(result.largestExpected, std::fabs(y));
    if (got == wanted)
      continue;
    ++result.differing;
    if (!std::isfinite(x) || !std::isfinite(y)) {
      special &= x == y || (std::isnan(x) && std::isnan(y));
      continue;
    }
    double error = std::fabs(x - y);
    result.largestError = std::max(result.largestError, error);
    sum += error * error;
  }
  result.rmsError = std::sqrt(sum / double(std::max<int64_t>(result.elements, 1)));
  result.matches = isFloat(type)
                       ? special && result.largestError <= tolerance * result.largestExpected
                       : result.differing == 0;
  return result;
}

} // namespace tlx::run
