"""tlx-verify on a real kernel: proved at all three levels, each seeded change refuted at its line.

The kernel is the persistent warp-specialised Hopper GEMM of the corpus; without the corpus the
tests that need it skip.
"""
import json
import os
import re
import subprocess
import tempfile
import unittest

import pytlx

KERNEL = "hopper/matmul_kernel_tlx_ws-e12168"
FIELDS = {"file", "kernel", "level", "verdict", "class", "severity", "reason", "message", "location",
          "preconditions", "trace", "policy", "contracts", "warnings", "notes", "bound", "launch",
          "states", "seconds", "phases"}


def verify(*arguments):
    return subprocess.run([pytlx.tool("tlx-verify"), "--no-cache", *arguments], capture_output=True, text=True, timeout=120)


def result(*arguments):
    run = verify("--json", *arguments)
    return run.returncode, json.loads(run.stdout)["results"][0]


def pythonLine(text, line):
    """The Python line that an IR line's location leads to."""
    def follow(name):
        body = re.search(rf"^#{name} = loc\((.*)\)$", text, re.M).group(1)
        direct = re.search(r'"[^"]*\.py":(\d+):', body)
        if direct:
            return int(direct.group(1))
        return next(filter(None, map(follow, re.findall(r"#(loc\d+)", body))), None)
    return follow(re.search(r"loc\(#(loc\d+)\)", line).group(1))


def seeds(lines):
    """(what, line number, new line or None): one change each."""
    for number, line in enumerate(lines):
        if "arrive_barrier " in line:
            yield "dropped arrive", number, None
        match = re.search(r"(init_barrier %[\w#]+), (\d+)", line)
        if match:
            yield "arrive count", number, line.replace(match.group(0), f"{match.group(1)}, {int(match.group(2)) + 1}")
        match = re.search(r"(barrier_expect %[\w#]+), (\d+)", line)
        if match:
            yield "expected bytes", number, line.replace(match.group(0), f"{match.group(1)}, {int(match.group(2)) // 2}")
        if re.search(r"arith.xori %[\w#]+, %[\w#]+ : i32", line):
            yield "initial phase", number, line.replace("arith.xori", "arith.andi")


class Gemm(unittest.TestCase):
    def setUp(self):
        if not pytlx.shared():
            self.skipTest("the corpus is not beside the source tree")
        self.folder = os.path.join(pytlx.shared(), "corpus", KERNEL)

    def testProvedAtAllLevels(self):
        for level in ("source", "ttir", "ttgir"):
            with self.subTest(level=level):
                code, verdict = result(os.path.join(self.folder, "kernel." + level))
                self.assertEqual((code, verdict["verdict"]), (0, "PROVED"), verdict["message"])
                self.assertEqual(set(verdict), FIELDS)
                self.assertEqual(verdict["level"], level)
                self.assertLessEqual(verdict["seconds"], 1)
                self.assertEqual(verdict["preconditions"], [])

    def testSeededChangesAreRefutedAtTheirLine(self):
        manifest = os.path.join(self.folder, "launch-512x384x320.json")
        for level in ("source", "ttir", "ttgir"):
            with open(os.path.join(self.folder, "kernel." + level), encoding="utf-8") as file:
                text = file.read()
            lines = text.split("\n")
            kinds = set()
            for what, number, new in seeds(lines):
                changed = lines[:number] + ([] if new is None else [new]) + lines[number + 1:]
                with tempfile.TemporaryDirectory() as folder:
                    path = os.path.join(folder, "seeded." + level)
                    with open(path, "w", encoding="utf-8") as file:
                        file.write("\n".join(changed))
                    code, verdict = result(path, "--manifest", manifest)
                kinds.add(what)
                with self.subTest(level=level, what=what, line=number + 1):
                    self.assertEqual((code, verdict["verdict"]), (1, "BUG"), verdict["message"])
                    places = {step["location"]["line"] for step in verdict["trace"] if step["location"]}
                    at = pythonLine(text, lines[number])
                    if what != "dropped arrive" or at in places:
                        self.assertIn(at, places)
            self.assertEqual(len(kinds), 4)


class CommandLine(unittest.TestCase):
    def testOwnKernelIsProved(self):
        code, verdict = result(os.path.join(pytlx.SOURCE, "kernels/gemm/hopper_ws.mlir"))
        self.assertEqual((code, verdict["verdict"]), (0, "PROVED"), verdict["message"])

    def testExplain(self):
        self.assertIn("parity", verify("--explain", "early-pass").stdout)
        self.assertIn("no-overflow", verify("--explain", "contracts").stdout)
        unknown = verify("--explain", "nonsense")
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("explain classes", unknown.stderr)

    def testTimeoutIsATime(self):
        kernel = os.path.join(pytlx.SOURCE, "kernels/gemm/hopper_ws.mlir")
        for bad in ("-3", "nan"):
            run = verify("--timeout", bad, kernel)
            self.assertEqual(run.returncode, 2, bad)
            self.assertIn("--timeout must not be negative", run.stderr)
        self.assertEqual(verify("--timeout", "0", kernel).returncode, 0)

    def testUsage(self):
        self.assertEqual(verify().returncode, 2)
        self.assertEqual(verify("--cluster", "2,2", "x.ttir").returncode, 2)
        self.assertEqual(verify("no-such-file.ttir").returncode, 2)


if __name__ == "__main__":
    pytlx.main()
