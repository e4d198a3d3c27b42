"""What each kernel of kernels/ computes, in float64 with plain loops or numpy, and how far the kernel may be from it.

A reference gets the launch (scripts/launch_data.Launch) and gives {argument name: (expected, allowed error)}.
"""
import numpy as np

import launch_data

F16, BF16, F32 = 2.0**-11, 2.0**-8, 2.0**-24


def inputs(launch):
    out = {}
    for argument in launch.arguments("tensordesc", "pointer"):
        out[argument["name"]] = launch_data.toFloat(launch.initial(argument), argument["dtype"])
    return out


def product(left, right, rounding):
    """left right; single-precision sums lose at most a rounding of the absolute sum for each product."""
    wanted = left @ right
    return wanted, rounding * np.abs(wanted) + left.shape[1] * F32 * (np.abs(left) @ np.abs(right)) + 2.0**-25


def gemm(launch):
    x = inputs(launch)
    return {"c_desc": product(x["a_desc"], x["b_desc"], F16)}


def gemm_fp8(launch):
    """Within a step of K the tensor core keeps 13 bits of fraction when it aligns float8 products."""
    x = inputs(launch)
    a, b = x["a_desc"], x["b_desc"].T
    wanted, allowed = product(a, b, BF16)
    return {"c_desc": (wanted, allowed + 2.0**-13 * (np.abs(a) @ np.abs(b)))}


def gemm_split_k(launch):
    x = inputs(launch)
    return {"c": product(x["a"], x["b"], F32)}


def gemm_pointers(launch):
    x = inputs(launch)
    return {"c": product(x["a"], x["b"], F16)}


def gemm_grouped(launch):
    x = inputs(launch)
    n = x["b"].shape[1]
    ends = x["ends"].astype(int)
    b = x["b"].reshape(len(ends), -1, n)
    parts = [product(x["a"][begin:end], b[g], F16) for g, (begin, end) in enumerate(zip([0, *ends[:-1]], ends))]
    return {"c": tuple(np.concatenate(side) for side in zip(*parts))}


def layer_norm(launch):
    """Means of 1,500 values in tree order, a reciprocal square root and three roundings."""
    x = inputs(launch)
    rows = x["x"]
    eps = next(a["value"] for a in launch.arguments("scalar") if a["name"] == "eps")
    away = rows - rows.mean(1, keepdims=True)
    wanted = away / np.sqrt((away**2).mean(1, keepdims=True) + eps) * x["weight"] + x["bias"]
    return {"y": (wanted, 32 * F32 * (np.abs(wanted) + np.abs(rows).max() + 1))}


def softmax(launch):
    x = inputs(launch)["x"]
    weights = np.exp(x - x.max(1, keepdims=True))
    wanted = weights / weights.sum(1, keepdims=True)
    return {"y": (wanted, 16 * F32 * wanted + 2.0**-126)}  # exp, a sum of 1,000 in tree order, and a quotient


def attention(launch):
    """P is rounded to f16 before its product with V, O once more."""
    x = inputs(launch)
    values = {a["name"]: a["value"] for a in launch.arguments("scalar")}
    heads, n = values["HEADS"], values["N"]
    q, k, v = (x[name].reshape(heads, n, -1) for name in ("q_desc", "k_desc", "v_desc"))
    wanted, allowed = np.empty_like(q), np.empty_like(q)
    for head in range(heads):
        for row in range(n):
            s = values["scale"] * (k[head, :row + 1] @ q[head, row])
            p = np.exp(s - s.max())
            p /= p.sum()
            wanted[head, row] = p @ v[head, :row + 1]
            allowed[head, row] = F16 * np.abs(wanted[head, row]) + 2 * F16 * (p @ np.abs(v[head, :row + 1])) + 2.0**-20
    return {"o_desc": (wanted.reshape(heads * n, -1), allowed.reshape(heads * n, -1))}


REFERENCES = {
    "attention/hopper_fwd": attention, "gemm/hopper_ws": gemm, "gemm/hopper_multicast": gemm, "gemm/hopper_fp8": gemm_fp8,
    "gemm/split_k": gemm_split_k, "norm/softmax": softmax, "gemm/blackwell_ws": gemm, "gemm/blackwell_clc": gemm,
    "gemm/blackwell_2cta": gemm, "gemm/grouped": gemm_grouped, "gemm/amd_pipelined": gemm_pointers, "norm/layer_norm_cluster": layer_norm,
}  # fmt: skip
