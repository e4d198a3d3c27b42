#!/usr/bin/env python3
"""The device libraries' functions, element by element, against numpy, math and identities."""
import math
import struct
import unittest

import numpy as np

import pytlx
from ops import run

TYPES = {np.float32: "f32", np.float64: "f64", np.int32: "i32", np.int64: "i64"}
COUNT = 64


def call(symbol, result, *operands):
    """The function of the operands, arrays of COUNT elements."""
    types = [TYPES[x.dtype.type] for x in operands]
    to = TYPES[result]
    lines = ["  %at = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>"]
    for i, type in enumerate([*types, to]):
        lines += ["  %%s%d = tt.splat %%p%d : !tt.ptr<%s> -> tensor<64x!tt.ptr<%s>>" % (i, i, type, type),
                  "  %%a%d = tt.addptr %%s%d, %%at : tensor<64x!tt.ptr<%s>>, tensor<64xi32>" % (i, i, type)]
        if i < len(types):
            lines.append("  %%x%d = tt.load %%a%d : tensor<64x!tt.ptr<%s>>" % (i, i, type))
    lines += ['  %%r = tt.extern_elementwise %s {libname = "", libpath = "", pure = true, symbol = "%s"} : (%s) -> tensor<64x%s>' % (
        ", ".join("%%x%d" % i for i in range(len(types))), symbol, ", ".join("tensor<64x%s>" % type for type in types), to),
        "  tt.store %%a%d, %%r : tensor<64x!tt.ptr<%s>>" % (len(types), to)]
    header = "tt.func public @k(%s) {" % ", ".join("%%p%d: !tt.ptr<%s>" % (i, type) for i, type in enumerate([*types, to]))
    return run("\n".join([header, *lines, "  tt.return", "}"]), [*operands, np.zeros(COUNT, result)])


