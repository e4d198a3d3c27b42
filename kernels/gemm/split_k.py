"""C += A B with K split over the programs of a tile, which add their parts with atomics.

Plain Triton: program (t, s) multiplies the s-th share of K for tile t and adds the result to C in f32. The order of the
additions is free, so the last bits of C vary from run to run; C starts at zero.
"""
import triton
import triton.language as tl
from launching import ZEROS, launch, pointer, scalar, uniform

FEATURES = "split K; f32 atomic adds; pointer loads with masks; tt.dot"


@triton.jit
def gemm_split_k(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr):
    tiles_m = tl.cdiv(M, BM)
    tile = tl.program_id(0)
    rows = (tile % tiles_m) * BM + tl.arange(0, BM)
    columns = (tile // tiles_m) * BN + tl.arange(0, BN)
    inner = tl.program_id(1) * BK + tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BK * SPLIT)):
        k = inner + step * (BK * SPLIT)
        left = tl.load(a + rows[:, None] * K + k[None, :], (rows[:, None] < M) & (k[None, :] < K), other=0.0)
        right = tl.load(b + k[:, None] * N + columns[None, :], (k[:, None] < K) & (columns[None, :] < N), other=0.0)
        acc = tl.dot(left, right, acc)
    tl.atomic_add(c + rows[:, None] * N + columns[None, :], acc, (rows[:, None] < M) & (columns[None, :] < N), sem="relaxed")


TILE = dict(BM=64, BN=64, BK=32, SPLIT=3)
M, N, K = 96, 80, 208
KERNEL = gemm_split_k
TARGET = "cuda:90"
NUM_WARPS = 4
CONSTEXPRS = TILE
LAUNCH = launch([4, TILE["SPLIT"]], pointer("a", "f16", [M, K], uniform(1)), pointer("b", "f16", [K, N], uniform(2)),
                pointer("c", "f32", [M, N], ZEROS), scalar("M", M), scalar("N", N), scalar("K", K))  # fmt: skip
