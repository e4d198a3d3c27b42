"""O = softmax(scale Q K^T) V on Hopper, causal or not: persistent, warp-specialised, the consumers in ping-pong.

A tile is 128 rows of Q of one head. One CTA computes every num_programs-th tile, with three tasks:

    producer      one warp group: loads the tile's Q, as two halves of 64 rows, then K and V block by block into
                  rings of STAGES slots
    consumers     two warp groups, 64 rows each: S = Q K^T in registers, the running row maximum and sum of the
                  online softmax, O += P V with P in registers; the half of O leaves through shared memory

Barriers. `k_full`/`v_full` complete with the bytes of their load, `k_empty`/`v_empty` when both consumers have read
a slot; block i of a CTA, counted over all of its tiles, uses slot i % STAGES. `q_full[h]` and `q_empty[h]` hand the
half h of Q to its one consumer, once a tile.

Ping-pong. While one consumer does its softmax the other has the tensor cores: a consumer waits for its turn (a named
barrier of its own) before it issues a block's first product and gives the turn to the other after the second has been
issued. The second consumer lets the first begin. Both meet the same number of blocks, so that the turns alternate for
ever; the turn that is left over at the end is taken by nobody.
"""
import triton
import triton.language as tl
import triton.language.extra.tlx as tlx
from launching import ZEROS, descriptor, launch, scalar, uniform

FEATURES = "persistent; causal; online softmax; ping-pong of two consumers by named barriers; wgmma with P from registers; TMA"

TURN = tl.constexpr(9)  # the first consumer's turn; 10 is the second's
BOTH = tl.constexpr(256)  # threads of two warp groups


