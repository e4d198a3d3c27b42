#!/usr/bin/env python3
"""How long tlx-verify takes, and where its time goes.

    bench_verify.py [--kernels N] [--timeout SECONDS] [--slowest N] [--jobs N] [--check] [NAME...]

Runs one process per file, as many at a time as there are cores, over kernels/ and the corpus (ttir and ttgir), and
prints the start-up time of an empty kernel, the median, the slowest with the shares of encoding,
Z3 and executing a BUG's run, and the largest memory. Times are of the processor, so that a busy
machine does not count. --check exits with 1 when a target of TARGETS is missed.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import statistics
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "tests", "corpus"))
import corpus  # noqa: E402
import pytlx  # noqa: E402

# (what, part of the path or None for all, how the times are reduced, seconds)
TARGETS = (
    ("Hopper GEMM", "hopper/matmul_kernel_tlx_ws-", max, 0.1),
    ("median over the corpus", None, statistics.median, 0.3),
    ("Blackwell attention forward", "blackwell/attn_fwd_ws-", max, 2.0),
    ("Blackwell attention backward", "blackwell/attn_bwd_ws-", max, 10.0),
    ("any kernel", None, max, 60.0),
)
START_UP = 0.060
MEMORY = 1 << 30
EMPTY = 'module attributes {"ttg.num-warps" = 4 : i32} {\n  tt.func public @empty() {\n    tt.return\n  }\n}\n'


def measure(command):
    """(output, processor seconds, peak bytes) of one process."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out:
        child = os.posix_spawn(command[0], command, os.environ, file_actions=[
            (os.POSIX_SPAWN_DUP2, out.fileno(), 1), (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)])
        _, _, usage = os.wait4(child, 0)
        out.seek(0)
        return out.read(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def startUp(tool):
    with tempfile.NamedTemporaryFile("w", suffix=".ttir", encoding="utf-8") as file:
        file.write(EMPTY)
        file.flush()
        return min(measure([tool, file.name])[1] for _ in range(5))


def kernels(sample, names):
    paths = sorted(glob.glob(os.path.join(pytlx.SOURCE, "kernels", "*", "*.mlir")))
    if pytlx.shared():
        folder = corpus.root()
        found = [path for path in corpus.files(folder, ("ttir", "ttgir"))
                 if not path.startswith(("base" + os.sep, "bugs" + os.sep))]
        paths += [os.path.join(folder, path) for path in found]
    paths = [path for path in paths if not names or any(name in path for name in names)]
    if sample and sample < len(paths):
        paths = [paths[i * len(paths) // sample] for i in range(sample)]
    return paths


def short(path):
    return os.sep.join(path.split(os.sep)[-3:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernels", type=int, default=0, help="that many, spread evenly (default: all)")
    parser.add_argument("--timeout", type=int, default=60)
    parser.add_argument("--slowest", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="so many files at a time")
    parser.add_argument("--check", action="store_true", help="fail when a target is missed")
    parser.add_argument("names", nargs="*", help="only paths that contain one of these")
    arguments = parser.parse_args()
    tool = corpus.need("tlx-verify")

    starting = startUp(tool)  # on its own, before the others need the cores
    paths, rows = kernels(arguments.kernels, arguments.names), []
    commands = [[tool, "--json", "--no-cache", "--timeout", str(arguments.timeout), path] for path in paths]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        measured = list(pool.map(measure, commands))
    for path, (text, seconds, memory) in zip(paths, measured):
        try:
            results = json.loads(text)["results"]
        except ValueError:
            print("%s: no result" % short(path))
            continue
        phases = {name: sum(result["phases"][name] for result in results) for name in ("encode", "solver", "explore")}
        judging = sum(result["seconds"] for result in results)
        shares = {name: spent / max(judging, 1e-9) for name, spent in phases.items()}
        rows.append((seconds, memory, path, "+".join(result["verdict"] for result in results), shares))
    if not rows:
        print("error: no kernel was measured")
        return 1
    missed = 0

    def judge(what, value, limit, unit, scale=1):
        nonlocal missed
        missed += value > limit
        print("%-42s %8.3f %s  (target %g)%s" % (what, value / scale, unit, limit / scale, "" if value <= limit else "  MISSED"))

    judge("start-up, an empty kernel", starting, START_UP, "s")
    for what, part, reduce, limit in TARGETS:
        times = [row[0] for row in rows if part is None or part in row[2]]
        if times:
            judge(what, reduce(times), limit, "s")
    judge("largest memory", max(row[1] for row in rows), MEMORY, "MiB", 1 << 20)
    print("\n%d files; slowest:\n%8s %7s %7s %7s %7s  %-8s %s" % (
        len(rows), "seconds", "encode", "Z3", "explore", "MiB", "verdict", "file"))
    for seconds, memory, path, verdict, shares in sorted(rows, reverse=True)[:arguments.slowest]:
        percent = ["%5.0f %%" % (100 * shares[name]) for name in ("encode", "solver", "explore")]
        print("%8.2f %7s %7s %7s %7.0f  %-8s %s" % (seconds, *percent, memory / (1 << 20), verdict, short(path)))
    return 1 if arguments.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
