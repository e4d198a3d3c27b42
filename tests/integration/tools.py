"""Runs a tool as a user would and judges how it refuses: one located error line, exit code 2, no
output, no crash, within seconds."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import pytlx

BAD_INPUT = 2
KERNEL = os.path.join(pytlx.SOURCE, "kernels", "gemm", "hopper_ws.mlir")
MANIFEST = os.path.join(pytlx.SOURCE, "kernels", "gemm", "hopper_ws.json")


class ToolTest(unittest.TestCase):
    """Gives each test a folder of its own."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def file(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def run_(self, command, timeout=60):
        path = pytlx.tool(command[0])
        self.assertTrue(os.path.exists(path), path + " is not built")
        return subprocess.run([path, *command[1:]], capture_output=True, timeout=timeout, cwd=self.folder)

    def refuses(self, command, where, says="", line=True, timeout=60):
        """`where` is the file that the error must name; `line`: with line and column."""
        done = self.run_(command, timeout)
        err = done.stderr.decode(errors="replace")
        shown = "%s\nexit code %d\n%s" % (" ".join(command), done.returncode, err[:2000])
        self.assertEqual(done.returncode, BAD_INPUT, shown)
        errors = [text for text in err.splitlines() if re.search(r"\berror: ", text)]
        self.assertEqual(len(errors), 1, shown)
        place = re.escape(where) + (r":\d+:\d+" if line else r"(:\d+:\d+)?") if where else ""
        self.assertRegex(errors[0], r"^%s: error: \S" % place if where else r"^(\S+: )?error: \S", shown)
        self.assertIn(says, errors[0], shown)
        self.assertNotIn("PLEASE submit a bug report", err, shown)
        return errors[0]
