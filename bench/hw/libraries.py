#!/usr/bin/env python3
"""What NVIDIA's libraries take for the same work: cuBLAS for products, cuDNN for attention, called by
PyTorch. Prints a JSON object {group: {size: microseconds}}; samples of about 2 ms, median of 30."""
import json
import statistics
import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

SIZES = ((2048, 2048, 2048), (4096, 4096, 4096), (8192, 8192, 8192), (8192, 1024, 4096), (512, 8192, 1024))


def microseconds(work):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)

    def sample(count):
        begin.record()
        for _ in range(count):
            work()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e3 / count
    sample(10)
    count = max(1, min(1000, int(2000 / sample(10))))
    return statistics.median(sample(count) for _ in range(30))


def uniform(*shape, dtype=torch.float16):
    return (torch.rand(*shape, device="cuda") - 0.5).to(dtype)


def products():
    out = {"gemm f16": {}, "gemm bf16": {}, "gemm f8E4M3FN": {}}
    for m, n, k in SIZES:
        size = "%dx%dx%d" % (m, n, k)
        for group, dtype in (("gemm f16", torch.float16), ("gemm bf16", torch.bfloat16)):
            a, b = uniform(m, k, dtype=dtype), uniform(k, n, dtype=dtype)
            c = torch.empty(m, n, device="cuda", dtype=dtype)
            out[group][size] = microseconds(lambda: torch.matmul(a, b, out=c))
        a, b = uniform(m, k, dtype=torch.float8_e4m3fn), uniform(n, k, dtype=torch.float8_e4m3fn)
        one = torch.ones((), device="cuda")
        # With sums in the tensor core, as ours has them; the faster of both.
        out["gemm f8E4M3FN"][size] = min(microseconds(
            lambda: torch._scaled_mm(a, b.t(), one, one, out_dtype=torch.bfloat16, use_fast_accum=fast)) for fast in (False, True))
    return out


def attention():
    out = {}
    for width in (64, 128):
        for causal in (False, True):
            group = out.setdefault("attention D %d%s" % (width, " causal" if causal else ""), {})
            for context in (1024, 2048, 4096, 8192):
                q, k, v = (uniform(4, 16, context, width) for _ in range(3))
                with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
                    group[str(context)] = microseconds(
                        lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal))
    return out


def main():
    out = {"versions": {"torch": torch.__version__, "cuda": torch.version.cuda, "cudnn": torch.backends.cudnn.version()}}
    for part in (products, attention):
        try:
            out.update(part())
        except Exception as error:  # a library that refuses says so in the results
            out[part.__name__ + " error"] = str(error)[:300]
    json.dump(out, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
