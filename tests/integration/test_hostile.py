#!/usr/bin/env python3
"""Input that asks for far more than it is large: every tool answers in time, with one error or an UNKNOWN, and writes
nothing but what it was asked for."""
import glob
import json
import os
import shutil
import subprocess
import sys

import pytlx
from tools import KERNEL, MANIFEST, ToolTest

UNKNOWN = 4
HEAD = 'module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {\n'
SHARED = "#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>\n#smem = #ttg.shared_memory\n"


def kernel(body, arguments="%a: i32, %c: i1, %p: !tt.ptr<f32>"):
    return HEAD + "  tt.func public @k(%s) {\n%s    tt.return\n  }\n}\n" % (arguments, body)


def chain(length, form):
    """%v0 to %v<length>, each made of the one before it."""
    return "%v0 = arith.addi %a, %a : i32\n" + "".join("%%v%d = %s : i32\n" % (i, form.replace("@", "%%v%d" % (i - 1))) for i in range(1, length + 1))


def aliases(levels, sigil, first, form, use):
    lines = ["%s0 = %s\n" % (sigil, first)]
    lines += ["%s%d = %s\n" % (sigil, i, form.replace("@", "%s%d" % (sigil, i - 1))) for i in range(1, levels + 1)]
    return "".join(lines) + use.replace("@", "%s%d" % (sigil, levels))


def loop(bound):
    return "scf.for %%i = %%a to %s step %%a : i32 {\n}\n" % bound


ARGUMENTS = [{"name": "a", "kind": "scalar", "type": "i32", "value": 1}, {"name": "c", "kind": "scalar", "type": "i1", "value": 1},
             {"name": "p", "kind": "pointer", "type": "*fp32", "dtype": "f32", "shape": [4], "strides": [1], "storage": 0, "offset": 0, "data": {"fill": "zeros"}}]


def manifest(grid=(1, 1, 1), cluster=(), **memory):
    arguments = json.loads(json.dumps(ARGUMENTS))
    arguments[2].update(memory)
    return json.dumps({"kernel": "k", "target": "cuda:90", "grid": list(grid), "cluster": list(cluster), "metadata": {"default_num_warps": 4, "num_ctas": 1},
                       "args": arguments, "constexprs": {}}, indent=1)


class Hostile(ToolTest):
    def commands(self, path):
        launch = self.file("launch.json", manifest())
        return (["tlx-opt", path], ["tlx-verify", "--no-cache", path], ["tlx-compile", path, "--emit", "ptx"],
                ["tlx-run", "--device", "sim", path, "--manifest", launch])

    def allRefuse(self, content, says, name="k.ttir"):
        """One located error of every tool, within seconds."""
        path = self.file(name, content)
        for command in self.commands(path):
            with self.subTest(tool=command[0]):
                self.refuses(command, path, says)

    def answers(self, command, codes, says="", timeout=60):
        done = self.run_(command, timeout)
        err = done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")
        self.assertIn(done.returncode, codes, err[:2000])
        self.assertIn(says, err[:4000])
        self.assertNotIn("PLEASE submit a bug report", err[:4000])


class Text(Hostile):
    def test_deepNesting(self):
        for name, content in {"parentheses": "(" * 10**6, "regions": kernel("scf.if %c {\n" * 10**5 + "}\n" * 10**5),
                              "types": kernel("", "%z: " + "tuple<" * 10**5), "locations": "module {\n} loc(" + "fused[" * 10**5}.items():
            with self.subTest(name):
                self.allRefuse(content, "nesting deeper than 256 levels")

    def test_nestingThatIsAllowed(self):
        for name, content in {"if": kernel("scf.if %c {\n" * 250 + "}\n" * 250),
                              "for": kernel("".join("scf.for %%i%d = %%a to %%a step %%a : i32 {\n" % i for i in range(250)) + "}\n" * 250)}.items():
            with self.subTest(name):
                for command in self.commands(self.file("k.ttir", content)):
                    self.answers(command, [0])

    def test_aliasesThatDouble(self):
        for name, content in {"attributes": aliases(64, "#a", "[1]", "[@, @]", "module attributes {tt.x = @} {\n}\n"),
                              "types": aliases(64, "!t", "i32", "tuple<@, @>", kernel("", "%z: @")),
                              "locations": aliases(64, "#l", 'loc("a":1:1)', "loc(callsite(@ at @))", "module {\n} loc(@)\n"),
                              "a complaint": aliases(64, "!t", "i32", "tuple<@, @>", kernel("%x = arith.addi %z, %a : i32\n", "%a: i32, %z: @"))}.items():
            with self.subTest(name):
                self.allRefuse(content, "an alias that stands for more than 65536 others")

    def test_aliasesThatNest(self):
        for name, content in {"attributes": aliases(10**4, "#a", "[1]", "[@]", "module attributes {tt.x = @} {\n}\n"),
                              "locations": aliases(10**4, "#l", 'loc("a":1:1)', "loc(callsite(@ at #l0))", "module {\n} loc(@)\n")}.items():
            with self.subTest(name):
                self.allRefuse(content, "nesting deeper than 256 levels")

    def test_longNumbers(self):
        self.allRefuse(kernel("%x = arith.constant " + "9" * 10**6 + " : i32\n"), "a number of more than 1024 digits")

    def test_longNames(self):
        path = self.file("k.ttir", kernel('%x = "' + "q" * 10**6 + '"() : () -> ()\n'))
        for command in self.commands(path):
            with self.subTest(tool=command[0]):
                self.assertLess(len(self.refuses(command, path, "unknown operation")), 5000)


