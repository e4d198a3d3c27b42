#!/usr/bin/env python3
"""python/tlx_record: targets, how arguments and data are described, and, where fbtriton is there, whole programs."""
import collections
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import types
import unittest
import unittest.mock

import pytlx

sys.path.insert(0, os.path.join(pytlx.SOURCE, "python"))

import numpy as np  # noqa: E402
import tlx_record  # noqa: E402
from tlx_record import cases, data, locations, manifest, simulate, targets  # noqa: E402
from tlx_record.errors import RecordError  # noqa: E402
from tlx_record.fbtriton import install_hint  # noqa: E402
from tlx_record.tensors import NumpyTensor, View, as_tensor  # noqa: E402

CHIPS = {"cuda:90": "h100", "cuda:100": "b200", "hip:gfx942": "mi300x", "hip:gfx950": "mi350x", "hip:gfx1250": "gfx1250"}
PROGRAM = os.path.join(pytlx.SOURCE, "tests", "python", "programs")


class Targets(unittest.TestCase):
    def table(self, chip):
        """A chip's table, before what it inherits."""
        text = pytlx.read("sim/chips/data/%s.chip" % chip)
        parent = re.search(r"^based-on (\w+)", text, re.M)
        return text + (self.table(parent.group(1)) if parent else "")

    def test_numbersAreTheChipTables(self):
        for target, chip in CHIPS.items():
            with self.subTest(target):
                table = self.table(chip)
                number = lambda key: int(re.search(r"^sm\.%s = (\d+)" % key, table, re.M).group(1))
                found = targets.find_target(target)
                self.assertEqual((found.sms, found.shared_memory, found.warp_size),
                                 (number("count"), number("smemPerCta"), number("warpSize")))

    def test_unknownTargetNamesTheKnownOnes(self):
        with self.assertRaisesRegex(RecordError, "unknown target 'cuda:91'\n.*cuda:90, cuda:100"):
            targets.find_target("cuda:91")


class Views(unittest.TestCase):
    def test_aSliceKnowsItsAllocationOffsetAndStrides(self):
        whole = np.arange(60, dtype=np.int32).reshape(6, 10)
        view, parent = View(NumpyTensor(whole[2:4, ::2])), View(NumpyTensor(whole))
        self.assertEqual((view.key, view.offset, view.shape, view.strides), (parent.key, 20, [2, 5], [10, 2]))
        self.assertEqual(view.values().tolist(), [[20, 22, 24, 26, 28], [30, 32, 34, 36, 38]])

    def test_bfloat16IsKeptRawAndRead(self):
        raw = np.array([0x3F80, 0xC000, 0x4049], np.uint16)
        view = View(NumpyTensor(raw, "bfloat16"))
        self.assertEqual(view.dtype, "bf16")
        self.assertEqual(view.doubles().tolist(), [1.0, -2.0, 3.140625])
        self.assertEqual(view.doubles(2).tolist(), [1.0, 3.140625])

    def test_numbersBecomeBfloat16ToTheNearestEven(self):
        tensor = tlx_record.bfloat16([1.0, 1 + 2**-8, 1 + 3 * 2**-8, -0.0, np.inf, np.nan, 3.4e38])
        self.assertEqual((tensor.dtype.name, [hex(v) for v in tensor.array]),
                         ("bfloat16", ["0x3f80", "0x3f80", "0x3f82", "0x8000", "0x7f80", "0x7fc0", "0x7f80"]))  # fmt: skip

    def test_writeBackFillsTheAllocationFromItsStart(self):
        whole = np.zeros(4, np.int16)
        View(NumpyTensor(whole[2:])).write_back(np.array([1, 2, 3], np.int16).tobytes())
        self.assertEqual(whole.tolist(), [1, 2, 3, 0])

    def test_arraysInTuplesAreTensorsToo(self):
        Pair = collections.namedtuple("Pair", "left right")
        array = np.zeros(2, np.float32)
        pair, (nested, number) = as_tensor((Pair(array, 3), (array, 4)))
        self.assertEqual((type(pair), type(pair.left), pair.right, type(nested), number), (Pair, NumpyTensor, 3, NumpyTensor, 4))

    def test_arraysThatKernelsCannotTakeAreRefused(self):
        with self.assertRaisesRegex(TypeError, "complex128"):
            NumpyTensor(np.zeros(2, complex))
        with self.assertRaisesRegex(TypeError, "uint8 array cannot hold bfloat16"):
            NumpyTensor(np.zeros(2, np.uint8), "bfloat16")


