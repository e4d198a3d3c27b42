//===- ByteMap.h - one bit for each byte of a memory ----------------------===//
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
    const Span span(begin, count, size_);
    if (span.empty)
      return;
    if (span.first == span.last) {
      words[span.first] |= span.head & span.tail;
      return;
    }
    words[span.first] |= span.head;
    std::fill(&words[span.first + 1], &words[span.last], ~uint64_t(0));
    words[span.last] |= span.tail;
  }
  bool allSet(uint64_t begin, uint64_t count) const {
    const Span span(begin, count, size_);
    if (span.empty)
      return true;
    auto has = [&](size_t word, uint64_t mask) { return (words[word] & mask) == mask; };
    if (span.first == span.last)
      return has(span.first, span.head & span.tail);
    uint64_t between = ~uint64_t(0);
    for (size_t word = span.first + 1; word < span.last; ++word)
      between &= words[word];
    return has(span.first, span.head) && between == ~uint64_t(0) && has(span.last, span.tail);
  }

private:
  /// The words of a range, and which bits of the first and last belong to it.
  struct Span {
    bool empty;
    size_t first = 0, last = 0;
    uint64_t head = 0, tail = 0;
    Span(uint64_t begin, uint64_t count, uint64_t size) {
      uint64_t end = std::min(begin + count, size);
      empty = begin >= end;
      if (empty)
        return;
      first = begin / 64, last = (end - 1) / 64;
      head = ~uint64_t(0) << begin % 64;
      tail = ~uint64_t(0) >> (63 - (end - 1) % 64);
    }
  };

  std::vector<uint64_t> words;
  size_t size_ = 0;
};

} // namespace tlx::sim
