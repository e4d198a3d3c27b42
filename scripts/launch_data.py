"""The arrays that a launch manifest (docs/reference/manifest.md) describes, in numpy.

An independent reading of the format, for checks: the tools have their own in C++.
"""
import json
import os

import numpy as np

STORAGE = {
    "f16": np.float16, "f32": np.float32, "f64": np.float64, "bf16": np.uint16, "f8E4M3FN": np.uint8,
    "f8E5M2": np.uint8, "f8E8M0FNU": np.uint8, "i1": np.uint8, "i8": np.int8, "i16": np.int16, "i32": np.int32,
    "i64": np.int64, "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
}


def splitmix64(z):
    z = z + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def uniform(seed, count):
    """`count` numbers of [0, 1) with 24 bits each."""
    indices = np.uint64((seed << 40) % 2**64) + np.arange(count, dtype=np.uint64)
    return (splitmix64(indices) >> np.uint64(40)).astype(np.float64) * 2.0**-24


def fromFloat8(raw):
    """float8 e4m3 (finite values) as float64."""
    raw = raw.astype(np.int64)
    sign, exponent, fraction = np.where(raw & 128, -1.0, 1.0), (raw >> 3) & 15, raw & 7
    return sign * np.where(exponent == 0, fraction * 2.0**-9, (1 + fraction / 8) * 2.0 ** (exponent - 7.0))


def toFloat(array, dtype):
    """Stored values as float64."""
    if dtype == "bf16":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if dtype == "f8E4M3FN":
        return fromFloat8(array)
    if dtype == "f8E5M2":
        return (array.astype(np.uint16) << 8).view(np.float16).astype(np.float64)
    if dtype == "f8E8M0FNU":
        return 2.0 ** (array.astype(np.float64) - 127)
    if dtype.startswith("f8"):
        raise ValueError("dtype %s is not read here" % dtype)
    return array.astype(np.float64)


def toStorage(values, dtype):
    """float64 rounded to the dtype, nearest even, as stored."""
    if dtype == "bf16":
        bits = values.astype(np.float32).view(np.uint32).astype(np.uint64)
        return ((bits + 0x7FFF + ((bits >> np.uint64(16)) & np.uint64(1))) >> np.uint64(16)).astype(np.uint16)
    if dtype == "f8E4M3FN":
        return toFloat8(values)
    if dtype == "f8E5M2":  # the upper half of an f16, which has the same exponents; larger values end at 57344
        clipped = np.clip(values, -57344, 57344)
        fraction, exponent = np.frexp(clipped)
        step = np.ldexp(1.0, np.maximum(exponent, -13) - 3)
        return ((np.rint(clipped / step) * step).astype(np.float16).view(np.uint16) >> 8).astype(np.uint8)
    if dtype == "f8E8M0FNU":  # the nearest power of two, the upper one of two that are as near; the sign is lost
        fraction, exponent = np.frexp(np.maximum(np.abs(values), 2.0**-127))
        return (exponent - 1 + (fraction >= 0.75) + 127).astype(np.uint8)
    if dtype.startswith("f8"):
        raise ValueError("dtype %s is not written here" % dtype)
    return values.astype(STORAGE[dtype])


def toFloat8(values):
    """float8 e4m3: three bits of fraction, exponents from -6, largest 448, where larger values end."""
    size = np.minimum(np.abs(values), 448.0)
    exponent = np.maximum(np.floor(np.log2(np.maximum(size, 2.0**-12))), -6.0)
    steps = np.rint(size * 2.0 ** (3 - exponent))  # 8 to 16 of them for a normal number; rint is nearest even
    bits = np.where(size < 2.0**-6, np.rint(size * 2.0**9), (exponent + 7) * 8 + steps - 8)
    return (np.minimum(bits, 126) + np.where(np.signbit(values), 128, 0)).astype(np.uint8)


class Launch:
    def __init__(self, path):
        self.folder = os.path.dirname(path)
        with open(path, encoding="utf-8") as file:
            self.manifest = json.load(file)

    def arguments(self, *kinds):
        """The arguments of these kinds, in order; tuples are flattened."""
        def walk(items):
            for item in items:
                if item["kind"] == "tuple":
                    yield from walk(item["items"])
                elif item["kind"] in kinds:
                    yield item
        return list(walk(self.manifest["args"]))

    def initial(self, argument):
        """What the argument's allocation holds before the launch, in the argument's shape."""
        data, dtype = argument["data"], argument["dtype"]
        shape = argument.get("base_shape") or argument["shape"]
        count = int(np.prod(shape))
        if "file" in data:
            return np.load(os.path.join(self.folder, data["file"])).reshape(shape)
        fill = data["fill"]
        if fill == "zeros":
            return np.zeros(shape, STORAGE[dtype])
        if fill == "constant":
            values = np.full(count, data["value"], np.float64)
        elif fill == "values":
            values = np.array(data["values"], np.float64)
        elif fill == "uniform":
            values = data["lo"] + (data["hi"] - data["lo"]) * uniform(data["seed"], count)
        elif fill == "uniform_int":
            values = data["lo"] + np.floor((data["hi"] - data["lo"]) * uniform(data["seed"], count))
        else:
            raise ValueError("unknown fill '%s'" % fill)
        return toStorage(values, dtype).reshape(shape)
