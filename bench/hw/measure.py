#!/usr/bin/env python3
"""Everything that is measured on a real GPU, in one run, from a folder that bench/hw/prepare.py filled.

    measure.py [--out DIR] [--only PART[:SECONDS]]...   parts: values, time, libraries, accuracy, memcheck, racecheck, repeat, start

One process at a time while times are taken; variants of a case follow each other, round after round. What a part has
not begun when its seconds are over is left out: Hopper's kernels come first. Writes DIR/<part>.json, most parts row by
row, and prints a summary."""
import argparse
import collections
import concurrent.futures
import ctypes
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import types

HERE = os.path.dirname(os.path.abspath(__file__))
RUN = os.path.join(HERE, "bin", "tlx-run")
JOBS = os.cpu_count()
LEVELS = ("ttir", "source", "ttgir")
os.environ.update(TLX_SHARED=os.path.join(HERE, "shared"), TLX_BINARY_DIR=HERE)


def at(path):
    return os.path.join(HERE, path)


def capture(command, timeout=60):
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return None, "", "no answer within %d s" % timeout


def launch(package, manifest, *options, timeout=60):
    """The report of a run, or what went wrong."""
    code, out, err = capture([RUN, "--device", "cuda", at(package), "--manifest", at(manifest), "--json", *options], timeout)
    return json.loads(out) if code == 0 else "exit %s: %s" % (code, (err.strip().splitlines() or [""])[0][:200])


def machine():
    query = "name,driver_version,clocks.sm,clocks.max.sm,power.limit"
    return {"gpu": capture(["nvidia-smi", "--query-gpu=" + query, "--format=csv,noheader"])[1].strip(),
            "date": time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())}


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def codeOf(level, launch):
    """The package of a launch, and whether it was made of this level's text, not only of one that gives the same code."""
    name = "%s_%s" % (level, launch.rsplit("/", 1)[0].replace("/", "_"))
    same = load(at("same.json")).get(name)
    return "packages/%s.tlxk" % (same or name), not same


def measured():
    """Hopper's first."""
    launches = load(at("shared/corpus/measured/h200-values.json"))
    return dict(sorted(launches.items(), key=lambda item: "hopper" not in item[0]))


def levels():
    """Those that prepare.py compiled."""
    made = set(os.listdir(at("packages"))) | set(load(at("same.json")))
    return [level for level in LEVELS if any(name.startswith(level + "_") for name in made)]


def inTime(work, cases, end):
    """The results as they come; what has not begun at `end` is left out."""
    def begin(case):
        return work(case) if time.perf_counter() < end else None
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for done in concurrent.futures.as_completed([pool.submit(begin, case) for case in cases]):
            if done.result() is not None:
                yield done.result()


def values(end):
    """What is not as the chip computed it from the recorded code, by level; a machine code runs once."""
    out, known = {}, {}
    for level in levels():
        own, ran = [l for l in measured() if codeOf(level, l)[1]], {}
        path = os.path.join(tempfile.gettempdir(), "values-%s.json" % level)
        if own:
            code, text, err = capture([sys.executable, at("gpu_values.py"), "--level", level, "--packages", at("packages"),
                                       "--jobs", str(JOBS), "--json", path, *own], timeout=min(240, end - time.perf_counter()))
            print("values", level, "exit", code, "launches", len(own))
            print("\n".join(line[:220] for line in (text + err).splitlines()))
            ran = load(path) if os.path.exists(path) else {}
        known.update((codeOf(level, l)[0] + l, v) for l, v in ran.items())
        rows = {l: known.get(codeOf(level, l)[0] + l, {"verdict": "not run", "detail": ""}) for l in measured()}
        out[level] = {"launches": len(rows), "ran": len(ran), "odd": {
            l: v for l, v in rows.items() if v["verdict"] not in ("same", "close")}}
    return out


def times(end):
    cases = load(at("cases.json"))
    groups = {}
    for case in cases:
        groups.setdefault((case["group"], case["size"]), []).append(case)
    for (group, size), variants in groups.items():
        if time.perf_counter() > end:
            return
        samples = {case["variant"]: [] for case in variants}
        for _ in range(variants[0]["rounds"]):
            for case in variants:
                report = launch(case["package"], case["manifest"], "--bench")
                samples[case["variant"]].append(report if isinstance(report, str) else report["measurement"]["median_ns"] / 1e3)
        for case in variants:
            got = samples[case["variant"]]
            good = [g for g in got if not isinstance(g, str)]
            micro = statistics.median(good) if good else None
            row = {"group": group, "size": size, "variant": case["variant"], "us": micro, "rounds": got,
                   "tflops": case["flops"] / micro * 1e-6 if micro and case["flops"] else None}
            print("%-16s %-44s %-34s %10s us %8s TFLOP/s" % (group, size, case["variant"], "%.2f" % micro if micro else got[0][:60],
                  "%.0f" % row["tflops"] if row["tflops"] else ""), flush=True)
            yield row


def script(name, *arguments):
    """What a script with PyTorch prints."""
    code, out, err = capture([sys.executable, at(name), *arguments], timeout=150)
    print(name, "exit", code, err.strip()[-200:] if code else "")
    print(out)
    return json.loads(out) if code == 0 else {"error": err[-500:]}


def smallest():
    """Of each kernel, the launch with the least data."""
    kernels = {}
    for launch in measured():
        pending, total = list(load(at("shared/corpus/%s.json" % launch))["args"]), 0
        while pending:
            argument = pending.pop()
            pending += argument.get("items", [])
            total += math.prod(argument.get("shape", [0]))
        kernels.setdefault(launch.rsplit("/", 1)[0], []).append((total, launch))
    return [min(launches)[1] for launches in kernels.values()]


