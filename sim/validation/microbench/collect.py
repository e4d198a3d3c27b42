#!/usr/bin/env python3
"""Joins what run.sh left into one table: collect.py RESULTS > h200.csv

Columns: figure, case, value, unit; figures that a profiler counted have a row for each counter.
"""
import csv
import json
import os
import sys

FILES = ("Barriers", "Clusters", "Pipes", "Functions", "Memory", "Access", "Wgmma", "Tma")
PROFILED = {"Launches": ("sm__cycles_elapsed.max", "sm__cycles_active.avg"),
            "Traffic": ("lts__t_bytes.sum", "dram__bytes.sum", "sm__cycles_elapsed.max"),
            "TrafficBySource": ("lts__t_sectors_srcunit_tex.sum", "lts__t_sectors_srcunit_ltcfabric.sum")}
NOT_PROFILED = ("gpc", "placement")


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.startswith("{")]


def counters(path):
    with open(path, encoding="utf-8") as file:
        table = list(csv.reader(line for line in file if line.startswith('"')))
    return [dict(zip(table[0], row)) for row in table[2:]]  # the second line holds units


def main():
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(("figure", "case", "value", "unit"))
    for name in FILES:
        for line in lines(os.path.join(sys.argv[1], name + ".jsonl")):
            out.writerow((line["figure"], line["case"], "%g" % line["value"], line["unit"]))
    for name, wanted in PROFILED.items():
        found = lines(os.path.join(sys.argv[1], name + ".jsonl"))
        if name == "Traffic":
            for line in found:
                if line["figure"] in NOT_PROFILED:
                    out.writerow((line["figure"], line["case"].strip(), "%g" % line["value"], line["unit"]))
        found = [line for line in found if line["figure"] not in NOT_PROFILED]
        rows = counters(os.path.join(sys.argv[1], name + ".csv"))
        if len(rows) != len(found):
            sys.exit("error: %s: %d lines, %d rows" % (name, len(found), len(rows)))
        for line, row in zip(found, rows):
            for counter in wanted:
                value = float(row[counter].replace(",", ""))
                out.writerow((line["figure"], "%s (%d %s)" % (line["case"], line["value"], line["unit"]), "%.10g" % value, counter))
    return 0


if __name__ == "__main__":
    sys.exit(main())
