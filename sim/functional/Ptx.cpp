//===- Ptx.cpp - the PTX that elementwise inline assembly uses ------------===//
#include "sim/functional/Ptx.h"

#include "sim/functional/Tf32.h"

#include "runtime/base/Dtype.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace tlx::sim {

// --- Reading
// -----------------------------------------------------------------------------------------

static std::string trimmed(const std::string &text) {
  size_t begin = text.find_first_not_of(" \t\n\r"), end = text.find_last_not_of(" \t\n\r");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

static std::vector<std::string> splitAt(const std::string &text, char separator) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (char c : text) {
    depth += c == '{';
    depth -= c == '}';
    if (c == separator && depth == 0) {
      parts.push_back(trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!trimmed(part).empty())
    parts.push_back(trimmed(part));
  return parts;
}

std::vector<PtxInst> parsePtx(const std::string &text) {
  std::vector<PtxInst> insts;
  for (size_t at = 0; at < text.size();) {
    // A statement may stand behind the braces of a scope.
    at = text.find_first_not_of(" \t\n\r{};", at);
    if (at == std::string::npos)
      break;
    if (text.compare(at, 2, "//") == 0) {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    size_t end = std::min(text.find(';', at), text.size());
    std::string statement = trimmed(text.substr(at, end - at));
    at = end + 1;
    if (statement.rfind(".reg", 0) == 0)
      continue;
    PtxInst inst;
    inst.text = statement;
    if (statement[0] == '@') {
      size_t guardEnd = statement.find_first_of(" \t\n");
      inst.guard = trimmed(statement.substr(1, guardEnd - 1));
      statement = guardEnd == std::string::npos ? "" : trimmed(statement.substr(guardEnd));
    }
    size_t space = statement.find_first_of(" \t\n");
    inst.name = splitAt(statement.substr(0, space), '.');
    if (space != std::string::npos)
      for (std::string operand : splitAt(statement.substr(space), ',')) {
        if (!operand.empty() && operand[0] == '{')
          operand = operand.substr(1, operand.find('}') - 1);
        inst.operands.push_back(splitAt(operand, ','));
      }
    insts.push_back(std::move(inst));
  }
  return insts;
}

std::vector<uint64_t> PtxLanes::source(const std::string &operand) {
  auto found = registers.find(operand);
  if (found != registers.end())
    return found->second;
  uint64_t value = 0;
  if (operand == "%smid") {
    value = smid;
  } else if (operand == "%laneid" || operand == "%warpid" || operand == "%tid.x") {
    std::vector<uint64_t> values(lanes);
    for (size_t i = 0; i < lanes && i < threads.size(); ++i)
      values[i] = operand == "%tid.x"    ? threads[i]
                  : operand == "%laneid" ? threads[i] % warpSize
                                         : threads[i] / warpSize;
    return values;
  } else if (operand.rfind("0f", 0) == 0 || operand.rfind("0F", 0) == 0 ||
             operand.rfind("0d", 0) == 0 || operand.rfind("0D", 0) == 0) {
    value = std::strtoull(operand.c_str() + 2, nullptr, 16);
  } else if (operand.find('.') != std::string::npos) {
    value = std::bit_cast<uint32_t>(float(std::strtod(operand.c_str(), nullptr)));
  } else {
    value = uint64_t(std::strtoll(operand.c_str(), nullptr, 0));
    if (operand.rfind("0x", 0) == 0)
      value = std::strtoull(operand.c_str(), nullptr, 16);
  }
  return std::vector<uint64_t>(lanes, value);
}

// --- Types
// -------------------------------------------------------------------------------------------

namespace {

enum class Kind { Bits, Unsigned, Signed, Float };
struct PtxType {
  Kind kind = Kind::Bits;
  unsigned bits = 0;
  DType dtype = DType::f32; ///< Float
};

bool readType(const std::string &name, PtxType &type) {
  static const std::pair<const char *, PtxType> types[] = {
      {"b8", {Kind::Bits, 8, {}}},
      {"b16", {Kind::Bits, 16, {}}},
      {"b32", {Kind::Bits, 32, {}}},
      {"b64", {Kind::Bits, 64, {}}},
      {"u8", {Kind::Unsigned, 8, {}}},
      {"u16", {Kind::Unsigned, 16, {}}},
      {"u32", {Kind::Unsigned, 32, {}}},
      {"u64", {Kind::Unsigned, 64, {}}},
      {"s8", {Kind::Signed, 8, {}}},
      {"s16", {Kind::Signed, 16, {}}},
      {"s32", {Kind::Signed, 32, {}}},
      {"s64", {Kind::Signed, 64, {}}},
      {"f16", {Kind::Float, 16, DType::f16}},
      {"bf16", {Kind::Float, 16, DType::bf16}},
      {"f32", {Kind::Float, 32, DType::f32}},
      {"f64", {Kind::Float, 64, DType::f64}},
      {"e4m3", {Kind::Float, 8, DType::f8E4M3FN}},
      {"e5m2", {Kind::Float, 8, DType::f8E5M2}},
      {"e2m1", {Kind::Float, 4, DType::f4E2M1}},
      {"ue8m0", {Kind::Float, 8, DType::f8E8M0FNU}}};
  for (const auto &[text, known] : types)
    if (name == text) {
      type = known;
      return true;
    }
  return false;
}

uint64_t maskOf(unsigned bits) { return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }
int64_t signedValue(uint64_t bits, unsigned width) {
  return int64_t(bits << (64 - width)) >> (64 - width);
}
double floatValue(const PtxType &type, uint64_t bits) { return toDouble(type.dtype, bits); }

/// A halved type: "f32x2" is two of f32.
bool readPair(const std::string &name, PtxType &type) {
  return name.size() > 2 && name.substr(name.size() - 2) == "x2" &&
         readType(name.substr(0, name.size() - 2), type);
}

bool hasPart(const PtxInst &inst, const char *part) {
  return std::find(inst.name.begin(), inst.name.end(), part) != inst.name.end();
}

Rounding roundingOf(const PtxInst &inst) {
  if (hasPart(inst, "rz") || hasPart(inst, "rzi"))
    return Rounding::TowardZero;
  if (hasPart(inst, "rp") || hasPart(inst, "rpi"))
    return Rounding::Up;
  if (hasPart(inst, "rm") || hasPart(inst, "rmi"))
    return Rounding::Down;
  return Rounding::NearestEven;
}

/// With .relu what is negative becomes zero.
double relu(const PtxInst &inst, double x) { return x < 0 && hasPart(inst, "relu") ? 0 : x; }

} // namespace

// --- Instructions
// --------------------------------------------------------------------------------------

/// mov: copies, and packs or unpacks vectors of registers.
bool PtxLanes::move(const PtxInst &inst) {
  PtxType type;
  if (inst.operands.size() != 2 || !readType(inst.name.back(), type))
    return false;
  const std::vector<std::string> &to = inst.operands[0], &from = inst.operands[1];
  if (to.size() == 1) {
    std::vector<uint64_t> value(lanes, 0);
    unsigned width = type.bits / unsigned(from.size());
    for (size_t part = 0; part < from.size(); ++part) {
      std::vector<uint64_t> piece = source(from[part]);
      for (size_t i = 0; i < lanes; ++i)
        value[i] |= (piece[i] & maskOf(width)) << (width * part);
    }
    reg(to[0]) = std::move(value);
    return true;
  }
  if (from.size() != 1)
    return false;
  std::vector<uint64_t> whole = source(from[0]);
  unsigned width = type.bits / unsigned(to.size());
  for (size_t part = 0; part < to.size(); ++part) {
    if (to[part] == "_")
      continue;
    std::vector<uint64_t> &piece = reg(to[part]);
    for (size_t i = 0; i < lanes; ++i)
      piece[i] = whole[i] >> (width * part) & maskOf(width);
  }
  return true;
}

/// cvt: one value, two values into one register, or a pair to a pair.
bool PtxLanes::convert(const PtxInst &inst) {
  if (inst.name.size() < 3 || inst.operands.size() < 2)
    return false;
  const std::string &toName = inst.name[inst.name.size() - 2], &fromName = inst.name.back();
  Rounding rounding = roundingOf(inst);
  Overflow overflow =
      hasPart(inst, "satfinite") || hasPart(inst, "sat") ? Overflow::Saturate : Overflow::Ieee;
  PtxType to, from;
  auto one = [&](uint64_t bits) -> uint64_t {
    bits &= maskOf(from.bits);
    if (from.kind == Kind::Float && to.kind == Kind::Float)
      return fromDouble(to.dtype, relu(inst, floatValue(from, bits)), rounding, overflow);
    if (from.kind == Kind::Float) {
      double x = floatValue(from, bits);
      x = rounding == Rounding::TowardZero ? std::trunc(x)
          : rounding == Rounding::Up       ? std::ceil(x)
          : rounding == Rounding::Down     ? std::floor(x)
                                           : std::nearbyint(x);
      if (x != x)
        return 0;
      if (to.kind == Kind::Unsigned)
        return x <= 0 ? 0 : x >= std::ldexp(1.0, int(to.bits)) ? maskOf(to.bits) : uint64_t(x);
      double limit = std::ldexp(1.0, int(to.bits) - 1);
      return uint64_t(x < -limit   ? int64_t(-limit)
                      : x >= limit ? int64_t(maskOf(to.bits - 1))
                                   : int64_t(x)) &
             maskOf(to.bits);
    }
    int64_t integer = from.kind == Kind::Signed ? signedValue(bits, from.bits) : int64_t(bits);
    if (to.kind == Kind::Float)
      return fromDouble(to.dtype, from.kind == Kind::Signed ? double(integer) : double(bits),
                        rounding, overflow);
    return uint64_t(integer) & maskOf(to.bits);
  };
  if (toName == "tf32" && fromName == "f32" && hasPart(inst, "rna")) {
    std::vector<uint64_t> x = source(inst.operands[1][0]);
    std::vector<uint64_t> &result = reg(inst.operands[0][0]);
    for (size_t i = 0; i < lanes; ++i)
      result[i] = roundToTf32(uint32_t(x[i]));
    return true;
  }
  if (readType(toName, to) && readType(fromName, from)) {
    std::vector<uint64_t> x = source(inst.operands[1][0]);
    std::vector<uint64_t> &result = reg(inst.operands[0][0]);
    for (size_t i = 0; i < lanes; ++i)
      result[i] = one(x[i]);
    return true;
  }
  if (readPair(toName, to) && readType(fromName, from) && inst.operands.size() == 3) {
    // The first source goes to the upper half.
    std::vector<uint64_t> high = source(inst.operands[1][0]), low = source(inst.operands[2][0]);
    std::vector<uint64_t> &result = reg(inst.operands[0][0]);
    for (size_t i = 0; i < lanes; ++i)
      result[i] = one(high[i]) << to.bits | one(low[i]);
    return true;
  }
  if (readPair(toName, to) && readPair(fromName, from)) {
    std::vector<uint64_t> x = source(inst.operands[1][0]);
    std::vector<uint64_t> &result = reg(inst.operands[0][0]);
    for (size_t i = 0; i < lanes; ++i)
      result[i] = one(x[i] >> from.bits) << to.bits | one(x[i]);
    return true;
  }
  return false;
}

/// What an arithmetic instruction does to one value of each operand. False: unknown.
static bool calculate(const PtxInst &inst, const PtxType &type, const uint64_t *x, uint64_t &out) {
  const std::string &op = inst.name[0];
  const uint64_t mask = maskOf(type.bits);
  if (type.kind == Kind::Float) {
    // With .ftz subnormal numbers count as zeros.
    const double smallest = hasPart(inst, "ftz") && type.bits == 32 ? 0x1p-126 : 0;
    auto flushed = [&](double v) { return std::fabs(v) < smallest ? std::copysign(0.0, v) : v; };
    double a = flushed(floatValue(type, x[0] & mask)), b = flushed(floatValue(type, x[1] & mask)),
           c = flushed(floatValue(type, x[2] & mask)), r;
    if (op == "add")
      r = a + b;
    else if (op == "sub")
      r = a - b;
    else if (op == "mul")
      r = a * b;
    else if (op == "div")
      r = a / b;
    else if (op == "fma" || op == "mad")
      r = std::fma(a, b, c);
    else if (op == "min" || op == "max") {
      bool nan = hasPart(inst, "NaN") && (a != a || b != b);
      r = nan ? a + b : op == "min" ? std::fmin(a, b) : std::fmax(a, b);
    } else if (op == "neg")
      r = -a;
    else if (op == "copysign")
      r = std::copysign(b, a);
    else if (op == "abs")
      r = std::fabs(a);
    else if (op == "ex2")
      r = std::exp2(a);
    else if (op == "lg2")
      r = std::log2(a);
    else if (op == "rcp")
      r = 1 / a;
    else if (op == "sqrt")
      r = std::sqrt(a);
    else if (op == "rsqrt")
      r = 1 / std::sqrt(a);
    else if (op == "sin")
      r = std::sin(a);
    else if (op == "cos")
      r = std::cos(a);
    else if (op == "tanh")
      r = std::tanh(a);
    else
      return false;
    if (hasPart(inst, "sat"))
      r = r != r ? 0 : std::clamp(r, 0.0, 1.0);
    out = fromDouble(type.dtype, flushed(relu(inst, r)), roundingOf(inst));
    return true;
  }
  uint64_t a = x[0] & mask, b = x[1] & mask, c = x[2] & mask;
  bool isSigned = type.kind == Kind::Signed;
  int64_t sa = signedValue(a, type.bits), sb = signedValue(b, type.bits);
  unsigned shift = unsigned(std::min<uint64_t>(x[1] & 0xFFFFFFFFu, 64));
  if ((op == "add" || op == "sub") && hasPart(inst, "sat")) {
    int64_t most = int64_t(maskOf(type.bits - 1));
    out = uint64_t(std::clamp(op == "add" ? sa + sb : sa - sb, -most - 1, most));
  } else if (op == "add")
    out = a + b;
  else if (op == "sub")
    out = a - b;
  else if (op == "sad")
    out = c + (isSigned ? uint64_t(std::max(sa, sb) - std::min(sa, sb))
                        : std::max(a, b) - std::min(a, b));
  else if (op == "shf") { // the upper or lower half of two registers, shifted as one
    unsigned by = unsigned(hasPart(inst, "wrap") ? x[2] & 31 : std::min<uint64_t>(c, 32));
    uint64_t both = a | b << 32;
    out = hasPart(inst, "l") ? both << by >> 32 : both >> by;
  } else if (op == "dp4a" && inst.name.size() == 3) { // .atype.btype
    const bool signs[] = {inst.name[1] == "s32", inst.name[2] == "s32"};
    int64_t sum = isSigned || signs[0] ? signedValue(c, 32) : int64_t(c);
    for (unsigned at = 0; at < 32; at += 8) {
      uint64_t l = a >> at & 255, r = b >> at & 255;
      sum +=
          (signs[0] ? signedValue(l, 8) : int64_t(l)) * (signs[1] ? signedValue(r, 8) : int64_t(r));
    }
    out = uint64_t(sum);
  } else if (op == "mul" || op == "mad") {
    unsigned __int128 wide =
        isSigned ? (unsigned __int128)((__int128)sa * sb) : (unsigned __int128)a * b;
    if (hasPart(inst, "wide")) {
      out = uint64_t(wide) + (op == "mad" ? x[2] : 0);
      return true;
    }
    out = uint64_t(hasPart(inst, "hi") ? wide >> type.bits : wide) + (op == "mad" ? c : 0);
  } else if (op == "div")
    out = b == 0 ? mask : isSigned ? uint64_t(sb == -1 ? -sa : sa / sb) : a / b;
  else if (op == "rem")
    out = b == 0 ? a : isSigned ? uint64_t(sb == -1 ? 0 : sa % sb) : a % b;
  else if (op == "min")
    out = isSigned ? uint64_t(std::min(sa, sb)) : std::min(a, b);
  else if (op == "max")
    out = isSigned ? uint64_t(std::max(sa, sb)) : std::max(a, b);
  else if (op == "neg")
    out = uint64_t(-sa);
  else if (op == "abs")
    out = uint64_t(sa < 0 ? -sa : sa);
  else if (op == "and")
    out = a & b;
  else if (op == "or")
    out = a | b;
  else if (op == "xor")
    out = a ^ b;
  else if (op == "not")
    out = ~a;
  else if (op == "shl")
    out = shift >= type.bits ? 0 : a << shift;
  else if (op == "shr")
    out = isSigned ? uint64_t(sa >> std::min(shift, 63u)) : shift >= type.bits ? 0 : a >> shift;
  else if (op == "popc")
    out = uint64_t(std::popcount(a));
  else if (op == "clz")
    out = uint64_t(std::countl_zero(a) - int(64 - type.bits));
  else if (op == "lop3") {
    out = 0;
    uint64_t table = x[3];
    for (unsigned bit = 0; bit < 32; ++bit) {
      unsigned index = unsigned((a >> bit & 1) << 2 | (b >> bit & 1) << 1 | (c >> bit & 1));
      out |= (table >> index & 1) << bit;
    }
  } else if (op == "bfe") {
    unsigned from = unsigned(x[1] & 255), width = unsigned(x[2] & 255);
    unsigned length = from >= type.bits ? 0 : std::min(width, type.bits - from);
    out = from >= type.bits ? 0 : a >> from & maskOf(length);
    unsigned top = std::min(from + width - 1, type.bits - 1);
    if (isSigned && width && (a >> top & 1))
      out |= ~maskOf(length);
  } else if (op == "bfi") { // bits of a at x[2] in b
    unsigned to = unsigned(x[2] & 255), width = unsigned(x[3] & 255);
    uint64_t field = to >= type.bits ? 0 : maskOf(std::min(width, type.bits - to)) << to;
    out = (b & ~field) | (to >= type.bits ? 0 : a << to & field);
  } else if (op == "brev") {
    out = 0;
    for (unsigned bit = 0; bit < type.bits; ++bit)
      out |= (a >> bit & 1) << (type.bits - 1 - bit);
  } else if (op == "prmt") {
    uint64_t bytes = a | b << 32;
    out = 0;
    for (unsigned k = 0; k < 4; ++k) {
      unsigned selector = unsigned(x[2] >> (4 * k) & 15);
      uint64_t byte = bytes >> (8 * (selector & 7)) & 255;
      if (selector & 8)
        byte = byte >> 7 ? 255 : 0;
      out |= byte << (8 * k);
    }
  } else
    return false;
  out &= mask;
  return true;
}

bool combinePtx(const std::string &op, const std::string &type, uint64_t a, uint64_t b,
                uint64_t &out) {
  PtxInst inst;
  inst.name = {op, type};
  PtxType read;
  const uint64_t x[] = {a, b, 0, 0};
  return readType(type, read) && calculate(inst, read, x, out);
}

/// Arithmetic on a pair held in one register.
bool PtxLanes::packed(const PtxInst &inst) {
  PtxType type;
  if (!readPair(inst.name.back(), type) || inst.operands.size() < 2)
    return false;
  std::vector<std::vector<uint64_t>> from;
  for (size_t i = 1; i < inst.operands.size(); ++i)
    from.push_back(source(inst.operands[i][0]));
  std::vector<uint64_t> &result = reg(inst.operands[0][0]);
  for (size_t i = 0; i < lanes; ++i) {
    uint64_t low[4] = {}, high[4] = {}, r0, r1;
    for (size_t k = 0; k < from.size() && k < 4; ++k) {
      low[k] = from[k][i] & maskOf(type.bits);
      high[k] = from[k][i] >> type.bits;
    }
    if (!calculate(inst, type, low, r0) || !calculate(inst, type, high, r1))
      return false;
    result[i] = r0 | r1 << type.bits;
  }
  return true;
}

bool PtxLanes::compute(const PtxInst &inst) {
  PtxType type;
  if (inst.operands.size() < 2 || !readType(inst.name.back(), type))
    return false;
  std::vector<std::vector<uint64_t>> from;
  for (size_t i = 1; i < inst.operands.size(); ++i)
    from.push_back(source(inst.operands[i][0]));
  std::vector<uint64_t> &result = reg(inst.operands[0][0]);
  if (inst.name[0] == "selp" && from.size() == 3) {
    for (size_t i = 0; i < lanes; ++i)
      result[i] = from[2][i] ? from[0][i] : from[1][i];
    return true;
  }
  if (inst.name[0] == "setp" && from.size() == 2 && inst.name.size() >= 3) {
    if (inst.operands[0][0].find('|') != std::string::npos)
      return false; // its complement as well
    const std::string &relation = inst.name[1];
    for (size_t i = 0; i < lanes; ++i) {
      uint64_t a = from[0][i] & maskOf(type.bits), b = from[1][i] & maskOf(type.bits);
      double fa = floatValue(type, a), fb = floatValue(type, b);
      int64_t sa = signedValue(a, type.bits), sb = signedValue(b, type.bits);
      int order = type.kind == Kind::Float    ? (fa > fb) - (fa < fb)
                  : type.kind == Kind::Signed ? (sa > sb) - (sa < sb)
                                              : (a > b) - (a < b);
      bool unordered = type.kind == Kind::Float && (fa != fa || fb != fb);
      if (relation == "eq")
        result[i] = !unordered && order == 0;
      else if (relation == "ne")
        result[i] = !unordered && order != 0;
      else if (relation == "lt" || relation == "lo")
        result[i] = !unordered && order < 0;
      else if (relation == "le" || relation == "ls")
        result[i] = !unordered && order <= 0;
      else if (relation == "gt" || relation == "hi")
        result[i] = !unordered && order > 0;
      else if (relation == "ge" || relation == "hs")
        result[i] = !unordered && order >= 0;
      else if (relation == "neu")
        result[i] = unordered || order != 0;
      else if (relation == "equ")
        result[i] = unordered || order == 0;
      else
        return false;
    }
    return true;
  }
  for (size_t i = 0; i < lanes; ++i) {
    uint64_t x[4] = {};
    for (size_t k = 0; k < from.size() && k < 4; ++k)
      x[k] = from[k][i];
    if (!calculate(inst, type, x, result[i]))
      return false;
  }
  return true;
}

bool PtxLanes::run(const PtxInst &inst) {
  if (inst.guard.empty() || inst.operands.empty())
    return execute(inst);
  // Where the guard does not hold, results keep what they were.
  bool negated = inst.guard[0] == '!';
  std::vector<uint64_t> guard = source(inst.guard.substr(negated));
  std::vector<std::vector<uint64_t>> before;
  for (const std::string &part : inst.operands[0])
    before.push_back(reg(part));
  if (!execute(inst))
    return false;
  for (size_t r = 0; r < before.size(); ++r)
    for (size_t i = 0; i < lanes; ++i)
      if ((guard[i] != 0) == negated)
        reg(inst.operands[0][r])[i] = before[r][i];
  return true;
}

bool PtxLanes::execute(const PtxInst &inst) {
  if (inst.name.empty())
    return true;
  for (const std::vector<std::string> &operand : inst.operands)
    if (operand.empty())
      return false;
  const std::string &op = inst.name[0];
  if (op == "nanosleep") // passes time only
    return true;
  if (op == "griddepcontrol") // a launch of its own depends on no other
    return true;
  if (op == "mov")
    return move(inst);
  if (op == "cvt")
    return convert(inst);
  if (looksAcrossLanes(inst))
    return acrossLanes(inst);
  if (hasPart(inst, "sync") || op == "ld" || op == "st" || op == "bar")
    return false;
  return packed(inst) || compute(inst);
}

} // namespace tlx::sim
