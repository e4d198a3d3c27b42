#!/usr/bin/env python3
"""The verifier's traces of the seeded bugs, followed by the simulator.

    replay_bugs.py [--levels ttir,ttgir] [--sample N] [--timeout SECONDS] [--list] [NAME...]

For each seeded kernel that tlx-verify calls a BUG the trace is written and replayed; the replay
must end in the same violation. What is known to be beyond a concrete run is counted apart, with
the reason. Exit code 1 when another replay differs.
"""
import argparse
import json
import os
import sys
import tempfile

import corpus

# What a simulated run does not show, by folder and level.
BEYOND = {
    ("010-warp-skew-on-aliased-tmem", "ttir"): "before layouts are chosen nothing says which warp has which columns",
    ("116-tensormap-rewritten-under-store", "ttir"): "the simulator keeps no account of who reads tensor maps",
    ("116-tensormap-rewritten-under-store", "ttgir"): "the simulator keeps no account of who reads tensor maps",
}


def judge(task):
    """(outcome, detail)"""
    verify, run, folder, level, timeout = task
    kernel = os.path.join(folder, "seeded." + level)
    with open(os.path.join(folder, "bug.json"), encoding="utf-8") as file:
        bug = json.load(file)
    flags = ["--war-proxy=error"] if any("--war-proxy=error" in need for need in bug["needs"]) else []
    with tempfile.TemporaryDirectory() as scratch:
        trace = os.path.join(scratch, "trace.json")
        done = corpus.run([verify, kernel, "--json", "--no-cache", "--manifest", os.path.join(folder, "seeded.json"),
                           "--replay-out", trace, *flags], timeout=timeout)
        if not os.path.exists(trace):
            return "no trace", done.error or "PROVED"
        result = json.loads(done.out)["results"][0]
        done = corpus.run([run, "--device", "sim", kernel, "--replay", trace], timeout=timeout)
    refused = result["class"] == "resources" and done.code == 2  # nothing to follow: it cannot be launched
    said = "%s: %s" % (result["class"], result["message"])
    if refused or "ends in the violation of the trace" in done.out + done.err:
        return "same", said
    known = BEYOND.get((os.path.basename(folder), level))
    note = next((line for line in done.err.splitlines() if "cannot be followed" in line), done.error or "")
    return ("beyond", known) if known else ("differs", said + "\n" + note)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--levels", default="ttir,ttgir")
    parser.add_argument("--sample", type=int, help="that many of them (default: all)")
    parser.add_argument("--timeout", type=int, default=120, help="seconds for each tool")
    parser.add_argument("--list", action="store_true", help="a line for each kernel")
    parser.add_argument("names", nargs="*", help="only bugs whose folder contains one of these")
    arguments = parser.parse_args()

    root = os.path.join(corpus.root(), "bugs")
    verify, run = corpus.need("tlx-verify"), corpus.need("tlx-run")
    tasks = [(verify, run, os.path.join(root, bug), level, arguments.timeout)
             for bug in sorted(os.listdir(root)) for level in arguments.levels.split(",")
             if not arguments.names or any(name in bug for name in arguments.names)]
    if arguments.sample and arguments.sample < len(tasks):
        tasks = [tasks[i * len(tasks) // arguments.sample] for i in range(arguments.sample)]
    results = corpus.forEach(judge, tasks, chunk=2)
    rows, causes = {}, []
    for (_, _, folder, level, _), (outcome, detail) in zip(tasks, results):
        path = "%s/seeded.%s" % (os.path.basename(folder), level)
        rows["bugs/" + path] = {outcome}
        if outcome != "same":
            causes.append((path, outcome, detail))
        if arguments.list:
            print("%-8s %s  %s" % (outcome, path, detail.splitlines()[0]))
    corpus.table(rows, ("same", "beyond", "differs", "no trace"))
    corpus.printCauses(causes, examples=100)
    return 1 if any(outcome == "differs" for outcome, _ in results) else 0


if __name__ == "__main__":
    sys.exit(main())
