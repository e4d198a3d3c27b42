#!/usr/bin/env python3
"""fbtriton's own TLX tutorials: are their kernels recorded, and do the tools take what was recorded?

    tutorials.py [--python PYTHON] [--out DIR] [--targets T,...] [--record-only] [--tools-only] [NAME...]

PYTHON needs fbtriton, torch and pytest; TLX_TORCH_PYTHON names it otherwise. Every program of
triton/language/extra/tlx/tutorials runs under the recorder: each test function that is for the target in a pytest of its own, so
that a slow one costs no other, and programs without tests as scripts. A kernel is known by its file and name. It counts as launched
on a target when a launch of it was written, or the recorder says that it was launched without being recorded. Kernels that only a
program which did not come to its end could launch are unknown. tlx-verify must give a verdict on each recorded kernel, BUG on those
of KNOWN_FAULTS alone, and tlx-run simulate it, or still be at it after --timeout seconds: tutorial launches are large. Exit code 1 when fewer than 95 % of the launched
and unknown kernels are recorded, one of the tools refuses what was, or a verdict is wrong.
"""
import argparse
import ast
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

import corpus
import pytlx
import verify_corpus

# Kernels that really have a fault, by file and name, and why. At least one launch must show it.
KNOWN_FAULTS = {
    ("gfx9_gemm/a16w16/v6_loop_unroll/matmul_kernel.py", "v6_loop_unroll"):
        "each wait for the tile that a step reads stands before the next one's copy and leaves it pending, and the last tile is read "
        "without any wait; the machine code has no other wait in between",
    ("blackwell_multi_cta_layernorm_ws_test.py", "kernel_layernorm_multi_cta_ws"):
        "each CTA stores into its peers and signals their barriers with nothing that orders it after their initialisation; the machine "
        "code has no cluster barrier",
    ("fused_attention_ws_device_tma.py", "_attn_bwd"):
        "only .ttgir shows that automatic specialisation leaves the stores of zero to dk and dv in another task than the products into "
        "them: only the last reader waits for those stores, so they may come after the first product",
    ("blackwell-triton-addmm-2cta_test.py", "matmul_2cta_kernel"):
        "tl.dot over two CTAs arrives on the cluster's barrier before each product and never waits for it; the machine code does the same",
}
TARGETS = ("cuda:90", "cuda:100", "hip:gfx950", "hip:gfx1250")
FEWEST = 0.95
TUTORIALS = os.path.join("triton", "language", "extra", "tlx", "tutorials")
# What a program is for, by its path; None: its tests say.
PROGRAM_TARGETS = (("testing/", None), ("blackwell", "cuda:100"), ("fused_attention", "cuda:100"), ("amd", "hip:gfx950"), ("gfx9", "hip:gfx950"))
# The same kernels once more, at many sizes.
PERFORMANCE = "_perf.py"
MANY_SIZES = "more_shapes"
MOST_CASES = "8"
NO_TESTS = 5  # pytest: all tests are deselected
ENDED = "tutorials: came to its end"
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
        self.words = set(re.findall(r"\w+", text))
        tree = ast.parse(text)
        jitted = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and any("jit" in ast.unparse(d) for d in n.decorator_list)}
        inside = {id(name) for node in jitted.values() for name in ast.walk(node)}
        named = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and id(n) not in inside}
        self.launched = [name for name in jitted if name in named]
        self.tests = [n.name for n in tree.body if isinstance(n, ast.FunctionDef) and n.name.startswith("test_") and MANY_SIZES not in n.name]
        self.isScript = "__main__" in text and not self.tests and not path.endswith(PERFORMANCE)
        self.target = next((target for prefix, target in PROGRAM_TARGETS if path.startswith(prefix)), "cuda:90")

    def mayLaunch(self, path):
        """Is this the kernel's file, or does this program name it? Benchmarks load files of folders below their own."""
        return path == self.path or os.path.basename(path)[:-3] in self.words


def programs(root):
    found = [os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root) for name in names if name.endswith(".py")]
    return [Program(root, path) for path in sorted(found)]


