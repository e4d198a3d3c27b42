"""A program's comparisons with its reference while nothing is computed: they pass, and that is told."""
import ast

# Each raises when it disagrees.
NUMPY = ("assert_allclose", "assert_almost_equal", "assert_array_almost_equal", "assert_array_equal", "assert_equal")
NOTE = "nothing is computed while recording: comparisons passed unseen (tlx record --check-torch simulates each launch and compares)"


class Comparisons:
    """passed: some comparison was met."""

    def __init__(self):
        self.passed = False

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
        patches.set(triton.testing, "assert_close", self.answer(None))
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


class Passing(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.copy_location(ast.Expr(ast.Call(ast.Name("__compared__", ast.Load()), [], [])), node)
