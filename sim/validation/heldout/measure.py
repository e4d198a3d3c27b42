#!/usr/bin/env python3
"""Measures recorded launches on a GPU: measure.py DIR OUT.csv

DIR holds what record.py wrote. Each launch is made twice, the second is what counts: warm caches, clocks as they are, as
measured/h200-time.json was made. Needs numpy, ncu, and cuda_launch.py of the shared tools on PYTHONPATH.
"""
import csv
import glob
import os
import subprocess
import sys
import tempfile

COUNTERS = {"cycles": "sm__cycles_elapsed.max", "ns": "gpu__time_duration.sum", "active": "sm__cycles_active.avg",
            "l2_bytes": "lts__t_bytes.sum", "dram_bytes": "dram__bytes.sum", "registers": "launch__registers_per_thread"}
REPEAT = 1 << 20  # elements after which generated data repeats


def launch_all(stems):
    """Two launches of each, in order; says on standard output which were made."""
    import cuda_launch
    import numpy

    whole = cuda_launch.fill

    def repeated(data, dtype, count, folder):
        if not data.get("fill", "").startswith("uniform") or count <= REPEAT:
            return whole(data, dtype, count, folder)
        return numpy.resize(whole(data, dtype, REPEAT, folder), count)

    cuda_launch.fill = repeated
    cuda_launch.init()
    for stem in stems:
        try:
            kernel = cuda_launch.Kernel(stem)
            kernel.upload(kernel.host_buffers())
            for _ in range(2):
                kernel.launch()
                cuda_launch.ck(cuda_launch.cu.cuCtxSynchronize(), "run")
            kernel.free()
            print("MADE", stem, flush=True)
        except cuda_launch.CudaError as error:
            print("FAILED", stem, error, flush=True)
            if "run" in str(error):
                os._exit(3)


def profile(stems):
    """(counters of the second launch of each that was made; those that failed)"""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log.csv")
        command = ["ncu", "--clock-control", "none", "--cache-control", "none", "--csv", "--page", "raw", "--print-units", "base", "--metrics",
                   ",".join(COUNTERS.values()), "--log-file", log, sys.executable, os.path.abspath(__file__), "--launch"]
        done = subprocess.run(command, input="\n".join(stems), capture_output=True, text=True)
        with open(log, encoding="utf-8") as file:
            table = list(csv.reader(line for line in file if line.startswith('"')))
    said = [line.split(" ", 2) for line in done.stdout.splitlines()]
    made = [line[1] for line in said if line[0] == "MADE"]
    failed = {line[1]: line[2] for line in said if line[0] == "FAILED"}
    if not made and not failed:
        print(done.stdout[-1000:], done.stderr[-1000:])
    rows = [dict(zip(table[0], row)) for row in table[2:]] if table else []  # the second line holds units
    return dict(zip(made, rows[1::2])), failed


def main():
    folder, target = sys.argv[1:]
    stems = sorted(path[:-len(".cubin")] for path in glob.glob(os.path.join(folder, "**", "*.cubin"), recursive=True))
    results, failed, pending = {}, {}, stems
    while pending:  # a launch that faults ends its process; the others go on in the next
        made, not_made = profile(pending)
        results.update(made)
        failed.update(not_made)
        if not made and not not_made:
            break
        pending = [stem for stem in pending if stem not in results and stem not in failed]
    with open(target, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["launch", *COUNTERS])
        for stem, row in sorted(results.items()):
            out.writerow([os.path.relpath(stem, folder)] + ["%.0f" % float(row[c].replace(",", "") or 0) for c in COUNTERS.values()])
    for stem, error in failed.items():
        print("failed:", os.path.relpath(stem, folder), error)
    print("%d of %d measured" % (len(results), len(stems)))


if __name__ == "__main__":
    if sys.argv[1:] == ["--launch"]:
        launch_all(sys.stdin.read().split("\n"))
    else:
        main()
