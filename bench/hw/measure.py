#!/usr/bin/env python3
"""Everything that is measured on a real GPU, in one run, from a folder that bench/hw/prepare.py filled.

    measure.py [--out DIR] [--only PART]...     parts: values, time, libraries, accuracy, memcheck, racecheck, repeat, start

One process at a time while times are taken; variants of a case follow each other, round after round.
Writes DIR/<part>.json and prints a summary."""
import argparse
import concurrent.futures
import ctypes
import json
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
JOBS = 8
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


def values():
    out = {}
    ttgirOfHopper = ["hopper/attn", "hopper/ikbo", "hopper/layer", "hopper/matmul"]
    for level, names in (("ttir", []), ("ttgir", ttgirOfHopper)):
        path = os.path.join(tempfile.gettempdir(), "values-%s.json" % level)
        code, text, err = capture([sys.executable, at("gpu_values.py"), "--level", level, "--packages", at("packages"),
                                   "--jobs", str(JOBS), "--json", path, *names], timeout=240)
        print("values", level, "exit", code)
        print("\n".join(line[:220] for line in (text + err).splitlines()))
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                out[level] = {l: v for l, v in json.load(file).items() if v["verdict"] not in ("same", "close")}
    return out


def times():
    with open(at("cases.json"), encoding="utf-8") as file:
        cases = json.load(file)
    groups = {}
    for case in cases:
        groups.setdefault((case["group"], case["size"]), []).append(case)
    for (group, size), variants in groups.items():
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
    """The Hopper kernels' smallest launches."""
    folder = at("shared/corpus/hopper")
    for name in sorted(os.listdir(folder)):
        launches = [f for f in os.listdir(os.path.join(folder, name)) if f.startswith("launch") and f.endswith(".json")]

        def size(file):
            with open(os.path.join(folder, name, file), encoding="utf-8") as handle:
                pending, total = list(json.load(handle)["args"]), 0
            while pending:
                argument = pending.pop()
                pending += argument.get("items", [])
                elements = 1
                for extent in argument.get("shape", []):
                    elements *= extent
                total += elements
            return total
        yield name, "shared/corpus/hopper/%s/%s" % (name, min(launches, key=size))


def sanitize(tool, seconds):
    sanitizer = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if not os.path.exists(sanitizer):
        print("%s: no compute-sanitizer here" % tool)
        return {}

    def one(case):
        name, manifest, prefix = case
        code, out, err = capture([sanitizer, "--tool", tool, "--error-exitcode", "99", RUN, "--device", "cuda", at(prefix % name),
                                  "--manifest", at(manifest), "--timeout", str(seconds), "--json"], timeout=seconds)
        lines = [l for l in (out + err).splitlines() if l.startswith("=========")]
        return name, prefix, code, [l[:200] for l in lines if "ERROR SUMMARY" in l or "RACECHECK SUMMARY" in l or "Error" in l or "Invalid" in l][-6:]
    prefixes = ["packages/ttir_hopper_%s.tlxk"] + (["recorded/hopper_%s.tlxk"] if tool == "racecheck" else [])
    cases = [(name, manifest, prefix) for name, manifest in smallest() for prefix in prefixes]
    out, counts = [], {}
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for name, prefix, code, lines in pool.map(one, cases):
            kind = prefix.split("/")[0]
            verdict = {0: "clean", None: "timeout"}.get(code, "reports" if code == 99 else "exit %s" % code)
            counts[kind, verdict] = counts.get((kind, verdict), 0) + 1
            out.append({"kernel": name, "code": kind, "verdict": verdict, "lines": lines})
    for (kind, verdict), count in sorted(counts.items()):
        print("%-10s %-9s %-8s %d" % (tool, kind, verdict, count))
    for row in out:
        if row["verdict"] not in ("clean", "timeout"):
            print("   ", row["kernel"], row["code"], row["verdict"], row["lines"][-1:] if row["lines"] else "")
    return out


def repeat():
    def one(case):
        name, manifest = case
        report = launch("packages/ttir_hopper_%s.tlxk" % name, manifest, "--repeat", "199", timeout=90)
        return name, report if isinstance(report, str) else report["notes"][-1]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        out = dict(pool.map(one, smallest()))
    good = [n for n, v in out.items() if v.endswith("launches wrote the same bytes")]
    print("repeat: %d of %d kernels wrote the same bytes 200 times" % (len(good), len(out)))
    for name, text in out.items():
        if name not in good:
            print("   ", name, text)
    return out


def start():
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


PARTS = {"values": values, "repeat": repeat, "start": start, "time": times, "libraries": lambda: script("libraries.py"), "accuracy": lambda: script("accuracy.py", HERE),
         "memcheck": lambda: sanitize("memcheck", 60), "racecheck": lambda: sanitize("racecheck", 20)}


def save(path, result):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=".")
    parser.add_argument("--only", action="append", choices=sorted(PARTS))
    options = parser.parse_args()
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        print("SKIP: no NVIDIA driver on this machine")
        return 77
    os.makedirs(options.out, exist_ok=True)
    for name, part in PARTS.items():
        if options.only and name not in options.only:
            continue
        begin = time.perf_counter()
        path = os.path.join(options.out, name + ".json")
        result = {"machine": machine(), "result": part()}
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
