"""Runs a kernel given as IR text on the simulator: arrays in, arrays out."""
import json
import os
import subprocess
import tempfile

import numpy as np

import pytlx

DTYPES = {"float16": "f16", "float32": "f32", "float64": "f64", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8",
          "uint16": "u16", "uint32": "u32", "uint64": "u64"}


def pointer(storage, array, file, dtype=None):
    strides = [1]
    for size in reversed(array.shape[1:]):
        strides.insert(0, strides[0] * size)
    return {"kind": "pointer", "name": "p%d" % storage, "type": "*", "dtype": dtype or DTYPES[array.dtype.name], "shape": list(array.shape),
            "strides": strides, "storage": storage, "offset": 0, "data": {"file": file}}


def run(ir, args, level="ttir", grid=(1, 1, 1), warps=4, ctas=1, target="cuda:90", options=()):
    """(completed process, [what each array holds afterwards]). `args`: arrays, (array, dtype) and ints."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernel." + level)
        with open(path, "w", encoding="utf-8") as file:
            file.write(ir)
        described, arrays = [], []
        for i, arg in enumerate(args):
            if isinstance(arg, int):
                described.append({"kind": "scalar", "name": "s%d" % i, "type": "i32", "value": arg})
                continue
            array, dtype = arg if isinstance(arg, tuple) else (arg, None)
            np.save(os.path.join(folder, "%d.npy" % i), array)
            described.append(pointer(len(arrays), array, "%d.npy" % i, dtype))
            arrays.append(array)
        manifest = os.path.join(folder, "launch.json")
        with open(manifest, "w", encoding="utf-8") as file:
            json.dump({"kernel": "k", "target": target, "grid": list(grid), "cluster": [],
                       "metadata": {"default_num_warps": warps, "num_ctas": ctas}, "args": described}, file)
        out = os.path.join(folder, "out")
        done = subprocess.run([pytlx.tool("tlx-run"), "--device", "sim", path, "--manifest", manifest, "--functional-only", "--race-check",
                               "--save-outputs", out, *options], capture_output=True, text=True)
        results = []
        for storage, array in enumerate(arrays):
            saved = os.path.join(out, "%d.npy" % storage)
            results.append(np.load(saved).reshape(array.shape) if os.path.exists(saved) else array)
        return done, results
