#!/usr/bin/env python3
"""The simulator's predicted time over the corpus, against an H200.

    sim_time.py [--sample N] [--timeout SECONDS] [--jobs N] [--list] [--json FILE] [NAME...]

Each timed launch is predicted from its .ttgir, without values. Printed are: the error of `cycles` over
the Hopper kernels (those whose code spills apart), Kendall's tau of the order of kernels at one size,
the error of L2 and memory bytes where at least 50 MB move, and the share of the small kernels of unit/
and base/ within max(300, 0.25 * (measured - 2811)) cycles. Exit code 1 when a figure misses its limit
(only without --sample and names) or a launch fails.
"""
import argparse
import json
import os
import re
import statistics
import sys
import time

import corpus

# Their code spills: 480 to 1,368 bytes of stack where the others have 0 to 24.
SPILL = ("attn_fwd_ws-17f4cc", "attn_fwd_ws-c2410f", "attn_fwd_ws_pipelined-6d49a2", "attn_fwd_ws_pipelined-ad73e6",
         "matmul_kernel_pipelined_hopper-5e207c", "matmul_kernel_pipelined_hopper-a57b46")
FLOOR = 2811  # elapsed cycles of the smallest launch
MOVED = 50e6  # bytes from which traffic is judged


def predict(task):
    """(report or None, message, seconds)"""
    tool, root, launch, timeout = task
    folder, name = os.path.split(launch)
    stem = name if os.path.exists(os.path.join(root, folder, name + ".ttgir")) else "kernel"
    started = time.monotonic()
    done = corpus.run([tool, "--device", "sim", os.path.join(root, folder, stem + ".ttgir"), "--manifest",
                       os.path.join(root, launch + ".json"), "--timing-only", "--json"], timeout=timeout)
    seconds = time.monotonic() - started
    if done.code != 0:
        return None, (done.error or "").split("error: ", 1)[-1], seconds
    return json.loads(done.out), "", seconds


def relative(predicted, measured):
    return (predicted - measured) / measured


def problem(launch):
    """Kernels of one family at one size compete: (family, size)."""
    folder, name = launch.split("/")[1:3]
    family = re.match(r"[a-z]+", folder).group(0)
    return family, name


def tau(pairs):
    """Kendall's tau over pairs of equal shape whose measured times differ by at least 3 %; None without any."""
    agree = total = 0
    for i, (launch, predicted, measured) in enumerate(pairs):
        for other, otherPredicted, otherMeasured in pairs[:i]:
            if problem(launch) != problem(other) or abs(measured - otherMeasured) < 0.03 * min(measured, otherMeasured):
                continue
            total += 1
            product = (predicted - otherPredicted) * (measured - otherMeasured)
            agree += (product > 0) - (product < 0)
    return (agree / total if total else None), total


class Figures:
    """Prints figures beside their limits and remembers what misses."""

    def __init__(self):
        self.missed = False

    def add(self, what, value, limit, atLeast=False, percent=True):
        good = value >= limit if atLeast else value <= limit
        self.missed |= not good
        show = (lambda x: "%.1f %%" % (100 * x)) if percent else (lambda x: "%.3f" % x)
        print("  %-58s %9s   limit %s %s%s" % (what, show(value), ">=" if atLeast else "<=", show(limit), "" if good else "   MISSED"))


