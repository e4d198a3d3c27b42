// Functions of the mathematical library and divisions: how long one takes that waits for
// the one before.
#include "Device.cuh"

#include <cmath>

struct Keep { // shape of the loop alone
  template <typename T> __device__ static T apply(T x, T) { return x; }
};
#define FUNCTION(NAME, EXPRESSION)                                                                 \
  struct NAME {                                                                                    \
    template <typename T> __device__ static T apply(T x, T y) { return EXPRESSION; }               \
  };
FUNCTION(Divide, y / x)
FUNCTION(Remainder, y % x)
FUNCTION(Multiply, x *y)
FUNCTION(Sqrt, sqrt(x))
FUNCTION(Rsqrt, rsqrt(x))
FUNCTION(Exp, exp(x))
FUNCTION(Exp2, exp2(x))
FUNCTION(Log, log(x))
FUNCTION(Log2, log2(x))
FUNCTION(Sin, sin(x))
FUNCTION(Tanh, tanh(x))
FUNCTION(Erf, erf(x))
FUNCTION(Pow, pow(x, y))

/// `steps` calls that wait for each other, of one warp.
template <typename F, typename T>
__global__ void calls(T start, T y, int steps, uint32_t *clocks, T *sink) {
  T x = start + T(threadIdx.x % 7);
  for (int pass = 0; pass < 2; ++pass) { // the second with its code at hand
    uint32_t begin = clockNow();
    for (int i = 0; i < steps; ++i)
      x = F::apply(x, y) + start; // stays where it has no special cases
    if (threadIdx.x == 0)
      clocks[0] = clockNow() - begin;
  }
  sink[threadIdx.x] = x;
}

template <typename F, typename T> void measure(const std::string &what, T start, T y) {
  Buffer<uint32_t> clocks(1);
  Buffer<T> sink(32);
  constexpr int steps = 64;
  auto run = [&](auto kernel) {
    launch(kernel, 1, 32, 0, start, y, steps, clocks.data, sink.data);
    finish();
    return double(clocks.read()[0]) / steps;
  };
  figure("function.latency", what, run(calls<F, T>) - run(calls<Keep, T>));
}

template <typename T> void floats(const std::string &type) {
  T start = T(1.25), y = T(1.75);
  measure<Divide, T>("divide " + type, start, y);
  measure<Sqrt, T>("sqrt " + type, start, y);
  measure<Rsqrt, T>("rsqrt " + type, start, y);
  measure<Exp, T>("exp " + type, T(-2.5), y);
  measure<Exp2, T>("exp2 " + type, T(-2.5), y);
  measure<Log, T>("log " + type, start, y);
  measure<Log2, T>("log2 " + type, start, y);
  measure<Sin, T>("sin " + type, start, y);
  measure<Tanh, T>("tanh " + type, start, y);
  measure<Erf, T>("erf " + type, start, y);
  measure<Pow, T>("pow " + type, start, T(0.75));
}

template <typename T> void integers(const std::string &type) {
  measure<Divide, T>("divide " + type, T(5), T(1234567));
  measure<Remainder, T>("remainder " + type, T(5), T(1234567));
  measure<Multiply, T>("multiply " + type, T(5), T(1234567));
}

int main(int argc, char **argv) {
  return runBenchmarks(argc, argv,
                       {{"floats",
                         [] {
                           floats<float>("f32");
                           floats<double>("f64");
                         }},
                        {"integers", [] {
                           integers<int>("s32");
                           integers<unsigned>("u32");
                           integers<long long>("s64");
                           integers<unsigned long long>("u64");
                         }}});
}
