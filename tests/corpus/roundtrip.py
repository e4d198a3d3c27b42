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
    held, failures = set(), []
    form = ["--mlir-print-op-generic"] if normalise.isGeneric(text) else []

    def opt(flags, source):
        outcome = corpus.run([tool, *flags, "-"], source)
        if outcome.error:
            failures.append((cause(outcome.error), outcome.error))
        return None if outcome.error else outcome.out

    def same(column, a, b):
        if a is None or b is None:
            return
        if a == b:
            held.add(column)
            return
        _, x, y = normalise.firstDifference(a.splitlines(), b.splitlines()) or (0, "", "(line ends)")
        failures.append((column, "- %s\n+ %s" % (x.strip()[:400], y.strip()[:400])))

    located = opt(["--mlir-print-debuginfo", *form], text)
    if located is None:
        return held, failures
    held.add("parses")
    difference = normalise.firstDifference(normalise.contents(text, True), normalise.contents(located, True))
    if difference is None:
        held.add("content")
    else:
        _, x, y = difference
        failures.append(("content: " + cause(operation(x) + " / " + operation(y)), "- %s\n+ %s" % (x.strip()[:500], y.strip()[:500])))

    same("located", located, opt(["--mlir-print-debuginfo", *form], located))
    bare = opt(form, text)
    again = opt(form, bare) if bare is not None else None
    same("bare", bare, again)
    if {"located", "bare"} <= held:
        held.add("fixed")
    generic = opt(["--mlir-print-op-generic"], text)
    if generic is not None:
        same("generic", bare, opt(form, generic))
    return held, failures


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
