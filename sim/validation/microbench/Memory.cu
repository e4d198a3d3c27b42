// Loads, stores and atomics of the threads: latency, rate, and what spilling costs.
#include "Device.cuh"

/// A chain of dependent loads; `words[i]` is the index of the next one.
__global__ void chase(const uint32_t *words, int steps, int cached, uint32_t *out) {
  uint32_t at = 0;
  for (int pass = 0; pass < 2; ++pass) {
    uint32_t begin = clockNow();
    for (int i = 0; i < steps; ++i) {
      if (cached)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(at) : "l"(words + at) : "memory");
      else
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(words + at) : "memory");
    }
    out[2 * blockIdx.x + pass] = (clockNow() - begin) / uint32_t(steps);
  }
  if (at == 0xffffffff)
    out[0] = at;
}

/// One word, again and again, from every SM in turn: the distance to its slice.
__global__ void distance(const uint32_t *word, uint32_t *out) {
  uint32_t at = 0, begin = clockNow();
  for (int i = 0; i < 64; ++i)
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(word + at) : "memory");
  out[blockIdx.x] = (clockNow() - begin) / 64 + at;
}

__global__ void atomics(uint32_t *words, int kind, uint32_t *out) {
  uint32_t at = 0, begin = clockNow();
  for (int i = 0; i < 64; ++i) {
    if (kind == 0)
      at = atomicAdd(words + at, 0u);
    else if (kind == 1)
      at = atomicCAS(words + at, 1u, 1u);
    else
      asm volatile("atom.global.acq_rel.gpu.add.u32 %0, [%1], 0;"
                   : "=r"(at)
                   : "l"(words + at)
                   : "memory");
  }
  out[0] = (clockNow() - begin) / 64 + at;
}

/// Every thread adds to one word (0) or to a word of its own (1); nothing is returned.
__global__ void reductions(float *words, int apart, int steps, uint32_t *out) {
  float *mine = words + (apart ? blockIdx.x * blockDim.x + threadIdx.x : 0);
  __syncthreads();
  uint32_t begin = clockNow();
  for (int i = 0; i < steps; ++i)
    atomicAdd(mine, 1.0f);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockIdx.x] = clockNow() - begin;
}

/// Streaming reads of 16 bytes a thread; every CTA its own part, or all the same.
__global__ void reads(const uint4 *words, size_t perCta, int rounds, uint4 *sink, uint32_t *out) {
  const uint4 *mine = words + blockIdx.x * perCta;
  uint4 sum{};
  __syncthreads();
  uint32_t begin = clockNow();
  for (int r = 0; r < rounds; ++r)
#pragma unroll 8
    for (size_t i = threadIdx.x; i < perCta; i += blockDim.x) {
      uint4 value;
      asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                   : "l"(mine + i));
      sum.x ^= value.x ^ value.y ^ value.z ^ value.w;
    }
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockIdx.x] = clockNow() - begin;
  if (sum.x == 0x12345678)
    sink[0] = sum;
}

__global__ void writes(uint4 *words, size_t perCta, int rounds, uint32_t *out) {
  uint4 *mine = words + blockIdx.x * perCta, value{1, 2, 3, 4};
  __syncthreads();
  uint32_t begin = clockNow();
  for (int r = 0; r < rounds; ++r)
    for (size_t i = threadIdx.x; i < perCta; i += blockDim.x)
      mine[i] = value;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockIdx.x] = clockNow() - begin;
}

/// Registers that live in local memory: R of them stored and loaded, again and again.
/// `zero` keeps the compiler from keeping them in registers after all.
template <int R> __global__ void spills(int rounds, int zero, uint32_t *out, float *sink) {
  float slots[R + 1];
  for (int i = 0; i <= R; ++i)
    slots[i & (zero | 0xffff)] = threadIdx.x;
  uint32_t base;
  asm("{.reg .u64 a;\n cvta.to.local.u64 a, %1;\n cvt.u32.u64 %0, a;}" : "=r"(base) : "l"(slots));
  base += zero;
  float x[4] = {1, 2, 3, 4};
  __syncthreads();
  uint32_t begin = clockNow();
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int i = 0; i < R; ++i)
      asm volatile("st.local.f32 [%0], %1;" ::"r"(base + 4 * i), "f"(x[i % 4]) : "memory");
#pragma unroll
    for (int i = 0; i < R; ++i) {
      float y;
      asm volatile("ld.local.f32 %0, [%1];" : "=f"(y) : "r"(base + 4 * i) : "memory");
      x[i % 4] += y;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockIdx.x] = clockNow() - begin;
  sink[blockIdx.x * blockDim.x + threadIdx.x] = x[0] + x[1] + x[2] + x[3];
}

