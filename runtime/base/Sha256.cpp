//===- Sha256.cpp ----------------------------------------------------------===//
#include "runtime/base/Sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tlx {

// FIPS 180-4, 4.2.2: the first 32 bits of the fractional parts of the cube
// roots of the first 64 primes.
alignas(16) static constexpr uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static void compressPortable(uint32_t *state, const uint8_t *data, size_t blocks) {
  for (; blocks; --blocks, data += 64) {
    uint32_t w[64];
    for (int i = 0; i < 16; ++i) {
      uint32_t word;
      std::memcpy(&word, data + 4 * i, 4);
      w[i] = __builtin_bswap32(word);
    }
    for (int i = 16; i < 64; ++i) {
      uint32_t a = w[i - 15], b = w[i - 2];
      uint32_t s0 = std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3);
      uint32_t s1 = std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 64; ++i) {
      uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
      uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + constants[i] + w[i];
      uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
      uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
  }
}

#if defined(__x86_64__)
/// The extension keeps the state as (ABEF, CDGH) and does two rounds at a time.
__attribute__((target("sha,sse4.1,ssse3"))) static void
compressShaExtensions(uint32_t *state, const uint8_t *data, size_t blocks) {
  const __m128i bigEndian = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  __m128i abcd = _mm_loadu_si128(reinterpret_cast<__m128i *>(state));
  __m128i efgh = _mm_loadu_si128(reinterpret_cast<__m128i *>(state + 4));
  __m128i cdab = _mm_shuffle_epi32(abcd, 0xB1);
  __m128i hgfe = _mm_shuffle_epi32(efgh, 0x1B);
  __m128i abef = _mm_alignr_epi8(cdab, hgfe, 8);
  __m128i cdgh = _mm_blend_epi16(hgfe, cdab, 0xF0);
  for (; blocks; --blocks, data += 64) {
    __m128i savedAbef = abef, savedCdgh = cdgh;
    __m128i w[4];
    for (int i = 0; i < 16; ++i) {
      __m128i word;
      if (i < 4) {
        word = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i *>(data) + i),
                                bigEndian);
      } else {
        __m128i sum = _mm_sha256msg1_epu32(w[i & 3], w[(i + 1) & 3]);
        sum = _mm_add_epi32(sum, _mm_alignr_epi8(w[(i + 3) & 3], w[(i + 2) & 3], 4));
        word = _mm_sha256msg2_epu32(sum, w[(i + 3) & 3]);
      }
      w[i & 3] = word;
      __m128i keyed =
          _mm_add_epi32(word, _mm_load_si128(reinterpret_cast<const __m128i *>(constants) + i));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, keyed);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(keyed, 0x0E));
    }
    abef = _mm_add_epi32(abef, savedAbef);
    cdgh = _mm_add_epi32(cdgh, savedCdgh);
  }
  __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
  __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128(reinterpret_cast<__m128i *>(state), _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(reinterpret_cast<__m128i *>(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

static bool hasShaExtensions() {
  // Leaf 7, EBX bit 29; __builtin_cpu_supports does not know "sha" everywhere.
  static const bool has = [] {
    uint32_t a = 7, b = 0, c = 0, d = 0;
    __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    return (b >> 29 & 1) && __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("ssse3");
  }();
  return has;
}
#endif

static void compress(uint32_t *state, const uint8_t *data, size_t blocks) {
#if defined(__x86_64__)
  if (hasShaExtensions())
    return compressShaExtensions(state, data, blocks);
#endif
  compressPortable(state, data, blocks);
}

Sha256::Sha256()
    : state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

void Sha256::update(const void *data, size_t size) {
  if (size == 0)
    return;
  auto *bytes = static_cast<const uint8_t *>(data);
  size_t filled = total % 64;
  total += size;
  if (filled) {
    size_t taken = std::min(size, 64 - filled);
    std::memcpy(block.data() + filled, bytes, taken);
    bytes += taken, size -= taken;
    if (filled + taken < 64)
      return;
    compress(state.data(), block.data(), 1);
  }
  compress(state.data(), bytes, size / 64);
  std::memcpy(block.data(), bytes + size / 64 * 64, size % 64);
}

std::array<uint8_t, 32> Sha256::finish() {
  uint64_t bits = total * 8;
  static constexpr uint8_t padding[64] = {0x80};
  update(padding, 1 + (119 - total % 64) % 64);
  uint8_t length[8];
  for (int i = 0; i < 8; ++i)
    length[i] = uint8_t(bits >> (56 - 8 * i));
  update(length, 8);
  std::array<uint8_t, 32> digest;
  for (int i = 0; i < 32; ++i)
    digest[i] = uint8_t(state[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

std::string sha256Hex(const void *data, size_t size) {
  Sha256 hash;
  hash.update(data, size);
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (uint8_t byte : hash.finish()) {
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

} // namespace tlx
