// Accesses of device memory whose lanes are apart, and additions to few or many words.
#include "Device.cuh"

/// 0: loads that the first-level cache keeps, 1: loads from L2, 2: stores. Lane l is at word
/// l * stride; warps and rounds are at places of their own, `places` of them.
template <int Words>
__global__ void strided(uint32_t *words, int kind, int stride, int places, int rounds,
                        uint32_t *out) {
  uint32_t sink = 0, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    uint32_t begin = clockNow();
    for (int round = 0; round < rounds; round += 4) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        uint32_t place = (warp * 5 + round + i) % places;
        uint32_t *at = words + size_t(blockIdx.x * places + place) * 32 * stride + lane * stride;
        uint32_t a = round, b = round, c = round, d = round;
        if (kind == 0 && Words == 1)
          asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(a) : "l"(at));
        else if (kind == 0)
          asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                       : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                       : "l"(at));
        else if (kind == 1 && Words == 1)
          asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(a) : "l"(at));
        else if (kind == 1)
          asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                       : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                       : "l"(at));
        else if (Words == 1)
          asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(a));
        else
          asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(at), "r"(a), "r"(b), "r"(c),
                       "r"(d));
        sink += a + b + c + d;
      }
    }
    __syncthreads();
    if (threadIdx.x == 0)
      out[blockIdx.x] = clockNow() - begin;
  }
  if (sink == 0x12345)
    out[0] = sink;
}

template <int Words> void strides() {
  constexpr int rounds = 256;
  Buffer<uint32_t> words(size_t(132) * 64 * 32 * 64), out(132);
  const char *names[] = {"load kept", "load", "store"};
  for (int kind = 0; kind < 3; ++kind)
    for (int ctas : {1, 132})
      for (int stride = Words; stride <= 64; stride *= 2) {
        // Kept loads stay in 64 KiB.
        int places = kind == 0 ? std::max(1, 512 / stride) : 32;
        places = std::min(places, 64);
        launch(strided<Words>, ctas, 1024, 0, words.data, kind, stride, places, rounds, out.data);
        finish();
        std::vector<uint32_t> clocks = out.read();
        std::vector<double> each(clocks.begin(), clocks.begin() + ctas);
        figure("access.strided",
               std::string(names[kind]) + " of " + std::to_string(4 * Words) + " B, " +
                   std::to_string(4 * stride) + " B apart, " + std::to_string(ctas) + " SMs",
               median(each) / (32 * rounds), "clk per warp instruction and SM");
      }
}

/// Every thread adds to one of `count` words (a power of two) after the other; nothing is returned.
template <typename T>
__global__ void additions(T *words, uint32_t count, int steps, uint32_t *out) {
  uint32_t at = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
  __syncthreads();
  uint32_t begin = clockNow();
  for (int i = 0; i < steps; ++i) {
    at = at * 1664525u + 1013904223u;
    atomicAdd(words + (at >> 8) % count, T(1));
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockIdx.x] = clockNow() - begin;
}

template <typename T> void spread(const char *type) {
  constexpr int steps = 32;
  Buffer<T> words(1 << 20, 0);
  Buffer<uint32_t> out(132);
  for (uint32_t count : {1u, 16u, 256u, 4096u, 65536u, 1u << 20}) {
    for (int i = 0; i < 2; ++i)
      launch(additions<T>, 132, 256, 0, words.data, count, steps, out.data);
    finish();
    std::vector<uint32_t> clocks = out.read();
    figure("atomic.spread", std::string(type) + ", " + std::to_string(count) + " words",
           median({clocks.begin(), clocks.end()}) / (132.0 * 256 * steps),
           "clk per addition of all SMs");
  }
}

int main(int argc, char **argv) {
  return runBenchmarks(argc, argv,
                       {{"strides",
                         [] {
                           strides<1>();
                           strides<4>();
                         }},
                        {"spread", [] {
                           spread<float>("f32");
                           spread<uint32_t>("u32");
                         }}});
}