class Sizes(Hostile):
    def test_hugeTiles(self):
        for name, body in {"constant": "%x = arith.constant dense<0> : tensor<1099511627776xi32>\n",
                           "product that overflows": "%x = arith.constant dense<0.0> : tensor<9999999999999x9999999999999xf32>\n",
                           "range": "%x = tt.make_range {end = 2147483647 : i32, start = 0 : i32} : tensor<2147483647xi32>\n",
                           "splat": "%x = tt.splat %a : i32 -> tensor<2097152xi32>\n"}.items():
            with self.subTest(name):
                self.allRefuse(kernel(body), "has a tile of more than 1048576 elements")
        with self.subTest("argument"):
            self.allRefuse(kernel("", "%a: tensor<2097152xi32>"), "has a tile of more than 1048576 elements")

    def test_largestTile(self):
        path = self.file("k.ttir", kernel("%x = tt.splat %a : i32 -> tensor<1048576xi32>\n%y = arith.addi %x, %x : tensor<1048576xi32>\n"))
        for command in self.commands(path):
            with self.subTest(tool=command[0]):
                self.answers(command, [0])

    def test_tilesWithoutSize(self):
        for shape in ("0", "?", "4x0"):
            with self.subTest(shape):
                self.allRefuse(kernel("", "%%a: tensor<%sxi32>" % shape), "has a tile without a fixed, positive size")

    def test_hugeBuffers(self):
        buffer = "!ttg.memdesc<1099511627776xf32, #s, #smem, mutable>"
        self.allRefuse(SHARED + kernel("%x = ttg.local_alloc : () -> " + buffer + "\n"), "has a buffer of more than 268435456 elements", "k.ttgir")

    def test_launchParametersThatNoLaunchHas(self):
        for name, value in (("ttg.num-warps", "0 : i32"), ("ttg.num-warps", "-4 : i32"), ("ttg.num-warps", "3 : i32"), ("ttg.num-warps", "2147483647 : i32"),
                            ("ttg.num-warps", '"four"'), ("ttg.num-warps", "99999999999999999999999999999 : i128"), ("ttg.num-ctas", "2147483647 : i32"),
                            ("ttg.threads-per-warp", "0 : i32"), ("ttg.cluster-dim-x", "17 : i32")):
            with self.subTest(name=name, value=value):
                self.allRefuse('module attributes {"%s" = %s} {\n  tt.func public @k(%%a: i32) {\n    tt.return\n  }\n}\n' % (name, value), "'%s' must be " % name)


