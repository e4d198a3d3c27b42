// Many short clusters: what their barriers, exchanges and turnaround cost while the chip is full.
#include "Device.cuh"

enum Sync { None, Relaxed, Release };
constexpr int Phases = 5; // barrier, loads, exchanges, second barrier, stores
constexpr int Row = Phases + 2;

struct Work {
  int sync;      // of the cluster barrier that comes first
  int exchanges; // of a word with every CTA of the cluster, each behind the one before
  int chunks;    // of 16 bytes that a thread loads and stores
  int last;      // a cluster barrier before the stores
};

__device__ void clusterBarrier(int sync) {
  if (sync == Release)
    clusterSync();
  else if (sync == Relaxed)
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::
                     : "memory");
}

__global__ void __launch_bounds__(1024)
    shortCluster(Work work, int size, const uint4 *in, uint4 *out, uint64_t *rows) {
  __shared__ uint64_t barrier[2];
  __shared__ uint32_t words[2][16];
  uint64_t begun = nanoseconds();
  uint32_t at[Phases + 1];
  at[0] = clockNow();
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) {
      barrierInit(&barrier[i], 1);
      barrierInitVisible();
      expect(&barrier[i], 4 * size);
    }
  }
  __syncthreads();
  clusterBarrier(work.sync);
  at[1] = clockNow();
  uint4 value[4]{};
  size_t base = size_t(blockIdx.x) * blockDim.x * work.chunks + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (i < work.chunks)
      value[i] = in[base + size_t(i) * blockDim.x];
  uint32_t sum = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    sum += value[i].x ^ value[i].y ^ value[i].z ^ value[i].w;
  sum = __syncthreads_count(sum & 1);
  at[2] = clockNow();
  for (int e = 0; e < work.exchanges; ++e) {
    if (int(threadIdx.x) < size)
      asm volatile(
          "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
              mapRemote(&words[e][clusterRank()], threadIdx.x)),
          "r"(sum), "r"(mapRemote(&barrier[e], threadIdx.x))
          : "memory");
    wait(&barrier[e], 0);
    for (int i = 0; i < size; ++i)
      sum += words[e][i];
  }
  at[3] = clockNow();
  if (work.last)
    clusterSync();
  at[4] = clockNow();
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (i < work.chunks) {
      value[i].x += sum;
      out[base + size_t(i) * blockDim.x] = value[i];
    }
  at[5] = clockNow();
  if (threadIdx.x == 0) {
    uint64_t *row = rows + size_t(blockIdx.x) * Row;
    for (int i = 0; i < Phases; ++i)
      row[i] = at[i + 1] - at[i];
    row[Phases] = begun;
    row[Phases + 1] = nanoseconds();
  }
}

int main() {
  constexpr size_t Bytes = size_t(1) << 26;
  Buffer<uint4> in(Bytes / 16), out(Bytes / 16);
  Buffer<uint64_t> rows(size_t(65536) * Row);
  auto run = [&](int grid, int warps, int kib, int cluster, Work work) {
    std::vector<double> spans;
    std::vector<uint64_t> found;
    for (int r = 0; r < 5; ++r) {
      launchCluster(shortCluster, grid, warps * 32, size_t(kib) * 1024, cluster, work, cluster,
                    in.data, out.data, rows.data);
      finish();
      found = rows.read();
      uint64_t first = UINT64_MAX, last = 0;
      for (int i = 0; i < grid; ++i) {
        first = std::min(first, found[size_t(i) * Row + Phases]);
        last = std::max(last, found[size_t(i) * Row + Phases + 1]);
      }
      spans.push_back(double(last - first));
    }
    const char *syncs[] = {"no barrier", "relaxed", "release"};
    std::string what = std::to_string(grid) + " CTAs of " + std::to_string(warps) + " warps, " +
                       std::to_string(kib) + " KiB, clusters of " + std::to_string(cluster) + ", " +
                       syncs[work.sync] + ", " + std::to_string(work.exchanges) + " exchanges, " +
                       std::to_string(work.chunks * 16) + " B a thread" +
                       (work.last ? ", barrier at the end" : "");
    figure("cluster.span", what, median(spans), "ns");
    const char *names[Phases] = {"cluster.first", "cluster.loads", "cluster.exchange",
                                 "cluster.last", "cluster.stores"};
    for (int p = 0; p < Phases; ++p) {
      double sum = 0;
      for (int i = 0; i < grid; ++i)
        sum += double(found[size_t(i) * Row + p]);
      figure(names[p], what, sum / grid);
    }
  };
  auto resident = [&](int warps, int kib, int cluster) {
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {unsigned(cluster), 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = 16384;
    config.blockDim = warps * 32;
    config.dynamicSmemBytes = size_t(kib) * 1024;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaFuncSetAttribute(shortCluster, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               kib * 1024));
    int clusters = 0;
    CHECK(cudaOccupancyMaxActiveClusters(&clusters, shortCluster, &config));
    figure("cluster.resident",
           "CTAs of " + std::to_string(warps) + " warps, " + std::to_string(kib) +
               " KiB, clusters of " + std::to_string(cluster),
           clusters * cluster, "CTAs");
  };
  for (int cluster : {1, 2, 4, 8})
    for (int warps : {1, 2, 4, 8, 16})
      resident(warps, 0, cluster);
  for (int cluster : {1, 2, 4, 8})
    for (int kib : {17, 26, 54, 100, 200})
      resident(4, kib, cluster);
  for (int cluster : {1, 2, 8}) // as many CTAs as find room
    for (int warps : {1, 2, 4, 8})
      run(16384, warps, 0, cluster, {None, 0, 0, 0});
  for (int kib : {17, 26, 54}) // alone, for comparison
    run(16384, 4, kib, 1, {None, 0, 2, 0});
  run(16384, 4, 17, 1, {None, 0, 0, 0});
  for (int cluster : {2, 4, 8}) {
    run(16384, 4, 17, cluster, {None, 0, 0, 0}); // turnaround
    run(16384, 4, 17, cluster, {Relaxed, 0, 0, 0});
    run(16384, 4, 17, cluster, {Release, 0, 0, 0});
    run(16384, 4, 17, cluster, {Release, 2, 0, 0});
    for (int kib : {17, 26, 54}) {
      run(16384, 4, kib, cluster, {None, 0, 2, 0}); // streams
      run(16384, 4, kib, cluster, {Relaxed, 0, 2, 0});
      run(16384, 4, kib, cluster, {Release, 0, 2, 0});
      run(16384, 4, kib, cluster, {Release, 2, 2, 0});
      run(16384, 4, kib, cluster, {Release, 2, 2, 1});
    }
    run(8192, 4, 26, cluster, {None, 0, 4, 0});
    run(8192, 4, 26, cluster, {Release, 2, 4, 0});
    run(4096, 8, 54, cluster, {None, 0, 4, 0});
    run(4096, 8, 54, cluster, {Release, 2, 4, 0});
    run(120, 4, 26, cluster, {Release, 2, 4, 1}); // all at once
    run(960, 4, 26, cluster, {Release, 2, 4, 1});
  }
}
