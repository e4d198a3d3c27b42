#!/usr/bin/env python3
"""tlx-verify over the corpus: no false BUG on real kernels, every seeded fault found.

    verify_corpus.py [--levels ttir,ttgir] [--timeout SECONDS] [--sample N] [--kernels | --bugs] [--share] [NAME...]

Real kernels count as right when the verdict is PROVED, or BUG where KNOWN_FAULTS has them;
UNKNOWN is counted apart with its reason. Of bugs/, the seeded form must be BUG at the levels that
bug.json names, with a step or note of the trace in its faulty lines, and the fixed form PROVED.
--share says how many of the real kernels with synchronisation are PROVED, and which faults the others have.
Exit code 1 when a verdict is wrong; UNKNOWN alone is no failure.
"""
import argparse
import collections
import json
import os
import re
import sys
import time

import corpus

# Kernels outside bugs/ whose IR really has a fault (confirmed by reading, simulation or the chip), and why: those that the
# corpus's MANIFEST.md lists, ...
LISTED_FAULTS = {
    "add2_warp_specialized_kernel-": "two tasks store different values to the same elements; the chip's results vary",
    "warp_specialized_kernel_with_start_ids-": "two tasks store different values to the same elements; the chip's results vary",
    "remote_copy_kernel-": "CTA 0 copies into CTA 1 with nothing that orders it after CTA 1's initialisation",
    "mul2_clc_multi_cta-": "hangs once a request is granted: the empty count covers every CTA, each arrives on its own barrier only",
    "matmul_kernel_tma_pipelined_blackwell-": "with K < 3 * 64 the prologue still issues three loads, which nobody waits for",
}
# ... those of sizes that are never excluded (one step, an odd count, an empty sequence), ...
SIZE_FAULTS = {
    "matmul_kernel_tlx_ws-5a08e4": "the CTAs of a pair wait for each other in every step: an odd count of tiles hangs",
    "matmul_kernel_tlx_ws-ba7bd8": "the CTAs of a pair wait for each other in every step: an odd count of tiles hangs",
    "matmul_kernel_tlx_ws-e0668e": "the CTAs of a pair wait for each other in every step: an odd count of tiles hangs",
    "attn_fwd_single_q-": "lengths are read from memory, and the first key block is waited for: an empty sequence hangs",
}
# ... and those that only the verifier has shown.
FOUND_FAULTS = {
    "v5_local_prefetch-": "the wait for the tile that a step reads stands before the next one's copy and leaves it pending; the machine "
                          "code has no other wait in between",
    "v8_warp_pipeline-": "the first waves read tiles right behind their own wait for them, but the second waves, one stage behind, "
                         "wait for their part one barrier later; the machine code has no other barrier in between",
    "matmul_2cta_host_tma_kernel-": "only .ttgir shows that tl.dot over two CTAs arrives on the cluster's barrier before each product and "
                                    "never waits for it; the machine code does the same",
}
KNOWN_FAULTS = {**LISTED_FAULTS, **SIZE_FAULTS, **FOUND_FAULTS}


# What stands in the way of a proof of a kernel that is UNKNOWN, and what would prove it.
UNDECIDED = {
    "grouped_matmul_tlx_kernel-": "after two groups without steps (K = 0, which is loaded) the producer makes a tensor map anew that a copy may "
                                  "still read; no run of it is executed, since tile numbers are sums over loaded sizes. With K >= 1 in every "
                                  "group it is PROVED",
}


# Of the faults, the ones that a pass brings in.
FAULTY_AT_TTGIR = ("matmul_2cta_host_tma_kernel-",)


def knownFault(path, known=None):
    """Why a kernel is expected to be BUG, or is in `known`, or nothing."""
    return next((why for name, why in (known or KNOWN_FAULTS).items() if name in path), None)


# Operations that tasks, CTAs or asynchronous work are ordered by, or that are asynchronous.
SYNCHRONISES = re.compile(r"(?<![#!])\b(?:ttg|ttng|tlx|amdg|nvws|gpu|rocdl)\.\w*"
                          r"(?:barrier|wait|commit|arrive|fence|async_|clc|tc_gen5_mma|warp_group_dot|warp_specialize|warp_pipeline)")


