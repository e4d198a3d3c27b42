// The bulk copy engine: latency and rate of loads and stores by size of box and
// bytes in flight, first use of a map, multicast.
#include "Device.cuh"

constexpr int Samples = 33;
constexpr int MostStages = 24;

/// One box at a time, from issue to arrival. `spread`: another box each time.
__global__ void loadLatency(__grid_constant__ const CUtensorMap map, int boxRows, int spread,
                            int parts, uint32_t *out) {
  __shared__ uint64_t barrier;
  char *to = alignedShared();
  if (threadIdx.x == 0) {
    barrierInit(&barrier, 1);
    barrierInitVisible();
  }
  __syncthreads();
  if (threadIdx.x)
    return;
  for (int r = 0; r < Samples; ++r) {
    int row = spread ? (r * 37 & 63) * boxRows : 0;
    uint32_t begin = clockNow();
    expect(&barrier, parts * boxRows * 128);
    for (int p = 0; p < parts; ++p)
      tmaLoad(&map, to + p * boxRows * 128, &barrier, 64 * p, row);
    uint32_t issued = clockNow();
    wait(&barrier, r & 1);
    out[2 * r] = clockNow() - begin;
    out[2 * r + 1] = issued - begin;
  }
}

/// Loads with `stages` copies in flight; every CTA its own rows. Clocks, and
/// nanoseconds to tell the clock by.
__global__ void loadRate(__grid_constant__ const CUtensorMap map, int boxRows, int stages,
                         int copies, int rows, uint32_t *out) {
  __shared__ uint64_t barrier[MostStages];
  char *to = alignedShared();
  int bytes = boxRows * 128;
  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; ++s)
      barrierInit(&barrier[s], 1);
    barrierInitVisible();
  }
  __syncthreads();
  if (threadIdx.x)
    return;
  int span = rows / int(gridDim.x) / boxRows * boxRows, base = int(blockIdx.x) * span;
  uint64_t started = nanoseconds();
  uint32_t begin = clockNow();
  int row = 0;
  for (int s = 0; s < stages; ++s, row += boxRows) {
    expect(&barrier[s], bytes);
    tmaLoad(&map, to + s * bytes, &barrier[s], 0, base + row);
  }
  int s = 0, phase = 0;
  for (int i = 0; i < copies; ++i) {
    wait(&barrier[s], phase);
    if (i + stages < copies) {
      expect(&barrier[s], bytes);
      tmaLoad(&map, to + s * bytes, &barrier[s], 0, base + row);
      row = row + boxRows < span ? row + boxRows : 0;
    }
    if (++s == stages)
      s = 0, phase ^= 1;
  }
  out[2 * blockIdx.x] = clockNow() - begin;
  out[2 * blockIdx.x + 1] = uint32_t(nanoseconds() - started);
}

__global__ void storeLatency(__grid_constant__ const CUtensorMap map, int boxRows, int parts,
                             uint32_t *out) {
  char *from = alignedShared();
  if (threadIdx.x)
    return;
  fenceProxy();
  for (int r = 0; r < Samples; ++r) {
    uint32_t begin = clockNow();
    for (int p = 0; p < parts; ++p)
      tmaStore(&map, from + p * boxRows * 128, 64 * p, (r % 16) * boxRows);
    storeCommit();
    storeWaitRead<0>();
    uint32_t read = clockNow();
    storeWait<0>();
    out[2 * r] = read - begin;
    out[2 * r + 1] = clockNow() - begin;
  }
}

/// Stores with at most 4 copies in flight, sources read at the end.
__global__ void storeRate(__grid_constant__ const CUtensorMap map, int boxRows, int parts,
                          int copies, int rows, uint32_t *out) {
  char *from = alignedShared();
  if (threadIdx.x)
    return;
  fenceProxy();
  int span = rows / gridDim.x / boxRows, base = blockIdx.x * span * boxRows;
  uint32_t begin = clockNow();
  for (int i = 0, row = 0; i < copies; ++i) {
    for (int p = 0; p < parts; ++p)
      tmaStore(&map, from + ((i & 3) * parts + p) * boxRows * 128, 64 * p, base + row);
    row = row + boxRows < span * boxRows ? row + boxRows : 0;
    storeCommit();
    storeWaitRead<3>();
  }
  storeWaitRead<0>();
  uint32_t read = clockNow() - begin;
  storeWait<0>();
  out[2 * blockIdx.x] = read;
  out[2 * blockIdx.x + 1] = clockNow() - begin;
}

