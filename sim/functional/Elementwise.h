//===- Elementwise.h - loops over elements --------------------------------===//
//
// A stored single element is repeated as often as the other operands need. Results
// reuse an operand's storage when nobody else reads it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/functional/Exec.h"

#include <algorithm>

namespace tlx::sim {

/// True when the operation is not to be computed: an operand is unknown, or the run
/// does without values and the result is a float tensor. Sets unknown results.
inline bool skipUnknown(Exec &exec) {
  bool unknown = false;
  for (unsigned i = 0; i < exec.numOperands(); ++i)
    unknown |= exec.has(i) && exec.in(i).isUnknown();
  if (!unknown && !exec.wantsValues() && exec.inst.numResults) {
    const Type &type = exec.resultType();
    unknown = type.kind == TypeKind::Tensor && !type.pointer && isFloat(type.elem);
  }
  if (!unknown)
    return false;
  for (unsigned i = 0; i < exec.inst.numResults; ++i)
    exec.out(i, Value::unknown());
  return true;
}

/// Storage for a result of `count` elements: an operand's when it may be reused.
inline Value resultLike(Value &a, Store store, size_t count) {
  if (count > 1 && a.count() == count && a.store() == store && a.isUnique())
    return std::move(a);
  return Value::elements(store, count);
}

template <typename T, typename R, typename F> Value map1(Value a, Store store, F f) {
  size_t n = a.count();
  const T *x = a.data<T>();
  Value result = Value::elements(store, n);
  R *r = result.mutableData<R>();
  for (size_t i = 0; i < n; ++i)
    r[i] = f(x[i]);
  return result;
}

template <typename T, typename R, typename F> Value map2(Value a, Value b, Store store, F f) {
  size_t n = std::max(a.count(), b.count());
  if (n > 1 && sizeof(T) == sizeof(R) && storeBytes(store) == sizeof(R)) {
    // In place: element i of an operand is read before element i is written.
    if (a.count() == n && a.isUnique() && a.store() == store) {
      R *r = a.mutableData<R>();
      const T *x = a.data<T>(), *y = b.data<T>();
      if (b.count() == n) {
        for (size_t i = 0; i < n; ++i)
          r[i] = f(x[i], y[i]);
      } else {
        const T s = *y;
        for (size_t i = 0; i < n; ++i)
          r[i] = f(x[i], s);
      }
      return a;
    }
  }
  const T *x = a.data<T>(), *y = b.data<T>();
  Value result = Value::elements(store, n);
  R *__restrict r = result.mutableData<R>();
  if (a.count() == n && b.count() == n) {
    for (size_t i = 0; i < n; ++i)
      r[i] = f(x[i], y[i]);
  } else if (a.count() == n) {
    const T s = *y;
    for (size_t i = 0; i < n; ++i)
      r[i] = f(x[i], s);
  } else {
    const T s = *x;
    for (size_t i = 0; i < n; ++i)
      r[i] = f(s, y[i]);
  }
  return result;
}

template <typename T, typename F>
Value map3(const Value &a, const Value &b, const Value &c, Store store, F f) {
  size_t n = std::max({a.count(), b.count(), c.count()});
  const T *x = a.data<T>(), *y = b.data<T>(), *z = c.data<T>();
  size_t dx = a.count() == n, dy = b.count() == n, dz = c.count() == n;
  Value result = Value::elements(store, n);
  T *__restrict r = result.mutableData<T>();
  for (size_t i = 0; i < n; ++i)
    r[i] = f(x[i * dx], y[i * dy], z[i * dz]);
  return result;
}

/// f32-stored results of a narrower element type are rounded to it.
inline Value rounded(Value value, DType elem) {
  if (value.store() == Store::F32 && elem != DType::f32) {
    value.makeUnique();
    roundElements(elem, value.mutableData<float>(), value.count());
  }
  return value;
}

} // namespace tlx::sim
