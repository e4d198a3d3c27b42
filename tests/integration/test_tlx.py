#!/usr/bin/env python3
"""tlx, the command in front of the tools: it hands on arguments and exit codes, records Python files first,
and says what is missing."""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import pytlx
from tools import KERNEL, MANIFEST

PROGRAMS = os.path.join(pytlx.SOURCE, "tests", "python", "programs")


def tlx(*arguments, **environment):
    return subprocess.run([pytlx.tool("tlx"), *arguments], capture_output=True, text=True, env=dict(os.environ, **environment))


class Front(unittest.TestCase):
    def test_verdictsAndExitCodesAreTheTools(self):
        done = tlx("verify", KERNEL)
        self.assertEqual((done.returncode, "PROVED" in done.stdout), (0, True), done.stderr)
        with open(KERNEL) as file:
            text = file.read()
        with tempfile.TemporaryDirectory() as folder:
            broken = os.path.join(folder, "broken.mlir")
            with open(broken, "w") as file:
                file.write(text.replace("ttng.arrive_barrier", "ttng.wait_barrier_gone", 1))
            self.assertEqual(tlx("verify", broken).returncode, 2)
        self.assertEqual(tlx("verify", "absent.ttgir").returncode, 2)
        done = tlx("run", "--device", "sim", KERNEL, "--manifest", MANIFEST, "--timing-only")
        self.assertEqual((done.returncode, "cycles" in done.stdout), (0, True), done.stderr)
        done = tlx("run", KERNEL, "--timing-only")  # its manifest stands beside it
        self.assertEqual((done.returncode, "cycles" in done.stdout), (0, True), done.stderr)

    def test_mistypedCommandsAreGuessed(self):
        done = tlx("verfy")
        self.assertEqual((done.returncode, done.stderr), (2, "error: there is no command 'verfy'\nhint: did you mean 'verify'?\n"))
        self.assertEqual(tlx().returncode, 2)

    def test_explainAndVersion(self):
        self.assertTrue(tlx("explain", "race").stdout.startswith("race: "))
        self.assertRegex(tlx("--version").stdout, r"^tlx \d+\.\d+\.\d+\n$")

    def test_helpNamesEveryCommandAndCompletionsDoToo(self):
        names = [line.split()[0] for line in tlx("--help").stdout.split("Commands:\n")[1].split("\n\n")[0].splitlines()]
        self.assertIn("doctor", names)
        self.assertEqual([line.split("\t")[0] for line in tlx("completion", "words", "").stdout.splitlines()], names)
        self.assertEqual(tlx("completion", "tcsh").returncode, 2)

    def test_valuesAreCompleted(self):
        words = lambda *line: [word.split("\t")[0] for word in tlx("completion", "words", *line).stdout.splitlines()]
        self.assertEqual(words("run", "--device", ""), ["sim", "cuda", "null"])
        self.assertEqual(words("verify", "--war-proxy", "o"), ["off", "warn", "error"])
        self.assertEqual(words("record", "--data", ""), ["auto", "exact", "generated"])
        self.assertEqual(words("record", "--configs", ""), ["all", "first"])
        self.assertEqual(words("compile", "--emit=p"), ["--emit=ttgir", "--emit=llvm", "--emit=ptx", "--emit=cubin", "--emit=package"])
        self.assertLess({"h200", "b200", "mi350x"}, set(words("run", "--chip", "")))
        self.assertEqual(words("run", "--chip", ""), words("chips", ""))
        self.assertLess({"cuda:90", "cuda:100", "hip:gfx950"}, set(words("verify", "--target", "")))
        classes = [line.split()[0] for line in tlx("explain", "classes").stdout.splitlines()]
        self.assertEqual(sorted(words("explain", "")), sorted([*classes, "contracts"]))
        self.assertLess({"--manifest", "--war-proxy", "--help"}, set(words("verify", "--")))
        self.assertNotIn("--replay", words("verify", "--"))  # --help only speaks of it
        self.assertEqual(words("verify", "k"), [])  # a file

    def shell(self, name, *arguments):
        if not shutil.which(name):
            self.skipTest("no " + name)
        path = os.path.dirname(pytlx.tool("tlx")) + ":" + os.environ["PATH"]
        done = subprocess.run([name, *arguments], capture_output=True, text=True, env=dict(os.environ, PATH=path), timeout=60)
        return done.stdout + done.stderr

    def test_bashCompletes(self):
        run = lambda line: self.shell("bash", "-c", "source <(tlx completion bash); COMP_LINE='%s'; COMP_POINT=%d; _tlx; "
                                                    "echo ${COMPREPLY[@]}" % (line, len(line))).split()  # fmt: skip
        self.assertEqual(run("tlx ver"), ["verify"])
        self.assertIn("--manifest", run("tlx verify --m"))
        self.assertEqual(run("tlx explain ra"), ["race"])
        self.assertEqual(run("tlx run --device "), ["sim", "cuda", "null"])
        self.assertEqual(run("tlx verify --target cuda:9"), ["90"])  # behind the colon, where readline begins a word
        self.assertEqual(run("tlx compile --emit=pa"), ["package"])
        self.assertEqual(run("tlx verify kern"), [])

    def test_zshCompletesTheFirstTime(self):
        """As a function that compinit loads from a file when it is first asked for."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "_tlx"), "w") as file:
                file.write(tlx("completion", "zsh").stdout)
            asked = ("fpath=(%s $fpath); autoload -Uz _tlx; compadd() { print -r -- $* }; _files() { print files }; "
                     "for line in 'tlx explain rac' 'tlx explain rac' 'tlx verify k'; do words=(${=line}); CURRENT=3; _tlx; done" % folder)
            first, again, file = self.shell("zsh", "-f", "-c", asked).splitlines()
        self.assertEqual((first, file), (again, "files"))
        self.assertIn("race", first.removeprefix("-- ").split())

    def test_fishCompletes(self):
        done = self.shell("fish", "--no-config", "-c", "tlx completion fish | source; complete -C 'tlx explain rac'; complete -C 'tlx run --device '")
        self.assertEqual([line.split("\t")[0] for line in done.splitlines()], ["race", "cuda", "null", "sim"])

    def test_doctorNamesWhatIsMissingAndWhatThatCosts(self):
        done = tlx("doctor", "--json")
        found = {entry["what"]: entry for entry in json.loads(done.stdout)}
        self.assertTrue(found["tlx-verify"]["present"])
        self.assertEqual(found["tlx_record"]["present"], True)
        with tempfile.TemporaryDirectory() as empty:
            lone = os.path.join(empty, "tlx")
            shutil.copy(pytlx.tool("tlx"), lone)
            done = subprocess.run([lone, "doctor"], capture_output=True, text=True, env={"PATH": empty})
        self.assertIn("missing  tlx-verify", done.stdout)
        self.assertIn("without it: no proofs", done.stdout)
        self.assertIn("missing  python3", done.stdout)

    def test_pythonFilesNeedAnInterpreterWithFbtriton(self):
        done = tlx("verify", os.path.join(PROGRAMS, "vector_add.py"), TLX_PYTHON="/nowhere/python3")
        self.assertEqual(done.returncode, 2)
        self.assertIn("TLX_PYTHON names the one that has fbtriton", done.stderr)

    def test_optionsAreReadBeforeAnythingIsRecorded(self):
        for command, option in (("verify", "--jsn"), ("run", "--reprot")):
            done = tlx(command, option, "absent.py", TLX_PYTHON="/bin/false")
            self.assertEqual(done.returncode, 2)
            self.assertIn("unknown option: %s" % option, done.stderr)
        done = tlx("verify", "--help", "absent.py", TLX_PYTHON="/bin/false")
        self.assertEqual((done.returncode, "Usage: tlx-verify" in done.stdout), (0, True))

    def test_toolsThatTakeIRSayHowToGetItFromAProgram(self):
        for command in ("compile", "opt"):
            done = tlx(command, "gemm.py")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr, "error: gemm.py is a Python program; %s takes IR\nhint: `tlx record --out recorded gemm.py` writes its kernels: "
                                          "`tlx %s recorded/KERNEL.ttgir`\n" % (command, command))  # fmt: skip

    def test_explainNeedsAClass(self):
        done = tlx("explain", "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?s)Usage: tlx explain CLASS\|REPORT\.json.*\nClasses:\n.*\nrace +two accesses")
        done = tlx("explain")
        self.assertEqual((done.returncode, "tlx-verify" in done.stderr, "`tlx explain race`" in done.stderr), (2, False, True), done.stderr)


class Recording(unittest.TestCase):
    """`tlx verify|run PROGRAM.py`, which needs fbtriton."""

    def setUp(self):
        self.python = os.environ.get("TLX_FBTRITON_PYTHON")
        if not self.python:
            self.skipTest("TLX_FBTRITON_PYTHON names no Python with fbtriton")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def tlx(self, *arguments):
        return tlx(*arguments, TLX_PYTHON=self.python)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def test_fromPythonToVerdictAndTime(self):
        done = self.tlx("verify", os.path.join(PROGRAMS, "autotuned.py"), "--configs", "2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))  # after the program: its own arguments
        self.assertEqual([done.stdout.count(" (%s): PROVED" % level) for level in ("source", "ttgir")], [1, 1])
        self.assertIn("/autotuned.py: ", done.stdout)  # not a file in a folder that is gone
        done = self.tlx("verify", "--configs", "2", os.path.join(PROGRAMS, "autotuned.py"))
        self.assertEqual((done.returncode, done.stdout.count("): PROVED")), (0, 4), done.stderr)
        self.assertRegex(done.stdout, r"/autotuned\.py: (.*\n)+.*/autotuned\.py:\w+_2: ")
        self.assertNotIn(".ttgir", done.stdout)
        done = self.tlx("run", "--device", "sim", os.path.join(PROGRAMS, "vector_add.py"))
        self.assertEqual((done.returncode, done.stdout.count("add on h200")), (0, 2), done.stderr)
        done = self.tlx("run", "--chip", "b200", os.path.join(PROGRAMS, "vector_add.py"))  # recorded for what it runs
        self.assertEqual((done.returncode, done.stdout.count("add on b200")), (0, 2), done.stderr)
        done = self.tlx("run", "--chip", "b200", "--target", "cuda:90", os.path.join(PROGRAMS, "vector_add.py"))
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"(?m)^\S+/vector_add\.py: error: chip b200 cannot run target 'cuda:90'\n")
        self.assertNotIn("/tmp/tlx-", done.stderr)
        done = self.tlx("run", "--target", "hip:gfx950", os.path.join(PROGRAMS, "vector_add.py"))
        self.assertEqual((done.returncode, done.stdout.count("add on mi350x")), (0, 2), done.stderr)

    def test_whatWasWrittenIsVerifiedAndWhatWasCompiled(self):
        written = pytlx.read("docs/examples/my_gemm.py")
        forgotten = self.write("forgotten.py", "".join(line for line in written.splitlines(True) if "async_dot_wait" not in line))
        done = self.tlx("verify", forgotten)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"my_gemm \(source\): BUG\(race\)")
        self.assertRegex(done.stdout, r"my_gemm \(ttgir\): PROVED .*\n  note: what was written \(source\) is BUG\(race\); the compiler's "
                                      r"passes added 1 ttng.warp_group_dot_wait\n")  # fmt: skip
        stuck = self.write("stuck.py", "".join(line for line in written.splitlines(True) if "barrier_arrive(empty" not in line))
        done = self.tlx("verify", stuck)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"my_gemm \(ttgir\): BUG\(deadlock\) .*, as above\n")
        self.assertRegex(done.stdout, r"\n1 kernel at several levels in 2 files: 0 PROVED, 2 BUG, 0 UNKNOWN ")
        self.assertEqual(done.stdout.count("error: "), 1)

    def test_theTargetDoesNotHideTheRecordedLaunch(self):
        self.write("clustered.py", "import numpy as np, triton, triton.language as tl\nimport triton.language.extra.tlx as tlx\n"
                                   "@triton.jit\ndef pair(x):\n    tlx.cluster_barrier()\n    tl.store(x + tl.program_id(0), tlx.cluster_cta_rank())\n"
                                   "pair[(2,)](np.zeros(2, np.int32), ctas_per_cga=(2, 1, 1))\n")  # fmt: skip
        for options in (), ("--target", "cuda:90"):
            done = self.tlx("verify", *options, os.path.join(self.folder, "clustered.py"))
            self.assertEqual((done.returncode, done.stdout.count(": PROVED")), (0, 2), done.stdout + done.stderr)

    def test_aProgramThatFailsIsNoBug(self):
        for name in ("stops.py", "exits.py", "nothing.py", "refused.py"):
            for command in ("verify", "run"):
                self.assertEqual(self.tlx(command, os.path.join(PROGRAMS, name)).returncode, 2, name)

    def test_eachKernelHasItsOwnFilesAndAllAreOneDocument(self):
        page, outputs = os.path.join(self.folder, "page.html"), os.path.join(self.folder, "out")
        done = self.tlx("run", "--json", "--report", page, "--save-outputs=" + outputs, os.path.join(PROGRAMS, "vector_add.py"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([report["kernel"] for report in json.loads(done.stdout)], ["add", "add"])
        self.assertIn("sum is right", done.stderr)  # what the program prints is no part of the document
        for path in ("page-add.html", "page-add_2.html", "out/add/2.npy", "out/add_2/2.npy"):
            self.assertTrue(os.path.exists(os.path.join(self.folder, path)), path)
        self.assertIn("note: --report of add_2: %s\n" % os.path.join(self.folder, "page-add_2.html"), done.stderr)
        done = self.tlx("run", "--json", "--report", page, os.path.join(pytlx.SOURCE, "docs/examples/my_gemm.py"))
        self.assertEqual((json.loads(done.stdout)["kernel"], os.path.exists(page)), ("my_gemm", True), done.stderr)

    def test_ctrlCEndsTheProgram(self):
        begun = os.path.join(self.folder, "begun")
        program = self.write("waits.py", "import time\nopen(%r, 'w').close()\ntime.sleep(60)\n" % begun)
        for command in ("verify", "run"):
            process = subprocess.Popen([pytlx.tool("tlx"), command, program], stderr=subprocess.PIPE, text=True, start_new_session=True,
                                       env=dict(os.environ, TLX_PYTHON=self.python),
                                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # fmt: skip
            while process.poll() is None and not os.path.exists(begun):
                time.sleep(0.05)
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does
            self.assertEqual((process.communicate(timeout=30)[1], process.returncode), ("tlx-record: interrupted\n", 130))
            os.remove(begun)


if __name__ == "__main__":
    pytlx.main()
