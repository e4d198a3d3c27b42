"""O = softmax(scale Q K^T) V on Blackwell: two row tiles a CTA take turns between the tensor cores and the softmax.

One CTA computes 256 rows of Q of one head, as two tiles of 128, with four tasks:

    producer      the default warp group: loads both tiles of Q, then K and V block by block into rings of STAGES slots
    multiplier    one warp: S_g = Q_g K^T into tensor memory for g = 0, 1, then O_g += P_g V
    softmax       two warp groups, one tile each: read S_g, keep the rows' maximum and sum, scale O_g in tensor memory, write
                  P_g as f16 into tensor memory; at the end divide and store

Barriers, for tile g and block j: `s_full[g]` S_g is complete; `p_full[g]` P_g is written, O_g scaled and S_g read, all of it by
the softmax task; `o_full[g]` P_g V has been added, so that P_g may be overwritten and O_g scaled again. The tensor core frees
the slots of K and V by itself when the products that read them are done.

While the softmax of one tile runs the tensor cores work on the other: that is why there are two.
"""
import triton
import triton.language as tl
import triton.language.extra.tlx as tlx
from launching import ZEROS, descriptor, launch, scalar, uniform

FEATURES = "two row tiles; tcgen05 with P from tensor memory; O scaled in tensor memory; online softmax; TMA"


@triton.jit
def attention_blackwell_fwd(q_desc, k_desc, v_desc, o_desc, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr,
                            STAGES: tl.constexpr):
    q = tlx.local_alloc((BM, D), tl.float16, 2)
    k = tlx.local_alloc((BN, D), tl.float16, STAGES)
    v = tlx.local_alloc((BN, D), tl.float16, STAGES)
    o = tlx.local_alloc((BM, D), tl.float16, 2)
    sums = tlx.local_alloc((BM, BN), tl.float32, 2, tlx.storage_kind.tmem)
    weights = tlx.local_alloc((BM, BN), tl.float16, 2, tlx.storage_kind.tmem)
    acc = tlx.local_alloc((BM, D), tl.float32, 2, tlx.storage_kind.tmem)
    q_full = tlx.alloc_barriers(2, arrive_count=1)
    k_full = tlx.alloc_barriers(STAGES, arrive_count=1)
    k_empty = tlx.alloc_barriers(STAGES, arrive_count=1)
    v_full = tlx.alloc_barriers(STAGES, arrive_count=1)
    v_empty = tlx.alloc_barriers(STAGES, arrive_count=1)
    s_full = tlx.alloc_barriers(2, arrive_count=1)
    p_full = tlx.alloc_barriers(2, arrive_count=1)
    o_full = tlx.alloc_barriers(2, arrive_count=1)
    first = tl.program_id(1) * N  # the head's first row
    row = first + tl.program_id(0) * 2 * BM

    with tlx.async_tasks():
        with tlx.async_task("default"):
            for tile in tl.static_range(2):
                tlx.barrier_expect_bytes(q_full[tile], 2 * BM * D)
                tlx.async_descriptor_load(q_desc, q[tile], [row + tile * BM, 0], q_full[tile])
            for block in range(0, tl.cdiv(N, BN)):
                slot = block % STAGES
                parity = (block // STAGES) & 1
                tlx.barrier_wait(k_empty[slot], parity ^ 1)
                tlx.barrier_expect_bytes(k_full[slot], 2 * BN * D)
                tlx.async_descriptor_load(k_desc, k[slot], [first + block * BN, 0], k_full[slot])
                tlx.barrier_wait(v_empty[slot], parity ^ 1)
                tlx.barrier_expect_bytes(v_full[slot], 2 * BN * D)
                tlx.async_descriptor_load(v_desc, v[slot], [first + block * BN, 0], v_full[slot])

        with tlx.async_task(num_warps=1, registers=48):
            tlx.barrier_wait(q_full[0], 0)
            tlx.barrier_wait(q_full[1], 0)
            for block in range(0, tl.cdiv(N, BN)):
                slot = block % STAGES
                parity = (block // STAGES) & 1
                tlx.barrier_wait(k_full[slot], parity)
                for tile in tl.static_range(2):
                    # S is free: the last block's p_full has been waited for below.
                    tlx.async_dot(q[tile], tlx.local_trans(k[slot]), sums[tile], use_acc=False, mBarriers=[s_full[tile]])
                tlx.tcgen05_commit(k_empty[slot])
                tlx.barrier_wait(v_full[slot], parity)
                for tile in tl.static_range(2):
                    tlx.barrier_wait(p_full[tile], block & 1)
                    tlx.async_dot(weights[tile], v[slot], acc[tile], use_acc=block > 0, mBarriers=[o_full[tile]])
                tlx.tcgen05_commit(v_empty[slot])

        with tlx.async_task(num_warps=4, registers=168, replicate=2):
            tile = tlx.async_task_replica_id()
            base2 = scale * 1.44269504089
            top = tl.full((BM,), float("-inf"), tl.float32)
            total = tl.zeros((BM,), tl.float32)
            blocks = tl.cdiv(N, BN)
            for block in range(0, blocks):
                tlx.barrier_wait(s_full[tile], block & 1)
                s = tlx.local_load(sums[tile])
                columns = block * BN + tl.arange(0, BN)
                s = tl.where(columns[None, :] < N, s * base2, float("-inf"))
                higher = tl.maximum(top, tl.max(s, 1))
                p = tl.exp2(s - higher[:, None])
                fade = tl.exp2(top - higher)
                total = total * fade + tl.sum(p, 1)
                top = higher
                if block > 0:
                    tlx.barrier_wait(o_full[tile], (block & 1) ^ 1)
                    tlx.local_store(acc[tile], tlx.local_load(acc[tile]) * fade[:, None])
                tlx.local_store(weights[tile], p.to(tl.float16))
                tlx.barrier_arrive(p_full[tile], 1)
            tlx.barrier_wait(o_full[tile], (blocks & 1) ^ 1)
            out = tlx.local_load(acc[tile]) / total[:, None]
            tlx.local_store(o[tile], out.to(tl.float16))
            tlx.fence("async_shared")
            tlx.async_descriptor_store(o_desc, o[tile], [row + tile * BM, 0])
            tlx.async_descriptor_store_wait(0)


TILE = dict(BM=128, BN=64, D=64, STAGES=2)
HEADS, N = 2, 256
ROWS = HEADS * N
KERNEL = attention_blackwell_fwd
TARGET = "cuda:100"
NUM_WARPS = 4
CONSTEXPRS = TILE
LAUNCH = launch(
    [1, HEADS],
    descriptor("q_desc", "f16", [ROWS, 64], [128, 64], uniform(1)), descriptor("k_desc", "f16", [ROWS, 64], [64, 64], uniform(2)),
    descriptor("v_desc", "f16", [ROWS, 64], [64, 64], uniform(3)), descriptor("o_desc", "f16", [ROWS, 64], [128, 64], ZEROS),
    scalar("scale", 0.125, "fp32"), scalar("N", N),
)  # fmt: skip
