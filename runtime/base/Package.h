//===- Package.h - a compiled kernel in one file -----------------------------===//
//
// A .tlxk file holds machine code and what a launch must know, so that launching
// needs no compiler:
//
//   "TLXK1\n", the header's length as decimal digits and "\n", the header (JSON),
//   then the codes, one after another
//
// Parameters are those of the kernel's function; behind them the code takes two
// pointers to scratch in global memory (`globalScratchBytes` for each CTA, and one
// that is not used).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Dtype.h"
#include "runtime/base/Result.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tlx {

struct PackageParameter {
  enum class Kind : uint8_t { Pointer, Descriptor, Scalar };
  Kind kind = Kind::Scalar;
  std::string name;           ///< may be empty
  DType element = DType::i32; ///< pointee, descriptor element, or the scalar
  std::vector<int64_t> block; ///< Descriptor: the tile
  std::vector<int64_t> box;   ///< Descriptor: what one copy moves of it
  int64_t swizzleBytes = 0;   ///< Descriptor: 0, 32, 64, 128
  bool operator==(const PackageParameter &) const = default;
};

struct PackageCode {
  std::string arch; ///< "sm_90a"
  std::string form; ///< "cubin", "ptx"
  std::string bytes;
  bool operator==(const PackageCode &) const = default;
};

struct Package {
  std::string kernel; ///< the entry's name
  std::string target; ///< "cuda:90"
  int64_t warps = 0;  ///< launched for a CTA
  std::array<int64_t, 3> cluster{1, 1, 1};
  int64_t sharedBytes = 0;
  int64_t globalScratchBytes = 0, globalScratchAlignment = 1;
  std::string sourceSha256; ///< of the IR's text
  std::vector<PackageParameter> parameters;
  std::vector<PackageCode> codes; ///< best first
  bool operator==(const Package &) const = default;
};

bool isPackage(std::string_view bytes);
std::string writePackage(const Package &package);
/// `file` is for messages.
Result<Package> readPackage(std::string_view bytes, const std::string &file);

} // namespace tlx
