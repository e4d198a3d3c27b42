"""C_g = A_g B_g for groups of different height, in one launch: persistent over the tiles of all groups.

The groups' rows lie below each other; `ends[g]` is the row after group g's last, and B_g follows B_(g-1). Every CTA walks
the groups and takes each num_programs-th tile, counted over all of them. No group needs a size that a tile divides:
rows beyond the group are not stored.
"""
import triton
import triton.language as tl
from launching import ZEROS, launch, pointer, scalar, uniform

FEATURES = "grouped; persistent; sizes read from memory; while loops; pointer loads with masks; tt.dot"


@triton.jit
def gemm_grouped(a, b, c, ends, GROUPS, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tiles_n = tl.cdiv(N, BN)
    tile = tl.program_id(0)
    first = 0  # the number of the group's first tile
    begin = 0
    for group in range(0, GROUPS):
        end = tl.load(ends + group)
        tiles = tl.cdiv(end - begin, BM) * tiles_n
        while tile < first + tiles:
            within = tile - first
            rows = begin + (within // tiles_n) * BM + tl.arange(0, BM)
            columns = (within % tiles_n) * BN + tl.arange(0, BN)
            acc = tl.zeros((BM, BN), tl.float32)
            for step in range(0, tl.cdiv(K, BK)):
                k = step * BK + tl.arange(0, BK)
                left = tl.load(a + rows[:, None] * K + k[None, :], (rows[:, None] < end) & (k[None, :] < K), other=0.0)
                right = tl.load(b + (group * K + k[:, None]) * N + columns[None, :], (k[:, None] < K) & (columns[None, :] < N), other=0.0)
                acc = tl.dot(left, right, acc)
            tl.store(c + rows[:, None] * N + columns[None, :], acc.to(tl.float16), (rows[:, None] < end) & (columns[None, :] < N))
            tile += tl.num_programs(0)
        first += tiles
        begin = end


ENDS = [70, 70, 101, 230]  # the second group is empty
N, K = 96, 80
KERNEL = gemm_grouped
TARGET = "cuda:90"
NUM_WARPS = 4
CONSTEXPRS = dict(BM=64, BN=32, BK=32)
LAUNCH = launch(
    [5], pointer("a", "f16", [ENDS[-1], K], uniform(1)), pointer("b", "f16", [len(ENDS) * K, N], uniform(2)),
    pointer("c", "f16", [ENDS[-1], N], ZEROS), pointer("ends", "i32", [len(ENDS)], {"fill": "values", "values": ENDS}),
    scalar("GROUPS", len(ENDS)), scalar("N", N), scalar("K", K),
)  # fmt: skip
