"""A launch, as its manifest says it (docs/reference/manifest.md)."""
import re

from . import data
from .errors import RecordError
from .tensors import View, is_tensor

METADATA = (
    "num_warps", "num_ctas", "shared", "tmem_size", "global_scratch_size", "profile_scratch_size", "num_stages", "maxnreg",
    "launch_pdl", "launch_cooperative_grid", "tensordesc_meta",
)  # fmt: skip


class Arguments:
    """Turns a launch's arguments into manifest entries; numbers allocations in the order in which they turn up."""

    def __init__(self, mode, folder, stem):
        self.mode, self.folder, self.stem = mode, folder, stem
        self.storages = {}  # View.key -> number
        self.views = {}  # number -> a View of it
        self.count = 0

    def memory(self, tensor):
        view = View(tensor)
        number = self.storages.setdefault(view.key, len(self.storages))
        self.views.setdefault(number, view)
        entry = {"dtype": view.dtype, "shape": view.shape, "strides": view.strides, "storage": number, "offset": view.offset}
        return entry, data.describe(view, self.mode, self.folder, self.stem, self.count)

    def describe(self, value, name, type_):
        entry = self.value(value, name, type_)
        self.count += 1
        entry.update(name=name, type=str(type_))
        return entry

    def value(self, value, name, type_):
        if value is None:
            return {"kind": "null"}
        if isinstance(value, (bool, int, float)):
            return {"kind": "scalar", "value": int(value) if isinstance(value, bool) else value}
        if is_tensor(value):
            entry, content = self.memory(value)
            return {"kind": "pointer", **entry, "data": content}
        if hasattr(value, "block_shape") and hasattr(value, "base"):
            entry, content = self.memory(value.base)
            return {
                "kind": "tensordesc", "dtype": entry["dtype"], "shape": [int(n) for n in value.shape],
                "strides": [int(n) for n in value.strides], "block_shape": [int(n) for n in value.block_shape],
                "padding": getattr(value, "padding", "zero"), "storage": entry["storage"], "offset": entry["offset"],
                "base_shape": entry["shape"], "data": content,
            }  # fmt: skip
        if isinstance(value, tuple):
            types = type_ if isinstance(type_, (tuple, list)) else [""] * len(value)
            return {"kind": "tuple", "items": [self.describe(v, "%s.%d" % (name, i), t) for i, (v, t) in enumerate(zip(value, types))]}
        raise RecordError("argument '%s' is a %s, which a manifest cannot hold" % (name, type(value).__name__),
                          "kernels take tensors, tensor descriptors, numbers, tuples of them and None")


def default_warps(ttgir):
    """Warps of the default region, which the module's attribute tells; None when it does not."""
    found = re.search(r'"ttg\.num-warps" = (\d+)', ttgir or "")
    return int(found.group(1)) if found else None


def plain(value):
    return value if isinstance(value, (int, float, str, bool, type(None))) else repr(value)[:200]


def build(compiled, source, target, grid, values, arguments):
    """The manifest of one launch. values: what the kernel got, in the order of its Python parameters."""
    metadata = compiled.metadata
    entries, constants = [], {}
    for index, (name, value) in enumerate(zip(source.fn.arg_names, values)):
        type_ = source.signature.get(name)
        if type_ == "constexpr" or (index,) in source.constants:
            constants[name] = plain(source.constants.get((index,), value))
        else:
            entries.append(arguments.describe(value, name, type_))
    numbers = {key: getattr(metadata, key, None) for key in METADATA}
    cluster = getattr(metadata, "ctas_per_cga", None) or []
    return {
        "kernel": metadata.name, "ir": metadata.hash[:16], "target": str(target), "grid": [int(n) for n in grid],
        "cluster": [int(n) for n in cluster],
        "metadata": {"default_num_warps": default_warps(compiled.asm.get("ttgir")), **numbers},
        "args": entries, "constexprs": constants,
    }  # fmt: skip
