"""dQ, dK and dV of O = softmax(scale Q K^T) V on Blackwell, from dO and what the forward pass keeps of each row.

One CTA owns BN rows of K and V of one head and goes over the head's rows of Q in blocks of BM. With P = exp(scale Q K^T -
lse) and dS = P * (dO V^T - delta), rows of the transposes being rows of K:

    dV += P^T dO        dK += dS^T Q        dQ += dS K, added up over the CTAs in memory

Five tasks:

    reducer       the default warp group: reads a block's dQ from tensor memory and adds it to the result with atomics
    producer      one warp: loads K and V once, then Q and dO block by block into rings of STAGES slots
    multiplier    one warp: S^T = K Q^T, dP^T = V dO^T, then dV, dK and dQ
    softmax       two warp groups: P^T from S^T into tensor memory as f16, dS^T from dP^T into shared memory; at the end they
                  store dV and dK

Barriers: `s_full`, `dp_full`, `dq_full` by the tensor core; `p_full` (P^T written, S^T read), `ds_full` (dS^T written, dP^T
read) by the softmax; `dq_empty` by the reducer. Products complete in order: when the next block's S^T is complete, so are the
products that read this block's P^T and dS^T.
"""
import triton
import triton.language as tl
import triton.language.extra.tlx as tlx
from launching import ZEROS, descriptor, launch, pointer, scalar, uniform

FEATURES = "five products a block in tensor memory; P^T from tensor memory; dS used plain and transposed; dQ by f32 atomics; TMA"