class Data(unittest.TestCase):
    def describe(self, array, mode="auto", dtype=None):
        with tempfile.TemporaryDirectory() as folder:
            entry = data.describe(View(NumpyTensor(array, dtype)), mode, folder, "k", 3)
            kept = np.load(os.path.join(folder, entry["file"])) if "file" in entry else None
        return entry, kept

    def test_zerosAndFewValuesAreSaidInline(self):
        self.assertEqual(self.describe(np.zeros(9, np.float32))[0], {"fill": "zeros"})
        self.assertEqual(self.describe(np.array([3, -1], np.int64))[0], {"fill": "values", "values": [3, -1]})
        self.assertEqual(self.describe(np.array([0.5, 2], np.float16))[0], {"fill": "values", "values": [0.5, 2.0]})

    def test_negativeZeroIsNoZero(self):
        self.assertEqual(self.describe(np.array([-0.0], np.float32))[0]["fill"], "values")

    def test_smallArraysAreKeptExactly(self):
        array = np.random.default_rng(5).standard_normal(1000).astype(np.float32)
        entry, kept = self.describe(array)
        self.assertEqual(entry, {"file": "k.3.npy"})
        np.testing.assert_array_equal(kept, array)

    def test_largeArraysAreGeneratedWithTheirSpreadOrRange(self):
        floats = np.random.default_rng(6).normal(0, 2, 1 << 19).astype(np.float32)
        entry, _ = self.describe(floats)
        self.assertEqual((entry["fill"], entry["seed"]), ("uniform", 4))
        self.assertAlmostEqual((entry["hi"] - entry["lo"]) / 12 ** 0.5, 2.0, delta=0.02)
        integers = np.random.default_rng(7).integers(-3, 12, 1 << 19).astype(np.int32)
        self.assertEqual(self.describe(integers)[0], {"fill": "uniform_int", "seed": 4, "lo": -3, "hi": 12})

    def test_exactKeepsLargeOnesToo(self):
        array = np.random.default_rng(8).integers(0, 9, 1 << 19).astype(np.int32)
        np.testing.assert_array_equal(self.describe(array, "exact")[1], array)


class Manifest(unittest.TestCase):
    def arguments(self):
        return manifest.Arguments("auto", "/nowhere", "k")

    def test_argumentsOnOneAllocationShareItsNumber(self):
        x, y = np.zeros(8, np.float32), np.zeros(8, np.float32)
        arguments = self.arguments()
        numbers = [arguments.describe(NumpyTensor(a), "a", "*fp32")["storage"] for a in (x, y, x[4:])]
        self.assertEqual(numbers, [0, 1, 0])

    def test_descriptorsScalarsAndTuples(self):
        base = NumpyTensor(np.zeros((4, 16), np.float16))
        descriptor = types.SimpleNamespace(base=base, shape=[4, 16], strides=[16, 1], block_shape=[2, 8], padding="nan")
        entry = self.arguments().describe(descriptor, "d", "tensordesc<fp16[2, 8]>")
        self.assertEqual((entry["kind"], entry["block_shape"], entry["padding"], entry["base_shape"]), ("tensordesc", [2, 8], "nan", [4, 16]))
        self.assertEqual(self.arguments().describe(True, "b", "u1")["value"], 1)
        self.assertEqual(self.arguments().describe(None, "n", "constexpr")["kind"], "null")
        pair = self.arguments().describe((1, 2.5), "t", ("i32", "fp32"))
        self.assertEqual([(i["name"], i["value"], i["type"]) for i in pair["items"]], [("t.0", 1, "i32"), ("t.1", 2.5, "fp32")])

    def test_whatAManifestCannotHoldIsNamed(self):
        with self.assertRaisesRegex(RecordError, "argument 'f' is a function"):
            self.arguments().describe(lambda: 0, "f", "?")

    def test_warpsOfTheDefaultRegion(self):
        self.assertEqual(manifest.default_warps('module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32}'), 8)
        self.assertIsNone(manifest.default_warps("module {}"))


