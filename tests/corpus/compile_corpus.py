#!/usr/bin/env python3
"""Compiles the corpus's kernels for Hopper and prints, by folder, how many have a lowering and how
many of those ptxas accepts; then what is missing, by cause.

    compile_corpus.py [--level ttir] [--resources] [--sample N] [--jobs N] [NAME...]

A NAME is a folder of the corpus (hopper, unit/hopper, base) or part of a kernel's path. With
--resources each kernel's registers, stack bytes and spills stand beside those of the recorded
cubin, and serialised wgmma (C7510) is named. Exit status 1 when a kernel that lowers is refused. At
--level ttir the layouts are chosen here, with the manifest's launch parameters."""
import argparse
import collections
import concurrent.futures
import glob
import os
import re
import subprocess
import sys

import corpus

FOLDERS = ("hopper", "unit/hopper", "base")


def numbersOf(text):
    """Registers, stack bytes and spill bytes from ptxas -v or cuobjdump --dump-resource-usage."""
    def one(pattern):
        found = [int(n) for n in re.findall(pattern, text)]
        return max(found) if found else 0
    registers = one(r"Used (\d+) registers") or one(r"REG:(\d+)")
    stack = one(r"(\d+) bytes stack frame") or one(r"STACK:(\d+)")
    return registers, stack, one(r"(\d+) bytes spill stores")


def compileOne(job):
    folder, path, tool = job
    manifest = sorted(glob.glob(os.path.join(os.path.dirname(path), "launch*.json")))[0]
    made = subprocess.run([tool, path, "--manifest", manifest, "--emit", "cubin", "--resources", "-o", os.devnull],
                          capture_output=True, text=True, errors="replace", timeout=300)
    error = made.stderr.strip() if made.returncode else ""
    lowered = not made.returncode or "refused the generated code" in error
    return folder, path, lowered, made.returncode, error, made.stderr


def causeOf(error):
    line = next((l for l in error.splitlines() if "error" in l), error or "no message")
    line = re.sub(r"^.*?error: ", "", line)
    return re.sub(r"\d+", "N", line)[:110]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=[])
    parser.add_argument("--level", default="ttgir", choices=("source", "ttir", "ttgir"))
    parser.add_argument("--resources", action="store_true")
    parser.add_argument("--sample", type=int, default=0, help="every Nth kernel")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    root = corpus.root()
    tool = corpus.need("tlx-compile")
    jobs = []
    for folder in FOLDERS:
        for name in sorted(os.listdir(os.path.join(root, folder))):
            path = os.path.join(root, folder, name, "kernel." + options.level)
            wanted = not options.names or any(n == folder if n in FOLDERS else n in folder + "/" + name
                                              for n in options.names)
            if wanted and os.path.exists(path):
                jobs.append((folder, path, tool))
    if options.sample:
        jobs = jobs[::options.sample]
    counts = collections.defaultdict(lambda: [0, 0, 0])
    causes = collections.defaultdict(list)
    refused = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for folder, path, lowered, status, error, log in pool.map(compileOne, jobs):
            name = os.path.basename(os.path.dirname(path))
            row = counts[folder]
            row[0] += 1
            row[1] += lowered
            row[2] += status == 0
            if status:
                causes[causeOf(error)].append(folder + "/" + name)
                refused += lowered
            elif options.resources:
                registers, stack, spills = numbersOf(log)
                warning = " C7510" if "C7510" in log else ""
                print("%-60s registers %3d stack %4d spills %4d%s" % (folder + "/" + name, registers, stack, spills, warning))
    print("%-14s %7s %7s %9s" % ("folder", "kernels", "lowers", "ptxas ok"))
    for folder, (total, lowers, accepted) in counts.items():
        print("%-14s %7d %7d %9d" % (folder, total, lowers, accepted))
    for cause, names in sorted(causes.items(), key=lambda item: -len(item[1])):
        print("%4d  %s   (%s)" % (len(names), cause, names[0]))
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
