#!/usr/bin/env python3
"""Mutants of real kernels: the prover must catch each that is wrong.

    campaign.py [--mutants N] [--kernels N] [--levels ttir,ttgir] [--only OPERATOR,...] [--seed S] [--list OUTCOME] [NAME...]

Takes kernels/ and the corpus (kernels outside bugs/, and the fixed forms of bugs/), damages each
with tlx-mutate and adds up by operator. A mutant that is PROVED although the explorer finds a
violation at a small size is MISSED; then, or when a kernel that should be PROVED is not, the exit
code is 1. --expect-caught N fails when fewer are caught, so that a campaign cannot lose its way.
"""
import argparse
import collections
import glob
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "corpus"))
import corpus  # noqa: E402
import pytlx  # noqa: E402

OUTCOMES = ("caught", "equivalent", "same", "undecided", "unknown", "MISSED")


def ownKernels():
    for path in sorted(glob.glob(os.path.join(pytlx.SOURCE, "kernels", "*", "*.mlir"))):
        yield path, path[:-len(".mlir")] + ".json"


def corpusKernels(levels, sample, names):
    """(file, its first launch manifest) of what is taken for correct."""
    if pytlx.shared() is None:
        return
    root = corpus.root()
    real = [path for path in corpus.files(root, levels, None, names)
            if not path.startswith(("base" + os.sep, "amd" + os.sep)) and not os.path.basename(path).startswith("seeded.")]
    if sample and sample < len(real):
        real = [real[i * len(real) // sample] for i in range(sample)]
    for path in real:
        folder, name = os.path.split(os.path.join(root, path))
        fixed = os.path.join(folder, "fixed.json")
        launches = [fixed] if name.startswith("fixed.") else sorted(glob.glob(os.path.join(folder, "launch*.json")))
        yield os.path.join(folder, name), launches[0] if launches else None


def judge(task):
    """(path, [mutants], error or None)"""
    tool, path, manifest, mutants, seed, only = task
    command = [tool, path, "--sample", str(mutants), "--seed", str(seed)]
    if only:
        command += ["--only", only]
    if manifest and os.path.exists(manifest):
        command += ["--manifest", manifest]
    done = corpus.run(command, timeout=3600)
    rows = [json.loads(line) for line in done.out.splitlines()]
    return path, rows, done.error if done.code not in (0, 1) else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutants", type=int, default=0, help="of each kernel (default: all)")
    parser.add_argument("--kernels", type=int, default=0, help="of the corpus (default: all)")
    parser.add_argument("--levels", default="ttir,ttgir")
    parser.add_argument("--only", metavar="OPERATOR,...", help="mutants of these operators")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--list", action="append", default=["MISSED"], choices=OUTCOMES, help="name these mutants")
    parser.add_argument("--expect-caught", type=int, default=1, metavar="N")
    parser.add_argument("names", nargs="*", help="only corpus paths that contain one of these")
    arguments = parser.parse_args()

    tool = corpus.need("tlx-mutate")
    files = list(ownKernels()) if not arguments.names else []
    files += corpusKernels(arguments.levels.split(","), arguments.kernels, arguments.names)
    tasks = [(tool, path, manifest, arguments.mutants, arguments.seed, arguments.only) for path, manifest in files]
    counts = collections.defaultdict(collections.Counter)
    total, skipped, seconds = collections.Counter(), 0, 0.0
    for path, rows, error in corpus.asKnown(judge, tasks, arguments.jobs, chunk=1):
        skipped += not rows
        if error and not rows and "only a kernel that is PROVED" not in error:
            print("%s: %s" % (os.path.relpath(path, pytlx.SOURCE), error))
        for row in rows:
            counts[row["operator"]][row["outcome"]] += 1
            total[row["outcome"]] += 1
            seconds += row["seconds"]
            if row["outcome"] in arguments.list:
                print("%s: %s: %s at %s (--only %s, operation %d, variant %d): %s" % (
                    row["outcome"], os.path.relpath(path, pytlx.SOURCE), row["operator"], row["place"],
                    row["operator"], row["operation"], row["variant"], row["detail"]), flush=True)
    print("%-20s" % "operator" + "".join("%12s" % outcome for outcome in OUTCOMES))
    for operator in sorted(counts):
        print("%-20s" % operator + "".join("%12d" % counts[operator][outcome] for outcome in OUTCOMES))
    print("%-20s" % "all" + "".join("%12d" % total[outcome] for outcome in OUTCOMES))
    print("%d operators, %d kernels, %d without mutants (not PROVED to begin with), %.0f s of judging" % (
        len(counts), len(files) - skipped, skipped, seconds))
    if total["caught"] < arguments.expect_caught:
        print("error: fewer than %d mutants were caught" % arguments.expect_caught)
        return 1
    return 1 if total["MISSED"] else 0


if __name__ == "__main__":
    sys.exit(main())
