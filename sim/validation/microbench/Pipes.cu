// Arithmetic: dependent chains (latency) and independent streams (rate), division,
// branches, and code that runs for the first time.
#include "Device.cuh"

#define CHAIN(TEXT, TYPE, INIT, OUT, IN)                                                           \
  {                                                                                                \
    TYPE x = TYPE(INIT) + TYPE(divisor);                                                           \
    begin = clockNow();                                                                            \
    _Pragma("unroll") for (int i = 0; i < 64; ++i) asm volatile(TEXT : "+" OUT(x) : IN(y));        \
    clocks = clockNow() - begin;                                                                   \
    sink += uint32_t(x);                                                                           \
  }

__global__ void latency(int kind, int divisor, uint32_t *out) {
  uint32_t begin, clocks = 0, sink = 0;
  switch (kind) {
  case 0: {
    float y = 1.5f + float(divisor);
    CHAIN("fma.rn.f32 %0, %0, %1, %1;", float, 1.0f, "f", "f")
    break;
  }
  case 1: {
    int y = divisor + 3;
    CHAIN("add.s32 %0, %0, %1;\n xor.b32 %0, %0, %1;", int, 1, "r", "r")
    break;
  }
  case 2: {
    float y = float(divisor);
    CHAIN("ex2.approx.ftz.f32 %0, %0;", float, 0.5f, "f", "f")
    break;
  }
  case 3: {
    int y = divisor + 3;
    CHAIN("mad.lo.s32 %0, %0, %1, %1;", int, 1, "r", "r")
    break;
  }
  case 4: { // lanes differ: one value would need no exchange
    int x = threadIdx.x * divisor;
    begin = clockNow();
#pragma unroll
    for (int i = 0; i < 64; ++i)
      asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;\nadd.s32 %0, %0, 1;" : "+r"(x));
    clocks = clockNow() - begin;
    sink = x;
    break;
  }
  case 5: {
    int y = divisor;
    CHAIN("div.s32 %0, %0, %1;", int, 1 << 30, "r", "r")
    break;
  }
  case 6: {
    int y = divisor;
    CHAIN("rem.s32 %0, %1, %0;\n or.b32 %0, %0, 3;", int, 12345, "r", "r")
    break;
  }
  case 7: {
    double y = 1.5 + divisor;
    CHAIN("fma.rn.f64 %0, %0, %1, %1;", double, 1.0, "d", "d")
    break;
  }
  case 8: {
    float y = 1.5f + float(divisor);
    CHAIN("div.rn.f32 %0, %0, %1;", float, 1.0f, "f", "f")
    break;
  }
  case 9: { // a loop that only counts
    int x = divisor;
    begin = clockNow();
    asm volatile(
        "{\n.reg .pred p;\nback: sub.s32 %0, %0, 1;\nsetp.ne.s32 p, %0, 0;\n@p bra back;\n}"
        : "+r"(x));
    clocks = (clockNow() - begin) * 64 / divisor;
    sink = x;
    break;
  }
  case 10: {
    float y = float(divisor);
    CHAIN("{.reg .b16 h;\n cvt.rn.f16.f32 h, %0;\n cvt.f32.f16 %0, h;}", float, 1.0f, "f", "f")
    break;
  }
  }
  if (threadIdx.x == 0)
    out[0] = clocks, out[1] = sink;
}

#define STREAM(TEXT, TYPE, OUT)                                                                    \
  {                                                                                                \
    TYPE x[8];                                                                                     \
    for (int j = 0; j < 8; ++j)                                                                    \
      x[j] = TYPE(threadIdx.x + j);                                                                \
    __syncthreads();                                                                               \
    begin = clockNow();                                                                            \
    for (int i = 0; i < 16; ++i)                                                                   \
      _Pragma("unroll") for (int j = 0; j < 8; ++j) asm volatile(TEXT : "+" OUT(x[j]));            \
    end = clockNow();                                                                              \
    for (int j = 0; j < 8; ++j)                                                                    \
      sink += uint32_t(x[j]);                                                                      \
  }

