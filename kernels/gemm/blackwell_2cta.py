"""C = A B on Blackwell by pairs of CTAs: one instruction multiplies for both, each holds half of B.

A pair computes 256 x 128 of C. CTA r has rows 128 r to 128 r + 127 of A and of the sums, and columns 64 r to 64 r + 63 of B.
The even CTA issues the products for both; they read both CTAs' shared memory and write both CTAs' tensor memory.

    full      of the even CTA: the bytes of both CTAs' loads of a slot; the loads of the odd CTA complete there too
    empty     of each CTA: the products that read the slot are done, announced to both by the tensor cores
    done      of each CTA: all products are done

The pair meets at the beginning, when the barriers are initialised, and at the end, when nothing reads the peer any more.
"""
import triton
import triton.language as tl
import triton.language.extra.tlx as tlx
from launching import ZEROS, descriptor, launch, scalar, uniform

FEATURES = "pairs of CTAs; tcgen05 cta_group::2, 256 x 128 x 64; multicast commit; TMA whose bytes count at the peer"


@triton.jit
def gemm_blackwell_2cta(a_desc, b_desc, c_desc, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr):
    HALF: tl.constexpr = BN // 2
    a = tlx.local_alloc((BM, BK), tl.float16, STAGES)
    b = tlx.local_alloc((BK, HALF), tl.float16, STAGES)
    c = tlx.local_alloc((BM, BN), tl.float16, 1)
    acc = tlx.local_alloc((BM, BN), tl.float32, 1, tlx.storage_kind.tmem)
    full = tlx.alloc_barriers(STAGES, arrive_count=1)
    empty = tlx.alloc_barriers(STAGES, arrive_count=1)
    done = tlx.alloc_barriers(1, arrive_count=1)
    rank = tlx.cluster_cta_rank()
    leads = rank == 0
    row = tl.program_id(0) * BM
    col = tl.program_id(1) * BN

    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.cluster_barrier()
            tlx.barrier_wait(done[0], 0)
            sums = tlx.local_load(acc[0])
            tlx.local_store(c[0], sums.to(tl.float16))
            tlx.fence("async_shared")
            tlx.async_descriptor_store(c_desc, c[0], [row, col])
            tlx.async_descriptor_store_wait(0)
            tlx.cluster_barrier()

        with tlx.async_task(num_warps=1, registers=48):
            tlx.cluster_barrier()
            for step in range(0, tl.cdiv(K, BK)):
                slot = step % STAGES
                tlx.barrier_wait(full[slot], (step // STAGES) & 1, pred=leads)
                tlx.async_dot(a[slot], b[slot], acc[0], use_acc=step > 0, mBarriers=[empty[slot]], two_ctas=True)
            tlx.tcgen05_commit(done[0], two_ctas=True)
            tlx.cluster_barrier()

        with tlx.async_task(num_warps=1, registers=48):
            tlx.cluster_barrier()
            for step in range(0, tl.cdiv(K, BK)):
                slot = step % STAGES
                tlx.barrier_wait(empty[slot], ((step // STAGES) & 1) ^ 1)
                tlx.barrier_expect_bytes(full[slot], 2 * 2 * (BM * BK + BK * HALF), pred=leads)
                tlx.async_descriptor_load(a_desc, a[slot], [row, step * BK], full[slot], two_ctas=True)
                tlx.async_descriptor_load(b_desc, b[slot], [step * BK, col + rank * HALF], full[slot], two_ctas=True)
            tlx.cluster_barrier()

        with tlx.async_task(num_warps=2, registers=24):
            # The hardware starts warps in fours, and all that exist meet.
            tlx.cluster_barrier()
            tlx.cluster_barrier()


TILE = dict(BM=128, BN=128, BK=64, STAGES=3)
M, N, K = 256, 256, 320
KERNEL = gemm_blackwell_2cta
TARGET = "cuda:100"
NUM_WARPS = 4
CONSTEXPRS = TILE
LAUNCH = launch(
    [2, 2],
    descriptor("a_desc", "f16", [M, K], [128, 64], uniform(1)), descriptor("b_desc", "f16", [K, N], [64, 64], uniform(2)),
    descriptor("c_desc", "f16", [M, N], [128, 128], ZEROS), scalar("K", K), cluster=(2, 1, 1),
)  # fmt: skip
