"""C = A B on Hopper for large matrices: tiles of 128 x 256, in bands that stay in L2.

Persistent and warp-specialised as hopper_ws is, with three things for speed:

    wide tiles    a step reads 128 x 64 of A and 64 x 256 of B for twice the products of a 128 x 128 tile; each of the
                  two consumers keeps 64 x 256 sums in registers
    bands         tiles follow each other down GROUP rows of tiles, then to the next column: the CTAs of one wave read
                  about as much of A as of B, and find it in L2
    two halves    a consumer stores its tile by halves of 128 columns through one buffer, so that a ring of STAGES
                  slots of 48 KiB still fits; the producer has filled the ring with the next tile's slots meanwhile

A product is waited for when the next one has been issued: the tensor cores have work while the barriers are looked at.
The slot of the product before it is given back then, the last one after the loop.

float8 operands (a variant, see the end) are multiplied as C = A B^T, with K innermost in both, as 8-bit wgmma wants
them. Their sums stay in the tensor core, which adds float8 products with fewer bits than f32 has.
"""
import triton
import triton.language as tl
import triton.language.extra.tlx as tlx
from launching import ZEROS, descriptor, launch, scalar, uniform

FEATURES = "persistent; warp-specialised: one producer, two consumers; tiles of 128 x 256 in bands; a product in flight; stores by halves; TMA; wgmma 64 x 256 x 64"


@triton.jit
def tile_offsets(tile, tiles_m, tiles_n, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    band = tile // (GROUP * tiles_n)
    height = min(tiles_m - band * GROUP, GROUP)
    within = tile % (GROUP * tiles_n)
    return (band * GROUP + within % height) * BM, (within // height) * BN


@triton.jit
def gemm_hopper_wide(a_desc, b_desc, c_desc, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                     STAGES: tl.constexpr, GROUP: tl.constexpr):
    HALF: tl.constexpr = BM // 2
    FLOAT8: tl.constexpr = a_desc.dtype.primitive_bitwidth == 8
    SLOT_BYTES: tl.constexpr = a_desc.dtype.primitive_bitwidth // 8 * (BM * BK + BK * BN)

    a = tlx.local_alloc((HALF, BK), a_desc.dtype, 2 * STAGES)  # slot s: 2 s above, 2 s + 1 below
    if FLOAT8:
        b = tlx.local_alloc((BN, BK), b_desc.dtype, STAGES)
    else:
        b = tlx.local_alloc((BK, BN), b_desc.dtype, STAGES)
    c = tlx.local_alloc((HALF, BN // 2), c_desc.dtype, 2)
    full = tlx.alloc_barriers(STAGES, arrive_count=1)
    empty = tlx.alloc_barriers(STAGES, arrive_count=2)

    with tlx.async_tasks():
        with tlx.async_task("default"):
            tiles_m = tl.cdiv(M, BM)
            tiles_n = tl.cdiv(N, BN)
            steps = tl.cdiv(K, BK)
            count = 0
            for tile in range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0)):
                row, col = tile_offsets(tile, tiles_m, tiles_n, BM, BN, GROUP)
                for step in range(0, steps):
                    slot = count % STAGES
                    parity = (count // STAGES) & 1
                    tlx.barrier_wait(empty[slot], parity ^ 1)
                    tlx.barrier_expect_bytes(full[slot], SLOT_BYTES)
                    tlx.async_descriptor_load(a_desc, a[2 * slot], [row, step * BK], full[slot])
                    if FLOAT8:
                        tlx.async_descriptor_load(b_desc, b[slot], [col, step * BK], full[slot])
                    else:
                        tlx.async_descriptor_load(b_desc, b[slot], [step * BK, col], full[slot])
                    tlx.async_descriptor_load(a_desc, a[2 * slot + 1], [row + HALF, step * BK], full[slot])
                    count += 1

        with tlx.async_task(num_warps=4, registers=232, replicate=2):
            half = tlx.async_task_replica_id()
            tiles_m = tl.cdiv(M, BM)
            tiles_n = tl.cdiv(N, BN)
            steps = tl.cdiv(K, BK)
            count = 0
            for tile in range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0)):
                acc = tl.zeros((HALF, BN), dtype=tl.float32)
                before = 0
                for step in range(0, steps):
                    slot = count % STAGES
                    parity = (count // STAGES) & 1
                    tlx.barrier_wait(full[slot], parity)
                    if FLOAT8:
                        acc = tlx.async_dot(a[2 * slot + half], tlx.local_trans(b[slot]), acc)
                    else:
                        acc = tlx.async_dot(a[2 * slot + half], b[slot], acc)
                    acc = tlx.async_dot_wait(1, acc)
                    if step > 0:
                        tlx.barrier_arrive(empty[before], 1)
                    before = slot
                    count += 1
                acc = tlx.async_dot_wait(0, acc)
                if steps > 0:
                    tlx.barrier_arrive(empty[before], 1)
                row, col = tile_offsets(tile, tiles_m, tiles_n, BM, BN, GROUP)
                left, right = tl.split(tl.trans(tl.reshape(acc, (HALF, 2, BN // 2)), (0, 2, 1)))
                tlx.local_store(c[half], left.to(c_desc.dtype))
                tlx.fence("async_shared")
                tlx.async_descriptor_store(c_desc, c[half], [row + half * HALF, col])
                tlx.async_descriptor_store_wait(0)
                tlx.local_store(c[half], right.to(c_desc.dtype))
                tlx.fence("async_shared")
                tlx.async_descriptor_store(c_desc, c[half], [row + half * HALF, col + BN // 2])
                tlx.async_descriptor_store_wait(0)


TILE = dict(BM=128, BN=256, BK=64, STAGES=4, GROUP=8)


def gemm_launch(m, n, k, ctas, element="f16", result="f16"):
    b = ([n, k], [TILE["BN"], TILE["BK"]]) if element.startswith("f8") else ([k, n], [TILE["BK"], TILE["BN"]])
    return launch(
        [ctas],
        descriptor("a_desc", element, [m, k], [TILE["BM"] // 2, TILE["BK"]], uniform(1)),
        descriptor("b_desc", element, *b, uniform(2)),
        descriptor("c_desc", result, [m, n], [TILE["BM"] // 2, TILE["BN"] // 2], ZEROS),
        scalar("M", m), scalar("N", n), scalar("K", k),
    )  # fmt: skip


# Four tiles on three CTAs, so that one of them goes round twice, and five steps of K in a ring of four.
KERNEL = gemm_hopper_wide
TARGET = "cuda:90"
NUM_WARPS = 4
CONSTEXPRS = TILE
LAUNCH = gemm_launch(256, 512, 320, 3)


def variant(element, result, **tile):
    """For other elements: "bf16", or "f8E4M3FN" with steps of 128 along K."""
    TILE.update(tile)
    return TILE, gemm_launch(256, 512, 640, 3, element, result)
