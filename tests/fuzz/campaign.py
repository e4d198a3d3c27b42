#!/usr/bin/env python3
"""Runs libFuzzer programs side by side for a while and counts what they did.

    campaign.py --bin FOLDER --out FOLDER [--seconds N] [--cores N] [--runs N] [--ir-seconds N] [TARGET...]

FOLDER of --bin holds fuzz-formats and fuzz-ir. Each core takes the target that is furthest from its
goal (--runs executions of a file format, --ir-seconds processor seconds of an IR target), for five
minutes; the processes of one target share their inputs. The campaign ends when all goals are reached
or after --seconds. --out gets summary.txt, the findings, and corpus/ with the inputs found, from
which the next campaign goes on. Exit status 1: there is a finding.
"""
import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import threading
import time

import kept

HERE = os.path.dirname(os.path.abspath(__file__))
SLICE = 300  # seconds a process runs before its core looks for a target again; each reads all inputs first
FINDINGS = [re.compile(pattern, re.M) for pattern in (
    r"property does not hold: .*", r"^\S+: runtime error: .*", r"^SUMMARY: .*")]
# LLVM's libraries are not instrumented, and mark memory that inlined code does not unmark.
ASAN = "allow_user_poisoning=0:detect_leaks=0"


class Target:
    def __init__(self, program, name, folder, goal):
        self.program, self.name, self.folder, self.goal = program, name, folder, goal
        self.isIr = os.path.basename(program) == "fuzz-ir"
        self.executions = self.coverage = self.longest = 0
        self.seconds = 0.0
        self.running = 0
        self.findings = []

    def progress(self):
        return (self.seconds if self.isIr else self.executions) / self.goal

    def expected(self):
        """The progress when what runs has come to its end, so that cores spread over the targets."""
        rate = 1 if self.isIr else self.executions / self.seconds if self.seconds else 10000
        return self.progress() + self.running * SLICE * rate / self.goal


def targetsOf(folder, runs, irSeconds):
    for program in ("fuzz-formats", "fuzz-ir"):
        path = os.path.join(folder, program)
        if not os.path.exists(path):
            continue
        listed = subprocess.run([path], capture_output=True, text=True, check=True).stdout
        for line in listed.splitlines():
            name, inputs = line.split()
            yield Target(path, name, inputs, irSeconds if program == "fuzz-ir" else runs)


def prepare(target, out):
    """The kept inputs as files, and the words in them as a dictionary."""
    folder = os.path.join(out, "kept", target.name)
    shutil.rmtree(folder, ignore_errors=True)
    kept.unpack(os.path.join(HERE, "corpus", target.folder), folder)
    if target.isIr:
        examples = os.path.join(HERE, "..", "..", "verify", "report", "examples")
        for name in os.listdir(examples):
            shutil.copy(os.path.join(examples, name), folder)
    words = set()
    target.longest = 4096 if target.isIr else 512
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            text = file.read()
        target.longest = max(target.longest, len(text))
        words.update(re.findall(rb"[A-Za-z_!#][A-Za-z0-9_.]{2,30}", text))
    with open(os.path.join(out, target.name + ".dict"), "wb") as file:
        file.write(b"".join(b'"%s"\n' % word for word in sorted(words)))
    os.makedirs(os.path.join(out, "corpus", target.name), exist_ok=True)


def runSlice(target, out, seconds, seed):
    """One process: (executions, processor seconds, edges covered, what it found or None)."""
    path = lambda *names: os.path.join(out, *names)
    command = [
        target.program, "-max_total_time=%d" % seconds, "-seed=%d" % seed, "-max_len=%d" % target.longest,
        "-dict=" + path(target.name + ".dict"), "-timeout=20", "-rss_limit_mb=4096", "-print_final_stats=1",
        "-artifact_prefix=" + path("findings", target.name + "-"), path("corpus", target.name), path("kept", target.name)]
    environment = dict(os.environ, TLX_FUZZ_TARGET=target.name, ASAN_OPTIONS=ASAN, UBSAN_OPTIONS="print_stacktrace=1")
    log = path("findings", "%s-%d.log" % (target.name, seed))
    with open(log, "wb") as file:
        child = subprocess.Popen(command, stdout=file, stderr=file, env=environment)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    with open(log, encoding="utf-8", errors="replace") as file:
        text = file.read()
    number = lambda pattern: int((re.findall(pattern, text, re.M) or ["0"])[-1])
    # The sum at the end is not printed by a process that ended with a finding.
    executions = number(r"stat::number_of_executed_units: (\d+)") or number(r"^#(\d+)\s")
    finding = None
    if child.returncode:
        found = [line for pattern in FINDINGS for line in pattern.findall(text)]
        finding = found[0] if found else "exit status %d" % child.returncode
    else:
        os.remove(log)
    return executions, usage.ru_utime + usage.ru_stime, number(r"cov: (\d+)"), finding


def work(targets, out, deadline, lock, seeds):
    while True:
        with lock:
            open_ = [target for target in targets if target.progress() < 1]
            left = deadline - time.monotonic()
            if not open_ or left < 2:
                return
            target = min(open_, key=Target.expected)
            target.running += 1
            seed = next(seeds)
        executions, seconds, coverage, finding = runSlice(target, out, min(SLICE, left), seed)
        with lock:
            target.running -= 1
            target.executions += executions
            target.seconds += seconds
            target.coverage = max(target.coverage, coverage)
            if finding:
                target.findings.append(finding)


def summary(targets):
    lines = ["%-10s %12s %10s %10s %8s  findings" % ("target", "executions", "cpu s", "per s", "edges")]
    for target in targets:
        lines.append("%-10s %12d %10.0f %10.0f %8d  %d" % (
            target.name, target.executions, target.seconds, target.executions / max(target.seconds, 1e-9),
            target.coverage, len(target.findings)))
    for target in targets:
        for finding in sorted(set(target.findings)):
            lines.append("%s: %d times: %s" % (target.name, target.findings.count(finding), finding))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument("--runs", type=int, default=10_000_000)
    parser.add_argument("--ir-seconds", type=int, default=1800)
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    args = parser.parse_args()
    targets = list(targetsOf(args.bin, args.runs, args.ir_seconds))
    unknown = set(args.targets) - {target.name for target in targets}
    if unknown:
        parser.error("no target is called %s; there are %s" % (
            ", ".join(sorted(unknown)), ", ".join(target.name for target in targets)))
    targets = [target for target in targets if not args.targets or target.name in args.targets]
    os.makedirs(os.path.join(args.out, "findings"), exist_ok=True)
    for target in targets:
        prepare(target, args.out)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    lock = threading.Lock()
    seeds = iter(range(int(time.time()), 1 << 31))
    deadline = time.monotonic() + args.seconds
    threads = [threading.Thread(target=work, args=(targets, args.out, deadline, lock, seeds)) for _ in range(args.cores)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    text = summary(targets)
    with open(os.path.join(args.out, "summary.txt"), "w", encoding="utf-8") as file:
        file.write(text)
    print(text, end="")
    return 1 if any(target.findings for target in targets) else 0


if __name__ == "__main__":
    sys.exit(main())
