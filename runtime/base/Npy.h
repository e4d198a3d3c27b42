//===- Npy.h - NumPy array files ------------------------------------------===//
//
// Reads and writes the .npy format (versions 1.0 to 3.0; NumPy's "NEP 1"):
// magic, header length, a Python dict literal, raw data. Little-endian plain
// types only. Types that NumPy lacks (bf16, fp8, e8m0, packed fp4) are stored
// as the unsigned integers of their size.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Dtype.h"
#include "runtime/base/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tlx::npy {

struct Array {
  DType type = DType::u8; ///< of the file: an integer, i1, f16, f32 or f64
  std::vector<int64_t> shape;
  std::string bytes; ///< row-major; one byte for each i1
};

/// The type under which elements of `type` are stored: bf16 → u16, fp8 → u8.
DType storedType(DType type);

/// Parses a whole file. A Fortran-ordered array is put into row-major order.
Result<Array> parse(std::string_view contents, const std::string &file);
Result<Array> read(const std::string &path);

/// The file's bytes, version 1.0. `bytes` must hold shape × byteWidth(type).
std::string print(DType type, const std::vector<int64_t> &shape, std::string_view bytes);
Result<void> write(const std::string &path, DType type, const std::vector<int64_t> &shape,
                   std::string_view bytes);

} // namespace tlx::npy
