#!/usr/bin/env python3
"""The documents tell the truth about the tree: links lead somewhere, and every script and tool that
a command line in README or docs names exists."""
import os
import re
import unittest

import pytlx

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
SCRIPT = re.compile(r"(?<![\w/.])(?:\./)?(scripts/[\w-]+\.(?:sh|py))")
TOOL = re.compile(r"(?:build/bin/)(tlx-[\w-]+)")
DECLARED = re.compile(r"tlx_tool\(\s*(tlx-[\w-]+)")
KERNEL = re.compile(r"(?<![\w/.])(kernels/[\w/.-]+\.(?:mlir|json))")


def documents():
    return pytlx.trackedFiles("*.md")


def declaredTools():
    return {name for path in pytlx.trackedFiles("*CMakeLists.txt") for name in DECLARED.findall(pytlx.read(path))}


class Docs(unittest.TestCase):
    def allExist(self, pattern, where):
        missing = ["%s: error: names '%s', which does not exist" % (path, name) for path in documents()
                   for name in pattern.findall(pytlx.read(path)) if not os.path.exists(where(path, name))]
        self.assertEqual(missing, [], "\n" + "\n".join(missing))

    def test_linksLeadSomewhere(self):
        inside = re.compile(LINK.pattern.replace("([^)", "((?![a-z]+:)[^)"))
        self.allExist(inside, lambda path, name: os.path.join(pytlx.SOURCE, os.path.dirname(path), name))

    def test_scriptsExist(self):
        self.allExist(SCRIPT, lambda path, name: os.path.join(pytlx.SOURCE, name))

    def test_kernelsExist(self):
        self.allExist(KERNEL, lambda path, name: os.path.join(pytlx.SOURCE, name))

    def test_toolsAreBuilt(self):
        declared = declaredTools()
        for path in documents():
            for name in TOOL.findall(pytlx.read(path)):
                self.assertIn(name, declared, "%s names a tool that no CMakeLists.txt builds" % path)

    def test_scriptsCanBeExecuted(self):
        for path in pytlx.trackedFiles("scripts/*.sh", ".ci/run"):
            if os.path.basename(path) != "common.sh":
                self.assertTrue(os.access(os.path.join(pytlx.SOURCE, path), os.X_OK), path)

    def test_readmeNamesItsTwoCommands(self):
        readme = pytlx.read("README.md")
        self.assertIn("./scripts/quickstart.sh", readme)
        self.assertIn("./scripts/test.sh", readme)
        built = re.search(r"build\.sh. release (.*)", pytlx.read("scripts/quickstart.sh")).group(1).split()
        self.assertLessEqual(set(re.findall(r"build/bin/(tlx[\w-]*)", readme)), set(built), "the first command builds what the page goes on with")


if __name__ == "__main__":
    pytlx.main()
