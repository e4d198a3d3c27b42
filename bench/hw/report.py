#!/usr/bin/env python3
"""A page of Markdown from what bench/hw/measure.py wrote, or of correctness alone where nothing was timed.

    report.py FOLDER...      a part that several folders have is taken from the last"""
import json
import math
import os
import sys

PARTS = ("values", "time", "libraries", "accuracy", "memcheck", "racecheck", "repeat", "start")


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


def ratioCell(ratio):
    return "%.3f" % ratio if ratio else ""


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
        compare = [them / mine if them else None for them in (theirs and theirs["us"], other)]
        for column, ratio in zip(ratios, compare):
            column += [ratio] if ratio else []
        print("| %s | %s | %s | %s | %s | %s | %s |" % (size, cell(own), cell(compiled), cell(theirs), "%.2f" % other if other else "", *map(ratioCell, compare)))
    print("| geometric mean | | | | | %s | %s |" % tuple(ratioCell(geomean(column)) if column else "" for column in ratios))
    return ratios


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


def times(found):
    measured = found["time"]["result"]
    libraries = found.get("libraries", {"result": {}})["result"]
    print("%s; started %s. Versions: %s." % (found["time"]["machine"]["gpu"], found["time"]["machine"]["date"],
          ", ".join("%s %s" % v for v in libraries.get("versions", {}).items())))
    overall = {"gemm": ([], []), "attention": ([], [])}
    for group in dict.fromkeys(r["group"] for r in measured):
        rows = [r for r in measured if r["group"] == group]
        if group == "every kernel":
            everyKernel(rows)
        else:
            ratios = compared(group, rows, libraries.get(group, {}), "cuDNN" if group.startswith("attention") else "cuBLAS")
            for column, more in zip(overall[group.split()[0]], ratios):
                column += more
    print("\n## All sizes\n\nGeometric means of the ratios above: fbtriton / ours, and the library / ours.\n\n| | fbtriton / ours | library / ours |\n|---|---:|---:|")
    for name, columns in overall.items():
        print("| %s | %s |" % (name, " | ".join("%.3f of %d" % (geomean(c), len(c)) if c else "" for c in columns)))


def main():
    found = {}
    for folder in sys.argv[1:]:
        for part in PARTS:
            path = os.path.join(folder, part + ".json")
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    found[part] = json.load(file)
    if "time" in found:
        times(found)
    else:
        print("; ".join(sorted({row["machine"]["gpu"] for row in found.values()})) + ".")
    print("\n## Correctness\n")
    if "values" in found:
        for level, row in found["values"]["result"].items():
            print("* values from `.%s`: of %d launches, %d with code of its own, all as the chip computed them from fbtriton's code, but %s" % (
                level, row["launches"], row["ran"], "; ".join("%s (%s)" % (name, v["verdict"]) for name, v in row["odd"].items()) or "none"))
    if "accuracy" in found:
        print("\nOur own kernels against float64, next to PyTorch in the kernel's type:\n\n| kernel | largest error | PyTorch's | mean square's root | PyTorch's |\n|---|---:|---:|---:|---:|")
        for name, row in found["accuracy"]["result"].items():
            print("| %s | %.3g | %.3g | %.3g | %.3g |" % (name, row["ours"]["largest"], row["library"]["largest"], row["ours"]["rms"], row["library"]["rms"]))
        print()
    for tool in ("memcheck", "racecheck"):
        if tool in found:
            counts = {}
            for row in found[tool]["result"]:
                key = {"packages": "ours", "recorded": "fbtriton's"}[row["code"]], row["verdict"]
                counts[key] = counts.get(key, 0) + 1
            print("* %s: %s" % (tool, ", ".join("%s %s %d" % (who, verdict, n) for (who, verdict), n in sorted(counts.items()))))
    if "repeat" in found:
        good = [row for row in found["repeat"]["result"] if row["says"].endswith("wrote the same bytes")]
        print("* 200 launches: the same bytes from %d of %d machine codes" % (len(good), len(found["repeat"]["result"])))
    if "start" in found:
        print("* start: a process that only opens the GPU takes %(driver_ms).0f ms, a whole run of tlx-run %(run_ms).0f ms" % found["start"]["result"])


if __name__ == "__main__":
    main()
