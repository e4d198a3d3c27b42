"""C = A B^T on Hopper for float8 (e4m3) operands, warp-specialised; C is bf16, sums are f32.

Both operands lie with K innermost, as 8-bit wgmma wants them. One CTA computes one tile of 128 x 128 with a producer and
one consumer of 8 warps over a ring of slots of 128 x 128 of A and of B. Every second step the sums leave the tensor core's
accumulator for one in registers of its own, because the products of float8 are added there with fewer bits than f32 has.
"""
import triton
import triton.language as tl
import triton.language.extra.tlx as tlx
from launching import ZEROS, descriptor, launch, scalar, uniform

FEATURES = "float8 operands; second accumulator for exactness; warp-specialised; TMA; wgmma 128 x 128 x 128"


@triton.jit
def gemm_hopper_fp8(a_desc, b_desc, c_desc, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr):
    a = tlx.local_alloc((BM, BK), tl.float8e4nv, STAGES)
    b = tlx.local_alloc((BN, BK), tl.float8e4nv, STAGES)
    c = tlx.local_alloc((BM, BN), tl.bfloat16, 1)
    full = tlx.alloc_barriers(STAGES, arrive_count=1)
    empty = tlx.alloc_barriers(STAGES, arrive_count=1)
    row = tl.program_id(0) * BM
    col = tl.program_id(1) * BN

    with tlx.async_tasks():
        with tlx.async_task("default"):
            for step in range(0, tl.cdiv(K, BK)):
                slot = step % STAGES
                parity = (step // STAGES) & 1
                tlx.barrier_wait(empty[slot], parity ^ 1)
                tlx.barrier_expect_bytes(full[slot], (BM + BN) * BK)
                tlx.async_descriptor_load(a_desc, a[slot], [row, step * BK], full[slot])
                tlx.async_descriptor_load(b_desc, b[slot], [col, step * BK], full[slot])

        with tlx.async_task(num_warps=8, registers=232):
            total = tl.zeros((BM, BN), dtype=tl.float32)
            for step in range(0, tl.cdiv(K, BK)):
                slot = step % STAGES
                parity = (step // STAGES) & 1
                tlx.barrier_wait(full[slot], parity)
                part = tlx.async_dot(a[slot], tlx.local_trans(b[slot]))
                part = tlx.async_dot_wait(0, part)
                tlx.barrier_arrive(empty[slot], 1)
                total += part
            tlx.local_store(c[0], total.to(tl.bfloat16))
            tlx.fence("async_shared")
            tlx.async_descriptor_store(c_desc, c[0], [row, col])
            tlx.async_descriptor_store_wait(0)


TILE = dict(BM=128, BN=128, BK=128, STAGES=3)
M, N, K = 256, 128, 640
KERNEL = gemm_hopper_fp8
TARGET = "cuda:90"
NUM_WARPS = 4
CONSTEXPRS = TILE
LAUNCH = launch(
    [2, 1],
    descriptor("a_desc", "f8E4M3FN", [M, K], [128, 128], uniform(1)), descriptor("b_desc", "f8E4M3FN", [N, K], [128, 128], uniform(2)),
    descriptor("c_desc", "bf16", [M, N], [128, 128], ZEROS), scalar("K", K),
)  # fmt: skip
