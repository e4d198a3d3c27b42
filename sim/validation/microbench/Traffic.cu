// How requests of several SMs for the same data are merged on their way to L2,
// seen by a profiler that counts L2's bytes: run under ncu, whose table has one row
// for each line that this program prints.
//
// CTAs sit on an SM each. `stream[sm]` says which data an SM reads, `delay[sm]` how
// long after the common start; a copy of 16 KiB is issued every `pace` clocks.
#include "Device.cuh"

#include <map>
#include <numeric>

constexpr int Stages = 8, BoxRows = 128, Rows = 2048; // 16 KiB boxes, 256 KiB streams
constexpr int MostStages = 8;

__global__ void sharedReads(__grid_constant__ const CUtensorMap map, const int *stream,
                            const int *delay, int pace, int copies, int rows, int boxRows,
                            unsigned long long *start, unsigned *arrived) {
  __shared__ uint64_t barrier[Stages];
  char *to = alignedShared();
  if (threadIdx.x)
    return;
  for (int s = 0; s < Stages; ++s)
    barrierInit(&barrier[s], 1);
  barrierInitVisible();
  int sm = int(smId()), mine = stream[sm];
  // All are there; the last one sets the start.
  if (atomicAdd(arrived, 1u) == gridDim.x - 1)
    atomicExch(start, (unsigned long long)(nanoseconds() + 20000));
  unsigned long long at;
  while (!(at = *(volatile unsigned long long *)start))
    ;
  while (nanoseconds() < at)
    ;
  uint32_t begin = clockNow() + delay[sm];
  if (mine < 0)
    return;
  for (int i = 0; i < copies; ++i) {
    int s = i % Stages;
    if (i >= Stages)
      wait(&barrier[s], (i / Stages - 1) & 1);
    while (int(clockNow() - (begin + uint32_t(i) * pace)) < 0)
      ;
    expect(&barrier[s], boxRows * 128);
    tmaLoad(&map, to + s * BoxRows * 128, &barrier[s], 0, mine * rows + i * boxRows % rows);
  }
  for (int i = copies; i < copies + Stages; ++i)
    wait(&barrier[i % Stages], (i / Stages - 1) & 1);
}

/// A cluster's CTAs read one tile each, or one together by multicast.
__global__ void clusterReads(__grid_constant__ const CUtensorMap map, int toAll, int copies) {
  __shared__ uint64_t barrier;
  char *to = alignedShared();
  uint32_t rank = clusterRank();
  if (threadIdx.x == 0) {
    barrierInit(&barrier, 1);
    barrierInitVisible();
  }
  clusterSync();
  int row = int(blockIdx.x / 2) * Rows;
  for (int i = 0; i < copies; ++i) {
    if (threadIdx.x == 0) {
      expect(&barrier, BoxRows * 128);
      if (toAll)
        tmaLoadMulticast(&map, to + rank * 8192, &barrier, 0,
                         row + i * BoxRows % Rows + int(rank) * 64, 3);
      else
        for (int half = 0; half < 2; ++half)
          tmaLoad(&map, to + half * 8192, &barrier, 0, row + i * BoxRows % Rows + half * 64);
      wait(&barrier, i & 1);
    }
    clusterSync();
  }
}

/// The loads of a matrix product whose tiles are 128 `m` x 128 `n`, in groups of 8
/// tile rows, by persistent CTAs; a step of 64 takes `pace` clocks once its data are there.
__global__ void productReads(__grid_constant__ const CUtensorMap a,
                             __grid_constant__ const CUtensorMap b, int m, int n, int extent,
                             int stages, int pace) {
  __shared__ uint64_t barrier[MostStages];
  char *to = alignedShared();
  if (threadIdx.x)
    return;
  for (int s = 0; s < stages; ++s)
    barrierInit(&barrier[s], 1);
  barrierInitVisible();
  int steps = extent / 64, bytes = (m + n) * 16384;
  int tilesM = extent / (128 * m), tilesN = extent / (128 * n), tiles = tilesM * tilesN;
  int issueTile = int(blockIdx.x), issueStep = 0, issueStage = 0;
  auto issue = [&] {
    if (issueTile >= tiles)
      return;
    int band = issueTile / (8 * tilesN), inBand = issueTile % (8 * tilesN);
    int high = min(8, tilesM - 8 * band);
    int tileM = 8 * band + inBand % high, tileN = inBand / high;
    char *slot = to + issueStage * bytes;
    expect(&barrier[issueStage], bytes);
    for (int i = 0; i < m; ++i)
      tmaLoad(&a, slot + i * 16384, &barrier[issueStage], 64 * issueStep, (tileM * m + i) * 128);
    for (int i = 0; i < n; ++i)
      tmaLoad(&b, slot + (m + i) * 16384, &barrier[issueStage], 64 * issueStep,
              (tileN * n + i) * 128);
    if (++issueStage == stages)
      issueStage = 0;
    if (++issueStep == steps)
      issueStep = 0, issueTile += int(gridDim.x);
  };
  for (int s = 0; s < stages; ++s)
    issue();
  uint32_t free = clockNow();
  int stage = 0, phase = 0;
  for (int tile = int(blockIdx.x); tile < tiles; tile += int(gridDim.x))
    for (int step = 0; step < steps; ++step) {
      wait(&barrier[stage], phase);
      uint32_t now = clockNow();
      free = (int(now - free) > 0 ? now : free) + uint32_t(pace);
      while (int(clockNow() - free) < 0)
        ;
      issue();
      if (++stage == stages)
        stage = 0, phase ^= 1;
    }
}

