"""C = A B^T on Blackwell for float8 (e4m3) operands with a scale for each 32 elements of K (MXFP8); C is f16.

Warp-specialised, one tile of 128 x 128 a CTA, steps of 128 of K. The scales lie in memory as the tensor core wants them,
512 bytes for 128 rows and 4 groups of 32, and go to shared memory by the same ring as the operands; the product reads them
from there.

    epilogue      the default warp group: waits for the sums and stores them
    multiplier    one warp: scaled products into tensor memory; the tensor core frees the slots
    producer      one warp: A, B and both scales of a step on one barrier
"""
import triton
import triton.language as tl
import triton.language.extra.tlx as tlx
from launching import ZEROS, descriptor, launch, scalar, uniform, uniform_int

FEATURES = "block-scaled float8 (e8m0 scales); tcgen05 scaled products; scales through shared memory; TMA of rank 5"


@triton.jit
def gemm_blackwell_mxfp8(a_desc, b_desc, a_scale_desc, b_scale_desc, c_desc, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                         STAGES: tl.constexpr):
    GROUPS: tl.constexpr = BK // 128  # of 4 scales each
    a = tlx.local_alloc((BM, BK), tl.float8e4nv, STAGES)
    b = tlx.local_alloc((BN, BK), tl.float8e4nv, STAGES)
    a_scale = tlx.local_alloc((1, BM // 128, GROUPS, 2, 256), tl.uint8, STAGES)
    b_scale = tlx.local_alloc((1, BN // 128, GROUPS, 2, 256), tl.uint8, STAGES)
    c = tlx.local_alloc((BM, BN), tl.float16, 1)
    acc = tlx.local_alloc((BM, BN), tl.float32, 1, tlx.storage_kind.tmem)
    full = tlx.alloc_barriers(STAGES, arrive_count=1)
    empty = tlx.alloc_barriers(STAGES, arrive_count=1)
    done = tlx.alloc_barriers(1, arrive_count=1)
    row = tl.program_id(0) * BM
    col = tl.program_id(1) * BN

    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.barrier_wait(done[0], 0)
            sums = tlx.local_load(acc[0])
            tlx.local_store(c[0], sums.to(tl.float16))
            tlx.fence("async_shared")
            tlx.async_descriptor_store(c_desc, c[0], [row, col])
            tlx.async_descriptor_store_wait(0)

        with tlx.async_task(num_warps=1, registers=48):
            for step in range(0, tl.cdiv(K, BK)):
                slot = step % STAGES
                tlx.barrier_wait(full[slot], (step // STAGES) & 1)
                tlx.async_dot_scaled(a[slot], tlx.local_trans(b[slot]), acc[0], a_scale[slot], "e4m3", b_scale[slot], "e4m3",
                                     use_acc=step > 0, mBarriers=[empty[slot]])
            tlx.tcgen05_commit(done[0])

        with tlx.async_task(num_warps=1, registers=48):
            for step in range(0, tl.cdiv(K, BK)):
                slot = step % STAGES
                tlx.barrier_wait(empty[slot], ((step // STAGES) & 1) ^ 1)
                tlx.barrier_expect_bytes(full[slot], (BM + BN) * BK + (BM + BN) * BK // 32)
                tlx.async_descriptor_load(a_desc, a[slot], [row, step * BK], full[slot])
                tlx.async_descriptor_load(b_desc, b[slot], [col, step * BK], full[slot])
                tlx.async_descriptor_load(a_scale_desc, a_scale[slot], [0, row // 128, step * GROUPS, 0, 0], full[slot])
                tlx.async_descriptor_load(b_scale_desc, b_scale[slot], [0, col // 128, step * GROUPS, 0, 0], full[slot])


TILE = dict(BM=128, BN=128, BK=128, STAGES=3)
M, N, K = 256, 128, 640
KERNEL = gemm_blackwell_mxfp8
TARGET = "cuda:100"
NUM_WARPS = 4
CONSTEXPRS = TILE
SCALES = uniform_int(3, 124, 131)  # 2^-3 to 2^3
LAUNCH = launch(
    [2, 1],
    descriptor("a_desc", "f8E4M3FN", [M, K], [128, 128], uniform(1)), descriptor("b_desc", "f8E4M3FN", [N, K], [128, 128], uniform(2)),
    descriptor("a_scale_desc", "u8", [1, M // 128, K // 128, 2, 256], [1, 1, 1, 2, 256], SCALES),
    descriptor("b_scale_desc", "u8", [1, N // 128, K // 128, 2, 256], [1, 1, 1, 2, 256], uniform_int(4, 124, 131)),
    descriptor("c_desc", "f16", [M, N], [128, 128], ZEROS), scalar("K", K),
)  # fmt: skip
