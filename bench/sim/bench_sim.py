#!/usr/bin/env python3
"""How long tlx-run takes to simulate, and how much memory.

    bench_sim.py [--check] [NAME...]

Runs one process per case, one after the other, over kernels of the corpus, and prints processor
seconds (so that a busy machine does not count), the largest memory and simulated SM-cycles per
second. The values of a 2048 cubed product are compared with OpenBLAS, single precision, in the same
run. --check exits with 1 when a limit is missed.
"""
import argparse
import ctypes
import ctypes.util
import json
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "verify"))
import bench_verify  # noqa: E402
import corpus  # noqa: E402

GEMM = "matmul_kernel_tlx_ws-e12168"
ATTENTION = "attn_fwd_ws_pipelined_pingpong_persistent-67741c"
# (what, kernel, launch, size to replace and its replacement, options, seconds)
CASES = (
    ("512 cubed, values", GEMM, "launch-1024x1024x1024", (1024, 512), ["--functional-only"], 0.3),
    ("4096 cubed, time", GEMM, "launch-4096x4096x4096", None, ["--timing-only"], 3.0),
    ("8192 cubed, time", GEMM, "launch-8192x8192x8192", None, ["--timing-only"], 5.0),
    ("attention 4 x 16 x 4096 x 128, time", ATTENTION, "launch-4x16x4096", None, ["--timing-only"], 5.0),
    ("2048 cubed, values", GEMM, "launch-2048x2048x2048", None, ["--functional-only"], None),
)
TIMES_BLAS = 2.0
CYCLES_PER_SECOND = 1e6
MEMORY = 2 << 30


def resized(manifest, sizes):
    """The manifest with one extent replaced in shapes, strides and scalars."""
    if isinstance(manifest, dict):
        return {key: value if key in ("constexprs", "metadata", "grid") else resized(value, sizes) for key, value in manifest.items()}
    if isinstance(manifest, list):
        return [resized(item, sizes) for item in manifest]
    return sizes[1] if manifest == sizes[0] and not isinstance(manifest, bool) else manifest


def blasSeconds(n=2048, runs=3):
    """Processor seconds of an n cubed single-precision product, the least of a few; None without OpenBLAS."""
    name = ctypes.util.find_library("openblas")
    if name is None:
        return None
    blas = ctypes.CDLL(name)
    a, b, c = ((ctypes.c_float * (n * n))() for _ in range(3))
    for matrix in (a, b):
        for i in range(0, n * n, 7):
            matrix[i] = (i % 13) / 13.0
    least = None
    for _ in range(runs):
        started = time.process_time()
        blas.cblas_sgemm(101, 111, 111, n, n, n, ctypes.c_float(1), a, n, b, n, ctypes.c_float(0), c, n)
        spent = time.process_time() - started
        least = spent if least is None else min(least, spent)
    return least


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="exit with 1 when a limit is missed")
    parser.add_argument("names", nargs="*", help="only cases whose name contains one of these")
    arguments = parser.parse_args()
    root, tool = corpus.root(), corpus.need("tlx-run")
    missed = []
    print("%-40s %9s %9s %10s  %s" % ("case", "seconds", "limit", "memory", "SM-cycles/s"))
    for what, kernel, launch, sizes, options, limit in CASES:
        if arguments.names and not any(name in what for name in arguments.names):
            continue
        folder = os.path.join(root, "hopper", kernel)
        with tempfile.TemporaryDirectory() as scratch:
            path = os.path.join(folder, launch + ".json")
            if sizes:
                with open(path, encoding="utf-8") as file:
                    manifest = resized(json.load(file), sizes)
                path = os.path.join(scratch, "launch.json")
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(manifest, file)
            out, seconds, memory = bench_verify.measure(
                [tool, "--device", "sim", os.path.join(folder, "kernel.ttgir"), "--manifest", path, "--json", *options])
        try:
            report = json.loads(out)
        except ValueError:
            print("%-40s failed" % what)
            missed.append(what)
            continue
        if limit is None and (blas := blasSeconds()):
            limit = TIMES_BLAS * blas
        rate = ""
        if report.get("cycles"):
            details = report["details"]
            perSecond = details["sm_active_cycles"] * 132 / seconds
            rate = "%.1f million" % (perSecond / 1e6)
            if perSecond < CYCLES_PER_SECOND:
                missed.append(what + ": SM-cycles per second")
        if memory > MEMORY:
            missed.append(what + ": memory")
        if limit is not None and seconds > limit:
            missed.append(what)
        print("%-40s %9.2f %9s %7.0f MB  %s" % (what, seconds, "%.2f" % limit if limit else "none", memory / 1e6, rate))
    if missed:
        print("missed: " + "; ".join(missed))
    return 1 if missed and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
