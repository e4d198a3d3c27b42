"""Adds two vectors in blocks of two sizes, one of them twice."""
import numpy as np
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask) + tl.load(y + at, mask), mask)


random = np.random.default_rng(1)
x, y = random.random(1000, np.float32), random.random(1000, np.float32)
out = np.zeros_like(x)
for block in (256, 128, 128):
    add[(triton.cdiv(len(x), 256),)](x, y, out, len(x), BLOCK=block)
    if block == 256 and np.array_equal(out, x + y):
        print("sum is right")