@triton.jit
def blocks_of(row, N, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    """Blocks of K that the tile of rows from `row` looks at."""
    if CAUSAL:
        return tl.cdiv(tl.minimum(row + BM, N), BN)
    else:
        return tl.cdiv(N, BN)


@triton.jit
def attention_hopper_fwd(q_desc, k_desc, v_desc, o_desc, scale, HEADS, N, BM: tl.constexpr, BN: tl.constexpr,
                         D: tl.constexpr, STAGES: tl.constexpr, CAUSAL: tl.constexpr):
    HALF: tl.constexpr = BM // 2

    q = tlx.local_alloc((HALF, D), tl.float16, 2)
    k = tlx.local_alloc((BN, D), tl.float16, STAGES)
    v = tlx.local_alloc((BN, D), tl.float16, STAGES)
    o = tlx.local_alloc((HALF, D), tl.float16, 2)
    q_full = tlx.alloc_barriers(2, arrive_count=1)
    q_empty = tlx.alloc_barriers(2, arrive_count=1)
    k_full = tlx.alloc_barriers(STAGES, arrive_count=1)
    k_empty = tlx.alloc_barriers(STAGES, arrive_count=2)
    v_full = tlx.alloc_barriers(STAGES, arrive_count=1)
    v_empty = tlx.alloc_barriers(STAGES, arrive_count=2)

    with tlx.async_tasks():
        with tlx.async_task("default"):
            row_tiles = tl.cdiv(N, BM)
            count = 0
            round = 0
            for tile in range(tl.program_id(0), row_tiles * HEADS, tl.num_programs(0)):
                head = tile // row_tiles
                row = (tile % row_tiles) * BM
                for half in tl.static_range(2):
                    tlx.barrier_wait(q_empty[half], (round & 1) ^ 1)
                    tlx.barrier_expect_bytes(q_full[half], 2 * HALF * D)
                    tlx.async_descriptor_load(q_desc, q[half], [head * N + row + half * HALF, 0], q_full[half])
                for block in range(0, blocks_of(row, N, BM, BN, CAUSAL)):
                    slot = count % STAGES
                    parity = (count // STAGES) & 1
                    tlx.barrier_wait(k_empty[slot], parity ^ 1)
                    tlx.barrier_expect_bytes(k_full[slot], 2 * BN * D)
                    tlx.async_descriptor_load(k_desc, k[slot], [head * N + block * BN, 0], k_full[slot])
                    tlx.barrier_wait(v_empty[slot], parity ^ 1)
                    tlx.barrier_expect_bytes(v_full[slot], 2 * BN * D)
                    tlx.async_descriptor_load(v_desc, v[slot], [head * N + block * BN, 0], v_full[slot])
                    count += 1
                round += 1

        with tlx.async_task(num_warps=4, registers=232, replicate=2):
            half = tlx.async_task_replica_id()
            row_tiles = tl.cdiv(N, BM)
            base2 = scale * 1.44269504089  # the exponentials are of base 2
            if half == 1:
                tlx.named_barrier_arrive(TURN, BOTH)
            count = 0
            round = 0
            for tile in range(tl.program_id(0), row_tiles * HEADS, tl.num_programs(0)):
                head = tile // row_tiles
                row = (tile % row_tiles) * BM
                rows = row + half * HALF + tl.arange(0, HALF)
                top = tl.full((HALF,), float("-inf"), tl.float32)
                total = tl.zeros((HALF,), tl.float32)
                acc = tl.zeros((HALF, D), tl.float32)
                tlx.barrier_wait(q_full[half], round & 1)
                for block in range(0, blocks_of(row, N, BM, BN, CAUSAL)):
                    slot = count % STAGES
                    parity = (count // STAGES) & 1
                    tlx.barrier_wait(k_full[slot], parity)
                    if half == 0:
                        tlx.named_barrier_wait(TURN, BOTH)
                    else:
                        tlx.named_barrier_wait(TURN + 1, BOTH)
                    s = tlx.async_dot(q[half], tlx.local_trans(k[slot]))
                    if half == 0:
                        tlx.named_barrier_arrive(TURN + 1, BOTH)
                    else:
                        tlx.named_barrier_arrive(TURN, BOTH)
                    s = tlx.async_dot_wait(0, s)
                    tlx.barrier_arrive(k_empty[slot], 1)

                    columns = block * BN + tl.arange(0, BN)
                    seen = columns[None, :] < N
                    if CAUSAL:
                        seen = seen & (columns[None, :] <= rows[:, None])
                    s = tl.where(seen, s * base2, float("-inf"))
                    higher = tl.maximum(top, tl.max(s, 1))
                    # A row that has seen nothing yet keeps a maximum that can be subtracted.
                    shift = tl.where(higher == float("-inf"), 0.0, higher)
                    p = tl.exp2(s - shift[:, None])
                    fade = tl.exp2(top - shift)
                    total = total * fade + tl.sum(p, 1)
                    acc = acc * fade[:, None]
                    top = higher

                    tlx.barrier_wait(v_full[slot], parity)
                    acc = tlx.async_dot(p.to(tl.float16), v[slot], acc)
                    acc = tlx.async_dot_wait(0, acc)
                    tlx.barrier_arrive(v_empty[slot], 1)
                    count += 1
                tlx.barrier_arrive(q_empty[half], 1)
                out = acc / total[:, None]
                tlx.local_store(o[half], out.to(tl.float16))
                tlx.fence("async_shared")
                tlx.async_descriptor_store(o_desc, o[half], [head * N + row + half * HALF, 0])
                tlx.async_descriptor_store_wait(0)
                round += 1


TILE = dict(BM=128, BN=64, D=64, STAGES=2, CAUSAL=True)


def attention_launch(heads, n, ctas):
    """Q, K, V and O of `heads` heads lie below each other; n is a multiple of BM."""
    rows, d = heads * n, TILE["D"]
    return launch(
        [ctas],
        descriptor("q_desc", "f16", [rows, d], [TILE["BM"] // 2, d], uniform(1)),
        descriptor("k_desc", "f16", [rows, d], [TILE["BN"], d], uniform(2)),
        descriptor("v_desc", "f16", [rows, d], [TILE["BN"], d], uniform(3)),
        descriptor("o_desc", "f16", [rows, d], [TILE["BM"] // 2, d], ZEROS),
        scalar("scale", 0.125, "fp32"), scalar("HEADS", heads), scalar("N", n),
    )  # fmt: skip


# Six tiles on four CTAs; under the mask they have two or four blocks each.
KERNEL = attention_hopper_fwd
TARGET = "cuda:90"
NUM_WARPS = 4
CONSTEXPRS = TILE
LAUNCH = attention_launch(3, 256, 4)
