"""The verifier's generated documents are as the tool and the corpus say."""
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

    def test_h200(self):
        if not pytlx.shared():
            self.skipTest("the corpus is not beside the source tree")
        self.check("h200")


if __name__ == "__main__":
    pytlx.main()
