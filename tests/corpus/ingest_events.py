#!/usr/bin/env python3
"""Ingest keeps the program's protocol: `tlx-opt --tlx-ingest kernel.source` has the same
synchronisation and memory events per task, in order, as the corpus's kernel.ttir (events.py).

    ingest_events.py [--sample N] [--names-only | --identical] [NAME...]

--names-only compares operation names alone; --identical compares the whole modules, every
operation, operand, attribute and type in order (normalise.py). Exit code 1 when fewer than 98 % of the files agree.
"""
import argparse
import os
import sys

import corpus
import events
import normalise
import roundtrip

# .source and .ttir of these differ by construction of the bug (bug.json: level ttir).
BY_DESIGN = ("bugs/098", "bugs/100")


def launchOf(path):
    """The launch manifest beside a .source, or None."""
    folder, stem = os.path.split(path)
    stem = stem.rsplit(".", 1)[0]
    found = sorted(name for name in os.listdir(folder)
                   if name.endswith(".json") and (name == stem + ".json" or stem == "kernel" and name.startswith("launch")))
    return os.path.join(folder, found[0]) if found else None


def judge(task):
    """(agrees, cause, detail)"""
    tool, path, names_only, identical = task
    manifest = launchOf(path)
    done = corpus.run([tool, path, "--tlx-ingest", *(["--manifest", manifest] if manifest else [])])
    if done.error:
        return False, roundtrip.cause(done.error), done.error
    with open(path.rsplit(".", 1)[0] + ".ttir", encoding="utf-8") as file:
        text = file.read()
    if identical:
        difference = normalise.firstDifference(normalise.contents(text), normalise.contents(done.out))
        if difference is None:
            return True, "", ""
        _, x, y = difference
        return False, "text: " + roundtrip.operation(x) + " / " + roundtrip.operation(y), "- %s\n+ %s" % (
            x.strip()[:400], y.strip()[:400])
    wanted = events.eventsOf(text)
    got = events.eventsOf(done.out)
    if names_only:
        for tasks in (wanted, got):
            for name in tasks:
                tasks[name] = [(where, event.split()[0]) for where, event in tasks[name]]
    for name in sorted(set(wanted) | set(got)):
        a, b = wanted.get(name, []), got.get(name, [])
        for i in range(max(len(a), len(b))):
            x = a[i] if i < len(a) else ("", "(nothing)")
            y = b[i] if i < len(b) else ("", "(nothing)")
            if x != y:
                what = x[1].split()[0] + " / " + y[1].split()[0]
                return False, "events: " + what, "%s, event %d\n- %s: %s\n+ %s: %s" % (
                    name, i, x[0], x[1][:400], y[0], y[1][:400])
    return True, "", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, help="files of each folder (default: all)")
    parser.add_argument("--names-only", action="store_true", help="compare operation names alone")
    parser.add_argument("--identical", action="store_true", help="compare whole modules")
    parser.add_argument("names", nargs="*", help="only paths that contain one of these")
    arguments = parser.parse_args()

    root = corpus.root()
    tool = corpus.need("tlx-opt")
    paths = corpus.files(root, levels=("source",), sample=arguments.sample, names=arguments.names)
    results = corpus.forEach(judge, [(tool, os.path.join(root, path), arguments.names_only, arguments.identical)
                                     for path in paths])
    by_design = {path for path in paths if path.startswith(BY_DESIGN)}
    corpus.table({path: ({"agrees"} if ok else set()) | ({"by design"} if path in by_design else set())
                  for path, (ok, _, _) in zip(paths, results)}, ("agrees", "by design"))
    corpus.printCauses([(path, why, detail) for path, (ok, why, detail) in zip(paths, results)
                        if not ok and path not in by_design])
    counted = [ok for path, (ok, _, _) in zip(paths, results) if path not in by_design]
    print(("\nmodules are identical" if arguments.identical else "\nevents agree") + ": %d of %d files (%.2f %%)" % (sum(counted), len(counted), 100 * sum(counted) / max(len(counted), 1)))
    return 0 if counted and sum(counted) >= 0.98 * len(counted) else 1


if __name__ == "__main__":
    sys.exit(main())
