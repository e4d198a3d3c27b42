#!/usr/bin/env python3
"""The scripts do what their help says, as far as it can be tried without installing or building."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import pytlx

SCRIPTS = os.path.join(pytlx.SOURCE, "scripts")
sys.path.insert(0, SCRIPTS)


def run(*command, **kwargs):
    return subprocess.run(command, capture_output=True, text=True, **kwargs)


class Shell(unittest.TestCase):
    def test_helpIsTheOpeningComment(self):
        scripts = [path for path in pytlx.trackedFiles("scripts/*.sh") if not path.endswith("common.sh")]
        self.assertGreaterEqual(len(scripts), 6)
        for script in scripts:
            done = run(os.path.join(pytlx.SOURCE, script), "--help")
            self.assertEqual(done.returncode, 0, script)
            self.assertIn(script, done.stdout, script)
            self.assertNotIn("#", done.stdout.splitlines()[0], script)

    def test_unknownArguments(self):
        for script in ("setup.sh", "format.sh", "tidy.sh", "quickstart.sh"):
            done = run(os.path.join(SCRIPTS, script), "--no-such-flag")
            self.assertEqual(done.returncode, 2, script)
            self.assertIn("--no-such-flag", done.stderr)

    def test_setupSaysWhatIsMissing(self):
        with tempfile.TemporaryDirectory() as folder:
            query = os.path.join(folder, "dpkg-query")
            with open(query, "w", encoding="utf-8") as file:  # knows every package but one
                file.write('#!/bin/sh\ncase "$*" in *mold) exit 1;; esac\nprintf installed\n')
            os.chmod(query, 0o755)
            done = run(os.path.join(SCRIPTS, "setup.sh"), "--check", env={**os.environ, "PATH": folder + ":" + os.environ["PATH"]})
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"1 of \d+ packages are missing: mold")

    def test_campaignsRunFilesThatExist(self):
        names = run(os.path.join(SCRIPTS, "nightly.sh"), "--list").stdout.split()
        self.assertIn("roundtrip", names)
        text = pytlx.read("scripts/nightly.sh")
        for path in re.findall(r"(?:tests|scripts|bench)/[\w/]+\.(?:py|sh)", text):
            self.assertTrue(os.path.exists(os.path.join(pytlx.SOURCE, path)), path)
        self.assertEqual(run(os.path.join(SCRIPTS, "nightly.sh"), "no-such-campaign").returncode, 2)


class Counting(unittest.TestCase):
    def count(self, ctest, **reports):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "ctest.junit"), "w", encoding="utf-8") as file:
                file.write("<testsuite>%s</testsuite>" % ctest)
            for name, text in reports.items():
                with open(os.path.join(folder, name + ".xml"), "w", encoding="utf-8") as file:
                    file.write(text)
            done = run(sys.executable, os.path.join(SCRIPTS, "count_tests.py"), folder)
        return done.returncode, done.stdout.strip()

    def test_casesAreCountedNotPrograms(self):
        report = '<testsuites><testsuite><testcase name="a" status="run"/><testcase name="b" status="run"><failure/></testcase>' \
                 '<testcase name="c" status="notrun"/></testsuite></testsuites>'
        self.assertEqual(self.count('<testcase name="P" status="fail"/><testcase name="Q" status="run"/>', P=report),
                         (1, "2 passed, 1 failed, 1 skipped"))

    def test_aCrashIsAFailure(self):
        for report in ("<testsuites>", '<testsuites><testcase name="a" status="run"/></testsuites>'):
            code, line = self.count('<testcase name="P" status="fail"/>', P=report)
            self.assertEqual(code, 1)
            self.assertIn("1 failed", line)

    def test_aProgramThatSkippedEveryCaseDidNotFail(self):
        skipped = '<testcase name="P" status="notrun"><skipped/></testcase><testcase name="Q" status="run"/>'
        report = '<testsuite><testcase name="a"><skipped/></testcase><testcase name="b"><skipped/></testcase></testsuite>'
        self.assertEqual(self.count(skipped, P=report), (0, "1 passed, 0 failed, 2 skipped"))
        self.assertEqual(self.count(skipped), (0, "1 passed, 0 failed, 1 skipped"))

    def test_noTestIsAFailure(self):
        self.assertEqual(self.count("")[0], 1)
        self.assertEqual(self.count('<testcase name="P" status="run"/>'), (0, "1 passed, 0 failed, 0 skipped"))


class LaunchData(unittest.TestCase):
    def setUp(self):
        try:
            import launch_data
        except ModuleNotFoundError as error:
            self.skipTest(str(error))
        self.launch_data = launch_data

    def test_splitmix(self):
        # The first two outputs of the published generator seeded with 0 (state advances by the constant).
        import numpy as np
        states = np.array([0, 0x9E3779B97F4A7C15], dtype=np.uint64)
        self.assertEqual([hex(int(x)) for x in self.launch_data.splitmix64(states)],
                         ["0xe220a8397b1dcdaf", "0x6e789e6aa1b965f4"])

    def test_fills(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "launch.json")
            arguments = [{"kind": "tuple", "items": [{"kind": "pointer", "dtype": "i32", "shape": [2, 2], "data": data}
                         for data in ({"fill": "zeros"}, {"fill": "constant", "value": 3}, {"fill": "values", "values": [1, 2, 3, 4]})]},
                         {"kind": "pointer", "dtype": "bf16", "shape": [2], "data": {"fill": "values", "values": [1.0, 1.00390625]}}]
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"args": arguments}, file)
            launch = self.launch_data.Launch(path)
            arrays = [launch.initial(x).tolist() for x in launch.arguments("pointer")]
        # 1 + 2^-8 lies half way between two bf16 numbers and goes to the even one.
        self.assertEqual(arrays, [[[0, 0], [0, 0]], [[3, 3], [3, 3]], [[1, 2], [3, 4]], [0x3F80, 0x3F80]])


if __name__ == "__main__":
    pytlx.main()
