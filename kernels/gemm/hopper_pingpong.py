"""C = A B on Hopper, one consumer multiplies while the other stores (ping-pong).

One CTA computes tiles of 64 x 128 of C, two in flight, with three tasks:

    producer      one warp group: fills a ring of STAGES slots, each 64 x 64 of A and 64 x 128 of B, tile after tile
    consumers     two warp groups; the first has the CTA's tiles 0, 2, 4, ..., the second 1, 3, 5, ...

Products of two steps are under way at a time. A slot's step belongs to one tile, so `empty` counts one arrival. A
consumer's tile of rank r in the CTA begins at step r * steps of the ring. A turn (a named barrier for each consumer) is
given once a tile, when its last product has been issued: while the second multiplies, the first stores its tile, and the
other way round, and the tensor cores see whole tiles. The stride over tiles is a constant, CTAS.
"""
import triton
import triton.language as tl
import triton.language.extra.tlx as tlx
from launching import ZEROS, descriptor, launch, scalar, uniform

FEATURES = "persistent; two consumers on alternate tiles; named barriers for the turns; TMA; wgmma 64 x 128 x 64"
TURN = tl.constexpr(9)
BOTH = tl.constexpr(256)


@triton.jit
def gemm_hopper_pingpong(a_desc, b_desc, c_desc, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                         STAGES: tl.constexpr, CTAS: tl.constexpr):
    a = tlx.local_alloc((BM, BK), tl.float16, STAGES)
    b = tlx.local_alloc((BK, BN), tl.float16, STAGES)
    c = tlx.local_alloc((BM, BN), tl.float16, 2)
    full = tlx.alloc_barriers(STAGES, arrive_count=1)
    empty = tlx.alloc_barriers(STAGES, arrive_count=1)

    with tlx.async_tasks():
        with tlx.async_task("default"):
            tiles_m = tl.cdiv(M, BM)
            tiles = tiles_m * tl.cdiv(N, BN)
            steps = tl.cdiv(K, BK)
            slot = 0
            parity = 0
            for tile in range(tl.program_id(0), tiles, CTAS):
                row = (tile % tiles_m) * BM
                col = (tile // tiles_m) * BN
                for step in range(0, steps):
                    tlx.barrier_wait(empty[slot], parity ^ 1)
                    tlx.barrier_expect_bytes(full[slot], 2 * (BM * BK + BK * BN))
                    tlx.async_descriptor_load(a_desc, a[slot], [row, step * BK], full[slot])
                    tlx.async_descriptor_load(b_desc, b[slot], [step * BK, col], full[slot])
                    parity = parity ^ (slot == STAGES - 1)
                    slot = (slot + 1) % STAGES

        with tlx.async_task(num_warps=4, registers=232, replicate=2):
            half = tlx.async_task_replica_id()
            tiles_m = tl.cdiv(M, BM)
            tiles = tiles_m * tl.cdiv(N, BN)
            steps = tl.cdiv(K, BK)
            if half == 1:
                tlx.named_barrier_arrive(TURN, BOTH)
            rank = half
            for tile in range(tl.program_id(0) + half * CTAS, tiles, 2 * CTAS):
                first = rank * steps
                slot = first % STAGES
                parity = (first // STAGES) & 1
                rank += 2
                tlx.named_barrier_wait(TURN + half, BOTH)
                tlx.barrier_wait(full[slot], parity)
                acc = tlx.async_dot(a[slot], b[slot])
                for _ in range(1, steps):
                    before = slot
                    parity = parity ^ (slot == STAGES - 1)
                    slot = (slot + 1) % STAGES
                    tlx.barrier_wait(full[slot], parity)
                    acc = tlx.async_dot(a[slot], b[slot], acc)
                    acc = tlx.async_dot_wait(1, acc)
                    tlx.barrier_arrive(empty[before], 1)
                tlx.named_barrier_arrive(TURN + 1 - half, BOTH)
                acc = tlx.async_dot_wait(0, acc)
                tlx.barrier_arrive(empty[slot], 1)
                tlx.local_store(c[half], acc.to(tl.float16))
                tlx.fence("async_shared")
                tlx.async_descriptor_store(c_desc, c[half], [(tile % tiles_m) * BM, (tile // tiles_m) * BN])
                tlx.async_descriptor_store_wait(0)


TILE = dict(BM=64, BN=128, BK=64, STAGES=4, CTAS=3)
M, N, K = 320, 256, 192
KERNEL = gemm_hopper_pingpong
TARGET = "cuda:90"
NUM_WARPS = 4
CONSTEXPRS = TILE
# Ten tiles on three CTAs: one has four of them, two have three.
LAUNCH = launch(
    [TILE["CTAS"]],
    descriptor("a_desc", "f16", [M, K], [64, 64], uniform(1)), descriptor("b_desc", "f16", [K, N], [64, 128], uniform(2)),
    descriptor("c_desc", "f16", [M, N], [64, 128], ZEROS), scalar("M", M), scalar("N", N), scalar("K", K),
)  # fmt: skip
