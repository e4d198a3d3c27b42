#!/usr/bin/env python3
"""kernels/: every kernel has its three files, they fit each other, and, where fbtriton is there,
recording it again gives the same.
"""
import json
import os
import re
import subprocess
import sys
import unittest

import pytlx

FLATTENED = {"pointer": lambda a: 1, "scalar": lambda a: 1, "null": lambda a: 0,
             "tensordesc": lambda a: 1 + 2 * len(a["shape"])}


def kernels():
    return [path[:-len(".mlir")] for path in pytlx.trackedFiles("kernels/*.mlir")]


class Recorded(unittest.TestCase):
    def test_thereAreKernels(self):
        self.assertIn("kernels/gemm/hopper_ws", kernels())

    def test_threeFilesEach(self):
        for kernel in kernels():
            for extension in (".py", ".json"):
                self.assertTrue(os.path.exists(os.path.join(pytlx.SOURCE, kernel + extension)), kernel + extension)

    def test_manifestFitsTheFunction(self):
        for kernel in kernels():
            with self.subTest(kernel):
                ir, manifest = pytlx.read(kernel + ".mlir"), json.loads(pytlx.read(kernel + ".json"))
                function = re.search(r"tt\.func public @(\w+)\((.*?)\) attributes", ir)
                self.assertEqual(function.group(1), manifest["kernel"])
                parameters = re.findall(r"%([\w.]+): ", function.group(2))
                self.assertEqual(len(parameters), sum(FLATTENED[a["kind"]](a) for a in manifest["args"]))
                self.assertEqual([p for p in parameters if ".shape." not in p and ".stride." not in p],
                                 [a["name"] for a in manifest["args"]])
                if "module attributes" in ir:  # plain Triton leaves both to the launch
                    self.assertIn('ttg.target = "%s"' % manifest["target"], ir)
                    self.assertIn('"ttg.num-warps" = %d ' % manifest["metadata"]["default_num_warps"], ir)
                for argument in manifest["args"]:
                    if argument["kind"] == "tensordesc":
                        block = "x".join(map(str, argument["block_shape"]))
                        self.assertIn("%%%s: !tt.tensordesc<tensor<%sx%s>>" %
                                      (argument["name"], block, argument["dtype"].replace("u8", "ui8")), ir)

    def test_locationsNameTheKernelsFile(self):
        for kernel in kernels():
            files = set(re.findall(r'loc\("([^"]+\.py)":\d', pytlx.read(kernel + ".mlir")))
            self.assertIn(kernel + ".py", files)
            for file in files:
                self.assertFalse(os.path.isabs(file), file)
                self.assertTrue(file == kernel + ".py" or file.startswith("triton/"), file)

    def test_recordingAgainGivesTheSame(self):
        python = os.environ.get("TLX_FBTRITON_PYTHON", sys.executable)
        script = os.path.join(pytlx.SOURCE, "scripts", "record_kernel.py")
        run = subprocess.run([python, script, "--python", python, "--check"] +
                             [os.path.join(pytlx.SOURCE, kernel + ".py") for kernel in kernels()],
                             capture_output=True, text=True)
        if "has no fbtriton" in run.stdout:
            self.skipTest(run.stdout.strip())
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


if __name__ == "__main__":
    pytlx.main()
