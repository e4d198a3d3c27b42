#!/usr/bin/env python3
"""campaign.py counts what the fuzzers print, goes on after a finding, and stops at its goals; tried on a program that only talks."""
import os
import subprocess
import sys
import tempfile
import unittest

import pytlx

FUZZER = """#!/bin/sh
if [ -z "$TLX_FUZZ_TARGET" ]; then
  echo 'manifest manifest'
  echo 'policy policy'
  exit 0
fi
echo '#40 NEW cov: 7 ft: 9' >&2
[ "$TLX_FUZZ_TARGET" = manifest ] && { echo 'SUMMARY: overflow in parse' >&2; exit 77; }
echo '#100 DONE cov: 12 ft: 20' >&2
echo 'stat::number_of_executed_units: 100' >&2
"""


class Campaign(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bin, self.out = (os.path.join(folder.name, name) for name in ("bin", "out"))
        os.mkdir(self.bin)
        path = os.path.join(self.bin, "fuzz-formats")
        with open(path, "w", encoding="utf-8") as file:
            file.write(FUZZER)
        os.chmod(path, 0o755)

    def campaign(self, *arguments):
        script = os.path.join(pytlx.SOURCE, "tests", "fuzz", "campaign.py")
        return subprocess.run([sys.executable, script, "--bin", self.bin, "--out", self.out, "--cores", "1", *arguments],
                              capture_output=True, text=True, timeout=120)

    def test_runsUntilTheGoalIsReached(self):
        done = self.campaign("--runs", "250", "policy")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"policy +300 .* 12 +0\n")
        self.assertEqual(os.listdir(os.path.join(self.out, "findings")), [])

    def test_aFindingIsCountedAndKept(self):
        done = self.campaign("--runs", "80", "manifest")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"manifest +80 .* 7 +2\n")
        self.assertIn("manifest: 2 times: SUMMARY: overflow in parse\n", done.stdout)
        self.assertEqual(len(os.listdir(os.path.join(self.out, "findings"))), 2)

    def test_anUnknownTargetIsNamed(self):
        done = self.campaign("polcy")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no target is called polcy; there are manifest, policy", done.stderr)


if __name__ == "__main__":
    pytlx.main()