/// The first use of a map by an SM, and one behind a prefetch, against a later one.
__global__ void firstUse(__grid_constant__ const CUtensorMap a,
                         __grid_constant__ const CUtensorMap b, uint32_t *out) {
  __shared__ uint64_t barrier;
  char *to = alignedShared();
  if (threadIdx.x)
    return;
  barrierInit(&barrier, 1);
  barrierInitVisible();
  uint32_t phase = 0;
  auto once = [&](const CUtensorMap *map) {
    uint32_t begin = clockNow();
    expect(&barrier, 8 * 128);
    tmaLoad(map, to, &barrier, 0, 0);
    wait(&barrier, phase);
    phase ^= 1;
    return clockNow() - begin;
  };
  out[0] = once(&a);
  out[1] = once(&a);
  asm volatile("prefetch.tensormap [%0];" ::"l"(&b) : "memory");
  for (uint32_t begin = clockNow(); clockNow() - begin < 3000;)
    ;
  out[2] = once(&b);
  out[3] = once(&b);
}

/// Every CTA of a cluster loads its share of a tile, for itself or for all.
__global__ void multicast(__grid_constant__ const CUtensorMap map, int boxRows, int stages,
                          int copies, int rows, int toAll, uint32_t *out) {
  __shared__ uint64_t full[MostStages], empty[MostStages];
  char *to = alignedShared();
  uint32_t rank = clusterRank(), size = gridDim.x < 8 ? gridDim.x : 2;
  uint32_t share = toAll ? boxRows / size : boxRows;
  uint32_t cluster = blockIdx.x / size, clusters = gridDim.x / size;
  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; ++s) {
      barrierInit(&full[s], 1);
      barrierInit(&empty[s], toAll ? size : 1);
    }
    barrierInitVisible();
  }
  clusterSync();
  int span = rows / int(clusters) / boxRows, base = int(cluster) * span * boxRows;
  uint32_t begin = clockNow();
  if (threadIdx.x == 0) { // producer
    for (int i = 0; i < copies; ++i) {
      int s = i % stages;
      if (i >= stages)
        wait(&empty[s], (i / stages - 1) & 1);
      expect(&full[s], boxRows * 128);
      int row = base + i % span * boxRows;
      char *slot = to + s * boxRows * 128;
      if (toAll)
        tmaLoadMulticast(&map, slot + rank * share * 128, &full[s], 0, row + int(rank * share),
                         uint16_t((1u << size) - 1));
      else
        tmaLoad(&map, slot, &full[s], 0, row);
    }
  } else if (threadIdx.x == 32) { // consumer
    for (int i = 0; i < copies; ++i) {
      int s = i % stages;
      wait(&full[s], (i / stages) & 1);
      if (toAll)
        for (uint32_t peer = 0; peer < size; ++peer)
          arriveRemote(mapRemote(&empty[s], peer));
      else
        arrive(&empty[s]);
    }
    out[blockIdx.x] = clockNow() - begin;
  }
  clusterSync();
}

