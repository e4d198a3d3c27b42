#!/usr/bin/env python3
"""What simulated runs report about the seeded bugs, and about their repaired forms.

    sim_bugs.py [--levels ttgir] [--seeds N] [--first SEED] [--timeout SECONDS] [--list] [NAME...]

A seeded kernel runs first in first out, adversarially and under random schedules until one run
reports something; a repaired one runs under all of them and must stay clean. A bug is not counted
at a level where its record says that it cannot be seen, nor when its record says that both forms
are right, nor when it shows only under a policy that a run does not have. Exit code 1 when a bug
is missed or a repaired kernel reported.
"""
import argparse
import json
import os
import sys

import corpus

SEEDED, FIXED = "seeded", "fixed"


def visible(bug, level):
    """Whether a concrete run of this level can show the bug."""
    if bug["class"].startswith("none") or any("policy" in need for need in bug.get("needs", [])):
        return False
    if level == "ttgir":
        return not bug.get("ttgir_note") or bug["level"] == "ttgir"
    return corpus.LEVELS.index(level) >= corpus.LEVELS.index(bug["level"])


def judge(task):
    """[(schedule, exit code, first message)] of the runs with findings."""
    tool, folder, form, level, schedules, timeout = task
    seen = []
    for schedule in schedules:
        done = corpus.run([tool, "--device", "sim", os.path.join(folder, form + "." + level), "--manifest",
                           os.path.join(folder, form + ".json"), "--functional-only", "--race-check", "--threads", "1",
                           "--schedule", schedule], timeout=timeout)
        if done.code != 0:
            seen.append((schedule, done.code, (done.error or "").split("error: ", 1)[-1]))
            if form == SEEDED:
                break
    return seen


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--levels", default="ttgir")
    parser.add_argument("--seeds", type=int, default=5, help="random schedules of each kernel")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--timeout", type=int, default=60, help="seconds per run")
    parser.add_argument("--list", action="store_true", help="a line for each kernel")
    parser.add_argument("names", nargs="*", help="only bugs whose folder contains one of these")
    arguments = parser.parse_args()

    root = os.path.join(corpus.root(), "bugs")
    tool = corpus.need("tlx-run")
    schedules = ["fifo", "adversarial"] + ["random:%d" % (arguments.first + i) for i in range(arguments.seeds)]
    tasks = []
    for bug in sorted(os.listdir(root)):
        if arguments.names and not any(name in bug for name in arguments.names):
            continue
        for level in arguments.levels.split(","):
            for form in (SEEDED, FIXED):
                if os.path.exists(os.path.join(root, bug, form + "." + level)):
                    tasks.append((tool, os.path.join(root, bug), form, level, schedules, arguments.timeout))
    results = corpus.forEach(judge, tasks, chunk=1)

    rows, causes = {}, []
    for (_, folder, form, level, _, _), seen in zip(tasks, results):
        bug = os.path.basename(folder)
        with open(os.path.join(folder, "bug.json"), encoding="utf-8") as file:
            record = json.load(file)
        counts = visible(record, level)
        # What cannot be launched at all is refused.
        broken = next((run for run in seen if run[1] not in ((1, 2) if form == SEEDED else (1,))), None)
        if broken:
            outcome = "failed"
        elif form == SEEDED:
            outcome = "reported" if seen else "missed" if counts else "invisible"
        else:
            outcome = "false report" if seen else "clean"
        rows["%s/%s.%s" % (form, bug, level)] = {outcome}
        what = "%s: %s" % (seen[0][0], seen[0][2]) if seen else record["class"]
        if outcome in ("failed", "missed", "false report"):
            causes.append(("%s/%s.%s" % (bug, form, level), outcome, what))
        if arguments.list:
            print("%-12s %s/%s.%s  [%s] %s" % (outcome, bug, form, level, record["class"], what))
    corpus.table(rows, ("reported", "missed", "invisible", "clean", "false report", "failed"))
    corpus.printCauses(causes, most=10, examples=100)
    return 1 if causes else 0


if __name__ == "__main__":
    sys.exit(main())
