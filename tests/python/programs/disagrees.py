"""Launches a kernel, and finds that it computed something else than it should have."""
import numpy as np
import triton
import triton.language as tl


@triton.jit
def three(x):
    tl.store(x, 3)


x = np.zeros(1, np.int32)
three[(1,)](x)
assert x[0] == 4