class Locations(unittest.TestCase):
    def test_filesAreNamedFromHereAndPackagesFromTheirRoot(self):
        here = os.getcwd()
        text = '#loc1 = loc("%s/a/k.py":3:1)\n#loc2 = loc("/x/lib/site-packages/triton/l.py":4:2)\n#loc3 = loc("/y/z.py":5:1)' % here
        self.assertEqual(re.findall('"(.*?)"', locations.shorten(text)), ["a/k.py", "triton/l.py", "/y/z.py"])


class Cases(unittest.TestCase):
    ITEMS = [types.SimpleNamespace(nodeid="t.py::f[%s-%d]" % (x, y), callspec=types.SimpleNamespace(params={"x": x, "y": y}))
             for x in "abc" for y in (1, 2)] + [types.SimpleNamespace(nodeid="t.py::g")]  # fmt: skip

    def names(self, items):
        return [item.nodeid.split("::")[1] for item in items]

    def test_coveringTakesEachValueOfEachParameter(self):
        self.assertEqual(self.names(cases.covering(self.ITEMS)), ["f[a-1]", "f[a-2]", "f[b-1]", "f[c-1]", "g"])

    def test_firstCountsPerFunction(self):
        self.assertEqual(self.names(cases.first(self.ITEMS, 2)), ["f[a-1]", "f[a-2]", "g"])


