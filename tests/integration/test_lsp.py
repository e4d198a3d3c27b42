#!/usr/bin/env python3
"""tlx-lsp-server: diagnostics of parser and verifier in place, hover with effects and cost, and an orderly end."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import pytlx
from tools import KERNEL


class Client:
    """Speaks LSP to a server of its own."""

    def __init__(self):
        self.process = subprocess.Popen([pytlx.tool("tlx-lsp-server")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.number = 0

    def send(self, method, params, request=False):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if request:
            self.number += 1
            message["id"] = self.number
        body = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def request(self, method, params):
        self.send(method, params, request=True)
        answer = self.receive()
        assert answer["id"] == self.number, answer
        return answer["result"]

    def open(self, path, text):
        """The diagnostics on a document."""
        self.send("textDocument/didOpen", {"textDocument": {"uri": "file://" + path, "languageId": "mlir", "version": 1, "text": text}})
        return self.receive()["params"]["diagnostics"]

    def end(self):
        self.request("shutdown", {})
        self.send("exit", {})
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(timeout=20)


class Lsp(unittest.TestCase):
    def setUp(self):
        self.client = Client()
        capabilities = self.client.request("initialize", {"capabilities": {}, "processId": None, "rootUri": None})["capabilities"]
        self.assertTrue(capabilities["hoverProvider"])
        self.client.send("initialized", {})
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.path = os.path.join(self.folder, "k.mlir")
        shutil.copy(KERNEL[:-len("mlir")] + "json", os.path.join(self.folder, "k.json"))
        with open(KERNEL) as file:
            self.text = file.read()
        self.addCleanup(self.client.process.kill)

    def line(self, text, what):
        return next(number for number, line in enumerate(text.splitlines()) if what in line)

    def test_aProvedKernelIsSaidToBeSo(self):
        found = self.client.open(self.path, self.text)
        self.assertEqual([(d["severity"], d["message"]) for d in found], [(3, "PROVED")])
        self.assertEqual(self.client.end(), 0)

    def test_aBugStandsAtItsOperation(self):
        broken = re.sub(r"(ttng\.barrier_expect %\w+, )32768", r"\g<1>16384", self.text)
        found = self.client.open(self.path, broken)
        self.assertEqual(len(found), 1)
        self.assertEqual(found[0]["severity"], 1)
        self.assertIn("BUG(bytes-mismatch)", found[0]["message"])
        self.assertGreater(len(found[0]["relatedInformation"]), 2)
        shown = broken.splitlines()[found[0]["range"]["start"]["line"]]
        self.assertIn("ttng.", shown)

    def test_aSyntaxErrorIsShownWhileEditing(self):
        self.client.open(self.path, self.text)
        broken = self.text.replace("ttng.barrier_expect", "ttng.barrier_expct", 1)
        self.client.send("textDocument/didChange", {"textDocument": {"uri": "file://" + self.path, "version": 2}, "contentChanges": [{"text": broken}]})
        found = self.client.receive()["params"]["diagnostics"]
        self.assertEqual((len(found), found[0]["severity"]), (1, 1))
        self.assertEqual(found[0]["range"]["start"]["line"], self.line(broken, "barrier_expct"))
        self.assertIn("barrier_expct", found[0]["message"])

    def test_hostileDocumentsAreAnswered(self):
        bomb = "#a0 = [1]\n" + "".join("#a%d = [#a%d, #a%d]\n" % (i, i - 1, i - 1) for i in range(1, 64)) + "module attributes {tt.x = #a63} {\n}\n"
        for text, says in (("(" * 10**6, "nesting deeper"), (bomb, "an alias that stands for more than"),
                           ("module {\n  tt.func @k(%a: tensor<1099511627776xf32>) {\n    tt.return\n  }\n}\n", "has a tile of more than")):
            found = self.client.open(self.path, text)
            self.assertEqual([(d["severity"], says in d["message"]) for d in found], [(1, True)], found)
        self.assertEqual(self.client.end(), 0)

    def test_aMessageThatNestsWithoutEndIsOneError(self):
        body = b"[" * 10**6
        done = subprocess.run([pytlx.tool("tlx-lsp-server")], input=b"Content-Length: %d\r\n\r\n" % len(body) + body, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (2, b"tlx-lsp-server: error: nested too deeply\n"))

    def test_hoverTellsEffectsAndCost(self):
        self.client.open(self.path, self.text)
        at = lambda what: {"textDocument": {"uri": "file://" + self.path}, "position": {"line": self.line(self.text, what), "character": 30}}
        expect = self.client.request("textDocument/hover", at("ttng.barrier_expect"))["contents"]["value"]
        self.assertIn("**ttng.barrier_expect**", expect)
        self.assertIn("barrier-expect, 32768", expect)
        self.assertIn("from kernels/gemm/hopper_ws.py:", expect)
        product = self.client.request("textDocument/hover", at("ttng.warp_group_dot "))["contents"]["value"]
        self.assertRegex(product, r"cost: .*64 x 128 x 64, 16-bit operands")
        nowhere = {"textDocument": {"uri": "file://" + self.path}, "position": {"line": 10**6, "character": 0}}
        self.assertIsNone(self.client.request("textDocument/hover", nowhere))

    def test_garbageDoesNotEndTheServer(self):
        for text in ("", "\0\1\2", "module {", "#loc = loc(", "(" * 3000):
            found = self.client.open(self.path, text)
            self.assertEqual(len(found), 1, text[:20])
        self.assertEqual([d["message"] for d in self.client.open(self.path, self.text)], ["PROVED"])


if __name__ == "__main__":
    pytlx.main()
