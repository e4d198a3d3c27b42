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
    # exp is a power of two whose exponent, up to 23, was rounded; then a sum of 1,000 in tree order and a quotient.
    return {"y": (wanted, 40 * F32 * wanted + 2.0**-126)}


def attention(launch, causal):
    """P is rounded to f16 before its product with V, O once more."""
    tensors = inputs(launch)
    x = {name.removesuffix("_desc"): value for name, value in tensors.items()}
    result = "o_desc" if "o_desc" in tensors else "o"
    values = {a["name"]: a["value"] for a in launch.arguments("scalar")}
    n = values["N"]
    q, k, v = (x[name].reshape(-1, n, x[name].shape[-1]) for name in "qkv")
    wanted, allowed = np.empty_like(q), np.empty_like(q)
    for head in range(len(q)):
        for row in range(n):
            seen = row + 1 if causal else n
            s = values["scale"] * (k[head, :seen] @ q[head, row])
            p = np.exp(s - s.max())
            p /= p.sum()
            wanted[head, row] = p @ v[head, :seen]
            allowed[head, row] = F16 * np.abs(wanted[head, row]) + 2 * F16 * (p @ np.abs(v[head, :seen])) + 2.0**-20
    return {result: (wanted.reshape(len(q) * n, -1), allowed.reshape(len(q) * n, -1))}


def attention_causal(launch):
    return attention(launch, causal=True)


def attention_full(launch):
    return attention(launch, causal=False)


def attention_backward(launch):
    """P and dS are rounded to f16 (whose smallest step is 2^-24) before their products, dK and dV once more."""
    x = inputs(launch)
    values = {a["name"]: a["value"] for a in launch.arguments("scalar")}
    n, scale = values["N"], values["scale"]
    heads = [{name.removesuffix("_desc"): x[name][i:i + n] for name in ("q_desc", "k_desc", "v_desc", "do_desc", "lse", "delta")}
             for i in range(0, len(x["lse"]), n)]  # fmt: skip
    parts = {"dq": [], "dk_desc": [], "dv_desc": []}
    for h in heads:
        p = np.exp(scale * (h["q"] @ h["k"].T) - h["lse"][:, None])
        ds = p * (h["do"] @ h["v"].T - h["delta"][:, None])
        for name, factor, weights, other, final in (("dv_desc", 1, p.T, h["do"], F16), ("dk_desc", scale, ds.T, h["q"], F16), ("dq", scale, ds, h["k"], F32)):
            wanted = factor * (weights @ other)
            parts[name].append((wanted, final * np.abs(wanted) + factor * ((2 * F16 * np.abs(weights) + 2.0**-25) @ np.abs(other)) + 2.0**-25))
    return {name: tuple(np.concatenate(side) for side in zip(*part)) for name, part in parts.items()}


def gemm_mxfp8(launch):
    """Scales are powers of two, 512 bytes for 128 rows and 4 groups of 32 of K: row r and group g at
    16 (r % 32) + 4 (r / 32) + g."""
    x = inputs(launch)

    def scaled(operand, scales):
        blocks = scales.reshape(operand.shape[0] // 128, operand.shape[1] // 128, 32, 4, 4)
        by_row = blocks.transpose(0, 3, 2, 1, 4).reshape(operand.shape[0], -1)
        return operand * np.repeat(2.0 ** (by_row - 127), 32, axis=1)

    return {"c_desc": product(scaled(x["a_desc"], x["a_scale_desc"]), scaled(x["b_desc"], x["b_scale_desc"]).T, F16)}


REFERENCES = {
    "attention/hopper_fwd": attention_causal, "attention/hopper_overlap": attention_causal,
    "attention/blackwell_fwd": attention_full, "attention/amd_fwd": attention_full,
    "attention/blackwell_bwd": attention_backward, "gemm/blackwell_mxfp8": gemm_mxfp8,
    "gemm/hopper_ws": gemm, "gemm/hopper_wide": gemm, "gemm/hopper_pingpong": gemm, "gemm/hopper_multicast": gemm,
    "gemm/hopper_fp8": gemm_fp8,
    "gemm/split_k": gemm_split_k, "norm/softmax": softmax, "gemm/blackwell_ws": gemm, "gemm/blackwell_clc": gemm,
    "gemm/blackwell_2cta": gemm, "gemm/grouped": gemm_grouped, "gemm/amd_pipelined": gemm_pointers,
    "gemm/amd_warp_pipeline": gemm_pointers, "gemm/amd_tdm": gemm_pointers, "norm/layer_norm_cluster": layer_norm,
}  # fmt: skip
