//===- ExactMatrix.cpp - products rounded as a tensor core rounds them ----===//
//
// Each step of K is one sum in fixed point: the exponents of the products (those of their
// factors added, before any carry) and of the accumulator are compared, all are shifted to the
// largest and lose what falls off, and the sum is exact. What is longer than an f32 is cut off.
//
//===----------------------------------------------------------------------===//
#include "sim/functional/Matrix.h"

#include <algorithm>
#include <cmath>

namespace tlx::sim {
namespace {

constexpr int none = -100000; ///< exponent of zero

int exponentOf(float x) { return x == 0 ? none : std::ilogb(x); }

/// A double cut off to an f32.
float truncated(double x) {
  float near = float(x);
  if (std::fabs(double(near)) > std::fabs(x))
    near = std::nextafter(near, 0.0f);
  return near;
}

} // namespace

void multiplyExact(const Matrix &a, const Matrix &b, float *c, int64_t ldc, bool accumulate) {
  const int64_t m = a.rows, n = b.columns, k = a.columns, step = a.window.step;
  std::vector<float> left(size_t(m * k)), right(size_t(n * k));
  std::vector<int> leftExponents(left.size()), rightExponents(right.size());
  for (int64_t i = 0; i < m; ++i)
    for (int64_t p = 0; p < k; ++p) {
      left[i * k + p] = a.at(i, p);
      leftExponents[i * k + p] = exponentOf(a.at(i, p));
    }
  for (int64_t j = 0; j < n; ++j)
    for (int64_t p = 0; p < k; ++p) {
      right[j * k + p] = b.at(p, j);
      rightExponents[j * k + p] = exponentOf(b.at(p, j));
    }
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = accumulate ? c[i * ldc + j] : 0;
      const float *x = &left[i * k], *y = &right[j * k];
      const int *ex = &leftExponents[i * k], *ey = &rightExponents[j * k];
      for (int64_t first = 0; first < k; first += step) {
        int64_t end = std::min(k, first + step);
        int most = exponentOf(sum);
        bool finite = std::isfinite(sum);
        for (int64_t p = first; p < end; ++p) {
          if (ex[p] != none && ey[p] != none)
            most = std::max(most, ex[p] + ey[p]);
          finite &= std::isfinite(x[p]) && std::isfinite(y[p]);
        }
        if (!finite) {
          for (int64_t p = first; p < end; ++p)
            sum += x[p] * y[p];
          continue;
        }
        if (most == none)
          continue;
        const double unit = std::ldexp(1.0, a.window.fraction - most);
        double total = std::trunc(double(sum) * unit);
        for (int64_t p = first; p < end; ++p)
          total += std::trunc(double(x[p]) * double(y[p]) * unit);
        sum = truncated(total / unit);
      }
      c[i * ldc + j] = sum;
    }
}

} // namespace tlx::sim
