"""A kernel with three configurations."""
import numpy as np
import triton
import triton.language as tl


@triton.autotune([triton.Config({"BLOCK": block}) for block in (64, 128, 256)], key=["n"])
@triton.jit
def double(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at, at < n) * 2, at < n)


x = np.ones(512, np.float32)
double[lambda meta: (triton.cdiv(512, meta["BLOCK"]),)](x, 512)
