#!/usr/bin/env python3
"""Each kernel of kernels/ is proved, computes what its float64 reference says, and its seeded twin is refuted."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import pytlx

sys.path.insert(0, os.path.join(pytlx.SOURCE, "scripts"))

import numpy as np  # noqa: E402

import launch_data  # noqa: E402
from references import REFERENCES  # noqa: E402

# kernel: (what is taken out of its IR or, with a replacement, changed; how many of these places; the class of bug this makes).
TWINS = {
    # The second consumer never lets the first begin.
    "attention/hopper_fwd": (r"\n {6}ttng\.arrive_barrier_named .*", "", 1, "deadlock"),
    # K is given back while a tile's first product may still read it.
    "attention/hopper_overlap": (r"(ttng\.warp_group_dot_wait .*pendings = )0 ", r"\g<1>1 ", 1, "race"),
    # The barrier completes before the last load has arrived.
    "gemm/hopper_ws": (r"(ttng\.barrier_expect %\w+, )32768", r"\g<1>16384", 1, "bytes-mismatch"),
    # A slot is given back while the product before last may still read it.
    "gemm/hopper_pingpong": (r"(ttng\.warp_group_dot_wait .*pendings = )1 ", r"\g<1>2 ", 1, "race"),
    # A slot is given back while its product may still read it.
    "gemm/hopper_wide": (r"(ttng\.warp_group_dot_wait .*pendings = )1 ", r"\g<1>2 ", 2, "race"),
    # A CTA ends while the other may still multicast into it and arrive at it.
    "gemm/hopper_multicast": (r"ttng\.cluster_arrive .*\n *ttng\.cluster_wait .*\n(?= *ttg\.warp_)", "", 2, "exit"),
    # No slot is ever given back.
    "gemm/hopper_fp8": (r"\n *ttng\.arrive_barrier .*", "", 1, "deadlock"),
    # The multiplier overwrites sums that the epilogue may still read.
    "gemm/blackwell_ws": (r"(?s)(partition0\(.*?)\n *ttng\.wait_barrier [^\n]*", r"\1", 1, "race"),
    # The answer counts as read before the third task has read it.
    "gemm/blackwell_clc": (r"(ttng\.init_barrier %\w+, )3 ", r"\g<1>2 ", 1, "arrival-order"),
    # The even CTA counts its own bytes only.
    "gemm/blackwell_2cta": (r"(ttng\.barrier_expect %\w+, )49152", r"\g<1>24576", 1, "arrival-order"),
    # The output is read before the last product has been added to it. (The wait within the loop is implied: S is complete
    # only after all earlier products.)
    "attention/blackwell_fwd": (r"(?s)(partition1\(.*)\n *ttng\.wait_barrier [^\n]*(?=.*partition2\()", r"\1", 1, "race"),
    # dQ is overwritten by the next block's before the reducer has read it.
    "attention/blackwell_bwd": (r"(?s)(partition1\(.*)\n *ttng\.wait_barrier [^\n]*(?=.*partition2\()", r"\1", 1, "race"),
    # A step's bytes without those of the scales.
    "gemm/blackwell_mxfp8": (r"(ttng\.barrier_expect %\w+, )33792", r"\g<1>32768", 1, "arrival-order"),
    # LDS is read before the copies have arrived.
    "gemm/amd_pipelined": (r"\n *%\w+ = ttg\.async_wait .*", "", 1, "race"),
    # A step's operands are read while they are still being copied.
    "gemm/amd_warp_pipeline": (r"(ttg\.async_wait .*num = )1 ", r"\g<1>2 ", 1, "race"),
    "gemm/amd_tdm": (r"(tdm_wait .*num = )2 ", r"\g<1>4 ", 1, "race"),
    # K and V are read before the copies have arrived.
    "attention/amd_fwd": (r"\n *%\w+ = ttg\.async_wait .*", "", 1, "race"),
    # A sum is stored at the peer before it has initialised its barrier.
    "norm/layer_norm_cluster": (r"ttng\.cluster_arrive .*\n *ttng\.cluster_wait .*\n", "", 1, "cluster-entry"),
    # The programs of a tile store their parts, each over the others'.
    "gemm/split_k": (r"%\w+ = tt\.atomic_rmw fadd, relaxed, gpu, (.*) : \((tensor<\S+>), .*", r"tt.store \1 : \2", 1, "race"),
    # Each program stores its row into the first one of x, which another reads.
    "norm/softmax": (r"(%1 = tt\.addptr )%0, %at_2", r"\1%row_3, %columns", 1, "race"),
}

# Where a kernel stores depends on what it reads: the simulator sees it, of one launch.
SIMULATED_TWINS = {
    # A group's last tile stores rows beyond the group.
    "gemm/grouped": (r"%18 = arith\.andi %16, ", "%18 = arith.andi %17, ", 1, "out-of-bounds"),
}


def kernels():
    return [path[len("kernels/"):-len(".mlir")] for path in pytlx.trackedFiles("kernels/*.mlir")]


def verify(path, *flags):
    done = subprocess.run([pytlx.tool("tlx-verify"), path, "--json", "--no-cache", *flags], capture_output=True, text=True)
    return json.loads(done.stdout)["results"][0]


class Kernels(unittest.TestCase):
    def path(self, kernel):
        return os.path.join(pytlx.SOURCE, "kernels", kernel)

    def test_everyKernelHasAReference(self):
        self.assertEqual(sorted(REFERENCES), kernels())

    def test_proved(self):
        for kernel in kernels():
            with self.subTest(kernel):
                result = verify(self.path(kernel) + ".mlir")
                self.assertEqual(result["verdict"], "PROVED", result["message"])

    def compare(self, kernel, manifest):
        """What a launch computes on the simulator, with its float64 reference."""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([pytlx.tool("tlx-run"), "--device", "sim", self.path(kernel) + ".mlir", "--manifest", manifest,
                                   "--functional-only", "--race-check", "--save-outputs", folder], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            launch = launch_data.Launch(manifest)
            arguments = {a["name"]: a for a in launch.arguments("tensordesc", "pointer")}
            for name, (wanted, allowed) in REFERENCES[kernel](launch).items():
                argument = arguments[name]
                got = launch_data.toFloat(np.load(os.path.join(folder, "%d.npy" % argument["storage"])).reshape(wanted.shape), argument["dtype"])
                error = np.abs(got - wanted)
                wrong = ~(error <= allowed)
                self.assertFalse(wrong.any(), "%d of %d elements of %s wrong, worst by %g" % (wrong.sum(), wrong.size, name, error.max()))
                self.assertGreater(np.abs(wanted).max(), 0)

    def test_values(self):
        for kernel in kernels():
            with self.subTest(kernel):
                self.compare(kernel, self.path(kernel) + ".json")

    def test_maximaThatMove(self):
        """Scores so far apart that blocks are done again with a maximum of their own."""
        kernel = "attention/hopper_overlap"
        with open(self.path(kernel) + ".json") as file:
            manifest = json.load(file)
        next(a for a in manifest["args"] if a["name"] == "scale")["value"] = 4.0
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "far.json")
            with open(path, "w") as file:
                json.dump(manifest, file)
            self.compare(kernel, path)

    def eachTwin(self, table, refute):
        for kernel, (what, instead, often, class_) in table.items():
            with self.subTest(kernel), tempfile.TemporaryDirectory() as folder:
                text, count = re.subn(what, instead, pytlx.read("kernels/%s.mlir" % kernel), count=often)
                self.assertEqual(count, often)
                twin = os.path.join(folder, "twin.mlir")
                with open(twin, "w") as file:
                    file.write(text)
                refute(twin, self.path(kernel) + ".json", class_)

    def test_everyKernelHasATwin(self):
        self.assertEqual(sorted([*TWINS, *SIMULATED_TWINS]), kernels())

    def test_twinsAreRefuted(self):
        def refute(twin, manifest, class_):
            result = verify(twin, "--manifest", manifest)
            self.assertEqual((result["verdict"], result["class"]), ("BUG", class_), result["message"])

        self.eachTwin(TWINS, refute)

    def test_twinsAreRefutedBySimulation(self):
        def refute(twin, manifest, class_):
            done = subprocess.run([pytlx.tool("tlx-run"), "--device", "sim", twin, "--manifest", manifest, "--functional-only"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("[%s]" % class_, done.stderr)

        self.eachTwin(SIMULATED_TWINS, refute)

    def test_theTableIsCurrent(self):
        done = subprocess.run([sys.executable, os.path.join(pytlx.SOURCE, "scripts", "kernels_table.py"), "--check", "--build", pytlx.BINARY],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    pytlx.main()
