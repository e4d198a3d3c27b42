"""O = softmax(scale Q K^T) V on Hopper for long sequences, causal or not: each consumer multiplies while it does its softmax.

A tile is GROUPS * 64 rows of Q of one head. One CTA computes every num_programs-th tile, with 1 + GROUPS tasks:

    producer      one warp group: loads the tile's Q, 64 rows for each consumer, then K and V block by block into
                  rings of STAGES slots, from the last block that the tile looks at to the first
    consumers     GROUPS warp groups, 64 rows each. A step issues S = Q K^T of one block and O += P V of the block
                  before it, and does the softmax of S while the second product runs. A tile's last product is issued
                  together with the next tile's first, so that tiles follow each other like blocks. O leaves through
                  shared memory while the next tile begins.

Barriers. `k_full`/`v_full` complete with the bytes of their load, `k_empty`/`v_empty` when all consumers have read
a slot; block i of a CTA, counted over all of its tiles, uses slot i % STAGES. `q_full` and `q_empty` hand rows of Q to
their one consumer, once a tile; each has two buffers. Behind its last tile a consumer multiplies rows and a block that
are loaded for this alone.

Turns. The consumers issue Q K^T one after the other, so that their softmaxes fall into each other's products: a
consumer waits for its turn (a named barrier of its own) and gives it to the next. The last consumer lets the first
begin. All meet the same number of blocks, so that the turns go round for ever; the turn that is left over at the end
is taken by nobody.

Softmax. A block is taken for one without a new maximum: its exponentials are those of the maximum so far, and its
maximum is not looked for. Where that was wrong by so much that a part of a row's sum exceeds REACH (or is no number), the
warp group does the block's softmax again, with a maximum of its own, and scales O. What P and its sums can hold is far
more than REACH. Only blocks that the mask or the end of the sequence cuts are masked.
"""
import triton
import triton.language as tl
import triton.language.extra.tlx as tlx
from launching import ZEROS, descriptor, launch, scalar, uniform

FEATURES = "persistent; causal in pairs of tiles; softmax under products in flight, whose maximum is looked for only where the last one is far off; consumers in turn by named barriers; wgmma with P from registers; TMA"

TURN = tl.constexpr(9)  # the first consumer's turn; the others' follow
BOTH = tl.constexpr(256)  # threads of two warp groups: who waits for a turn and who gives it


@triton.jit
def tiles_of(row_tiles, HEADS, CAUSAL: tl.constexpr):
    """Tiles of this CTA. Under the mask they come in pairs that have as many blocks as any other pair."""
    if CAUSAL:
        return 2 * tl.cdiv(tl.cdiv(row_tiles, 2) * HEADS - tl.program_id(0), tl.num_programs(0))
    else:
        return tl.cdiv(row_tiles * HEADS - tl.program_id(0), tl.num_programs(0))


@triton.jit
def place_of(tile, row_tiles, CAUSAL: tl.constexpr):
    """Head and row of tiles of this CTA's tile; a row in the middle is its own partner."""
    if CAUSAL:
        half = tl.cdiv(row_tiles, 2)
        pair = tile // 2 * tl.num_programs(0) + tl.program_id(0)
        return pair // half, tl.where(tile % 2 == 0, row_tiles - 1 - pair % half, pair % half)
    else:
        place = tile * tl.num_programs(0) + tl.program_id(0)
        return place // row_tiles, place % row_tiles


