"""One view of everything that a kernel takes as memory: torch tensors, numpy arrays, and reinterpreted ones."""
import numpy as np

# How dtypes are spelt by torch and numpy, and in a manifest.
MANIFEST_DTYPES = {
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "bool": "i1",
    "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2", "float8_e8m0fnu": "f8E8M0FNU",
    "float8_e4m3fnuz": "f8E4M3FNUZ", "float8_e5m2fnuz": "f8E5M2FNUZ",
}  # fmt: skip
# Element types that numpy lacks are kept as unsigned integers of their size.
RAW_DTYPES = {"bfloat16": np.uint16, **{name: np.uint8 for name in MANIFEST_DTYPES if name.startswith("float8")}}


class DType:
    """A dtype as Triton asks about one: its name, itemsize in bytes, and whether it is a float."""

    def __init__(self, name):
        self.name = name
        self.itemsize = np.dtype(RAW_DTYPES.get(name, name)).itemsize
        self.is_floating_point = "float" in name

    def __str__(self):
        return self.name

    __repr__ = __str__

    def __eq__(self, other):
        return str(other).rsplit(".", 1)[-1] == self.name

    def __hash__(self):
        return hash(self.name)


class NumpyTensor:
    """A numpy array with the methods that Triton calls on a tensor.

    array: at least one-dimensional. dtype: "bfloat16" or a float8 name when the array holds such values as raw
    unsigned integers; otherwise the array's own.
    """

    def __init__(self, array, dtype=None):
        self.array = array
        self.dtype = DType(dtype or array.dtype.name)
        if self.dtype.name not in MANIFEST_DTYPES:
            raise TypeError("kernels take no %s arrays" % self.dtype)
        if self.dtype.itemsize != array.dtype.itemsize:
            raise TypeError("a %s array cannot hold %s" % (array.dtype, self.dtype))
        self.shape = array.shape

    def data_ptr(self):
        return self.array.ctypes.data

    def stride(self, dim=None):
        strides = tuple(s // self.array.itemsize for s in self.array.strides)
        return strides if dim is None else strides[dim]

    def numel(self):
        return self.array.size

    def element_size(self):
        return self.array.itemsize


def bfloat16(values):
    """Numbers as a kernel's bfloat16 argument, rounded to the nearest (ties to even); numpy itself has no such type."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return NumpyTensor(np.where(np.isnan(values), np.uint16(0x7FC0), rounded), "bfloat16")


def as_tensor(value):
    """A numpy array as Triton takes it, in tuples too; anything else as it is."""
    if isinstance(value, tuple):
        items = [as_tensor(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return NumpyTensor(value) if isinstance(value, np.ndarray) else value


def is_tensor(value):
    return hasattr(value, "data_ptr") and hasattr(value, "dtype")


class View:
    """What a manifest says of an argument in memory, and its content.

    dtype: as a manifest spells it. shape; strides and offset in elements. key: what arguments on one allocation share.
    """

    def __init__(self, tensor):
        base = tensor
        while not isinstance(base, NumpyTensor) and not hasattr(base, "untyped_storage"):
            base = base.base  # triton.runtime.jit.TensorWrapper: the same memory under another dtype
        name = str(tensor.dtype).rsplit(".", 1)[-1]
        self.name = name
        self.dtype = MANIFEST_DTYPES.get(name, name)
        self.base = base
        self.shape = [int(n) for n in base.shape]
        self.strides = [int(n) for n in base.stride()]
        if isinstance(base, NumpyTensor):
            owner = base.array
            while isinstance(owner.base, np.ndarray):
                owner = owner.base
            start = owner.ctypes.data
        else:
            start = base.untyped_storage().data_ptr()
        self.key = start
        self.offset = (base.data_ptr() - start) // base.element_size()

    def values(self):
        """The elements, row-major, as a numpy array; those that numpy lacks as raw integers."""
        raw = RAW_DTYPES.get(self.name)
        if isinstance(self.base, NumpyTensor):
            array = np.ascontiguousarray(self.base.array)
        else:
            import torch

            flat = self.base.detach().contiguous().reshape(-1)
            array = flat.view(torch.uint8).numpy().view(np.uint8) if flat.numel() else np.zeros(0, np.uint8)
            array = array.view(raw or np.dtype(self.name)).reshape(self.shape)
        return array.view(raw) if raw is not None else array

    def doubles(self, step=1):
        """Every step-th element, row-major, as float64, or None where only torch could say what they are and it is absent."""
        if self.name not in RAW_DTYPES:
            return self.values().reshape(-1)[::step].astype(np.float64)
        if self.name == "bfloat16":
            return (self.values().reshape(-1)[::step].astype(np.uint32) << 16).view(np.float32).astype(np.float64)
        if isinstance(self.base, NumpyTensor):
            return None
        import torch

        return self.base.detach().contiguous().reshape(-1)[::step].view(getattr(torch, self.name)).to(torch.float64).numpy()

    def write_back(self, raw):
        """Replaces the first len(raw) bytes of the allocation, which starts at the storage's start."""
        if isinstance(self.base, NumpyTensor):
            owner = self.base.array
            while isinstance(owner.base, np.ndarray):
                owner = owner.base
            target = owner.reshape(-1).view(np.uint8)
        else:
            import torch

            storage = self.base.untyped_storage()
            target = torch.empty(0, dtype=torch.uint8).set_(storage).numpy()
        count = min(len(raw), len(target))
        target[:count] = np.frombuffer(raw, np.uint8)[:count]
