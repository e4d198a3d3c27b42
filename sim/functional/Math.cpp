//===- Math.cpp - elementary functions
//-----------------------------------------------------------------------===//
//
// f32 functions are computed in double and rounded once, which is nearer to the true
// value than the hardware's approximations. exp2, which attention kernels spend their
// time in, has a loop of its own that compilers vectorise.
//
//===----------------------------------------------------------------------------------------------------------===//
#include "sim/functional/Elementwise.h"
#include "sim/functional/InlineAsm.h"

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

// --- Library functions by symbol
// -------------------------------------------------------------------

using Function1 = double (*)(double);
struct Symbol {
  const char *name; ///< without the __nv_ or __ocml_ prefix and the type suffix
  Function1 function;
};
const Symbol symbols[] = {
    {"acos", std::acos},
    {"acosh", std::acosh},
    {"asin", std::asin},
    {"asinh", std::asinh},
    {"atan", std::atan},
    {"atanh", std::atanh},
    {"cbrt", std::cbrt},
    {"ceil", std::ceil},
    {"cos", std::cos},
    {"cosh", std::cosh},
    {"erf", std::erf},
    {"erfc", std::erfc},
    {"exp", std::exp},
    {"exp2", std::exp2},
    {"expm1", std::expm1},
    {"fabs", std::fabs},
    {"floor", std::floor},
    {"j0", ::j0},
    {"j1", ::j1},
    {"lgamma", std::lgamma},
    {"log", std::log},
    {"log10", std::log10},
    {"log1p", std::log1p},
    {"log2", std::log2},
    {"rint", std::nearbyint},
    {"round", std::round},
    {"sin", std::sin},
    {"sinh", std::sinh},
    {"sqrt", std::sqrt},
    {"tan", std::tan},
    {"tanh", std::tanh},
    {"tgamma", std::tgamma},
    {"trunc", std::trunc},
    {"y0", ::y0},
    {"y1", ::y1},
    {"rsqrt", [](double x) { return 1.0 / std::sqrt(x); }},
    {"rcp", [](double x) { return 1.0 / x; }},
    {"exp10", [](double x) { return std::pow(10.0, x); }},
    {"nearbyint", std::nearbyint},
};
using Function2 = double (*)(double, double);
struct Symbol2 {
  const char *name;
  Function2 function;
};
const Symbol2 symbols2[] = {
    {"fdividef", [](double x, double y) { return x / y; }},
    {"fdivide", [](double x, double y) { return x / y; }},
    {"pow", std::pow},
    {"atan2", std::atan2},
    {"fmod", std::fmod},
    {"fmax", std::fmax},
    {"fmin", std::fmin},
    {"hypot", std::hypot},
    {"copysign", std::copysign},
    {"fdim", std::fdim},
    {"remainder", std::remainder},
    {"div_rn", [](double x, double y) { return x / y; }},
};

/// "__nv_fast_sinf" to "sin": prefixes and the float suffix fall away.
std::string plainName(const std::string &symbol, bool isFloat32) {
  std::string name = symbol;
  for (const char *prefix : {"__nv_", "__ocml_", "fast_", "native_"})
    if (name.rfind(prefix, 0) == 0)
      name.erase(0, std::strlen(prefix));
  for (const char *suffix : {"_f32", "_f64"})
    if (name.size() > 4 && name.substr(name.size() - 4) == suffix)
      name.erase(name.size() - 4);
  if (isFloat32 && name.size() > 2 && name.back() == 'f' && name != "erf")
    name.pop_back();
  return name;
}

bool integerSymbol(Exec &exec, const std::string &name) {
  const Value &a = exec.in(0);
  Store result = storeOf(exec.resultType());
  auto map = [&](auto f) {
    Value out = Value::elements(result, a.count());
    withStore(result, [&](auto zero) {
      using T = decltype(zero);
      for (size_t i = 0; i < a.count(); ++i)
        out.mutableData<T>()[i] = T(f(i));
    });
    exec.out(0, std::move(out));
    return true;
  };
  if (name == "clz")
    return map([&](size_t i) { return std::countl_zero(uint32_t(a.asInt(i))); });
  if (name == "clzll")
    return map([&](size_t i) { return std::countl_zero(uint64_t(a.asInt(i))); });
  if (name == "popc")
    return map([&](size_t i) { return std::popcount(uint32_t(a.asInt(i))); });
  if (name == "popcll")
    return map([&](size_t i) { return std::popcount(uint64_t(a.asInt(i))); });
  if (name == "ffs")
    return map([&](size_t i) { return __builtin_ffs(int(a.asInt(i))); });
  if (name == "ffsll")
    return map([&](size_t i) { return __builtin_ffsll(a.asInt(i)); });
  if (name == "abs" || name == "llabs")
    return map([&](size_t i) { return std::abs(a.asInt(i)); });
  if (name == "isfinited" || name == "finitef" || name == "isfinite")
    return map([&](size_t i) { return std::isfinite(a.asDouble(i)); });
  if (name == "isnand" || name == "isnanf" || name == "isnan")
    return map([&](size_t i) { return std::isnan(a.asDouble(i)); });
  if (name == "isinfd" || name == "isinff" || name == "isinf")
    return map([&](size_t i) { return std::isinf(a.asDouble(i)); });
  if (name == "signbitd" || name == "signbitf")
    return map([&](size_t i) { return std::signbit(a.asDouble(i)); });
  if (name == "llrint" || name == "llrintf" || name == "float2int_rn" || name == "double2int_rn")
    return map([&](size_t i) { return std::nearbyint(a.asDouble(i)); });
  return false;
}

void externElementwise(Exec &exec) {
  if (skipUnknown(exec))
    return;
  const std::string &symbol = exec.attrs().text;
  const Type &type = exec.resultType();
  std::string base = symbol.rfind("__nv_", 0) == 0 ? symbol.substr(5) : symbol;
  if (exec.numOperands() == 1 && integerSymbol(exec, base))
    return;
  std::string name = plainName(symbol, type.elem == DType::f32);
  if (exec.numOperands() == 1 && storeOf(type) >= Store::F32)
    for (const Symbol &known : symbols)
      if (name == known.name)
        return unary(exec, known.function);
  if (exec.numOperands() == 2 && storeOf(type) >= Store::F32)
    for (const Symbol2 &known : symbols2)
      if (name == known.name) {
        Value a = exec.take(0), b = exec.take(1);
        auto f = known.function;
        if (a.store() == Store::F64)
          return exec.out(0, map2<double, double>(std::move(a), std::move(b), Store::F64, f));
        return exec.out(0, rounded(map2<float, float>(std::move(a), std::move(b), Store::F32,
                                                      [f](float x, float y) {
                                                        return float(f(double(x), double(y)));
                                                      }),
                                   type.elem));
      }
  if (exec.numOperands() == 3 && (name == "fma" || name == "fma_rn"))
    return exec.out(0, map3<float>(exec.in(0), exec.in(1), exec.in(2), Store::F32,
                                   [](float x, float y, float z) { return std::fma(x, y, z); }));
  exec.unsupported("library function '" + symbol + "' is not known to the simulator");
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
  table.set(Op::ExternElementwise, externElementwise);
  table.set(Op::InlineAsm, runInlineAsm);
}

} // namespace tlx::sim
