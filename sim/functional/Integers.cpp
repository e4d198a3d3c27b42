//===- Integers.cpp - integer arithmetic and comparisons ------------------===//
//
// Two's complement of the element's width, wrapping. Division by zero and the one
// overflowing quotient are undefined in the IR; they give zero here, as they must
// give something. i1 is stored as 0 or 1, and as a signed number its 1 is -1.
//
//===----------------------------------------------------------------------===//
#include "sim/functional/Elementwise.h"

#include <type_traits>

namespace tlx::sim {
namespace {

template <typename F> decltype(auto) withInt(Store store, F &&f) {
  switch (store) {
  case Store::I8: return f(int8_t());
  case Store::I16: return f(int16_t());
  case Store::I64: return f(int64_t());
  default: return f(int32_t());
  }
}

/// Signed value of an i1 is 0 or -1.
Value widenBool(const Value &a) {
  return map1<uint8_t, int8_t>(a, Store::I8, [](uint8_t x) { return int8_t(x ? -1 : 0); });
}
Value narrowBool(const Value &a) {
  return map1<int8_t, uint8_t>(a, Store::B1, [](int8_t x) { return uint8_t(x & 1); });
}

/// Applies f on signed elements; `unsignedOp` ops get the unsigned type.
template <bool isUnsigned, typename F> void binary(Exec &exec, F f) {
  if (skipUnknown(exec))
    return;
  Value a = exec.take(0), b = exec.take(1);
  Store store = a.store();
  if (store == Store::B1) {
    if constexpr (isUnsigned) {
      exec.out(
          0, map2<uint8_t, uint8_t>(std::move(a), std::move(b), Store::B1,
                                    [f](uint8_t x, uint8_t y) -> uint8_t { return f(x, y) & 1; }));
    } else {
      exec.out(
          0, narrowBool(map2<int8_t, int8_t>(widenBool(a), widenBool(b), Store::I8,
                                             [f](int8_t x, int8_t y) { return int8_t(f(x, y)); })));
    }
    return;
  }
  withInt(store, [&](auto zero) {
    using S = decltype(zero);
    using T = std::conditional_t<isUnsigned, std::make_unsigned_t<S>, S>;
    exec.out(0,
             map2<T, T>(std::move(a), std::move(b), store, [f](T x, T y) { return T(f(x, y)); }));
  });
}

template <typename T> T divide(T x, T y) {
  if (y == 0)
    return 0;
  if constexpr (std::is_signed_v<T>)
    if (y == T(-1))
      return T(std::make_unsigned_t<T>(0) - std::make_unsigned_t<T>(x));
  return T(x / y);
}
template <typename T> T remainder(T x, T y) {
  if (y == 0)
    return 0;
  if constexpr (std::is_signed_v<T>)
    if (y == T(-1))
      return 0;
  return T(x % y);
}

#define INT_OP(name, isUnsigned, expression)                                                       \
  void name(Exec &exec) {                                                                          \
    binary<isUnsigned>(exec, [](auto x, auto y) {                                                  \
      using T [[maybe_unused]] = decltype(x);                                                      \
      [[maybe_unused]] constexpr int bits = sizeof(T) * 8;                                         \
      return expression;                                                                           \
    });                                                                                            \
  }
INT_OP(addI, true, T(x + y))
INT_OP(subI, true, T(x - y))
INT_OP(mulI, true, T(uint64_t(x) * uint64_t(y)))
INT_OP(divSI, false, divide(x, y))
INT_OP(divUI, true, divide(x, y))
INT_OP(ceilDivSI, false, T(divide(x, y) + (remainder(x, y) != 0 && (x < 0) == (y < 0))))
INT_OP(ceilDivUI, true, T(divide(x, y) + (remainder(x, y) != 0)))
INT_OP(floorDivSI, false, T(divide(x, y) - (remainder(x, y) != 0 && (x < 0) != (y < 0))))
INT_OP(remSI, false, remainder(x, y))
INT_OP(remUI, true, remainder(x, y))
INT_OP(andI, true, T(x &y))
INT_OP(orI, true, T(x | y))
INT_OP(xorI, true, T(x ^ y))
// A shift by the width or more is poison; the hardware's shifters give 0 or the sign.
INT_OP(shlI, true, y >= bits ? T(0) : T(x << y))
INT_OP(shrUI, true, y >= bits ? T(0) : T(x >> y))
INT_OP(shrSI, false, (y < 0 || y >= bits) ? T(x < 0 ? -1 : 0) : T(x >> y))
INT_OP(minSI, false, std::min(x, y))
INT_OP(maxSI, false, std::max(x, y))
INT_OP(minUI, true, std::min(x, y))
INT_OP(maxUI, true, std::max(x, y))
INT_OP(mulHiUI, true, T((static_cast<unsigned __int128>(x) * y) >> bits))
#undef INT_OP

template <typename T, typename F> void compareAs(Exec &exec, F f) {
  exec.out(0, map2<T, uint8_t>(exec.take(0), exec.take(1), Store::B1,
                               [f](T x, T y) -> uint8_t { return f(x, y); }));
}

template <typename F> void compare(Exec &exec, bool isUnsigned, F f) {
  Store store = exec.in(0).store();
  if (store == Store::B1) {
    if (isUnsigned)
      return compareAs<uint8_t>(exec, f);
    Value a = widenBool(exec.in(0)), b = widenBool(exec.in(1));
    exec.out(0, map2<int8_t, uint8_t>(std::move(a), std::move(b), Store::B1,
                                      [f](int8_t x, int8_t y) -> uint8_t { return f(x, y); }));
    return;
  }
  withInt(store, [&](auto zero) {
    using S = decltype(zero);
    if (isUnsigned)
      compareAs<std::make_unsigned_t<S>>(exec, f);
    else
      compareAs<S>(exec, f);
  });
}

void cmpI(Exec &exec) {
  if (skipUnknown(exec))
    return;
  switch (exec.attrs().cmpi) {
  case CmpI::Eq: return compare(exec, true, [](auto x, auto y) { return x == y; });
  case CmpI::Ne: return compare(exec, true, [](auto x, auto y) { return x != y; });
  case CmpI::Slt: return compare(exec, false, [](auto x, auto y) { return x < y; });
  case CmpI::Sle: return compare(exec, false, [](auto x, auto y) { return x <= y; });
  case CmpI::Sgt: return compare(exec, false, [](auto x, auto y) { return x > y; });
  case CmpI::Sge: return compare(exec, false, [](auto x, auto y) { return x >= y; });
  case CmpI::Ult: return compare(exec, true, [](auto x, auto y) { return x < y; });
  case CmpI::Ule: return compare(exec, true, [](auto x, auto y) { return x <= y; });
  case CmpI::Ugt: return compare(exec, true, [](auto x, auto y) { return x > y; });
  case CmpI::Uge: return compare(exec, true, [](auto x, auto y) { return x >= y; });
  }
}

void absI(Exec &exec) {
  if (skipUnknown(exec))
    return;
  Value a = exec.take(0);
  Store store = a.store();
  if (store == Store::B1)
    return exec.out(0, std::move(a));
  withInt(store, [&](auto zero) {
    using T = decltype(zero);
    exec.out(0, map1<T, T>(std::move(a), store, [](T x) {
               return x < 0 ? T(std::make_unsigned_t<T>(0) - std::make_unsigned_t<T>(x)) : x;
             }));
  });
}

template <typename T>
void selectAs(Exec &exec, const Value &condition, const Value &a, const Value &b, Store store) {
  size_t n = std::max({condition.count(), a.count(), b.count()});
  const uint8_t *c = condition.data<uint8_t>();
  const T *x = a.data<T>(), *y = b.data<T>();
  size_t dc = condition.count() == n, dx = a.count() == n, dy = b.count() == n;
  Value result = Value::elements(store, n);
  T *__restrict r = result.mutableData<T>();
  if (dc && dx && !dy) {
    T s = *y;
    for (size_t i = 0; i < n; ++i)
      r[i] = c[i] ? x[i] : s;
  } else {
    for (size_t i = 0; i < n; ++i)
      r[i] = c[i * dc] ? x[i * dx] : y[i * dy];
  }
  exec.out(0, std::move(result));
}

void select(Exec &exec) {
  if (exec.in(1).kind() == Value::Kind::Memory || exec.in(1).kind() == Value::Kind::Descriptor)
    return exec.out(0, exec.in(0).asInt() ? exec.in(1) : exec.in(2));
  if (skipUnknown(exec))
    return;
  Value condition = exec.take(0);
  if (condition.count() == 1)
    return exec.out(0, condition.asInt() ? exec.take(1) : exec.take(2));
  Value a = exec.take(1), b = exec.take(2);
  Store store = a.store();
  switch (storeBytes(store)) {
  case 1: return selectAs<uint8_t>(exec, condition, a, b, store);
  case 2: return selectAs<uint16_t>(exec, condition, a, b, store);
  case 4: return selectAs<uint32_t>(exec, condition, a, b, store);
  default: return selectAs<uint64_t>(exec, condition, a, b, store);
  }
}

/// Pointers count in elements of what they point to.
void addPtr(Exec &exec) {
  if (skipUnknown(exec))
    return;
  const Type &type = exec.type(0);
  int64_t size = byteWidth(type.elem);
  Value pointer = exec.take(0);
  const Value &offset = exec.in(1);
  size_t n = std::max(pointer.count(), offset.count());
  const bool each = offset.count() == n, from = pointer.count() == n;
  const int64_t *p = pointer.data<int64_t>();
  const int64_t base = *p;
  Value result = resultLike(pointer, Store::I64, n);
  int64_t *r = result.mutableData<int64_t>();
  withStore(offset.store(), [&](auto zero) {
    const auto *o = offset.data<decltype(zero)>();
    if (!each)
      for (size_t i = 0; i < n; ++i)
        r[i] = p[i] + int64_t(*o) * size;
    else if (from)
      for (size_t i = 0; i < n; ++i)
        r[i] = p[i] + int64_t(o[i]) * size;
    else
      for (size_t i = 0; i < n; ++i)
        r[i] = base + int64_t(o[i]) * size;
  });
  exec.out(0, std::move(result));
}

} // namespace

void registerIntegers(HandlerTable &table) {
  table.set(Op::AddI, addI);
  table.set(Op::SubI, subI);
  table.set(Op::MulI, mulI);
  table.set(Op::DivSI, divSI);
  table.set(Op::DivUI, divUI);
  table.set(Op::CeilDivSI, ceilDivSI);
  table.set(Op::CeilDivUI, ceilDivUI);
  table.set(Op::FloorDivSI, floorDivSI);
  table.set(Op::RemSI, remSI);
  table.set(Op::RemUI, remUI);
  table.set(Op::AndI, andI);
  table.set(Op::OrI, orI);
  table.set(Op::XorI, xorI);
  table.set(Op::ShlI, shlI);
  table.set(Op::ShrSI, shrSI);
  table.set(Op::ShrUI, shrUI);
  table.set(Op::MinSI, minSI);
  table.set(Op::MaxSI, maxSI);
  table.set(Op::MinUI, minUI);
  table.set(Op::MaxUI, maxUI);
  table.set(Op::MulHiUI, mulHiUI);
  table.set(Op::CmpI, cmpI);
  table.set(Op::AbsI, absI);
  table.set(Op::Select, select);
  table.set(Op::AddPtr, addPtr);
}

} // namespace tlx::sim
