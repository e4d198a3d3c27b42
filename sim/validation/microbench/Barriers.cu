// mbarriers, named barriers, fences, register counts, clusters.
#include "Device.cuh"

constexpr int Repeats = 65, Steps = 64;

__global__ void oneThread(int kind, uint32_t *out) {
  __shared__ uint64_t barrier[Steps];
  __shared__ uint32_t word[32];
  if (threadIdx.x == 0) {
    for (int i = 0; i < Steps; ++i)
      barrierInit(&barrier[i], 1);
    barrierInitVisible();
  }
  __syncthreads();
  if (threadIdx.x)
    return;
  for (int r = 0; r < Repeats; ++r) {
    uint32_t phase = r & 1, begin = clockNow();
    switch (kind) {
    case 0: // arrivals on barriers of their own
      for (int i = 0; i < Steps; ++i)
        arrive(&barrier[i]);
      break;
    case 1: // an arrival and the wait that it satisfies
      for (int i = 0; i < Steps; ++i) {
        arrive(&barrier[i]);
        wait(&barrier[i], phase);
      }
      break;
    case 2:
      for (int i = 0; i < Steps; ++i) {
        expect(&barrier[i], 0);
        wait(&barrier[i], phase);
      }
      break;
    case 3: // waits on phases complete long ago
      for (int i = 0; i < Steps; ++i)
        wait(&barrier[i], 1);
      break;
    case 4:
      for (int i = 0; i < Steps; ++i)
        expect(&barrier[i], 0);
      break;
    case 5:
      for (int i = 0; i < Steps; ++i)
        fenceProxy();
      break;
    case 6: // a store and the fence behind it
      for (int i = 0; i < Steps; ++i) {
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(sharedAddress(&word[i & 31])), "r"(i)
                     : "memory");
        fenceProxy();
      }
      break;
    case 7:
      for (int i = 0; i < Steps; ++i)
        __threadfence_block();
      break;
    case 8:
      for (int i = 0; i < Steps; ++i)
        __threadfence();
      break;
    case 9:
      for (int i = 0; i < Steps; ++i)
        barrierInit(&barrier[i], 1);
      break;
    }
    out[r] = clockNow() - begin;
  }
}

/// Two warps of different warp groups hand a phase back and forth. `all`: every
/// thread arrives and waits, else one thread arrives.
__global__ void handOff(int warpsEach, int all, uint32_t *out) {
  __shared__ uint64_t ping, pong;
  int side = threadIdx.x / (32 * warpsEach), lane = threadIdx.x % (32 * warpsEach);
  if (threadIdx.x == 0) {
    barrierInit(&ping, all ? 32 * warpsEach : 1);
    barrierInit(&pong, all ? 32 * warpsEach : 1);
    barrierInitVisible();
  }
  __syncthreads();
  uint64_t *mine = side ? &pong : &ping, *other = side ? &ping : &pong;
  uint32_t begin = clockNow();
  for (int i = 0; i < Steps; ++i) {
    if (side == 1)
      wait(other, i & 1);
    if (all || lane == 0)
      arrive(mine);
    if (side == 0)
      wait(other, i & 1);
  }
  if (threadIdx.x == 0)
    out[0] = clockNow() - begin;
}

__global__ void namedBarrier(int threads, int pingPong, uint32_t *out) {
  __syncthreads();
  uint32_t begin = clockNow();
  if (!pingPong) {
    for (int i = 0; i < Steps; ++i)
      asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
  } else {
    bool first = int(threadIdx.x) < threads / 2;
    for (int i = 0; i < Steps; ++i) {
      if (first) {
        asm volatile("bar.arrive 1, %0;" ::"r"(threads) : "memory");
        asm volatile("bar.sync 2, %0;" ::"r"(threads) : "memory");
      } else {
        asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
        asm volatile("bar.arrive 2, %0;" ::"r"(threads) : "memory");
      }
    }
  }
  if (threadIdx.x == 0)
    out[0] = clockNow() - begin;
}