def synchronises(text):
    """Whether a module has synchronisation at this level."""
    return SYNCHRONISES.search(text) is not None


SHARE = ("kernels", "PROVED", "BUG listed", "BUG by size", "BUG found", "UNKNOWN", "PROVED share", "of the right")


def share(folder, verdicts):
    """Of real kernels with synchronisation, by level: what SHARE says. `verdicts`: by path in `folder`. The last share leaves
    out the faults that are listed and those of sizes."""
    rows = collections.defaultdict(collections.Counter)
    for path, verdict in verdicts.items():
        if path.startswith("bugs" + os.sep):
            continue
        with open(os.path.join(folder, path), encoding="utf-8") as file:
            if not synchronises(file.read()):
                continue
        kinds = {"BUG listed": LISTED_FAULTS, "BUG by size": SIZE_FAULTS, "BUG found": FOUND_FAULTS}
        if verdict == "BUG":
            verdict = next((kind for kind, names in kinds.items() if any(name in path for name in names)), "BUG unknown")
        level = path.rsplit(".", 1)[1]
        rows[level].update(("kernels", verdict))
    for row in rows.values():
        right = row["kernels"] - row["BUG listed"] - row["BUG by size"]
        row["PROVED share"], row["of the right"] = ("%.1f %%" % (100 * row["PROVED"] / max(n, 1)) for n in (row["kernels"], right))
    return {level: [rows[level][column] for column in SHARE] for level in corpus.LEVELS if level in rows}


# Faults that the lowering repairs below the IR: judged without that contract, and with launches that leave a loop empty
# where the contracts that remain hide the rest.
REPAIRED_BELOW = {"073-two-cta-alloc-before-peer-runs": ("--without", "cluster-sync-after-init"),
                  "115-staging-refill-not-joined": ("--without", "task-barrier-after-store-wait", "--strict")}


def flagsOf(folder, bug):
    """The policy that a bug is judged under; `folder`: its path."""
    proxy = ["--war-proxy=error"] if any("--war-proxy=error" in need for need in bug["needs"]) else []
    return [*proxy, *REPAIRED_BELOW.get(os.path.basename(folder), ())]


# bug.json says more in words than its `level` does.
NOT_AT = {"026-store-then-mma-without-proxy-fence": ("ttgir",), "100-barrier-init-over-live": ("source",)}


def seededLevels(folder, bug):
    """The levels at which the seeded form must be BUG."""
    first = corpus.LEVELS.index(bug["level"])
    return [level for level in corpus.LEVELS[first:] if level not in NOT_AT.get(folder, ())]


def linesOf(result):
    """Every source line that a result's trace names."""
    places = [result.get("location")] + [step.get("location") for step in result.get("trace", ())]
    return {place.get("line") for place in places if place}


def judge(task):
    """(verdict, cause or "", detail, seconds, what the tool said); verdict is right, wrong, unknown or error."""
    tool, root, path, timeout = task
    folder, name = os.path.split(path)
    stem = name.rsplit(".", 1)[0]
    flags, bug = [], None
    if path.startswith("bugs" + os.sep):
        with open(os.path.join(root, folder, "bug.json"), encoding="utf-8") as file:
            bug = json.load(file)
        flags = ["--manifest", os.path.join(root, folder, stem + ".json"), *flagsOf(folder, bug)]
    started = time.monotonic()
    done = corpus.run([tool, os.path.join(root, path), "--json", "--no-cache", "--timeout", str(timeout), *flags], timeout=timeout * 3 + 60)
    seconds = time.monotonic() - started
    try:
        results = json.loads(done.out)["results"]
        verdicts = {result["verdict"] for result in results}
    except (ValueError, KeyError):
        return "error", (done.error or "no JSON")[:160], "", seconds, None
    if not results:
        return "error", "no result", "", seconds, None
    verdict = "BUG" if "BUG" in verdicts else "UNKNOWN" if "UNKNOWN" in verdicts else "PROVED"
    result = next(result for result in results if result["verdict"] == verdict)
    return (*opinion(path, bug, result), seconds, {key: result[key] for key in ("verdict", "class", "reason", "message")})


