#!/usr/bin/env python3
"""Every command of the documents does what its page says: it runs, in a copy of the tree, with the exit status that the
page leads to, and what stands below a `$ command` is what the command prints."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import pytlx

# What a line of a code block begins with when it is a command.
COMMAND = re.compile(r"(\$ |\./|(build/bin/|scripts/|python3|pip|sudo|apt|ninja|cmake|ctest|cpack|tlx|tlx-env/bin/pip|pytest|sed|git|source|export|mpirun)\b|[A-Z_]+=\S+ )")
# Commands that are not run, by what they begin with, and why.
NOT_RUN = {
    "pip install": "installs packages",
    "python3 -m venv": "installs packages",
    "tlx-env/bin/pip": "installs packages",
    "export TLX_PYTHON": "names what was installed",
    "sudo apt": "installs packages",
    "./scripts/quickstart.sh": "builds the tree; its steps are run by tests of their own",
    "./scripts/test.sh": "is the suite",
    "scripts/package.py": "takes minutes; test_packages.py makes both packages and tries them",
    "scripts/verify_changed.sh": "needs a repository's history; test_ci.py runs it in one",
    "scripts/test-gpu.sh": "needs an NVIDIA GPU",
    "build/bin/tlx-run --device cuda": "needs an NVIDIA GPU",
    "mpirun": "needs OpenMPI; test_run.py runs such a sweep where there is one",
}
# Exit statuses other than 0, by page and beginning.
ENDS_WITH = {
    ("README.md", "build/bin/tlx verify broken.py"): 1,
    ("docs/how-to/from-python.md", "build/bin/tlx verify unwaited.py"): 1,
    ("docs/how-to/read-a-counterexample.md", "build/bin/tlx-verify broken.mlir"): 1,
    ("docs/how-to/read-a-counterexample.md", "build/bin/tlx-run"): 1,
    ("docs/how-to/check-a-kernel.md", "build/bin/tlx-verify mine.ttir --replay-out"): 1,
    ("docs/how-to/check-a-kernel.md", "build/bin/tlx-run --device sim mine.ttir --replay"): 1,
}
NEEDS_FBTRITON = re.compile(r"my_gemm|broken\.py|unwaited\.py|recorded\b|pytest|tlx record|explain report")
GENERATED = ("docs/reference/commands.md", "docs/reference/bug-classes.md", "docs/reference/operations.md", "docs/reference/json.md")
USAGE = ("docs/reference/tlx-verify.md",)  # begins with the tool's usage
FLAGS = re.compile(r"`(?:build/bin/)?tlx[- ](verify|run|opt|compile)\b([^`\n]*)`")


def documents():
    return [path for path in pytlx.trackedFiles("*.md") if path not in GENERATED]


def blocks(text):
    """The indented code blocks of a page, as lists of lines."""
    block = []
    for line in [*text.split("\n"), "end"]:
        if line.startswith("    "):
            block.append(line[4:])
        elif line or not block:
            if block:
                yield block
            block = []


def commands(path):
    """(command, the lines that it is said to print or None)."""
    for block in blocks(pytlx.read(path)):
        if not COMMAND.match(block[0]):
            continue
        shown = block[0].startswith("$ ")
        current = None
        for line in block:
            if line.startswith("$ ") if shown else COMMAND.match(line):
                if current:
                    yield current
                current = (re.sub(r"\s+#.*", "", line.removeprefix("$ ")), [] if shown else None)
            elif shown:
                current[1].append(line)
            else:
                raise AssertionError("%s: is '%s' a command? then COMMAND must know it" % (path, line))
        yield current


class Sandbox:
    """A folder that looks like the tree, with the user's files that pages speak of."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("kernels", "scripts", "tests", "python", "docs"):
            os.symlink(os.path.join(pytlx.SOURCE, name), os.path.join(folder, name))
        os.symlink(pytlx.BINARY, os.path.join(folder, "build"))
        shutil.copy(os.path.join(pytlx.SOURCE, "docs/examples/my_gemm.py"), folder)
        shutil.copy(os.path.join(pytlx.SOURCE, "docs/examples/my_gemm.py"), os.path.join(folder, "my_gemm_test.py"))
        shutil.copy(os.path.join(pytlx.SOURCE, "tests/python/programs/test_kernels.py"), folder)
        shutil.copy(os.path.join(pytlx.SOURCE, "kernels/gemm/hopper_ws.json"), os.path.join(folder, "mine.json"))
        kernel = pytlx.read("kernels/gemm/hopper_ws.mlir")
        for name, text in (("mine.ttgir", kernel), ("mine.ttir", kernel)):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)

        self.programs = os.path.join(folder, "bin")
        os.mkdir(self.programs)
        for name, module in (("tlx-record", "tlx_record"), ("pytest", "pytest")):  # as pip installs them
            with open(os.path.join(self.programs, name), "w") as file:
                file.write('#!/bin/sh\nexec "${TLX_FBTRITON_PYTHON:-python3}" -m %s "$@"\n' % module)
            os.chmod(os.path.join(self.programs, name), 0o755)

    def breakMine(self):
        """What a page shows of traces, it shows of a kernel with a fault."""
        with open(os.path.join(self.folder, "mine.ttir"), "w") as file:
            file.write(pytlx.read("kernels/gemm/hopper_ws.mlir").replace("32768", "16384"))

    def run(self, command):
        path = ":".join([os.path.join(pytlx.BINARY, "bin"), self.programs, os.environ["PATH"]])
        environment = dict(os.environ, PATH=path, PYTHONPATH=os.path.join(self.folder, "python"), TLX_BINARY_DIR=pytlx.BINARY,
                           XDG_CACHE_HOME=os.path.join(self.folder, "cache"))  # fmt: skip
        if os.environ.get("TLX_FBTRITON_PYTHON"):
            environment["TLX_PYTHON"] = os.environ["TLX_FBTRITON_PYTHON"]
        return subprocess.run(["bash", "-c", command], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=600)


