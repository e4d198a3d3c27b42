//===- Steps.h - sets of a run's steps -------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tlx::verify {

/// A set of steps, by their numbers in the run.
class Steps {
public:
  bool has(int step) const {
    size_t word = static_cast<size_t>(step) >> 6;
    return word < bits.size() && (bits[word] >> (step & 63) & 1);
  }
  void add(int step) {
    size_t word = static_cast<size_t>(step) >> 6;
    if (word >= bits.size())
      bits.resize(word + 1);
    bits[word] |= uint64_t(1) << (step & 63);
  }
  void add(const Steps &other) {
    if (other.bits.size() > bits.size())
      bits.resize(other.bits.size());
    for (size_t i = 0; i < other.bits.size(); ++i)
      bits[i] |= other.bits[i];
  }

private:
  std::vector<uint64_t> bits;
};

} // namespace tlx::verify