__global__ void whoIsWhere(uint32_t *out) {
  if (threadIdx.x == 0)
    out[blockIdx.x] = smId();
}

int main() {
  int sms = 0;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  Buffer<uint16_t> data(size_t(sms) * Rows * 64);
  constexpr int ColdRows = 8192; // 1 MiB for each SM, read once: not in L2
  Buffer<uint16_t> large(size_t(sms) * ColdRows * 64);
  CUtensorMap halves = tensorMap(data.data, uint64_t(sms) * Rows, 64, 64);
  Buffer<uint32_t> where(4096);

  // CTAs of a cluster share a GPC: joined over many placements, GPCs come out.
  std::vector<int> gpc(sms);
  std::iota(gpc.begin(), gpc.end(), 0);
  std::function<int(int)> find = [&](int i) { return gpc[i] == i ? i : gpc[i] = find(gpc[i]); };
  for (int size : {16, 8, 4, 2})
    for (int round = 0; round < 2; ++round) {
      int grid = sms / size * size;
      launchCluster(whoIsWhere, grid, 32, 100 * 1024, size, where.data);
      finish();
      std::vector<uint32_t> ids = where.read();
      for (int i = 0; i < grid; ++i)
        gpc[find(int(ids[i]))] = find(int(ids[i / size * size]));
    }
  std::map<int, std::vector<int>> members;
  for (int sm = 0; sm < sms; ++sm)
    members[find(sm)].push_back(sm);
  for (int kib : {100, 200})
    for (int cluster : {1, 2}) {
      launchCluster(whoIsWhere, 2 * sms, 32, size_t(kib) * 1024, cluster, where.data);
      finish();
      std::vector<uint32_t> ids = where.read();
      std::string text;
      for (int i = 0; i < 2 * sms; ++i)
        text += std::to_string(ids[i]) + " ";
      figure("placement", text, kib, cluster > 1 ? "KiB, clusters of 2" : "KiB");
    }
  std::vector<std::vector<int>> gpcs;
  for (auto &[root, list] : members) {
    gpcs.push_back(list);
    std::string text;
    for (int sm : list)
      text += std::to_string(sm) + " ";
    figure("gpc", text, double(list.size()), "SMs");
  }
  std::sort(gpcs.begin(), gpcs.end(), [](auto &a, auto &b) { return a.size() > b.size(); });

  Buffer<int> stream(sms), delay(sms);
  Buffer<unsigned long long> start(1, 0);
  Buffer<unsigned> arrived(1, 0);
  std::vector<int> streams(sms), delays(sms, 0);
  constexpr int Copies = 64;
  auto run = [&](const std::string &what, int pace, int boxRows = BoxRows, bool cold = false) {
    int readers = 0;
    for (int s : streams)
      readers += s >= 0;
    CHECK(cudaMemcpy(stream.data, streams.data(), sms * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(delay.data, delays.data(), sms * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(start.data, 0, 8));
    CHECK(cudaMemset(arrived.data, 0, 4));
    CUtensorMap boxes = tensorMap(cold ? large.data : data.data,
                                  uint64_t(sms) * (cold ? ColdRows : Rows), 64, boxRows);
    launch(sharedReads, sms, 32, 200 * 1024, boxes, stream.data, delay.data, pace, Copies,
           cold ? ColdRows : Rows, boxRows, start.data, arrived.data);
    finish();
    figure("traffic",
           what + (cold ? " from memory" : "") + ", boxes of " + std::to_string(boxRows / 8) +
               " KiB, pace " + std::to_string(pace),
           double(readers) * Copies * boxRows * 128, "B asked");
  };
  auto none = [&] {
    std::fill(streams.begin(), streams.end(), -1), std::fill(delays.begin(), delays.end(), 0);
  };
  for (int pace : {300, 2000}) {
    std::iota(streams.begin(), streams.end(), 0);
    run("every SM its own", pace);
    run("every SM its own", pace);
    std::fill(streams.begin(), streams.end(), 0);
    run("all SMs one", pace);
    for (size_t g = 0; g < gpcs.size(); ++g)
      for (int sm : gpcs[g])
        streams[sm] = int(g);
    run("one for each GPC", pace);
    for (int i = 0; i < sms; ++i)
      streams[i] = i / 2;
    run("pairs of neighbours", pace);
    for (auto &list : gpcs)
      for (size_t i = 0; i < list.size(); ++i)
        streams[list[i]] = list[i / 4 * 4];
    run("fours of a GPC", pace);
    none();
    for (auto &list : gpcs)
      streams[list[0]] = 0;
    run("one SM of each GPC, one stream", pace);
  }
  // Who merges with the first SM of a GPC.
  const std::vector<int> &big = gpcs[0];
  for (size_t i = 1; i < big.size(); ++i) {
    none();
    streams[big[0]] = streams[big[i]] = 0;
    run("two of a GPC, members 0 and " + std::to_string(i), 2000);
  }
  for (size_t k : {size_t(3), size_t(4), size_t(6), size_t(8), size_t(12), big.size()}) {
    none();
    for (size_t i = 0; i < std::min(k, big.size()); ++i)
      streams[big[i]] = 0;
    run(std::to_string(k) + " of a GPC", 2000);
  }
  none();
  streams[gpcs[0][0]] = streams[gpcs[1][0]] = 0;
  run("two of two GPCs", 2000);
  // The second SM of every pair later by so many clocks.
  auto pairs = [&](int late) {
    for (auto &list : gpcs)
      for (size_t i = 0; i < list.size(); ++i) {
        streams[list[i]] = list[i / 2 * 2];
        delays[list[i]] = i % 2 ? late : 0;
      }
  };
  for (int late : {0, 25, 50, 75, 100, 125, 150, 200, 300, 600, 3000}) {
    pairs(late);
    run("pairs, the second " + std::to_string(late) + " later", 2000);
    run("pairs, the second " + std::to_string(late) + " later", 2000, 32);
    run("pairs, the second " + std::to_string(late) + " later", 2000, BoxRows, true);
  }
  for (int late : {0, 50, 100, 200, 400, 800}) {
    pairs(late);
    run("pairs, the second " + std::to_string(late) + " later", 400);
    run("pairs, the second " + std::to_string(late) + " later", 400, BoxRows, true);
  }
  std::fill(streams.begin(), streams.end(), 0);
  for (int apart : {10, 25, 50, 100}) { // one after the other
    for (auto &list : gpcs)
      for (size_t i = 0; i < list.size(); ++i)
        delays[list[i]] = int(i) * apart;
    run("all SMs one, " + std::to_string(apart) + " apart in their GPC", 4000);
  }
  for (int toAll : {0, 1}) {
    launchCluster(clusterReads, sms / 2 * 2, 32, 64 * 1024, 2, halves, toAll, Copies);
    finish();
    figure("traffic", toAll ? "pairs by multicast" : "pairs of a cluster, each for itself",
           double(sms / 2 * 2) * Copies * BoxRows * 128, "B asked");
  }
  for (int extent : {4096, 8192}) {
    Buffer<uint16_t> a(size_t(extent) * extent), b(size_t(extent) * extent);
    CUtensorMap mapA = tensorMap(a.data, extent, extent, 128),
                mapB = tensorMap(b.data, extent, extent, 128);
    struct {
      int m, n, stages;
    } shapes[] = {{1, 1, 4}, {1, 1, 6}, {1, 2, 3}, {1, 2, 4}, {2, 1, 4}};
    for (auto &shape : shapes)
      for (int slower : {0, 40}) {
        int pace = 256 * shape.m * shape.n + slower;
        launch(productReads, sms, 32, 225 * 1024, mapA, mapB, shape.m, shape.n, extent,
               shape.stages, pace);
        finish();
        figure("traffic",
               "product of " + std::to_string(extent) + ", tiles " + std::to_string(128 * shape.m) +
                   " x " + std::to_string(128 * shape.n) + ", " + std::to_string(shape.stages) +
                   " stages, pace " + std::to_string(pace),
               double(extent) * extent * extent * 2 *
                   (1.0 / (128 * shape.m) + 1.0 / (128 * shape.n)),
               "B asked");
      }
  }
}
