//===- Dots.cpp - matrix products into registers --------------------------===//
#include "sim/functional/Elementwise.h"
#include "sim/functional/Matrix.h"

#include <cblas.h>

namespace tlx::sim {
namespace {

/// f64 operands from registers.
void dotDouble(Exec &exec, Value &c) {
  const Shape &a = exec.type(0).shape, &b = exec.type(1).shape;
  int64_t m = a[a.size() - 2], k = a.back(), n = b.back();
  int64_t batch = exec.type(0).numElements() / (m * k);
  Value x = exec.in(0).expanded(exec.type(0).numElements());
  Value y = exec.in(1).expanded(exec.type(1).numElements());
  for (int64_t i = 0; i < batch; ++i)
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, int(m), int(n), int(k), 1.0,
                x.data<double>() + i * m * k, int(k), y.data<double>() + i * k * n, int(n), 1.0,
                c.mutableData<double>() + i * m * n, int(n));
}

/// The accumulator, ready to be written: operand 2 unless it starts from zero.
Value accumulator(Exec &exec, bool keep) {
  const Type &type = exec.resultType();
  size_t count = size_t(type.numElements());
  if (!keep)
    return Value::integer(storeOf(type), 0).expanded(count);
  Value c = exec.take(2).expanded(count);
  c.makeUnique();
  return c;
}

/// Adds a * b to c, whatever the element type of c.
void accumulate(Exec &exec, Matrix &a, Matrix &b, Value &c, bool keep) {
  if (c.store() == Store::I32)
    multiplyInt(a, b, c.mutableData<int32_t>(), keep);
  else
    multiply(a, b, c.mutableData<float>(), b.columns, keep);
}

void dotWith(Exec &exec, bool keep) {
  Value c = accumulator(exec, keep);
  DType elem = exec.type(0).elem;
  if (c.store() == Store::F64) {
    dotDouble(exec, c);
    return exec.out(0, std::move(c));
  }
  const Shape &shape = exec.type(0).shape;
  if (shape.size() == 3) {
    // A batch of independent products.
    Matrix a, b;
    if (!readMatrix(exec, 0, a) || !readMatrix(exec, 1, b))
      return;
    roundOperand(a, elem, exec.attrs().precision);
    roundOperand(b, elem, exec.attrs().precision);
    int64_t batch = shape[0], m = shape[1], k = shape[2], n = b.columns;
    for (int64_t i = 0; i < batch; ++i) {
      Matrix x, y;
      x.rows = m, x.columns = k, x.data = a.data + i * m * k, x.window = a.window;
      y.rows = k, y.columns = n, y.data = b.data + i * k * n;
      if (c.store() == Store::I32)
        multiplyInt(x, y, c.mutableData<int32_t>() + i * m * n, true);
      else
        multiply(x, y, c.mutableData<float>() + i * m * n, n, true);
    }
    return exec.out(0, rounded(std::move(c), exec.resultType().elem));
  }
  Matrix a, b;
  if (!readMatrix(exec, 0, a) || !readMatrix(exec, 1, b))
    return;
  roundOperand(a, elem, exec.attrs().precision);
  roundOperand(b, elem, exec.attrs().precision);
  accumulate(exec, a, b, c, keep);
  exec.out(0, rounded(std::move(c), exec.resultType().elem));
}

void dot(Exec &exec) {
  if (skipUnknown(exec))
    return;
  dotWith(exec, true);
}

void scheduledMfma(Exec &exec) {
  if (skipUnknown(exec))
    return;
  dotWith(exec, !exec.attrs().initialize);
}

void dotScaled(Exec &exec) {
  if (skipUnknown(exec))
    return;
  const Attrs &attrs = exec.attrs();
  Value c = accumulator(exec, true);
  Matrix a, b;
  if (!readScaledMatrix(exec, 0, 3, attrs.aType, attrs.aKPack, true, a) ||
      !readScaledMatrix(exec, 1, 4, attrs.bType, attrs.bKPack, false, b))
    return;
  if (a.columns != b.rows)
    return exec.fail(Finding::Kind::BadLaunch, "a scaled dot of " + std::to_string(a.columns) +
                                                   " columns by " + std::to_string(b.rows) +
                                                   " rows");
  accumulate(exec, a, b, c, true);
  exec.out(0, rounded(std::move(c), exec.resultType().elem));
}

/// wgmma. Asynchronous: the result tile exists since the issue and is filled now.
void warpGroupDot(Exec &exec) {
  if (!exec.wantsValues())
    return exec.async ? void() : exec.out(0, Value::unknown());
  bool keep = exec.flag(3);
  Matrix a, b;
  if (!readMatrix(exec, 0, a) || !readMatrix(exec, 1, b))
    return;
  DType elem = exec.type(0).elem;
  // The tensor core reads f32 operands as tf32.
  roundOperand(a, elem, Precision::Tf32);
  roundOperand(b, elem, Precision::Tf32);
  if (!exec.async) {
    Value c = accumulator(exec, keep);
    accumulate(exec, a, b, c, keep);
    return exec.out(0, rounded(std::move(c), exec.resultType().elem));
  }
  Value &result = exec.async->result;
  // Other owners of the tile share it on purpose: they hold this very result.
  if (keep && exec.async->operands[2].kind() == Value::Kind::Elements) {
    Value c = exec.async->operands[2].expanded(result.count());
    std::memcpy(result.mutableData<char>(), c.data<char>(),
                result.count() * storeBytes(result.store()));
  }
  accumulate(exec, a, b, result, keep);
  if (result.store() == Store::F32)
    roundElements(exec.resultType().elem, result.mutableData<float>(), result.count());
}

void passThrough(Exec &exec) {
  for (unsigned i = 0; i < exec.inst.numResults; ++i)
    exec.out(i, exec.take(i));
}

} // namespace

void registerDots(HandlerTable &table) {
  table.set(Op::Dot, dot);
  table.set(Op::DotScaled, dotScaled);
  table.set(Op::WarpGroupDot, warpGroupDot);
  table.set(Op::WarpGroupDotWait, passThrough);
  table.set(Op::ScheduledMfma, scheduledMfma);
  table.set(Op::MfmaCommit, passThrough);
}

} // namespace tlx::sim
