// Tensor-core products of a warp group: clocks of each by width, operand source
// and format, the tail behind the last one, and warp groups that share the core.
#include "Device.cuh"

// Accumulators live inside one asm block: groups of eight registers, da0 to dp7.
#define EIGHT(p) p "0," p "1," p "2," p "3," p "4," p "5," p "6," p "7"
#define LIST4 "da0,da1,da2,da3"
#define LIST8 EIGHT("da")
#define LIST16 LIST8 "," EIGHT("db")
#define LIST32 LIST16 "," EIGHT("dc") "," EIGHT("dd")
#define LIST64 LIST32 "," EIGHT("de") "," EIGHT("df") "," EIGHT("dg") "," EIGHT("dh")
#define LIST128                                                                                    \
  LIST64 "," EIGHT("di") "," EIGHT("dj") "," EIGHT("dk") "," EIGHT("dl") "," EIGHT(                \
      "dm") "," EIGHT("dn") "," EIGHT("do") "," EIGHT("dp")
#define DECLARE                                                                                    \
  ".reg .f32 da<8>, db<8>, dc<8>, dd<8>, de<8>, df<8>, dg<8>, dh<8>;\n"                            \
  ".reg .f32 di<8>, dj<8>, dk<8>, dl<8>, dm<8>, dn<8>, do<8>, dp<8>;\n"                            \
  ".reg .pred more, sum;\n.reg .u32 i, g, begin, end;\n.reg .b32 ra<4>;\n"

// `count` products in one group, and the wait for it; %0 clocks, %1 a result.
// It is done `groups` times: what a loop that waits for each of its products takes.
#define PRODUCTS(N, TYPES, LIST, A, FLAGS)                                                         \
  asm volatile(                                                                                    \
      "{\n" DECLARE "mov.b32 ra0, 0;\nmov.b32 ra1, 0;\nmov.b32 ra2, 0;\nmov.b32 ra3, 0;\n"         \
      "mov.u32 g, 0;\nmov.u32 begin, %%clock;\n"                                                   \
      "group:\nmov.u32 i, 0;\nwgmma.fence.sync.aligned;\n"                                         \
      "next:\nsetp.ne.u32 sum, i, 0;\n"                                                            \
      "wgmma.mma_async.sync.aligned.m64n" #N TYPES " {" LIST "}, " A ", %3, sum, 1, 1" FLAGS ";\n" \
      "add.u32 i, i, 1;\nsetp.lt.u32 more, i, %4;\n@more bra next;\n"                              \
      "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"                       \
      "add.u32 g, g, 1;\nsetp.lt.u32 more, g, %5;\n@more bra group;\n"                             \
      "mov.u32 end, %%clock;\nsub.u32 %0, end, begin;\nmov.f32 %1, da0;\n}"                        \
      : "=r"(clocks), "=f"(result)                                                                 \
      : "l"(a), "l"(b), "r"(count), "r"(groups)                                                    \
      : "memory")
#define WIDTHS(TYPES, A, FLAGS)                                                                    \
  if constexpr (N == 8)                                                                            \
    PRODUCTS(8, TYPES, LIST4, A, FLAGS);                                                           \
  else if constexpr (N == 16)                                                                      \
    PRODUCTS(16, TYPES, LIST8, A, FLAGS);                                                          \
  else if constexpr (N == 32)                                                                      \
    PRODUCTS(32, TYPES, LIST16, A, FLAGS);                                                         \
  else if constexpr (N == 64)                                                                      \
    PRODUCTS(64, TYPES, LIST32, A, FLAGS);                                                         \
  else if constexpr (N == 128)                                                                     \
    PRODUCTS(128, TYPES, LIST64, A, FLAGS);                                                        \
  else                                                                                             \
    PRODUCTS(256, TYPES, LIST128, A, FLAGS);

/// K-major operand with the 128 B swizzle.
__device__ uint64_t operandAt(const char *pointer) {
  return uint64_t(sharedAddress(pointer) >> 4 & 0x3fff) | uint64_t(1) << 16 | uint64_t(64) << 32 |
         uint64_t(1) << 62;
}

enum Format { F16, Tf32, F8 };

