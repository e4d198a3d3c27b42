#!/usr/bin/env python3
"""Predictions against what measure.py measured: compare.py DIR... [--list] [--worst N] [--json FILE] [--markdown FILE]

DIR holds recorded launches (record.py); of the shared corpus, those measured here are compared as well where it is there.
Printed are, by set and family: the mean absolute error, the largest, and Kendall's tau of the order of configurations of one
size; of small kernels the share within max(300, 0.25 * (measured - 2811)) cycles. No number of a chip is fitted to these
launches. The first set has been looked at for what the model lacked, the second was measured to judge what that led to.
"""
import argparse
import csv
import json
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "..", "..", "tests", part) for part in ("corpus", "")]
import corpus  # noqa: E402
from sim_time import FLOOR, relative  # noqa: E402

SETS = ("h200.csv", "h200-second.csv")
LARGE = ("gemm", "skinny", "attention", "layer_norm_cluster", "ikbo")
HEADING = """# Predictions of the launches kept apart

Written by `compare.py DIR --markdown FIGURES.md`. Errors are of `cycles`; the tolerance of small kernels is
max(300, 0.25 * (measured - 2811)) cycles; tau is Kendall's, over configurations of one size whose times differ by 3 % or
more. Hopper families include kernels that spill.

"""
APART = 0.03  # configurations whose measured times differ by less are not ordered


def predict(task):
    tool, ir, manifest = task
    done = corpus.run([tool, "--device", "sim", ir, "--manifest", manifest, "--timing-only", "--json"], timeout=300)
    return json.loads(done.out) if done.code == 0 else done.error


def files(folders, launch):
    """(IR, manifest) of a launch, or None."""
    for folder in folders:
        stem = os.path.join(folder, launch)
        if os.path.exists(stem + ".json"):
            ir = stem + ".ttgir"
            return (ir if os.path.exists(ir) else os.path.join(os.path.dirname(stem), "kernel.ttgir")), stem + ".json"
    return None


def family(launch):
    return launch.split("/")[1].rsplit("-", 1)[0] if "/" in launch else launch.split(".")[0]


def problem(launch):
    """What competes: one family and size, in any configuration."""
    return (family(launch), launch.split("/")[2]) if "/" in launch else tuple(launch.split(".")[:2])


def large(launch):
    return launch.startswith("hopper/") or launch.startswith(LARGE)


def tau(rows):
    """(Kendall's tau, pairs) over pairs of one problem that differ"""
    agree = pairs = 0
    for i, (launch, predicted, measured) in enumerate(rows):
        for other, otherPredicted, otherMeasured in rows[:i]:
            if problem(launch) == problem(other) and abs(measured - otherMeasured) >= APART * min(measured, otherMeasured):
                pairs += 1
                product = (predicted - otherPredicted) * (measured - otherMeasured)
                agree += (product > 0) - (product < 0)
    return (agree / pairs if pairs else None), pairs


def within(predicted, measured):
    return abs(predicted - measured) <= max(300, 0.25 * (measured - FLOOR))


def table(rows, second):
    """Lines of the table by set and by family; second: names of the launches of the second set."""
    families = {}
    for row in rows:
        families.setdefault(family(row[0]), []).append(row)
    yield "| family | launches | mean error | largest | within the tolerance of small kernels | tau (pairs) |"
    yield "|---|---|---|---|---|---|"
    groups = [("**%s, %s set**" % (what, name), [r for r in rows if large(r[0]) == isLarge and (r[0] in second) == isSecond])
              for what, isLarge in (("Hopper families", True), ("small kernels", False)) for name, isSecond in (("first", False), ("second", True))]
    for name, members in groups + sorted(families.items()):
        if not members:
            continue
        errors = [relative(predicted, measured) for _, predicted, measured in members]
        value, pairs = tau(members)
        yield "| %s | %d | %.1f %% | %+.1f %% | %d | %s |" % (
            name, len(members), 100 * statistics.mean(map(abs, errors)), 100 * max(errors, key=abs),
            sum(within(p, m) for _, p, m in members), "%.2f (%d)" % (value, pairs) if pairs else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--list", action="store_true", help="a line for each launch")
    parser.add_argument("--only", action="append", help="launches whose name contains this")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--json", metavar="FILE", help="write what was predicted")
    parser.add_argument("--markdown", metavar="FILE", help="write the table")
    arguments = parser.parse_args()
    tool = corpus.need("tlx-run")
    shared = corpus.pytlx.shared()
    folders = arguments.folders + ([os.path.join(shared, "corpus")] if shared else [])
    measured, second = {}, set()
    for name in SETS:
        with open(os.path.join(HERE, name), encoding="utf-8") as file:
            rows = {row["launch"]: row for row in csv.DictReader(file)}
        second = set(rows) - set(measured)
        measured.update(rows)
    launches = [(name, files(folders, name)) for name in measured if not arguments.only or any(o in name for o in arguments.only)]
    missing = [name for name, found in launches if not found]
    launches = [(name, found) for name, found in launches if found]
    reports = corpus.forEach(predict, [(tool, *found) for _, found in launches], arguments.jobs)
    rows = []
    for (name, _), report in zip(launches, reports):
        if isinstance(report, str):
            print("failed: %s: %s" % (name, report[:160]))
            continue
        cycles = int(measured[name]["cycles"])
        rows.append((name, report["cycles"], cycles))
        if arguments.list:
            bytes_ = report["details"]["bytes"]
            print("%+7.1f %%  %9d of %9d  %s L2 %8.2f of %8.2f MB  memory %7.2f of %7.2f MB  %s  %s" % (
                100 * relative(report["cycles"], cycles), report["cycles"], cycles, " " if within(report["cycles"], cycles) else "!",
                bytes_["l2"] / 1e6, float(measured[name]["l2_bytes"]) / 1e6, bytes_["dram"] / 1e6, float(measured[name]["dram_bytes"]) / 1e6,
                "spill" if any("will spill" in note for note in report["notes"]) else "     ", name))
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({name: [predicted, cycles] for name, predicted, cycles in rows}, file, indent=0)
    lines = list(table(rows, second))
    print("\n".join(lines))
    if missing:
        print("%d measured launches are in none of the folders" % len(missing))
    if arguments.markdown:
        with open(arguments.markdown, "w", encoding="utf-8") as file:
            file.write(HEADING + "\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
