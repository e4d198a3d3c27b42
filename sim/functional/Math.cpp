//===- Math.cpp - elementary functions ------------------------------------===//
//
// f32 functions are computed in double and rounded once, which is nearer to the true
// value than the hardware's approximations. exp2, which attention kernels spend their
// time in, has a loop of its own that compilers vectorise.
//
//===----------------------------------------------------------------------===//
#include "sim/functional/Elementwise.h"
#include "sim/functional/InlineAsm.h"
#include "sim/functional/Library.h"

#include <bit>
#include <cmath>

namespace tlx::sim {
namespace {

/// 2^x for float x, in double: 2^n times a Taylor polynomial of 2^f, |f| <= 1/2.
/// The 11th term is below 1e-13, far below half a unit of an f32.
inline double exp2Double(double x) {
  // Beyond these the f32 result is infinite or zero.
  double clamped = x < -200.0 ? -200.0 : x > 200.0 ? 200.0 : x;
  constexpr double toInteger = 6755399441055744.0; // 1.5 * 2^52
  double shifted = clamped + toInteger;
  double n = shifted - toInteger;
  double f = (clamped - n) * 0.693147180559945309417232;
  double p = 1.0 / 3628800;
  p = p * f + 1.0 / 362880;
  p = p * f + 1.0 / 40320;
  p = p * f + 1.0 / 5040;
  p = p * f + 1.0 / 720;
  p = p * f + 1.0 / 120;
  p = p * f + 1.0 / 24;
  p = p * f + 1.0 / 6;
  p = p * f + 0.5;
  p = p * f + 1.0;
  p = p * f + 1.0;
  int64_t exponent = std::bit_cast<int64_t>(shifted) << 52; // low bits hold n
  double result = std::bit_cast<double>(std::bit_cast<int64_t>(p) + exponent);
  return x != x ? x : result;
}

template <typename F> void unary(Exec &exec, F f) {
  if (skipUnknown(exec))
    return;
  DType elem = exec.type(0).elem;
  Value a = exec.take(0);
  if (a.store() == Store::F64)
    return exec.out(0, map1<double, double>(std::move(a), Store::F64, f));
  exec.out(0, rounded(map1<float, float>(std::move(a), Store::F32,
                                         [f](float x) { return float(f(double(x))); }),
                      elem));
}

void exp2(Exec &exec) {
  if (!exec.in(0).isUnknown() && exec.in(0).store() == Store::F64)
    return unary(exec, [](double x) { return std::exp2(x); });
  unary(exec, exp2Double);
}

void exp(Exec &exec) {
  if (!exec.in(0).isUnknown() && exec.in(0).store() == Store::F64)
    return unary(exec, [](double x) { return std::exp(x); });
  unary(exec, [](double x) { return exp2Double(x * 1.4426950408889634074); });
}

void log(Exec &exec) {
  unary(exec, [](double x) { return std::log(x); });
}
void log2(Exec &exec) {
  unary(exec, [](double x) { return std::log2(x); });
}
void squareRoot(Exec &exec) {
  unary(exec, [](double x) { return std::sqrt(x); });
}
void rsqrt(Exec &exec) {
  unary(exec, [](double x) { return 1.0 / std::sqrt(x); });
}
void sin(Exec &exec) {
  unary(exec, [](double x) { return std::sin(x); });
}
void cos(Exec &exec) {
  unary(exec, [](double x) { return std::cos(x); });
}
void tanh(Exec &exec) {
  unary(exec, [](double x) { return std::tanh(x); });
}
void erf(Exec &exec) {
  unary(exec, [](double x) { return std::erf(x); });
}
void floor(Exec &exec) {
  unary(exec, [](double x) { return std::floor(x); });
}
void ceil(Exec &exec) {
  unary(exec, [](double x) { return std::ceil(x); });
}

} // namespace

void registerMath(HandlerTable &table) {
  table.set(Op::Exp, exp);
  table.set(Op::Exp2, exp2);
  table.set(Op::Log, log);
  table.set(Op::Log2, log2);
  table.set(Op::Sqrt, squareRoot);
  table.set(Op::PreciseSqrt, squareRoot);
  table.set(Op::Rsqrt, rsqrt);
  table.set(Op::Sin, sin);
  table.set(Op::Cos, cos);
  table.set(Op::Tanh, tanh);
  table.set(Op::Erf, erf);
  table.set(Op::Floor, floor);
  table.set(Op::Ceil, ceil);
  table.set(Op::ExternElementwise, runLibraryFunction);
  table.set(Op::InlineAsm, runInlineAsm);
}

} // namespace tlx::sim
