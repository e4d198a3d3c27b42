"""Y = softmax of each row of X: one program a row, the row in registers.

Plain Triton: one task and no barriers of its own. The row is read once; columns beyond N count as minus infinity.
"""
import triton
import triton.language as tl
from launching import ZEROS, launch, pointer, scalar, uniform

FEATURES = "plain Triton; row reductions; masked loads"


@triton.jit
def softmax_rows(x, y, N, STRIDE, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    at = tl.program_id(0) * STRIDE + columns
    row = tl.load(x + at, columns < N, other=float("-inf"))
    weights = tl.exp(row - tl.max(row, 0))
    tl.store(y + at, weights / tl.sum(weights, 0), columns < N)


ROWS, COLUMNS = 37, 1000
KERNEL = softmax_rows
TARGET = "cuda:90"
NUM_WARPS = 4
CONSTEXPRS = dict(BLOCK=1024)
LAUNCH = launch([ROWS], pointer("x", "f32", [ROWS, COLUMNS], uniform(1, -8.0, 8.0)), pointer("y", "f32", [ROWS, COLUMNS], ZEROS),
                scalar("N", COLUMNS), scalar("STRIDE", COLUMNS))  # fmt: skip
