"""How a manifest says what an argument holds before the launch (docs/reference/manifest.md, "Data")."""
import math
import os

import numpy as np

EXACT_BYTES = 1 << 20  # "auto" keeps tensors up to this size as they are
INLINE_VALUES = 64


def describe(view, mode, folder, stem, index):
    """The `data` entry of an argument.

    mode: auto, exact or generated. Files go to folder, named after stem and the argument's index, which is
    also the seed of generated data.
    """
    values = view.values()
    if values.size == 0 or not values.view(np.uint8).any():
        return {"fill": "zeros"}
    numbers = view.doubles()
    if numbers is not None and values.size <= INLINE_VALUES and np.isfinite(numbers).all():
        whole = "float" not in view.name
        return {"fill": "values", "values": [int(v) for v in values.flat] if whole else numbers.flatten().tolist()}
    if mode == "exact" or numbers is None or (mode == "auto" and values.nbytes <= EXACT_BYTES):
        name = "%s.%d.npy" % (stem, index)
        np.save(os.path.join(folder, name), values)
        return {"file": name}
    return generated(view, numbers, index)


def generated(view, numbers, index):
    """A generator with the range (integers) or the spread (floats) of what is there."""
    finite = numbers[np.isfinite(numbers)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    if low == high:
        return {"fill": "constant", "value": int(low) if view.dtype[0] in "iu" else low}
    if view.dtype[0] in "iu":
        return {"fill": "uniform_int", "seed": index + 1, "lo": int(low), "hi": int(high) + 1}
    mean, spread = float(finite.mean()), float(finite.std())
    half = float("%.3g" % (spread * math.sqrt(3)))  # a uniform distribution of this half width has that deviation
    centre = 0.0 if abs(mean) < 0.1 * spread else float("%.3g" % mean)
    return {"fill": "uniform", "seed": index + 1, "lo": centre - half, "hi": centre + half}