class Work(Hostile):
    def test_expressionsThatDouble(self):
        for form in ("arith.addi @, @", "arith.muli @, @"):
            with self.subTest(form):
                path = self.file("k.ttir", kernel(chain(500, form) + loop("%v500")))
                self.answers(["tlx-verify", "--no-cache", "--timeout", "2", path], [0, UNKNOWN], timeout=20)
                self.answers(["tlx-opt", path], [0])

    def test_longChains(self):
        path = self.file("k.ttir", kernel(chain(10**5, "arith.addi @, %a") + loop("%v100000")))
        self.answers(["tlx-verify", "--no-cache", "--timeout", "30", path], [0, UNKNOWN])

    def test_loopsWithoutEnd(self):
        for body in ("%t = arith.constant true\nscf.while : () -> () {\n scf.condition(%t)\n} do {\n scf.yield\n}\n",
                     "%0 = arith.constant 0 : i32\n%n = arith.constant 10 : i32\nscf.for %i = %0 to %n step %0 : i32 {\n}\n"):
            path = self.file("k.ttir", kernel(body))
            with self.subTest(body):
                command = self.commands(path)[3]
                self.answers([*command, "--timeout", "1"], [UNKNOWN], "k.ttir: error: no answer within 1 s")
                self.answers(["tlx-verify", "--no-cache", path], [0, UNKNOWN])

    def test_millionsOfOperationsMeetTheLimits(self):
        path = self.file("k.ttir", kernel(chain(10**6, "arith.addi @, %a")))
        for tool, *rest in self.commands(path):
            with self.subTest(tool=tool):
                self.answers([tool, *rest, "--timeout=1"], [0, UNKNOWN], timeout=30)
                self.answers([tool, *rest, "--memory-limit=150"], [UNKNOWN], "150 MiB of memory")

    def test_oneKernelTooMuchCostsNoOtherItsVerdict(self):
        self.file("a.ttir", kernel(chain(10**6, "arith.addi @, %a")))
        self.file("b.ttir", kernel(loop("%a")))
        done = self.run_(["tlx-verify", "--no-cache", "--json", "--jobs", "1", "--memory-limit", "250", self.folder])
        verdicts = [(result["verdict"], result["reason"]) for result in json.loads(done.stdout)["results"]]
        self.assertEqual((done.returncode, verdicts), (UNKNOWN, [("UNKNOWN", "memory"), ("PROVED", "")]))

    def test_thousandsOfKernelsInAFile(self):
        one = kernel("tt.store %p, %f : !tt.ptr<f32>\n", "%p: !tt.ptr<f32>, %f: f32")[len(HEAD):-len("}\n")]
        path = self.file("k.ttir", HEAD + "".join(one.replace("@k", "@k%d" % i) for i in range(2000)) + "}\n")
        done = self.run_(["tlx-verify", "--no-cache", "--json", path])
        self.assertEqual((done.returncode, [r["verdict"] for r in json.loads(done.stdout)["results"]]), (0, ["PROVED"] * 2000), done.stderr[:2000])

    def test_callsWithoutEnd(self):
        recursion = HEAD + "tt.func public @k(%a: i32, %c: i1, %p: !tt.ptr<f32>) {\n tt.call @f(%a) : (i32) -> ()\n tt.return\n}\n" \
            "tt.func private @f(%a: i32) {\n tt.call @f(%a) : (i32) -> ()\n tt.return\n}\n}\n"
        twice = HEAD + "tt.func public @k(%a: i32, %c: i1, %p: !tt.ptr<f32>) {\n tt.call @f0(%a) : (i32) -> ()\n tt.return\n}\n" + "".join(
            "tt.func private @f%d(%%a: i32) {\n tt.call @f%d(%%a) : (i32) -> ()\n tt.call @f%d(%%a) : (i32) -> ()\n tt.return\n}\n" % (i, i + 1, i + 1)
            for i in range(40)) + "tt.func private @f40(%a: i32) {\n tt.print \"x\" {hex = false, isSigned = array<i32: 1>} : %a : i32\n tt.return\n}\n}\n"
        for name, content in {"recursion": recursion, "twice each": twice}.items():
            path = self.file("k.source", content)
            for command in self.commands(path):
                with self.subTest(name, tool=command[0]):
                    self.answers([*command, "--timeout=3"], [0, 1, 2, UNKNOWN], timeout=30)


    def test_parametersWithoutEnd(self):
        path = self.file("k.ttir", kernel("", ", ".join("%%a%d: i32" % i for i in range(10**5))))
        self.refuses(["tlx-compile", path, "--emit", "ptx"], path, "400000 bytes of parameters; at most 32764 can be given")


