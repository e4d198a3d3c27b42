#!/usr/bin/env python3
"""fbtriton reads our print as it reads the input: str_nodebug() of both parses is equal.

Needs a Python in which fbtriton 3.7.4 can be imported: this one, or the one that TLX_FBTRITON_PYTHON
names; skips without. fbtriton aborts on some inputs, so each file gets a forked process. Files that
fbtriton itself refuses are counted apart. Exit code 1 when fewer than 99 % of the others are equal.

    fbtriton_equality.py [--sample N] [NAME...]
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import corpus
import normalise

# Runs inside fbtriton's Python. Reads one JSON pair [input, output] a line, answers one JSON line.
WORKER = r"""
import json, os, sys
from triton._C.libtriton import ir, nvidia, amd

def text(path):
    context = ir.context()
    for dialects in (ir, nvidia, amd):
        dialects.load_dialects(context)
    return ir.parse_mlir_module(path, context).str_nodebug()

def judge(pair):
    try:
        wanted = text(pair[0])
    except Exception:
        return "refused", ""
    try:
        got = text(pair[1])
    except Exception as error:
        return "our print refused", str(error)
    if wanted == got:
        return "equal", ""
    a, b = wanted.splitlines(), got.splitlines()
    where = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return "differs", "- %s\n+ %s" % ((a[where:] or [""])[0].strip()[:400], (b[where:] or [""])[0].strip()[:400])

for line in sys.stdin:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with os.fdopen(writer, "w") as pipe:
            pipe.write(json.dumps(judge(json.loads(line))))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    print(answer or '["refused", "fbtriton died"]', flush=True)
"""


def fbtritonPython():
    for python in (os.environ.get("TLX_FBTRITON_PYTHON"), sys.executable):
        if python and corpus.run([python, "-c", "from triton._C.libtriton import ir, nvidia, amd"]).code == 0:
            return python
    print("SKIP: fbtriton cannot be imported; TLX_FBTRITON_PYTHON may name a Python that can")
    sys.exit(corpus.SKIP)


def printOurs(task):
    """Writes our print of one file; None or the error."""
    tool, path, out = task
    with open(path, encoding="utf-8") as file:
        generic = normalise.isGeneric(file.read())
    done = corpus.run([tool, path, *(["--mlir-print-op-generic"] if generic else [])])
    if done.error is None:
        with open(out, "w", encoding="utf-8") as file:
            file.write(done.out)
    return done.error


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, help="files of each folder and level (default: all)")
    parser.add_argument("names", nargs="*", help="only paths that contain one of these")
    arguments = parser.parse_args()

    root = corpus.root()
    python = fbtritonPython()
    tool = corpus.need("tlx-opt")
    paths = corpus.files(root, sample=arguments.sample, names=arguments.names)
    with tempfile.TemporaryDirectory() as folder:
        tasks = [(tool, os.path.join(root, path), os.path.join(folder, "%d.mlir" % i)) for i, path in enumerate(paths)]
        errors = corpus.forEach(printOurs, tasks)
        pairs = "".join(json.dumps([task[1], task[2]]) + "\n" for task in tasks)
        worker = subprocess.run([python, "-c", WORKER], input=pairs, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True)
        answers = [json.loads(line) for line in worker.stdout.splitlines()]
    if len(answers) != len(paths):
        print("error: the fbtriton worker answered %d of %d times" % (len(answers), len(paths)))
        return 3
    rows, failures = {}, []
    for path, (verdict, detail), error in zip(paths, answers, errors):
        rows[path] = {"accepted", verdict} if verdict != "refused" else {"refused"}
        if verdict not in ("equal", "refused"):
            failures.append((path, verdict, error or detail))
    total = corpus.table(rows, ("accepted", "equal", "refused"))
    corpus.printCauses(failures)
    accepted, equal = total[1], total[2]
    print("\nequal: %d of %d files that fbtriton accepts (%.2f %%)" % (equal, accepted, 100 * equal / max(accepted, 1)))
    return 0 if accepted and equal >= 0.99 * accepted else 1


if __name__ == "__main__":
    sys.exit(main())