template <int N, int Kind, bool Registers>
__global__ void __launch_bounds__(N == 256 ? 256 : 384, 1)
    products(uint32_t count, uint32_t groups, uint32_t *out, float *sink) {
  char *memory = alignedShared();
  for (uint32_t i = threadIdx.x; i < 16 * 1024; i += blockDim.x)
    reinterpret_cast<uint32_t *>(memory)[i] = 0;
  __syncthreads();
  fenceProxy();
  __syncthreads();
  uint64_t a = operandAt(memory + threadIdx.x / 128 * 8192), b = operandAt(memory + 32768);
  uint32_t clocks = 0;
  float result = 0;
  for (int r = 0; r < 5; ++r) {
    __syncthreads();
    if constexpr (Registers) {
      if constexpr (Kind == F16)
        WIDTHS("k16.f32.f16.f16", "{ra0, ra1, ra2, ra3}", ", 0")
      else if constexpr (Kind == Tf32)
        WIDTHS("k8.f32.tf32.tf32", "{ra0, ra1, ra2, ra3}", "")
      else
        WIDTHS("k32.f32.e4m3.e4m3", "{ra0, ra1, ra2, ra3}", "")
    } else {
      if constexpr (Kind == F16)
        WIDTHS("k16.f32.f16.f16", "%2", ", 0, 0")
      else if constexpr (Kind == Tf32)
        WIDTHS("k8.f32.tf32.tf32", "%2", "")
      else
        WIDTHS("k32.f32.e4m3.e4m3", "%2", "")
    }
  }
  if (threadIdx.x % 128 == 0)
    out[threadIdx.x / 128] = clocks;
  sink[threadIdx.x] = result;
}

/// What a third warp group does while two multiply.
enum Beside { Nothing, Loads, Stores, Shuffles, Copies };

/// One block of work on shared memory; the bytes that it moves.
__device__ uint32_t useShared(int beside, char *memory, const CUtensorMap &map, uint64_t *full,
                              uint32_t round) {
  uint32_t at = sharedAddress(memory) + threadIdx.x % 128 * 16, a = round, b, c, d;
  if (beside == Copies) {
    if (threadIdx.x % 128 == 0) {
      for (int i = 0; i < 4; ++i) {
        if (round > 0)
          wait(full + i, (round - 1) & 1);
        expect(full + i, 8192);
        tmaLoad(&map, memory + 8192 * i, full + i, 0, int(round * 4 + i) % 64 * 64);
      }
    }
    return 4 * 8192;
  }
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    if (beside == Loads)
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                   : "r"(at + i % 8 * 2048)
                   : "memory");
    else if (beside == Stores)
      asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(at + i % 8 * 2048), "r"(a)
                   : "memory");
    else
      asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(a));
  }
  return 16 * 128 * (beside == Shuffles ? 4 : 16);
}

/// Two warp groups multiply while a third uses shared memory: clocks of a product, and what the
/// third has moved in how many clocks.
template <int N, bool Registers>
__global__ void __launch_bounds__(384, 1)
    productsBeside(int beside, const __grid_constant__ CUtensorMap map, uint32_t count,
                   uint32_t *out, float *sink) {
  constexpr int Kind = F16;
  char *memory = alignedShared();
  uint64_t *full = reinterpret_cast<uint64_t *>(memory + 128 * 1024);
  volatile uint32_t *ended = reinterpret_cast<uint32_t *>(full + 8);
  for (uint32_t i = threadIdx.x; i < 32 * 1024; i += blockDim.x)
    reinterpret_cast<uint32_t *>(memory)[i] = 0;
  if (threadIdx.x == 0) {
    *ended = 0;
    for (int i = 0; i < 4; ++i)
      barrierInit(full + i, 1);
    barrierInitVisible();
  }
  __syncthreads();
  fenceProxy();
  __syncthreads();
  // Known to be the same in a warp: products in a branch that may diverge are serialised.
  if (__shfl_sync(~0u, threadIdx.x / 128, 0) < 2) {
    uint64_t a = operandAt(memory + threadIdx.x / 128 * 8192), b = operandAt(memory + 32768);
    uint32_t clocks = 0, groups = 1;
    float result = 0;
    if constexpr (N == 0) { // as long, without products
      for (uint32_t begin = clockNow(); clocks < 128 * count;)
        clocks = clockNow() - begin;
    } else if constexpr (Registers)
      WIDTHS("k16.f32.f16.f16", "{ra0, ra1, ra2, ra3}", ", 0")
    else
      WIDTHS("k16.f32.f16.f16", "%2", ", 0, 0")
    *ended = 1;
    if (threadIdx.x == 0)
      out[0] = clocks;
    sink[threadIdx.x] = result;
  } else if (beside != Nothing) {
    uint32_t begin = clockNow(), moved = 0, round = 0;
    while (!*ended)
      moved += useShared(beside, memory + 65536, map, full, round++);
    if (threadIdx.x == 256) {
      for (int i = 0; beside == Copies && i < 4; ++i)
        wait(full + i, (round - 1) & 1);
      out[1] = clockNow() - begin;
      out[2] = moved;
    }
  }
}

