#!/usr/bin/env python3
"""The simulator's values over the corpus: against an H200, what the kernels' own tests expect, and float64.

    sim_values.py [--levels ttgir] [--compiled] [--timeout SECONDS] [--largest CTAS] [--sample N] [--list]
                  [--families FILE] [NAME...]

For each launch with recorded results, per storage: "exact" where all bytes agree, "close" where
floats agree within the tolerance, "differs" otherwise; a launch counts by its worst storage. A
record of a storage that the launch only reads is "no output": it was captured from a reference that
returns its input, and says nothing about what the kernel writes. Integers must be exact. Tolerances: those recorded; for the H200's values, which another correct
implementation need not meet to the last bit, an error of a few roundings of the type relative to
the storage's root mean square. Launches without a record are compared with float64 references where
their kind has one (references.py), with a smaller launch of our own where smaller.py makes one; others need to run clean. So are those whose record does not follow
from what the manifest says of the inputs (CONTRADICTED). With --compiled the simulator runs the .ttgir that tlx-compile makes
of the level (Hopper launches only). With --families a table tells what each kernel's values were compared with. Exit code 1 when a launch
differs or fails.
"""
import argparse
import hashlib
import json
import os
import sys
import tempfile
import time

import numpy as np

import corpus
import launch_data
import references
import smaller

# Attention backward with M, which an earlier kernel computes, captured as zeros.
CONTRADICTED = {"blackwell/attn_bwd_ws-%s" % launch for launch in (
    "2b4d6b/launch-2x512", "81a997/launch-2x1024", "87ae2d/launch-2x1024", "cf0939/launch-2x1024", "d0f1c7/launch-2x512")}

# Largest error over root mean square of the storage, and of each element.
LOOSE = {"f16": 2.0**-8, "bf16": 2.0**-6, "f32": 2.0**-9, "f64": 2.0**-30, "f8E4M3FN": 2.0**-3, "f8E5M2": 2.0**-2}
HOPPER = ("hopper/", "unit/hopper/", "base/")
ORDER = ("no output", "no reference", "exact", "close", "differs", "failed")


