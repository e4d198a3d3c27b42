#!/usr/bin/env python3
"""Compile time from .ttir to PTX, in processor seconds: tlx-compile as a process, and the same stages of
fbtriton 3.7.4 in a process that is up already (which favours it).

    bench_compile.py [NAME...]

needs a Python with fbtriton 3.7.4 and the corpus; skips without. Each figure is the best of three."""
import glob
import json
import os
import resource
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "..", "tests", "corpus"), os.path.join(HERE, "..", "..", "tests")]
import corpus  # noqa: E402

KERNELS = ("matmul_kernel_tlx_ws-e12168", "attn_fwd_ws_pipelined_pingpong_persistent-67741c")


def ours(tool, path, manifest):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([tool, path, "--manifest", manifest, "--emit", "ptx", "-o", os.devnull], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def theirs(path, manifest):
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler.compiler import IRSource, make_backend
    target, context = GPUTarget("cuda", 90, 32), ir.context()
    backend = make_backend(target)
    ir.load_dialects(context)
    backend.load_dialects(context)
    source = IRSource(path, context, backend)
    with open(manifest, encoding="utf-8") as file:
        warps = json.load(file)["metadata"]["default_num_warps"]
    options = backend.parse_options({**source.parse_options(), "num_warps": warps})
    stages = {}
    backend.add_stages(stages, options, source.language)
    module = source.make_ir(target, options, backend.get_codegen_implementation(options), backend.get_module_map(), context)
    metadata = {"hash": "none", "target": target, **options.__dict__}
    begin = time.process_time()
    for name in ("ttgir", "llir", "ptx"):
        module = stages[name](module, metadata)
    return time.process_time() - begin


def main():
    try:
        import triton  # noqa: F401
    except ImportError:
        print("SKIP: this Python has no fbtriton")
        return corpus.SKIP
    root, tool = corpus.root(), corpus.need("tlx-compile")
    for name in sys.argv[1:] or KERNELS:
        folder = os.path.join(root, "hopper", name)
        path, manifest = os.path.join(folder, "kernel.ttir"), sorted(glob.glob(os.path.join(folder, "launch*.json")))[0]
        mine = min(ours(tool, path, manifest) for _ in range(3))
        other = min(theirs(path, manifest) for _ in range(3))
        print("%-56s tlx-compile %.3f s   fbtriton %.3f s   ratio %.2f" % (name, mine, other, mine / other))
    return 0


if __name__ == "__main__":
    sys.exit(main())