template <int N, bool Registers>
void measureBeside(Buffer<uint32_t> &out, Buffer<float> &sink, const CUtensorMap &map) {
  const char *names[] = {"nothing", "loads", "stores", "shuffles", "copies"};
  constexpr uint32_t count = 1024;
  for (int beside = Nothing; beside <= Copies; ++beside) {
    for (int warm = 0; warm < 2; ++warm)
      launch(productsBeside<N, Registers>, 1, 384, 132 * 1024, beside, map, count, out.data,
             sink.data);
    finish();
    std::vector<uint32_t> found = out.read();
    std::string what = std::string(Registers ? "RS" : "SS") + ", n " + std::to_string(N) +
                       ", 2 warp groups beside " + names[beside];
    figure("wgmma.beside", what, double(found[0]) / count);
    if (beside != Nothing)
      figure("wgmma.besideMoved", what, double(found[2]) / found[1], "B/clk");
  }
}

template <int N, int Kind, bool Registers>
void measure(const char *format, Buffer<uint32_t> &out, Buffer<float> &sink) {
  for (int warpGroups : {1, 2, 3}) {
    if (warpGroups > 2 && N == 256)
      continue;
    auto clocks = [&](int count, int groups) {
      launch(products<N, Kind, Registers>, 1, 128 * warpGroups, 96 * 1024, count, groups, out.data,
             sink.data);
      finish();
      return double(out.read()[warpGroups - 1]);
    };
    std::string what = std::string(format) + (Registers ? " RS" : " SS") + ", n " +
                       std::to_string(N) + ", " + std::to_string(warpGroups) + " warp groups";
    figure("wgmma.each", what, (clocks(256, 1) - clocks(64, 1)) / 192);
    for (int count : {1, 2, 4, 8})
      figure("wgmma.group", what + ", " + std::to_string(count) + " products and a wait",
             (clocks(count, 33) - clocks(count, 1)) / 32);
  }
}

template <int N> void widths(Buffer<uint32_t> &out, Buffer<float> &sink) {
  measure<N, F16, false>("f16", out, sink);
  measure<N, F16, true>("f16", out, sink);
  measure<N, Tf32, false>("tf32", out, sink);
  measure<N, F8, false>("e4m3", out, sink);
}

int main(int argc, char **argv) {
  Buffer<uint32_t> out(1024);
  Buffer<float> sink(1024);
  return runBenchmarks(argc, argv,
                       {{"products",
                         [&] {
                           widths<8>(out, sink);
                           widths<16>(out, sink);
                           widths<32>(out, sink);
                           widths<64>(out, sink);
                           widths<128>(out, sink);
                           widths<256>(out, sink);
                         }},
                        {"beside", [&] {
                           Buffer<uint16_t> source(4096 * 64);
                           CUtensorMap map = tensorMap(source.data, 4096, 64, 64);
                           measureBeside<0, false>(out, sink, map);
                           measureBeside<64, false>(out, sink, map);
                           measureBeside<128, false>(out, sink, map);
                           measureBeside<256, false>(out, sink, map);
                           measureBeside<64, true>(out, sink, map);
                           measureBeside<128, true>(out, sink, map);
                         }}});
}
