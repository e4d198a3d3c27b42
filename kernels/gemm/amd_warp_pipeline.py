"""C = A B on MI350 (gfx950) with the waves of a SIMD in turn at the matrix cores and at memory (warp pipeline).

All waves do the same, in steps of two stages: `multiply` issues the products of a step whose operands are in registers,
`memory` reads the next step's operands from LDS and starts the copies of the step STAGES - 1 later. Of two waves on a
SIMD one is half a step behind, so that one multiplies while the other loads; the stages' priorities say who goes first.

The copies of one step are one group. Before `memory` all groups but the youngest STAGES - 2 have arrived, in every wave;
what `memory` overwrites was read one step earlier, before that wait.
"""
import triton
import triton.language as tl
import triton.language.extra.tlx as tlx
from launching import ZEROS, launch, pointer, scalar, uniform

FEATURES = "warp-pipeline stages with priorities; asynchronous copies to LDS in groups, a ring of three; masked last steps; MFMA"


@triton.jit
def start_copies(a, b, left, right, slot, rows, columns, step, M, N, K, BK: tl.constexpr):
    """Copies one step's tiles of A and B into a slot, as one group; beyond K they are zero."""
    inner = step * BK + tl.arange(0, BK)
    tlx.async_load(a + rows[:, None] * K + inner[None, :], left[slot], mask=(rows[:, None] < M) & (inner[None, :] < K))
    tlx.async_load(b + inner[:, None] * N + columns[None, :], right[slot], mask=(inner[:, None] < K) & (columns[None, :] < N))
    tlx.async_load_commit_group()


@triton.jit
def gemm_amd_warp_pipeline(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr):
    left = tlx.local_alloc((BM, BK), tl.float16, STAGES)
    right = tlx.local_alloc((BK, BN), tl.float16, STAGES)
    tiles_m = tl.cdiv(M, BM)
    rows = (tl.program_id(0) % tiles_m) * BM + tl.arange(0, BM)
    columns = (tl.program_id(0) // tiles_m) * BN + tl.arange(0, BN)

    for step in tl.static_range(STAGES):
        start_copies(a, b, left, right, step, rows, columns, step, M, N, K, BK)
    tlx.async_load_wait_group(STAGES - 1)
    x = tlx.local_load(left[0])
    y = tlx.local_load(right[0])
    acc = tl.zeros((BM, BN), tl.float32)
    for step in range(0, tl.cdiv(K, BK) - 1):
        with tlx.warp_pipeline_stage("multiply", priority=0):
            acc = tl.dot(x, y, acc)
        tlx.async_load_wait_group(STAGES - 2)
        with tlx.warp_pipeline_stage("memory", priority=1):
            start_copies(a, b, left, right, step % STAGES, rows, columns, step + STAGES, M, N, K, BK)
            x = tlx.local_load(left[(step + 1) % STAGES])
            y = tlx.local_load(right[(step + 1) % STAGES])
    acc = tl.dot(x, y, acc)
    tlx.async_load_wait_group(0)
    tl.store(c + rows[:, None] * N + columns[None, :], acc.to(tl.float16), (rows[:, None] < M) & (columns[None, :] < N))


M, N, K = 192, 128, 320
KERNEL = gemm_amd_warp_pipeline
TARGET = "hip:gfx950"
NUM_WARPS = 8
CONSTEXPRS = dict(BM=128, BN=64, BK=64, STAGES=3)
LAUNCH = launch([4], pointer("a", "f16", [M, K], uniform(1)), pointer("b", "f16", [K, N], uniform(2)), pointer("c", "f16", [M, N], ZEROS),
                scalar("M", M), scalar("N", N), scalar("K", K))  # fmt: skip