class Launches(Hostile):
    def launch(self, text):
        return ["tlx-run", "--device", "sim", self.file("k.ttir", kernel("")), "--manifest", self.file("launch.json", text)]

    def refused(self, text, says):
        command = self.launch(text)
        self.refuses(command, command[-1], says)

    def test_billionsOfCtas(self):
        self.refused(manifest(grid=(2147483647, 65535, 65535)), "the grid is too large to simulate")

    def test_absurdMemory(self):
        self.refused(manifest(shape=[1 << 40]), "not enough memory")
        self.refused(manifest(shape=[1 << 41]), "")
        self.refused(manifest(shape=[1 << 30, 1 << 30], strides=[1, 1]), "describes more than 2^40 elements")
        self.refused(manifest(shape=[4], strides=[1 << 39]), "describes more than 2^40 elements")
        self.refused(manifest(strides=[-1]), "'args[2].strides[0]'")
        self.refused(manifest(offset=-1), "'args[2].offset'")
        self.refused(manifest(offset=1 << 62), "'args[2].offset'")
        self.refused(manifest(storage=1 << 40), "'args[2].storage'")

    def test_notNumbers(self):
        for old, new in (('"value": 1', '"value": NaN'), ('"value": 1', '"value": 1e400'), ('"value": 1', '"value": 1.5'), ('"value": 1', '"value": ' + "9" * 10000)):
            with self.subTest(new[:20]):
                self.refused(manifest().replace(old, new), "")

    def test_moreDataThanTheLimit(self):
        command = self.launch(manifest(shape=[1 << 28]))
        self.refuses([*command, "--memory-limit", "300"], command[-1], "not enough memory for the 1024 MiB of 'p'")
        self.answers([*command, "--memory-limit", "300", "--timing-only"], [0])


class Json(Hostile):
    """Whoever reads it, and whatever for."""

    def test_bombs(self):
        for name, content, says in (("arrays", "[" * 10**6, "nested deeper than 100 levels"), ("objects", '{"a":' * 10**6, "nested deeper than 100 levels"),
                                    ("digits", "1" * 10**6, "the number is too large"), ("no text", b'{"\xff\xfe":1}', "not UTF-8"),
                                    ("many keys", "{" + ",".join('"k%d":0' % i for i in range(10**5)) + "}", "k"), ("a long string", '"' + "x" * 10**7 + '"', "")):
            path = self.file("bomb.json", content)
            for command in (["tlx-verify", KERNEL, "--manifest", path], ["tlx-verify", KERNEL, "--policy", path], ["tlx-verify", KERNEL, "--baseline", path],
                            ["tlx-run", "--device", "sim", KERNEL, "--manifest", path], ["tlx-run", "--device", "sim", KERNEL, "--replay", path],
                            ["tlx-run", "--compare", path, path], ["tlx-compile", KERNEL, "--manifest", path, "--emit", "ptx"], ["tlx", "explain", path]):
                with self.subTest(name, command=" ".join(command[:-1])):
                    self.assertLess(len(self.refuses(command, path, says)), 1000)


class NoFiles(Hostile):
    """What is no file, or has no end, is refused before it is read: nothing waits, nothing fills the memory."""

    def readers(self, path):
        return (*self.commands(path), ["tlx", "verify", path], ["tlx-verify", KERNEL, "--manifest", path],
                ["tlx-verify", KERNEL, "--policy", path], ["tlx-verify", KERNEL, "--baseline", path], ["tlx-compile", KERNEL, "--manifest", path, "--emit", "ptx"],
                ["tlx-run", "--device", "sim", KERNEL, "--manifest", path], ["tlx-run", "--device", "sim", KERNEL, "--replay", path],
                ["tlx-run", "--compare", path, path], ["tlx-run", "--device", "sim", KERNEL, "--sweep", path],
                ["tlx-run", "--device", "sim", KERNEL, "--manifest", MANIFEST, "--chip", path])

    def test_areRefusedAtOnce(self):
        pipe, large = os.path.join(self.folder, "pipe"), self.file("large", "")
        os.mkfifo(pipe)
        os.truncate(large, 5 << 30)
        for path, says in (("/dev/zero", "cannot read: is a device, not a file"), (pipe, "cannot read: is a pipe, not a file"),
                           (large, "cannot read: larger than 256 MiB")):
            for command in self.readers(path):
                with self.subTest(path, command=command):
                    self.refuses(command, path, says, line=False, timeout=15)

    def test_dataOfAManifest(self):
        for path, says in (("/dev/zero", "is a device"), (self.file("large.npy", ""), "larger than 4096 MiB")):
            if path != "/dev/zero":
                os.truncate(path, 5 << 30)
            launch = self.file("launch.json", manifest(data={"file": path}))
            with self.subTest(path):
                self.refuses(["tlx-run", "--device", "sim", self.file("k.ttir", kernel("")), "--manifest", launch], None, says, line=False, timeout=15)

    def test_standardInputWithoutEnd(self):
        for command in self.commands("-"):
            with self.subTest(tool=command[0]), open("/dev/zero", "rb") as endless:
                done = subprocess.run([pytlx.tool(command[0]), *command[1:]], stdin=endless, capture_output=True, text=True, timeout=30, cwd=self.folder)
                self.assertEqual((done.returncode, done.stderr), (2, "<stdin>: error: cannot read: larger than 256 MiB\n"))