__global__ void __launch_bounds__(256, 1) registerCount(uint32_t *out) {
  // Registers given up by one warp group are what the other asks for.
  __syncthreads();
  if (threadIdx.x < 128) {
    uint32_t begin = clockNow();
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    uint32_t end = clockNow();
    if (threadIdx.x == 0)
      out[0] = end - begin;
  } else {
    uint32_t begin = clockNow();
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    uint32_t end = clockNow();
    if (threadIdx.x == 128)
      out[1] = end - begin;
  }
}

__global__ void clusterBarrier(uint32_t *out) {
  clusterSync();
  uint32_t begin = clockNow();
  for (int i = 0; i < Steps; ++i)
    clusterSync();
  if (blockIdx.x == 0 && threadIdx.x == 0)
    out[0] = clockNow() - begin;
}

/// CTA 0 and CTA 1 hand a phase back and forth by remote arrivals (0), by stores
/// that complete bytes on the peer's barrier (1); or CTA 0 reads from its peer (2).
__global__ void clusterHandOff(int kind, uint32_t *out) {
  __shared__ uint64_t barrier;
  __shared__ uint32_t word[2];
  uint32_t rank = clusterRank();
  if (threadIdx.x == 0) {
    barrierInit(&barrier, 1);
    barrierInitVisible();
    word[0] = word[1] = 0;
  }
  clusterSync();
  if (threadIdx.x == 0 && rank < 2) {
    uint32_t remoteBarrier = mapRemote(&barrier, rank ^ 1), remoteWord = mapRemote(word, rank ^ 1);
    uint32_t begin = clockNow();
    if (kind == 2) {
      uint32_t value = 0;
      for (int i = 0; i < Steps && rank == 0; ++i)
        asm volatile("ld.shared::cluster.u32 %0, [%1];"
                     : "=r"(value)
                     : "r"(remoteWord + value * 4)
                     : "memory");
      if (value)
        out[1] = value;
    } else {
      for (int i = 0; i < Steps; ++i) {
        if (kind == 1)
          expect(&barrier, 4);
        if (rank == 1)
          wait(&barrier, i & 1);
        if (kind == 0)
          arriveRemote(remoteBarrier);
        else
          asm volatile(
              "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
                  remoteWord),
              "r"(i), "r"(remoteBarrier)
              : "memory");
        if (rank == 0)
          wait(&barrier, i & 1);
      }
    }
    if (rank == 0)
      out[0] = clockNow() - begin;
  }
  clusterSync();
}

enum Stream { Idle, Reading, Writing, Copying };

/// One warp of each CTA meets fences (0), or loads from L2 (1) or memory (2), one after the other,
/// while the others stream.
__global__ void underLoad(int stream, int kind, const uint4 *source, uint4 *target, size_t each,
                          volatile uint32_t *word, uint32_t *out) {
  constexpr int times = 40;
  __shared__ volatile uint32_t ended;
  if (threadIdx.x == 0)
    ended = 0;
  __syncthreads();
  size_t first = size_t(blockIdx.x) * each;
  uint4 sum{};
  if (threadIdx.x >= 32) {
    for (size_t i = threadIdx.x - 32; stream != Idle && i < each && !ended; i += blockDim.x - 32) {
      uint4 v = stream == Writing ? uint4{1, 2, 3, 4} : __ldcg(source + first + i);
      if (stream == Reading)
        sum.x ^= v.x ^ v.y ^ v.z ^ v.w;
      else
        __stcg(target + first + i, v);
    }
  } else {
    uint32_t total = 0;
    for (int i = 0; i < times; ++i) {
      uint32_t begin = clockNow();
      if (kind == 0)
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
      else
        sum.y += kind == 1 ? word[32 * ((blockIdx.x * 7 + i) % 1024)]
                           : __ldcg(&source[first + each - 1 - 8 * i].x);
      if (sum.y == 12345)
        sum.z = 1;
      total += clockNow() - begin;
      for (uint32_t until = clockNow(); clockNow() - until < 300;)
        ;
    }
    ended = 1;
    if (threadIdx.x == 0)
      out[blockIdx.x] = total / times;
  }
  if (sum.x + sum.z == 0x12345678)
    target[0] = sum;
}

