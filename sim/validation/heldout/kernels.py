"""Small Triton and TLX kernels, one for each part of a chip that a kernel can be bound by."""
import triton
import triton.language as tl
import triton.language.extra.tlx as tlx
from triton.language.extra import libdevice


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)


@triton.jit
def copy_strided(x, out, n, STRIDE: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at * STRIDE, mask=at < n), mask=at < n)


@triton.jit
def scale_grid_stride(x, out, n, factor, BLOCK: tl.constexpr):
    for start in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        at = start + tl.arange(0, BLOCK)
        tl.store(out + at, tl.load(x + at, mask=at < n) * factor, mask=at < n)


@triton.jit
def transpose(x, out, rows, cols, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    tile = tl.load(x + m[:, None] * cols + n[None, :])
    tl.store(out + n[:, None] * rows + m[None, :], tl.trans(tile))


@triton.jit
def transpose_scattered(x, out, rows, cols, BM: tl.constexpr, BN: tl.constexpr):
    """The same without an exchange: what is loaded along rows is stored along columns."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    tile = tl.load(x + m[:, None] * cols + n[None, :])
    tl.store(out + n[None, :] * rows + m[:, None], tile)


@triton.jit
def softmax(x, out, cols, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    v = tl.load(x + row * cols + at, mask=at < cols, other=float("-inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * cols + at, e / tl.sum(e, axis=0), mask=at < cols)


@triton.jit
def layer_norm(x, w, b, out, cols, eps, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    mask = at < cols
    v = tl.load(x + row * cols + at, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(v, axis=0) / cols
    d = tl.where(mask, v - mean, 0.0)
    rstd = tl.rsqrt(tl.sum(d * d, axis=0) / cols + eps)
    tl.store(out + row * cols + at, d * rstd * tl.load(w + at, mask=mask) + tl.load(b + at, mask=mask), mask=mask)


@triton.jit
def row_sum(x, out, cols, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    total = tl.zeros((BM,), tl.float32)
    for start in range(0, cols, BN):
        total += tl.sum(tl.load(x + m[:, None] * cols + start + tl.arange(0, BN)[None, :]).to(tl.float32), axis=1)
    tl.store(out + m, total)


@triton.jit
def column_sum(x, out, rows, cols, BM: tl.constexpr, BN: tl.constexpr):
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    total = tl.zeros((BN,), tl.float32)
    for start in range(0, rows, BM):
        total += tl.sum(tl.load(x + (start + tl.arange(0, BM))[:, None] * cols + n[None, :]).to(tl.float32), axis=0)
    tl.store(out + n, total)


@triton.jit
def total_atomic(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + at, mask=at < n, other=0.0), axis=0))


@triton.jit
def add_atomic(x, index, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + tl.load(index + at), tl.load(x + at))


@triton.jit
def max_index(x, out, cols, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    tl.store(out + row, tl.argmax(tl.load(x + row * cols + at), axis=0))


@triton.jit
def prefix_sum(x, out, cols, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    tl.store(out + row * cols + at, tl.cumsum(tl.load(x + row * cols + at), axis=0))


@triton.jit
def sorted_rows(x, out, cols, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    tl.store(out + row * cols + at, tl.sort(tl.load(x + row * cols + at)))


@triton.jit
def histogram(x, out, BLOCK: tl.constexpr, BINS: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + tl.program_id(0) * BINS + tl.arange(0, BINS), tl.histogram(tl.load(x + at), BINS))


@triton.jit
def gather_rows(table, index, out, cols, BLOCK: tl.constexpr):
    row = tl.load(index + tl.program_id(0))
    at = tl.arange(0, BLOCK)
    tl.store(out + tl.program_id(0) * cols + at, tl.load(table + row * cols + at, mask=at < cols), mask=at < cols)


@triton.jit
def gather_words(table, index, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(table + tl.load(index + at)))


@triton.jit
def unary(x, out, n, WHAT: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    if WHAT == "gelu":
        v = 0.5 * v * (1 + libdevice.tanh(0.79788456 * (v + 0.044715 * v * v * v)))
    elif WHAT == "exp":
        v = tl.exp(v)
    elif WHAT == "sin":
        v = tl.sin(v)
    elif WHAT == "log":
        v = tl.log(v * v + 1)
    elif WHAT == "sqrt":
        v = tl.sqrt(v * v + 1)
    elif WHAT == "erf":
        v = tl.erf(v)
    elif WHAT == "pow":
        v = libdevice.pow(v * v + 1, v)
    tl.store(out + at, v, mask=at < n)


@triton.jit
def binary(x, y, out, n, WHAT: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n, other=1)
    b = tl.load(y + at, mask=at < n, other=1)
    if WHAT == "div":
        a = a / b
    elif WHAT == "floordiv":
        a = a // b
    elif WHAT == "mod":
        a = a % b
    elif WHAT == "mul":
        a = a * b
    tl.store(out + at, a, mask=at < n)


@triton.jit
def multiply_add_loop(x, out, steps, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at)
    w = v
    for _ in range(steps):
        v = v * w + 1
    tl.store(out + at, v)


@triton.jit
def exp_loop(x, out, steps, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at)
    for _ in range(steps):
        v = tl.exp2(v) - 1
    tl.store(out + at, v)


@triton.jit
def cast(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n).to(out.dtype.element_ty), mask=at < n)


@triton.jit
def random_normal(out, n, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.randn(seed, at), mask=at < n)


@triton.jit
def stencil(x, out, rows, cols, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    at = x + m[:, None] * cols + n[None, :]
    inner = (m[:, None] > 0) & (m[:, None] < rows - 1) & (n[None, :] > 0) & (n[None, :] < cols - 1)
    v = tl.load(at, mask=inner, other=0.0) * 0.5
    v += 0.125 * (tl.load(at - cols, mask=inner, other=0.0) + tl.load(at + cols, mask=inner, other=0.0))
    v += 0.125 * (tl.load(at - 1, mask=inner, other=0.0) + tl.load(at + 1, mask=inner, other=0.0))
    tl.store(out + m[:, None] * cols + n[None, :], v, mask=inner)


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ACC: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), ACC)
    for start in range(0, K, BK):
        acc = tl.dot(tl.load(a + m[:, None] * K + (start + k)[None, :]), tl.load(b + (start + k)[:, None] * N + n[None, :]), acc, out_dtype=ACC)
    tl.store(c + m[:, None] * N + n[None, :], acc.to(c.dtype.element_ty))


@triton.jit
def many_live(x, out, n, COPIES: tl.constexpr, BLOCK: tl.constexpr):
    """Holds several tiles at a time; each depends on all before it."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at)
    b = tl.load(x + n + at)
    c = tl.load(x + 2 * n + at)
    d = tl.load(x + 3 * n + at)
    e = tl.load(x + 4 * n + at)
    f = tl.load(x + 5 * n + at)
    for _ in range(COPIES):
        a, b, c, d, e, f = b * c + a, c * d + b, d * e + c, e * f + d, f * a + e, a * b + f
    tl.store(out + at, a + b + c + d + e + f)


@triton.jit
def copy_bulk(source, target, rows, BM: tl.constexpr, BN: tl.constexpr, STAGES: tl.constexpr):
    """A task loads tiles through descriptors, the other stores them."""
    slots = tlx.local_alloc((BM, BN), tl.float16, STAGES)
    full = tlx.alloc_barriers(STAGES, arrive_count=1)
    empty = tlx.alloc_barriers(STAGES, arrive_count=1)
    first = tl.program_id(0)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            step = 0
            for row in range(first * BM, rows, tl.num_programs(0) * BM):
                slot = step % STAGES
                tlx.barrier_wait(full[slot], (step // STAGES) & 1)
                tlx.async_descriptor_store(target, slots[slot], [row, 0])
                tlx.async_descriptor_store_wait(0)
                tlx.barrier_arrive(empty[slot], 1)
                step += 1
        with tlx.async_task(num_warps=1):
            step = 0
            for row in range(first * BM, rows, tl.num_programs(0) * BM):
                slot = step % STAGES
                tlx.barrier_wait(empty[slot], ((step // STAGES) & 1) ^ 1)
                tlx.barrier_expect_bytes(full[slot], 2 * BM * BN)
                tlx.async_descriptor_load(source, slots[slot], [row, 0], full[slot])
                step += 1


@triton.jit
def copy_async(x, out, n, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    """Asynchronous copies to shared memory, STAGES - 1 ahead."""
    slots = tlx.local_alloc((BLOCK,), tl.float32, STAGES)
    first = tl.program_id(0) * BLOCK
    step = tl.num_programs(0) * BLOCK
    count = n // step
    for i in tl.static_range(STAGES - 1):
        token = tlx.async_load(x + first + i * step + tl.arange(0, BLOCK), slots[i])
        tlx.async_load_commit_group([token])
    for i in range(count):
        tlx.async_load_wait_group(STAGES - 2)
        v = tlx.local_load(slots[i % STAGES])
        ahead = i + STAGES - 1
        at = first + ahead * step + tl.arange(0, BLOCK)
        token = tlx.async_load(x + at, slots[ahead % STAGES], mask=at < n)
        tlx.async_load_commit_group([token])
        tl.store(out + first + i * step + tl.arange(0, BLOCK), v * 2.0)


@triton.jit
def hand_over(x, out, steps, BLOCK: tl.constexpr):
    """Two tasks pass a tile to and fro through shared memory."""
    tile = tlx.local_alloc((BLOCK,), tl.float32, 1)
    there = tlx.alloc_barriers(1, arrive_count=1)
    back = tlx.alloc_barriers(1, arrive_count=1)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            v = tl.load(x + at)
            for i in range(steps):
                tlx.local_store(tile[0], v)
                tlx.barrier_arrive(there[0], 1)
                tlx.barrier_wait(back[0], i & 1)
                v = tlx.local_load(tile[0]) + 1.0
            tl.store(out + at, v)
        with tlx.async_task(num_warps=4):
            for i in range(steps):
                tlx.barrier_wait(there[0], i & 1)
                v = tlx.local_load(tile[0])
                tlx.local_store(tile[0], v * 0.5)
                tlx.barrier_arrive(back[0], 1)