class Commands(unittest.TestCase):
    """Whole runs of the command. They need fbtriton but for those that show what is said without it."""

    def record(self, *arguments, python=None, program="vector_add.py", environment=None):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = os.path.join(self.folder.name, "out")
        command = [python or sys.executable, "-m", "tlx_record", "--out", self.out, *arguments, os.path.join(PROGRAM, program)]
        variables = dict(os.environ, PYTHONPATH=os.path.join(pytlx.SOURCE, "python"),
                         TLX_RUN=pytlx.tool("tlx-run"), **(environment or {}))  # fmt: skip
        return subprocess.run(command, capture_output=True, text=True, env=variables, cwd=self.folder.name)

    def fbtriton(self):
        python = os.environ.get("TLX_FBTRITON_PYTHON")
        if not python:
            self.skipTest("TLX_FBTRITON_PYTHON names no Python with fbtriton")
        return python

    def test_withoutFbtritonOrNumpyTheInstallLineIsSaid(self):
        for package in ("triton", "numpy"):
            with self.subTest(package), tempfile.TemporaryDirectory() as shadow:
                with open(os.path.join(shadow, "sitecustomize.py"), "w") as file:
                    file.write("import sys\nsys.modules['%s'] = None\n" % package)
                done = subprocess.run([sys.executable, "-m", "tlx_record", os.path.join(PROGRAM, "vector_add.py")], capture_output=True, text=True,
                                      cwd=shadow, env=dict(os.environ, PYTHONPATH=shadow + ":" + os.path.join(pytlx.SOURCE, "python")))  # fmt: skip
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("hint: %s\n" % install_hint(), done.stderr)
                self.assertNotIn("Traceback", done.stderr)

    def test_theInstallLineIsOneThatTheInterpreterTakes(self):
        with unittest.mock.patch.multiple(sys, prefix="/usr", base_prefix="/usr"):
            self.assertRegex(install_hint(), r"^python3 -m venv tlx-env && .*fbtriton==3\.7\.4 numpy && export TLX_PYTHON=")
        with unittest.mock.patch.multiple(sys, prefix="/env", base_prefix="/usr"):
            self.assertEqual(install_hint(), sys.executable + " -m pip install fbtriton==3.7.4 numpy")

    def test_howTorchIsInstalledBesideFbtriton(self):
        python = self.fbtriton()
        with tempfile.TemporaryDirectory() as shadow:
            for name, text in (("sitecustomize.py", "import sys\nsys.modules['torch'] = None\n"), ("program.py", "import torch\n")):
                with open(os.path.join(shadow, name), "w") as file:
                    file.write(text)
            done = subprocess.run([python, "-m", "tlx_record", "program.py"], capture_output=True, text=True, cwd=shadow,
                                  env=dict(os.environ, PYTHONPATH=shadow + ":" + os.path.join(pytlx.SOURCE, "python")))  # fmt: skip
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"program\.py:1: ModuleNotFoundError(?s:.)*\n  hint: pip install torch, then pip install --force-reinstall --no-deps fbtriton==3\.7\.4, ")

    def test_aMissingFileAndABadOptionAreUsageErrors(self):
        done = self.record(program="absent.py")
        self.assertEqual((done.returncode, "there is no file" in done.stderr), (2, True), done.stderr)
        done = self.record("--configs", "some")
        self.assertEqual((done.returncode, "neither all, first nor a positive number" in done.stderr), (2, True), done.stderr)

    def test_distinctLaunchesAreRecordedOnceEach(self):
        done = self.record(python=self.fbtriton())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(n for n in os.listdir(self.out) if n.endswith(".json")), ["add.json", "add_2.json"])
        with open(os.path.join(self.out, "add.json")) as file:
            launch = json.load(file)
        self.assertEqual((launch["grid"], launch["target"], launch["metadata"]["default_num_warps"]), ([4, 1, 1], "cuda:90", 4))
        self.assertEqual([a["type"] for a in launch["args"]], ["*fp32", "*fp32", "*fp32", "i32"])
        for level in ("source", "ttir", "ttgir"):
            verdict = subprocess.run([pytlx.tool("tlx-verify"), os.path.join(self.out, "add." + level)], capture_output=True, text=True)
            self.assertEqual((verdict.returncode, "PROVED" in verdict.stdout), (0, True), verdict.stdout + verdict.stderr)

    def test_theSimulatorsResultsComeBack(self):
        done = self.record("--check-torch", python=self.fbtriton())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("sum is right", done.stdout)
        self.assertNotIn("nothing is computed", done.stderr)
        self.assertIn("nothing is computed", self.record(python=self.fbtriton()).stderr)

    def test_configurationsOfAnAutotunedKernel(self):
        for configs, count in (("first", 1), ("2", 2), ("all", 3)):
            with self.subTest(configs):
                done = self.record("--configs", configs, python=self.fbtriton(), program="autotuned.py")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(sum(n.endswith(".json") for n in os.listdir(self.out)), count)

    def test_aProgramThatLaunchesNothingOrStops(self):
        done = self.record(python=self.fbtriton(), program="nothing.py")
        self.assertEqual((done.returncode, "launched no kernel" in done.stderr), (2, True), done.stderr)
        done = self.record(python=self.fbtriton(), program="refused.py")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"(?m)^tlx-record: error: \S*refused\.py:10:5: CompileTimeAssertionFailure\n    tl\.static_assert\(False\)\n"
                                      r"  called at \S*refused\.py:14\n"
                                      r"tlx-record: refused of \S*refused\.py was launched, but not recorded\n")  # fmt: skip
        done = self.record(python=self.fbtriton(), program="exits.py")
        self.assertEqual((done.returncode, "exits.py ended with status 2\n  hint: what follows" in done.stderr), (2, True), done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        done = self.record(python=self.fbtriton(), program="stops.py")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^tlx-record: error: \S*stops\.py:2: ValueError: as it should\n    raise ValueError\(.*\)\n$")
        done = self.record("--traceback", python=self.fbtriton(), program="stops.py")
        self.assertIn("Traceback (most recent call last)", done.stderr)

    def test_whatFbtritonRefusesIsNamedWithItsLine(self):
        head = ("import numpy as np, triton, triton.language as tl, triton.language.extra.tlx as tlx\n\n\n@triton.jit\ndef kernel(x):\n    %s\n\n\n"
                "kernel[(1,)](%s)\n")  # fmt: skip
        descriptor = "triton.tools.tensor_descriptor.TensorDescriptor(np.zeros((64, 64), np.float32), [64, 64], [64, 1], [64, 64])"
        load = "tlx.async_descriptor_load(x, tlx.local_alloc((64, 64), tl.float16, 1)[0], [0, 0], tlx.alloc_barriers(1)[0])"
        for line, argument, place, said in (
            # where fbtriton looks up names, in its passes, and by an assertion without a message
            ("tlx.no_such(x)", "np.zeros(4, np.float32)", "6:5", "AttributeError: module 'triton.language.extra.tlx' has no attribute 'no_such'"),
            (load, descriptor, "6:5", "RuntimeError: 'ttng.async_tma_copy_global_to_local' op descriptor block and tensor element types must match"),
            ("tlx.async_dot(tlx.local_alloc((64, 64), tl.float16, 1)[0], tlx.local_alloc((64, 64), tl.float16, 1)[0], tl.zeros((64, 32), tl.float32))",
             "np.zeros(4, np.float32)", "6:5", "CompilationError: AssertionError at `assert acc.type"),
        ):  # fmt: skip
            with self.subTest(line), tempfile.TemporaryDirectory() as folder:
                program = os.path.join(folder, "wrong.py")
                with open(program, "w") as file:
                    file.write(head % (line, argument))
                done = self.record(python=self.fbtriton(), program=program)
                self.assertEqual(done.returncode, 2)
                self.assertIn("wrong.py:%s: %s" % (place, said), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 4, done.stderr)
                if "RuntimeError" in said:
                    self.assertIn("reproducer generated", self.record("--traceback", python=self.fbtriton(), program=program).stderr)

    def test_aRefusedLineOfACalledFunctionIsNamedAndItsCallers(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "calls.py")
            with open(program, "w") as file:
                file.write("import numpy as np, triton, triton.language as tl\n\n\n@triton.jit\ndef inner(x):\n    return x + absent\n\n\n"
                           "@triton.jit\ndef outer(x):\n    tl.store(x, inner(tl.load(x)))\n\n\nouter[(1,)](np.zeros(4, np.float32))\n")  # fmt: skip
            done = self.record(python=self.fbtriton(), program=program)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(re.findall(r"calls\.py:([\d:]+)", done.stderr), ["6:16:", "11", "14"], done.stderr)
        self.assertIn("CompilationError: NameError('absent is not defined')\n    return x + absent\n", done.stderr)

    def test_bfloat16WithoutMlDtypesHasARemedy(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "half.py")
            with open(program, "w") as file:
                file.write("import numpy as np\nnp.zeros(4, 'bfloat16ish')\n")
            done = self.record(python=self.fbtriton(), program=program)
        self.assertEqual((done.returncode, "tlx_record.bfloat16(array) needs nothing" in done.stderr), (2, True), done.stderr)

    def test_onlyAProgramThatJudgedWhatWasSimulatedDisagrees(self):
        done = self.record("--check-torch", python=self.fbtriton(), program="disagrees.py")
        self.assertEqual((done.returncode, "disagrees.py:14: AssertionError" in done.stderr), (1, True), done.stderr)
        for statement in "assert x[0] == 4", "np.testing.assert_allclose(x, 4)", "np.allclose(x, 4) or sys.exit(1)":
            done = self.record(python=self.fbtriton(), program=self.judgedBy(statement))
            self.assertEqual((done.returncode, "note: nothing is computed while recording: comparisons passed unseen" in done.stderr), (0, True), done.stderr)
        for statement in "x.any() and sys.exit(1)", "def never():\n    assert x[0] == 4":  # no comparison is met
            done = self.record(python=self.fbtriton(), program=self.judgedBy(statement))
            self.assertEqual((done.returncode, "note" in done.stderr), (0, False), done.stderr)

    def test_assertionsOfTestsAndOfModulesBesideThemPass(self):
        python = self.fbtriton()
        if subprocess.run([python, "-c", "import pytest"], capture_output=True).returncode:
            self.skipTest(python + " has no pytest")
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("test_kernels.py", pytlx.read("tests/python/programs/test_kernels.py") + "    beside.check(out, 3 * x)\n\n\nimport beside\n"),
                               ("beside.py", "def check(a, b):\n    assert (a == b).all()\n")):  # fmt: skip
                with open(os.path.join(folder, name), "w") as file:
                    file.write(text)
            for option, code, says in (("", 0, "comparisons passed unseen (--tlx-check-torch simulates"), ("--tlx-check-torch", 1, "beside.py:2: AssertionError")):
                environment = dict(os.environ, PYTHONPATH=os.path.join(pytlx.SOURCE, "python"), PATH=os.path.join(pytlx.BINARY, "bin") + ":" + os.environ["PATH"])
                done = subprocess.run([python, "-m", "pytest", "-p", "tlx_record", *option.split()], cwd=folder, env=environment, capture_output=True, text=True)
                self.assertEqual((done.returncode, says in done.stdout), (code, True), done.stdout)

    def test_aProgramThatRefusesWhatWasNotComputedIsToldWhy(self):
        done = self.record(python=self.fbtriton(), program=self.judgedBy("if x[0] != 3: raise ValueError('wrong')"))
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"ValueError: wrong\n.*\n  hint: nothing is computed while recording; tlx record --check-torch simulates each launch\n")
        done = self.record("--check-torch", python=self.fbtriton(), program=self.judgedBy("if x[0] != 3: raise ValueError('wrong')"))
        self.assertEqual(done.returncode, 0, done.stderr)

    def judgedBy(self, statement):
        """A program that launches a kernel, which stores 3, and then does this."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "judged.py")
        with open(path, "w") as file:
            file.write(pytlx.read("tests/python/programs/disagrees.py").replace("assert x[0] == 4", statement))
        return path

    def test_aCopyOfAProgramIsNamedByItself(self):
        python = self.fbtriton()
        with tempfile.TemporaryDirectory() as folder:
            for name in ("first.py", "second.py"):
                shutil.copy(os.path.join(PROGRAM, "vector_add.py"), os.path.join(folder, name))
                done = self.record(python=python, program=os.path.join(folder, name), environment={"TRITON_CACHE_DIR": folder})
                self.assertEqual(done.returncode, 0, done.stderr)
                for level in ("source", "ttgir"):
                    with open(os.path.join(self.out, "add." + level)) as file:
                        self.assertEqual(set(re.findall(r'"(/\S*\.py)"', file.read())), {os.path.join(folder, name)})

    def test_anInterruptIsOneLine(self):
        with tempfile.TemporaryDirectory() as folder:
            program, begun = os.path.join(folder, "waits.py"), os.path.join(folder, "begun")
            with open(program, "w") as file:
                file.write("import time\nopen(%r, 'w').close()\ntime.sleep(60)\n" % begun)
            recorder = subprocess.Popen([self.fbtriton(), "-m", "tlx_record", program], stderr=subprocess.PIPE, text=True, cwd=folder,
                                        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                                        env=dict(os.environ, PYTHONPATH=os.path.join(pytlx.SOURCE, "python")))  # fmt: skip
            while recorder.poll() is None and not os.path.exists(begun):
                time.sleep(0.05)
            recorder.send_signal(signal.SIGINT)
            self.assertEqual((recorder.communicate()[1], recorder.returncode), ("tlx-record: interrupted\n", 130))


class Runner(unittest.TestCase):
    def test_aMissingSimulatorIsNamed(self):
        saved = os.environ.get("TLX_RUN")
        os.environ["TLX_RUN"] = "/nowhere/tlx-run"
        try:
            with self.assertRaisesRegex(RecordError, "needs tlx-run"):
                simulate.find_runner()
        finally:
            os.environ.pop("TLX_RUN") if saved is None else os.environ.__setitem__("TLX_RUN", saved)


if __name__ == "__main__":
    pytlx.main()
