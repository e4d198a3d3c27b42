#!/usr/bin/env python3
"""Runs compiled kernels on this machine's GPU and compares what they write with what the same chip
computed from the recorded machine code: integers and copies exactly, floats to a tolerance.

    gpu_values.py [--level ttir] [--packages DIR] [--jobs N] [--json OUT] [NAME...]

Names are parts of launches. Kernels are compiled from their .ttgir, or the level named; with --packages they
were compiled before, into DIR/<level>_<kernel>.tlxk with underscores for slashes.

Skips, with a message, where there is no GPU or no corpus."""
import argparse
import collections
import concurrent.futures
import ctypes
import json
import os
import sys
import tempfile

import corpus

# Largest error relative to the largest value: sums in another order differ by this much.
TOLERANCE = {"f64": 1e-12, "f32": 1e-5, "f16": 2e-3, "bf16": 1.6e-2}


def float8(name):
    import numpy
    exponent, mantissa, bias = (4, 3, 7) if name == "f8E4M3FN" else (5, 2, 15)
    values = numpy.zeros(256)
    for byte in range(256):
        e, m = (byte >> mantissa) & ((1 << exponent) - 1), byte & ((1 << mantissa) - 1)
        if name == "f8E4M3FN" and byte & 0x7F == 0x7F:
            value = numpy.nan
        elif name == "f8E5M2" and e == 31:
            value = numpy.nan if m else numpy.inf
        elif e == 0:
            value = m / 2**mantissa * 2.0**(1 - bias)
        else:
            value = (1 + m / 2**mantissa) * 2.0**(e - bias)
        values[byte] = -value if byte >> 7 else value
    return values


def asFloats(array, dtype):
    import numpy
    if dtype == "bf16":
        return (array.astype(numpy.uint32) << 16).view(numpy.float32).astype(numpy.float64)
    if dtype in ("f8E4M3FN", "f8E5M2"):
        return float8(dtype)[array]
    return array.astype(numpy.float64)


def compareStorage(array, wanted):
    """None when it agrees, else what is wrong."""
    import numpy
    got, dtype = array.ravel(), wanted["dtype"]
    if "index" in wanted:
        got = got[numpy.array(wanted["index"])]
    if not (dtype.startswith("f") or dtype == "bf16"):
        bad = int((got.astype(numpy.int64) != numpy.array(wanted["values"]).astype(numpy.int64)).sum())
        return "%d of %d differ" % (bad, len(got)) if bad else None
    got = asFloats(got, dtype)
    expected = numpy.array([float("nan") if v is None else float(v) for v in wanted["values"]])
    finite = numpy.isfinite(got) & numpy.isfinite(expected)
    same = (got == expected) | (numpy.isnan(got) & numpy.isnan(expected))
    if (~same & ~finite).any():
        return "infinities or NaN in other places"
    scale = max(float(numpy.abs(expected[finite]).max(initial=0)), 1e-30)
    error = float(numpy.abs(got - expected)[finite].max(initial=0)) / scale
    return "relative error %.2e" % error if error > TOLERANCE.get(dtype, 0.13) else None


class Campaign:
    def __init__(self, folder, level, packages):
        self.folder, self.level = folder, level
        self.compiler = None if packages else corpus.need("tlx-compile")
        self.tool = corpus.need("tlx-run")
        with open(os.path.join(folder, "measured", "h200-values.json"), encoding="utf-8") as file:
            self.measured = json.load(file)
        self.temporary = tempfile.TemporaryDirectory()
        self.packages = packages or self.temporary.name

    def package(self, kernel, manifest):
        """The path of the compiled kernel, or an error."""
        path = os.path.join(self.packages, "%s_%s.tlxk" % (self.level, kernel.replace("/", "_")))
        if os.path.exists(path):
            return path, None
        if not self.compiler:
            return None, "there is no " + path
        source = os.path.join(self.folder, kernel, "kernel." + self.level)
        made = corpus.run([self.compiler, source, "--manifest", manifest, "-o", path], timeout=300)
        return (None, made.error) if made.error else (path, None)

    def judge(self, launch):
        """(launch, verdict, detail); verdicts: same, close, differs, fails, no code, varies."""
        import numpy
        kernel, name = launch.rsplit("/", 1)
        manifest = os.path.join(self.folder, kernel, name + ".json")
        path, error = self.package(kernel, manifest)
        if error:
            return launch, "no code", error
        with tempfile.TemporaryDirectory() as out:
            done = corpus.run([self.tool, "--device", "cuda", path, "--manifest", manifest, "--json", "--save-outputs", out])
            if done.error:
                return launch, "fails", done.error
            outputs, wanted = json.loads(done.out)["outputs"], self.measured[launch]
            if all(s in outputs and outputs[s]["sha256"] == w["sha256"] for s, w in wanted["outputs"].items()):
                return launch, "same", ""
            for storage, expected in wanted["outputs"].items():
                if storage not in outputs:
                    return launch, "differs", "storage %s was not written" % storage
                problem = compareStorage(numpy.load(os.path.join(out, storage + ".npy")), expected)
                if problem:
                    verdict = "differs" if wanted.get("deterministic", True) else "varies"
                    return launch, verdict, "storage %s: %s" % (storage, problem)
        return launch, "close", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--level", default="ttgir", choices=corpus.LEVELS)
    parser.add_argument("--packages")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--json")
    options = parser.parse_args()
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        print("SKIP: no NVIDIA driver on this machine")
        return corpus.SKIP
    campaign = Campaign(corpus.root(), options.level, options.packages)
    launches = [l for l in campaign.measured if not options.names or any(n in l for n in options.names)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(campaign.judge, launches))
    table = collections.defaultdict(collections.Counter)
    for launch, verdict, detail in results:
        table[launch.rsplit("/", 2)[0]][verdict] += 1
        if detail:
            print("%s: %s: %s" % (launch, verdict, detail))
    for folder, counts in table.items():
        print("%-14s %s" % (folder, ", ".join("%d %s" % (n, v) for v, n in sorted(counts.items()))))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({l: {"verdict": v, "detail": d} for l, v, d in results}, file, indent=1)
    return 1 if any(v in ("differs", "fails") for _, v, _ in results) else 0


if __name__ == "__main__":
    sys.exit(main())
