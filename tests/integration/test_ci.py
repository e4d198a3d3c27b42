#!/usr/bin/env python3
"""Continuous integration on an example repository: scripts/verify_changed.sh and action.yml, which calls it."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import pytlx
from tools import KERNEL

SCRIPT = os.path.join(pytlx.SOURCE, "scripts", "verify_changed.sh")


class Example(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        with open(KERNEL) as file:
            self.text = file.read()
        self.git("init", "-q")
        self.commit("good.mlir", self.text)
        self.commit("README", "an example")

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@localhost", *words], cwd=self.folder, check=True, capture_output=True)

    def commit(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)
        shutil.copy(KERNEL[:-len("mlir")] + "json", os.path.join(self.folder, os.path.splitext(name)[0] + ".json"))
        self.git("add", ".")
        self.git("commit", "-q", "-m", name)

    def verify(self, *words):
        environment = dict(os.environ, TLX_VERIFY=pytlx.tool("tlx-verify"))
        return subprocess.run([SCRIPT, *words], cwd=self.folder, capture_output=True, text=True, env=environment)

    def findings(self):
        with open(os.path.join(self.folder, "tlx.sarif")) as file:
            run, = json.load(file)["runs"]
        return run["results"]

    def test_nothingChanged(self):
        done = self.verify()
        self.assertEqual((done.returncode, done.stdout), (0, "verify_changed: no kernel changed\n"), done.stderr)

    def test_aBrokenChangeFailsWithThePythonLine(self):
        self.commit("broken.mlir", re.sub(r"(ttng\.barrier_expect %\w+, )32768", r"\g<1>16384", self.text))
        done = self.verify()
        self.assertEqual(done.returncode, 1, done.stderr)
        finding, = [f for f in self.findings() if f.get("level") == "error"]
        self.assertEqual(finding["ruleId"], "bytes-mismatch")
        place = finding["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"]["uri"], "kernels/gemm/hopper_ws.py")
        self.assertGreater(place["region"]["startLine"], 30)

    def test_aGoodChangePassesAndAllSeesOldOnes(self):
        self.commit("better.mlir", self.text + "\n")
        self.assertEqual(self.verify().returncode, 0)
        done = self.verify("--all")
        self.assertEqual((done.returncode, "2 kernels" in done.stdout), (0, True), done.stderr)

    def test_mistakesAreNamed(self):
        done = self.verify("--base", "nowhere")
        self.assertEqual((done.returncode, "there is no commit 'nowhere'" in done.stderr), (2, True))
        self.assertEqual(self.verify("--bse").returncode, 2)

    def test_theActionCallsTheScriptAndUploadsItsFile(self):
        action = pytlx.read("action.yml")
        self.assertIn('"$GITHUB_ACTION_PATH/scripts/verify_changed.sh"', action)
        self.assertEqual(re.findall(r"--sarif (\S+)", action), re.findall(r"sarif_file: (\S+)", action))
        # What the action's step runs, with some inputs. No input is part of the script itself.
        step = re.search(r"run: \|\n((?: {8}.*\n)+)", action).group(1)
        self.assertNotIn("${{", step)
        passed = dict(re.findall(r"(\w+): \$\{\{ inputs\.(\w+) \}\}", action))
        for inputs, said in (({"base": "HEAD^", "arguments": ""}, "no kernel changed"), ({"base": "all", "arguments": "--timeout 50"}, "1 kernels")):
            environment = dict(os.environ, TLX_VERIFY=pytlx.tool("tlx-verify"), GITHUB_ACTION_PATH=pytlx.SOURCE,
                               **{name: inputs[of] for name, of in passed.items()})  # fmt: skip
            done = subprocess.run(["bash", "-e", "-c", step], cwd=self.folder, capture_output=True, text=True, env=environment)
            self.assertEqual((done.returncode, said in done.stdout), (0, True), done.stdout + done.stderr)

    def test_aNameThatLooksLikeAnOptionIsAFile(self):
        self.commit("--write-baseline=owned.mlir", self.text)
        done = self.verify()
        self.assertEqual((done.returncode, "1 kernels" in done.stdout), (0, True), done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "owned.mlir")))


if __name__ == "__main__":
    pytlx.main()
