#!/usr/bin/env python3
"""Packages, tried outside the source tree: the Debian package unpacked, the wheel installed into a fresh environment."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import pytlx

SCRIPT = os.path.join(pytlx.SOURCE, "scripts", "package.py")
KERNEL = os.path.join(pytlx.SOURCE, "kernels", "gemm", "hopper_ws")


class Packages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for extension in (".mlir", ".json"):
            shutil.copy(KERNEL + extension, os.path.join(self.folder, "k" + extension))

    def make(self, kind):
        done = subprocess.run([sys.executable, SCRIPT, kind, "--build", pytlx.BINARY, "--out", os.path.join(self.folder, "out")], capture_output=True, text=True)
        if "patchelf is not installed" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip().splitlines()[-1]

    def works(self, tlx):
        """The installed command proves a kernel, simulates it through the compiler library, and finds its recorder."""
        run = lambda *words: subprocess.run([tlx, *words], capture_output=True, text=True, cwd=self.folder, env={"PATH": "/usr/bin:/bin"})
        done = run("verify", "k.mlir")
        self.assertEqual((done.returncode, "PROVED" in done.stdout), (0, True), done.stderr)
        done = run("run", "--device", "sim", "k.mlir", "--manifest", "k.json", "--timing-only")
        self.assertEqual((done.returncode, "cycles" in done.stdout), (0, True), done.stderr)
        self.assertIn("Usage: tlx-opt", run("opt", "--help").stdout.replace("USAGE", "Usage"))
        return run

    @unittest.skipUnless(shutil.which("dpkg-deb") and shutil.which("cpack"), "no dpkg-deb or cpack")
    def test_debianPackage(self):
        package = self.make("deb")
        control = subprocess.run(["dpkg-deb", "-f", package, "Package", "Depends"], capture_output=True, text=True).stdout
        self.assertIn("Package: tlx", control)
        self.assertIn("libmlir-22", control)
        root = os.path.join(self.folder, "root")
        subprocess.run(["dpkg-deb", "-x", package, root], check=True)
        run = self.works(os.path.join(root, "usr", "bin", "tlx"))
        self.assertRegex(run("doctor").stdout, r"ok +tlx_record +%s" % root)
        with open(os.path.join(root, "usr/share/bash-completion/completions/tlx")) as file:
            self.assertIn("complete -o filenames -F _tlx tlx", file.read())

    def test_wheel(self):
        package = self.make("wheel")
        environment = os.path.join(self.folder, "environment")
        made = subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", environment], capture_output=True, text=True)
        if made.returncode != 0:
            self.skipTest("this Python makes no environments: " + (made.stdout + made.stderr).strip()[-200:])
        python = os.path.join(environment, "bin", "python")
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", package], check=True, capture_output=True)
        self.works(os.path.join(environment, "bin", "tlx"))
        done = subprocess.run([os.path.join(environment, "bin", "tlx-record"), "--version"], capture_output=True, text=True)
        if subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0:
            self.assertEqual((done.returncode, done.stdout[:11]), (0, "tlx-record "), done.stderr)
        else:
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("numpy", done.stderr)


if __name__ == "__main__":
    pytlx.main()
