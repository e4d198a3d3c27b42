"""The launch that a kernel of this folder is recorded with, as scripts/record_kernel.py reads it.

A kernel's file ends with KERNEL (the function), TARGET, NUM_WARPS, CONSTEXPRS and LAUNCH, which launch() makes of the
grid and the arguments in the kernel's order.
"""

FRONT_END = {"f16": "fp16", "bf16": "bf16", "f32": "fp32", "f8E4M3FN": "fp8e4nv", "i32": "i32", "i8": "i8", "u8": "u8"}


def uniform(seed, low=-1.0, high=1.0):
    return {"fill": "uniform", "seed": seed, "lo": low, "hi": high}


def uniform_int(seed, low, high):
    return {"fill": "uniform_int", "seed": seed, "lo": low, "hi": high}


ZEROS = {"fill": "zeros"}


def row_major(shape):
    strides = [1] * len(shape)
    for d in reversed(range(len(shape) - 1)):
        strides[d] = strides[d + 1] * shape[d + 1]
    return strides


def pointer(name, dtype, shape, data):
    """A row-major tensor, handed over as a pointer to its first element."""
    return {
        "kind": "pointer", "dtype": dtype, "shape": list(shape), "strides": row_major(shape), "offset": 0, "data": data,
        "name": name, "type": "*" + FRONT_END[dtype],
    }  # fmt: skip


def descriptor(name, dtype, shape, block, data):
    """A row-major tensor behind a TMA descriptor whose box is block."""
    return {
        "kind": "tensordesc", "dtype": dtype, "shape": list(shape), "strides": row_major(shape), "block_shape": list(block),
        "padding": "zero", "offset": 0, "base_shape": list(shape), "data": data, "name": name,
        "type": "tensordesc<%s[%s]>" % (FRONT_END[dtype], ", ".join(map(str, block))),
    }  # fmt: skip


def scalar(name, value, type_="i32"):
    return {"kind": "scalar", "value": value, "name": name, "type": type_}


def launch(grid, *arguments, cluster=(1, 1, 1)):
    """grid: CTAs in x, y, z. Every tensor is an allocation of its own."""
    tensors = [a for a in arguments if a["kind"] != "scalar"]
    for storage, argument in enumerate(tensors):
        argument["storage"] = storage
    return {"grid": [*grid, 1, 1][:3], "cluster": list(cluster), "arguments": list(arguments)}
