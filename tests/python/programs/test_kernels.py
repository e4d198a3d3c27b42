"""A test of a kernel, as pytest finds it."""
import numpy as np
import pytest
import triton
import triton.language as tl


@triton.jit
def double(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, 2 * tl.load(x + at, at < n), at < n)


@pytest.mark.parametrize("block", [64, 128])
def test_double(block):
    x = np.arange(300, dtype=np.float32)
    out = np.zeros_like(x)
    double[(triton.cdiv(len(x), block),)](x, out, len(x), BLOCK=block)
    assert (out == 2 * x).all()
