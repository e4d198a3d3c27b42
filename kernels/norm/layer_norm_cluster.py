"""Y = layer norm of each row of X, a row shared by a cluster of CTAs that exchange their sums through shared memory.

CTA r of a cluster of two holds columns from r BLOCK of one row in registers. It stores the sum of its part into its own and
the peer's shared memory, counted in bytes on a barrier there; when both are there each CTA has the row's mean. The same
again for the squares of the differences, with memory and a barrier of its own, so that nothing waits for the first to be
read. The cluster meets at the beginning, when the barriers are initialised, and at the end, so that no CTA goes while a
store to it is under way.
"""
import triton
import triton.language as tl
import triton.language.extra.tlx as tlx
from launching import ZEROS, launch, pointer, scalar, uniform

FEATURES = "clusters of two; asynchronous stores to the peer's shared memory with byte counts; two passes over registers"


@triton.jit
def total_of_cluster(part, memory, full, rank):
    """The sum over both CTAs of a scalar; memory has a place for each CTA's part."""
    tlx.barrier_expect_bytes(full, 4)
    mine = tl.zeros((1,), tl.float32) + part
    tlx.local_store(tlx.local_view(memory, rank), mine)
    tlx.async_remote_shmem_store(tlx.local_view(memory, rank), mine, rank ^ 1, full)
    tlx.barrier_wait(full, 0)
    return tl.sum(tlx.local_load(memory[0]) + tlx.local_load(memory[1]), 0)


@triton.jit
def layer_norm_cluster(x, y, weight, bias, N, eps, BLOCK: tl.constexpr):
    sums = tlx.local_alloc((1,), tl.float32, 2)
    squares = tlx.local_alloc((1,), tl.float32, 2)
    full = tlx.alloc_barriers(2, arrive_count=1)
    rank = tlx.cluster_cta_rank()
    tlx.cluster_barrier()
    row = tl.program_id(1)
    columns = rank * BLOCK + tl.arange(0, BLOCK)
    inside = columns < N
    values = tl.load(x + row * N + columns, inside, other=0.0)
    mean = total_of_cluster(tl.sum(values, 0), sums, full[0], rank) / N
    away = tl.where(inside, values - mean, 0.0)
    variance = total_of_cluster(tl.sum(away * away, 0), squares, full[1], rank) / N
    scale = 1 / tl.sqrt(variance + eps)
    result = away * scale * tl.load(weight + columns, inside, other=0.0) + tl.load(bias + columns, inside, other=0.0)
    tl.store(y + row * N + columns, result, inside)
    tlx.cluster_barrier()


ROWS, COLUMNS = 5, 1500
KERNEL = layer_norm_cluster
TARGET = "cuda:90"
NUM_WARPS = 4
CONSTEXPRS = dict(BLOCK=1024)
LAUNCH = launch(
    [2, ROWS],
    pointer("x", "f32", [ROWS, COLUMNS], uniform(1, -2.0, 6.0)), pointer("y", "f32", [ROWS, COLUMNS], ZEROS),
    pointer("weight", "f32", [COLUMNS], uniform(2, 0.5, 1.5)), pointer("bias", "f32", [COLUMNS], uniform(3)),
    scalar("N", COLUMNS), scalar("eps", 1e-5, "fp32"), cluster=(2, 1, 1),
)  # fmt: skip
