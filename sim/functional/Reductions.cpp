//===- Reductions.cpp - reduce, scan, map, histogram, gather --------------===//
//
// A reduction combines the two halves of the axis until one element is left: a
// balanced tree, which is also what rounds least. Where the order is known, the axis is
// rearranged first, so that it is the chip's: a thread's elements one by one, then the
// halves of a warp's lanes and of the warps. The region runs on whole halves at once.
// Sums and maxima of one tensor, which is nearly all of them, have loops of their own. A scan runs
// the region along the axis, one slice after the other.
//
//===----------------------------------------------------------------------===//
#include "sim/functional/Elementwise.h"

#include <algorithm>
#include <cmath>

namespace tlx::sim {
namespace {

/// A tensor seen as [outer][length][inner] around an axis.
struct AxisView {
  int64_t outer = 1, length = 1, inner = 1;
  AxisView(const Shape &shape, int64_t axis) {
    for (int64_t d = 0; d < int64_t(shape.size()); ++d)
      (d < axis ? outer : d == axis ? length : inner) *= shape[d];
  }
};

/// Elements [begin, begin + count) along the axis.
Value slice(const Value &a, const AxisView &view, int64_t begin, int64_t count) {
  Value result = Value::elements(a.store(), view.outer * count * view.inner);
  size_t bytes = storeBytes(a.store());
  for (int64_t o = 0; o < view.outer; ++o)
    std::memcpy(result.mutableData<char>() + o * count * view.inner * bytes,
                a.data<char>() + (o * view.length + begin) * view.inner * bytes,
                count * view.inner * bytes);
  return result;
}

void placeSlice(Value &to, const Value &part, const AxisView &view, int64_t begin, int64_t count) {
  size_t bytes = storeBytes(to.store());
  for (int64_t o = 0; o < view.outer; ++o)
    std::memcpy(to.mutableData<char>() + (o * view.length + begin) * view.inner * bytes,
                part.data<char>() + o * count * view.inner * bytes, count * view.inner * bytes);
}

/// Place k along the axis gets element places[k].
Value rearranged(const Value &a, const AxisView &view, const std::vector<int64_t> &places) {
  Value result = Value::elements(a.store(), view.outer * view.length * view.inner);
  for (int64_t k = 0; k < view.length; ++k)
    placeSlice(result, slice(a, view, places[k], 1), view, k, 1);
  return result;
}

/// The one operation of a region f(a, b) that does nothing else; Op::Sync if it does more.
Op singleOp(const Program &program, const Block &block) {
  if (block.end - block.entry != 2 || block.args.size() != 2)
    return Op::Sync;
  const Inst &inst = program.code[block.entry];
  const Inst &ret = program.code[block.entry + 1];
  if (inst.numOperands != 2 || ret.numOperands != 1 ||
      program.operand(ret, 0) != program.result(inst, 0))
    return Op::Sync;
  Reg a = program.operand(inst, 0), b = program.operand(inst, 1);
  bool plain =
      (a == block.args[0] && b == block.args[1]) || (a == block.args[1] && b == block.args[0]);
  return plain ? inst.op : Op::Sync;
}

/// In which order a reduction takes the elements along its axis.
struct Order {
  const std::vector<int64_t> &places; ///< the axis rearranged; empty: as it is
  int64_t groups;                     ///< so many, each added to the first one by one
  Order(const Attrs &attrs) : places(attrs.ints), groups(std::max<int64_t>(attrs.count, 1)) {}
};

template <typename T, typename F>
void reduceAs(const Value &a, Value &result, const AxisView &view, const Order &order, F f) {
  const T *x = a.data<T>();
  T *r = result.mutableData<T>();
  std::vector<T> rows(size_t(view.length * view.inner));
  auto combine = [&](int64_t to, int64_t from, int64_t count) {
    T *__restrict left = rows.data() + to * view.inner;
    const T *__restrict right = rows.data() + from * view.inner;
    for (int64_t i = 0; i < count * view.inner; ++i)
      left[i] = f(left[i], right[i]);
  };
  for (int64_t o = 0; o < view.outer; ++o) {
    const T *block = x + o * view.length * view.inner;
    if (order.places.empty())
      std::copy_n(block, rows.size(), rows.data());
    else if (view.inner == 1)
      for (int64_t k = 0; k < view.length; ++k)
        rows[k] = block[order.places[k]];
    else
      for (int64_t k = 0; k < view.length; ++k)
        std::copy_n(block + order.places[k] * view.inner, view.inner, rows.data() + k * view.inner);
    int64_t left = view.length / order.groups;
    for (int64_t group = 1; group < order.groups; ++group)
      combine(0, group * left, left);
    for (; left > 1; left = (left + 1) / 2)
      combine(0, (left + 1) / 2, left / 2);
    std::copy_n(rows.data(), view.inner, r + o * view.inner);
  }
}

bool fastReduce(Op op, const Value &a, Value &result, const AxisView &view, const Order &order,
                DType elem) {
  auto floats = [&](auto f) {
    if (a.store() == Store::F64)
      reduceAs<double>(a, result, view, order, f);
    else
      reduceAs<float>(a, result, view, order, f);
    return true;
  };
  auto ints = [&](auto f) {
    if (a.store() == Store::I32)
      reduceAs<int32_t>(a, result, view, order, f);
    else if (a.store() == Store::I64)
      reduceAs<int64_t>(a, result, view, order, f);
    else
      return false;
    return true;
  };
  switch (op) {
  case Op::AddF: // narrow floats round after every step: the general way
    return (elem == DType::f32 || elem == DType::f64) &&
           floats([](auto x, auto y) { return x + y; });
  case Op::MaxNumF: return floats([](auto x, auto y) { return (x >= y || y != y) ? x : y; });
  case Op::MinNumF: return floats([](auto x, auto y) { return (x <= y || y != y) ? x : y; });
  case Op::MaximumF: return floats([](auto x, auto y) { return (x >= y || x != x) ? x : y; });
  case Op::AddI:
    return ints([](auto x, auto y) {
      using U = std::make_unsigned_t<decltype(x)>;
      return decltype(x)(U(x) + U(y));
    });
  case Op::MaxSI: return ints([](auto x, auto y) { return std::max(x, y); });
  case Op::MinSI: return ints([](auto x, auto y) { return std::min(x, y); });
  default: return false;
  }
}

void reduce(Exec &exec) {
  if (skipUnknown(exec))
    return;
  const Block &block = exec.program.blocks[exec.attrs().block];
  const Type &type = exec.type(0);
  AxisView view(type.shape, exec.attrs().axis);
  std::vector<Value> parts;
  for (unsigned i = 0; i < exec.numOperands(); ++i)
    parts.push_back(exec.in(i).expanded(type.numElements()));
  if (view.length == 1) {
    for (unsigned i = 0; i < parts.size(); ++i)
      exec.out(i, std::move(parts[i]));
    return;
  }
  const Order order(exec.attrs());
  if (parts.size() == 1) {
    Value result = Value::elements(parts[0].store(), view.outer * view.inner);
    if (fastReduce(singleOp(exec.program, block), parts[0], result, view, order, type.elem))
      return exec.out(0, std::move(result));
  }
  if (!order.places.empty())
    for (Value &part : parts)
      part = rearranged(part, view, order.places);
  // `count` places from `from` on are combined into those from 0 on, which take `length`.
  auto combine = [&](int64_t from, int64_t count, int64_t length) {
    std::vector<Value> args;
    for (const Value &part : parts)
      args.push_back(slice(part, view, 0, count));
    for (const Value &part : parts)
      args.push_back(slice(part, view, from, count));
    std::vector<Value> results = runBlock(exec, block, std::move(args));
    if (exec.cluster.failed())
      return false;
    for (size_t i = 0; i < parts.size(); ++i) {
      Value part = length < view.length ? slice(parts[i], view, 0, length) : std::move(parts[i]);
      part.makeUnique();
      AxisView to = view;
      to.length = length;
      placeSlice(part, results[i].expanded(view.outer * count * view.inner), to, 0, count);
      parts[i] = std::move(part);
    }
    view.length = length;
    return true;
  };
  int64_t left = view.length / order.groups;
  for (int64_t group = 1; group < order.groups; ++group)
    if (!combine(group * left, left, group + 1 < order.groups ? view.length : left))
      return;
  for (; left > 1; left = (left + 1) / 2)
    if (!combine((left + 1) / 2, left / 2, (left + 1) / 2))
      return;
  for (unsigned i = 0; i < parts.size(); ++i)
    exec.out(i, std::move(parts[i]));
}

void scan(Exec &exec) {
  if (skipUnknown(exec))
    return;
  const Attrs &attrs = exec.attrs();
  const Block &block = exec.program.blocks[attrs.block];
  const Type &type = exec.type(0);
  AxisView view(type.shape, attrs.axis);
  std::vector<Value> sources, results, last;
  for (unsigned i = 0; i < exec.numOperands(); ++i) {
    sources.push_back(exec.in(i).expanded(type.numElements()));
    results.push_back(Value::elements(sources[i].store(), type.numElements()));
  }
  for (int64_t step = 0; step < view.length; ++step) {
    int64_t at = attrs.reverse ? view.length - 1 - step : step;
    std::vector<Value> now;
    for (const Value &source : sources)
      now.push_back(slice(source, view, at, 1));
    if (step) {
      std::vector<Value> args = last;
      args.insert(args.end(), now.begin(), now.end());
      now = runBlock(exec, block, std::move(args));
      if (exec.cluster.failed())
        return;
      for (Value &value : now)
        value = value.expanded(view.outer * view.inner);
    }
    for (size_t i = 0; i < now.size(); ++i)
      placeSlice(results[i], now[i], view, at, 1);
    last = std::move(now);
  }
  for (unsigned i = 0; i < results.size(); ++i)
    exec.out(i, std::move(results[i]));
}

/// `pack` elements of each source go to one call of the region, sources outermost.
void mapElementwise(Exec &exec) {
  if (skipUnknown(exec))
    return;
  const Attrs &attrs = exec.attrs();
  const Block &block = exec.program.blocks[attrs.block];
  int64_t pack = std::max<int64_t>(attrs.count, 1);
  int64_t count = exec.type(0).numElements(), calls = count / pack;
  std::vector<Value> args;
  for (unsigned i = 0; i < exec.numOperands(); ++i) {
    Value source = exec.in(i).expanded(count);
    AxisView view({calls, pack}, 1);
    for (int64_t p = 0; p < pack; ++p)
      args.push_back(pack == 1 ? source : slice(source, view, p, 1));
  }
  std::vector<Value> results = runBlock(exec, block, std::move(args));
  if (exec.cluster.failed())
    return;
  for (unsigned i = 0; i < exec.inst.numResults; ++i) {
    if (pack == 1) {
      exec.out(i, std::move(results[i]));
      continue;
    }
    AxisView view({calls, pack}, 1);
    Value whole = Value::elements(results[i * pack].store(), count);
    for (int64_t p = 0; p < pack; ++p)
      placeSlice(whole, results[i * pack + p].expanded(calls), view, p, 1);
    exec.out(i, std::move(whole));
  }
}

void histogram(Exec &exec) {
  if (skipUnknown(exec))
    return;
  int64_t count = exec.type(0).numElements(), bins = exec.resultType().numElements();
  Value result = Value::elements(storeOf(exec.resultType()), bins);
  std::vector<int64_t> counts(bins, 0);
  for (int64_t i = 0; i < count; ++i) {
    if (exec.has(1) && !exec.in(1).asInt(i))
      continue;
    int64_t bin = exec.in(0).asInt(i);
    if (bin >= 0 && bin < bins)
      ++counts[bin];
  }
  withStore(result.store(), [&](auto zero) {
    for (int64_t b = 0; b < bins; ++b)
      result.mutableData<decltype(zero)>()[b] = decltype(zero)(counts[b]);
  });
  exec.out(0, std::move(result));
}

void gather(Exec &exec) {
  if (skipUnknown(exec))
    return;
  const Type &type = exec.type(0);
  int64_t axis = exec.attrs().axis;
  Value source = exec.in(0).expanded(type.numElements());
  AxisView from(type.shape, axis), to(exec.resultType().shape, axis);
  Value result = Value::elements(source.store(), exec.resultType().numElements());
  const Value &indices = exec.in(1);
  size_t bytes = storeBytes(source.store());
  // Dimensions other than the axis agree between source and indices.
  for (int64_t o = 0; o < to.outer; ++o)
    for (int64_t k = 0; k < to.length; ++k)
      for (int64_t i = 0; i < to.inner; ++i) {
        int64_t at = (o * to.length + k) * to.inner + i;
        int64_t index = indices.asInt(at);
        if (index < 0 || index >= from.length)
          return exec.fail(Finding::Kind::OutOfBounds, "index " + std::to_string(index) +
                                                           " along an axis of " +
                                                           std::to_string(from.length));
        std::memcpy(result.mutableData<char>() + at * bytes,
                    source.data<char>() + ((o * from.length + index) * from.inner + i) * bytes,
                    bytes);
      }
  exec.out(0, std::move(result));
}

} // namespace

void registerReductions(HandlerTable &table) {
  table.set(Op::Reduce, reduce);
  table.set(Op::Scan, scan);
  table.set(Op::MapElementwise, mapElementwise);
  table.set(Op::Histogram, histogram);
  table.set(Op::Gather, gather);
}

} // namespace tlx::sim
