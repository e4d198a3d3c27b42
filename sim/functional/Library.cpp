//===- Library.cpp - math library functions by symbol ---------------------===//
//
// "__nv_fast_sinf" and "__ocml_sin_f32" are "sin": prefixes and the letter or suffix of the
// element type fall away. A function of f32 is computed in double and rounded once. Names
// that end in _rn, _rz, _ru or _rd round as they say, in the type they are of.
//
//===----------------------------------------------------------------------===//
#include "sim/functional/Library.h"

#include "sim/functional/Elementwise.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>

namespace tlx::sim {
namespace {

/// One element of each operand, as a number and, of integers, sign-extended.
struct Args {
  double x[4];
  int64_t n[4];
  bool single; ///< f32, not f64
};

// --- Functions that <cmath> does not have
// ----------------------------------------------------------

constexpr double pi = 3.14159265358979323846, sqrt2 = 1.41421356237309504880;

/// sin(pi x) and cos(pi x), exact at multiples of a quarter turn.
double sinPi(double x) {
  double r = std::remainder(x, 2.0);
  return std::fabs(r) > 0.5 ? std::copysign(std::sin(pi * (1 - std::fabs(r))), r)
                            : std::sin(pi * r);
}
double cosPi(double x) {
  double r = std::fabs(std::remainder(x, 2.0));
  return r == 0.5 ? 0 : r > 0.5 ? -std::cos(pi * (1 - r)) : std::cos(pi * r);
}

/// erfc is monotonic: halves of an interval.
double erfcInverse(double y) {
  if (!(y > 0 && y < 2))
    return y == 0 ? INFINITY : y == 2 ? -INFINITY : NAN;
  double low = -6, high = 28;
  for (int i = 0; i < 80 && low < high; ++i) {
    double middle = low + (high - low) / 2;
    (std::erfc(middle) > y ? low : high) = middle;
  }
  return low + (high - low) / 2;
}
double erfInverse(double x) {
  if (std::fabs(x) > 0.7)
    return std::copysign(erfcInverse(1 - std::fabs(x)), x);
  double y = x * std::sqrt(pi) / 2; // Newton
  for (int i = 0; i < 6; ++i)
    y -= (std::erf(y) - x) * std::sqrt(pi) / 2 * std::exp(y * y);
  return y;
}
/// exp(x^2) erfc(x).
double erfcScaled(double x) {
  if (x > 50) {
    double q = 1 / (2 * x * x);
    return (1 - q * (1 - 3 * q * (1 - 5 * q))) / (x * std::sqrt(pi));
  }
  long double wide = x;
  return double(std::exp(wide * wide) * std::erfc(wide));
}
double normalCdf(double x) { return double(std::erfc(-(long double)x / sqrt2) / 2); }

double besselI(double order, double x) {
  double value = std::cyl_bessel_i(order, std::fabs(x));
  return order == 1 && x < 0 ? -value : value;
}

double powerOf(double x, int64_t n) { return std::pow(x, double(n)); }

double root3(const Args &a) {
  return std::sqrt(a.x[0] * a.x[0] + a.x[1] * a.x[1] + a.x[2] * a.x[2]);
}
double root4(const Args &a) { return std::hypot(root3(a), a.x[3]); }

double next(const Args &a) {
  return a.single ? std::nextafter(float(a.x[0]), float(a.x[1])) : std::nextafter(a.x[0], a.x[1]);
}

/// 1/x by the upper halves alone.
double reciprocalOfHigh(double x) {
  auto high = [](double v) {
    return std::bit_cast<double>(std::bit_cast<uint64_t>(v) & 0xFFFFFFFF00000000u);
  };
  return high(1 / high(x));
}

// --- Tables
// ----------------------------------------------------------------------------------------

struct FloatFunction {
  const char *name;
  double (*function)(const Args &);
};
#define TLX_1(name, expression)                                                                    \
  {name, [](const Args &a) -> double {                                                             \
     double x = a.x[0];                                                                            \
     return expression;                                                                            \
   }}
#define TLX_2(name, expression)                                                                    \
  {name, [](const Args &a) -> double {                                                             \
     double x = a.x[0], y = a.x[1];                                                                \
     return expression;                                                                            \
   }}
#define TLX_N(name, expression) {name, [](const Args &a) -> double { return double(expression); }}

const FloatFunction floatFunctions[] = {
    TLX_1("acos", std::acos(x)),
    TLX_1("acosh", std::acosh(x)),
    TLX_1("asin", std::asin(x)),
    TLX_1("asinh", std::asinh(x)),
    TLX_1("atan", std::atan(x)),
    TLX_1("atanh", std::atanh(x)),
    TLX_1("cbrt", std::cbrt(x)),
    TLX_1("ceil", std::ceil(x)),
    TLX_1("cos", std::cos(x)),
    TLX_1("cosh", std::cosh(x)),
    TLX_1("cospi", cosPi(x)),
    TLX_1("cyl_bessel_i0", besselI(0, x)),
    TLX_1("cyl_bessel_i1", besselI(1, x)),
    TLX_1("i0", besselI(0, x)),
    TLX_1("i1", besselI(1, x)),
    TLX_1("erf", std::erf(x)),
    TLX_1("erfc", std::erfc(x)),
    TLX_1("erfcinv", erfcInverse(x)),
    TLX_1("erfcx", erfcScaled(x)),
    TLX_1("erfinv", erfInverse(x)),
    TLX_1("exp", std::exp(x)),
    TLX_1("exp10", std::pow(10.0, x)),
    TLX_1("exp2", std::exp2(x)),
    TLX_1("expm1", std::expm1(x)),
    TLX_1("fabs", std::fabs(x)),
    TLX_1("floor", std::floor(x)),
    TLX_1("j0", ::j0(x)),
    TLX_1("j1", ::j1(x)),
    TLX_1("lgamma", std::lgamma(x)),
    TLX_1("log", std::log(x)),
    TLX_1("log10", std::log10(x)),
    TLX_1("log1p", std::log1p(x)),
    TLX_1("log2", std::log2(x)),
    TLX_1("logb", std::logb(x)),
    TLX_1("nearbyint", std::nearbyint(x)),
    TLX_1("normcdf", normalCdf(x)),
    TLX_1("normcdfinv", -sqrt2 *erfcInverse(2 * x)),
    TLX_1("rcbrt", 1 / std::cbrt(x)),
    TLX_1("rcp", 1 / x),
    TLX_1("rcp64h", reciprocalOfHigh(x)),
    TLX_1("rint", std::nearbyint(x)),
    TLX_1("round", std::round(x)),
    TLX_1("rsqrt", 1 / std::sqrt(x)),
    TLX_1("saturate", x != x ? 0 : std::fmin(std::fmax(x, 0.0), 1.0)),
    TLX_1("sin", std::sin(x)),
    TLX_1("sinh", std::sinh(x)),
    TLX_1("sinpi", sinPi(x)),
    TLX_1("sqrt", std::sqrt(x)),
    TLX_1("tan", std::tan(x)),
    TLX_1("tanh", std::tanh(x)),
    TLX_1("tgamma", std::tgamma(x)),
    TLX_1("trunc", std::trunc(x)),
    TLX_1("y0", ::y0(x)),
    TLX_1("y1", ::y1(x)),
    TLX_2("atan2", std::atan2(x, y)),
    TLX_2("copysign", std::copysign(x, y)),
    TLX_2("div_rn", x / y),
    TLX_2("fdim", std::fdim(x, y)),
    TLX_2("fdivide", x / y),
    TLX_2("fmax", std::fmax(x, y)),
    TLX_2("fmin", std::fmin(x, y)),
    TLX_2("fmod", std::fmod(x, y)),
    TLX_2("hypot", std::hypot(x, y)),
    TLX_2("pow", std::pow(x, y)),
    TLX_2("remainder", std::remainder(x, y)),
    TLX_2("rhypot", 1 / std::hypot(x, y)),
    TLX_N("fma", std::fma(a.x[0], a.x[1], a.x[2])),
    TLX_N("jn", ::jn(int(a.n[0]), a.x[1])),
    TLX_N("yn", ::yn(int(a.n[0]), a.x[1])),
    TLX_N("ldexp", std::ldexp(a.x[0], int(a.n[1]))),
    TLX_N("scalbn", std::scalbn(a.x[0], int(a.n[1]))),
    TLX_N("powi", powerOf(a.x[0], a.n[1])),
    TLX_N("pown", powerOf(a.x[0], a.n[1])),
    TLX_N("nextafter", next(a)),
    TLX_N("norm3d", root3(a)),
    TLX_N("norm4d", root4(a)),
    TLX_N("rnorm3d", 1 / root3(a)),
    TLX_N("rnorm4d", 1 / root4(a)),
    TLX_N("int_as_float", std::bit_cast<float>(int32_t(a.n[0]))),
    TLX_N("uint_as_float", std::bit_cast<float>(int32_t(a.n[0]))),
    TLX_N("longlong_as_double", std::bit_cast<double>(a.n[0])),
    TLX_N("hiloint2double",
          std::bit_cast<double>(uint64_t(uint32_t(a.n[0])) << 32 | uint32_t(a.n[1]))),
};

uint64_t bitsOf(const Args &a) {
  return a.single ? std::bit_cast<uint32_t>(float(a.x[0])) : std::bit_cast<uint64_t>(a.x[0]);
}

uint64_t reversed(uint64_t x, unsigned bits) {
  uint64_t result = 0;
  for (unsigned i = 0; i < bits; ++i)
    result |= (x >> i & 1) << (bits - 1 - i);
  return result;
}

uint64_t bytePermute(const Args &a) {
  uint64_t bytes = uint64_t(uint32_t(a.n[1])) << 32 | uint32_t(a.n[0]), result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= (bytes >> 8 * (a.n[2] >> 4 * i & 7) & 255) << 8 * i;
  return result;
}

/// NaN and what is out of range: as the chip converts.
int64_t saturated(double x, unsigned bits, bool isUnsigned) {
  if (x != x)
    return bits == 64 ? INT64_MIN : 0;
  if (isUnsigned)
    return x <= 0                            ? 0
           : x >= std::ldexp(1.0, int(bits)) ? (bits == 64 ? -1 : int64_t(0xFFFFFFFFu))
                                             : int64_t(uint64_t(x));
  double limit = std::ldexp(1.0, int(bits) - 1);
  int64_t most = bits == 64 ? INT64_MAX : INT32_MAX;
  return x >= limit ? most : x < -limit ? -most - 1 : int64_t(x);
}

struct IntFunction {
  const char *name;
  int64_t (*function)(const Args &);
};
#define TLX_I(name, expression) {name, [](const Args &a) -> int64_t { return int64_t(expression); }}
#define TLX_S(name, expression)                                                                    \
  {name, [](const Args &a) -> int64_t {                                                            \
     int64_t x = int32_t(a.n[0]), y = int32_t(a.n[1]);                                             \
     return int64_t(expression);                                                                   \
   }}
#define TLX_U(name, expression)                                                                    \
  {name, [](const Args &a) -> int64_t {                                                            \
     uint64_t x = uint32_t(a.n[0]), y = uint32_t(a.n[1]);                                          \
     return int64_t(expression);                                                                   \
   }}

const IntFunction intFunctions[] = {
    TLX_I("abs", std::abs(a.n[0])),
    TLX_I("iabs", std::abs(a.n[0])),
    TLX_I("llabs", std::abs(a.n[0])),
    TLX_I("brev", int32_t(reversed(uint32_t(a.n[0]), 32))),
    TLX_I("brevll", reversed(uint64_t(a.n[0]), 64)),
    TLX_I("byte_perm", int32_t(bytePermute(a))),
    TLX_I("clz", std::countl_zero(uint32_t(a.n[0]))),
    TLX_I("clzll", std::countl_zero(uint64_t(a.n[0]))),
    TLX_I("ffs", __builtin_ffs(int(a.n[0]))),
    TLX_I("ffsll", __builtin_ffsll(a.n[0])),
    TLX_I("popc", std::popcount(uint32_t(a.n[0]))),
    TLX_I("popcll", std::popcount(uint64_t(a.n[0]))),
    TLX_I("double2hiint", int32_t(bitsOf(a) >> 32)),
    TLX_I("double2loint", int32_t(bitsOf(a))),
    TLX_I("float_as_int", int32_t(bitsOf(a))),
    TLX_I("float_as_uint", int32_t(bitsOf(a))),
    TLX_I("double_as_longlong", bitsOf(a)),
    TLX_I("ilogb", std::ilogb(a.x[0])),
    TLX_I("finite", std::isfinite(a.x[0])),
    TLX_I("isfinite", std::isfinite(a.x[0])),
    TLX_I("isinf", std::isinf(a.x[0])),
    TLX_I("isnan", std::isnan(a.x[0])),
    TLX_I("signbit", std::signbit(a.x[0])),
    TLX_I("llrint", saturated(std::nearbyint(a.x[0]), 64, false)),
    TLX_I("llround", saturated(std::round(a.x[0]), 64, false)),
    TLX_I("mul64hi", ((__int128)a.n[0] * a.n[1]) >> 64),
    TLX_I("umul64hi", ((unsigned __int128)uint64_t(a.n[0]) * uint64_t(a.n[1])) >> 64),
    TLX_I("llmax", std::max(a.n[0], a.n[1])),
    TLX_I("llmin", std::min(a.n[0], a.n[1])),
    TLX_S("max", std::max(x, y)),
    TLX_S("min", std::min(x, y)),
    TLX_S("hadd", (x + y) >> 1),
    TLX_S("rhadd", (x + y + 1) >> 1),
    TLX_S("mul24", int32_t(uint32_t((x << 40 >> 40) * (y << 40 >> 40)))),
    TLX_S("mulhi", (x * y) >> 32),
    TLX_S("sad", int32_t(uint32_t(std::abs(x - y)) + uint32_t(a.n[2]))),
    TLX_U("umax", std::max(x, y)),
    TLX_U("umin", std::min(x, y)),
    TLX_U("uhadd", int32_t((x + y) >> 1)),
    TLX_U("urhadd", int32_t((x + y + 1) >> 1)),
    TLX_U("umul24", int32_t((x & 0xFFFFFF) * (y & 0xFFFFFF))),
    TLX_U("umulhi", int32_t((x * y) >> 32)),
    TLX_U("usad", int32_t(uint32_t(x > y ? x - y : y - x) + uint32_t(a.n[2]))),
};
#undef TLX_1
#undef TLX_2
#undef TLX_N
#undef TLX_I
#undef TLX_S
#undef TLX_U

// --- Names that say how they round
// ----------------------------------------------------------------------

/// An operation in float or double under the rounding in force; the compiler must not
/// compute it in advance.
template <typename T> bool arithmetic(const std::string &op, const Args &a, double &result) {
  volatile T x = T(a.x[0]), y = T(a.x[1]), z = T(a.x[2]), r;
  if (op == "add")
    r = x + y;
  else if (op == "sub")
    r = x - y;
  else if (op == "mul")
    r = x * y;
  else if (op == "div")
    r = x / y;
  else if (op == "rcp")
    r = T(1) / x;
  else if (op == "sqrt")
    r = std::sqrt(T(x));
  else if (op == "rsqrt")
    r = T(1 / std::sqrt(double(x)));
  else if (op == "fma" || op == "fmaf")
    r = std::fma(T(x), T(y), T(z));
  else
    return false;
  result = r;
  return true;
}

enum class Kind { None, Float, Int };

/// "fadd_rz", "double2float_rd", "float2ull_rn", "ll2double_ru": value and kind of result.
Kind rounding(const std::string &name, const Args &a, double &x, int64_t &n) {
  size_t at = name.size() > 3 ? name.size() - 3 : 0;
  int mode;
  if (name.compare(at, 3, "_rn") == 0)
    mode = FE_TONEAREST;
  else if (name.compare(at, 3, "_rz") == 0)
    mode = FE_TOWARDZERO;
  else if (name.compare(at, 3, "_ru") == 0)
    mode = FE_UPWARD;
  else if (name.compare(at, 3, "_rd") == 0)
    mode = FE_DOWNWARD;
  else
    return Kind::None;
  std::string op = name.substr(0, at);
  Kind kind = Kind::None;
  std::fesetround(mode);
  if (size_t two = op.find('2'); two != std::string::npos) {
    std::string from = op.substr(0, two), to = op.substr(two + 1);
    bool fromFloat = from == "float" || from == "double";
    if (to == "float" || to == "double") {
      volatile double wide = fromFloat ? a.x[0] : 0;
      volatile int64_t integer = from == "int"    ? int32_t(a.n[0])
                                 : from == "uint" ? int64_t(uint32_t(a.n[0]))
                                                  : a.n[0];
      bool big = from == "ull" && integer < 0; // beyond what int64_t holds
      volatile uint64_t natural = uint64_t(integer);
      if (to == "float") {
        volatile float narrow = fromFloat ? float(wide) : big ? float(natural) : float(integer);
        x = narrow;
      } else {
        volatile double result = fromFloat ? double(wide) : big ? double(natural) : double(integer);
        x = result;
      }
      kind = Kind::Float;
    } else if (fromFloat) {
      unsigned bits = to == "ll" || to == "ull" ? 64 : 32;
      double integral = std::nearbyint(a.x[0]);
      n = saturated(integral, bits, to[0] == 'u');
      if (bits == 32)
        n = int32_t(n);
      kind = Kind::Int;
    }
  } else {
    bool isDouble = op[0] == 'd' || (op == "fma" && !a.single);
    std::string plain = op.substr(0, 3) == "fma" ? op : op.substr(1);
    if (isDouble ? arithmetic<double>(plain, a, x) : arithmetic<float>(plain, a, x))
      kind = Kind::Float;
  }
  std::fesetround(FE_TONEAREST);
  return kind;
}

std::string plainName(const std::string &symbol, bool single) {
  std::string name = symbol;
  for (const char *prefix : {"__nv_", "__ocml_", "__triton_hip_", "fast_", "native_"})
    if (name.rfind(prefix, 0) == 0)
      name.erase(0, std::strlen(prefix));
  for (const char *suffix : {"_f32", "_f64"})
    if (name.size() > 4 && name.substr(name.size() - 4) == suffix)
      return name.substr(0, name.size() - 4);
  bool isOcml = symbol.rfind("__ocml_", 0) == 0;
  if (!isOcml && single && name.size() > 2 && name.back() == 'f')
    name.pop_back();
  // The predicates of double: "isnand".
  if (!single &&
      (name == "isnand" || name == "isinfd" || name == "isfinited" || name == "signbitd"))
    name.pop_back();
  return name;
}

} // namespace

void runLibraryFunction(Exec &exec) {
  if (skipUnknown(exec))
    return;
  const std::string &symbol = exec.attrs().text;
  const unsigned operands = exec.numOperands();
  auto unknown = [&] {
    exec.unsupported("library function '" + symbol + "' is not known to the simulator");
  };
  if (operands == 0 || operands > 4)
    return unknown();
  const Store store = storeOf(exec.resultType());
  const bool toFloat = store == Store::F32 || store == Store::F64;
  Args args{};
  args.single = exec.resultType().elem == DType::f32;
  size_t count = 1;
  for (unsigned i = 0; i < operands; ++i) {
    args.single |= exec.in(i).store() == Store::F32;
    count = std::max(count, exec.in(i).count());
  }
  const std::string name = plainName(symbol, args.single);
  auto inTable = [&](const auto &table) {
    auto found = std::find_if(std::begin(table), std::end(table),
                              [&](const auto &known) { return name == known.name; });
    return found == std::end(table) ? nullptr : found->function;
  };
  auto floatFunction = toFloat ? inTable(floatFunctions) : nullptr;
  auto intFunction = toFloat ? nullptr : inTable(intFunctions);
  Value result = Value::elements(store, count);
  for (size_t e = 0; e < count; ++e) {
    for (unsigned i = 0; i < operands; ++i) {
      const Value &value = exec.in(i);
      size_t at = value.count() == 1 ? 0 : e;
      bool isFloat = value.store() == Store::F32 || value.store() == Store::F64;
      args.x[i] = isFloat ? value.asDouble(at) : 0;
      args.n[i] = isFloat ? 0 : value.asInt(at);
    }
    double x = 0;
    int64_t n = 0;
    Kind kind = Kind::Float;
    if (floatFunction)
      x = floatFunction(args);
    else if (intFunction)
      n = intFunction(args), kind = Kind::Int;
    else
      kind = rounding(name, args, x, n);
    if (kind != (toFloat ? Kind::Float : Kind::Int))
      return unknown();
    withStore(store, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_floating_point_v<T>)
        result.mutableData<T>()[e] = T(x);
      else
        result.mutableData<T>()[e] = T(n);
    });
  }
  exec.out(0, rounded(std::move(result), exec.resultType().elem));
}

} // namespace tlx::sim
