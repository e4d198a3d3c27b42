//===- Sha256.h - content hashes ------------------------------------------===//
//
// SHA-256 (FIPS 180-4), with the processor's SHA extensions when it has them.
// Names the contents of files and buffers; no secrets are involved.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tlx {

class Sha256 {
public:
  Sha256();
  void update(const void *data, size_t size);
  /// The digest; the object must not be used afterwards.
  std::array<uint8_t, 32> finish();

private:
  std::array<uint32_t, 8> state;
  std::array<uint8_t, 64> block;
  uint64_t total = 0;
};

/// The digest of a buffer as 64 lower-case hexadecimal digits.
std::string sha256Hex(const void *data, size_t size);
inline std::string sha256Hex(std::string_view text) { return sha256Hex(text.data(), text.size()); }

} // namespace tlx
