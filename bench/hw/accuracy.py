#!/usr/bin/env python3
"""Values of our own kernels on a GPU next to float64 and to what PyTorch computes in the kernel's type.

    accuracy.py FOLDER      a folder that prepare.py filled; needs PyTorch

Prints a JSON object {variant: errors}: the largest and the root of the mean square, of ours and of PyTorch's."""
import json
import math
import os
import subprocess
import sys
import tempfile

import numpy as np
import torch

import launch_data

TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f8E4M3FN": torch.float8_e4m3fn}


def tensor(raw, dtype):
    return torch.from_numpy(np.ascontiguousarray(raw)).cuda().view(TYPES[dtype])


def attention(x, launch):
    values = {a["name"]: a["value"] for a in launch.arguments("scalar")}
    causal = launch.manifest["constexprs"]["CAUSAL"]
    q, k, v = (x[name + "_desc"].reshape(-1, values["N"], x[name + "_desc"].shape[-1]) for name in "qkv")
    scores = q.double() @ k.double().transpose(1, 2) * values["scale"]
    if causal:
        scores.masked_fill_(torch.ones_like(scores[0]).triu(1).bool(), -math.inf)
    library = torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=causal, scale=values["scale"])[0]
    return torch.softmax(scores, -1) @ v.double(), library


def product(x, _):
    a, b = x["a_desc"], x["b_desc"]
    if a.dtype == torch.float8_e4m3fn:
        one = torch.ones((), device="cuda")
        return a.double() @ b.double().t(), torch._scaled_mm(a, b.t(), one, one, out_dtype=torch.bfloat16, use_fast_accum=True)
    return a.double() @ b.double(), a @ b


def errors(got, wanted):
    error = (got.double().reshape(wanted.shape) - wanted).abs()
    return {"largest": error.max().item(), "rms": error.square().mean().sqrt().item()}


def main():
    folder, out = sys.argv[1], {}
    with open(os.path.join(folder, "cases.json"), encoding="utf-8") as file:
        cases = [c for c in json.load(file) if c["variant"].startswith("own ") and c["size"] in ("1024", "2048x2048x2048")]
    for case in cases:
        path = os.path.join(folder, case["manifest"])
        launch = launch_data.Launch(path)
        arguments = list(launch.arguments("tensordesc", "pointer"))
        result = arguments[-1]
        with tempfile.TemporaryDirectory() as values:
            subprocess.run([os.path.join(folder, "bin", "tlx-run"), "--device", "cuda", os.path.join(folder, case["package"]), "--manifest", path,
                            "--save-outputs", values], check=True, capture_output=True)
            got = tensor(np.load(os.path.join(values, "%d.npy" % result["storage"])), result["dtype"])
        x = {a["name"]: tensor(launch.initial(a), a["dtype"]) for a in arguments[:-1]}
        wanted, library = (attention if "q_desc" in x else product)(x, launch)
        out["%s %s" % (case["variant"], case["size"])] = {"ours": errors(got, wanted), "library": errors(library, wanted)}
    json.dump(out, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
