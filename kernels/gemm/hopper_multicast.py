"""C = A B on Hopper by clusters of two CTAs that share B: each loads half of a slot's B and multicasts it to both.

A cluster computes 256 x 128 of C, CTA r the rows from 128 r. A slot holds 128 x 64 of A (the CTA's own) and 64 x 128 of
B, of which this CTA loads columns 64 r to 64 r + 63 for both. Two tasks: a producer, and one consumer of 8 warps.

    full     completes in each CTA when its 128 x 64 of A and both halves of B have arrived; each CTA expects all of those
             bytes on its own barrier, whoever sent them
    empty    counts the consumers of both CTAs: a slot of this CTA's is overwritten by the peer's multicast too, so a
             producer may load only when both have read

The consumer gives a slot back to the peer first and to its own CTA last; the cluster meets before the first remote
arrival (barriers are initialised) and before the end (nobody arrives at a CTA that has gone).
"""
import triton
import triton.language as tl
import triton.language.extra.tlx as tlx
from launching import ZEROS, descriptor, launch, scalar, uniform

FEATURES = "clusters of two; TMA multicast; remote arrivals; warp-specialised; wgmma 128 x 128 x 64"


@triton.jit
def gemm_hopper_multicast(a_desc, b_desc, c_desc, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr):
    HALF: tl.constexpr = BN // 2
    a = tlx.local_alloc((BM, BK), tl.float16, STAGES)
    b = tlx.local_alloc((BK, HALF), tl.float16, 2 * STAGES)  # slot s: columns 0 to 63 in 2 s, the others in 2 s + 1
    c = tlx.local_alloc((BM, HALF), tl.float16, 2)
    full = tlx.alloc_barriers(STAGES, arrive_count=1)
    empty = tlx.alloc_barriers(STAGES, arrive_count=2)
    rank = tlx.cluster_cta_rank()
    row = tl.program_id(0) * BM
    col = tl.program_id(1) * BN

    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.cluster_barrier()
            for step in range(0, tl.cdiv(K, BK)):
                slot = step % STAGES
                parity = (step // STAGES) & 1
                tlx.barrier_wait(empty[slot], parity ^ 1)
                tlx.barrier_expect_bytes(full[slot], 2 * (BM * BK + BK * BN))
                tlx.async_descriptor_load(a_desc, a[slot], [row, step * BK], full[slot])
                tlx.async_descriptor_load(b_desc, b[2 * slot + rank], [step * BK, col + rank * HALF], full[slot],
                                          multicast_targets=[0, 1])
            tlx.cluster_barrier()

        with tlx.async_task(num_warps=8, registers=232):
            tlx.cluster_barrier()
            left = tl.zeros((BM, HALF), dtype=tl.float32)
            right = tl.zeros((BM, HALF), dtype=tl.float32)
            for step in range(0, tl.cdiv(K, BK)):
                slot = step % STAGES
                parity = (step // STAGES) & 1
                tlx.barrier_wait(full[slot], parity)
                left = tlx.async_dot(a[slot], b[2 * slot], left)
                right = tlx.async_dot(a[slot], b[2 * slot + 1], right)
                left = tlx.async_dot_wait(0, left)
                right = tlx.async_dot_wait(0, right)
                tlx.barrier_arrive(empty[slot], 1, remote_cta_rank=rank ^ 1)
                tlx.barrier_arrive(empty[slot], 1)
            tlx.local_store(c[0], left.to(tl.float16))
            tlx.local_store(c[1], right.to(tl.float16))
            tlx.fence("async_shared")
            tlx.async_descriptor_store(c_desc, c[0], [row, col])
            tlx.async_descriptor_store(c_desc, c[1], [row, col + HALF])
            tlx.async_descriptor_store_wait(0)
            tlx.cluster_barrier()


TILE = dict(BM=128, BN=128, BK=64, STAGES=3)
M, N, K = 256, 256, 320
KERNEL = gemm_hopper_multicast
TARGET = "cuda:90"
NUM_WARPS = 4
CONSTEXPRS = TILE
LAUNCH = launch(
    [2, 2],
    descriptor("a_desc", "f16", [M, K], [128, 64], uniform(1)), descriptor("b_desc", "f16", [K, N], [64, 64], uniform(2)),
    descriptor("c_desc", "f16", [M, N], [128, 64], ZEROS), scalar("K", K), cluster=(2, 1, 1),
)  # fmt: skip
