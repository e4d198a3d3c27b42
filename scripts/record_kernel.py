#!/usr/bin/env python3
"""Records a kernel of kernels/: writes <name>.mlir and <name>.json beside <name>.py.

The .mlir is the kernel's IR as fbtriton's front end and TTIR passes leave it (the .ttir level), with locations
that name the Python file relative to the repository. The .json is the launch manifest of the file's LAUNCH; what
fbtriton's own compilation finds (shared memory, warps, TMA boxes) is kept in its metadata. No GPU is needed.

    scripts/record_kernel.py [--python PYTHON] [--check] kernels/gemm/hopper_ws.py ...

needs a Python with fbtriton 3.7.4; without it, says so and changes nothing. --check writes nothing and fails when
the files in the repository are not what would be written.
"""
import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def load(path):
    spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(path))[0], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def front_end_type(descriptor):
    dtype = {"f16": "fp16", "bf16": "bf16", "f32": "fp32"}[descriptor["dtype"]]
    return f"tensordesc<{dtype}{descriptor['block_shape']}>"


def relative_locations(text, path):
    """Locations name files relative to the repository, and fbtriton's own by their package."""
    own = os.path.relpath(path, ROOT).replace(os.sep, "/")
    text = re.sub(r'"[^"\s]*/' + re.escape(os.path.basename(path)) + '"', f'"{own}"', text)
    return re.sub(r'"/[^"\s]*/(triton/[^"\s]+\.py)"', r'"\1"', text)


def manifest(module, launch, signature, metadata, ir_hash):
    arguments = []
    for storage, d in enumerate(launch["descriptors"]):
        rows, cols = d["shape"]
        arguments.append({
            "kind": "tensordesc", "dtype": d["dtype"], "shape": [rows, cols], "strides": [cols, 1],
            "block_shape": d["block_shape"], "padding": "zero", "storage": storage, "offset": 0,
            "base_shape": [rows, cols], "data": d["data"], "name": d["name"], "type": signature[d["name"]],
        })
    for name, value in launch["scalars"].items():
        arguments.append({"kind": "scalar", "value": value, "name": name, "type": signature[name]})
    return {
        "kernel": metadata["name"], "ir": ir_hash, "target": module.TARGET, "grid": launch["grid"],
        "cluster": launch.get("cluster", [1, 1, 1]), "metadata": {
            "default_num_warps": module.NUM_WARPS,
            **{k: metadata.get(k) for k in ("num_warps", "num_ctas", "shared", "tmem_size", "global_scratch_size",
                                            "tensordesc_meta")},
        }, "args": arguments, "constexprs": dict(module.CONSTEXPRS),
    }


def record(path):
    """The contents of the two files."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    module = load(path)
    backend, arch = module.TARGET.split(":")
    launch = module.LAUNCH
    signature = {d["name"]: front_end_type(d) for d in launch["descriptors"]}
    signature.update({name: "i32" for name in launch["scalars"]})
    signature.update({name: "constexpr" for name in module.CONSTEXPRS})
    source = ASTSource(fn=module.KERNEL, signature=signature, constexprs=dict(module.CONSTEXPRS))
    compiled = triton.compile(source, target=GPUTarget(backend, int(arch), 32), options={"num_warps": module.NUM_WARPS})
    ttir = relative_locations(compiled.asm["ttir"], path)
    metadata = {k: getattr(compiled.metadata, k, None) for k in
                ("name", "num_warps", "num_ctas", "shared", "tmem_size", "global_scratch_size", "tensordesc_meta")}
    return {
        ".mlir": ttir,
        ".json": json.dumps(manifest(module, launch, signature, metadata, compiled.metadata.hash[:16]), indent=1) + "\n",
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default=os.environ.get("TLX_FBTRITON_PYTHON", sys.executable),
                        help="a Python with fbtriton 3.7.4 (default: $TLX_FBTRITON_PYTHON, else this one)")
    parser.add_argument("--check", action="store_true", help="compare only")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("kernels", nargs="+", metavar="KERNEL.py")
    options = parser.parse_args()
    if not options.child:
        probe = subprocess.run([options.python, "-c", "import triton.language.extra.tlx"], stderr=subprocess.DEVNULL)
        if probe.returncode != 0:
            print(f"record_kernel: {options.python} has no fbtriton; nothing is recorded")
            return 0
        return subprocess.run([options.python, os.path.abspath(__file__), "--child"] +
                              (["--check"] if options.check else []) + options.kernels).returncode
    stale = 0
    for path in map(os.path.abspath, options.kernels):
        for extension, text in record(path).items():
            target = os.path.splitext(path)[0] + extension
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
