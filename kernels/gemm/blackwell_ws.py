"""C = A B on Blackwell: persistent, warp-specialised, sums in tensor memory, two tiles in flight.

One CTA computes every num_programs-th tile of 128 x 128 of C, with three tasks:

    epilogue      the default warp group: reads a finished tile from tensor memory and stores it
    multiplier    one warp: issues the products of a tile into one of two accumulators of tensor memory
    producer      one warp: fills a ring of STAGES slots, each 128 x 64 of A and 64 x 128 of B

Barriers. `full` completes with the bytes of a slot; `empty` when the products that read the slot are done, which the tensor
core itself announces. `done` completes when all products of a tile are (a commit); `free` when the epilogue has read the
accumulator, so that the tile after next may overwrite it. While the epilogue stores tile i, tile i + 1 is multiplied.
"""
import triton
import triton.language as tl
import triton.language.extra.tlx as tlx
from launching import ZEROS, descriptor, launch, scalar, uniform

FEATURES = "persistent; tcgen05 128 x 128 x 64 into tensor memory; two accumulators; the tensor core frees the ring's slots; commit; TMA"


@triton.jit
def gemm_blackwell_ws(a_desc, b_desc, c_desc, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr):
    a = tlx.local_alloc((BM, BK), tl.float16, STAGES)
    b = tlx.local_alloc((BK, BN), tl.float16, STAGES)
    c = tlx.local_alloc((BM, BN), tl.float16, 1)
    acc = tlx.local_alloc((BM, BN), tl.float32, 2, tlx.storage_kind.tmem)
    full = tlx.alloc_barriers(STAGES, arrive_count=1)
    empty = tlx.alloc_barriers(STAGES, arrive_count=1)
    done = tlx.alloc_barriers(2, arrive_count=1)
    free = tlx.alloc_barriers(2, arrive_count=1)

    with tlx.async_tasks():
        with tlx.async_task("default"):
            tiles_m = tl.cdiv(M, BM)
            round = 0
            for tile in range(tl.program_id(0), tiles_m * tl.cdiv(N, BN), tl.num_programs(0)):
                which = round % 2
                parity = (round // 2) & 1
                tlx.barrier_wait(done[which], parity)
                sums = tlx.local_load(acc[which])
                tlx.barrier_arrive(free[which], 1)
                tlx.local_store(c[0], sums.to(tl.float16))
                tlx.fence("async_shared")
                tlx.async_descriptor_store(c_desc, c[0], [(tile % tiles_m) * BM, (tile // tiles_m) * BN])
                tlx.async_descriptor_store_wait(0)
                round += 1

        with tlx.async_task(num_warps=1, registers=48):
            tiles_m = tl.cdiv(M, BM)
            steps = tl.cdiv(K, BK)
            count = 0
            round = 0
            for tile in range(tl.program_id(0), tiles_m * tl.cdiv(N, BN), tl.num_programs(0)):
                which = round % 2
                tlx.barrier_wait(free[which], ((round // 2) & 1) ^ 1)
                for step in range(0, steps):
                    slot = count % STAGES
                    tlx.barrier_wait(full[slot], (count // STAGES) & 1)
                    tlx.async_dot(a[slot], b[slot], acc[which], use_acc=step > 0, mBarriers=[empty[slot]])
                    count += 1
                tlx.tcgen05_commit(done[which])
                round += 1

        with tlx.async_task(num_warps=1, registers=48):
            tiles_m = tl.cdiv(M, BM)
            steps = tl.cdiv(K, BK)
            count = 0
            for tile in range(tl.program_id(0), tiles_m * tl.cdiv(N, BN), tl.num_programs(0)):
                row = (tile % tiles_m) * BM
                col = (tile // tiles_m) * BN
                for step in range(0, steps):
                    slot = count % STAGES
                    tlx.barrier_wait(empty[slot], ((count // STAGES) & 1) ^ 1)
                    tlx.barrier_expect_bytes(full[slot], 2 * (BM * BK + BK * BN))
                    tlx.async_descriptor_load(a_desc, a[slot], [row, step * BK], full[slot])
                    tlx.async_descriptor_load(b_desc, b[slot], [step * BK, col], full[slot])
                    count += 1


TILE = dict(BM=128, BN=128, BK=64, STAGES=3)
M, N, K = 384, 256, 320
KERNEL = gemm_blackwell_ws
TARGET = "cuda:100"
NUM_WARPS = 4
CONSTEXPRS = TILE
# Six tiles on two CTAs: the second use of an accumulator, and a ring that starts in the middle.
LAUNCH = launch(
    [2],
    descriptor("a_desc", "f16", [M, K], [128, 64], uniform(1)), descriptor("b_desc", "f16", [K, N], [64, 128], uniform(2)),
    descriptor("c_desc", "f16", [M, N], [128, 128], ZEROS), scalar("M", M), scalar("N", N), scalar("K", K),
)  # fmt: skip
