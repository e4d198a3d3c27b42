#!/usr/bin/env python3
"""tlx, the command in front of the tools: it hands on arguments and exit codes, records Python files first,
and says what is missing."""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import pytlx
from tools import KERNEL, MANIFEST

PROGRAMS = os.path.join(pytlx.SOURCE, "tests", "python", "programs")


def tlx(*arguments, **environment):
    return subprocess.run([pytlx.tool("tlx"), *arguments], capture_output=True, text=True, env=dict(os.environ, **environment))


class Front(unittest.TestCase):
    def test_verdictsAndExitCodesAreTheTools(self):
        done = tlx("verify", KERNEL)
        self.assertEqual((done.returncode, "PROVED" in done.stdout), (0, True), done.stderr)
        with open(KERNEL) as file:
            text = file.read()
        with tempfile.TemporaryDirectory() as folder:
            broken = os.path.join(folder, "broken.mlir")
            with open(broken, "w") as file:
                file.write(text.replace("ttng.arrive_barrier", "ttng.wait_barrier_gone", 1))
            self.assertEqual(tlx("verify", broken).returncode, 2)
        self.assertEqual(tlx("verify", "absent.ttgir").returncode, 2)
        done = tlx("run", "--device", "sim", KERNEL, "--manifest", MANIFEST, "--timing-only")
        self.assertEqual((done.returncode, "cycles" in done.stdout), (0, True), done.stderr)
        done = tlx("run", KERNEL, "--timing-only")  # its manifest stands beside it
        self.assertEqual((done.returncode, "cycles" in done.stdout), (0, True), done.stderr)

    def test_mistypedCommandsAreGuessed(self):
        done = tlx("verfy")
        self.assertEqual((done.returncode, done.stderr), (2, "error: there is no command 'verfy'\nhint: did you mean 'verify'?\n"))
        self.assertEqual(tlx().returncode, 2)

    def test_explainAndVersion(self):
        self.assertTrue(tlx("explain", "race").stdout.startswith("race: "))
        self.assertRegex(tlx("--version").stdout, r"^tlx \d+\.\d+\.\d+\n$")

    def test_helpNamesEveryCommandAndCompletionsDoToo(self):
        names = [line.split()[0] for line in tlx("--help").stdout.split("Commands:\n")[1].split("\n\n")[0].splitlines()]
        self.assertIn("doctor", names)
        for shell in ("bash", "zsh", "fish"):
            script = tlx("completion", shell).stdout
            for name in names:
                self.assertIn(name, script)
        self.assertEqual(tlx("completion", "tcsh").returncode, 2)

    @unittest.skipUnless(shutil.which("bash"), "no bash")
    def test_bashCompletes(self):
        script = ("source <(tlx completion bash); COMP_WORDS=(tlx %s); COMP_CWORD=%d; _tlx; echo ${COMPREPLY[@]}")
        path = os.path.dirname(pytlx.tool("tlx")) + ":" + os.environ["PATH"]
        run = lambda words, at: subprocess.run(["bash", "-c", script % (words, at)], capture_output=True, text=True, env=dict(os.environ, PATH=path)).stdout
        self.assertEqual(run("ver", 1).split(), ["verify"])
        self.assertIn("--manifest", run("verify --m", 2).split())

    def test_doctorNamesWhatIsMissingAndWhatThatCosts(self):
        done = tlx("doctor", "--json")
        found = {entry["what"]: entry for entry in json.loads(done.stdout)}
        self.assertTrue(found["tlx-verify"]["present"])
        self.assertEqual(found["tlx_record"]["present"], True)
        with tempfile.TemporaryDirectory() as empty:
            lone = os.path.join(empty, "tlx")
            shutil.copy(pytlx.tool("tlx"), lone)
            done = subprocess.run([lone, "doctor"], capture_output=True, text=True, env={"PATH": empty})
        self.assertIn("missing  tlx-verify", done.stdout)
        self.assertIn("without it: no proofs", done.stdout)
        self.assertIn("missing  python3", done.stdout)

    def test_pythonFilesNeedAnInterpreterWithFbtriton(self):
        done = tlx("verify", os.path.join(PROGRAMS, "vector_add.py"), TLX_PYTHON="/nowhere/python3")
        self.assertEqual(done.returncode, 2)
        self.assertIn("TLX_PYTHON names the one that has fbtriton", done.stderr)

    def test_optionsAreReadBeforeAnythingIsRecorded(self):
        for command, option in (("verify", "--jsn"), ("run", "--reprot")):
            done = tlx(command, option, "absent.py", TLX_PYTHON="/bin/false")
            self.assertEqual(done.returncode, 2)
            self.assertIn("unknown option: %s" % option, done.stderr)
        done = tlx("verify", "--help", "absent.py", TLX_PYTHON="/bin/false")
        self.assertEqual((done.returncode, "Usage: tlx-verify" in done.stdout), (0, True))

    def test_explainNeedsAClass(self):
        done = tlx("explain")
        self.assertEqual((done.returncode, "tlx-verify" in done.stderr, "`tlx explain race`" in done.stderr), (2, False, True), done.stderr)