@triton.jit
def attention_blackwell_bwd(q_desc, k_desc, v_desc, do_desc, lse, delta, dq, dk_desc, dv_desc, scale, N, BM: tl.constexpr,
                            BN: tl.constexpr, D: tl.constexpr, STAGES: tl.constexpr):
    k = tlx.local_alloc((BN, D), tl.float16, 1)
    v = tlx.local_alloc((BN, D), tl.float16, 1)
    q = tlx.local_alloc((BM, D), tl.float16, STAGES)
    do = tlx.local_alloc((BM, D), tl.float16, STAGES)
    ds = tlx.local_alloc((BN, BM), tl.float16, 1)
    out = tlx.local_alloc((BN, D), tl.float16, 2)
    sums = tlx.local_alloc((BN, BM), tl.float32, 1, tlx.storage_kind.tmem)
    dp = tlx.local_alloc((BN, BM), tl.float32, 1, tlx.storage_kind.tmem)
    weights = tlx.local_alloc((BN, BM), tl.float16, 1, tlx.storage_kind.tmem)
    dv_acc = tlx.local_alloc((BN, D), tl.float32, 1, tlx.storage_kind.tmem)
    dk_acc = tlx.local_alloc((BN, D), tl.float32, 1, tlx.storage_kind.tmem)
    dq_acc = tlx.local_alloc((BM, D), tl.float32, 1, tlx.storage_kind.tmem)
    kv_full = tlx.alloc_barriers(1, arrive_count=1)
    q_full = tlx.alloc_barriers(STAGES, arrive_count=1)
    q_empty = tlx.alloc_barriers(STAGES, arrive_count=1)
    do_full = tlx.alloc_barriers(STAGES, arrive_count=1)
    do_empty = tlx.alloc_barriers(STAGES, arrive_count=1)
    s_full = tlx.alloc_barriers(1, arrive_count=1)
    dp_full = tlx.alloc_barriers(1, arrive_count=1)
    p_full = tlx.alloc_barriers(1, arrive_count=1)
    ds_full = tlx.alloc_barriers(1, arrive_count=1)
    dq_full = tlx.alloc_barriers(1, arrive_count=1)
    dq_empty = tlx.alloc_barriers(1, arrive_count=1)
    first = tl.program_id(1) * N  # the head's first row
    row = first + tl.program_id(0) * BN  # the first row of K

    with tlx.async_tasks():
        with tlx.async_task("default"):
            for block in range(0, tl.cdiv(N, BM)):
                tlx.barrier_wait(dq_full[0], block & 1)
                part = tlx.local_load(dq_acc[0])
                tlx.barrier_arrive(dq_empty[0], 1)
                place = block * BM + tl.arange(0, BM)
                tl.atomic_add(dq + (first + place)[:, None] * D + tl.arange(0, D)[None, :], part * scale,
                              mask=place[:, None] < N, sem="relaxed")

        with tlx.async_task(num_warps=1, registers=32):
            tlx.barrier_expect_bytes(kv_full[0], 4 * BN * D)
            tlx.async_descriptor_load(k_desc, k[0], [row, 0], kv_full[0])
            tlx.async_descriptor_load(v_desc, v[0], [row, 0], kv_full[0])
            for block in range(0, tl.cdiv(N, BM)):
                slot = block % STAGES
                parity = (block // STAGES) & 1
                tlx.barrier_wait(q_empty[slot], parity ^ 1)
                tlx.barrier_expect_bytes(q_full[slot], 2 * BM * D)
                tlx.async_descriptor_load(q_desc, q[slot], [first + block * BM, 0], q_full[slot])
                tlx.barrier_wait(do_empty[slot], parity ^ 1)
                tlx.barrier_expect_bytes(do_full[slot], 2 * BM * D)
                tlx.async_descriptor_load(do_desc, do[slot], [first + block * BM, 0], do_full[slot])

        with tlx.async_task(num_warps=1, registers=32):
            tlx.barrier_wait(kv_full[0], 0)
            for block in range(0, tl.cdiv(N, BM)):
                slot = block % STAGES
                parity = (block // STAGES) & 1
                tlx.barrier_wait(q_full[slot], parity)
                tlx.async_dot(k[0], tlx.local_trans(q[slot]), sums[0], use_acc=False, mBarriers=[s_full[0]])
                tlx.barrier_wait(do_full[slot], parity)
                tlx.async_dot(v[0], tlx.local_trans(do[slot]), dp[0], use_acc=False, mBarriers=[dp_full[0]])
                tlx.barrier_wait(p_full[0], block & 1)
                tlx.async_dot(weights[0], do[slot], dv_acc[0], use_acc=block > 0, mBarriers=[do_empty[slot]])
                tlx.barrier_wait(ds_full[0], block & 1)
                tlx.async_dot(ds[0], q[slot], dk_acc[0], use_acc=block > 0, mBarriers=[q_empty[slot]])
                tlx.barrier_wait(dq_empty[0], (block & 1) ^ 1)
                tlx.async_dot(tlx.local_trans(ds[0]), k[0], dq_acc[0], use_acc=False, mBarriers=[dq_full[0]])

        with tlx.async_task(num_warps=8, registers=128):
            blocks = tl.cdiv(N, BM)
            base2 = scale * 1.44269504089
            for block in range(0, blocks):
                place = block * BM + tl.arange(0, BM)
                shift = tl.load(lse + first + place, mask=place < N, other=float("inf")) * 1.44269504089
                mean = tl.load(delta + first + place, mask=place < N, other=0.0)
                tlx.barrier_wait(s_full[0], block & 1)
                p = tl.exp2(tlx.local_load(sums[0]) * base2 - shift[None, :])
                tlx.local_store(weights[0], p.to(tl.float16))
                tlx.barrier_arrive(p_full[0], 1)
                tlx.barrier_wait(dp_full[0], block & 1)
                d = p * (tlx.local_load(dp[0]) - mean[None, :])
                tlx.local_store(ds[0], d.to(tl.float16))
                tlx.fence("async_shared")
                tlx.barrier_arrive(ds_full[0], 1)
            # The last block's dQ is the last product of all.
            tlx.barrier_wait(dq_full[0], (blocks & 1) ^ 1)
            tlx.local_store(out[0], tlx.local_load(dv_acc[0]).to(tl.float16))
            tlx.local_store(out[1], (tlx.local_load(dk_acc[0]) * scale).to(tl.float16))
            tlx.fence("async_shared")
            tlx.async_descriptor_store(dv_desc, out[0], [row, 0])
            tlx.async_descriptor_store(dk_desc, out[1], [row, 0])
            tlx.async_descriptor_store_wait(0)


TILE = dict(BM=128, BN=128, D=64, STAGES=2)
HEADS, N = 2, 384
ROWS, D = HEADS * N, TILE["D"]
KERNEL = attention_blackwell_bwd
TARGET = "cuda:100"
NUM_WARPS = 4
CONSTEXPRS = TILE
# Rows' logarithms of sums near those of such Q and K; N is a multiple of BN.
LAUNCH = launch(
    [N // TILE["BN"], HEADS],
    descriptor("q_desc", "f16", [ROWS, D], [128, D], uniform(1)), descriptor("k_desc", "f16", [ROWS, D], [128, D], uniform(2)),
    descriptor("v_desc", "f16", [ROWS, D], [128, D], uniform(3)), descriptor("do_desc", "f16", [ROWS, D], [128, D], uniform(4)),
    pointer("lse", "f32", [ROWS], uniform(5, 5.5, 6.5)), pointer("delta", "f32", [ROWS], uniform(6, -0.25, 0.25)),
    pointer("dq", "f32", [ROWS, D], ZEROS), descriptor("dk_desc", "f16", [ROWS, D], [128, D], ZEROS),
    descriptor("dv_desc", "f16", [ROWS, D], [128, D], ZEROS), scalar("scale", 0.125, "fp32"), scalar("N", N),
)  # fmt: skip
