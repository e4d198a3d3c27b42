"""A program's comparisons with its reference while nothing is computed: they pass, and that is told."""
import ast
import importlib.machinery
import os
import sys

# Each raises when it disagrees.
NUMPY = ("assert_allclose", "assert_almost_equal", "assert_array_almost_equal", "assert_array_equal", "assert_equal")
NOTE = "nothing is computed while recording: comparisons passed unseen (%s simulates each launch and compares)"


class Comparisons:
    """passed: some comparison was met. folders: assertions pass in modules that are imported from there."""

    def __init__(self):
        self.passed = False
        self.folders = set()

    def cover(self, path):
        """A program or test of this path, and the modules beside it."""
        self.folders.add(os.path.dirname(os.path.realpath(path)))

    def answer(self, value):
        def compare(*_, **__):
            self.passed = True
            return value

        return compare

    def patch(self, patches):
        import numpy.testing
        import triton.testing

        for name in NUMPY:
            patches.set(numpy.testing, name, self.answer(None))
        patches.set(numpy, "allclose", self.answer(True))
        patches.set(numpy, "array_equal", self.answer(True))
        patches.set(triton.testing, "assert_close", self.answer(None))
        patches.set(sys, "meta_path", [self, *sys.meta_path])
        try:
            import torch
        except ImportError:
            return
        patches.set(torch.testing, "assert_close", self.answer(None))
        patches.set(torch, "allclose", self.answer(True))
        patches.set(torch, "equal", self.answer(True))

    def compile(self, text, path, names):
        """A program whose assertions pass; it runs with these global names."""
        names["__compared__"] = self.answer(None)
        return compile(ast.fix_missing_locations(Passing().visit(ast.parse(text, path))), path, "exec", dont_inherit=True)


    def find_spec(self, name, path=None, target=None):
        """As an importer, ahead of pytest's, which would rewrite assertions and keep that in a cache for other runs."""
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        source = isinstance(getattr(spec, "loader", None), importlib.machinery.SourceFileLoader)
        if not source or os.path.dirname(os.path.realpath(spec.origin)) not in self.folders:
            return None
        spec.loader = Loader(name, spec.origin, self)
        return spec


class Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name, path, comparisons):
        super().__init__(name, path)
        self.comparisons = comparisons

    def exec_module(self, module):
        exec(self.comparisons.compile(self.get_data(self.path), self.path, module.__dict__), module.__dict__)


class Passing(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.copy_location(ast.Expr(ast.Call(ast.Name("__compared__", ast.Load()), [], [])), node)
