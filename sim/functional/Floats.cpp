//===- Floats.cpp - floating-point arithmetic and comparisons -------------===//
//
// f64 in double; everything narrower in f32, rounded to its own type after each
// operation. One rounding to f32 and one to the narrow type equal a single rounding for +, -, *,
// / and square root, since f32 has more than twice the bits. Fused multiply-add goes
// through double for the narrow types.
//
//===----------------------------------------------------------------------===//
#include "sim/functional/Elementwise.h"

#include <cmath>

namespace tlx::sim {
namespace {

template <typename F> void binary(Exec &exec, F f) {
  if (skipUnknown(exec))
    return;
  DType elem = exec.type(0).elem;
  Value a = exec.take(0), b = exec.take(1);
  if (a.store() == Store::F64)
    return exec.out(0, map2<double, double>(std::move(a), std::move(b), Store::F64, f));
  exec.out(0, rounded(map2<float, float>(std::move(a), std::move(b), Store::F32, f), elem));
}

// Exact selections need no rounding but may pass through it unharmed.
template <typename T> T maximum(T x, T y) {
  if (std::isnan(x) || std::isnan(y))
    return x + y;
  return x > y ? x : y > x ? y : std::signbit(x) ? y : x;
}
template <typename T> T minimum(T x, T y) {
  if (std::isnan(x) || std::isnan(y))
    return x + y;
  return x < y ? x : y < x ? y : std::signbit(x) ? x : y;
}
/// The other operand when one is NaN. Written without branches.
template <typename T> T maxNum(T x, T y) { return (x >= y || y != y) ? x : y; }
template <typename T> T minNum(T x, T y) { return (x <= y || y != y) ? x : y; }

void addF(Exec &exec) {
  binary(exec, [](auto x, auto y) { return x + y; });
}
void subF(Exec &exec) {
  binary(exec, [](auto x, auto y) { return x - y; });
}
void mulF(Exec &exec) {
  binary(exec, [](auto x, auto y) { return x * y; });
}
void divF(Exec &exec) {
  binary(exec, [](auto x, auto y) { return x / y; });
}
void remF(Exec &exec) {
  binary(exec, [](auto x, auto y) { return std::fmod(x, y); });
}
void maximumF(Exec &exec) {
  binary(exec, [](auto x, auto y) { return maximum(x, y); });
}
void minimumF(Exec &exec) {
  binary(exec, [](auto x, auto y) { return minimum(x, y); });
}
void maxNumF(Exec &exec) {
  binary(exec, [](auto x, auto y) { return maxNum(x, y); });
}
void minNumF(Exec &exec) {
  binary(exec, [](auto x, auto y) { return minNum(x, y); });
}

template <typename F> void compare(Exec &exec, F f) {
  Value a = exec.take(0), b = exec.take(1);
  if (a.store() == Store::F64)
    return exec.out(0,
                    map2<double, uint8_t>(std::move(a), std::move(b), Store::B1,
                                          [f](double x, double y) -> uint8_t { return f(x, y); }));
  exec.out(0, map2<float, uint8_t>(std::move(a), std::move(b), Store::B1,
                                   [f](float x, float y) -> uint8_t { return f(x, y); }));
}

void cmpF(Exec &exec) {
  if (skipUnknown(exec))
    return;
  switch (exec.attrs().cmpf) {
  case CmpF::False: return compare(exec, [](auto, auto) { return false; });
  case CmpF::Oeq: return compare(exec, [](auto x, auto y) { return x == y; });
  case CmpF::Ogt: return compare(exec, [](auto x, auto y) { return x > y; });
  case CmpF::Oge: return compare(exec, [](auto x, auto y) { return x >= y; });
  case CmpF::Olt: return compare(exec, [](auto x, auto y) { return x < y; });
  case CmpF::Ole: return compare(exec, [](auto x, auto y) { return x <= y; });
  case CmpF::One: return compare(exec, [](auto x, auto y) { return x < y || x > y; });
  case CmpF::Ord: return compare(exec, [](auto x, auto y) { return x == x && y == y; });
  case CmpF::Ueq: return compare(exec, [](auto x, auto y) { return !(x < y || x > y); });
  case CmpF::Ugt: return compare(exec, [](auto x, auto y) { return !(x <= y); });
  case CmpF::Uge: return compare(exec, [](auto x, auto y) { return !(x < y); });
  case CmpF::Ult: return compare(exec, [](auto x, auto y) { return !(x >= y); });
  case CmpF::Ule: return compare(exec, [](auto x, auto y) { return !(x > y); });
  case CmpF::Une: return compare(exec, [](auto x, auto y) { return x != y; });
  case CmpF::Uno: return compare(exec, [](auto x, auto y) { return x != x || y != y; });
  case CmpF::True: return compare(exec, [](auto, auto) { return true; });
  }
}

template <typename F> void unary(Exec &exec, F f) {
  if (skipUnknown(exec))
    return;
  Value a = exec.take(0);
  if (a.store() == Store::F64)
    return exec.out(0, map1<double, double>(std::move(a), Store::F64, f));
  exec.out(0, map1<float, float>(std::move(a), Store::F32, f));
}

void negF(Exec &exec) {
  unary(exec, [](auto x) { return -x; });
}
void absF(Exec &exec) {
  unary(exec, [](auto x) { return std::fabs(x); });
}

template <typename T> T fused(T x, T y, T z) { return std::fma(x, y, z); }

Value fuse(const Value &a, const Value &b, const Value &c, DType elem) {
  if (a.store() == Store::F64)
    return map3<double>(a, b, c, Store::F64, fused<double>);
  if (elem == DType::f32)
    return map3<float>(a, b, c, Store::F32, fused<float>);
  // Products and sums of narrow elements are exact enough in double: round once.
  size_t n = std::max({a.count(), b.count(), c.count()});
  Value result = Value::elements(Store::F32, n);
  float *r = result.mutableData<float>();
  for (size_t i = 0; i < n; ++i) {
    double x = std::fma(a.asDouble(i), b.asDouble(i), c.asDouble(i));
    r[i] = float(toDouble(elem, fromDouble(elem, x)));
  }
  return result;
}

void fma(Exec &exec) {
  if (skipUnknown(exec))
    return;
  exec.out(0, fuse(exec.in(0), exec.in(1), exec.in(2), exec.type(0).elem));
}

/// Triton turns clamp(x, -limit, limit) into one min.xorsign.abs on NVIDIA chips, which
/// differs from a clamp when the limit is negative: the smaller magnitude with the
/// product of the signs.
bool clampsAtNegatedLimit(const Value &low, const Value &high) {
  bool negative = false;
  size_t n = std::max(low.count(), high.count());
  for (size_t i = 0; i < n; ++i) {
    if (low.asDouble(i) != -high.asDouble(i))
      return false;
    negative |= high.asDouble(i) < 0;
  }
  return negative;
}

template <typename T> T minXorSign(T x, T limit) {
  T magnitude = std::fmin(std::fabs(x), std::fabs(limit));
  return std::signbit(x) != std::signbit(limit) ? -magnitude : magnitude;
}

void clampF(Exec &exec) {
  if (skipUnknown(exec))
    return;
  const Value &x = exec.in(0), &low = exec.in(1), &high = exec.in(2);
  if (!exec.attrs().propagateNan && exec.program.facts.target.rfind("cuda", 0) == 0 &&
      x.store() == Store::F32 && clampsAtNegatedLimit(low, high))
    return exec.out(0, map2<float, float>(x, high, Store::F32, minXorSign<float>));
  bool propagate = exec.attrs().propagateNan;
  auto clamp = [propagate](auto v, auto lo, auto hi) {
    if (propagate && std::isnan(v))
      return v;
    return minNum(maxNum(v, lo), hi);
  };
  if (x.store() == Store::F64)
    exec.out(0, map3<double>(x, low, high, Store::F64, clamp));
  else
    exec.out(0, map3<float>(x, low, high, Store::F32, clamp));
}

void packedArith(Exec &exec) {
  switch (exec.attrs().packed) {
  case PackedOp::Add: return addF(exec);
  case PackedOp::Sub: return subF(exec);
  case PackedOp::Mul: return mulF(exec);
  case PackedOp::Fma: return fma(exec);
  case PackedOp::Min: return minNumF(exec);
  case PackedOp::Max: return maxNumF(exec);
  }
}

} // namespace

void registerFloats(HandlerTable &table) {
  table.set(Op::AddF, addF);
  table.set(Op::SubF, subF);
  table.set(Op::MulF, mulF);
  table.set(Op::DivF, divF);
  table.set(Op::PreciseDivF, divF);
  table.set(Op::RemF, remF);
  table.set(Op::NegF, negF);
  table.set(Op::AbsF, absF);
  table.set(Op::MaximumF, maximumF);
  table.set(Op::MinimumF, minimumF);
  table.set(Op::MaxNumF, maxNumF);
  table.set(Op::MinNumF, minNumF);
  table.set(Op::CmpF, cmpF);
  table.set(Op::Fma, fma);
  table.set(Op::ClampF, clampF);
  table.set(Op::PackedArith, packedArith);
}

} // namespace tlx::sim
