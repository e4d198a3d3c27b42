// Launches of kernels that do nothing, or wait: run under ncu, which counts their
// elapsed cycles; its table has one row for each line that this program prints.
#include "Device.cuh"

__global__ void waits(uint32_t clocks, uint32_t *out) {
  extern __shared__ char unused[];
  uint32_t begin = clockNow();
  while (clockNow() - begin < clocks)
    ;
  if (clocks == 0xffffffff)
    out[0] = unused[0];
}

/// Many registers: fewer CTAs fit.
__global__ void __launch_bounds__(1024) writesOnce(uint32_t *out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

/// All CTAs store to the same lines, once: the values (0), or what all have loaded from other lines.
template <typename T> __global__ void writesSame(int loads, const T *in, T *out) {
  T value = loads ? in[threadIdx.x] : T();
  out[threadIdx.x] = value;
}

int main() {
  Buffer<uint32_t> out(size_t(1) << 26);
  auto run = [&](int grid, int warps, int kib, int cluster, uint32_t clocks) {
    for (int r = 0; r < 2; ++r) {
      launchCluster(waits, grid, warps * 32, size_t(kib) * 1024, cluster, clocks, out.data);
      finish();
      figure("launch",
             std::to_string(grid) + " CTAs of " + std::to_string(warps) + " warps, " +
                 std::to_string(kib) + " KiB, clusters of " + std::to_string(cluster),
             clocks, "clk waited");
    }
  };
  for (int warps : {1, 4, 8, 12, 32})
    run(1, warps, 0, 1, 0);
  for (int kib : {1, 16, 32, 64, 100, 164, 200, 227})
    run(1, 4, kib, 1, 0);
  for (int grid : {2, 16, 132, 264, 1320, 13200})
    for (int warps : {1, 4, 8})
      run(grid, warps, 0, 1, 0);
  for (int grid : {132, 264, 1320})
    for (int warps : {4, 12})
      for (int kib : {0, 200})
        run(grid, warps, kib, 1, 3000);
  for (int cluster : {2, 4, 8})
    for (int grid : {8, 128, 1280})
      for (int kib : {0, 200})
        run(grid, 4, kib, cluster, 3000);
  for (int warps : {1, 2, 4, 8, 32})
    for (int grid : {1, 132, 4096, 65536}) {
      launch(writesOnce, grid, 32 * warps, 0, out.data);
      finish();
      figure("launch.writes", std::to_string(grid) + " CTAs of " + std::to_string(warps) + " warps",
             0, "clk waited");
    }
  auto same = [&](auto zero, const char *type) {
    using T = decltype(zero);
    for (int loads : {0, 1})
      for (int warps : {1, 4})
        for (int grid : {1, 16, 128, 512, 4096}) {
          for (int r = 0; r < 2; ++r)
            launch(writesSame<T>, grid, 32 * warps, 0, loads, reinterpret_cast<T *>(out.data),
                   reinterpret_cast<T *>(out.data + (1 << 20)));
          finish();
          for (int r = 0; r < 2; ++r)
            figure("launch.writesSame",
                   std::to_string(grid) + " CTAs of " + std::to_string(warps) + " warps, " + type +
                       (loads ? " loaded" : ""),
                   0, "clk waited");
        }
  };
  same(uint8_t(0), "8 bits");
  same(uint16_t(0), "16 bits");
  same(uint32_t(0), "32 bits");
  same(uint4{}, "128 bits");
}
