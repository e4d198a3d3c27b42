#!/usr/bin/env python3
"""tlx-run on a kernel of ours: right numbers, a report that keeps its schema, the same every time."""
import hashlib
import json
import os
import shutil
import subprocess
import sys

import numpy as np

import pytlx
from tools import KERNEL, MANIFEST, ToolTest

KEYS = {"device", "kernel", "chip", "cycles", "ns", "seconds", "outputs", "findings", "details", "notes", "printed"}


class Run(ToolTest):
    def report(self, *options):
        done = self.run_(["tlx-run", KERNEL, "--manifest", MANIFEST, "--json", *options])
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return json.loads(done.stdout)

    def test_launchingNeedsNeitherCompilerNorSimulator(self):
        """Both are libraries that are opened when they are asked for."""
        needed = subprocess.run(["ldd", pytlx.tool("tlx-run")],
                                capture_output=True, text=True, check=True).stdout
        for library in ("LLVM", "MLIR", "tbb", "blas", "Tlx"):
            self.assertNotIn(library, needed)

    def test_numbersAreRight(self):
        folder = os.path.join(self.folder, "out")
        self.report("--functional-only", "--save-outputs", folder)
        script = os.path.join(pytlx.SOURCE, "scripts", "check_gemm.py")
        done = subprocess.run([sys.executable, script, MANIFEST, folder], capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout.decode() + done.stderr.decode())

    def test_schema(self):
        report = self.report("--save-outputs", self.folder)
        self.assertEqual(set(report), KEYS)
        self.assertEqual(report["device"], "sim")
        self.assertEqual(report["findings"], [])
        self.assertGreater(report["cycles"], 1000)
        self.assertGreater(report["ns"], 500)
        self.assertEqual(list(report["outputs"]), ["2"])
        output = report["outputs"]["2"]
        saved = np.load(output["file"])
        self.assertEqual(list(saved.shape), output["shape"])
        self.assertEqual(hashlib.sha256(saved.tobytes()).hexdigest(), output["sha256"])

    def test_halvesOfARun(self):
        values = self.report("--functional-only")
        self.assertIsNone(values["cycles"])
        time = self.report("--timing-only")
        self.assertEqual(time["outputs"], {})
        both = self.report()
        self.assertEqual((both["outputs"], both["cycles"]), (values["outputs"], time["cycles"]))

    def test_runsAgreeBitForBit(self):
        """Values, cycles and trace, whatever the number of threads; 3 CTAs with tasks, and 37 without."""
        softmax = os.path.join(pytlx.SOURCE, "kernels", "norm", "softmax.mlir")
        for kernel in (KERNEL, softmax):
            seen = []
            for threads in ("1", "1", "2", "8"):
                trace, out = os.path.join(self.folder, "trace.json"), os.path.join(self.folder, "out")
                shutil.rmtree(out, ignore_errors=True)
                done = self.run_(["tlx-run", "--device", "sim", kernel, "--json", "--threads", threads, "--trace", trace,
                                  "--save-outputs", out])  # fmt: skip
                self.assertEqual(done.returncode, 0, done.stderr.decode())
                report = json.loads(done.stdout)
                del report["seconds"]  # of the host
                with open(trace, "rb") as file:
                    run = {"report": report, "trace": file.read()}
                for name in sorted(os.listdir(out)):
                    with open(os.path.join(out, name), "rb") as file:
                        run[name] = file.read()
                self.assertGreater(len(run), 2, "no output was written")
                self.assertGreater(report["cycles"], 0)
                seen.append(run)
            for run in seen[1:]:
                self.assertEqual(run.keys(), seen[0].keys())
                for what, content in run.items():
                    self.assertTrue(content == seen[0][what], "%s: %s differs" % (kernel, what))

    def test_sweepOverProcesses(self):
        """Two processes share a sweep and a file: every case once; a case that is missing is made up for."""
        if shutil.which("mpirun") is None:
            self.skipTest("there is no mpirun")
        launches, results = os.path.join(self.folder, "launches"), os.path.join(self.folder, "sweep.jsonl")
        os.mkdir(launches)
        with open(MANIFEST, encoding="utf-8") as file:
            manifest = json.load(file)
        for ctas in (1, 2, 3):
            manifest["grid"][0] = ctas
            self.file("launches/%d.json" % ctas, json.dumps(manifest))
        command = ["mpirun", "--oversubscribe", "-np", "2", pytlx.tool("tlx-run"), "--device", "sim", KERNEL, "--sweep", launches,
                   "--results", results]  # fmt: skip
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

        def sweep():
            done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            with open(results, encoding="utf-8") as file:
                return [json.loads(line) for line in file]

        first = sweep()
        self.assertEqual(sorted(os.path.basename(case["manifest"]) for case in first), ["1.json", "2.json", "3.json"])
        self.assertTrue(all(case["code"] == 0 and case["cycles"] > 1000 for case in first), first)
        self.assertEqual(sweep(), first)
        with open(results, "r+b") as file:
            file.truncate(os.path.getsize(results) - 30)  # broken off within the last line
        self.assertEqual(sorted(sweep(), key=str), sorted(first, key=str))

    def test_schedulesAgree(self):
        wanted = self.report("--functional-only")["outputs"]
        for schedule in ("adversarial", "random:1", "random:2"):
            self.assertEqual(self.report("--functional-only", "--schedule", schedule)["outputs"], wanted, schedule)

    def test_simulatedNextToARun(self):
        """On the simulator both runs are the same; the one in front of the other is what a GPU is."""
        report = self.report("--compare-sim")
        self.assertTrue(report["simulated"]["matches"])
        self.assertEqual(report["simulated"]["ns"], report["ns"])
        self.assertEqual(report["simulated"]["outputs"]["2"]["comparison"]["differing"], 0)
        self.assertNotIn("file", report["outputs"]["2"])
        text = self.run_(["tlx-run", KERNEL, "--manifest", MANIFEST, "--compare-sim"]).stdout.decode()
        self.assertRegex(text, r"simulated +the same values; [0-9.]+ us on h200, 1.00 of the measured time")

    def test_repeatedLaunchesWriteTheSameBytes(self):
        report = self.report("--functional-only", "--repeat", "2")
        self.assertEqual(report["notes"][-1], "3 launches wrote the same bytes")
        self.assertEqual(report["outputs"], self.report("--functional-only")["outputs"])

    def test_withoutAGpuTheDriverIsMissed(self):
        """Before anything is compiled or verified, and before the kernel is even read."""
        if os.path.exists("/dev/nvidiactl"):
            self.skipTest("there is a GPU")
        for kernel in (KERNEL, self.file("k.tlxk", "TLXK1\n")):
            done = self.run_(["tlx-run", "--device", "cuda", kernel, "--manifest", MANIFEST, "--bench", "--compare-sim"])
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.decode(), "error: there is no NVIDIA driver on this machine (libcuda.so.1)\n"
                             "hint: use --device sim, or run where there is a GPU\n")

    def test_everyLevelOfALaunch(self):
        if not pytlx.shared():
            self.skipTest("no corpus")
        folder = os.path.join(pytlx.shared(), "corpus", "hopper", "matmul_kernel_tlx_ws-e12168")
        manifest = os.path.join(folder, "launch-512x384x320.json")
        results = set()
        for level in ("source", "ttir", "ttgir"):
            done = self.run_(["tlx-run", os.path.join(folder, "kernel." + level), "--manifest", manifest,
                              "--functional-only", "--json"])
            self.assertEqual(done.returncode, 0, level + done.stderr.decode())
            results.add(json.loads(done.stdout)["outputs"]["2"]["sha256"])
        self.assertEqual(len(results), 1)

    def test_pictures(self):
        trace, page = os.path.join(self.folder, "t.json"), os.path.join(self.folder, "p.html")
        self.report("--timing-only", "--trace", trace, "--report", page)
        with open(trace, encoding="utf-8") as file:
            self.assertGreater(len(json.load(file)["traceEvents"]), 100)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("</html>", text)
        self.assertNotIn("http://", text.replace("http://www.w3.org/", ""))
        self.assertNotIn("https://", text)

    def test_compare(self):
        """What a slower memory does to a launch; files that are no reports are refused."""
        paths = []
        for index, options in enumerate(([], ["--what-if", "tma.latency=2000"])):
            report = self.report("--timing-only", *options)
            paths.append(self.file("%d.json" % index, json.dumps(report)))
        done = self.run_(["tlx-run", "--compare", *paths, "--json"])
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        compared = json.loads(done.stdout)
        self.assertGreater(compared["cycles"]["b"], compared["cycles"]["a"])
        self.assertEqual(compared["bytes"]["l2"]["a"], compared["bytes"]["l2"]["b"])
        longest = compared["lines"][0]
        self.assertIn(longest["reason"], ("mbarrier", "join"))
        self.assertGreater(longest["cycles"]["b"] - longest["cycles"]["a"], 500)
        text = self.run_(["tlx-run", "--compare", *paths]).stdout.decode()
        self.assertIn("lines whose waiting changed most", text)
        self.refuses(["tlx-run", "--compare", paths[0], MANIFEST], MANIFEST)
        self.refuses(["tlx-run", "--compare", KERNEL, paths[0]], KERNEL)
        self.refuses(["tlx-run", "--compare", paths[0], "absent.json"], "absent.json", line=False)
        self.refuses(["tlx-run", "--compare", *paths, "--manifest", MANIFEST], None)

    def test_refusedCombinations(self):
        for options in (["--functional-only", "--timing-only"], ["--timing-only", "--save-outputs", "x"],
                        ["--schedule", "someday"], ["--chip", "h2000"], ["--what-if", "tma.latency=fast"], ["--threads", "0"]):
            self.refuses(["tlx-run", KERNEL, "--manifest", MANIFEST, *options], None)


if __name__ == "__main__":
    pytlx.main()
