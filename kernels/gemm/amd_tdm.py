"""C = A B on gfx1250 with tiles that the tensor data mover brings to LDS.

All waves do the same. The mover copies whole tiles, beyond the matrices' edges zeros; a counter of unfinished copies is
all there is to wait for. STAGES slots of LDS are used in turn: while step i is multiplied the copies of the STAGES - 1
steps behind it are under way, and a slot is filled again one step after it was read.
"""
import triton
import triton.language as tl
import triton.language.extra.tlx as tlx
from launching import ZEROS, launch, pointer, scalar, uniform

FEATURES = "tensor data mover with descriptors made on the device; ring of three slots; waits by count of copies; WMMA"


@triton.jit
def gemm_amd_tdm(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a, shape=[M, K], strides=[K, tl.constexpr(1)], block_shape=[BM, BK])
    b_desc = tl.make_tensor_descriptor(b, shape=[K, N], strides=[N, tl.constexpr(1)], block_shape=[BK, BN])
    left = tlx.local_alloc((BM, BK), tl.float16, STAGES)
    right = tlx.local_alloc((BK, BN), tl.float16, STAGES)
    tiles_m = tl.cdiv(M, BM)
    row = (tl.program_id(0) % tiles_m) * BM
    column = (tl.program_id(0) // tiles_m) * BN

    for step in tl.static_range(STAGES - 1):
        tlx.async_amd_descriptor_load(a_desc, left[step], [row, step * BK])
        tlx.async_amd_descriptor_load(b_desc, right[step], [step * BK, column])
    acc = tl.zeros((BM, BN), tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        tlx.async_amd_descriptor_wait(2 * (STAGES - 2))  # two copies a step
        later = step + STAGES - 1
        tlx.async_amd_descriptor_load(a_desc, left[later % STAGES], [row, later * BK])
        tlx.async_amd_descriptor_load(b_desc, right[later % STAGES], [later * BK, column])
        acc = tl.dot(tlx.local_load(left[step % STAGES]), tlx.local_load(right[step % STAGES]), acc)
    tlx.async_amd_descriptor_wait(0)
    rows = row + tl.arange(0, BM)
    columns = column + tl.arange(0, BN)
    tl.store(c + rows[:, None] * N + columns[None, :], acc.to(tl.float16), (rows[:, None] < M) & (columns[None, :] < N))


M, N, K = 192, 128, 192
KERNEL = gemm_amd_tdm
TARGET = "hip:gfx1250"
NUM_WARPS = 4
CONSTEXPRS = dict(BM=128, BN=64, BK=32, STAGES=3)
LAUNCH = launch([4], pointer("a", "f16", [M, K], uniform(1)), pointer("b", "f16", [K, N], uniform(2)), pointer("c", "f16", [M, N], ZEROS),
                scalar("M", M), scalar("N", N), scalar("K", K))  # fmt: skip
