"""Launches a kernel that does not compile."""
import numpy as np
import triton
import triton.language as tl


@triton.jit
def refused(x):
    tl.static_assert(False)


refused[(1,)](np.zeros(4, np.float32))
