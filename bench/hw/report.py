#!/usr/bin/env python3
"""A page of Markdown from what bench/hw/measure.py wrote.

    report.py FOLDER...      a part that several folders have is taken from the last"""
import json
import math
import os
import sys

PARTS = ("values", "time", "libraries", "memcheck", "racecheck", "repeat", "start")


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def best(rows, prefix):
    """The fastest variant of a kind."""
    return min((r for r in rows if r["variant"].startswith(prefix) and r["us"]), key=lambda r: r["us"], default=None)


def cell(row):
    if not row:
        return ""
    rate = ", %.0f TFLOP/s" % row["tflops"] if row["tflops"] else ""
    return "%.2f us%s (%s)" % (row["us"], rate, row["variant"].split(" ", 1)[-1])


def compared(title, rows, libraries, library):
    """Products and attention by size: ours, fbtriton's, the library's."""
    print("\n## %s\n" % title)
    print("| size | own kernel | tlx-compile | fbtriton | %s, us | fbtriton / ours | %s / ours |\n|---|---|---|---|---:|---:|---:|" % (library, library))
    ratios = [], []
    for size in dict.fromkeys(r["size"] for r in rows):
        here = [r for r in rows if r["size"] == size]
        own, compiled, theirs = best(here, "own"), best(here, "compiled"), best(here, "fbtriton")
        mine = min(r["us"] for r in (own, compiled) if r)
        other = libraries.get(size)
        ratios[0].append(theirs["us"] / mine)
        if other:
            ratios[1].append(other / mine)
        print("| %s | %s | %s | %s | %s | %.3f | %s |" % (size, cell(own), cell(compiled), cell(theirs), "%.2f" % other if other else "",
              ratios[0][-1], "%.3f" % ratios[1][-1] if other else ""))
    print("| geometric mean | | | | | %.3f | %.3f |" % (geomean(ratios[0]), geomean(ratios[1])))


def everyKernel(rows):
    print("\n## Every Hopper kernel of the corpus\n")
    print("From `.ttir`, one round, against fbtriton's recorded machine code.\n\n| kernel | tlx-compile, us | fbtriton, us | fbtriton / ours |\n|---|---:|---:|---:|")
    ratios = []
    for name in dict.fromkeys(r["size"] for r in rows):
        ours, theirs = (best([r for r in rows if r["size"] == name], v) for v in ("compiled", "fbtriton"))
        if ours and theirs:
            ratios.append(theirs["us"] / ours["us"])
            print("| %s | %.2f | %.2f | %.3f |" % (name, ours["us"], theirs["us"], ratios[-1]))
    print("| geometric mean of %d | | | %.3f |" % (len(ratios), geomean(ratios)))


def main():
    found = {}
    for folder in sys.argv[1:]:
        for part in PARTS:
            path = os.path.join(folder, part + ".json")
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    found[part] = json.load(file)
    times = found["time"]["result"]
    libraries = found.get("libraries", {"result": {}})["result"]
    print("%s; started %s. Versions: %s." % (found["time"]["machine"]["gpu"], found["time"]["machine"]["date"],
          ", ".join("%s %s" % v for v in libraries.get("versions", {}).items())))
    for group in dict.fromkeys(r["group"] for r in times):
        rows = [r for r in times if r["group"] == group]
        if group == "every kernel":
            everyKernel(rows)
        else:
            compared(group, rows, libraries.get(group, {}), "cuDNN" if group.startswith("attention") else "cuBLAS")
    print("\n## Correctness\n")
    if "values" in found:
        for level, odd in found["values"]["result"].items():
            print("* values from `.%s`: all as the chip computed them from fbtriton's code, but %s" % (
                level, "; ".join("%s (%s)" % (name, v["verdict"]) for name, v in odd.items()) or "none"))
    for tool in ("memcheck", "racecheck"):
        if tool in found:
            counts = {}
            for row in found[tool]["result"]:
                key = {"packages": "ours", "recorded": "fbtriton's"}[row["code"]], row["verdict"]
                counts[key] = counts.get(key, 0) + 1
            print("* %s: %s" % (tool, ", ".join("%s %s %d" % (who, verdict, n) for (who, verdict), n in sorted(counts.items()))))
    if "repeat" in found:
        good = [v for v in found["repeat"]["result"].values() if v.endswith("wrote the same bytes")]
        print("* 200 launches: the same bytes in %d of %d kernels" % (len(good), len(found["repeat"]["result"])))
    if "start" in found:
        print("* start: a process that only opens the GPU takes %(driver_ms).0f ms, a whole run of tlx-run %(run_ms).0f ms" % found["start"]["result"])


if __name__ == "__main__":
    main()
