#!/usr/bin/env python3
"""Packages, tried outside the source tree: the Debian package unpacked, the wheel installed into a fresh environment."""
import gzip
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
            self.assertIn("complete -o default -F _tlx tlx", file.read())
        self.carriesDocuments(os.path.join(root, "usr"))
        self.assertFalse(os.path.exists(os.path.join(root, "usr/bin/tlx-mutate")))
        recorder = subprocess.run([os.path.join(root, "usr", "bin", "tlx-record"), "--help"], capture_output=True, text=True)
        self.assertIn("usage: tlx-record", recorder.stdout)
        if shutil.which("lintian"):
            judged = subprocess.run(["lintian", "--allow-root", package], capture_output=True, text=True)
            self.assertEqual(judged.stdout, "")

    def carriesDocuments(self, prefix):
        """Examples that run as they lie there, and a manual page for each command."""
        self.assertTrue(os.path.exists(os.path.join(prefix, "share/tlx/examples/my_gemm.py")))
        self.assertTrue(os.path.exists(os.path.join(prefix, "share/doc/tlx/docs/how-to/from-python.md")))
        pages = set(os.listdir(os.path.join(prefix, "share/man/man1")))
        commands = {name for name in os.listdir(os.path.join(prefix, "bin")) if name.startswith("tlx")}
        self.assertEqual(pages, {name + ".1.gz" for name in commands})
        for name, option in ("tlx-verify", r"\-\-war\-proxy off|warn|error"), ("tlx-record", r"\-\-configs all|first|N"), ("tlx-compile", r"\-\-emit"):
            with gzip.open(os.path.join(prefix, "share/man/man1", name + ".1.gz"), "rt") as file:
                text = file.read()
            self.assertIn(".B " + option, text)
            self.assertRegex(text, r"\.SH NAME\n%s \\- \w" % name)
            self.assertNotIn(r"\-\-mlir\-", text)
            if shutil.which("man"):
                shown = subprocess.run(["man", "--warnings", "-l", os.path.join(prefix, "share/man/man1", name + ".1.gz")], capture_output=True, text=True)
                self.assertEqual((shown.returncode, shown.stderr), (0, ""))

    def test_wheel(self):
        package = self.make("wheel")
        environment = os.path.join(self.folder, "environment")
        made = subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", environment], capture_output=True, text=True)
        if made.returncode != 0:
            self.skipTest("this Python makes no environments: " + (made.stdout + made.stderr).strip()[-200:])
        python = os.path.join(environment, "bin", "python")
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", package], check=True, capture_output=True)
        tlx = os.path.join(environment, "bin", "tlx")
        self.works(tlx)
        self.carriesDocuments(environment)
        # Another environment's Python, which has fbtriton, need not have tlx_record.
        for chosen in (python, sys.executable):
            doctor = subprocess.run([tlx, "doctor"], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "TLX_PYTHON": chosen})
            self.assertRegex(doctor.stdout, r"ok +tlx_record +%s" % environment)
        done = subprocess.run([os.path.join(environment, "bin", "tlx-record"), "--version"], capture_output=True, text=True)
        if subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0:
            self.assertEqual((done.returncode, done.stdout[:11]), (0, "tlx-record "), done.stderr)
        else:
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("numpy", done.stderr)


if __name__ == "__main__":
    pytlx.main()
