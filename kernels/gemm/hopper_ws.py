"""C = A B on Hopper: persistent, warp-specialised, fed by TMA, computed by wgmma.

One CTA computes tiles of 128 x 128 of C, every num_programs-th tile, with three tasks:

    producer      one warp group, few registers: keeps a ring of STAGES slots full; a slot holds
                  128 x 64 of A, as two halves of 64 rows, and 64 x 128 of B
    consumers     two warp groups, each 64 rows of the tile: multiply a slot as soon as it is full,
                  give it back, and at the end of K store their half of the tile through
                  shared memory of their own

A slot has two barriers. `full` completes when the bytes of its three loads have arrived; `empty`
when both consumers have finished reading. Iteration i of a CTA, counted over all of its tiles,
uses slot i % STAGES for the (i / STAGES)-th time, so the consumers wait for parity
(i / STAGES) & 1 of `full`, and the producer for the opposite of `empty`: a wait for the parity
before the first phase does not block, the ring starts empty.

No K is too small: a K of 0 stores zeros. Edges of M, N and K need no care, TMA loads zeros from
outside and does not store there.

hopper_ws.mlir is what fbtriton 3.7.4 makes of it (scripts/record_kernel.py records it).
"""
import triton
import triton.language as tl
import triton.language.extra.tlx as tlx
from launching import ZEROS, descriptor, launch, scalar, uniform

FEATURES = "persistent; warp-specialised: one producer, two consumers; TMA into a ring of four slots, one barrier for the three loads of a slot; wgmma 64 x 128 x 64; TMA store"


@triton.jit
def tile_offsets(tile, tiles_m, BM: tl.constexpr, BN: tl.constexpr):
    # Down the columns: CTAs of one wave share the panels of B and use all of A.
    return (tile % tiles_m) * BM, (tile // tiles_m) * BN


@triton.jit
def gemm_hopper_ws(a_desc, b_desc, c_desc, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                   STAGES: tl.constexpr):
    HALF: tl.constexpr = BM // 2
    SLOT_BYTES: tl.constexpr = 2 * (BM * BK + BK * BN)

    a = tlx.local_alloc((HALF, BK), tl.float16, 2 * STAGES)  # slot s: 2 s above, 2 s + 1 below
    b = tlx.local_alloc((BK, BN), tl.float16, STAGES)
    c = tlx.local_alloc((HALF, BN), tl.float16, 2)
    full = tlx.alloc_barriers(STAGES, arrive_count=1)
    empty = tlx.alloc_barriers(STAGES, arrive_count=2)

    with tlx.async_tasks():
        with tlx.async_task("default"):
            tiles_m = tl.cdiv(M, BM)
            tiles = tiles_m * tl.cdiv(N, BN)
            steps = tl.cdiv(K, BK)
            count = 0
            for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
                row, col = tile_offsets(tile, tiles_m, BM, BN)
                for step in range(0, steps):
                    slot = count % STAGES
                    parity = (count // STAGES) & 1
                    tlx.barrier_wait(empty[slot], parity ^ 1)
                    tlx.barrier_expect_bytes(full[slot], SLOT_BYTES)
                    tlx.async_descriptor_load(a_desc, a[2 * slot], [row, step * BK], full[slot])
                    tlx.async_descriptor_load(b_desc, b[slot], [step * BK, col], full[slot])
                    tlx.async_descriptor_load(a_desc, a[2 * slot + 1], [row + HALF, step * BK], full[slot])
                    count += 1

        with tlx.async_task(num_warps=4, registers=232, replicate=2):
            half = tlx.async_task_replica_id()
            tiles_m = tl.cdiv(M, BM)
            tiles = tiles_m * tl.cdiv(N, BN)
            steps = tl.cdiv(K, BK)
            count = 0
            for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
                acc = tl.zeros((HALF, BN), dtype=tl.float32)
                for step in range(0, steps):
                    slot = count % STAGES
                    parity = (count // STAGES) & 1
                    tlx.barrier_wait(full[slot], parity)
                    acc = tlx.async_dot(a[2 * slot + half], b[slot], acc)
                    # The other warp group keeps the tensor cores busy meanwhile.
                    acc = tlx.async_dot_wait(0, acc)
                    tlx.barrier_arrive(empty[slot], 1)
                    count += 1
                row, col = tile_offsets(tile, tiles_m, BM, BN)
                tlx.local_store(c[half], acc.to(tl.float16))
                tlx.fence("async_shared")
                tlx.async_descriptor_store(c_desc, c[half], [row + half * HALF, col])
                tlx.async_descriptor_store_wait(0)


TILE = dict(BM=128, BN=128, BK=64, STAGES=4)


def gemm_launch(m, n, k, ctas):
    return launch(
        [ctas],
        descriptor("a_desc", "f16", [m, k], [TILE["BM"] // 2, TILE["BK"]], uniform(1)),
        descriptor("b_desc", "f16", [k, n], [TILE["BK"], TILE["BN"]], uniform(2)),
        descriptor("c_desc", "f16", [m, n], [TILE["BM"] // 2, TILE["BN"]], ZEROS),
        scalar("M", m), scalar("N", n), scalar("K", k),
    )  # fmt: skip


# What scripts/record_kernel.py asks for: four tiles on three CTAs, so that one of them goes round
# twice, and three steps of K in a ring of four slots, so that its second tile starts in the middle.
KERNEL = gemm_hopper_ws
TARGET = "cuda:90"
NUM_WARPS = 4
CONSTEXPRS = TILE
LAUNCH = gemm_launch(256, 256, 192, 3)
