#!/usr/bin/env python3
"""fbtriton's own TLX tutorials: are their kernels recorded, and do the tools take what was recorded?

    tutorials.py [--python PYTHON] [--out DIR] [--targets T,...] [--record-only] [--tools-only] [NAME...]

PYTHON needs fbtriton, torch and pytest; TLX_TORCH_PYTHON names it otherwise. Every program of
triton/language/extra/tlx/tutorials runs under the recorder: those with tests under pytest (where
those are for several targets, once for each: they skip what is not for it), the others as scripts. A kernel counts as recorded when a
launch of it was written; what no program launches does not count. tlx-verify must give a verdict on each recorded kernel, and tlx-run
simulate it, or still be at it after --timeout seconds: tutorial launches are large. Exit code 1 when
fewer than 95 % of the kernels are recorded or one of the tools refuses what was.
"""
import argparse
import ast
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import corpus
import pytlx

TARGETS = ("cuda:90", "cuda:100", "hip:gfx950", "hip:gfx1250")
FEWEST = 0.95
TUTORIALS = os.path.join("triton", "language", "extra", "tlx", "tutorials")
# What a program is for, by its path; None: its tests say.
PROGRAM_TARGETS = (("testing/", None), ("blackwell", "cuda:100"), ("fused_attention", "cuda:100"), ("amd", "hip:gfx950"), ("gfx9", "hip:gfx950"))
# The same kernels once more, at many sizes.
PERFORMANCE = "_perf.py"
MANY_SIZES = "more_shapes"
MOST_CASES = "8"
# What scripts are run with, where their own sizes are for a benchmark; several lists are several runs.
ARGUMENTS = {
    "gfx9_gemm/a16w16/bench.py": [["--version", str(v), "--providers", "tlx", "--shape", "512x512x256", "--compile-workers", "0"] for v in range(10)],
    "gfx9_gemm/inter_wave/a16w16/bench.py": [["--shape", "512", "512", "512"], ["--shape", "256", "256", "4096"]],
    "gfx9_gemm/intra_wave/a4w4/bench.py": [["--shape", "512x512x1024", "--compile-workers", "0"]],
}


def folderOf(python):
    """Where the tutorials lie; ends the program when that Python lacks something."""
    probe = "import importlib.util as u, torch, pytest, triton.language.extra.tlx as t; print(t.__path__[0])"
    done = subprocess.run([python, "-c", probe], capture_output=True, text=True)
    if done.returncode != 0:
        print("SKIP: %s cannot import fbtriton, torch and pytest; TLX_TORCH_PYTHON names one that can" % python)
        sys.exit(corpus.SKIP)
    return os.path.join(done.stdout.strip(), "tutorials")


class Program:
    """A Python file of the tutorials. launched: its jitted functions that code on the host names."""

    def __init__(self, root, path):
        self.path = path
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        tree = ast.parse(text)
        jitted = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and any("jit" in ast.unparse(d) for d in n.decorator_list)}
        inside = {id(name) for node in jitted.values() for name in ast.walk(node)}
        named = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and id(n) not in inside}
        self.launched = [name for name in jitted if name in named]
        self.hasTests = any(isinstance(n, ast.FunctionDef) and n.name.startswith("test_") for n in tree.body)
        self.isScript = "__main__" in text and not self.hasTests and not path.endswith(PERFORMANCE)
        self.target = next((target for prefix, target in PROGRAM_TARGETS if path.startswith(prefix)), "cuda:90")


def programs(root):
    found = [os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root) for name in names if name.endswith(".py")]
    return [Program(root, path) for path in sorted(found)]


def record(python, root, program, target, out, timeout, run, words):
    """Runs one program under the recorder with these arguments, for the run-th time; prints how it ended."""
    folder = os.path.join(out, target.replace(":", "_"), re.sub(r"\W", "_", program.path) + (str(run) if run else ""))
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(root, program.path)
    if program.hasTests:
        command = [python, "-m", "pytest", "-p", "tlx_record", "-p", "no:cacheprovider", "--rootdir", folder, "-q", "--tlx-out", folder, "--tlx-target", target,
                   "--tlx-cover", "--tlx-first", MOST_CASES, "-k", "not " + MANY_SIZES, "--tlx-data", "generated", path]
    else:
        command = [python, "-m", "tlx_record", "--out", folder, "--target", target, "--data", "generated", path, *words]
    environment = dict(os.environ, PYTHONPATH=os.path.join(pytlx.SOURCE, "python"), PYTHONDONTWRITEBYTECODE="1")
    with open(os.path.join(folder, "log.txt"), "w") as log:
        try:
            code = subprocess.run(command, stdout=log, stderr=log, cwd=folder, env=environment, timeout=timeout).returncode
        except subprocess.TimeoutExpired:
            code = "stopped after %d s" % timeout
    print("%-12s %-55s %s, %d launches" % (target, " ".join([program.path, *words])[:55], code, sum(n.endswith(".json") for n in os.listdir(folder))), flush=True)


