#!/usr/bin/env python3
"""Every file of the corpus parses and prints, and nothing is lost on the way.

For each file, with the build's tlx-opt:
  parses    it is read and printed
  content   the print holds the same operations, operands, types, attributes, regions and locations
            as the file (normalise.py)
  fixed     printing the print changes nothing, with locations and without
  generic   the generic form, read again, prints as the pretty form does

    roundtrip.py [--sample N] [NAME...]    N files of each folder and level; names are parts of paths
"""
import argparse
import os
import re
import sys
import tempfile

import corpus
import normalise

COLUMNS = ("parses", "content", "fixed", "generic")


def cause(message):
    """An error message without what differs from file to file."""
    message = re.sub(r"^.*?error: ", "", message)
    message = re.sub(r"%[\w.$#-]+", "%v", message)
    return re.sub(r"\d+", "N", message)[:160]


def judge(task):
    """({columns that hold}, [(cause, detail)])"""
    tool, path = task
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        return Judge(tool, path, text, folder).judge()


class Judge:
    def __init__(self, tool, path, text, folder):
        self.tool, self.path, self.text, self.folder = tool, path, text, folder
        self.held, self.failures, self.count = set(), [], 0
        self.form = ["--mlir-print-op-generic"] if normalise.isGeneric(text) else []

    def opt(self, text, flags):
        """What tlx-opt prints for a text; it goes through a file, since the extension tells the level."""
        if text is None:
            return None
        self.count += 1
        source = os.path.join(self.folder, "%d.%s" % (self.count, self.path.rsplit(".", 1)[1]))
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        outcome = corpus.run([self.tool, source, *flags])
        if outcome.error:
            self.failures.append((cause(outcome.error), outcome.error))
        return None if outcome.error else outcome.out

    def same(self, column, a, b):
        if a is None or b is None:
            return
        if a == b:
            self.held.add(column)
            return
        _, x, y = normalise.firstDifference(a.splitlines(), b.splitlines()) or (0, "", "(line ends)")
        self.failures.append((column, "- %s\n+ %s" % (x.strip()[:400], y.strip()[:400])))

    def judge(self):
        located = self.opt(self.text, self.form)
        if located is None:
            return self.held, self.failures
        self.held.add("parses")
        wanted, got = normalise.contents(self.text, True), normalise.contents(located, True)
        difference = normalise.firstDifference(wanted, got)
        if difference is None:
            self.held.add("content")
        else:
            _, x, y = difference
            self.failures.append(("content: %s / %s" % (operation(x), operation(y)), "- %s\n+ %s" % (x.strip()[:500], y.strip()[:500])))

        self.same("located", located, self.opt(located, self.form))
        bare = self.opt(normalise.withoutLocations(self.text), self.form)
        self.same("bare", bare, self.opt(bare, self.form))
        if {"located", "bare"} <= self.held:
            self.held.add("fixed")
        self.same("generic", bare, self.opt(self.opt(bare, ["--mlir-print-op-generic"]), self.form))
        return self.held, self.failures


def operation(line):
    """The operation's name in a normalised line."""
    found = re.search(r'(?:^|= )\s*"?([a-z_]+\.[\w.]+)', line)
    return found.group(1) if found else line.strip()[:40]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, help="files of each folder and level (default: all)")
    parser.add_argument("names", nargs="*", help="only paths that contain one of these")
    arguments = parser.parse_args()

    root = corpus.root()
    tool = corpus.need("tlx-opt")
    paths = corpus.files(root, sample=arguments.sample, names=arguments.names)
    if not paths:
        print("error: no file matches")
        return 2
    results = corpus.forEach(judge, [(tool, os.path.join(root, path)) for path in paths])
    corpus.table({path: held for path, (held, _) in zip(paths, results)}, COLUMNS)
    failures = [(path, why, detail) for path, (_, found) in zip(paths, results) for why, detail in found]
    corpus.printCauses(failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
