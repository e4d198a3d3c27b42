"""tlx-verify as a command: every class with its example, many files, exit codes, policy, baseline,
SARIF, cache, interruption, and runs that the simulator follows into the same violation."""
import glob
import json
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest

import pytlx

EXAMPLES = os.path.join(pytlx.SOURCE, "verify", "report", "examples")
GOOD = os.path.join(pytlx.SOURCE, "kernels", "gemm", "hopper_ws.mlir")
# The simulator sees no per-class counterpart of these without values, or stops before the launch.
NOT_REPLAYED = {"proxy-fence", "cluster-entry", "remote-form", "memory-lifetime", "resources"}


def example(name):
    return os.path.join(EXAMPLES, name + ".mlir")


class Cli(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(self.folder, "cache"))

    def verify(self, *arguments):
        return subprocess.run([pytlx.tool("tlx-verify"), *arguments], capture_output=True, text=True, timeout=120, env=self.environment)

    def results(self, *arguments):
        return json.loads(self.verify("--json", *arguments).stdout)["results"]

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return path

    def test_everyClassHasAnExampleThatHasIt(self):
        classes = [line.split()[0] for line in self.verify("--explain", "classes").stdout.splitlines()]
        self.assertEqual(sorted(classes), sorted(os.path.basename(path)[:-5] for path in glob.glob(EXAMPLES + "/*.mlir")))
        for name in classes:
            with self.subTest(name):
                done = self.verify("--explain", name)
                self.assertEqual(done.returncode, 0)
                with open(example(name), encoding="utf-8") as file:
                    self.assertIn(file.read(), done.stdout)
                result = self.results(example(name))[0]
                self.assertEqual((result["verdict"], result["class"]), ("BUG", name), result)

    def test_eachKernelOfAModuleHasItsVerdict(self):
        with open(example("race"), encoding="utf-8") as file:
            text = file.read()
        at = text.index("  tt.func public")
        for end, verdicts in (("tt.return", [("quiet", "PROVED"), ("race", "BUG")]),
                              ("%c0 = arith.constant 0 : i32 %bar = ttg.local_alloc : () -> !bar ttng.init_barrier %bar, 1 : !bar "
                               "ttng.wait_barrier %bar, %c0 : !bar tt.return", [("quiet", "BUG"), ("race", "BUG")])):
            both = self.write("both.mlir", text[:at] + "  tt.func public @quiet() { " + end + " }\n" + text[at:])
            self.assertEqual([(r["kernel"], r["verdict"]) for r in self.results(both)], verdicts)

    def test_aReportIsExplained(self):
        done = self.verify("--json", example("race"), example("exit"), GOOD)
        report = self.write("report.json", done.stdout)
        done = self.verify("--explain", report)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        for at, name in enumerate(("race", "exit")):
            self.assertRegex(lines[at], r"^\S+%s\.mlir:\d+:\d+: \w+ \(\w+\): BUG\(%s\): \w" % (name, name))
            self.assertEqual(sum(line.startswith(name + ": ") for line in lines), 1)
            self.assertIn("(`tlx explain %s` shows a kernel that has it)" % name, lines)
        self.assertNotIn("deadlock: ", done.stdout)
        proved = self.write("proved.json", self.verify("--json", GOOD).stdout)
        self.assertEqual(self.verify("--explain", proved).stdout, "nothing was found: all 1 verdicts are PROVED\n")
        for name, text, said in (("other.json", '{"chip": 1}', "'results'"), ("broken.json", "{", "error: ")):
            done = self.verify("--explain", self.write(name, text))
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(said, done.stderr)
            self.assertIn(name, done.stderr)

    def test_mistypedClassesAreGuessed(self):
        self.assertEqual(self.verify("--explain", "rase").stderr, "error: there is no class 'rase'\nhint: did you mean 'race'?\n")

    def test_aTraceIsShort(self):
        with open(GOOD, encoding="utf-8") as file:
            path = self.write("keeps.mlir", "".join(line for line in file if "ttng.arrive_barrier" not in line))
        notes = [note for note in self.results(path)[0]["notes"] if note.startswith("with ")]
        # The last slot is waited for in the fifth step of K; what that says of the first four is left out.
        self.assertEqual(notes, ["with (M + 127) / 128 * (N + 127) / 128 > program_id.x", "with K >= 257"])
        lines = self.verify(path).stdout.split("\n")
        for task in ("default", "partition0", "partition1"):
            steps = [line for line in lines if re.match("    " + task + r" \[0,\d\] ", line)]
            self.assertIn(len(steps), range(6, 11), steps)
        self.assertEqual([line for line in lines if line.endswith("--json)")], ["    (1 earlier: --json)"])

    def test_whatTheModuleSaysIsNotToldOtherwise(self):
        kernel = example("race")  # cuda:90, 4 warps
        for options, message in ((["--target", "foo"], "knows no 'foo'; targets: cuda:90"), (["--target", "cuda:9999"], "knows no 'cuda:9999'"),
                                 (["--target", "cuda:100"], 'the command line says target cuda:100; the module says ttg.target = cuda:90'),
                                 (["--num-warps", "8"], "the command line says 8 warps; the module says ttg.num-warps = 4"),
                                 (["--num-ctas", "2"], "2 CTAs to a program; the module says ttg.num-ctas = 1")):
            with self.subTest(options):
                done = self.verify(kernel, *options)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn(message, done.stderr)
        pair = example("cluster-barrier")  # two CTAs along x
        for shape in ("4,1,1", "2,2,1"):
            done = self.verify(pair, "--cluster", shape)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertRegex(done.stderr, "the command line says a cluster with [24] along [xy]; the module says ttg.cluster-dim-[xy] = [12]")
        self.assertEqual(self.verify(pair, "--cluster", "2,1,1").returncode, 1)
        self.assertEqual(self.verify(kernel, "--target", "cuda:90", "--num-warps", "4", "--num-ctas", "1").returncode, 1)
        launch = {"kernel": "race", "target": "cuda:90", "grid": [1, 1, 1], "metadata": {"default_num_warps": 8}, "args": []}
        done = self.verify(kernel, "--manifest", self.write("other.json", launch))
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("other.json says 8 warps", done.stderr)

    def test_aManifestOfAnotherKernelIsAnError(self):
        kernel = example("race")
        launch = {"kernel": "race", "target": "cuda:90", "grid": [1, 1, 1], "metadata": {"default_num_warps": 4}, "args": []}
        self.assertEqual(self.verify(kernel, "--manifest", self.write("own.json", launch)).returncode, 1)
        done = self.verify(kernel, "--manifest", self.write("other.json", {**launch, "kernel": "other"}))
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertRegex(done.stderr, r"other\.json.*has no kernel @other")
        self.assertIn("it has @race", done.stderr)
        number = {"kind": "scalar", "type": "i32", "value": 1}
        done = self.verify(kernel, "--manifest", self.write("many.json", {**launch, "args": [number] * 9}))
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertRegex(done.stderr, r"many\.json.*gives 9 parameter values; @race of .* takes \d")

    def test_aCallLeftAtTtgirHidesNoMissingFence(self):
        with open(example("proxy-fence"), encoding="utf-8") as file:
            text = file.read()
        store = "      ttng.arrive_barrier %full, 1 : !bar\n"
        self.assertIn(store, text)
        text = text.replace(store, "      %next = tt.call @next(%n) : (i32) -> i32\n" + store)
        helper = """  tt.func private @next(%i: i32) -> i32 attributes {noinline = true} {
    %one = arith.constant 1 : i32
    %sum = arith.addi %i, %one : i32
    tt.return %sum : i32
  }
}
"""
        path = self.write("calls.mlir", text.rstrip().removesuffix("}") + helper)
        result = self.results(path)[0]
        self.assertEqual((result["level"], result["verdict"], result["class"]), ("ttgir", "BUG", "proxy-fence"), result)

    def test_theSimulatorEndsInTheSameViolation(self):
        for path in sorted(glob.glob(EXAMPLES + "/*.mlir")):
            name = os.path.basename(path)[:-5]
            if name in NOT_REPLAYED:
                continue
            with self.subTest(name):
                trace = os.path.join(self.folder, name + ".json")
                self.assertEqual(self.verify(path, "--replay-out", trace).returncode, 1)
                done = subprocess.run([pytlx.tool("tlx-run"), "--device", "sim", path, "--replay", trace],
                                      capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn("ends in the violation of the trace", done.stdout + done.stderr)

    def test_aReplayNeedsTheSameBytes(self):
        trace = os.path.join(self.folder, "trace.json")
        self.verify(example("deadlock"), "--replay-out", trace)
        with open(example("deadlock"), encoding="utf-8") as file:
            changed = self.write("changed.mlir", file.read() + "// changed\n")
        done = subprocess.run([pytlx.tool("tlx-run"), "--device", "sim", changed, "--replay", trace], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_manyFilesInOneOrder(self):
        one = self.results(EXAMPLES, "--jobs", "1", "--no-cache")
        four = self.results(EXAMPLES, "--jobs", "4", "--no-cache")
        order = [result["file"] for result in one]
        self.assertEqual(order, sorted(order))
        self.assertEqual([(r["file"], r["class"]) for r in one], [(r["file"], r["class"]) for r in four])
        text = self.verify(EXAMPLES, GOOD).stdout.splitlines()[-1]
        self.assertRegex(text, r"^%d kernels in %d files: 1 PROVED, %d BUG, 0 UNKNOWN \([\d.]+ s\)$" % (len(one) + 1, len(one) + 1, len(one)))

    def test_exitCodes(self):
        self.assertEqual(self.verify(GOOD).returncode, 0)
        self.assertEqual(self.verify(GOOD, example("race")).returncode, 1)
        empty = os.path.join(self.folder, "empty")
        os.mkdir(empty)
        done = self.verify(empty)
        self.assertEqual(done.returncode, 2)
        self.assertIn("holds no .mlir", done.stderr)
        done = self.verify(example("race"), self.write("bad.ttir", "module {"))
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
        self.assertIn("BUG(race)", done.stdout)
        self.assertEqual(self.verify(GOOD, "--jobs", "0").returncode, 2)

    def test_withoutAContract(self):
        done = self.verify(GOOD, "--without", "task-barrier-before-arrive", "--json")
        result = json.loads(done.stdout)["results"][0]
        self.assertEqual((done.returncode, result["verdict"]), (1, "BUG"), "a warp that still reads is not waited for")
        self.assertIn("without=task-barrier-before-arrive", result["policy"])
        self.assertNotIn("task-barrier-before-arrive", result["contracts"])
        self.assertIn("membar", result["contracts"])
        done = self.verify(GOOD, "--without", "no-overflow")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "no contract 'no-overflow'; only .*cluster-sync-after-init")

    def test_policy(self):
        race = self.results(example("race"))[0]
        where = {"class": "race", "file": "race.mlir", "line": race["location"]["line"], "reason": "known"}
        for policy, code, severity in (({"classes": {"race": "warning"}}, 0, "warning"), ({"classes": {"race": "off"}}, 0, "suppressed"),
                                       ({"suppressions": [where]}, 0, "suppressed"), ({"classes": {"exit": "off"}}, 1, "error"),
                                       ({"suppressions": [dict(where, line=1)]}, 1, "error")):
            with self.subTest(policy):
                path = self.write("policy.json", policy)
                done = self.verify(example("race"), "--policy", path, "--json")
                self.assertEqual(done.returncode, code)
                self.assertEqual(json.loads(done.stdout)["results"][0]["severity"], severity)
                unused = policy.get("suppressions", [{}])[0].get("line") == 1
                self.assertEqual("matches no finding" in done.stderr, unused, done.stderr)
        for bad in ({"classes": {"rase": "off"}}, {"suppressions": [{"file": "x", "reason": ""}]}, {"suppressions": [{"file": "x"}]},
                    {"war-proxy": "maybe"}, {"other": 1}):
            done = self.verify(GOOD, "--policy", self.write("policy.json", bad))
            self.assertEqual(done.returncode, 2, bad)
            self.assertRegex(done.stderr, r"policy\.json:\d+:\d+: error: ")

    def test_baseline(self):
        path = os.path.join(self.folder, "baseline.json")
        self.assertEqual(self.verify(example("race"), "--write-baseline", path).returncode, 1)
        done = self.verify(example("race"), "--baseline", path)
        self.assertEqual(done.returncode, 0)
        self.assertIn("[baseline]", done.stdout)
        self.assertEqual(self.verify(example("race"), example("exit"), "--baseline", path).returncode, 1)
        self.assertEqual(self.verify(GOOD, "--baseline", self.write("x.json", {"format": "other"})).returncode, 2)

    def test_sarif(self):
        done = self.verify("--sarif", EXAMPLES)
        self.assertEqual(done.returncode, 1)
        log = json.loads(done.stdout)
        self.assertEqual(log["version"], "2.1.0")
        run, = log["runs"]
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        self.assertEqual(len(rules), len(set(rules)))
        results = [result for result in run["results"] if result["level"] == "error"]
        self.assertEqual(sorted(result["ruleId"] for result in results), sorted(os.path.basename(p)[:-5] for p in glob.glob(EXAMPLES + "/*.mlir")))
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]], result["ruleId"])
            self.assertTrue(result["message"]["text"])
            place = result["locations"][0]["physicalLocation"]
            self.assertGreaterEqual(place["region"]["startLine"], 1)
            self.assertTrue(place["artifactLocation"]["uri"].endswith(".mlir"))
            for flow in result.get("codeFlows", ()):
                for step in flow["threadFlows"][0]["locations"]:
                    self.assertTrue(step["location"]["message"]["text"])
        self.assertEqual(self.verify("--sarif", "--json", GOOD).returncode, 2)

    def test_sarifIsValid(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("python3-jsonschema is not installed")
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "sarif-subset.json"), encoding="utf-8") as file:
            schema = json.load(file)
        log = json.loads(self.verify("--sarif", EXAMPLES, GOOD).stdout)
        jsonschema.validate(log, schema)
        del log["runs"][0]["results"][0]["message"]
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate(log, schema)

    def test_cache(self):
        first, second = self.verify("--json", example("race")), self.verify("--json", example("race"))
        self.assertEqual(first.stdout, second.stdout)  # the seconds too
        self.assertEqual(first.returncode, second.returncode)
        kept = glob.glob(os.path.join(self.folder, "cache", "tlx-verify", "*.json"))
        self.assertEqual(len(kept), 1)
        self.verify("--json", "--strict", example("race"))
        self.assertEqual(len(glob.glob(os.path.join(self.folder, "cache", "tlx-verify", "*.json"))), 2)
        with open(kept[0], "w", encoding="utf-8") as file:
            file.write("damaged")
        self.assertEqual(self.verify("--json", example("race")).returncode, 1)
        before = os.stat(kept[0]).st_mtime_ns
        self.verify("--no-cache", example("race"))
        self.assertEqual(before, os.stat(kept[0]).st_mtime_ns)

    def test_interruptionReportsWhatIsKnown(self):
        with open(GOOD, encoding="utf-8") as file:
            kernel = file.read()
        for i in range(300):
            self.write("k%d.mlir" % i, kernel)
        process = subprocess.Popen([pytlx.tool("tlx-verify"), "--jobs", "1", "--no-cache", example("race"), self.folder],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        out = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out += process.communicate(timeout=60)[0]
        self.assertEqual(process.returncode, 4)
        self.assertIn("BUG(race)", out)
        self.assertRegex(out.splitlines()[-1], r"interrupted: \d+ files not looked at")

    def test_interruptionEndsAFileThatDoesNotAnswer(self):
        # Whoever reads standard input waits for a writer.
        process = subprocess.Popen([pytlx.tool("tlx-verify"), "--no-cache", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.addCleanup(process.stdin.close)
        children = "/proc/%d/task/%d/children" % (process.pid, process.pid)
        while process.poll() is None and not pytlx.read(children):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)
        out = process.stdout.read()
        self.assertEqual((process.returncode, "UNKNOWN(interrupted)" in out), (4, True), out)

    def test_programsInFoldersAreNotSkippedInSilence(self):
        self.write("k.py", "")
        done = self.verify(self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("note: 1 .py file was not looked at: `tlx verify FILE.py`", done.stderr)
        with open(GOOD, encoding="utf-8") as file:
            self.write("k.mlir", file.read())
        done = self.verify(self.folder)
        self.assertEqual((done.returncode, "not looked at" in done.stderr), (0, True), done.stderr)

    def test_timeLine(self):
        out = self.verify(example("lost-phase")).stdout
        rows = [line for line in out.splitlines() if line.startswith("    default ") or line.startswith("    |")]
        self.assertGreater(len(rows), 2, out)
        self.assertNotIn("\033", out)  # colour on a terminal only


if __name__ == "__main__":
    pytlx.main()
