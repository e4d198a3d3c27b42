"""Kernels of one or a few CTAs that use an operation or two, as unit tests do."""
import triton
import triton.language as tl
import triton.language.extra.tlx as tlx


@triton.jit
def grid(BM: tl.constexpr, BN: tl.constexpr):
    return tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :]


@triton.jit
def reduce(x, out, AXIS: tl.constexpr, WHAT: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    pid = tl.program_id(0)
    v = tl.load(x + pid * BM * BN + grid(BM, BN))
    if WHAT == "sum":
        r = tl.sum(v, axis=AXIS)
    elif WHAT == "max":
        r = tl.max(v, axis=AXIS)
    else:
        r = tl.argmax(v, axis=AXIS)
    length: tl.constexpr = BN if AXIS == 0 else BM
    tl.store(out + pid * length + tl.arange(0, length), r)


@triton.jit
def scan(x, out, AXIS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    at = grid(BM, BN)
    tl.store(out + at, tl.cumsum(tl.load(x + at), axis=AXIS))


@triton.jit
def sort(x, out, FLIP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    at = grid(BM, BN)
    v = tl.load(x + at)
    tl.store(out + at, tl.flip(v, 1) if FLIP else tl.sort(v))


@triton.jit
def shapes(x, out, WHAT: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    v = tl.load(x + grid(BM, BN))
    if WHAT == "trans":
        tl.store(out + grid(BN, BM), tl.trans(v))
    elif WHAT == "reshape":
        tl.store(out + grid(BM // 2, BN * 2), tl.reshape(v, (BM // 2, BN * 2)) + 1)
    else:
        a, b = tl.split(tl.reshape(v, (BM, BN // 2, 2)))
        tl.store(out + grid(BM, BN), tl.reshape(tl.join(b, a), (BM, BN)))


@triton.jit
def product(x, y, out, PRECISION: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a = tl.load(x + grid(BM, BK))
    b = tl.load(y + grid(BK, BN))
    tl.store(out + grid(BM, BN), tl.dot(a, b, input_precision=PRECISION))


@triton.jit
def shared_elements(x, out, BLOCK: tl.constexpr):
    """Everybody stores to the same place."""
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at) * 2)


@triton.jit
def scalar_loop(out, count):
    k = 0
    for i in range(count):
        k = k * 3 + i
        if k > 1000:
            k -= 1000
        tl.store(out + i, k)


@triton.jit
def scalar_chain(x, out, count):
    at = 0
    for _ in range(count):
        at = tl.load(x + at)
    tl.store(out, at)


@triton.jit
def add_shared(x, out, BLOCK: tl.constexpr, TARGETS: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + at % TARGETS, tl.load(x + at))


@triton.jit
def counts(x, out, BLOCK: tl.constexpr, BINS: tl.constexpr):
    tl.store(out + tl.arange(0, BINS), tl.histogram(tl.load(x + tl.arange(0, BLOCK)), BINS))


@triton.jit
def pick(x, index, out, AXIS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    at = grid(BM, BN)
    tl.store(out + at, tl.gather(tl.load(x + at), tl.load(index + at), axis=AXIS))


@triton.jit
def through_shared(x, out, TURN: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    tile = tlx.local_alloc((BM, BN), tl.float32, 1)
    at = grid(BM, BN)
    tlx.local_store(tile[0], tl.load(x + at))
    if TURN:
        tl.store(out + grid(BN, BM), tlx.local_load(tlx.local_trans(tile[0])))
    else:
        tl.store(out + at, tlx.local_load(tile[0]) * 2)


@triton.jit
def copied_ahead(x, y, out, BLOCK: tl.constexpr):
    a = tlx.local_alloc((BLOCK,), tl.float32, 1)
    b = tlx.local_alloc((BLOCK,), tl.float32, 1)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tokens = [tlx.async_load(x + at, a[0]), tlx.async_load(y + at, b[0])]
    tlx.async_load_commit_group(tokens)
    tlx.async_load_wait_group(0)
    tl.store(out + at, tlx.local_load(a[0]) + tlx.local_load(b[0]))


@triton.jit
def two_tasks(x, y, out, n, BLOCK: tl.constexpr):
    first = tl.program_id(0) * BLOCK
    with tlx.async_tasks():
        with tlx.async_task("default"):
            at = first + tl.arange(0, BLOCK)
            tl.store(out + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)
        with tlx.async_task(num_warps=4):
            to = first + tl.arange(0, BLOCK)
            tl.store(out + n + to, tl.load(y + to, mask=to < n) * 2, mask=to < n)


@triton.jit
def moved_by_descriptor(source, target, BM: tl.constexpr, BN: tl.constexpr):
    tile = tlx.local_alloc((BM, BN), tl.float16, 1)
    full = tlx.alloc_barriers(1, arrive_count=1)
    row = tl.program_id(0) * BM
    tlx.barrier_expect_bytes(full[0], 2 * BM * BN)
    tlx.async_descriptor_load(source, tile[0], [row, 0], full[0])
    tlx.barrier_wait(full[0], 0)
    tlx.local_store(tile[0], tlx.local_load(tile[0]) * 2)
    tlx.fence_async_shared()
    tlx.async_descriptor_store(target, tile[0], [row, 0])
    tlx.async_descriptor_store_wait(0)