int main(int argc, char **argv) {
  Buffer<uint32_t> out(1024);
  auto last = [&] {
    finish();
    return double(out.read()[0]);
  };
  auto repeated = [&](auto run) {
    std::vector<double> all;
    for (int r = 0; r < 11; ++r) {
      run();
      all.push_back(last());
    }
    return median(all);
  };
  return runBenchmarks(
      argc, argv,
      {{"one-thread",
        [&] {
          const char *names[] = {
              "mbarrier.arrive", "mbarrier.arrive+wait", "mbarrier.expect+wait",   "mbarrier.ready",
              "mbarrier.expect", "fence.proxyAsync",     "store+fence.proxyAsync", "fence.cta",
              "fence.gpu",       "mbarrier.init"};
          for (int kind = 0; kind < 10; ++kind) {
            launch(oneThread, 1, 32, 0, kind, out.data);
            finish();
            std::vector<uint32_t> clocks = out.read();
            std::vector<double> each(clocks.begin() + 1, clocks.begin() + Repeats);
            figure(names[kind], "1 thread", median(each) / Steps);
          }
        }},
       {"hand-off",
        [&] {
          for (int warps : {1, 4, 8})
            for (int all : {0, 1})
              figure("mbarrier.handoff",
                     std::to_string(warps) + " warps, " + (all ? "all arrive" : "one arrives"),
                     repeated([&] { launch(handOff, 1, 64 * warps, 0, warps, all, out.data); }) /
                         (2 * Steps));
        }},
       {"named",
        [&] {
          for (int warps : {1, 2, 4, 8, 12, 16})
            figure("bar.sync", std::to_string(warps) + " warps",
                   repeated([&] {
                     launch(namedBarrier, 1, 32 * warps, 0, 32 * warps, 0, out.data);
                   }) / Steps);
          for (int warps : {2, 8})
            figure("bar.handoff", std::to_string(warps) + " warps",
                   repeated([&] {
                     launch(namedBarrier, 1, 32 * warps, 0, 32 * warps, 1, out.data);
                   }) / (2 * Steps));
        }},
       {"registers",
        [&] {
          launch(registerCount, 1, 256, 0, out.data);
          finish();
          figure("setmaxnreg", "decrease", out.read()[0]);
          figure("setmaxnreg", "increase", out.read()[1]);
        }},
       {"cluster",
        [&] {
          for (int size : {2, 4, 8})
            for (int threads : {32, 128, 256})
              figure("cluster.barrier",
                     std::to_string(size) + " CTAs of " + std::to_string(threads),
                     repeated([&] {
                       launchCluster(clusterBarrier, size, threads, 0, size, out.data);
                     }) / Steps);
          const char *names[] = {"cluster.arrive", "cluster.st.async", "cluster.load"};
          for (int kind = 0; kind < 3; ++kind)
            figure(names[kind], "one way",
                   repeated([&] { launchCluster(clusterHandOff, 2, 32, 0, 2, kind, out.data); }) /
                       (kind == 2 ? Steps : 2 * Steps));
        }},
       {"under-load", [&] {
          constexpr size_t each = size_t(1) << 20; // of 16 bytes
          Buffer<uint4> source(132 * each), target(132 * each);
          Buffer<uint32_t> words(32 * 1024);
          const char *streams[] = {"idle", "reads", "writes", "copies"};
          const char *kinds[] = {"fence.gpu", "load from L2", "load from memory"};
          for (int stream = Idle; stream <= Copying; ++stream)
            for (int kind = 0; kind < 3; ++kind) {
              for (int warm = 0; warm < 2; ++warm)
                launch(underLoad, 132, 1024, 0, stream, kind, source.data, target.data, each,
                       words.data, out.data);
              finish();
              std::vector<uint32_t> clocks = out.read();
              figure("loaded." + std::string(kinds[kind]), streams[stream],
                     median({clocks.begin(), clocks.begin() + 132}));
            }
        }}});
}