class Library(unittest.TestCase):
    def value(self, symbol, result, *operands):
        done, arrays = call(symbol, result, *operands)
        self.assertEqual(done.returncode, 0, done.stderr)
        return arrays[-1]

    def near(self, symbol, result, wanted, *operands, ulps=2):
        got, wanted = self.value(symbol, result, *operands), np.asarray(wanted, np.float64)
        allowed = ulps * np.finfo(result).eps * np.maximum(np.abs(wanted), np.finfo(result).tiny)
        wrong = ~((np.abs(got.astype(np.float64) - wanted) <= allowed) | (np.isnan(got) & np.isnan(wanted)) | (got == wanted))
        self.assertFalse(wrong.any(), "%s: %s, wanted %s" % (symbol, got[wrong][:3], wanted[wrong][:3]))

    def test_functionsOfOneNumber(self):
        unit, wide = np.linspace(-0.95, 0.95, COUNT), np.linspace(-7, 7, COUNT)
        positive, above = np.linspace(0.05, 9, COUNT), np.linspace(1.01, 9, COUNT)
        v = np.vectorize
        for name, function, x in (
                ("acos", np.arccos, unit), ("asin", np.arcsin, unit), ("atanh", np.arctanh, unit), ("acosh", np.arccosh, above), ("asinh", np.arcsinh, wide),
                ("atan", np.arctan, wide), ("cbrt", np.cbrt, wide), ("cosh", np.cosh, wide), ("sinh", np.sinh, wide), ("tan", np.tan, unit),
                ("erf", v(math.erf), unit), ("erfc", v(math.erfc), wide), ("exp10", lambda x: 10.0**x, wide), ("expm1", np.expm1, wide),
                ("log1p", np.log1p, positive), ("log10", np.log10, positive), ("lgamma", v(lambda x: math.log(math.gamma(x))), positive + 4), ("tgamma", v(math.gamma), positive),
                ("rcbrt", lambda x: 1 / np.cbrt(x), positive), ("rsqrt", lambda x: 1 / np.sqrt(x), positive), ("rint", np.rint, wide), ("trunc", np.trunc, wide),
                ("round", lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x), wide), ("logb", lambda x: np.floor(np.log2(x)), positive)):
            for type, suffix in ((np.float32, "f"), (np.float64, "")):
                y = x.astype(type)
                with self.subTest(name + suffix):
                    self.near("__nv_" + name + suffix, type, function(y.astype(np.float64)), y, ulps=1 if suffix else 4)
        x = wide.astype(np.float32)
        self.near("__nv_saturatef", np.float32, np.clip(x, 0, 1), x)
        self.near("__ocml_erf_f32", np.float32, v(math.erf)(x.astype(np.float64)), x, ulps=1)
        self.near("__triton_hip_fast_tanhf", np.float32, np.tanh(x.astype(np.float64)), x, ulps=1)

    def test_inverses(self):
        p = np.linspace(0.001, 0.999, COUNT)
        back = np.vectorize(math.erf)(self.value("__nv_erfinv", np.float64, p))
        np.testing.assert_allclose(back, p, rtol=4e-16)
        back = np.vectorize(math.erfc)(self.value("__nv_erfcinv", np.float64, 2 * p))
        np.testing.assert_allclose(back, 2 * p, rtol=2e-15)
        z = self.value("__nv_normcdfinv", np.float64, p)
        np.testing.assert_allclose(self.value("__nv_normcdf", np.float64, z), p, rtol=2e-15)
        x = np.linspace(-2, 60, COUNT)
        known = {i: math.exp(v * v) * math.erfc(v) for i, v in enumerate(x) if v < 5}
        scaled = self.value("__nv_erfcx", np.float64, x)
        for i, wanted in known.items():
            self.assertAlmostEqual(scaled[i] / wanted, 1, delta=1e-14)
        self.assertTrue((np.diff(scaled) < 0).all())  # also where erfc itself is zero
        self.assertAlmostEqual(scaled[-1] * x[-1] * math.sqrt(math.pi), 1 - 1 / (2 * x[-1]**2), delta=1e-6)

    def test_turns(self):
        x = np.arange(COUNT) * 0.25 - 8
        exact = np.array([0, math.sqrt(0.5), 1, math.sqrt(0.5), 0, -math.sqrt(0.5), -1, -math.sqrt(0.5)])
        np.testing.assert_allclose(self.value("__nv_sinpi", np.float64, x), np.tile(exact, 8), rtol=2e-16, atol=0)
        np.testing.assert_allclose(self.value("__nv_cospif", np.float32, x.astype(np.float32)), np.tile(np.roll(exact, -2), 8).astype(np.float32), rtol=1e-7)

    def test_severalNumbers(self):
        rng = np.random.default_rng(5)
        a, b, c, d = (rng.uniform(0.1, 4, COUNT) for _ in range(4))
        n = rng.integers(-6, 7, COUNT).astype(np.int32)
        self.near("__nv_pow", np.float64, a**b, a, b)
        self.near("__nv_powi", np.float64, a**n, a, n, ulps=4)
        self.near("__nv_ldexp", np.float64, np.ldexp(a, n), a, n)
        self.near("__nv_rhypot", np.float64, 1 / np.hypot(a, b), a, b)
        self.near("__nv_norm4d", np.float64, np.sqrt(a * a + b * b + c * c + d * d), a, b, c, d)
        self.near("__nv_fma", np.float64, a * b + c, a, b, c)
        self.near("__nv_remainder", np.float64, np.vectorize(math.remainder)(a, b), a, b)
        x, y = a.astype(np.float32), -b.astype(np.float32)
        np.testing.assert_array_equal(self.value("__nv_nextafterf", np.float32, x, y), np.nextafter(x, y))
        np.testing.assert_array_equal(self.value("__nv_copysignf", np.float32, x, y), np.copysign(x, y))

    def test_roundedAsTheNameSays(self):
        rng = np.random.default_rng(6)
        x, y = (rng.uniform(0.5, 2, COUNT).astype(np.float32) for _ in range(2))
        exact = x.astype(np.float64) * y
        down = self.value("__nv_fmul_rz", np.float32, x, y).astype(np.float64)
        up = self.value("__nv_fdiv_ru", np.float32, x, y).astype(np.float64)
        self.assertTrue((down <= exact).all() and (np.nextafter(down.astype(np.float32), np.float32(9)) > exact).all())
        quotient = x.astype(np.float64) / y
        self.assertTrue((up >= quotient).all() and (np.nextafter(up.astype(np.float32), np.float32(0)) < quotient).all())
        d = rng.uniform(-3, 3, COUNT)
        for mode, function in (("rn", np.rint), ("rz", np.trunc), ("ru", np.ceil), ("rd", np.floor)):
            np.testing.assert_array_equal(self.value("__nv_double2int_" + mode, np.int32, d), function(d))
        below, above = self.value("__nv_double2float_rd", np.float32, d), self.value("__nv_double2float_ru", np.float32, d)
        np.testing.assert_array_equal(above, np.nextafter(below, np.float32(9)))
        n = (2**24 + np.arange(COUNT)).astype(np.int32)
        np.testing.assert_array_equal(self.value("__nv_int2float_rd", np.float32, n), n - n % 2)
        np.testing.assert_array_equal(self.value("__nv_int2float_ru", np.float32, n), n + n % 2)
        np.testing.assert_array_equal(self.value("__nv_ull2double_rz", np.float64, np.full(COUNT, -1)), np.full(COUNT, 18446744073709549568.0))

    def test_bits(self):
        rng = np.random.default_rng(7)
        a, b, c = (rng.integers(-2**31, 2**31, COUNT).astype(np.int32) for _ in range(3))
        u, v = a.view(np.uint32).astype(object), b.view(np.uint32).astype(object)
        p, q = a.astype(object), b.astype(object)
        wrap = lambda values: np.array([int(value) & 0xFFFFFFFF for value in values], np.uint32).view(np.int32)
        for symbol, wanted in (("__nv_mulhi", [x * y >> 32 for x, y in zip(p, q)]), ("__nv_umulhi", [x * y >> 32 for x, y in zip(u, v)]),
                               ("__nv_hadd", [x + y >> 1 for x, y in zip(p, q)]), ("__nv_urhadd", [x + y + 1 >> 1 for x, y in zip(u, v)])):
            np.testing.assert_array_equal(self.value(symbol, np.int32, a, b), wrap(wanted), symbol)
        np.testing.assert_array_equal(self.value("__nv_usad", np.int32, a, b, c), wrap([abs(x - y) + z for x, y, z in zip(u, v, c.astype(object))]))
        np.testing.assert_array_equal(self.value("__nv_brev", np.int32, a), wrap([int("{:032b}".format(x)[::-1], 2) for x in u]))
        np.testing.assert_array_equal(self.value("__nv_byte_perm", np.int32, a, b, np.full(COUNT, 0x7610, np.int32)),
                                      wrap([int.from_bytes(bytes(struct.pack("<II", x, y)[s] for s in (0, 1, 6, 7)), "little") for x, y in zip(u, v)]))
        d = rng.standard_normal(COUNT)
        high, low = self.value("__nv_double2hiint", np.int32, d), self.value("__nv_double2loint", np.int32, d)
        np.testing.assert_array_equal(self.value("__nv_hiloint2double", np.float64, high, low), d)
        np.testing.assert_array_equal(self.value("__nv_float_as_int", np.int32, d.astype(np.float32)), d.astype(np.float32).view(np.int32))
        np.testing.assert_array_equal(self.value("__nv_isnand", np.int32, np.where(d > 0, np.nan, d)), d > 0)

    def test_anUnknownFunctionIsNamed(self):
        done, _ = call("__nv_nothing", np.float32, np.zeros(COUNT, np.float32))
        self.assertEqual(done.returncode, 4)
        self.assertIn("library function '__nv_nothing' is not known", done.stderr)


if __name__ == "__main__":
    pytlx.main()