__global__ void rate(int kind, uint32_t *out) {
  uint32_t begin = 0, end = 0, sink = 0;
  switch (kind) {
  case 0: STREAM("fma.rn.f32 %0, %0, %0, %0;", float, "f") break;
  case 1: STREAM("lop3.b32 %0, %0, 5, %0, 0x6a;", int, "r") break;
  case 2: STREAM("mad.lo.s32 %0, %0, %0, %0;", int, "r") break;
  case 3: STREAM("ex2.approx.ftz.f32 %0, %0;", float, "f") break;
  case 4: STREAM("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;", int, "r") break;
  case 5: STREAM("{.reg .b32 h;\ncvt.rn.f16x2.f32 h, %0, %0;\nmov.b32 %0, h;}", float, "f") break;
  case 6:
    STREAM("{.reg .b16 h;\ncvt.rn.satfinite.e4m3x2.f32 h, %0, %0;\nmov.b32 %0, {h, h};}", float,
           "f")
    break;
  case 7: STREAM("{.reg .f32 f;\ncvt.rn.f32.s32 f, %0;\nmov.b32 %0, f;}", int, "r") break;
  case 8: STREAM("max.f32 %0, %0, 0f3f800000;", float, "f") break;
  case 9: STREAM("fma.rn.f64 %0, %0, %0, %0;", double, "d") break;
  case 10: STREAM("fma.rn.f16x2 %0, %0, %0, %0;", int, "r") break;
  case 11: STREAM("min.s32 %0, %0, 77;", int, "r") break;
  }
  if (threadIdx.x % 32 == 0) {
    out[threadIdx.x / 16] = begin;
    out[threadIdx.x / 16 + 1] = end;
  }
  out[1024 + threadIdx.x] = sink;
}

/// N independent instructions in a row, run three times: the first pass fetches them.
template <int N> __global__ void code(uint32_t *out) {
  float x[4];
  for (int j = 0; j < 4; ++j)
    x[j] = threadIdx.x + j;
  for (int pass = 0; pass < 3; ++pass) {
    uint32_t begin = clockNow();
#pragma unroll
    for (int i = 0; i < N; ++i)
      asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x[i % 4]));
    out[pass] = clockNow() - begin;
  }
  out[3] = uint32_t(x[0] + x[1] + x[2] + x[3]);
}

int main(int argc, char **argv) {
  Buffer<uint32_t> out(4096);
  auto first = [&] {
    finish();
    return out.read();
  };
  return runBenchmarks(
      argc, argv,
      {{"latency",
        [&] {
          const char *names[] = {"fma.f32",
                                 "add and xor",
                                 "ex2",
                                 "mad.s32",
                                 "shuffle and add",
                                 "div.s32",
                                 "rem.s32",
                                 "fma.f64",
                                 "div.f32",
                                 "loop of 2",
                                 "f32 to f16 and back"};
          for (int kind = 0; kind < 11; ++kind) {
            for (int warm = 0; warm < 2; ++warm)
              launch(latency, 1, 32, 0, kind, 1000, out.data);
            figure("pipe.latency", names[kind], first()[0] / 64.0);
          }
        }},
       {"rate",
        [&] {
          const char *names[] = {"fma.f32", "xor",       "mad.s32",    "ex2",
                                 "shuffle", "cvt f16x2", "cvt e4m3x2", "cvt f32.s32",
                                 "max.f32", "fma.f64",   "fma.f16x2",  "min.s32"};
          for (int kind = 0; kind < 12; ++kind)
            for (int warps : {4, 16}) {
              for (int warm = 0; warm < 2; ++warm)
                launch(rate, 1, 32 * warps, 0, kind, out.data);
              figure("pipe.rate",
                     std::string(names[kind]) + ", " + std::to_string(warps) + " warps",
                     spanOf(first(), warps) / (128.0 * warps / 4),
                     "clk per warp instruction and partition");
            }
        }},
       {"code", [&] {
          auto run = [&](auto kernel, int count) {
            for (int warm = 0; warm < 3; ++warm)
              launch(kernel, 1, 32, 0, out.data);
            std::vector<uint32_t> passes = first();
            figure("code.first", std::to_string(count) + " instructions",
                   (double(passes[0]) - passes[2]) / count, "clk per instruction");
            figure("code.again", std::to_string(count) + " instructions", double(passes[2]) / count,
                   "clk per instruction");
          };
          run(code<64>, 64);
          run(code<256>, 256);
          run(code<1024>, 1024);
          run(code<4096>, 4096);
        }}});
}