@triton.jit
def blocks_of(row, N, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    """Blocks of K that the tile of rows from `row` looks at, and how many of them every row sees whole."""
    end = N
    whole = N // BN
    if CAUSAL:
        end = tl.minimum(row + BM, N)
        whole = tl.minimum(row + 1, N) // BN
    return tl.maximum(tl.cdiv(end, BN), 1), whole  # never less than one, so that a step before the loop has its block


@triton.jit
def take_turn(group: tl.constexpr):
    tlx.named_barrier_wait(TURN + group, BOTH)


@triton.jit
def give_turn(group: tl.constexpr, GROUPS: tl.constexpr):
    tlx.named_barrier_arrive(TURN + (group + 1) % GROUPS, BOTH)


@triton.jit
def both(a, b):
    return a & b


@triton.jit
def parts_of(p, BN: tl.constexpr):
    """The sums of a row, in parts that threads have of their own: they are exchanged once a tile."""
    return tl.sum(tl.reshape(p, (64, BN // 8, 8)), 1)


@triton.jit
def masked(s, rows, block, N, BN: tl.constexpr, CAUSAL: tl.constexpr, whole):
    if block >= whole:
        columns = block * BN + tl.arange(0, BN)
        seen = columns[None, :] < N
        if CAUSAL:
            seen = seen & (columns[None, :] <= rows[:, None])
        s = tl.where(seen, s, float("-inf"))
    return s


@triton.jit
def softmax(s, top, base2, BN: tl.constexpr):
    """P of a block, its sums, the maximum, and what sums and O so far are to be multiplied with."""
    higher = tl.maximum(top, tl.max(s, 1) * base2)
    # A row that has seen nothing yet keeps a maximum that can be subtracted.
    shift = tl.where(higher == float("-inf"), 0.0, higher)
    p = tl.exp2(s * base2 - shift[:, None])
    return p.to(tl.float16), parts_of(p, BN), higher, tl.exp2(top - shift)


@triton.jit
def step(block, count, p, top, total, acc, q, k, v, k_full, k_empty, v_full, v_empty, base2, rows, whole, N,
         group: tl.constexpr, BN: tl.constexpr, STAGES: tl.constexpr, GROUPS: tl.constexpr, CAUSAL: tl.constexpr,
         REACH: tl.constexpr):
    """S of a block and P V of the one before it; gives P of the block."""
    slot = count % STAGES
    before = (count - 1) % STAGES
    tlx.barrier_wait(k_full[slot], (count // STAGES) & 1)
    take_turn(group)
    s = tlx.async_dot(q, tlx.local_trans(k[slot]))
    give_turn(group, GROUPS)
    acc = tlx.async_dot(p, v[before], acc)
    s = tlx.async_dot_wait(1, s)
    s = masked(s, rows, block, N, BN, CAUSAL, whole)
    p = tl.exp2(s * base2 - top[:, None])
    parts = parts_of(p, BN)
    p = p.to(tl.float16)
    tlx.barrier_wait(v_full[slot], (count // STAGES) & 1)
    acc = tlx.async_dot_wait(0, acc)
    near = tl.reduce(tl.ravel(parts <= REACH, can_reorder=True), 0, both)
    # The warps have met to agree on that, so both slots are given back without another meeting.
    tlx.barrier_arrive(k_empty[slot], 1)
    tlx.barrier_arrive(v_empty[before], 1)
    if not near:
        p, parts, top, fade = softmax(s, top, base2, BN)
        total = total * fade[:, None]
        acc = acc * fade[:, None]
    return p, top, total + parts, acc


@triton.jit
def attention_hopper_overlap(q_desc, k_desc, v_desc, o_desc, scale, HEADS, N, D: tl.constexpr, BN: tl.constexpr,
                             STAGES: tl.constexpr, GROUPS: tl.constexpr, REGISTERS: tl.constexpr, CAUSAL: tl.constexpr,
                             REACH: tl.constexpr):
    BM: tl.constexpr = GROUPS * 64

    q = tlx.local_alloc((64, D), tl.float16, GROUPS * 2)
    k = tlx.local_alloc((BN, D), tl.float16, STAGES)
    v = tlx.local_alloc((BN, D), tl.float16, STAGES)
    o = tlx.local_alloc((64, D), tl.float16, GROUPS)
    q_full = tlx.alloc_barriers(GROUPS * 2, arrive_count=1)
    q_empty = tlx.alloc_barriers(GROUPS * 2, arrive_count=1)
    k_full = tlx.alloc_barriers(STAGES, arrive_count=1)
    k_empty = tlx.alloc_barriers(STAGES, arrive_count=GROUPS)
    v_full = tlx.alloc_barriers(STAGES, arrive_count=1)
    v_empty = tlx.alloc_barriers(STAGES, arrive_count=GROUPS)

    with tlx.async_tasks():
        with tlx.async_task("default"):
            row_tiles = tl.cdiv(N, BM)
            count = 0
            tiles = tiles_of(row_tiles, HEADS, CAUSAL)
            for tile in range(0, tiles):
                head, tile_row = place_of(tile, row_tiles, CAUSAL)
                row = tile_row * BM
                blocks, whole = blocks_of(row, N, BM, BN, CAUSAL)
                for group in tl.static_range(GROUPS):
                    mine = tile % 2 * GROUPS + group
                    tlx.barrier_wait(q_empty[mine], ((tile // 2) & 1) ^ 1)
                    tlx.barrier_expect_bytes(q_full[mine], 2 * 64 * D)
                    tlx.async_descriptor_load(q_desc, q[mine], [head * N + row + group * 64, 0], q_full[mine])
                for index in range(0, blocks):
                    block = blocks - 1 - index
                    slot = count % STAGES
                    parity = (count // STAGES) & 1
                    tlx.barrier_wait(k_empty[slot], parity ^ 1)
                    tlx.barrier_expect_bytes(k_full[slot], 2 * BN * D)
                    tlx.async_descriptor_load(k_desc, k[slot], [head * N + block * BN, 0], k_full[slot])
                    tlx.barrier_wait(v_empty[slot], parity ^ 1)
                    tlx.barrier_expect_bytes(v_full[slot], 2 * BN * D)
                    tlx.async_descriptor_load(v_desc, v[slot], [head * N + block * BN, 0], v_full[slot])
                    count += 1
            # What is begun behind the last tile is a product that nobody looks at.
            for group in tl.static_range(GROUPS):
                mine = tiles % 2 * GROUPS + group
                tlx.barrier_wait(q_empty[mine], ((tiles // 2) & 1) ^ 1)
                tlx.barrier_expect_bytes(q_full[mine], 2 * 64 * D)
                tlx.async_descriptor_load(q_desc, q[mine], [group * 64, 0], q_full[mine])
            slot = count % STAGES
            tlx.barrier_wait(k_empty[slot], ((count // STAGES) & 1) ^ 1)
            tlx.barrier_expect_bytes(k_full[slot], 2 * BN * D)
            tlx.async_descriptor_load(k_desc, k[slot], [0, 0], k_full[slot])

        with tlx.async_task(num_warps=4, registers=REGISTERS, replicate=GROUPS):
            group: tl.constexpr = tlx.async_task_replica_id()
            row_tiles = tl.cdiv(N, BM)
            base2 = scale * 1.44269504089  # the exponentials are of base 2
            if group == GROUPS - 1:
                give_turn(group, GROUPS)
            tlx.barrier_wait(q_full[group], 0)
            tlx.barrier_wait(k_full[0], 0)
            take_turn(group)
            s = tlx.async_dot(q[group], tlx.local_trans(k[0]))
            give_turn(group, GROUPS)
            s = tlx.async_dot_wait(0, s)
            tlx.barrier_arrive(k_empty[0], 1)
            count = 0
            for tile in range(0, tiles_of(row_tiles, HEADS, CAUSAL)):
                head, tile_row = place_of(tile, row_tiles, CAUSAL)
                row = tile_row * BM
                blocks, whole = blocks_of(row, N, BM, BN, CAUSAL)
                rows = row + group * 64 + tl.arange(0, 64)
                mine = tile % 2 * GROUPS + group
                next = (tile + 1) % 2 * GROUPS + group

                # S of the tile's first block is there, masked or not: nothing to multiply with P yet.
                top = tl.full((64,), float("-inf"), tl.float32)
                acc = tl.zeros((64, D), tl.float32)
                s = masked(s, rows, blocks - 1, N, BN, CAUSAL, whole)
                p, total, top, _ = softmax(s, top, base2, BN)
                tlx.barrier_wait(v_full[count % STAGES], (count // STAGES) & 1)
                count += 1

                for index in range(1, blocks):
                    p, top, total, acc = step(blocks - 1 - index, count, p, top, total, acc, q[mine], k, v, k_full, k_empty,
                                              v_full, v_empty, base2, rows, whole, N, group, BN, STAGES, GROUPS, CAUSAL, REACH)
                    count += 1
                tlx.barrier_arrive(q_empty[mine], 1)

                # S of the next tile's first block, and P V of this one's last.
                slot = count % STAGES
                last = (count - 1) % STAGES
                tlx.barrier_wait(q_full[next], ((tile + 1) // 2) & 1)
                tlx.barrier_wait(k_full[slot], (count // STAGES) & 1)
                take_turn(group)
                s = tlx.async_dot(q[next], tlx.local_trans(k[slot]))
                give_turn(group, GROUPS)
                acc = tlx.async_dot(p, v[last], acc)
                s = tlx.async_dot_wait(1, s)
                tlx.barrier_arrive(k_empty[slot], 1)
                acc = tlx.async_dot_wait(0, acc)
                tlx.barrier_arrive(v_empty[last], 1)
                out = acc * (1.0 / tl.sum(total, 1))[:, None]
                tlx.async_descriptor_store_wait(0)  # the last tile's rows have left
                tlx.local_store(o[group], out.to(tl.float16))
                tlx.fence("async_shared")
                if row + group * 64 < N:
                    tlx.async_descriptor_store(o_desc, o[group], [head * N + row + group * 64, 0])
            tlx.async_descriptor_store_wait(0)


TILE = dict(D=64, BN=64, STAGES=2, GROUPS=2, REGISTERS=240, CAUSAL=True, REACH=4096.0)


def attention_launch(heads, n, ctas):
    """Q, K, V and O of `heads` heads lie below each other; section divides heads, 64 divides n."""
    rows, d = heads * n, TILE["D"]
    return launch(
        [ctas],
        descriptor("q_desc", "f16", [rows, d], [64, d], uniform(1)),
        descriptor("k_desc", "f16", [rows, d], [TILE["BN"], d], uniform(2)),
        descriptor("v_desc", "f16", [rows, d], [TILE["BN"], d], uniform(3)),
        descriptor("o_desc", "f16", [rows, d], [64, d], ZEROS),
        scalar("scale", 0.125, "fp32"), scalar("HEADS", heads), scalar("N", n),
    )  # fmt: skip


# Eight tiles on three CTAs; the last of a head's two has one consumer with rows beyond the sequence.
KERNEL = attention_hopper_overlap
TARGET = "cuda:90"
NUM_WARPS = 4
CONSTEXPRS = TILE
LAUNCH = attention_launch(4, 192, 3)


def variant(**tile):
    """Of other tiles, without the mask, ..."""
    TILE.update(tile)
    return TILE, attention_launch(4, 640, 3)
