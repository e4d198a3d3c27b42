"""How a manifest says what an argument holds before the launch (docs/reference/manifest.md, "Data")."""
import math

import numpy as np

from .names import in_folder

EXACT_BYTES = 1 << 20  # "auto" keeps tensors up to this size as they are
INLINE_VALUES = 64
SAMPLE = 1 << 18  # elements that tell the spread of a large tensor


def describe(view, mode, folder, stem, index):
    """The `data` entry of an argument.

    mode: auto, exact or generated. Files go to folder, named after stem and the argument's index, which is
    also the seed of generated data.
    """
    values = view.values()
    if values.size == 0 or not values.view(np.uint8).any():
        return {"fill": "zeros"}
    if values.size <= INLINE_VALUES:
        numbers = view.doubles()
        if numbers is not None and np.isfinite(numbers).all():
            whole = "float" not in view.name
            return {"fill": "values", "values": [int(v) for v in values.flat] if whole else numbers.tolist()}
    if mode == "generated" or (mode == "auto" and values.nbytes > EXACT_BYTES):
        entry = generated(view, values, index)
        if entry is not None:
            return entry
    name = "%s.%d.npy" % (stem, index)
    np.save(in_folder(folder, name), values)
    return {"file": name}


def generated(view, values, index):
    """A generator with the range (integers) or the spread (floats, by a sample) of what is there; None where that is unknown."""
    if view.dtype[0] in "iu":
        low, high = int(values.min()), int(values.max())
        return {"fill": "constant", "value": low} if low == high else {"fill": "uniform_int", "seed": index + 1, "lo": low, "hi": high + 1}
    numbers = view.doubles(values.size // SAMPLE | 1)  # odd: not one column again and again
    if numbers is None:
        return None
    finite = numbers[np.isfinite(numbers)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    if low == high:
        return {"fill": "constant", "value": low}
    mean, spread = float(finite.mean()), float(finite.std())
    half = float("%.3g" % (spread * math.sqrt(3)))  # a uniform distribution of this half width has that deviation
    centre = 0.0 if abs(mean) < 0.1 * spread else float("%.3g" % mean)
    return {"fill": "uniform", "seed": index + 1, "lo": centre - half, "hi": centre + half}