class Recording:
    """Runs programs under the recorder, so many at a time, each in a folder of its own below out."""

    def __init__(self, root, out, arguments):
        self.root, self.out, self.arguments = root, out, arguments
        self.pool = concurrent.futures.ThreadPoolExecutor(arguments.jobs)

    def all(self, chosen):
        started = []
        for target in self.arguments.targets.split(","):
            for program in chosen:
                if program.target not in (None, target):
                    continue
                if program.tests:
                    started.append(self.start(self.plan, target, program, ""))
                elif program.isScript:
                    for run, words in enumerate(ARGUMENTS.get(program.path, [[]])):
                        started.append(self.start(self.script, target, program, "." + str(run), words))
        while started:  # a plan's result are tests that it started
            started += started.pop(0).result() or []

    def start(self, work, target, program, suffix, *more):
        folder = os.path.join(self.out, target.replace(":", "_"), re.sub(r"\W", "_", program.path) + suffix)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "log.txt"), "w") as log:
            log.write("tutorials: %s\n" % program.path)
        return self.pool.submit(work, target, program, folder, *more)

    def run(self, folder, label, command):
        """Prints how it ended; returns whether it came to its end: an error may hide launches after it."""
        environment = dict(os.environ, PYTHONPATH=os.path.join(pytlx.SOURCE, "python"), PYTHONDONTWRITEBYTECODE="1")
        with open(os.path.join(folder, "log.txt"), "a") as log:
            try:
                code = subprocess.run([self.arguments.python, "-m", *command], stdout=log, stderr=log, cwd=folder, env=environment,
                                      timeout=self.arguments.record_timeout).returncode
                ended = code in (0, NO_TESTS)
            except subprocess.TimeoutExpired:
                code, ended = "stopped after %d s" % self.arguments.record_timeout, False
            if ended:
                log.write("\n%s\n" % ENDED)
        print("%-70s %s, %d launches" % (label[:70], code, sum(n.endswith(".json") for n in os.listdir(folder))), flush=True)
        return ended

    def pytest(self, target, program, folder, test, *options):
        """One test function, or all of them where test is empty."""
        path = os.path.join(self.root, program.path) + ("::" + test if test else "")
        command = ["pytest", "-p", "tlx_record", "-p", "no:cacheprovider", "--rootdir", folder, "-q", "--tlx-out", folder, "--tlx-target", target,
                   "--tlx-data", "generated", "-k", "not " + MANY_SIZES, *options, path]
        return self.run(folder, " ".join([target, program.path, test or "(plan)"]), command)

    def plan(self, target, program, folder):
        """Starts the tests that are for this target; the others skip themselves."""
        if not self.pytest(target, program, folder, "", "--tlx-first", "1", "--setup-plan"):
            return []
        with open(os.path.join(folder, "log.txt"), encoding="utf-8", errors="replace") as log:
            planned = plannedTests(log.read(), program.tests)
        return [self.start(self.test, target, program, "." + test, test) for test in planned]

    def test(self, target, program, folder, test):
        self.pytest(target, program, folder, test, "--tlx-cover", "--tlx-first", MOST_CASES)

    def script(self, target, program, folder, words):
        self.run(folder, " ".join([target, program.path, *words]),
                 ["tlx_record", "--out", folder, "--target", target, "--data", "generated", os.path.join(self.root, program.path), *words])


def plannedTests(log, tests):
    """Those of the tests that pytest --setup-plan names. Letters of skipped ones may stand directly behind a name."""
    named = re.findall(r"^ +\S*::(test_\w+)", log, re.MULTILINE)
    meant = {max((t for t in tests if re.fullmatch(t + "[sxX]*", name)), key=len, default=None) for name in named}
    return [test for test in tests if test in meant]


def below(path):
    return path.split(TUTORIALS + os.sep)[-1]


def recorded(out, chosen):
    """{(target, file below the tutorials, kernel): stems of its launches}."""
    named = {(program.path, kernel) for program in chosen for kernel in program.launched}
    found = {}
    for folder, _, names in os.walk(out):
        for name in names:
            if not name.endswith(".json"):  # written last: an interrupted program may have left IR alone
                continue
            stem = os.path.join(folder, name[:-len(".json")])
            with open(stem + ".json", encoding="utf-8") as file:
                kernel = json.load(file)["kernel"]
            with open(stem + ".source", encoding="utf-8") as file:
                # Helpers of other files are inlined: of the files that the locations name, the one that has this kernel.
                count = collections.Counter(map(below, re.findall(r'loc\("([^"]+\.py)":\d', file.read())))
            where = next((path for path, _ in count.most_common() if (path, kernel) in named), None)
            if where is not None:
                found.setdefault((os.path.relpath(folder, out).split(os.sep)[0], where, kernel), []).append(stem)
    return found


def logs(out):
    """(target, the program's path, text) of each run."""
    for folder, _, names in os.walk(out):
        if "log.txt" in names:
            with open(os.path.join(folder, "log.txt"), encoding="utf-8", errors="replace") as file:
                text = file.read()
            yield os.path.relpath(folder, out).split(os.sep)[0], text.splitlines()[0].split()[-1], text


