#!/usr/bin/env python3
"""Checks C = A * B that `tlx-run --save-outputs DIR` left, against numpy in double precision.

    check_gemm.py LAUNCH.json DIR

A, B and C are the manifest's first three arrays. Every element must lie within the rounding of C's
type plus that of a single-precision accumulation. Exit code 0 or 1.
"""
import os
import sys

import numpy as np

import launch_data

ROUNDING = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24}


def main():
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    launch = launch_data.Launch(sys.argv[1])
    a, b, c = launch.arguments("tensordesc", "pointer")[:3]
    path = os.path.join(sys.argv[2], "%d.npy" % c["storage"])
    if not os.path.exists(path):
        print("error: %s does not exist: the kernel changed nothing of C" % path, file=sys.stderr)
        return 1
    left, right = (launch_data.toFloat(launch.initial(x), x["dtype"]) for x in (a, b))
    got = launch_data.toFloat(np.load(path).reshape(c["shape"]), c["dtype"])
    wanted = left @ right
    # Single-precision sums of `k` products lose at most about k roundings of the absolute sum; tensor
    # cores keep a few bits less than that when they align products.
    allowed = ROUNDING[c["dtype"]] * np.abs(wanted) + left.shape[1] * 2.0**-24 * (np.abs(left) @ np.abs(right)) + 2.0**-25
    error = np.abs(got - wanted)
    wrong = int((~(error <= allowed)).sum())
    print("C = A * B, %d x %d x %d, %s: %d of %d elements wrong; largest error %.3g, root mean square %.3g "
          "(values have %.3g)" % (*got.shape, left.shape[1], c["dtype"], wrong, got.size, error.max(),
                                  np.sqrt((error**2).mean()), np.sqrt((wanted**2).mean())))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