def recorded(out, root):
    """{(file below the tutorials, kernel): stems of its launches}."""
    found = {}
    for folder, _, names in os.walk(out):
        for name in names:
            if not name.endswith(".ttir"):
                continue
            stem = os.path.join(folder, name[:-len(".ttir")])
            with open(stem + ".json", encoding="utf-8") as file:
                kernel = json.load(file)["kernel"]
            with open(stem + ".source", encoding="utf-8") as file:
                where = functionFile(file.read(), root)
            found.setdefault((where.split(TUTORIALS + os.sep)[-1], kernel), []).append(stem)
    return found


def functionFile(text, root):
    """The file of the tutorials that the kernel's locations name most often; helpers of other files are inlined here and there."""
    count = collections.Counter(re.findall(r'loc\("([^"]+\.py)":\d', text))
    return next((path for path, _ in count.most_common() if os.path.exists(os.path.join(root, path.split(TUTORIALS + os.sep)[-1]))), "")


def failures(out):
    """Names of kernels that were launched but not recorded, as the recorder says."""
    found = set()
    for folder, _, names in os.walk(out):
        if "log.txt" in names:
            with open(os.path.join(folder, "log.txt"), encoding="utf-8", errors="replace") as file:
                found |= set(re.findall(r"tlx-record: (\w+) was launched, but not recorded", file.read()))
    return found


def tools(task):
    """(verdict or error, simulation or error) of one launch."""
    verify, run, stem, timeout = task
    done = corpus.run([verify, stem + ".ttgir", "--manifest", stem + ".json", "--json", "--no-cache", "--timeout", "60"], timeout=300)
    try:
        result = json.loads(done.out)["results"][0]
        verdict = result["verdict"] + ("(%s)" % result["class"] if result["class"] else "") + (" " + result["reason"] if result["reason"] else "")
    except (ValueError, KeyError, IndexError):
        verdict = "error: " + str(done.error)
    done = corpus.run([run, "--device", "sim", "--timing-only", stem + ".ttgir", "--manifest", stem + ".json", "--json", "--threads", "1"], timeout=timeout)
    if done.code == 0:
        simulated = "%.1f us" % (json.loads(done.out)["ns"] / 1000)
    else:
        simulated = "still running" if "no answer within" in done.error else "exit %d: %s" % (done.code, done.error)
    return verdict, simulated


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default=os.environ.get("TLX_TORCH_PYTHON", sys.executable))
    parser.add_argument("--out", help="where recordings go, or lie already (default: a temporary folder)")
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--timeout", type=int, default=60, help="seconds for each simulation")
    parser.add_argument("--record-timeout", type=int, default=3600, help="seconds for each program")
    parser.add_argument("--record-only", action="store_true")
    parser.add_argument("--tools-only", action="store_true", help="judge what --out holds")
    parser.add_argument("names", nargs="*", help="only programs whose path contains one of these")
    arguments = parser.parse_args()
    root = folderOf(arguments.python)
    chosen = [p for p in programs(root) if not arguments.names or any(name in p.path for name in arguments.names)]
    with tempfile.TemporaryDirectory() as temporary:
        out = os.path.abspath(arguments.out or temporary)
        if not arguments.tools_only:
            for target in arguments.targets.split(","):
                for program in chosen:
                    if (program.hasTests or program.isScript) and program.target in (None, target):
                        for run, words in enumerate(ARGUMENTS.get(program.path, [[]])):
                            record(arguments.python, root, program, target, out, arguments.record_timeout, run, words)
        return judge(chosen, recorded(out, root), failures(out), arguments)


def judge(chosen, launches, failed, arguments):
    named = [(program.path, kernel) for program in chosen for kernel in program.launched]
    wanted = [key for key in named if key in launches or key[1] in failed]
    missing = [key for key in wanted if key not in launches]
    rows = [(key, stem) for key in wanted for stem in launches.get(key, ())]
    print("\n%d of %d kernels recorded, in %d launches" % (len(wanted) - len(missing), len(wanted), len(rows)))
    for path, kernel in named:
        if (path, kernel) not in launches:
            print("%s: %s: %s" % ("not recorded" if (path, kernel) in missing else "not launched", path, kernel))
    refused = 0
    if not arguments.record_only:
        verify, run = corpus.need("tlx-verify"), corpus.need("tlx-run")
        results = corpus.forEach(tools, [(verify, run, stem, arguments.timeout) for _, stem in rows], chunk=1)
        for ((path, kernel), stem), (verdict, simulated) in zip(rows, results):
            print("%-50s %-40s %-30s %s" % (path, os.path.basename(stem), verdict, simulated))
            refused += verdict.startswith("error") or simulated.startswith("exit")
        print("%d of %d launches taken by both tools" % (len(rows) - refused, len(rows)))
    return int(refused > 0 or len(wanted) - len(missing) < FEWEST * len(wanted) or not wanted)


if __name__ == "__main__":
    sys.exit(main())
