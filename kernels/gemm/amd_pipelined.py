"""C = A B on MI350 (gfx950): loads straight into LDS, one tile of K ahead of the products.

All waves do the same. While the products of step i read one pair of LDS buffers, the loads of step i + 1 fill the other:
they are issued as one group, waited for at the end of the step, and the next step's reads of LDS come after that wait.
"""
import triton
import triton.language as tl
import triton.language.extra.tlx as tlx
from launching import ZEROS, launch, pointer, scalar, uniform

FEATURES = "asynchronous copies to LDS in groups; two buffers; peeled first load and last product; MFMA"


@triton.jit
def gemm_amd_pipelined(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    left = tlx.local_alloc((BM, BK), tl.float16, 2)
    right = tlx.local_alloc((BK, BN), tl.float16, 2)
    tiles_m = tl.cdiv(M, BM)
    rows = (tl.program_id(0) % tiles_m) * BM + tl.arange(0, BM)
    columns = (tl.program_id(0) // tiles_m) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    from_a = a + rows[:, None] * K + inner[None, :]
    from_b = b + inner[:, None] * N + columns[None, :]
    steps = tl.cdiv(K, BK)

    tlx.async_load(from_a, left[0], mask=rows[:, None] < M)
    tlx.async_load(from_b, right[0], mask=columns[None, :] < N)
    tlx.async_load_commit_group()
    acc = tl.zeros((BM, BN), tl.float32)
    for step in range(0, steps - 1):
        tlx.async_load_wait_group(0)
        from_a += BK
        from_b += BK * N
        x = tlx.local_load(left[step % 2])
        y = tlx.local_load(right[step % 2])
        tlx.async_load(from_a, left[(step + 1) % 2], mask=rows[:, None] < M)
        tlx.async_load(from_b, right[(step + 1) % 2], mask=columns[None, :] < N)
        tlx.async_load_commit_group()
        acc = tl.dot(x, y, acc)
    tlx.async_load_wait_group(0)
    last = (steps - 1) % 2
    acc = tl.dot(tlx.local_load(left[last]), tlx.local_load(right[last]), acc)
    tl.store(c + rows[:, None] * N + columns[None, :], acc.to(tl.float16), (rows[:, None] < M) & (columns[None, :] < N))


M, N, K = 192, 128, 192
KERNEL = gemm_amd_pipelined
TARGET = "hip:gfx950"
NUM_WARPS = 4
CONSTEXPRS = dict(BM=128, BN=64, BK=64)
# K is a multiple of BK: the loads of K are not masked.
LAUNCH = launch([4], pointer("a", "f16", [M, K], uniform(1)), pointer("b", "f16", [K, N], uniform(2)), pointer("c", "f16", [M, N], ZEROS),
                scalar("M", M), scalar("N", N), scalar("K", K))  # fmt: skip
