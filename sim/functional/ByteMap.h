//===- ByteMap.h - one bit for each byte of a memory
//----------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tlx::sim {

class ByteMap {
public:
  void resize(size_t bytes) {
    words.assign((bytes + 63) / 64, 0);
    size_ = bytes;
  }
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }

  void set(uint64_t begin, uint64_t count) {
    forEachWord(begin, count, [this](size_t word, uint64_t mask) {
      words[word] |= mask;
      return true;
    });
  }
  bool allSet(uint64_t begin, uint64_t count) const {
    return forEachWord(begin, count,
                       [this](size_t word, uint64_t mask) { return (words[word] & mask) == mask; });
  }

private:
  std::vector<uint64_t> words;
  size_t size_ = 0;

  template <typename F> bool forEachWord(uint64_t begin, uint64_t count, F f) const {
    uint64_t end = std::min<uint64_t>(begin + count, size_);
    for (uint64_t at = begin; at < end;) {
      uint64_t word = at / 64, first = at % 64;
      uint64_t last = std::min<uint64_t>(end - word * 64, 64);
      uint64_t mask =
          (last == 64 ? ~uint64_t(0) : (uint64_t(1) << last) - 1) & (~uint64_t(0) << first);
      if (!f(word, mask))
        return false;
      at = (word + 1) * 64;
    }
    return true;
  }
};

} // namespace tlx::sim