class Recording(unittest.TestCase):
    """`tlx verify|run PROGRAM.py`, which needs fbtriton."""

    def setUp(self):
        self.python = os.environ.get("TLX_FBTRITON_PYTHON")
        if not self.python:
            self.skipTest("TLX_FBTRITON_PYTHON names no Python with fbtriton")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def tlx(self, *arguments):
        return tlx(*arguments, TLX_PYTHON=self.python)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def test_fromPythonToVerdictAndTime(self):
        done = self.tlx("verify", os.path.join(PROGRAMS, "autotuned.py"), "--configs", "2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))  # after the program: its own arguments
        self.assertEqual([done.stdout.count(" (%s): PROVED" % level) for level in ("source", "ttgir")], [1, 1])
        self.assertIn("/autotuned.py: ", done.stdout)  # not a file in a folder that is gone
        done = self.tlx("verify", "--configs", "2", os.path.join(PROGRAMS, "autotuned.py"))
        self.assertEqual((done.returncode, done.stdout.count("): PROVED")), (0, 4), done.stderr)
        self.assertRegex(done.stdout, r"/autotuned\.py: (.*\n)+.*/autotuned\.py:\w+_2: ")
        self.assertNotIn(".ttgir", done.stdout)
        done = self.tlx("run", "--device", "sim", os.path.join(PROGRAMS, "vector_add.py"))
        self.assertEqual((done.returncode, done.stdout.count("add on h200")), (0, 2), done.stderr)
        done = self.tlx("run", "--target", "hip:gfx950", os.path.join(PROGRAMS, "vector_add.py"))
        self.assertEqual((done.returncode, done.stdout.count("add on mi350x")), (0, 2), done.stderr)

    def test_whatWasWrittenIsVerifiedAndWhatWasCompiled(self):
        written = pytlx.read("docs/examples/my_gemm.py")
        forgotten = self.write("forgotten.py", "".join(line for line in written.splitlines(True) if "async_dot_wait" not in line))
        done = self.tlx("verify", forgotten)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"my_gemm \(source\): BUG\(race\)")
        self.assertRegex(done.stdout, r"my_gemm \(ttgir\): PROVED .*\n  note: what was written \(source\) is BUG\(race\); the compiler's "
                                      r"passes added 1 ttng.warp_group_dot_wait\n")  # fmt: skip
        stuck = self.write("stuck.py", "".join(line for line in written.splitlines(True) if "barrier_arrive(empty" not in line))
        done = self.tlx("verify", stuck)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"my_gemm \(ttgir\): BUG\(deadlock\) .*, as above\n")
        self.assertEqual(done.stdout.count("error: "), 1)

    def test_theTargetDoesNotHideTheRecordedLaunch(self):
        self.write("clustered.py", "import numpy as np, triton, triton.language as tl\nimport triton.language.extra.tlx as tlx\n"
                                   "@triton.jit\ndef pair(x):\n    tlx.cluster_barrier()\n    tl.store(x + tl.program_id(0), tlx.cluster_cta_rank())\n"
                                   "pair[(2,)](np.zeros(2, np.int32), ctas_per_cga=(2, 1, 1))\n")  # fmt: skip
        for options in (), ("--target", "cuda:90"):
            done = self.tlx("verify", *options, os.path.join(self.folder, "clustered.py"))
            self.assertEqual((done.returncode, done.stdout.count(": PROVED")), (0, 2), done.stdout + done.stderr)

    def test_aProgramThatFailsIsNoBug(self):
        for name in ("stops.py", "exits.py", "nothing.py", "refused.py"):
            for command in ("verify", "run"):
                self.assertEqual(self.tlx(command, os.path.join(PROGRAMS, name)).returncode, 2, name)

    def test_eachKernelHasItsOwnFilesAndAllAreOneDocument(self):
        page, outputs = os.path.join(self.folder, "page.html"), os.path.join(self.folder, "out")
        done = self.tlx("run", "--json", "--report", page, "--save-outputs=" + outputs, os.path.join(PROGRAMS, "vector_add.py"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([report["kernel"] for report in json.loads(done.stdout)], ["add", "add"])
        for path in ("page-add.html", "page-add_2.html", "out/add/2.npy", "out/add_2/2.npy"):
            self.assertTrue(os.path.exists(os.path.join(self.folder, path)), path)
        self.assertIn("note: --report of add_2: %s\n" % os.path.join(self.folder, "page-add_2.html"), done.stderr)
        done = self.tlx("run", "--json", "--report", page, os.path.join(pytlx.SOURCE, "docs/examples/my_gemm.py"))
        self.assertEqual((json.loads(done.stdout)["kernel"], os.path.exists(page)), ("my_gemm", True), done.stderr)

    def test_ctrlCEndsTheProgram(self):
        begun = os.path.join(self.folder, "begun")
        program = self.write("waits.py", "import time\nopen(%r, 'w').close()\ntime.sleep(60)\n" % begun)
        for command in ("verify", "run"):
            process = subprocess.Popen([pytlx.tool("tlx"), command, program], stderr=subprocess.PIPE, text=True, start_new_session=True,
                                       env=dict(os.environ, TLX_PYTHON=self.python),
                                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # fmt: skip
            while process.poll() is None and not os.path.exists(begun):
                time.sleep(0.05)
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does
            self.assertEqual((process.communicate(timeout=30)[1], process.returncode), ("tlx-record: interrupted\n", 130))
            os.remove(begun)


if __name__ == "__main__":
    pytlx.main()
