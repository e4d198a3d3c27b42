"""The verifier's generated documents are as the tool and the corpus say."""
import glob
import os
import subprocess
import sys
import unittest

import pytlx


class Documents(unittest.TestCase):
    def check(self, document):
        script = os.path.join(pytlx.SOURCE, "scripts", "verify_docs.py")
        done = subprocess.run([sys.executable, script, document, "--check"], capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_classes(self):
        self.check("classes")

    def test_coverage(self):
        """Every recorded kernel counts, and what is said to be BUG is: tried on one kernel of each reason."""
        if not pytlx.shared():
            self.skipTest("the corpus is not beside the source tree")
        corpus = os.path.join(pytlx.shared(), "corpus")
        with open(os.path.join(pytlx.SOURCE, "docs", "reference", "coverage.md"), encoding="utf-8") as file:
            rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in file if line.startswith("| ")]
        for folder, level, *counts in (row for row in rows if len(row) == 5 and row[0] != "folder"):
            found = glob.glob(os.path.join(corpus, folder, "**", "kernel." + level), recursive=True)
            self.assertEqual(sum(map(int, counts)), len(found), (folder, level))
        tried = set()
        for kernel, verdict, why in (row for row in rows if len(row) == 3 and row[1].startswith("BUG")):
            self.assertNotIn("not explained", why)
            if why in tried:
                continue
            tried.add(why)
            said, levels = verdict.split(" at ")
            path = os.path.join(corpus, kernel, "kernel." + levels.split(", ")[0])
            done = subprocess.run([pytlx.tool("tlx-verify"), "--no-cache", path], capture_output=True, text=True, timeout=120)
            self.assertIn(said, done.stdout)
        self.assertGreater(len(tried), 5)

    def test_h200(self):
        if not pytlx.shared():
            self.skipTest("the corpus is not beside the source tree")
        self.check("h200")


if __name__ == "__main__":
    pytlx.main()