/// Every CTA stores to one line (0) or to a line of its own (1).
__global__ void sameLine(uint32_t *words, int apart, int steps) {
  volatile uint32_t *mine = words + (apart ? blockIdx.x * 32 : 0);
  for (int i = 0; i < steps; ++i)
    mine[threadIdx.x & 31] = i;
}

/// Shared memory: a chain of loads (0), stores and loads of 16 bytes without
/// conflicts (1, 2), 4-byte loads at a stride of `stride` words (3), stmatrix (4),
/// ldmatrix (5), atomics without and with conflicts (6, 7).
__global__ void sharedAccess(int kind, int stride, uint32_t *out) {
  __shared__ __align__(1024) uint32_t words[8192];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x)
    words[i] = 0;
  __syncthreads();
  uint32_t base = sharedAddress(words), sum = 0;
  uint32_t wide = base + (threadIdx.x * 16 & 32767),
           narrow = base + (threadIdx.x * stride * 4 & 32767);
  uint32_t begin = clockNow();
#pragma unroll 8
  for (int i = 0; i < 64; ++i) {
    uint32_t a, b, c, d;
    switch (kind) {
    case 0: asm volatile("ld.shared.u32 %0, [%1];" : "=r"(sum) : "r"(base + sum) : "memory"); break;
    case 1:
      asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(wide), "r"(sum) : "memory");
      break;
    case 2:
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                   : "r"(wide)
                   : "memory");
      sum ^= a ^ b ^ c ^ d;
      break;
    case 3:
      asm volatile("ld.shared.u32 %0, [%1];" : "=r"(a) : "r"(narrow) : "memory");
      sum ^= a;
      break;
    case 4:
      asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"(wide),
                   "r"(sum)
                   : "memory");
      break;
    case 5:
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                   : "r"(wide)
                   : "memory");
      sum ^= a ^ b ^ c ^ d;
      break;
    case 6: atomicAdd(&words[threadIdx.x], 1u); break;
    case 7: atomicAdd(&words[threadIdx.x & 3], 1u); break;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0)
    out[0] = clockNow() - begin + (sum == 77);
}