int main(int argc, char **argv) {
  constexpr int Columns = 1024;
  Buffer<uint32_t> out(4096);
  int sms = 0;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  size_t largeRows = size_t(1) << 25; // 4 GiB: misses L2
  auto halves = [&](int from, int count, int stride) {
    std::vector<uint32_t> all = out.read();
    std::vector<double> some;
    for (int i = 0; i < count; ++i)
      some.push_back(all[from + i * stride]);
    return some;
  };
  auto sizeText = [](int bytes) {
    return bytes % 1024 ? std::to_string(bytes) + " B" : std::to_string(bytes / 1024) + " KiB";
  };
  constexpr size_t Shared = 225 * 1024;
  return runBenchmarks(
      argc, argv,
      {{"load-latency",
        [&] {
          Buffer<uint16_t> data(size_t(16384) * Columns);
          for (int boxRows : {8, 16, 32, 64, 128, 256})
            for (int parts : {1, 2, 4}) {
              if (parts > 1 && boxRows < 64)
                continue;
              CUtensorMap map = tensorMap(data.data, 16384, Columns, boxRows);
              for (int spread : {0, 1}) {
                for (int warm = 0; warm < 2; ++warm)
                  launch(loadLatency, 1, 32, Shared, map, boxRows, spread, parts, out.data);
                finish();
                std::string what = std::to_string(parts) + " x " + sizeText(boxRows * 128) +
                                   (spread ? ", boxes by turns" : ", one box");
                figure("tma.load", what, median(halves(2, Samples - 1, 2)));
                if (spread)
                  figure("tma.issue", what, median(halves(3, Samples - 1, 2)) / parts);
              }
            }
        }},
       {"first-use",
        [&] {
          Buffer<uint16_t> data(size_t(1024) * Columns);
          CUtensorMap a = tensorMap(data.data, 1024, Columns, 8);
          std::vector<double> all[4];
          for (int r = 0; r < 9; ++r) {
            launch(firstUse, 1, 32, Shared, a, a, out.data);
            finish();
            for (int i = 0; i < 4; ++i)
              all[i].push_back(out.read()[i]);
          }
          const char *names[] = {"first", "second", "behind a prefetch",
                                 "second behind a prefetch"};
          for (int i = 0; i < 4; ++i)
            figure("tma.firstUse", names[i], median(all[i]));
        }},
       {"load-rate",
        [&] {
          for (int where = 0; where < 3; ++where) { // one SM, all SMs from L2, all from memory
            size_t rows = where == 0 ? 8192 : where == 1 ? 65536 : largeRows;
            Buffer<uint16_t> data(rows * 64);
            for (int boxRows : {8, 32, 64, 128, 256})
              for (int stages : {1, 2, 4, 6, 8, 12, 24}) {
                int bytes = boxRows * 128;
                if (stages * bytes > 212 * 1024 || (where == 2 && (boxRows < 64 || stages > 12)))
                  continue;
                CUtensorMap map = tensorMap(data.data, rows, 64, boxRows);
                int grid = where ? sms : 1, copies = where == 2 ? 512 : 1024;
                for (int warm = 0; warm < 2; ++warm)
                  launch(loadRate, grid, 32, Shared, map, boxRows, stages, copies, int(rows),
                         out.data);
                finish();
                std::string what = std::string(where == 0   ? "one SM"
                                               : where == 1 ? "all SMs from L2"
                                                            : "all SMs from memory") +
                                   ", " + std::to_string(stages) + " x " + sizeText(bytes);
                figure("tma.loadRate", what, double(copies) * bytes / median(halves(0, grid, 2)),
                       "B/clk/SM");
                if (grid > 1)
                  figure("clock", what,
                         1e3 * median(halves(0, grid, 2)) / median(halves(1, grid, 2)), "MHz");
              }
          }
        }},
       {"store",
        [&] {
          Buffer<uint16_t> data(size_t(65536) * Columns);
          for (int boxRows : {8, 32, 64, 128, 256})
            for (int parts : {1, 2}) {
              if (parts > 1 && boxRows < 64)
                continue;
              CUtensorMap map = tensorMap(data.data, 65536, Columns, boxRows);
              std::string what = std::to_string(parts) + " x " + sizeText(boxRows * 128);
              launch(storeLatency, 1, 32, Shared, map, boxRows, parts, out.data);
              finish();
              figure("tma.store.read", what, median(halves(2, Samples - 1, 2)));
              figure("tma.store.done", what, median(halves(3, Samples - 1, 2)));
              if (4 * parts * boxRows * 128 > 212 * 1024)
                continue;
              for (int grid : {1, sms}) {
                for (int warm = 0; warm < 2; ++warm)
                  launch(storeRate, grid, 32, Shared, map, boxRows, parts, 256, 65536, out.data);
                finish();
                figure("tma.storeRate", std::string(grid == 1 ? "one SM, " : "all SMs, ") + what,
                       256.0 * parts * boxRows * 128 / median(halves(0, grid, 2)), "B/clk/SM");
              }
            }
        }},
       {"multicast", [&] {
          Buffer<uint16_t> data(size_t(16384) * Columns);
          for (int boxRows : {64, 128, 256})
            for (int stages : {1, 4})
              for (int toAll : {0, 1})
                for (int grid : {2, 4, 132}) {
                  if (stages * boxRows * 128 > 212 * 1024)
                    continue;
                  int size = grid < 8 ? grid : 2;
                  CUtensorMap map =
                      tensorMap(data.data, 16384, Columns, toAll ? boxRows / size : boxRows);
                  for (int warm = 0; warm < 2; ++warm)
                    launchCluster(multicast, grid, 64, Shared, size, map, boxRows, stages, 512,
                                  8192, toAll, out.data);
                  finish();
                  figure(toAll ? "tma.multicast" : "tma.unicast",
                         std::to_string(grid) + " CTAs in clusters of " + std::to_string(size) +
                             ", " + std::to_string(stages) + " x " + sizeText(boxRows * 128),
                         median(halves(0, grid, 1)) / 512);
                }
        }}});
}