def errorsOf(figures, what, rows):
    errors = [relative(predicted, measured) for _, predicted, measured in rows]
    worst = max(range(len(rows)), key=lambda i: abs(errors[i]))
    figures.add("%s: mean absolute error (%d)" % (what, len(rows)), statistics.mean(map(abs, errors)), 0.10)
    figures.add("%s: worst, %+.1f %% at %s" % (what, 100 * errors[worst], rows[worst][0].split("/", 1)[1]), abs(errors[worst]), 0.20)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--timeout", type=int, default=300, help="seconds per launch")
    parser.add_argument("--sample", type=int, help="launches of each folder (default: all)")
    parser.add_argument("--jobs", type=int, help="launches at a time (default: one per core)")
    parser.add_argument("--list", action="store_true", help="a line for each launch")
    parser.add_argument("--json", metavar="FILE", help="write what was predicted and measured")
    parser.add_argument("names", nargs="*", help="only launches that contain one of these")
    arguments = parser.parse_args()

    root = corpus.root()
    tool = corpus.need("tlx-run")
    with open(os.path.join(root, "measured", "h200-time.json"), encoding="utf-8") as file:
        measured = json.load(file)
    groups = {}
    for launch in sorted(measured):
        if not arguments.names or any(name in launch for name in arguments.names):
            groups.setdefault(launch.split("/")[0], []).append(launch)
    if arguments.sample:
        groups = {folder: [group[i * len(group) // min(arguments.sample, len(group))] for i in range(min(arguments.sample, len(group)))]
                  for folder, group in groups.items()}
    launches = [launch for group in groups.values() for launch in group]
    results = corpus.forEach(predict, [(tool, root, launch, arguments.timeout) for launch in launches], arguments.jobs)

    failed = [(launch, message) for launch, (report, message, _) in zip(launches, results) if report is None]
    corpus.printCauses([(launch, message[:120], "") for launch, message in failed])
    rows = [(launch, report["cycles"], measured[launch]["cycles"]) for launch, (report, _, _) in zip(launches, results) if report]
    reports = {launch: report for launch, (report, _, _) in zip(launches, results) if report}
    if arguments.list:
        for launch, (report, _, seconds) in zip(launches, results):
            if report:
                want, bytes_ = measured[launch], report["details"]["bytes"]
                print("%+7.1f %%  %9d of %9d cycles  L2 %8.1f of %8.1f MB  memory %7.1f of %7.1f MB  %6.2f s  %s" % (
                    100 * relative(report["cycles"], want["cycles"]), report["cycles"], want["cycles"], bytes_["l2"] / 1e6,
                    want["l2_bytes"] / 1e6, bytes_["dram"] / 1e6, want["dram_bytes"] / 1e6, seconds, launch))
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({launch: {"cycles": report["cycles"], "bytes": report["details"]["bytes"], "seconds": seconds, "measured": measured[launch]}
                       for launch, (report, _, seconds) in zip(launches, results) if report}, file, indent=1)

    figures = Figures()
    print("\npredicted cycles against an H200, %d launches" % len(rows))
    spills = [row for row in rows if any(kernel in row[0] for kernel in SPILL)]
    hopper = [row for row in rows if row[0].startswith("hopper/") and row not in spills]
    if hopper:
        errorsOf(figures, "hopper", hopper)
        value, pairs = tau(hopper)
        if value is not None:
            figures.add("hopper: Kendall's tau (%d pairs)" % pairs, value, 0.9, atLeast=True, percent=False)
        for what, key in (("L2", "l2"), ("memory", "dram")):
            moved = [(launch, reports[launch]["details"]["bytes"][key], measured[launch][key + "_bytes"]) for launch, _, _ in hopper
                     if measured[launch][key + "_bytes"] >= MOVED]
            if moved:
                figures.add("%s bytes: mean absolute error (%d)" % (what, len(moved)),
                            statistics.mean(abs(relative(predicted, want)) for _, predicted, want in moved), 0.15)
    for launch, predicted, want in spills:
        flagged = any("will spill" in note for note in reports[launch]["notes"])
        print("  spills: %+.1f %%, %s  %s" % (100 * relative(predicted, want), "flagged" if flagged else "NOT FLAGGED", launch))
    for launch, _, _ in hopper:
        if any("will spill" in note for note in reports[launch]["notes"]):
            print("  flagged as spilling, but does not: %s" % launch)
    small = [(launch, abs(predicted - want) <= max(300, 0.25 * (want - FLOOR)))
             for launch, predicted, want in rows if not launch.startswith("hopper/")]
    if small:
        figures.add("unit/hopper and base: within tolerance (%d of %d)" % (sum(good for _, good in small), len(small)),
                    sum(good for _, good in small) / len(small), 0.8, atLeast=True)
    if not arguments.sample and not arguments.names and figures.missed:
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