class FullDisk(Hostile):
    """What is printed in part only is no answer, whatever the verdict."""

    def test_isSaid(self):
        path = self.file("k.ttir", kernel(""))
        launch = self.file("launch.json", manifest())
        for command in (*self.commands(path), ["tlx-verify", "--json", path], ["tlx-verify", "--sarif", path],
                        ["tlx-verify", "--help"], ["tlx-run", "--device", "sim", path, "--manifest", launch, "--json"], ["tlx", "chips", "h200"],
                        ["tlx", "explain", "race"], ["tlx", "verify", path]):
            with self.subTest(command=command), open("/dev/full", "wb") as full:
                done = subprocess.run([pytlx.tool(command[0]), *command[1:]], stdout=full, stderr=subprocess.PIPE, text=True, cwd=self.folder)
                self.assertEqual((done.returncode, "<stdout>: error: cannot write" in done.stderr), (2, True), done.stderr)


class Packages(Hostile):
    """Read before any device has a look; nothing of them is a path."""

    def package(self, **changes):
        header = {"kernel": "../../k", "target": "cuda:90", "warps": 4, "cluster": [1, 1, 1], "shared_bytes": 0, "global_scratch_bytes": 0,
                  "global_scratch_alignment": 1, "source_sha256": "", "parameters": [], "codes": [{"arch": "../../sm_90a", "form": "ptx", "bytes": 3}]}
        header.update(changes)
        text = json.dumps(header)
        return ("TLXK1\n%d\n%s" % (len(text), text)).encode() + b"ptx"

    def test_damaged(self):
        whole = self.package()
        far = [{"arch": "sm_90a", "form": "ptx", "bytes": 2**64 - 1}]
        crossed = [{"arch": "sm_90a", "form": "ptx", "bytes": 2}, {"arch": "sm_90a", "form": "ptx", "bytes": 2}]
        for name, content in {"cut in its code": whole[:-1], "cut in its header": whole[:60], "longer than it says": whole + b"x",
                              "a length without end": b"TLXK1\n" + b"9" * 40 + b"\n{}", "no length": b"TLXK1\n", "no header": b"TLXK1\n2\n{}",
                              "code beyond the file": self.package(codes=far), "codes that cross": self.package(codes=crossed),
                              "nested header": b"TLXK1\n1000000\n" + b"[" * 10**6, "terabytes of scratch": self.package(global_scratch_bytes=1 << 40),
                              "a thousand warps": self.package(warps=1000), "minus one": self.package(shared_bytes=-1)}.items():
            path = self.file("k.tlxk", content)
            for device in ("sim", "null"):
                with self.subTest(name, device=device):
                    self.refuses(["tlx-run", "--device", device, path, "--manifest", self.file("launch.json", manifest())], path, line=False)

    def test_wholeOnesAreNotSimulated(self):
        path = self.file("k.tlxk", self.package())
        launch = self.file("launch.json", manifest())
        self.refuses(["tlx-run", "--device", "sim", path, "--manifest", launch], path, "a package holds machine code", line=False)
        self.answers(["tlx-run", "--device", "null", path, "--manifest", launch], [0])