int main(int argc, char **argv) {
  Buffer<uint32_t> out(4096);
  int sms = 0;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  auto results = [&](int count, int stride = 1) {
    finish();
    std::vector<uint32_t> all = out.read();
    std::vector<double> some;
    for (int i = 0; i < count; ++i)
      some.push_back(all[i * stride]);
    return some;
  };
  auto chain = [&](size_t words, size_t stride) {
    std::vector<uint32_t> host(words);
    for (size_t i = 0; i < words; i += stride)
      host[i] = uint32_t((i + stride) % words);
    return host;
  };
  return runBenchmarks(
      argc, argv,
      {{"latency",
        [&] {
          struct {
            const char *name;
            size_t words, stride;
            int cached;
            bool evicted;
          } cases[] = {{"l1", 4096, 32, 1, false},
                       {"l2", size_t(1) << 20, 1024 + 32, 0, false},
                       {"l2 of 32 MiB", size_t(1) << 23, 16384 + 32, 0, false},
                       {"memory", size_t(1) << 20, 1024 + 32, 0, true}};
          for (auto &c : cases) {
            size_t count = c.words / c.stride;
            std::vector<uint32_t> host = chain(count * c.stride, c.stride);
            Buffer<uint32_t> words(host.size());
            CHECK(cudaMemcpy(words.data, host.data(), host.size() * 4, cudaMemcpyHostToDevice));
            if (c.evicted) {
              Buffer<char> other(size_t(256) << 20);
              finish();
            }
            launch(chase, 1, 1, 0, words.data, int(std::min<size_t>(count, 1000)), c.cached,
                   out.data);
            std::vector<double> passes = results(2);
            figure("load.latency", c.name, passes[c.evicted ? 0 : 1]);
          }
        }},
       {"distance",
        [&] {
          for (int word : {0, 1024, 4096}) {
            Buffer<uint32_t> words(8192, 0);
            launch(distance, sms, 1, 0, words.data + word, out.data);
            std::vector<double> all = results(sms);
            std::sort(all.begin(), all.end());
            for (int part : {0, 25, 50, 75, 100})
              figure("l2.distance",
                     "word " + std::to_string(word) + ", " + std::to_string(part) + " % of SMs",
                     all[std::min<size_t>(all.size() - 1, all.size() * part / 100)]);
          }
        }},
       {"atomics",
        [&] {
          Buffer<uint32_t> words(1 << 20, 0);
          const char *names[] = {"add", "compare and swap", "add, acquire and release"};
          for (int kind = 0; kind < 3; ++kind) {
            launch(atomics, 1, 1, 0, words.data, kind, out.data);
            figure("atomic.latency", names[kind], results(1)[0]);
          }
          for (int grid : {1, sms})
            for (int apart : {0, 1}) {
              launch(reductions, grid, 128, 0, reinterpret_cast<float *>(words.data), apart, 64,
                     out.data);
              figure("atomic.each",
                     std::to_string(grid) + " CTAs of 128, " + (apart ? "a word each" : "one word"),
                     median(results(grid)) / 64);
            }
        }},
       {"rates",
        [&] {
          Buffer<uint4> words(size_t(1) << 28); // 4 GiB
          struct {
            const char *name;
            size_t perCta;
            int rounds, grid;
          } cases[] = {{"one SM from L2", 65536, 8, 1},
                       {"all SMs from L2", 16384, 16, sms},
                       {"all SMs from memory", size_t(1) << 20, 1, sms}};
          for (auto &c : cases)
            for (int threads : {128, 512, 1024}) {
              for (int warm = 0; warm < 2; ++warm)
                launch(reads, c.grid, threads, 0, words.data, c.perCta, c.rounds, words.data,
                       out.data);
              figure("load.rate", std::string(c.name) + ", " + std::to_string(threads) + " threads",
                     16.0 * c.perCta * c.rounds / median(results(c.grid)), "B/clk/SM");
              launch(writes, c.grid, threads, 0, words.data, c.perCta, c.rounds, out.data);
              figure("store.rate",
                     std::string(c.name) + ", " + std::to_string(threads) + " threads",
                     16.0 * c.perCta * c.rounds / median(results(c.grid)), "B/clk/SM");
            }
        }},
       {"same-line",
        [&] {
          Buffer<uint32_t> words(1 << 24, 0);
          cudaEvent_t events[2];
          for (cudaEvent_t &event : events)
            CHECK(cudaEventCreate(&event));
          for (int grid : {sms, 8192})
            for (int apart : {0, 1})
              for (int steps : {1, 16}) {
                float milliseconds = 0;
                for (int warm = 0; warm < 3; ++warm) {
                  CHECK(cudaEventRecord(events[0]));
                  launch(sameLine, grid, 128, 0, words.data, apart, steps);
                  CHECK(cudaEventRecord(events[1]));
                  finish();
                  CHECK(cudaEventElapsedTime(&milliseconds, events[0], events[1]));
                }
                figure("store.sameLine",
                       std::to_string(grid) + " CTAs, " + (apart ? "lines apart, " : "one line, ") +
                           std::to_string(steps) + " stores",
                       milliseconds * 1e6, "ns");
              }
        }},
       {"spills",
        [&] {
          Buffer<float> sink(sms * 1024);
          auto run = [&](auto kernel, int registers) {
            for (int grid : {1, sms})
              for (int warps : {4, 8, 12, 16})
                for (int shared : {0, 100, 200}) {
                  launch(kernel, grid, 32 * warps, size_t(shared) * 1024, 32, 0, out.data,
                         sink.data);
                  figure("spill.each",
                         std::to_string(registers) + " registers, " + std::to_string(warps) +
                             " warps on " + std::to_string(grid) + " SMs, " +
                             std::to_string(shared) + " KiB shared",
                         median(results(grid)) / (32.0 * registers * warps),
                         "clk per warp register");
                }
          };
          run(spills<16>, 16);
          run(spills<64>, 64);
          run(spills<128>, 128);
        }},
       {"shared", [&] {
          const char *names[] = {"chain",       "store 16 B",  "load 16 B",    "load 4 B",
                                 "stmatrix x4", "ldmatrix x4", "atomic apart", "atomic on 4 words"};
          for (int kind = 0; kind < 8; ++kind)
            for (int warps : {1, 4, 8, 16})
              for (int stride : {1, 2, 4, 8, 32}) {
                if (stride > 1 && kind != 3)
                  continue;
                launch(sharedAccess, 1, 32 * warps, 0, kind, stride, out.data);
                figure("shared.each",
                       std::string(names[kind]) + ", stride " + std::to_string(stride) + ", " +
                           std::to_string(warps) + " warps",
                       results(1)[0] / (64.0 * warps), "clk per warp instruction");
              }
        }}});
}
