//===- Casts.cpp - conversions between element types ----------------------===//
//
// Integers to floats round to nearest even; floats to integers truncate. Narrowing
// floats round as the op says; conversions to 8-bit floats saturate, as the cvt
// instructions that implement them do (satfinite).
//
//===----------------------------------------------------------------------===//
#include "sim/functional/Elementwise.h"

#include <cmath>

namespace tlx::sim {
namespace {

/// Every element through `f(source value) -> destination storage type`.
template <typename F> void convert(Exec &exec, F f) {
  const Value &a = exec.in(0);
  Store to = storeOf(exec.resultType());
  Value result = Value::elements(to, a.count());
  withStore(a.store(), [&](auto zeroFrom) {
    withStore(to, [&](auto zeroTo) {
      using S = decltype(zeroFrom);
      using D = decltype(zeroTo);
      const S *x = a.data<S>();
      D *r = result.mutableData<D>();
      size_t n = a.count();
      for (size_t i = 0; i < n; ++i)
        r[i] = f(x[i], D());
    });
  });
  exec.out(0, std::move(result));
}

template <typename T>
using Unsigned = std::make_unsigned_t<std::conditional_t<std::is_floating_point_v<T>, int64_t, T>>;

void extSI(Exec &exec) {
  if (skipUnknown(exec))
    return;
  bool fromBool = exec.in(0).store() == Store::B1;
  convert(exec, [fromBool](auto x, auto zero) {
    using D = decltype(zero);
    return fromBool ? D(x ? -1 : 0) : D(x);
  });
}

void extUI(Exec &exec) {
  if (skipUnknown(exec))
    return;
  convert(exec, [](auto x, auto zero) {
    using S = decltype(x);
    using D = decltype(zero);
    if constexpr (std::is_floating_point_v<S>)
      return D(x);
    else
      return D(Unsigned<S>(x));
  });
}

void truncI(Exec &exec) {
  if (skipUnknown(exec))
    return;
  bool toBool = storeOf(exec.resultType()) == Store::B1;
  convert(exec, [toBool](auto x, auto zero) {
    using D = decltype(zero);
    if constexpr (std::is_floating_point_v<decltype(x)>)
      return D(x);
    else
      return toBool ? D(x & 1) : D(x);
  });
}

void indexCast(Exec &exec) {
  if (byteWidth(exec.type(0).elem) > byteWidth(exec.resultType().elem))
    truncI(exec);
  else
    extSI(exec);
}

void toFloat(Exec &exec, bool isUnsigned) {
  if (skipUnknown(exec))
    return;
  const Value &a = exec.in(0);
  DType elem = exec.resultType().elem;
  bool fromBool = a.store() == Store::B1;
  if (elem == DType::f32 || elem == DType::f64)
    return convert(exec, [=](auto x, auto zero) {
      using S = decltype(x);
      using D = decltype(zero);
      if constexpr (std::is_floating_point_v<S>)
        return D(x);
      else if (isUnsigned)
        return D(Unsigned<S>(x));
      else
        return fromBool ? D(x ? -1 : 0) : D(x);
    });
  // One rounding from the integer: double holds all but the largest 64-bit ones.
  Value result = Value::elements(Store::F32, a.count());
  for (size_t i = 0; i < a.count(); ++i) {
    int64_t x = a.asInt(i);
    double exact = double(x);
    if (isUnsigned) {
      unsigned bits = bitWidth(exec.type(0).elem);
      exact = double(bits >= 64 ? uint64_t(x) : uint64_t(x) & ((uint64_t(1) << bits) - 1));
    } else if (fromBool) {
      exact = x ? -1 : 0;
    }
    result.mutableData<float>()[i] = float(toDouble(elem, fromDouble(elem, exact)));
  }
  exec.out(0, std::move(result));
}

void siToFP(Exec &exec) { toFloat(exec, false); }
void uiToFP(Exec &exec) { toFloat(exec, true); }

/// NaN becomes zero and values beyond the range the nearest end, as cvt does.
template <typename D> D saturate(double x) {
  if (x != x)
    return 0;
  constexpr double low = double(std::numeric_limits<D>::min());
  constexpr double high = double(std::numeric_limits<D>::max());
  if (x <= low)
    return std::numeric_limits<D>::min();
  if (x >= high)
    return std::numeric_limits<D>::max();
  return D(x);
}

void fpToInt(Exec &exec, bool isUnsigned) {
  if (skipUnknown(exec))
    return;
  bool toBool = storeOf(exec.resultType()) == Store::B1;
  convert(exec, [=](auto x, auto zero) {
    using D = decltype(zero);
    if constexpr (std::is_floating_point_v<D>)
      return D(x);
    else if (toBool)
      return D(x != 0);
    else if (isUnsigned)
      return D(saturate<Unsigned<D>>(double(x)));
    else
      return saturate<D>(double(x));
  });
}

void fpToSI(Exec &exec) { fpToInt(exec, false); }
void fpToUI(Exec &exec) { fpToInt(exec, true); }

bool isNarrow8(DType elem) { return isFloat(elem) && bitWidth(elem) <= 8; }

/// Stochastic rounding: the random bits are added below the kept bits and the sum is truncated.
/// The hardware takes the low 13 bits for f16, 16 for bf16 and so on: as many as are cut off.
float stochastic(float x, uint32_t random, DType elem) {
  if (!std::isfinite(x))
    return float(toDouble(elem, fromDouble(elem, x)));
  double down = toDouble(elem, fromDouble(elem, x, Rounding::TowardZero, Overflow::Saturate));
  if (down == double(x))
    return x;
  // The next value away from zero.
  uint64_t bits = fromDouble(elem, down);
  double up = toDouble(elem, bits + 1);
  if (x < 0 && down == 0)
    up = -toDouble(elem, 1);
  double fraction = (double(x) - down) / (up - down);
  unsigned cut = elem == DType::bf16 ? 16 : elem == DType::f16 ? 13 : 20;
  double threshold = double(random & ((uint32_t(1) << cut) - 1)) / double(uint32_t(1) << cut);
  return float(fraction + threshold >= 1.0 ? up : down);
}

void narrow(Exec &exec, FpRounding rounding) {
  if (skipUnknown(exec))
    return;
  Value a = exec.take(0);
  DType from = exec.type(0).elem, to = exec.resultType().elem;
  Store store = storeOf(to);
  if (store == Store::F64 || from == DType::f64) {
    // f64 on one side: through bit patterns, rounded once.
    Value result = Value::elements(store, a.count());
    Rounding mode =
        rounding == FpRounding::TowardZero ? Rounding::TowardZero : Rounding::NearestEven;
    Overflow overflow = isNarrow8(to) ? Overflow::Saturate : Overflow::Ieee;
    for (size_t i = 0; i < a.count(); ++i) {
      double x = a.asDouble(i);
      if (store == Store::F64)
        result.mutableData<double>()[i] = x;
      else
        result.mutableData<float>()[i] = float(toDouble(to, fromDouble(to, x, mode, overflow)));
    }
    return exec.out(0, std::move(result));
  }
  if (rounding == FpRounding::Stochastic && exec.has(1)) {
    const Value &random = exec.in(1);
    Value result = Value::elements(Store::F32, std::max(a.count(), random.count()));
    for (size_t i = 0; i < result.count(); ++i)
      result.mutableData<float>()[i] =
          stochastic(float(a.asDouble(i)), uint32_t(random.asInt(i)), to);
    return exec.out(0, std::move(result));
  }
  bool exact = to == DType::f32 || from == to || (bitWidth(to) == 16 && bitWidth(from) <= 8) ||
               (to == DType::f16 && from == DType::f16);
  if (exact)
    return exec.out(0, std::move(a));
  a.makeUnique();
  float *data = a.mutableData<float>();
  size_t count = a.count();
  if ((to == DType::f16 || to == DType::bf16) && rounding != FpRounding::TowardZero) {
    roundElements(to, data, count);
  } else {
    uint16_t raw[512];
    Rounding mode =
        rounding == FpRounding::TowardZero ? Rounding::TowardZero : Rounding::NearestEven;
    Overflow overflow = isNarrow8(to) ? Overflow::Saturate : Overflow::Ieee;
    for (size_t at = 0; at < count; at += 512) {
      size_t n = std::min<size_t>(512, count - at);
      fromFloats(to, data + at, raw, n, mode, overflow);
      toFloats(to, raw, data + at, n);
    }
  }
  exec.out(0, std::move(a));
}

void fpToFp(Exec &exec) { narrow(exec, exec.attrs().rounding); }

void bitcast(Exec &exec) {
  if (exec.in(0).isUnknown() || (!exec.wantsValues() && skipUnknown(exec)))
    return exec.out(0, Value::unknown());
  const Type &from = exec.type(0), &to = exec.resultType();
  Value a = exec.take(0);
  if (storeOf(from) == storeOf(to) && (storeOf(to) != Store::F32 || from.elem == to.elem))
    return exec.out(0, std::move(a));
  size_t count = a.count();
  std::vector<char> raw(count * 8);
  toMemory(from, a.data<char>(), raw.data(), count);
  Value result = Value::elements(storeOf(to), count);
  fromMemory(to, raw.data(), result.mutableData<char>(), count);
  exec.out(0, std::move(result));
}

void sameBits(Exec &exec) {
  if (skipUnknown(exec))
    return;
  exec.out(0, exec.take(0));
}

/// Each byte holds two 4-bit floats along the axis, low nibble first.
void fp4ToFp(Exec &exec) {
  if (skipUnknown(exec))
    return;
  const Type &from = exec.type(0), &to = exec.resultType();
  int64_t axis = exec.attrs().axis;
  Value packed = exec.in(0).expanded(from.numElements());
  Value result = Value::elements(Store::F32, to.numElements());
  int64_t inner = 1;
  for (size_t d = axis + 1; d < from.shape.size(); ++d)
    inner *= from.shape[d];
  int64_t length = from.shape[axis], outer = from.numElements() / (length * inner);
  const uint8_t *bytes = packed.data<uint8_t>();
  float *r = result.mutableData<float>();
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t k = 0; k < length; ++k)
      for (int64_t i = 0; i < inner; ++i) {
        uint8_t byte = bytes[(o * length + k) * inner + i];
        r[(o * length * 2 + 2 * k) * inner + i] = float(toDouble(DType::f4E2M1, byte & 15));
        r[(o * length * 2 + 2 * k + 1) * inner + i] = float(toDouble(DType::f4E2M1, byte >> 4));
      }
  exec.out(0, std::move(result));
}

/// Scale factors: i8 holds an E8M0 exponent, bf16 the factor itself.
float scaleOf(const Value &scale, const Type &type, size_t i) {
  if (storeOf(type) == Store::F32)
    return float(scale.asDouble(i));
  return float(toDouble(DType::f8E8M0FNU, uint8_t(scale.asInt(i))));
}

void scaledUpcast(Exec &exec) {
  if (skipUnknown(exec))
    return;
  if (exec.inst.op == Op::ScaledUpcastFp4) {
    Value scale = exec.in(1);
    Type scaleType = exec.type(1);
    fp4ToFp(exec);
    Value x = exec.task.regs[exec.program.result(exec.inst, 0)];
    x.makeUnique();
    float *data = x.mutableData<float>();
    for (size_t i = 0; i < x.count(); ++i)
      data[i] *= scaleOf(scale, scaleType, i * std::max<size_t>(scale.count(), 1) / x.count());
    return exec.out(0, rounded(std::move(x), exec.resultType().elem));
  }
  size_t count = exec.resultType().numElements();
  Value x = exec.in(0).expanded(count);
  const Value &scale = exec.in(1);
  x.makeUnique();
  float *data = x.mutableData<float>();
  for (size_t i = 0; i < count; ++i)
    data[i] *= scaleOf(scale, exec.type(1), i * std::max<size_t>(scale.count(), 1) / count);
  exec.out(0, rounded(std::move(x), exec.resultType().elem));
}

} // namespace

void registerCasts(HandlerTable &table) {
  table.set(Op::ExtF, fpToFp);
  table.set(Op::TruncF, fpToFp);
  table.set(Op::FpToFp, fpToFp);
  table.set(Op::ExtSI, extSI);
  table.set(Op::ExtUI, extUI);
  table.set(Op::TruncI, truncI);
  table.set(Op::SIToFP, siToFP);
  table.set(Op::UIToFP, uiToFP);
  table.set(Op::FPToSI, fpToSI);
  table.set(Op::FPToUI, fpToUI);
  table.set(Op::IndexCast, indexCast);
  table.set(Op::IndexCastUI, [](Exec &exec) {
    if (byteWidth(exec.type(0).elem) > byteWidth(exec.resultType().elem))
      truncI(exec);
    else
      extUI(exec);
  });
  table.set(Op::Bitcast, bitcast);
  table.set(Op::IntToPtr, sameBits);
  table.set(Op::PtrToInt, sameBits);
  table.set(Op::Fp4ToFp, fp4ToFp);
  table.set(Op::ScaledUpcastFp4, scaledUpcast);
  table.set(Op::ScaledUpcastFp8, scaledUpcast);
}

} // namespace tlx::sim
