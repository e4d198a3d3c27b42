//===- Device.cuh - what the microbenchmarks share ------------------------===//
//
// PTX in words, tensor maps, a figure as one line of JSON:
//
//   {"figure": "mbarrier.handoff", "case": "1 thread", "value": 61.5, "unit": "clk"}
//
// A figure of a loop is the median over repetitions; clocks are the SM's own.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>
#include <functional>
#include <string>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t status = (call);                                                                   \
    if (status != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: error: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));  \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

// --- Host -----------------------------------------------------------------------

inline void figure(const std::string &name, const std::string &what, double value,
                   const char *unit = "clk") {
  std::printf("{\"figure\": \"%s\", \"case\": \"%s\", \"value\": %.3f, \"unit\": \"%s\"}\n",
              name.c_str(), what.c_str(), value, unit);
  std::fflush(stdout);
}

/// Cycles that `begin` (0) and `end` (1) of every line leave between the first and the last.
inline double spanOf(const std::vector<uint32_t> &pairs, int count) {
  uint32_t first = pairs[0], last = pairs[1];
  for (int i = 1; i < count; ++i) {
    first = int(pairs[2 * i] - first) < 0 ? pairs[2 * i] : first;
    last = int(pairs[2 * i + 1] - last) > 0 ? pairs[2 * i + 1] : last;
  }
  return last - first;
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

/// Device memory, filled with bytes that are no special values.
template <typename T> struct Buffer {
  T *data = nullptr;
  size_t count;
  explicit Buffer(size_t count, int fill = 0x3c) : count(count) {
    CHECK(cudaMalloc(&data, count * sizeof(T)));
    CHECK(cudaMemset(data, fill, count * sizeof(T)));
  }
  ~Buffer() { cudaFree(data); }
  Buffer(const Buffer &) = delete;
  std::vector<T> read() const {
    std::vector<T> host(count);
    CHECK(cudaMemcpy(host.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }
};

inline void finish() {
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
}

template <typename... Params, typename... Args>
void launchCluster(void (*kernel)(Params...), int grid, int block, size_t shared, int cluster,
                   Args... args) {
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared)));
  if (cluster > 8)
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {unsigned(cluster), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.attrs = &attribute;
  config.numAttrs = cluster > 1; // a cluster of one is another way to launch
  CHECK(cudaLaunchKernelEx(&config, kernel, Params(args)...));
}

template <typename... Params, typename... Args>
void launch(void (*kernel)(Params...), int grid, int block, size_t shared, Args... args) {
  launchCluster(kernel, grid, block, shared, 1, args...);
}

/// A map of rows x columns 16-bit elements, boxes of boxRows x 64 with the 128 B swizzle.
inline CUtensorMap tensorMap(void *base, uint64_t rows, uint64_t columns, uint32_t boxRows) {
  using Encode = CUresult (*)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                              const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                              const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                              CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
  static Encode encode = [] {
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000,
                                           cudaEnableDefault, &found));
    return Encode(entry);
  }();
  CUtensorMap map;
  cuuint64_t shape[2] = {columns, rows}, pitch[1] = {columns * 2};
  cuuint32_t box[2] = {64, boxRows}, step[2] = {1, 1};
  CUresult result = encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, base, shape, pitch, box, step,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    std::fprintf(stderr, "error: no tensor map: %d\n", int(result));
    std::exit(1);
  }
  return map;
}

/// Runs the benchmarks named on the command line, or all.
struct Benchmark {
  const char *name;
  std::function<void()> run;
};
inline int runBenchmarks(int argc, char **argv, const std::vector<Benchmark> &all) {
  for (const Benchmark &benchmark : all) {
    bool wanted = argc < 2;
    for (int i = 1; i < argc; ++i)
      wanted |= std::string(argv[i]) == benchmark.name;
    if (wanted)
      benchmark.run();
  }
  return 0;
}

// --- Device ---------------------------------------------------------------------

__device__ inline uint32_t sharedAddress(const void *pointer) {
  return uint32_t(__cvta_generic_to_shared(pointer));
}
__device__ inline uint32_t clockNow() {
  uint32_t value;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(value)::"memory");
  return value;
}
__device__ inline uint64_t nanoseconds() {
  uint64_t value;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value)::"memory");
  return value;
}
__device__ inline uint32_t smId() {
  uint32_t value;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(value));
  return value;
}
__device__ inline uint32_t clusterRank() {
  uint32_t value;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(value));
  return value;
}
__device__ inline void barrierInit(uint64_t *barrier, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sharedAddress(barrier)), "r"(count)
               : "memory");
}
__device__ inline void barrierInitVisible() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async;" ::: "memory");
}
__device__ inline void arrive(uint64_t *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(sharedAddress(barrier)) : "memory");
}
__device__ inline void expect(uint64_t *barrier, uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sharedAddress(barrier)),
      "r"(bytes)
      : "memory");
}
__device__ inline void wait(uint64_t *barrier, uint32_t phase) {
  asm volatile("{\n .reg .pred done;\n"
               "again:\n mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
               " @!done bra again;\n}" ::"r"(sharedAddress(barrier)),
               "r"(phase)
               : "memory");
}
__device__ inline uint32_t mapRemote(const void *pointer, uint32_t rank) {
  uint32_t remote;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(remote)
               : "r"(sharedAddress(pointer)), "r"(rank));
  return remote;
}
__device__ inline void arriveRemote(uint32_t remoteBarrier) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remoteBarrier)
               : "memory");
}
__device__ inline void clusterSync() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
__device__ inline void fenceProxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ inline void tmaLoad(const CUtensorMap *map, void *to, uint64_t *barrier, int column,
                               int row) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
               " [%0], [%1, {%3, %4}], [%2];" ::"r"(sharedAddress(to)),
               "l"(map), "r"(sharedAddress(barrier)), "r"(column), "r"(row)
               : "memory");
}
__device__ inline void tmaLoadMulticast(const CUtensorMap *map, void *to, uint64_t *barrier,
                                        int column, int row, uint16_t mask) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
               ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(sharedAddress(to)),
               "l"(map), "r"(sharedAddress(barrier)), "r"(column), "r"(row), "h"(mask)
               : "memory");
}
__device__ inline void tmaStore(const CUtensorMap *map, const void *from, int column, int row) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
      "r"(sharedAddress(from)), "r"(column), "r"(row)
      : "memory");
}
__device__ inline void storeCommit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int N> __device__ inline void storeWaitRead() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}
template <int N> __device__ inline void storeWait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(N) : "memory");
}
/// 1024-byte aligned dynamic shared memory, as the 128 B swizzle wants it.
__device__ inline char *alignedShared() {
  extern __shared__ char dynamicShared[];
  return dynamicShared + ((1024 - (sharedAddress(dynamicShared) & 1023)) & 1023);
}
