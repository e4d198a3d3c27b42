//===- Shapes.cpp - operations that move elements without computing -------===//
#include "sim/functional/Elementwise.h"

#include <algorithm>

namespace tlx::sim {
namespace {

/// The same elements in row-major order, or in another that is given: expand_dims, reshape. A
/// splat stays one element.
void sameElements(Exec &exec) {
  if (skipUnknown(exec))
    return;
  const std::vector<int64_t> &order = exec.attrs().ints;
  if (order.empty() || exec.in(0).count() == 1)
    return exec.out(0, exec.take(0));
  const Value &a = exec.in(0);
  Value result = Value::elements(a.store(), order.size());
  withStore(a.store(), [&](auto zero) {
    using T = decltype(zero);
    for (size_t e = 0; e < order.size(); ++e)
      result.mutableData<T>()[e] = a.data<T>()[order[e]];
  });
  exec.out(0, std::move(result));
}

void unsplat(Exec &exec) {
  if (skipUnknown(exec))
    return;
  const Value &a = exec.in(0);
  Value result = Value::elements(a.store(), 1);
  std::memcpy(result.mutableData<char>(), a.data<char>(), storeBytes(a.store()));
  exec.out(0, std::move(result));
}

void splat(Exec &exec) {
  if (skipUnknown(exec))
    return;
  // A scalar that differs from thread to thread cannot become a uniform tensor.
  const Value &a = exec.in(0);
  if (a.count() > 1 && exec.type(0).kind == TypeKind::Scalar && !a.isUniform())
    return exec.unsupported("a tensor is made of a scalar that differs between threads");
  unsplat(exec);
}

/// Strides in elements of a row-major shape.
Shape rowMajorStrides(const Shape &shape) {
  Shape strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

/// result[c] = source[sum over d of c_d * strides[d]], for a result of `shape`.
template <typename T>
void gatherStrided(const T *from, T *to, const Shape &shape, const Shape &strides, size_t dim = 0) {
  if (dim == shape.size()) {
    *to = *from;
    return;
  }
  int64_t inner = 1;
  for (size_t d = dim + 1; d < shape.size(); ++d)
    inner *= shape[d];
  if (dim + 1 == shape.size()) {
    int64_t stride = strides[dim];
    if (stride == 1)
      std::copy_n(from, shape[dim], to);
    else if (stride == 0)
      std::fill_n(to, shape[dim], *from);
    else
      for (int64_t i = 0; i < shape[dim]; ++i)
        to[i] = from[i * stride];
    return;
  }
  for (int64_t i = 0; i < shape[dim]; ++i)
    gatherStrided(from + i * strides[dim], to + i * inner, shape, strides, dim + 1);
}

Value strided(const Value &source, const Shape &shape, const Shape &strides) {
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  Value result = Value::elements(source.store(), count);
  withStore(source.store(), [&](auto zero) {
    using T = decltype(zero);
    gatherStrided(source.data<T>(), result.mutableData<T>(), shape, strides);
  });
  return result;
}

void broadcast(Exec &exec) {
  if (skipUnknown(exec))
    return;
  if (exec.in(0).count() == 1)
    return exec.out(0, exec.in(0));
  const Shape &from = exec.type(0).shape, &to = exec.resultType().shape;
  Shape strides = rowMajorStrides(from);
  for (size_t d = 0; d < from.size(); ++d)
    if (from[d] == 1 && to[d] != 1)
      strides[d] = 0;
  exec.out(0, strided(exec.in(0), to, strides));
}

void trans(Exec &exec) {
  if (skipUnknown(exec))
    return;
  if (exec.in(0).count() == 1)
    return exec.out(0, exec.in(0));
  const std::vector<int64_t> &order = exec.attrs().ints;
  const Shape &from = exec.type(0).shape, &to = exec.resultType().shape;
  if (from.size() == 2 && order.size() == 2 && order[0] == 1) {
    const Value &a = exec.in(0);
    Value result = Value::elements(a.store(), a.count());
    transposeRaw(a.data<char>(), result.mutableData<char>(), from[0], from[1],
                 storeBytes(a.store()));
    return exec.out(0, std::move(result));
  }
  Shape source = rowMajorStrides(from), strides(to.size());
  for (size_t d = 0; d < to.size(); ++d)
    strides[d] = source[order[d]];
  exec.out(0, strided(exec.in(0), to, strides));
}

void cat(Exec &exec) {
  if (skipUnknown(exec))
    return;
  size_t left = exec.type(0).numElements(), right = exec.type(1).numElements();
  Value a = exec.in(0).expanded(left), b = exec.in(1).expanded(right);
  size_t bytes = storeBytes(a.store());
  Value result = Value::elements(a.store(), left + right);
  const std::vector<int64_t> &order = exec.attrs().ints;
  for (size_t e = 0; e < order.size(); ++e) {
    size_t at = size_t(order[e]);
    std::memcpy(result.mutableData<char>() + e * bytes,
                at < left ? a.data<char>() + at * bytes : b.data<char>() + (at - left) * bytes,
                bytes);
  }
  if (order.empty()) {
    std::memcpy(result.mutableData<char>(), a.data<char>(), left * bytes);
    std::memcpy(result.mutableData<char>() + left * bytes, b.data<char>(), right * bytes);
  }
  exec.out(0, std::move(result));
}

/// A new innermost dimension of two.
void join(Exec &exec) {
  if (skipUnknown(exec))
    return;
  size_t n = exec.resultType().numElements() / 2;
  Value a = exec.in(0).expanded(n), b = exec.in(1).expanded(n);
  Value result = Value::elements(a.store(), 2 * n);
  withStore(a.store(), [&](auto zero) {
    using T = decltype(zero);
    const T *x = a.data<T>(), *y = b.data<T>();
    T *r = result.mutableData<T>();
    for (size_t i = 0; i < n; ++i) {
      r[2 * i] = x[i];
      r[2 * i + 1] = y[i];
    }
  });
  exec.out(0, std::move(result));
}

void split(Exec &exec) {
  if (skipUnknown(exec))
    return;
  size_t n = exec.type(0).numElements() / 2;
  Value a = exec.in(0).expanded(2 * n);
  Value left = Value::elements(a.store(), n), right = Value::elements(a.store(), n);
  withStore(a.store(), [&](auto zero) {
    using T = decltype(zero);
    const T *x = a.data<T>();
    T *l = left.mutableData<T>(), *r = right.mutableData<T>();
    for (size_t i = 0; i < n; ++i) {
      l[i] = x[2 * i];
      r[i] = x[2 * i + 1];
    }
  });
  exec.out(0, std::move(left));
  exec.out(1, std::move(right));
}

void makeRange(Exec &exec) {
  int64_t start = exec.attrs().ints[0], end = exec.attrs().ints[1];
  Value result = Value::elements(storeOf(exec.resultType()), size_t(end - start));
  withStore(result.store(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = start; i < end; ++i)
      result.mutableData<T>()[i - start] = T(i);
  });
  exec.out(0, std::move(result));
}

void extractSlice(Exec &exec) {
  if (skipUnknown(exec))
    return;
  if (exec.in(0).count() == 1)
    return exec.out(0, exec.in(0));
  const Value &a = exec.in(0);
  const Shape &to = exec.resultType().shape;
  Shape strides = rowMajorStrides(exec.type(0).shape);
  int64_t first = 0;
  for (size_t d = 0; d < strides.size(); ++d)
    first += exec.attrs().ints[d] * strides[d];
  Value result = Value::elements(a.store(), exec.resultType().numElements());
  withStore(a.store(), [&](auto zero) {
    using T = decltype(zero);
    gatherStrided(a.data<T>() + first, result.mutableData<T>(), to, strides);
  });
  exec.out(0, std::move(result));
}

/// Tiles of one shape, row-major over the result.
void concat(Exec &exec) {
  if (skipUnknown(exec))
    return;
  const Type &type = exec.resultType();
  const Shape &tile = exec.type(0).shape;
  Shape strides = rowMajorStrides(type.shape), tiles, tileStrides = rowMajorStrides(tile);
  for (size_t d = 0; d < tile.size(); ++d)
    tiles.push_back(type.shape[d] / tile[d]);
  Shape tileOrder = rowMajorStrides(tiles);
  Value result = Value::elements(storeOf(type), type.numElements());
  size_t bytes = storeBytes(result.store());
  int64_t inTile = exec.type(0).numElements();
  for (unsigned t = 0; t < exec.numOperands(); ++t) {
    Value part = exec.in(t).expanded(inTile);
    int64_t base = 0;
    for (size_t d = 0; d < tile.size(); ++d)
      base += int64_t(t) / tileOrder[d] % tiles[d] * tile[d] * strides[d];
    for (int64_t i = 0; i < inTile; ++i) {
      int64_t to = base;
      for (size_t d = 0; d < tile.size(); ++d)
        to += i / tileStrides[d] % tile[d] * strides[d];
      std::memcpy(result.mutableData<char>() + to * bytes, part.data<char>() + i * bytes, bytes);
    }
  }
  exec.out(0, std::move(result));
}

} // namespace

void registerShapes(HandlerTable &table) {
  table.set(Op::Splat, splat);
  table.set(Op::Unsplat, unsplat);
  table.set(Op::ExpandDims, sameElements);
  table.set(Op::Reshape, sameElements);
  table.set(Op::Broadcast, broadcast);
  table.set(Op::Cat, cat);
  table.set(Op::Join, join);
  table.set(Op::Split, split);
  table.set(Op::Trans, trans);
  table.set(Op::MakeRange, makeRange);
  table.set(Op::ExtractSlice, extractSlice);
  table.set(Op::Concat, concat);
}

} // namespace tlx::sim
