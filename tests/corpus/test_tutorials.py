#!/usr/bin/env python3
"""What tutorials.py counts as recorded, as not recorded, as unknown and as not launched."""
import argparse
import contextlib
import io
import json
import os
import tempfile
import unittest

import tutorials

LAUNCHER = """
from kernels import first, second
@triton.jit
def first(x): pass
@triton.jit
def third(x): pass
first[(1,)]()
third[(1,)]()
"""
KERNELS = """
@triton.jit
def first(x): pass
@triton.jit
def second(x): pass
print(first, second)
"""


class Plan(unittest.TestCase):
    def test_lettersBehindANameAreNoPartOfIt(self):
        tests = ["test_a", "test_a_s", "test_b", "test_skipped"]
        log = "file.py \n        ::test_a_sss.\n        ::test_a\n        ::test_bsssssss\n"
        self.assertEqual(tutorials.plannedTests(log, tests), ["test_a", "test_a_s", "test_b"])


class Judge(unittest.TestCase):
    def setUp(self):
        self.root = self.enterContext(tempfile.TemporaryDirectory())
        self.out = os.path.join(self.root, "out")
        for name, text in (("launcher.py", LAUNCHER), ("kernels.py", KERNELS)):
            with open(os.path.join(self.root, name), "w") as file:
                file.write(text)
        self.programs = [tutorials.Program(self.root, name) for name in ("launcher.py", "kernels.py")]

    def run_(self, target, kernels, *lines):
        """A run of launcher.py that recorded these (kernel, file) and said these lines."""
        folder = os.path.join(self.out, target, "launcher_py")
        os.makedirs(folder)
        with open(os.path.join(folder, "log.txt"), "w") as log:
            log.write("\n".join(["tutorials: launcher.py", *lines, ""]))
        for kernel, path in kernels:
            stem = os.path.join(folder, kernel)
            for suffix, text in ((".json", json.dumps({"kernel": kernel})), (".ttir", ""), (".source", '#loc = loc("%s":1:1)' % path)):
                with open(stem + suffix, "w") as file:
                    file.write(text)

    def judge(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            code = tutorials.judge(self.programs, self.out, argparse.Namespace(record_only=True))
        return code, said.getvalue().splitlines()

    def test_kernelsOfOneNameAreKeptApart(self):
        self.run_("cuda_90", [("first", "kernels.py"), ("third", "launcher.py")], "CompilationError: no such op",
                  "tlx-record: first of /x/%s/launcher.py was launched, but not recorded" % tutorials.TUTORIALS, tutorials.ENDED)
        code, lines = self.judge()
        self.assertEqual(code, 1)
        self.assertIn("cuda_90      2 of 3 launched kernels recorded", lines)
        self.assertIn("not recorded: cuda_90: launcher.py: first: CompilationError: no such op", lines)
        self.assertIn("not launched: kernels.py: second", lines)

    def test_aKernelThatFailsOnOneTargetIsRecordedOnAnother(self):
        everything = [("first", "launcher.py"), ("third", "launcher.py")]
        self.run_("cuda_90", everything, tutorials.ENDED)
        self.assertEqual(self.judge()[0], 0)
        self.run_("cuda_100", everything[:1], "tlx-record: third of launcher.py was launched, but not recorded", tutorials.ENDED)
        code, lines = self.judge()
        self.assertEqual((code, lines[0], lines[1]), (1, "cuda_100     1 of 2 launched kernels recorded", "cuda_90      2 of 2 launched kernels recorded"))

    def test_whatAnInterruptedProgramNamesIsUnknown(self):
        self.run_("cuda_90", [("first", "launcher.py")])
        code, lines = self.judge()
        self.assertEqual(code, 1)
        for key in ("launcher.py: third", "kernels.py: first", "kernels.py: second"):
            self.assertIn("unknown, runs for cuda_90 did not end: " + key, lines)
        self.assertFalse(any(line.startswith("not launched") for line in lines))


class Verdicts(unittest.TestCase):
    FAULTY = ("blackwell_multi_cta_layernorm_ws_test.py", "kernel_layernorm_multi_cta_ws")

    def test_aKnownFaultMustBeFoundAndNoOther(self):
        self.assertEqual(tutorials.wrongVerdicts({self.FAULTY: ["PROVED", "BUG(race)"], ("vector-add2.py", "add2"): ["PROVED", "UNKNOWN timeout"]}), [])
        wrong = tutorials.wrongVerdicts({self.FAULTY: ["PROVED"], ("vector-add2.py", "add2"): ["PROVED", "BUG(race)"]})
        self.assertEqual([line.split(": ")[:2] for line in wrong], [["known fault missed", self.FAULTY[0]], ["false BUG(race)", "vector-add2.py"]])


if __name__ == "__main__":
    unittest.main()
