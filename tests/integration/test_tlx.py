#!/usr/bin/env python3
"""tlx, the command in front of the tools: it hands on arguments and exit codes, records Python files first,
and says what is missing."""
import json
import os
import shutil
import subprocess
import tempfile
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

    def test_fromPythonToVerdictAndTime(self):
        python = os.environ.get("TLX_FBTRITON_PYTHON")
        if not python:
            self.skipTest("TLX_FBTRITON_PYTHON names no Python with fbtriton")
        done = tlx("verify", os.path.join(PROGRAMS, "autotuned.py"), "--configs", "2", TLX_PYTHON=python)
        self.assertEqual(done.returncode, 0, done.stderr)  # after the program: its own arguments
        self.assertEqual(done.stdout.count("): PROVED"), 1)
        self.assertIn("/autotuned.py: ", done.stdout)  # not a file in a folder that is gone
        done = tlx("verify", "--configs", "2", os.path.join(PROGRAMS, "autotuned.py"), TLX_PYTHON=python)
        self.assertEqual((done.returncode, done.stdout.count("): PROVED")), (0, 2), done.stderr)
        self.assertRegex(done.stdout, r"/autotuned\.py: .*\n.*/autotuned\.py:\w+_2: ")
        self.assertNotIn(".ttgir", done.stdout)
        done = tlx("run", "--device", "sim", os.path.join(PROGRAMS, "vector_add.py"), TLX_PYTHON=python)
        self.assertEqual((done.returncode, done.stdout.count("add on h200")), (0, 2), done.stderr)
        done = tlx("run", "--target", "hip:gfx950", os.path.join(PROGRAMS, "vector_add.py"), TLX_PYTHON=python)
        self.assertEqual((done.returncode, done.stdout.count("add on mi350x")), (0, 2), done.stderr)


if __name__ == "__main__":
    pytlx.main()
