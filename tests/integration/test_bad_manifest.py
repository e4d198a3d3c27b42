#!/usr/bin/env python3
"""A launch manifest that cannot be read, or does not fit the kernel, is refused where it is wrong."""
import json
import os

import pytlx
from tools import KERNEL, MANIFEST, ToolTest


class BadManifest(ToolTest):
    def run_on(self, manifest):
        return ["tlx-run", "--device", "sim", KERNEL, "--manifest", manifest]

    def refused(self, content, says="", line=True):
        path = self.file("launch.json", content if isinstance(content, (str, bytes)) else json.dumps(content, indent=1))
        self.refuses(self.run_on(path), path, says, line)

    def changed(self, change, says="", line=True):
        with open(MANIFEST, encoding="utf-8") as file:
            manifest = json.load(file)
        change(manifest)
        self.refused(manifest, says, line)

    def test_unreadable(self):
        for command in (self.run_on(os.path.join(self.folder, "absent.json")), self.run_on(self.folder)):
            self.refuses(command, command[-1], line=False)
        for command in (["tlx-verify", KERNEL, "--manifest", os.path.join(self.folder, "absent.json")],):
            self.refuses(command, command[-1], line=False)

    def test_notJson(self):
        with open(MANIFEST, "rb") as file:
            text = file.read()
        for content in (b"", b"{", text[:len(text) // 2], bytes(range(256)), b"[" * 100000, b'{"kernel": 1e999999}'):
            with self.subTest(content=content[:20]):
                self.refused(content)

    def test_notAManifest(self):
        for content in ("[]", "3", "{}", '{"kernel": 7}', '{"kernel": "k", "grid": "x"}'):
            with self.subTest(content=content):
                self.refused(content)

    def test_otherKernel(self):
        self.changed(lambda m: m.update(kernel="no_such_kernel"), "no_such_kernel")
        for tool in ("tlx-verify", "tlx-compile"):
            self.refuses([tool, KERNEL, "--manifest", self.file("launch.json", '{"kernel": "no_such_kernel", "target": "cuda:90", "grid": [1, 1, 1], '
                                                                '"metadata": {"default_num_warps": 4}, "args": []}')], where=None, says="no_such_kernel", line=False)

    def test_otherArguments(self):
        with self.subTest("one fewer"):
            self.changed(lambda m: m["args"].pop(), line=False)
        with self.subTest("one more"):
            self.changed(lambda m: m["args"].append({"kind": "scalar", "type": "i32", "value": 1, "name": "x"}), line=False)
        with self.subTest("another kind"):
            self.changed(lambda m: m["args"].__setitem__(0, {"kind": "scalar", "type": "i32", "value": 1, "name": "x"}), line=False)

    def test_aPointerThatIsNotAsAlignedAsTheKernelReliesOn(self):
        kernel = self.file("one.ttir", "module {\n  tt.func public @one(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {\n"
                           "    %c = arith.constant 1.0 : f16\n    tt.store %p, %c : !tt.ptr<f16>\n    tt.return\n  }\n}\n")
        for offset in (3, 8):  # elements of two bytes
            launch = {"kernel": "one", "target": "cuda:90", "grid": [1, 1, 1], "metadata": {"default_num_warps": 4},
                      "args": [{"kind": "pointer", "name": "p", "dtype": "f16", "shape": [4], "strides": [1], "storage": 0, "offset": offset,
                                "data": {"fill": "zeros"}}]}
            path = self.file("one.json", json.dumps(launch, indent=1))
            command = ["tlx-run", "--device", "sim", kernel, "--manifest", path]
            with self.subTest(offset=offset):
                if offset == 8:
                    self.assertEqual(self.run_(command).returncode, 0)
                else:
                    self.refuses(command, path, "'p', whose offset is 6 bytes, no multiple of 16 (tt.divisibility)")

    def test_memoryThatIsNotThere(self):
        """Misaligned descriptors, pointers out of range, more shared memory than a CTA can have."""
        def argument(**changes):
            return lambda m: m["args"][0].update(changes)
        cases = {
            "byte 8 of its storage": argument(offset=4),
            "386 bytes": argument(strides=[193, 1], base_shape=[256, 193]),
            "contiguous elements": argument(shape=[192, 1], strides=[192, 192]),
            "300000 bytes of shared memory": lambda m: m["metadata"].update(shared=300000),
        }
        for says, change in cases.items():
            with self.subTest(says):
                self.changed(change, says)

    def test_metadataOfAnotherKernel(self):
        """What the kernel states otherwise; the same launch without the lie runs."""
        cases = {
            "default_num_warps is 8; %s says ttg.num-warps = 4" % KERNEL: {"default_num_warps": 8},
            "num_ctas is 2; %s says ttg.num-ctas = 1" % KERNEL: {"num_ctas": 2},
            "num_warps is 4; the kernel's regions need 12": {"num_warps": 4},
            "num_warps is 16; the kernel's regions need 12": {"num_warps": 16},
            "shared is 32768 bytes; a buffer of the kernel alone has 65536": {"shared": 32768},
        }
        for says, lie in cases.items():
            with self.subTest(says):
                self.changed(lambda m: m["metadata"].update(lie), says)
        with open(MANIFEST, encoding="utf-8") as file:
            manifest = json.load(file)
        manifest["metadata"]["shared"] = 65536
        for key in ("default_num_warps", "num_warps", "num_ctas"):
            with self.subTest("true", without=key):
                path = self.file("launch.json", json.dumps(manifest))
                self.assertEqual(self.run_(self.run_on(path) + ["--timing-only"]).returncode, 0)
                del manifest["metadata"][key]

    def test_metadataOfAnotherPlainKernel(self):
        """Nothing is specialised: more warps may come from loops that are yet to be, fewer from nowhere."""
        kernel = os.path.join(pytlx.SOURCE, "kernels", "norm", "softmax.mlir")
        with open(kernel.replace(".mlir", ".json"), encoding="utf-8") as file:
            manifest = json.load(file)
        for warps, code in ((2, 2), (4, 0), (12, 0)):
            with self.subTest(warps=warps):
                manifest["metadata"]["num_warps"] = warps
                path = self.file("launch.json", json.dumps(manifest, indent=1))
                command = ["tlx-run", kernel, "--manifest", path, "--timing-only"]
                if code:
                    self.refuses(command, path, "num_warps is 2; the kernel's regions need 4")
                else:
                    self.assertEqual(self.run_(command).returncode, 0)

    def test_tensorMemoryOfAnotherKernel(self):
        kernel = os.path.join(pytlx.SOURCE, "kernels", "gemm", "blackwell_ws.mlir")
        with open(kernel.replace(".mlir", ".json"), encoding="utf-8") as file:
            manifest = json.load(file)
        for columns, says in ((1024, "tmem_size is 1024 columns; a CTA has 512"),
                              (16, "tmem_size is 16 columns; a buffer of the kernel alone has "), (512, None)):
            with self.subTest(columns=columns):
                manifest["metadata"]["tmem_size"] = columns
                path = self.file("launch.json", json.dumps(manifest, indent=1))
                command = ["tlx-run", kernel, "--manifest", path, "--timing-only"]
                if says:
                    self.refuses(command, path, says)
                else:
                    self.assertEqual(self.run_(command).returncode, 0)

    def test_kernelNeedsMoreThanTheChipHas(self):
        command = self.run_on(MANIFEST) + ["--what-if", "sm.smemPerCta=65536"]
        self.refuses(command, os.path.join("kernels", "gemm", "hopper_ws.py"), "bytes of shared memory")

    def test_otherTarget(self):
        with open(MANIFEST, encoding="utf-8") as file:
            manifest = json.load(file)
        manifest["target"] = "cuda:100"
        path = self.file("launch.json", json.dumps(manifest))
        self.refuses(self.run_on(path), os.path.join("kernels", "gemm", "hopper_ws.py"),
                     "the module is for cuda:90; the launch is for cuda:100")

    def test_pointersOutOfRange(self):
        """Found where the kernel reads: its finding, exit code 1."""
        folder = os.path.join(pytlx.SOURCE, "kernels", "norm")
        with open(os.path.join(folder, "softmax.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        manifest["args"][0]["shape"] = [36, 1000]  # the launch has 37 rows
        path = self.file("launch.json", json.dumps(manifest))
        done = self.run_(["tlx-run", os.path.join(folder, "softmax.mlir"), "--manifest", path])
        errors = [text for text in done.stderr.decode().splitlines() if "error: " in text]
        self.assertEqual((done.returncode, len(errors)), (1, 1), errors)
        self.assertRegex(errors[0], r"softmax\.py:\d+:\d+: error: a load .*'x' has 144000 bytes")

    def test_oddValues(self):
        changes = {
            "grid of zero": lambda m: m.update(grid=[0, 1, 1]),
            "negative grid": lambda m: m.update(grid=[-1, 1, 1]),
            "grid without sizes": lambda m: m.update(grid=[]),
            "unknown target": lambda m: m.update(target="vax:780"),
            "unknown dtype": lambda m: m["args"][0].update(dtype="f12"),
            "negative shape": lambda m: m["args"][0].update(shape=[-4, 4]),
            "unknown fill": lambda m: m["args"][0].update(data={"fill": "treacle"}),
            "absent data file": lambda m: m["args"][0].update(data={"file": "absent.npy"}),
            "fraction": lambda m: m.update(grid=[1.5, 1, 1]),
        }
        for name, change in changes.items():
            with self.subTest(name):
                self.changed(change)


if __name__ == "__main__":
    pytlx.main()
