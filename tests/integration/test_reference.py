#!/usr/bin/env python3
"""docs/reference is what the tools say: generated pages are current, and what tools write and read fits the schemas."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import pytlx
import schemas
from tools import KERNEL, MANIFEST

def tool(name, *arguments, code=0):
    done = subprocess.run([pytlx.tool(name), *arguments], capture_output=True, text=True)
    assert done.returncode == code, (done.args, done.returncode, done.stderr)
    return done.stdout


class Pages(unittest.TestCase):
    def test_generatedPagesAreCurrent(self):
        for page in ("chips", "commands", "json", "operations"):
            with self.subTest(page):
                done = subprocess.run([sys.executable, os.path.join(pytlx.SOURCE, "scripts", "reference_docs.py"), "--check", page], capture_output=True,
                                      text=True, env=dict(os.environ, TLX_BINARY_DIR=pytlx.BINARY))  # fmt: skip
                if "no llvm-tblgen" in done.stderr:
                    self.skipTest(done.stderr.strip())
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Waits(unittest.TestCase):
    def test_eachWordOfTheTimeLineIsExplained(self):
        words = set(re.findall(r'return "([^"]+)"', pytlx.read("sim/engine/Reason.cpp"))) - {"none", "?"}
        self.assertEqual(set(re.findall(r"(?m)^\| `([^`]+)` \| [a-z]", pytlx.read("docs/reference/tlx-run.md").split("## The report")[0])), words)
        self.assertGreater(len(words), 8)


class Limits(unittest.TestCase):
    """docs/reference/limits.md."""

    page = pytlx.read("docs/reference/limits.md")

    def row(self, option):
        return re.search(r"\n\| `%s[^`]*` \| ([^|]*) \|" % option, self.page).group(1)

    def test_defaultsAreThoseOfTheHelp(self):
        helps = {name: tool(name, "--help") for name in ("tlx-verify", "tlx-run", "tlx-opt", "tlx-compile")}
        seconds = {name: re.search(r"(?m)^ +--timeout\b.*?\(default:? (\w+)", text).group(1) for name, text in helps.items()}
        self.assertEqual((seconds["tlx-opt"], seconds["tlx-run"]), (seconds["tlx-compile"], "never"))
        self.assertEqual(self.row("--timeout"), "%s; `tlx-opt` and `tlx-compile` %s; a simulation none" % (seconds["tlx-verify"], seconds["tlx-opt"]))
        share = self.row("--memory-limit").split(" of ")[0]
        for name, text in helps.items():
            self.assertRegex(text, r"(?m)^ +--memory-limit\b.*\(default: %s of" % share, name)
        editor = re.search(r'secondsAllowed = "(\d+)"', pytlx.read("compiler/tools/lsp/Verification.cpp")).group(1)
        self.assertIn("`tlx-lsp-server` runs `tlx-verify` with %s s." % editor, self.page)

    def test_eachHasAHostileFile(self):
        cases = pytlx.read("tests/integration/test_hostile.py").replace("'%s' must be", "'ttg.num-warps' must be")
        table = self.page.split("| limit |")[1].split("\n\n")[0]
        said = [message.split("\u2026")[0].strip() for message in re.findall(r"\| `([^`]+)`[^|]*\|\n", table + "\n")]
        self.assertGreaterEqual(len(said), 9)
        for message in said:
            self.assertIn(message, cases)


class Schemas(unittest.TestCase):
    """Every schema has at least one real document here."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.seen = set()
        with open(KERNEL, encoding="utf-8") as file:
            text = file.read()
        broken = text.replace("32768", "16384")
        assert broken != text
        with open(cls.path("broken.mlir"), "w", encoding="utf-8") as file:
            file.write(broken)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.temporary.name, name)

    def fits(self, schema, document):
        self.seen.add(schema)
        self.assertEqual(schemas.errors(document, schemas.load(schema)), [])

    def fileFits(self, schema, path):
        with open(path, encoding="utf-8") as file:
            self.fits(schema, json.load(file))

    def test_verdicts(self):
        self.fits("verdicts", json.loads(tool("tlx-verify", KERNEL, "--json", "--no-cache")))
        self.fits("verdicts", json.loads(tool("tlx-verify", self.path("broken.mlir"), "--manifest", MANIFEST, "--json", "--replay-out",
                                              self.path("trace.json"), code=1)))  # fmt: skip
        self.fileFits("replay", self.path("trace.json"))
        tool("tlx-verify", self.path("broken.mlir"), "--manifest", MANIFEST, "--write-baseline", self.path("baseline.json"), code=1)
        self.fileFits("baseline", self.path("baseline.json"))
        policy = {"war-proxy": "error", "classes": {"proxy-fence": "warning", "exit": "off"},
                  "suppressions": [{"class": "bytes-mismatch", "file": "hopper_ws.py", "line": 1, "reason": "an example"}]}  # fmt: skip
        self.fits("policy", policy)
        with open(self.path("policy.json"), "w") as file:
            json.dump(policy, file)
        self.fits("verdicts", json.loads(tool("tlx-verify", KERNEL, "--json", "--policy", self.path("policy.json"))))

    def test_runs(self):
        arguments = [KERNEL, "--manifest", MANIFEST, "--json"]
        for name, more in (("a", ["--save-outputs", self.path("out")]), ("b", ["--what-if", "tma.latency=900", "--check", self.path("out")]),
                           ("c", ["--functional-only"])):  # fmt: skip
            text = tool("tlx-run", *arguments, *more)
            self.fits("run", json.loads(text))
            with open(self.path(name + ".json"), "w") as file:
                file.write(text)
        self.fits("run", json.loads(tool("tlx-run", self.path("broken.mlir"), "--manifest", MANIFEST, "--json", "--functional-only", code=1)))
        self.fits("comparison", json.loads(tool("tlx-run", "--compare", self.path("a.json"), self.path("b.json"), "--json")))
        # The kernel may follow an option that can be repeated.
        tool("tlx-run", "--results", self.path("sweep.jsonl"), "--sweep", MANIFEST, KERNEL)
        with open(self.path("sweep.jsonl")) as file:
            for line in file:
                self.fits("sweep", json.loads(line))

    def test_whatElseIsPrinted(self):
        self.fits("doctor", json.loads(tool("tlx", "doctor", "--json")))
        self.fits("chips", json.loads(tool("tlx", "chips", "--json")))
        tool("tlx-compile", KERNEL, "--manifest", MANIFEST, "-o", self.path("k.tlxk"))
        with open(self.path("k.tlxk"), "rb") as file:
            self.assertEqual(file.readline(), b"TLXK1\n")
            self.fits("package", json.loads(file.read(int(file.readline()))))

    def test_manifests(self):
        manifests = [os.path.join(pytlx.SOURCE, path) for path in pytlx.trackedFiles("kernels/*.json")]
        self.assertGreater(len(manifests), 10)
        if pytlx.shared():
            manifests += sorted(glob.glob(os.path.join(pytlx.shared(), "corpus", "*", "*", "launch*.json")))[::20]
        for path in manifests:
            with self.subTest(path):
                self.fileFits("manifest", path)

    def test_zEverySchemaWasUsed(self):
        self.assertEqual({os.path.basename(path)[:-len(".json")] for path in glob.glob(os.path.join(schemas.FOLDER, "*.json"))} - self.seen, set())


class Judge(unittest.TestCase):
    def test_wrongDocumentsAreSeen(self):
        baseline = {"format": "tlx-baseline", "version": 1, "findings": [{"kernel": "k", "class": "race", "file": "f", "line": 3}]}
        schema = schemas.load("baseline")
        self.assertEqual(schemas.errors(baseline, schema), [])
        self.assertEqual(schemas.errors({**baseline, "version": 2}, schema), ["$.version: 2 is none of [1]"])
        self.assertEqual(schemas.errors({**baseline, "more": 0}, schema), ["$: unknown key 'more'"])
        del baseline["findings"][0]["line"]
        self.assertEqual(schemas.errors(baseline, schema), ["$.findings[0]: lacks 'line'"])
        with self.assertRaises(KeyError):
            schemas.errors({}, {"patternProperties": {}})


if __name__ == "__main__":
    pytlx.main()
