"""What the Python tests share: where the trees are, the tools, and a runner that reports cases.

A test file is a unittest module that ends with `pytlx.main()`.
"""
import os
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree

SOURCE = os.environ.get("TLX_SOURCE_DIR") or os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BINARY = os.environ.get("TLX_BINARY_DIR") or os.path.join(SOURCE, "build")


def shared():
    """The folder that holds corpus/, or None where there is none."""
    folder = os.environ.get("TLX_SHARED") or os.path.join(SOURCE, "..", "shared")
    return os.path.realpath(folder) if os.path.isdir(os.path.join(folder, "corpus")) else None


def tool(name):
    return os.path.join(BINARY, "bin", name)


def trackedFiles(*patterns):
    """Paths, relative to the source tree, of the files that git knows (or would add)."""
    out = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns],
                         cwd=SOURCE, check=True, capture_output=True).stdout
    return sorted({path for path in out.decode().split("\0") if path and os.path.exists(os.path.join(SOURCE, path))})


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


class Result(unittest.TextTestResult):
    """Keeps one record for each case (a failing subTest fails its case)."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.cases = {}

    def note(self, test, tag, text=""):
        self.cases[test.id()] = (tag, text)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.cases.setdefault(test.id(), ("passed", ""))

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.note(test, "failure", str(error[1]))

    def addError(self, test, error):
        super().addError(test, error)
        self.note(test, "error", str(error[1]))

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error:
            self.note(test, "failure", str(error[1]))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.note(test, "skipped", reason)


def main():
    """Runs the calling module's tests; exit 77 when all were skipped."""
    program = unittest.main(module="__main__", exit=False, verbosity=2,
                            testRunner=unittest.TextTestRunner(resultclass=Result, verbosity=2))
    folder = os.environ.get("TLX_TEST_RESULTS")
    if folder:
        root = ElementTree.Element("testsuite")
        for name, (tag, text) in program.result.cases.items():
            case = ElementTree.SubElement(root, "testcase", name=name)
            if tag != "passed":
                ElementTree.SubElement(case, tag, message=text[:2000])
        ElementTree.ElementTree(root).write(os.path.join(folder, os.environ["TLX_TEST_NAME"] + ".xml"))
    if not program.result.wasSuccessful() or not program.result.cases:
        sys.exit(1)
    sys.exit(77 if all(tag == "skipped" for tag, _ in program.result.cases.values()) else 0)