class Folder(Hostile):
    def test_kernelsNameNoPlaceToWriteTo(self):
        """Names in IR and in packages are only names."""
        inside = os.path.join(self.folder, "in")
        os.mkdir(inside)
        path = self.file("in/k.ttir", kernel("").replace("@k", '@"../../escaped"'))
        before = sorted(os.listdir(self.folder))
        launch = self.file("in/launch.json", manifest().replace('"kernel": "k"', '"kernel": "../../escaped"'))
        says = {"tlx-verify": "PROVED", "tlx-compile": "a name with characters that PTX does not have", "tlx-run": "../../escaped"}
        for command in (["tlx-verify", "--no-cache", path], ["tlx-compile", path, "-o", "in/k.tlxk"],
                        ["tlx-run", "--device", "sim", path, "--manifest", launch, "--save-outputs", "in/out", "--trace", "in/trace.json"]):
            self.answers(command, [0, 2], says[command[0]])
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        self.assertNotIn("escaped", "".join(os.listdir(os.path.dirname(self.folder))))

    def test_pluginsAreNotLoaded(self):
        """What is no plugin is refused, and no other option loads code."""
        path = self.file("k.ttir", kernel(""))
        for option in ("--load-pass-plugin=x.so", "--load-dialect-plugin=x.so", "--load=x.so"):
            for command in self.commands(path):
                with self.subTest(option, tool=command[0]):
                    self.refuses([*command, option], None)


    def test_noPythonOfTheFolderIsLoaded(self):
        """Beside downloaded kernels may lie modules that are named like those that the recorder and its interpreter import."""
        for name in ("tlx_record", "numpy", "triton", "csv", "email", "argparse", "runpy", "json"):
            self.file(name + ".py", "open(%r, 'w')\n" % os.path.join(self.folder, "loaded"))
        for command in (["tlx", "doctor"], ["tlx", "record", "--help"], ["tlx", "record", "absent.py"], ["tlx", "verify", "absent.py"]):
            done = self.run_(command)
            self.assertIn(done.returncode, (0, 2), done.stderr)
            self.assertFalse(os.path.exists(os.path.join(self.folder, "loaded")), command)

    def test_namesOfProgramsAreNoCommands(self):
        """No shell reads them."""
        for name in ("$(touch loaded).py", "a;touch loaded;.py", "`touch loaded`.py", "a\nb.py"):
            for command in ("verify", "run", "record", "compile", "explain"):
                done = self.run_(["tlx", command, name])
                self.assertEqual(done.returncode, 2, done.stderr)
        self.run_(["tlx", "completion", "words", "verify", "--target", "$(touch loaded)"])
        self.assertFalse(os.path.exists(os.path.join(self.folder, "loaded")))

    def test_recordedFilesStayInTheirFolder(self):
        """A kernel's name comes from the program, which may have made it out of anything."""
        sys.path.insert(0, os.path.join(pytlx.SOURCE, "python"))
        from tlx_record import names

        self.assertEqual([names.file_name(name) for name in ("add", "../../add", "a/b", "", ".", "..", "<lambda>", "a\0b", "\u00e4dd")],
                         ["add", "______add", "a_b", "_", "_", "__", "_lambda_", "a_b", "\u00e4dd"])  # fmt: skip
        kept, link = self.file("kept", "kept"), os.path.join(self.folder, "k.ttir")
        os.symlink("kept", link)
        for path in (names.in_folder(self.folder, "k.ttir"), names.in_folder(self.folder, "kept")):
            self.assertFalse(os.path.islink(path))
        self.assertEqual((os.path.exists(link), os.path.exists(kept)), (False, True))

    def test_aLinkInAnOutputFolderIsNotFollowed(self):
        """Folders come with what was downloaded; what a run saves is named by numbers."""
        victim = self.file("victim", "kept")
        os.mkdir(os.path.join(self.folder, "out"))
        for number in range(4):
            os.symlink("../victim", os.path.join(self.folder, "out", "%d.npy" % number))
        done = self.run_(["tlx-run", "--device", "sim", KERNEL, "--manifest", MANIFEST, "--functional-only", "--save-outputs", "out"])
        self.assertEqual((done.returncode, os.path.islink(os.path.join(self.folder, "out", "2.npy"))), (0, False), done.stderr)
        with open(victim) as file:
            self.assertEqual(file.read(), "kept")

    def test_librariesComeFromKnownFolders(self):
        """An empty entry of the search path is the current folder, which anybody may have filled."""
        if not shutil.which("patchelf"):
            self.skipTest("patchelf is not installed")
        libraries = glob.glob(os.path.join(pytlx.BINARY, "lib", "*.so"))
        self.assertGreaterEqual(len(libraries), 2)
        for file in [pytlx.tool(name) for name in ("tlx", "tlx-run", "tlx-verify", "tlx-compile", "tlx-opt")] + libraries:
            path = subprocess.run(["patchelf", "--print-rpath", file], capture_output=True, text=True, check=True).stdout.strip()
            for folder in path.split(":") if path else []:
                self.assertTrue(folder.startswith(("/", "$ORIGIN")), "%s: '%s'" % (file, path))


if __name__ == "__main__":
    pytlx.main()
