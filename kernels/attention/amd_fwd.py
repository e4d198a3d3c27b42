"""O = softmax(scale Q K^T) V on MI350 (gfx950): K and V come straight into LDS, one block ahead.

All waves do the same. One program computes BM rows of Q of one head; Q stays in registers. While block j is multiplied
the copies of K and V of block j + 1, one group, fill the other half of LDS; the group is waited for before the block is
read, in every wave, and by then every wave has read the half that the next copies overwrite.
"""
import triton
import triton.language as tl
import triton.language.extra.tlx as tlx
from launching import ZEROS, launch, pointer, scalar, uniform

FEATURES = "Q in registers; asynchronous copies to LDS in groups; two buffers; K transposed in LDS; online softmax; MFMA"


@triton.jit
def copy_block(k, v, k_tiles, v_tiles, block, N, BN: tl.constexpr, D: tl.constexpr):
    """Copies a block of rows of K and V, as one group; rows beyond N are zero."""
    rows = block * BN + tl.arange(0, BN)
    place = rows[:, None] * D + tl.arange(0, D)[None, :]
    tlx.async_load(k + place, k_tiles[block % 2], mask=rows[:, None] < N)
    tlx.async_load(v + place, v_tiles[block % 2], mask=rows[:, None] < N)
    tlx.async_load_commit_group()


@triton.jit
def attention_amd_fwd(q, k, v, o, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    k_tiles = tlx.local_alloc((BN, D), tl.float16, 2)
    v_tiles = tlx.local_alloc((BN, D), tl.float16, 2)
    head = tl.program_id(1) * N * D
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    place = rows[:, None] * D + tl.arange(0, D)[None, :]
    x = tl.load(q + head + place, mask=rows[:, None] < N, other=0.0)
    base2 = scale * 1.44269504089
    top = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    blocks = tl.cdiv(N, BN)

    copy_block(k + head, v + head, k_tiles, v_tiles, 0, N, BN, D)
    for block in range(0, blocks):
        tlx.async_load_wait_group(0)
        y = tlx.local_load(tlx.local_trans(k_tiles[block % 2]))
        z = tlx.local_load(v_tiles[block % 2])
        copy_block(k + head, v + head, k_tiles, v_tiles, block + 1, N, BN, D)
        columns = block * BN + tl.arange(0, BN)
        s = tl.where(columns[None, :] < N, tl.dot(x, y) * base2, float("-inf"))
        higher = tl.maximum(top, tl.max(s, 1))
        p = tl.exp2(s - higher[:, None])
        fade = tl.exp2(top - higher)
        total = total * fade + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), z, acc * fade[:, None])
        top = higher
    tlx.async_load_wait_group(0)
    tl.store(o + head + place, (acc / total[:, None]).to(tl.float16), mask=rows[:, None] < N)


HEADS, N, D = 2, 192, 64
KERNEL = attention_amd_fwd
TARGET = "hip:gfx950"
NUM_WARPS = 4
CONSTEXPRS = dict(BM=128, BN=64, D=D)
# The second program of each head has only 64 rows.
LAUNCH = launch([2, HEADS], *[pointer(name, "f16", [HEADS * N, D], uniform(i + 1) if name != "o" else ZEROS) for i, name in enumerate("qkvo")],
                scalar("scale", 0.125, "fp32"), scalar("N", N))  # fmt: skip
