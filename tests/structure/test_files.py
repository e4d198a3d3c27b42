#!/usr/bin/env python3
"""What no tracked file may hold: paths of one machine, hosts of package registries, notes of
unfinished work; and no source file may be too long to be one thing."""
import re
import unittest

import pytlx

# Written in pieces, so that this file passes its own test.
MACHINE_PATHS = re.compile("|".join([
    r"(?<![\w./-])/" + folder + "/" for folder in ("work", "farm", "root", "home/[a-z]+", "Users")
] + [r"(?<![\w./-])/" + "tmp/[a-z]+/"]))
HOSTS = re.compile("|".join(host.replace("_", r"\.") for host in (
    "pypi_org", "deb_debian_org", "security_debian_org", "snapshot_debian_org", "registry_npmjs", "apt_llvm_org")))
UNFINISHED = re.compile(r"\b(" + "|".join("".join(word) for word in (
    ("TO", "DO"), ("FIX", "ME"), ("X", "XX"), ("HA", "CK"), ("not imple", "mented"), ("unimple", "mented"))) + r")\b", re.I)
SOURCES = ("*.cpp", "*.h", "*.td", "*.py", "*.sh", "*.cmake", "CMakeLists.txt")
LONGEST = 600
# file: why it is one thing all the same. A file that became short again fails the test.
LONG_FILES = {}


def linesThatMatch(pattern, files):
    for path in files:
        try:
            text = pytlx.read(path)
        except UnicodeDecodeError:
            continue  # pictures and recorded arrays
        for number, line in enumerate(text.splitlines(), 1):
            if pattern.search(line):
                yield "%s:%d: error: %s" % (path, number, line.strip()[:160])


class Files(unittest.TestCase):
    def none(self, found):
        found = list(found)
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_noMachinePaths(self):
        self.none(linesThatMatch(MACHINE_PATHS, pytlx.trackedFiles()))

    def test_noRegistryHosts(self):
        self.none(linesThatMatch(HOSTS, pytlx.trackedFiles()))

    def test_nothingUnfinished(self):
        self.none(linesThatMatch(UNFINISHED, pytlx.trackedFiles(*SOURCES)))

    def test_noFileIsTooLong(self):
        files = pytlx.trackedFiles("*.cpp", "*.h", "*.td", "*.py")
        self.assertTrue(files)
        long = {path: lines for path in files if (lines := len(pytlx.read(path).splitlines())) > LONGEST}
        self.none("%s: error: %d lines; split it, or say in %s why it is one thing" % (path, lines, "LONG_FILES")
                  for path, lines in long.items() if path not in LONG_FILES)
        self.assertEqual(set(LONG_FILES) - set(long), set(), "exemptions that nobody needs any more")

    def test_thePatternsSee(self):
        for text, pattern in (("cd /" + "work/x", MACHINE_PATHS), ('"/' + 'tmp/abc/x"', MACHINE_PATHS),
                              ("pypi" + ".org", HOSTS), ("// TO" + "DO: x", UNFINISHED)):
            self.assertTrue(pattern.search(text), text)
        for text, pattern in (("tests/" + "work/x", MACHINE_PATHS), ("todos", UNFINISHED)):
            self.assertFalse(pattern.search(text), text)


if __name__ == "__main__":
    pytlx.main()