def toFloat(array, dtype):
    if dtype == "bf16":
        return (array.view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if dtype.startswith("f8"):
        return array.view(np.uint8).astype(np.float64)  # compared as codes
    return array.astype(np.float64)


def compare(array, wanted):
    """(grade, detail) of one storage."""
    dtype = wanted["dtype"]
    if "sha256" in wanted and hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest() == wanted["sha256"]:
        return "exact", ""
    flat = array.ravel()
    if "numel" in wanted and flat.size != wanted["numel"]:
        return "differs", "%d elements, wanted %d" % (flat.size, wanted["numel"])
    got = flat[np.array(wanted["index"])] if "index" in wanted else flat[:len(wanted["values"])]
    if dtype[0] in "iu":
        bad = np.flatnonzero(got.astype(object) != np.array(wanted["values"], dtype=object))
        return ("differs", "%d of %d integers" % (bad.size, got.size)) if bad.size else ("exact" if "sha256" not in wanted else "differs", "elsewhere")
    reference = np.array([float(value) for value in wanted["values"]])
    got = toFloat(got, dtype)
    same = (got == reference) | (np.isnan(got) & np.isnan(reference))
    finite = np.isfinite(reference)
    scale = np.sqrt(np.mean(reference[finite] ** 2)) if finite.any() else 0.0
    if "atol" in wanted:
        allowed = wanted["atol"] + wanted["rtol"] * np.abs(reference)
    else:
        allowed = LOOSE[dtype] * np.maximum(np.abs(reference), scale)
    with np.errstate(invalid="ignore"):
        error = np.where(same, 0.0, np.abs(got - reference))
        bad = ~same & ~(error <= allowed)
    detail = "%s: largest error %.3g, root mean square of values %.3g" % (dtype, np.nanmax(error) if error.size else 0, scale)
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        return "differs", "%s; %d of %d too far, first: %g, wanted %g" % (detail, int(bad.sum()), bad.size, got[first], reference[first])
    return "close", detail


def compareWithReference(array, dtype, wanted, allowed):
    """(grade, detail) of one storage; what exceeds f16 may be infinite."""
    got = launch_data.toFloat(array, dtype).ravel()
    if got.size != wanted.size:
        return "differs", "%d elements, wanted %d" % (got.size, wanted.size)
    with np.errstate(invalid="ignore"):
        error = np.where(got == wanted, 0.0, np.abs(got - wanted))
        bad = ~(error <= allowed) & ~((dtype == "f16") & (np.abs(wanted) > 65504) & np.isinf(got))
    if bad.any():
        return "differs", "%s: %d of %d too far, first: %g, wanted %g" % (dtype, bad.sum(), bad.size, got[bad][0], wanted[bad][0])
    return "close", "%s: largest error %.3g, root mean square of values %.3g" % (dtype, error.max(), np.sqrt(np.mean(wanted**2)))


def judgeByReference(manifest, out):
    """(grade, cause, detail)"""
    launch = launch_data.Launch(manifest)
    known = references.reference(launch)
    if known is None:
        return "no reference", "", ""
    arguments = {str(a["storage"]): a for a in reversed(launch.arguments("tensordesc", "pointer"))}
    worst, why = "exact", ""
    for storage, (wanted, allowed, *seen) in known.items():
        file = os.path.join(out, storage + ".npy")
        # A storage that holds what it held before is not written out.
        array = np.load(file) if os.path.exists(file) else launch.initial(arguments[storage])
        dtype = seen[0] if seen else arguments[storage]["dtype"]
        grade, detail = compareWithReference(array.view(launch_data.STORAGE[dtype]), dtype, wanted, allowed)
        if ORDER.index(grade) > ORDER.index(worst):
            worst, why = grade, "storage %s: %s" % (storage, detail)
    return worst, "differs" if worst == "differs" else "", why


def unrecorded(root, most):
    """{launch: None} of launches of at most so many CTAs that no record tells of."""
    known = set().union(*(recorded(root, source) for source in ("h200-values", "expected-values")))
    found = {}
    for path, _, files in os.walk(root):
        for file in files:
            launch = os.path.relpath(os.path.join(path, file), root)[:-len(".json")]
            if not file.startswith("launch") or not file.endswith(".json") or launch in known or launch.startswith("bugs"):
                continue
            with open(os.path.join(path, file), encoding="utf-8") as text:
                manifest = json.load(text)
            if np.prod(manifest["grid"]) <= most or smaller.kind(manifest):
                found[launch] = None
    return found


def readOnly(manifest, storage):
    """Whether a storage holds data before the launch: an output starts as zeros."""
    with open(manifest, encoding="utf-8") as file:
        pending = list(json.load(file)["args"])
    while pending:
        argument = pending.pop()
        pending += argument.get("items", [])
        if str(argument.get("storage")) == storage and argument["data"].get("fill") != "zeros":
            return True
    return False


def judge(task):
    """(grade, cause, detail, seconds)"""
    tool, compiler, root, launch, level, wanted, timeout = task
    manifest = os.path.join(root, launch + ".json")
    folder, name = os.path.split(launch)
    stem = name if os.path.exists(os.path.join(root, folder, name + "." + level)) else "kernel"
    path = os.path.join(root, folder, stem + "." + level)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as out:
        if wanted is None:
            manifest = smaller.make(manifest, out) or manifest
        if compiler:
            made = os.path.join(out, "made.ttgir")
            done = corpus.run([compiler, path, "--manifest", manifest, "--emit", "ttgir", "-o", made], timeout=timeout)
            if done.code != 0:
                return "failed", "not compiled", done.error or "", time.monotonic() - started
            path = made
        done = corpus.run([tool, "--device", "sim", path, "--manifest", manifest, "--functional-only", "--save-outputs", out],
                          timeout=60 * timeout, processor=timeout)
        seconds = time.monotonic() - started
        if done.code != 0:
            message = (done.error or "").split("error: ", 1)[-1]
            return "failed", "failed: " + message[:120], done.error or "", seconds
        if wanted is None:
            return *judgeByReference(manifest, out), seconds
        worst, why = "no output", ""
        for storage, record in wanted.items():
            file = os.path.join(out, storage + ".npy")
            if not os.path.exists(file):
                grade, detail = ("no output", "") if "sha256" not in record and readOnly(manifest, storage) else (
                    "differs", "not written")
            else:
                grade, detail = compare(np.load(file), record)
            if ORDER.index(grade) > ORDER.index(worst):
                worst, why = grade, "storage %s: %s" % (storage, detail)
    return worst, "differs" if worst == "differs" else "", why, seconds


def recorded(root, source):
    """{launch: {storage: record}}"""
    with open(os.path.join(root, "measured", source + ".json"), encoding="utf-8") as file:
        data = json.load(file)
    if source == "h200-values":
        return {launch: entry["outputs"] for launch, entry in data.items() if entry["deterministic"]}
    return {launch: entry for launch, entry in data.items() if launch not in CONTRADICTED}


def family(root, launch):
    """Folder and kernel."""
    with open(os.path.join(root, launch + ".json"), encoding="utf-8") as file:
        return launch.split("/")[0], json.load(file)["kernel"]


def writeFamilies(root, results, path):
    """A line for each kernel: how many of its runs agreed with what. `results`: {(source, launch, level): grade}"""
    judges = ("the H200", "its own test", "float64", "nothing")
    lines = {}
    for (source, launch, _), grade in results.items():
        line = lines.setdefault(family(root, launch), dict.fromkeys((*judges, "not"), 0))
        if grade in ("differs", "failed"):
            line["not"] += 1
        elif grade in ("no output", "no reference"):
            line["nothing"] += 1
        else:
            line[judges[("h200-values", "expected-values", "references").index(source)]] += 1
    with open(path, "w", encoding="utf-8") as file:
        file.write("| kernel | agree with %s | agree with %s | agree with %s | only run clean | do not |\n|---|---:|---:|---:|---:|---:|\n" % judges[:3])
        for (folder, kernel), line in sorted(lines.items()):
            file.write("| %s `%s` | %s |\n" % (folder, kernel, " | ".join(str(count or "") for count in line.values())))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--levels", default="ttgir")
    parser.add_argument("--compiled", action="store_true", help="run what tlx-compile makes of the level")
    parser.add_argument("--timeout", type=int, default=60, help="seconds of processor time per launch")
    parser.add_argument("--largest", type=int, default=300, help="CTAs of a launch without a record (default: 300)")
    parser.add_argument("--sample", type=int, help="launches of each folder (default: all)")
    parser.add_argument("--list", action="store_true", help="a line for each launch")
    parser.add_argument("--families", metavar="FILE", help="write a table of what each kernel was compared with")
    parser.add_argument("names", nargs="*", help="only launches that contain one of these")
    arguments = parser.parse_args()

    root = corpus.root()
    tool = corpus.need("tlx-run")
    compiler = corpus.need("tlx-compile") if arguments.compiled else None
    status, everything = 0, {}
    for source in ("h200-values", "expected-values", "references"):
        groups = {}
        launches = unrecorded(root, arguments.largest) if source == "references" else recorded(root, source)
        for launch, wanted in sorted(launches.items()):
            if compiler and not launch.startswith(HOPPER):
                continue
            if not arguments.names or any(name in launch for name in arguments.names):
                groups.setdefault(launch.split("/")[0], []).append((launch, wanted))
        if arguments.sample:
            groups = {folder: [group[i * len(group) // min(arguments.sample, len(group))] for i in range(min(arguments.sample, len(group)))]
                      for folder, group in groups.items()}
        tasks = [(tool, compiler, root, launch, level, wanted, arguments.timeout) for group in groups.values()
                 for launch, wanted in group for level in arguments.levels.split(",")]
        if not tasks:
            continue
        results = []
        for task, result in zip(tasks, corpus.asKnown(judge, tasks)):
            results.append(result)
            if arguments.list:
                grade, _, detail, seconds = result
                print("%-8s %6.2f s  %s.%s  %s" % (grade, seconds, task[3], task[4], detail), flush=True)
        everything.update({(source, task[3], task[4]): result[0] for task, result in zip(tasks, results)})
        print("\n%s" % source)
        corpus.table({"%s.%s" % (task[3], task[4]): {result[0]} for task, result in zip(tasks, results)}, ORDER)
        corpus.printCauses([(task[3], cause, detail) for task, (_, cause, detail, _) in zip(tasks, results) if cause], most=60)
        if any(result[0] in ("differs", "failed") for result in results):
            status = 1
    if arguments.families:
        writeFamilies(root, everything, arguments.families)
    return status


if __name__ == "__main__":
    sys.exit(main())