def opinion(path, bug, result):
    """(right, wrong or unknown; cause or ""; detail) of the result that counts."""
    verdict, folder = result["verdict"], os.path.dirname(path)
    stem, level = os.path.basename(path).rsplit(".", 1)
    detail = "%s%s: %s" % (verdict, "(%s)" % result["class"] if result.get("class") else "", result.get("message", ""))
    if verdict == "UNKNOWN":
        return "unknown", "UNKNOWN: " + str(result.get("reason")), detail
    if bug is None:
        known = knownFault(path)
        if known and level != "ttgir" and any(name in path for name in FAULTY_AT_TTGIR):
            known = None
        if (verdict == "BUG") == (known is not None):
            return "right", "", ""
        return "wrong", "known fault missed: " + known if known else "false BUG(%s)" % result.get("class"), detail
    if stem == "fixed" or bug["class"].startswith("none"):
        return ("right", "", "") if verdict == "PROVED" else ("wrong", "fixed form is BUG", detail)
    if level not in seededLevels(os.path.basename(folder), bug):
        return "right", "", ""
    if verdict == "PROVED":
        return "wrong", "missed", "wanted %s" % bug["class"]
    if not linesOf(result) & set(bug["faulty_lines"]):
        return "wrong", "trace names no faulty line", "%s; lines %s, wanted one of %s" % (
            detail, sorted(line for line in linesOf(result) if line), bug["faulty_lines"])
    return "right", "", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--levels", default="source,ttir,ttgir")
    parser.add_argument("--timeout", type=int, default=60, help="seconds per kernel")
    parser.add_argument("--sample", type=int, help="files of each folder and level (default: all)")
    parser.add_argument("--kernels", action="store_true", help="only real kernels")
    parser.add_argument("--bugs", action="store_true", help="only bugs/")
    parser.add_argument("--share", action="store_true", help="how many kernels with synchronisation are PROVED, by level")
    parser.add_argument("--slowest", type=int, default=5, help="how many slow files to list")
    parser.add_argument("--out", help="write what the tool said of each file as JSON (scripts/verify_docs.py reads it)")
    parser.add_argument("names", nargs="*", help="only paths that contain one of these")
    arguments = parser.parse_args()

    root = corpus.root()
    tool = corpus.need("tlx-verify")
    paths = [path for path in corpus.files(root, arguments.levels.split(","), arguments.sample, arguments.names)
             if not (arguments.bugs and not path.startswith("bugs")) and not (arguments.kernels and path.startswith("bugs"))]
    results = corpus.forEach(judge, [(tool, root, path, arguments.timeout) for path in paths])
    if arguments.out:
        with open(arguments.out, "w", encoding="utf-8") as file:
            json.dump({path: result[4] for path, result in zip(paths, results) if result[4]}, file, indent=1, sort_keys=True)
    corpus.table({path: {result[0]} for path, result in zip(paths, results)}, ("right", "wrong", "unknown", "error"))
    corpus.printCauses([(path, cause, detail) for path, (_, cause, detail, *_) in zip(paths, results) if cause], most=60)
    if arguments.share:
        print("\nkernels with synchronisation\n%-7s" % "level" + "".join("%14s" % column for column in SHARE))
        for level, row in share(root, {path: result[4]["verdict"] for path, result in zip(paths, results) if result[4]}).items():
            print("%-7s" % level + "".join("%14s" % value for value in row))
    seconds = sorted((result[3], path) for path, result in zip(paths, results))
    if seconds:
        print("\nmedian %.2f s; slowest:" % seconds[len(seconds) // 2][0])
        for time_, path in seconds[::-1][:arguments.slowest]:
            print("  %7.2f s  %s" % (time_, path))
    return 1 if not paths or any(result[0] in ("wrong", "error") for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
