//===- PtxWarp.cpp - PTX that looks across the lanes of a warp -------------===//
#include "sim/functional/Ptx.h"

#include "runtime/base/Dtype.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tlx::sim {

static bool hasPart(const PtxInst &inst, const char *part) {
  return std::find(inst.name.begin(), inst.name.end(), part) != inst.name.end();
}

static bool isCollective(const PtxInst &inst) {
  static const char *const ops[] = {"redux", "shfl", "vote", "match", "activemask"};
  return !inst.name.empty() &&
         std::find(std::begin(ops), std::end(ops), inst.name[0]) != std::end(ops);
}

bool looksAcrossLanes(const PtxInst &inst) {
  if (isCollective(inst))
    return true;
  for (const std::vector<std::string> &operand : inst.operands)
    for (const std::string &part : operand)
      if (part == "%laneid" || part == "%warpid" || part == "%tid.x")
        return true;
  return false;
}

/// redux.sync of two 32-bit values. False: unknown.
static bool combine(const PtxInst &inst, uint32_t a, uint32_t b, uint32_t &out) {
  const std::string &op = inst.name[2], &type = inst.name.back();
  if (type == "f32") {
    float x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
    if (hasPart(inst, "abs"))
      x = std::fabs(x), y = std::fabs(y);
    bool nan = hasPart(inst, "NaN") && (x != x || y != y);
    if (op != "min" && op != "max")
      return false;
    float r = nan ? x + y : op == "min" ? std::fmin(x, y) : std::fmax(x, y);
    out = std::bit_cast<uint32_t>(r);
    return true;
  }
  static const char *const ops[] = {"add", "min", "max", "and", "or", "xor"};
  uint64_t result = 0;
  if (std::find(std::begin(ops), std::end(ops), op) == std::end(ops) ||
      !combinePtx(op, type, a, b, result))
    return false;
  out = uint32_t(result);
  return true;
}

/// The lane that a shfl reads, and whether it is in range: as PTX defines it, from the
/// lane, operand b and operand c (clamp and segment mask).
static std::pair<unsigned, bool> shuffleSource(const std::string &mode, unsigned lane, uint64_t b,
                                               uint64_t c) {
  unsigned value = unsigned(b & 31), clamp = unsigned(c & 31), segment = unsigned(c >> 8 & 31);
  unsigned most = (lane & segment) | (clamp & ~segment), least = lane & segment;
  int from = int(lane);
  bool inRange = true;
  if (mode == "up") {
    from = int(lane) - int(value);
    inRange = from >= int(most);
  } else if (mode == "down") {
    from = int(lane + value);
    inRange = from <= int(most);
  } else if (mode == "bfly") {
    from = int(lane ^ value);
    inRange = from <= int(most);
  } else { // idx
    from = int(least | (value & ~segment));
    inRange = from <= int(most);
  }
  return {inRange ? unsigned(from) : lane, inRange};
}

bool PtxLanes::acrossLanes(const PtxInst &inst) {
  const std::string &op = inst.name[0];
  if (!isCollective(inst)) // it only reads a special register
    return op == "mov" ? move(inst) : packed(inst) || compute(inst);
  if (warpSize == 0 || inst.operands.empty() || inst.name.size() < 2)
    return false;
  std::vector<std::vector<uint64_t>> from;
  for (size_t i = 1; i < inst.operands.size(); ++i)
    from.push_back(source(inst.operands[i][0]));
  if (op != "activemask" && from.empty())
    return false;
  std::vector<uint64_t> result(lanes), predicate(lanes);
  for (size_t first = 0; first < lanes; first += warpSize) {
    if (op == "redux" && inst.name.size() >= 4) {
      uint32_t all = uint32_t(from[0][first]);
      // A single value counts too: its magnitude, where that is asked for.
      if (hasPart(inst, "abs") && !combine(inst, all, all, all))
        return false;
      for (size_t i = first + 1; i < first + warpSize; ++i)
        if (!combine(inst, all, uint32_t(from[0][i]), all))
          return false;
      std::fill_n(result.begin() + first, warpSize, all);
    } else if (op == "vote" && inst.name.size() >= 3) {
      bool negated = inst.operands[1][0][0] == '!';
      if (negated)
        from[0] = source(inst.operands[1][0].substr(1));
      uint64_t mask = 0;
      for (size_t i = 0; i < warpSize; ++i)
        mask |= uint64_t((from[0][first + i] != 0) != negated) << i;
      uint64_t full = warpSize == 64 ? ~uint64_t(0) : (uint64_t(1) << warpSize) - 1;
      const std::string &mode = inst.name[2];
      uint64_t value = mode == "ballot" ? mask
                       : mode == "all"  ? uint64_t(mask == full)
                       : mode == "any"  ? uint64_t(mask != 0)
                                        : uint64_t(mask == full || mask == 0);
      std::fill_n(result.begin() + first, warpSize, value);
    } else if (op == "match") {
      for (size_t i = first; i < first + warpSize; ++i) {
        for (size_t j = first; j < first + warpSize; ++j)
          result[i] |= uint64_t(from[0][j] == from[0][i]) << (j - first);
        predicate[i] = result[i] == 0xFFFFFFFFu;
        if (hasPart(inst, "all") && !predicate[i])
          result[i] = 0;
      }
    } else if (op == "activemask") {
      std::fill_n(result.begin() + first, warpSize, 0xFFFFFFFFu);
    } else if (op == "shfl" && inst.name.size() >= 3 && from.size() >= 3) {
      for (size_t i = 0; i < warpSize; ++i) {
        auto [lane, inRange] =
            shuffleSource(inst.name[2], unsigned(i), from[1][first + i], from[2][first + i]);
        result[first + i] = from[0][first + lane] & 0xFFFFFFFFu;
        predicate[first + i] = inRange;
      }
    } else {
      return false;
    }
  }
  // "d|p": a result and whether its lane was in range, or all agreed.
  std::string to = inst.operands[0][0];
  if (size_t bar = to.find('|'); bar != std::string::npos) {
    reg(to.substr(bar + 1)) = std::move(predicate);
    to.resize(bar);
  }
  reg(to) = std::move(result);
  return true;
}

} // namespace tlx::sim
