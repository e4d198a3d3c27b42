"""C = A B on Hopper with TLX: one task loads, another multiplies.

    tlx verify docs/examples/my_gemm.py                 # PROVED
    tlx run --device sim docs/examples/my_gemm.py       # predicted time, and where it goes
    tlx record --check-torch docs/examples/my_gemm.py   # simulates the values, and compares below

The arrays are numpy's, so that neither PyTorch nor a GPU is needed; torch tensors work alike.
"""
import argparse

import numpy as np
import triton
import triton.language as tl
import triton.language.extra.tlx as tlx
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def my_gemm(a_desc, b_desc, c_desc, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr):
    a = tlx.local_alloc((BM, BK), tl.float16, STAGES)
    b = tlx.local_alloc((BK, BN), tl.float16, STAGES)
    c = tlx.local_alloc((BM, BN), tl.float16, 1)
    full = tlx.alloc_barriers(STAGES, arrive_count=1)
    empty = tlx.alloc_barriers(STAGES, arrive_count=1)
    row = tl.program_id(0) * BM
    col = tl.program_id(1) * BN

    with tlx.async_tasks():
        with tlx.async_task("default"):
            for step in range(0, tl.cdiv(K, BK)):
                slot = step % STAGES
                parity = (step // STAGES) & 1
                tlx.barrier_wait(empty[slot], parity ^ 1)
                tlx.barrier_expect_bytes(full[slot], 2 * (BM * BK + BK * BN))
                tlx.async_descriptor_load(a_desc, a[slot], [row, step * BK], full[slot])
                tlx.async_descriptor_load(b_desc, b[slot], [step * BK, col], full[slot])

        with tlx.async_task(num_warps=4):
            acc = tl.zeros((BM, BN), dtype=tl.float32)
            for step in range(0, tl.cdiv(K, BK)):
                slot = step % STAGES
                tlx.barrier_wait(full[slot], (step // STAGES) & 1)
                acc = tlx.async_dot(a[slot], b[slot], acc)
                acc = tlx.async_dot_wait(0, acc)
                tlx.barrier_arrive(empty[slot], 1)
            tlx.local_store(c[0], acc.to(tl.float16))
            tlx.fence("async_shared")
            tlx.async_descriptor_store(c_desc, c[0], [row, col])
            tlx.async_descriptor_store_wait(0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=256)
    n = parser.parse_args().size
    random = np.random.default_rng(1)
    a, b = (random.uniform(-1, 1, (n, n)).astype(np.float16) for _ in range(2))
    c = np.zeros((n, n), np.float16)
    BM, BN, BK = 64, 128, 64
    my_gemm[(n // BM, n // BN)](
        TensorDescriptor(a, [n, n], [n, 1], [BM, BK]), TensorDescriptor(b, [n, n], [n, 1], [BK, BN]),
        TensorDescriptor(c, [n, n], [n, 1], [BM, BN]), n, BM, BN, BK, STAGES=3,
    )  # fmt: skip
    if c.any():  # something has computed it: a GPU, or the simulator under --check-torch
        wanted = a.astype(np.float32) @ b.astype(np.float32)
        assert np.allclose(c, wanted, atol=0.05), np.abs(c - wanted).max()
        print("C is right")


if __name__ == "__main__":
    main()
