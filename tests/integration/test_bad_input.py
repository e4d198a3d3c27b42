#!/usr/bin/env python3
"""No input, however odd, makes a tool crash, hang or answer without a place."""
import os

import pytlx
from tools import KERNEL, MANIFEST, ToolTest


def commands(path):
    """Every tool that reads IR, given `path`."""
    return (["tlx-opt", path], ["tlx-verify", path],
            ["tlx-run", "--device", "sim", path, "--manifest", MANIFEST])


class BadInput(ToolTest):
    def allRefuse(self, content, says="", name="kernel.ttir", **kwargs):
        path = self.file(name, content)
        for command in commands(path):
            with self.subTest(tool=command[0]):
                self.refuses(command, path, says, **kwargs)

    def test_truncated(self):
        with open(KERNEL, "rb") as file:
            kernel = file.read()
        start = kernel.index(b"tt.func")
        for part in (0.01, 0.2, 0.4, 0.6, 0.8, 0.95):
            cut = kernel[:start + int((len(kernel) - start) * part)]
            with self.subTest(part=part):
                self.allRefuse(cut)

    def test_binary(self):
        self.allRefuse(bytes(range(256)) * 64)
        self.allRefuse(b"\x7fELF\x02\x01\x01\x00" + b"\0" * 4096)
        self.allRefuse(b"ML\xefR\x0dnot bytecode")

    def test_unknownOperation(self):
        self.allRefuse('module {\n  tt.func @k() {\n    "ttg.no_such_op"() : () -> ()\n    tt.return\n  }\n}\n', "ttg.no_such_op")
        self.allRefuse("module {\n  tt.func @k() {\n    ttg.no_such_op\n    tt.return\n  }\n}\n", "no_such_op")

    def test_unknownDialect(self):
        self.allRefuse('module {\n  "nosuchdialect.op"() : () -> ()\n}\n', "nosuchdialect")

    def test_wrongTypes(self):
        self.allRefuse("module {\n  tt.func @k(%a: i32, %b: f32) {\n    %c = arith.addi %a, %b : i32\n    tt.return\n  }\n}\n", "%b")
        self.allRefuse("module {\n  tt.func @k(%a: i32) {\n    %c = arith.addf %a, %a : i32\n    tt.return\n  }\n}\n")

    def test_valueThatDoesNotExist(self):
        self.allRefuse("module {\n  tt.func @k() {\n    %c = arith.addi %a, %a : i32\n    tt.return\n  }\n}\n", "undeclared SSA value")

    def test_hugeGarbage(self):
        words = b"garbage %0 = ( { < 12 \"x\" "
        self.allRefuse(words * (100 * 2**20 // len(words)))
        self.allRefuse((b"\x00\xff\xfe" + os.urandom(1021)) * (100 * 2**10))

    def test_deepNesting(self):
        self.allRefuse("module attributes {a = " + "[" * 200000 + "}")

    def test_pythonProgram(self):
        self.allRefuse("import triton\n", "a Python program, not IR", name="kernel.py")

    def test_missingFile(self):
        path = os.path.join(self.folder, "absent.ttir")
        for command in commands(path):
            with self.subTest(tool=command[0]):
                self.refuses(command, path, line=False)

    def test_unreadableName(self):
        path = os.path.join(self.folder, "n" * 5000)
        for command in commands(path):
            with self.subTest(tool=command[0]):
                self.refuses(command, path, line=False)

    def test_directory(self):
        for command in commands(self.folder)[:1] + commands(self.folder)[2:]:
            with self.subTest(tool=command[0]):
                self.refuses(command, self.folder, line=False)

    def test_usage(self):
        for command in (["tlx-opt", "--no-such-flag", KERNEL], ["tlx-verify", "--no-such-flag", KERNEL],
                        ["tlx-run", "--no-such-flag", KERNEL], ["tlx-verify"], ["tlx-run"],
                        ["tlx-run", "--device", "no-such-device", KERNEL, "--manifest", MANIFEST],
                        ["tlx-verify", KERNEL, "--timeout", "minus one"], ["tlx-verify", KERNEL, "--num-warps", "0"]):
            with self.subTest(command=" ".join(command)):
                self.refuses(command, None)


class EmptyModule(ToolTest):
    def test_isPrintedButNotProvedOrRun(self):
        path = self.file("empty.ttir", "module {\n}\n")
        done = self.run_(["tlx-opt", path])
        self.assertEqual((done.returncode, done.stdout.decode().strip()), (0, "module {\n}"))
        for command in commands(path)[1:]:
            with self.subTest(tool=command[0]):
                self.refuses(command, path, line=False)

    def test_anEmptyFileIsNoModule(self):
        for text in ("", " \n\n"):
            path = self.file("empty.ttir", text)
            for command in commands(path):
                with self.subTest(tool=command[0], text=text):
                    self.refuses(command, path, "empty")


class Help(ToolTest):
    def test_everyToolHasHelp(self):
        for tool in ("tlx-opt", "tlx-verify", "tlx-run"):
            with self.subTest(tool=tool):
                done = self.run_([tool, "--help"])
                self.assertEqual(done.returncode, 0, tool)
                self.assertIn(tool.encode(), done.stdout)


if __name__ == "__main__":
    pytlx.main()
