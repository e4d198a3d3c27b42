"""C = A B on Blackwell with tiles handed out by the hardware: each CTA cancels launches of others and does their work.

The grid has a CTA for every tile of 128 x 128. One that runs asks, before it works on its tile, for another one that has not
started (cluster launch control); the answer is that CTA's number or that there is none. So a slow CTA gets fewer tiles,
which no fixed stride can do.

    epilogue      the default warp group: asks for the next tile, stores the finished one
    multiplier    one warp: products into one of two accumulators of tensor memory
    producer      one warp: fills a ring of STAGES slots

All three read the answer and say so on a barrier that counts three; only then is the next question asked, because it
overwrites the answer.
"""
import triton
import triton.language as tl
import triton.language.extra.tlx as tlx
from launching import ZEROS, descriptor, launch, scalar, uniform

FEATURES = "cluster launch control; tcgen05 into tensor memory; two accumulators; TMA"


@triton.jit
def gemm_blackwell_clc(a_desc, b_desc, c_desc, M, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr):
    a = tlx.local_alloc((BM, BK), tl.float16, STAGES)
    b = tlx.local_alloc((BK, BN), tl.float16, STAGES)
    c = tlx.local_alloc((BM, BN), tl.float16, 1)
    acc = tlx.local_alloc((BM, BN), tl.float32, 2, tlx.storage_kind.tmem)
    full = tlx.alloc_barriers(STAGES, arrive_count=1)
    empty = tlx.alloc_barriers(STAGES, arrive_count=1)
    done = tlx.alloc_barriers(2, arrive_count=1)
    free = tlx.alloc_barriers(2, arrive_count=1)
    answers = tlx.clc_create_context(num_consumers=3)

    with tlx.async_tasks():
        with tlx.async_task("default"):
            tiles_m = tl.cdiv(M, BM)
            tile = tl.program_id(0)
            round = 0
            while tile != -1:
                tlx.clc_producer(answers, p_producer=(round & 1) ^ 1)
                which = round % 2
                tlx.barrier_wait(done[which], (round // 2) & 1)
                sums = tlx.local_load(acc[which])
                tlx.barrier_arrive(free[which], 1)
                tlx.local_store(c[0], sums.to(tl.float16))
                tlx.fence("async_shared")
                tlx.async_descriptor_store(c_desc, c[0], [(tile % tiles_m) * BM, (tile // tiles_m) * BN])
                tlx.async_descriptor_store_wait(0)
                tile = tlx.clc_consumer(answers, p_consumer=round & 1)
                round += 1

        with tlx.async_task(num_warps=1, registers=48):
            steps = tl.cdiv(K, BK)
            tile = tl.program_id(0)
            count = 0
            round = 0
            while tile != -1:
                which = round % 2
                tlx.barrier_wait(free[which], ((round // 2) & 1) ^ 1)
                for step in range(0, steps):
                    slot = count % STAGES
                    tlx.barrier_wait(full[slot], (count // STAGES) & 1)
                    tlx.async_dot(a[slot], b[slot], acc[which], use_acc=step > 0, mBarriers=[empty[slot]])
                    count += 1
                tlx.tcgen05_commit(done[which])
                tile = tlx.clc_consumer(answers, p_consumer=round & 1)
                round += 1

        with tlx.async_task(num_warps=1, registers=48):
            tiles_m = tl.cdiv(M, BM)
            steps = tl.cdiv(K, BK)
            tile = tl.program_id(0)
            count = 0
            round = 0
            while tile != -1:
                row = (tile % tiles_m) * BM
                col = (tile // tiles_m) * BN
                for step in range(0, steps):
                    slot = count % STAGES
                    tlx.barrier_wait(empty[slot], ((count // STAGES) & 1) ^ 1)
                    tlx.barrier_expect_bytes(full[slot], 2 * (BM * BK + BK * BN))
                    tlx.async_descriptor_load(a_desc, a[slot], [row, step * BK], full[slot])
                    tlx.async_descriptor_load(b_desc, b[slot], [step * BK, col], full[slot])
                    count += 1
                tile = tlx.clc_consumer(answers, p_consumer=round & 1)
                round += 1


TILE = dict(BM=128, BN=128, BK=64, STAGES=3)
M, N, K = 384, 256, 320
KERNEL = gemm_blackwell_clc
TARGET = "cuda:100"
NUM_WARPS = 4
CONSTEXPRS = TILE
LAUNCH = launch(
    [6],
    descriptor("a_desc", "f16", [M, K], [128, 64], uniform(1)), descriptor("b_desc", "f16", [K, N], [64, 128], uniform(2)),
    descriptor("c_desc", "f16", [M, N], [128, 128], ZEROS), scalar("M", M), scalar("K", K),
)  # fmt: skip
