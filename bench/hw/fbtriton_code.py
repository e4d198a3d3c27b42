#!/usr/bin/env python3
"""fbtriton's machine code for Hopper of .ttgir files; runs in a Python with fbtriton. Reads lines `FILE TARGET`, writes each
TARGET that is not there, and prints what fbtriton does not compile."""
import os
import sys
import tempfile

with tempfile.TemporaryDirectory() as cache:
    os.environ["TRITON_CACHE_DIR"] = cache
    import triton
    from triton.backends.compiler import GPUTarget

    for line in sys.stdin:
        source, target = line.split()
        if os.path.exists(target):
            continue
        try:
            code = triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm["cubin"]
        except Exception as error:  # whatever a compiler can raise
            print("%s: fbtriton: %s" % (source, str(error).splitlines()[0][:200]))
            continue
        with open(target, "wb") as file:
            file.write(code)