def sanitize(tool, seconds, launches, end):
    """The sanitizer's verdicts on our code, from each of the levels that gives another code; what it reports there is asked of
    fbtriton's code too."""
    sanitizer = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if not os.path.exists(sanitizer):
        print("%s: no compute-sanitizer here" % tool)
        return

    def check(package, launch):
        code, out, err = capture([sanitizer, "--tool", tool, "--error-exitcode", "99", RUN, "--device", "cuda", at(package),
                                  "--manifest", at("shared/corpus/%s.json" % launch), "--timeout", str(seconds), "--json"], timeout=seconds)
        lines = [l for l in (out + err).splitlines() if l.startswith("=========")]
        lines = [l[:200] for l in lines if "ERROR SUMMARY" in l or "RACECHECK SUMMARY" in l or "Error" in l or "Invalid" in l][-6:]
        verdict = {0: "clean", None: "timeout"}.get(code, "reports" if code == 99 else "exit %s" % code)
        return {"kernel": launch, "package": package, "code": package.split("/")[0], "verdict": verdict, "lines": lines}

    def one(case):
        rows, recorded = [check(*case)], "recorded/%s.tlxk" % case[1].rsplit("/", 1)[0].replace("/", "_")
        if rows[0]["verdict"] != "clean" and os.path.exists(at(recorded)):
            rows.append(check(recorded, case[1]))
        return rows
    counts = collections.Counter()
    for rows in inTime(one, [(codeOf(level, launch)[0], launch) for launch in launches for level in levels() if codeOf(level, launch)[1]], end):
        for row in rows:
            counts[row["code"], row["verdict"]] += 1
            if row["verdict"] != "clean":
                print("   ", row["package"], row["kernel"].rsplit("/", 1)[1], row["verdict"], row["lines"][-1:] if row["lines"] else "")
            yield row
    for (kind, verdict), count in sorted(counts.items()):
        print("%-10s %-9s %-8s %d" % (tool, kind, verdict, count))


def repeat(end):
    """Which codes write the same bytes 200 times, of those whose results do not depend on timing by design."""
    recorded, counts = measured(), collections.Counter()

    def one(case):
        level, name = case
        report = launch(codeOf(level, name)[0], "shared/corpus/%s.json" % name, "--repeat", "199", timeout=60)
        return {"kernel": name, "level": level, "says": report if isinstance(report, str) else report["notes"][-1]}
    for row in inTime(one, [(level, l) for l in smallest() for level in levels() if codeOf(level, l)[1] and recorded[l].get("deterministic", True)], end):
        good = row["says"].endswith("launches wrote the same bytes")
        counts[good] += 1
        if not good:
            print("   ", row["level"], row["kernel"], row["says"])
        yield row
    print("repeat: %d of %d codes wrote the same bytes 200 times" % (counts[True], counts.total()))


def start(_):
    """A whole run of tlx-run, and a process that only opens the GPU and ends: both with what the driver takes to
    start and, when the process ends, to stop."""
    package, manifest = "packages/ttir_base_simple_add-d24d93.tlxk", "shared/corpus/base/simple_add-d24d93/launch.json"
    opening = ("import ctypes\nc=ctypes.CDLL('libcuda.so.1')\nc.cuInit(0)\nd=ctypes.c_int()\nc.cuDeviceGet(ctypes.byref(d),0)\n"
               "x=ctypes.c_void_p()\nc.cuDevicePrimaryCtxRetain(ctypes.byref(x),d)\n")
    actions = {"driver": lambda: capture([sys.executable, "-c", opening]),
               "python": lambda: capture([sys.executable, "-c", "import ctypes"]),
               "run": lambda: launch(package, manifest)}
    taken = {name: [] for name in actions}
    for _ in range(15):
        for name, action in actions.items():
            begin = time.perf_counter()
            action()
            taken[name].append((time.perf_counter() - begin) * 1e3)
    middle = {name: statistics.median(all) for name, all in taken.items()}
    result = {"driver_ms": middle["driver"] - middle["python"], "run_ms": middle["run"]}
    print("start: the driver %(driver_ms).0f ms, tlx-run %(run_ms).0f ms in all" % result)
    return result


PARTS = {"values": values, "repeat": repeat, "start": start, "time": times, "libraries": lambda _: script("libraries.py"), "accuracy": lambda _: script("accuracy.py", HERE),
         "memcheck": lambda end: sanitize("memcheck", 60, measured(), end), "racecheck": lambda end: sanitize("racecheck", 20, smallest(), end)}


def save(path, result):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=".")
    parser.add_argument("--only", action="append", default=[])
    options = parser.parse_args()
    limits = {name: int(seconds or 3600) for name, _, seconds in (only.partition(":") for only in options.only or PARTS)}
    if not limits.keys() <= PARTS.keys():
        parser.error("there is no part '%s'" % "', '".join(limits.keys() - PARTS.keys()))
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        print("SKIP: no NVIDIA driver on this machine")
        return 77
    os.makedirs(options.out, exist_ok=True)
    for name, part in PARTS.items():
        if name not in limits:
            continue
        begin = time.perf_counter()
        path = os.path.join(options.out, name + ".json")
        result = {"machine": machine(), "result": part(begin + limits[name])}
        if isinstance(result["result"], types.GeneratorType):  # what is measured is kept if the machine goes away
            rows, result["result"] = result["result"], []
            for row in rows:
                result["result"].append(row)
                save(path, result)
        save(path, result)
        print("-- %s took %.0f s; %s" % (name, time.perf_counter() - begin, result["machine"]["gpu"]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
