#!/usr/bin/env python3
"""Records a kernel of kernels/: writes <name>.mlir and <name>.json beside <name>.py.

The .mlir is the kernel's IR as fbtriton's front end and TTIR passes leave it (the .ttir level), with locations
that name the Python file relative to the repository. The .json is the launch manifest of the file's LAUNCH; what
fbtriton's own compilation finds (shared memory, warps, TMA boxes) is kept in its metadata. No GPU is needed.

    scripts/record_kernel.py [--python PYTHON] [--check] kernels/gemm/hopper_ws.py ...

needs a Python with fbtriton 3.7.4; without it, says so and changes nothing. --check writes nothing and fails when
the files in the repository are not what would be written. --variant, with --out, records one kernel otherwise: with what
its function variant() makes of the names and values.

    scripts/record_kernel.py --variant D=128 --variant CAUSAL=False --out wide kernels/attention/hopper_overlap.py
"""
import argparse
import ast
import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def load(path):
    sys.path.insert(0, os.path.join(ROOT, "kernels"))
    spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(path))[0], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def relative_locations(text, path):
    """Locations name files relative to the repository, and fbtriton's own by their package."""
    own = os.path.relpath(path, ROOT).replace(os.sep, "/")
    text = re.sub(r'"[^"\s]*/' + re.escape(os.path.basename(path)) + '"', f'"{own}"', text)
    return re.sub(r'"/[^"\s]*/(triton/[^"\s]+\.py)"', r'"\1"', text)


def manifest(module, metadata, ttgir, ir_hash):
    keys = ("num_warps", "num_ctas", "shared", "tmem_size", "global_scratch_size", "tensordesc_meta")
    warps = re.search(r'"ttg.num-warps" = (\d+)', ttgir)
    return {
        "kernel": metadata.name, "ir": ir_hash, "target": module.TARGET, "grid": module.LAUNCH["grid"],
        "cluster": module.LAUNCH["cluster"], "metadata": {
            "default_num_warps": int(warps.group(1)),
            **{k: getattr(metadata, k, None) for k in keys},
        }, "args": module.LAUNCH["arguments"], "constexprs": dict(module.CONSTEXPRS),
    }


def hints(arguments):
    """What a launch tells the front end: addresses and sizes that 16 divides."""
    divisible = [["tt.divisibility", 16]]
    return {(i,): divisible for i, a in enumerate(arguments)
            if a["kind"] == "pointer" or (a["kind"] == "scalar" and a["type"][0] == "i" and a["value"] % 16 == 0)}


def record(path, changes=None):
    """The contents of the two files, by extension."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    module = load(path)
    if changes:
        module.CONSTEXPRS, module.LAUNCH = module.variant(**changes)
    backend, arch = module.TARGET.split(":")
    target = GPUTarget(backend, int(arch) if backend == "cuda" else arch, 64 if arch.startswith("gfx9") else 32)
    arguments = module.LAUNCH["arguments"]
    signature = {a["name"]: a["type"] for a in arguments}
    signature.update({name: "constexpr" for name in module.CONSTEXPRS})
    source = ASTSource(fn=module.KERNEL, signature=signature, constexprs=dict(module.CONSTEXPRS), attrs=hints(arguments))
    options = {"num_warps": module.NUM_WARPS, **getattr(module, "OPTIONS", {})}
    if module.LAUNCH["cluster"] != [1, 1, 1]:
        options["ctas_per_cga"] = tuple(module.LAUNCH["cluster"])
    compiled = triton.compile(source, target=target, options=options)
    text = relative_locations(compiled.asm["ttir"], path)
    # fbtriton's own hash depends on where it is installed: on paths of AMD's device libraries.
    launch = manifest(module, compiled.metadata, compiled.asm["ttgir"], hashlib.sha256(text.encode()).hexdigest()[:16])
    return {".mlir": text, ".json": json.dumps(launch, indent=1) + "\n"}


def value_of(text):
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default=os.environ.get("TLX_FBTRITON_PYTHON", sys.executable),
                        help="a Python with fbtriton 3.7.4 (default: $TLX_FBTRITON_PYTHON, else this one)")
    parser.add_argument("--check", action="store_true", help="compare only")
    parser.add_argument("--variant", action="append", default=[], metavar="NAME=VALUE", help="record one kernel otherwise")
    parser.add_argument("--out", metavar="PATH", help="of --variant: the files' path without extension")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("kernels", nargs="+", metavar="KERNEL.py")
    options = parser.parse_args()
    if bool(options.variant) != bool(options.out) or (options.out and len(options.kernels) != 1):
        parser.error("--variant and --out go together, with one kernel")
    if not options.child:
        probe = subprocess.run([options.python, "-c", "import triton.language.extra.tlx"], stderr=subprocess.DEVNULL)
        if probe.returncode != 0:
            print(f"record_kernel: {options.python} has no fbtriton; nothing is recorded")
            return 0
        return subprocess.run([options.python, os.path.abspath(__file__), "--child", *sys.argv[1:]]).returncode
    stale = 0
    changes = {name: value_of(value) for name, value in (change.split("=", 1) for change in options.variant)}
    for path in map(os.path.abspath, options.kernels):
        for extension, text in record(path, changes).items():
            target = (options.out or os.path.splitext(path)[0]) + extension
            if options.check:
                same = os.path.exists(target) and open(target).read() == text
                stale += not same
                print(f"record_kernel: {os.path.relpath(target, ROOT)} is {'up to date' if same else 'stale'}")
            else:
                with open(target, "w") as f:
                    f.write(text)
                print(f"record_kernel: {os.path.relpath(target, ROOT)}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
