"""Launches a kernel that does not compile, and one of the same name, of another file, that does."""
import numpy as np
import triton
import triton.language as tl
from same_name import refused as accepted


@triton.jit
def refused(x):
    tl.static_assert(False)


accepted[(1,)](np.zeros(4, np.float32))
refused[(1,)](np.zeros(4, np.float32))