def failures(out):
    """{(target, file, kernel): why} of kernels that were launched but not recorded, as the recorder says."""
    found = {}
    for target, _, text in logs(out):
        for kernel, path in re.findall(r"tlx-record: (\w+) of (\S+) was launched, but not recorded", text):
            why = re.search(r"^(?:E +)?((?:\w+\.)*\w*(?:Error|Exception|OutOfResources)\b.*)", text, re.MULTILINE)
            found[target, below(path), kernel] = why.group(1)[:160] if why else "see the log"
    return found


def unfinished(out):
    """{path of a program of which a run did not come to its end: targets}."""
    found = {}
    for target, path, text in logs(out):
        if ENDED not in text:
            found.setdefault(path, set()).add(target)
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


def wrongVerdicts(verdicts):
    """What is wrong with {(file, kernel): verdicts of its launches}, a line each."""
    inCorpus = {name.rsplit("-", 1)[0] for name in verify_corpus.KNOWN_FAULTS}
    wrong = []
    for key, all_ in sorted(verdicts.items()):
        bug = next((verdict for verdict in all_ if verdict.startswith("BUG")), None)
        if bug and key not in KNOWN_FAULTS and key[1].lstrip("_") not in inCorpus:
            wrong.append("false %s: %s: %s" % (bug, *key))
        elif not bug and key in KNOWN_FAULTS:
            wrong.append("known fault missed: %s: %s: %s" % (*key, KNOWN_FAULTS[key]))
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default=os.environ.get("TLX_TORCH_PYTHON", sys.executable))
    parser.add_argument("--out", help="where recordings go, or lie already (default: a temporary folder)")
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--timeout", type=int, default=60, help="seconds for each simulation")
    parser.add_argument("--record-timeout", type=int, default=3600, help="seconds for each test function or script")
    parser.add_argument("--jobs", type=int, default=2, help="so many recordings at a time")
    parser.add_argument("--record-only", action="store_true")
    parser.add_argument("--tools-only", action="store_true", help="judge what --out holds")
    parser.add_argument("names", nargs="*", help="only programs whose path contains one of these")
    arguments = parser.parse_args()
    root = folderOf(arguments.python)
    chosen = [p for p in programs(root) if not arguments.names or any(name in p.path for name in arguments.names)]
    with tempfile.TemporaryDirectory() as temporary:
        out = os.path.abspath(arguments.out or temporary)
        if not arguments.tools_only:
            Recording(root, out, arguments).all(chosen)
        return judge(chosen, out, arguments)


def judge(chosen, out, arguments):
    launches, failed, open_ = recorded(out, chosen), failures(out), unfinished(out)
    named = [(program.path, kernel) for program in chosen for kernel in program.launched]
    missing = {key: why for key, why in failed.items() if key not in launches and key[1:] in named}
    seen = {key[1:] for key in [*launches, *missing]}
    unknown = {key: sorted(set().union(*(open_[p.path] for p in chosen if p.path in open_ and p.mayLaunch(key[0])))) for key in named if key not in seen}
    rows = [(key[1:], stem) for key in sorted(launches) for stem in launches[key]]
    for target in sorted({key[0] for key in [*launches, *missing]}) + [""]:
        done, lost = (sum(key[0].startswith(target) for key in keys) for keys in (launches, missing))
        print("%-12s %d of %d launched kernels recorded" % (target or "all", done, done + lost))
    print("%d launches" % len(rows))
    for key, why in sorted(missing.items()):
        print("not recorded: %s: %s: %s: %s" % (*key, why))
    for key, targets in unknown.items():
        print("%s: %s: %s" % ("unknown, runs for %s did not end" % " ".join(targets) if targets else "not launched", *key))
    lost = len(missing) + sum(map(bool, unknown.values()))
    refused, wrong = 0, []
    if not arguments.record_only:
        verify, run = corpus.need("tlx-verify"), corpus.need("tlx-run")
        results = corpus.forEach(tools, [(verify, run, stem, arguments.timeout) for _, stem in rows], chunk=1)
        verdicts = collections.defaultdict(list)
        for ((path, kernel), stem), (verdict, simulated) in zip(rows, results):
            verdicts[path, kernel].append(verdict)
            print("%-50s %-40s %-30s %s" % (path, os.path.basename(stem), verdict, simulated))
            refused += verdict.startswith("error") or simulated.startswith("exit")
        print("%d of %d launches taken by both tools" % (len(rows) - refused, len(rows)))
        wrong = wrongVerdicts(verdicts)
        print("\n".join(wrong))
    return int(refused > 0 or bool(wrong) or not launches or len(launches) < FEWEST * (len(launches) + lost))


if __name__ == "__main__":
    sys.exit(main())