def normal(line):
    """Without what differs between machines: seconds, and the width that aligns columns."""
    return " ".join(re.sub(r"\d+\.\d+ s\b", "# s", line).split())


class Commands(unittest.TestCase):
    def runAll(self, path):
        with tempfile.TemporaryDirectory() as folder:
            sandbox = Sandbox(folder)
            for command, printed in commands(path):
                with self.subTest(path=path, command=command):
                    self.check(sandbox, path, command, printed)

    def check(self, sandbox, path, command, printed):
        reason = next((why for start, why in NOT_RUN.items() if command.startswith(start)), None)
        if reason:
            self.skipTest(reason)
        if NEEDS_FBTRITON.search(command) and not os.environ.get("TLX_FBTRITON_PYTHON"):
            self.skipTest("TLX_FBTRITON_PYTHON names no Python with fbtriton")
        wanted = next((code for (page, start), code in ENDS_WITH.items() if page == path and command.startswith(start)), 0)
        if "mine.ttir" in command and wanted:
            sandbox.breakMine()
        done = sandbox.run(command)
        if done.returncode == 77 or "No module named" in done.stderr:
            self.skipTest((done.stdout + done.stderr).strip().splitlines()[-1])
        self.assertEqual(done.returncode, wanted, done.stdout[-2000:] + done.stderr[-2000:])
        got = list(map(normal, (done.stdout + done.stderr).splitlines()))
        for line in map(normal, printed or ()):
            pattern = re.escape(line).replace(r"\.\.\.", ".*")  # ... stands for what was left out
            self.assertTrue(any(re.fullmatch(pattern, g) for g in got),
                            "the page shows\n  %s\nwhich is not among\n  %s" % (line, "\n  ".join(got)))  # fmt: skip

    def test_optionsOfCommandsInSentencesExist(self):
        helps = {}
        for path in documents():
            for tool, rest in FLAGS.findall(pytlx.read(path)):
                text = helps.setdefault(tool, subprocess.run([pytlx.tool("tlx-" + tool), "--help"], capture_output=True, text=True).stdout)
                for flag in re.findall(r"(?<!\S)--[a-z][a-z0-9-]*", rest):
                    self.assertRegex(text, r"(?m)^ +(-\w,)?%s\b" % flag, "%s: tlx-%s has no %s" % (path, tool, flag))

    def test_commandsStandInIndentedBlocks(self):
        """Which are those that are run."""
        for path in documents():
            fenced = "\n".join(pytlx.read(path).split("```")[1::2])
            if path not in USAGE:
                self.assertEqual([line for line in fenced.splitlines() if COMMAND.match(line)], [], path)

    def test_thePatternSeesCommands(self):
        for line in ("$ build/bin/tlx x", "build/bin/tlx-verify k", "./scripts/test.sh", "PYTHONPATH=python pytest -p x", "pip install x"):
            self.assertTrue(COMMAND.match(line), line)
        for line in ("kernels/gemm/hopper_ws.mlir: PROVED", "repos:", '{"war-proxy": "error"}', "tile = 3"):
            self.assertFalse(COMMAND.match(line), line)


def addTests():
    """One case for each page that has commands."""
    for path in documents():
        if path not in USAGE and any(True for _ in commands(path)):
            name = "test_" + re.sub(r"\W", "_", path.removesuffix(".md"))
            setattr(Commands, name, lambda self, path=path: self.runAll(path))


addTests()

if __name__ == "__main__":
    pytlx.main()
