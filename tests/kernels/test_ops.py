#!/usr/bin/env python3
"""What single operations compute, in kernels of a few lines."""
import unittest

import numpy as np

import pytlx
from ops import run

MODULE = 'module attributes {"ttg.num-ctas" = %d : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {\n'


def blocked(perThread):
    return "#ttg.blocked<{sizePerThread = [%d], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>" % perThread


def accesses(name, type, count, layout, value=None):
    """Lines that load %name from the parameter %pname, or store %value to it."""
    tensor = lambda element: "tensor<%dx%s%s>" % (count, element, layout and ", " + layout)
    lines = """
  %{n}_at = tt.make_range {{start = 0 : i32, end = {count} : i32}} : {ints}
  %{n}_s = tt.splat %p{n} : !tt.ptr<{type}> -> {pointers}
  %{n}_p = tt.addptr %{n}_s, %{n}_at : {pointers}, {ints}
""" + ("  %{n} = tt.load %{n}_p : {pointers}\n" if value is None else "  tt.store %{n}_p, %{value} : {pointers}\n")
    return lines.format(n=name, type=type, count=count, value=value, ints=tensor("i32"), pointers=tensor("!tt.ptr<%s>" % type))


class Ops(unittest.TestCase):
    def values(self, ir, args, **options):
        done, results = run(ir, args, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return results

    def test_regionsOfSeveralBlocks(self):
        """A map, an execute_region and both kinds of task, each left from several places."""
        x, y = np.arange(128, dtype=np.int32), np.roll(np.arange(128, dtype=np.int32), 3)
        ir = '''
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
''' + MODULE % 1 + '''
tt.func public @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %z: !tt.ptr<i32>, %w: !tt.ptr<i32>, %n: i32) {
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %c100 = arith.constant 100 : i32
  %at = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
  %xp = tt.addptr %xs, %at : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
  %a = tt.load %xp : tensor<128x!tt.ptr<i32>, #b>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
  %yp = tt.addptr %ys, %at : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
  %b = tt.load %yp : tensor<128x!tt.ptr<i32>, #b>
  %order = "tt.map_elementwise"(%a, %b) <{pack = 1 : i32}> ({
  ^bb0(%l: i32, %r: i32):
    %m1 = arith.constant -1 : i32
    %less = arith.cmpi slt, %l, %r : i32
    cf.cond_br %less, ^bb2(%m1 : i32), ^bb1
  ^bb1:
    %diff = arith.subi %l, %r : i32
    cf.br ^bb2(%diff : i32)
  ^bb2(%v: i32):
    tt.map_elementwise.return %v : i32
  }) : (tensor<128xi32, #b>, tensor<128xi32, #b>) -> tensor<128xi32, #b>
  %zs = tt.splat %z : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
  %zp = tt.addptr %zs, %at : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
  tt.store %zp, %order : tensor<128x!tt.ptr<i32>, #b>
  %chosen = scf.execute_region -> i32 {
    %big = arith.cmpi sgt, %n, %c7 : i32
    cf.cond_br %big, ^bb1, ^bb2
  ^bb1:
    scf.yield %c100 : i32
  ^bb2:
    scf.yield %n : i32
  }
  ttg.warp_specialize(%w, %n) attributes {warpGroupStartIds = array<i32: 4>}
  default {
    %big = arith.cmpi sgt, %n, %c7 : i32
    cf.cond_br %big, ^bb1, ^bb2
  ^bb1:
    tt.store %w, %chosen : !tt.ptr<i32>
    ttg.warp_yield
  ^bb2:
    tt.store %w, %c1 : !tt.ptr<i32>
    ttg.warp_yield
  }
  partition0(%to: !tt.ptr<i32>, %m: i32) num_warps(1) {
    %d1 = arith.constant 1 : i32
    %d9 = arith.constant 9 : i32
    %place = tt.addptr %to, %d1 : !tt.ptr<i32>, i32
    %small = arith.cmpi slt, %m, %d9 : i32
    cf.cond_br %small, ^bb1, ^bb2
  ^bb1:
    tt.store %place, %m : !tt.ptr<i32>
    ttg.warp_return
  ^bb2:
    tt.store %place, %d9 : !tt.ptr<i32>
    ttg.warp_return
  } : (!tt.ptr<i32>, i32) -> ()
  tt.return
}}
'''
        for n, wanted in ((3, [1, 3]), (8, [100, 8]), (50, [100, 9])):
            _, _, order, words = self.values(ir, [x, y, np.zeros(128, np.int32), np.zeros(2, np.int32), n], level="ttgir")
            self.assertEqual(words.tolist(), wanted)
            np.testing.assert_array_equal(order, np.where(x < y, -1, x - y))

    def test_aBufferThatTwoCtasShare(self):
        """Each CTA of a program holds half of the buffer; the program sees all of it."""
        x = np.arange(64 * 32, dtype=np.float16).reshape(64, 32)
        ir = '''
#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>
#rows = #ttg.slice<{dim = 1, parent = #b}>
#columns = #ttg.slice<{dim = 0, parent = #b}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>
#smem = #ttg.shared_memory
''' + MODULE % 2 + '''
tt.func public @k(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>) {
  %width = arith.constant dense<32> : tensor<64x1xi32, #b>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #rows>
  %c = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #columns>
  %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #b>
  %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #columns> -> tensor<1x32xi32, #b>
  %r2 = arith.muli %r1, %width : tensor<64x1xi32, #b>
  %r3 = tt.broadcast %r2 : tensor<64x1xi32, #b> -> tensor<64x32xi32, #b>
  %c3 = tt.broadcast %c1 : tensor<1x32xi32, #b> -> tensor<64x32xi32, #b>
  %at = arith.addi %r3, %c3 : tensor<64x32xi32, #b>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #b>
  %xp = tt.addptr %xs, %at : tensor<64x32x!tt.ptr<f16>, #b>, tensor<64x32xi32, #b>
  %v = tt.load %xp : tensor<64x32x!tt.ptr<f16>, #b>
  %m = ttg.local_alloc %v : (tensor<64x32xf16, #b>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
  %w = ttg.local_load %m : !ttg.memdesc<64x32xf16, #shared, #smem> -> tensor<64x32xf16, #b>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #b>
  %yp = tt.addptr %ys, %at : tensor<64x32x!tt.ptr<f16>, #b>, tensor<64x32xi32, #b>
  tt.store %yp, %w : tensor<64x32x!tt.ptr<f16>, #b>
  tt.return
}}
'''
        _, y = self.values(ir, [x, np.zeros_like(x)], level="ttgir", ctas=2)
        np.testing.assert_array_equal(y, x)

    def assembly(self, text, constraints, x, perThread=1, type="i32"):
        """What one inline assembly makes of 256 elements in 128 threads."""
        ir = "#b = %s\n" % blocked(perThread) + MODULE % 1 + "tt.func public @k(%px: !tt.ptr<i32>, %py: !tt.ptr<i32>) {" + accesses(
            "x", type, 256, "#b") + """
  %%v = tt.elementwise_inline_asm "%s" {constraints = "%s", packed_element = 1 : i32, pure = true} %%x : tensor<256x%s, #b> -> tensor<256x%s, #b>
""" % (text, constraints, type, type) + accesses("y", type, 256, "#b", "v") + "  tt.return\n}}\n"
        return self.values(ir.replace("!tt.ptr<i32>", "!tt.ptr<%s>" % type), [x, np.zeros_like(x)], level="ttgir")[1]

    def test_assemblyLooksAcrossLanes(self):
        rng = np.random.default_rng(1)
        x = rng.integers(-1000, 1000, 256).astype(np.int32)
        # Elements of a warp that lie in the same register: [warp][lane][register] with two
        # neighbours a thread, or [register][warp][lane] with one.
        pairs = x.reshape(4, 32, 2)
        ones = x.reshape(2, 4, 32)
        for op, function in (("max.s32", np.max), ("min.s32", np.min), ("add.u32", np.sum)):
            text = "redux.sync.%s $0, $1, 0xFFFFFFFF;" % op
            np.testing.assert_array_equal(self.assembly(text, "=r,r", x, 2).reshape(4, 32, 2),
                                          np.broadcast_to(function(pairs, axis=1, keepdims=True), pairs.shape))
            np.testing.assert_array_equal(self.assembly(text, "=r,r", x, 1).reshape(2, 4, 32),
                                          np.broadcast_to(function(ones, axis=2, keepdims=True), ones.shape))
        f = rng.standard_normal(256).astype(np.float32)
        np.testing.assert_array_equal(self.assembly("redux.sync.max.abs.f32 $0, $1, -1;", "=f,f", f, 1, "f32").reshape(2, 4, 32)[:, :, 0],
                                      np.abs(f).reshape(2, 4, 32).max(axis=2))
        shuffled = self.assembly("shfl.sync.bfly.b32 $0, $1, 3, 31, -1;", "=r,r", x).reshape(2, 4, 32)
        np.testing.assert_array_equal(shuffled, ones[:, :, np.arange(32) ^ 3])
        # Lanes whose source is out of range keep their own value.
        shuffled = self.assembly("shfl.sync.down.b32 $0, $1, 5, 31, -1;", "=r,r", x).reshape(2, 4, 32)
        np.testing.assert_array_equal(shuffled, ones[:, :, [i + 5 if i + 5 < 32 else i for i in range(32)]])
        text = "{ .reg .pred p; .reg .b32 t; setp.gt.s32 p, $1, 0; vote.sync.ballot.b32 t, p, -1; popc.b32 $0, t; }"
        np.testing.assert_array_equal(self.assembly(text, "=r,r", x).reshape(2, 4, 32)[:, :, 0], (ones > 0).sum(axis=2))
        text = "{ .reg .pred p; mov.u32 $0, %laneid; setp.lt.s32 p, $1, 0; @p mov.u32 $0, %tid.x; @!p add.s32 $0, $0, 1000; }"
        thread = np.arange(128).reshape(1, 4, 32)
        np.testing.assert_array_equal(self.assembly(text, "=r,r", x).reshape(2, 4, 32), np.where(ones < 0, thread, thread % 32 + 1000))

    def test_assemblyAcrossLanesNeedsLayouts(self):
        ir = "tt.func public @k(%px: !tt.ptr<i32>) {" + accesses("x", "i32", 128, "") + """
  %v = tt.elementwise_inline_asm "redux.sync.max.s32 $0, $1, -1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<128xi32> -> tensor<128xi32>
  tt.store %x_p, %v : tensor<128x!tt.ptr<i32>>
  tt.return
}"""
        # Layouts are chosen for CUDA's chips, so that above .ttgir it runs there: an element a thread.
        x = np.random.default_rng(3).integers(-1000, 1000, 128).astype(np.int32)
        np.testing.assert_array_equal(self.values(ir, [x])[0].reshape(4, 32), np.broadcast_to(x.reshape(4, 32).max(axis=1, keepdims=True), (4, 32)))
        done, _ = run(ir, [x], target="hip:gfx950")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("redux.sync.max.s32 $0, $1, -1' depends on which elements", done.stderr)

    def test_assemblyAcrossLanesOfTensorMemory(self):
        """Above .ttgir as well, a warp holds 32 rows of what it reads from tensor memory, a lane each."""
        x = np.random.default_rng(4).standard_normal((128, 64)).astype(np.float32)
        ir = """
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
tt.func public @k(%px: !tt.ptr<f32>, %py: !tt.ptr<f32>) {""" + accesses("x", "f32", 8192, "") + """
  %tile = tt.reshape %x : tensor<8192xf32> -> tensor<128x64xf32>
  %m = ttng.tmem_alloc %tile : (tensor<128x64xf32>) -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  %w = ttng.tmem_load %m : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32>
  %a = math.absf %w : tensor<128x64xf32>
  %c = tt.reshape %a : tensor<128x64xf32> -> tensor<128x2x32xf32>
  %r = "tt.reduce"(%c) <{axis = 2 : i32}> ({
  ^bb0(%l: f32, %o: f32):
    %n = arith.maxnumf %l, %o : f32
    tt.reduce.return %n : f32
  }) : (tensor<128x2x32xf32>) -> tensor<128x2xf32>
  %v = tt.elementwise_inline_asm "redux.sync.max.f32 $0, $1, -1;" {constraints = "=f,f", packed_element = 1 : i32, pure = true} %r : tensor<128x2xf32> -> tensor<128x2xf32>
  %flat = tt.reshape %v : tensor<128x2xf32> -> tensor<256xf32>
""" + accesses("y", "f32", 256, "", "flat") + "  tt.return\n}"
        y = self.values(ir, [x, np.zeros(256, np.float32)], target="cuda:100")[1]
        wanted = np.abs(x).reshape(4, 32, 2, 32).max(axis=(1, 3), keepdims=True)
        np.testing.assert_array_equal(y.reshape(4, 32, 2, 1), np.broadcast_to(wanted, (4, 32, 2, 1)))

    def test_ballotsCountThreads(self):
        """A thread votes for any of its elements, and all of them receive the votes of its warp."""
        x = np.random.default_rng(5).integers(-2, 2, 256).astype(np.int32)
        body = accesses("x", "i32", 256, "{b}") + """
  %mask = arith.constant 0x7FFFFFFF : i32
  %zero = arith.constant dense<0> : tensor<256xi32, {b}>
  %p = arith.cmpi sgt, %x, %zero : tensor<256xi32, {b}>
  %v = ttng.vote_ballot_sync %mask, %p : tensor<256xi1, {b}> -> tensor<256xi32, {b}>
""" + accesses("y", "i32", 256, "{b}", "v") + "  tt.return\n}"
        head = "tt.func public @k(%px: !tt.ptr<i32>, %py: !tt.ptr<i32>) {"
        for perThread, votes in ((2, (x > 0).reshape(4, 32, 2).any(axis=2)), (1, (x > 0).reshape(2, 4, 32).any(axis=0))):
            warps = (votes.astype(np.int64) << np.arange(32)).sum(axis=1) & 0x7FFFFFFF
            wanted = np.broadcast_to(warps[:, None], (4, 64)) if perThread == 2 else np.broadcast_to(warps[None, :, None], (2, 4, 32))
            ir = "#b = %s\n" % blocked(perThread) + MODULE % 1 + head + body.replace("{b}", "#b") + "}"
            np.testing.assert_array_equal(self.values(ir, [x, np.zeros_like(x)], level="ttgir")[1], wanted.ravel())
        done, _ = run(head + body.replace(", {b}", ""), [x, np.zeros_like(x)], target="hip:gfx950")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("a ballot depends on which elements", done.stderr)

    def test_assemblyOfBits(self):
        x = np.random.default_rng(2).integers(-2**31, 2**31, 256).astype(np.int32)
        u = x.view(np.uint32)
        np.testing.assert_array_equal(self.assembly("bfe.u32 $0, $1, 7, 9;", "=r,r", x), (u >> 7) & 511)
        np.testing.assert_array_equal(self.assembly("bfe.s32 $0, $1, 7, 9;", "=r,r", x), (x << 16) >> 23)
        np.testing.assert_array_equal(self.assembly("bfi.b32 $0, $1, 0, 24, 8;", "=r,r", x), x << 24)
        np.testing.assert_array_equal(self.assembly("brev.b32 $0, $1;", "=r,r", x).view(np.uint32), [int("{:032b}".format(v)[::-1], 2) for v in u])

    def test_assemblyOfSums(self):
        x = np.random.default_rng(4).integers(-2**31, 2**31, 256).astype(np.int32)
        wide, bytes_ = x.astype(np.int64), x.view(np.int8).reshape(-1, 4).astype(np.int64)
        low = lambda values: (values & 0xFFFFFFFF).astype(np.uint32).view(np.int32)
        np.testing.assert_array_equal(self.assembly("dp4a.s32.s32 $0, $1, $1, 5;", "=r,r", x), low((bytes_**2).sum(axis=1) + 5))
        np.testing.assert_array_equal(self.assembly("dp4a.u32.s32 $0, $1, $1, $1;", "=r,r", x), low((bytes_ * (bytes_ & 255)).sum(axis=1) + wide))
        np.testing.assert_array_equal(self.assembly("sad.s32 $0, $1, -9, 3;", "=r,r", x), low(np.abs(wide + 9) + 3))
        np.testing.assert_array_equal(self.assembly("add.sat.s32 $0, $1, $1;", "=r,r", x), np.clip(2 * wide, -2**31, 2**31 - 1))
        np.testing.assert_array_equal(self.assembly("sub.sat.s32 $0, 7, $1;", "=r,r", x), np.clip(7 - wide, -2**31, 2**31 - 1))
        u = x.view(np.uint32).astype(np.uint64)
        both = u | np.uint64(0x12345678) << np.uint64(32)
        np.testing.assert_array_equal(self.assembly("shf.l.wrap.b32 $0, $1, 0x12345678, 41;", "=r,r", x), low(both << np.uint64(9) >> np.uint64(32)))
        np.testing.assert_array_equal(self.assembly("shf.r.clamp.b32 $0, $1, 0x12345678, 41;", "=r,r", x), np.full(256, 0x12345678))
        f = np.array([1e-39, -1e-39, 1e-38, 3] * 64, np.float32)
        np.testing.assert_array_equal(self.assembly("mul.ftz.f32 $0, $1, 0f3F000000;", "=f,f", f, 1, "f32"), np.array([0, 0, 0, 1.5] * 64, np.float32))
        np.testing.assert_array_equal(self.assembly("mul.f32 $0, $1, 0f3F000000;", "=f,f", f, 1, "f32"), f * np.float32(0.5))

    def test_assemblyOfNarrowFloats(self):
        x = np.concatenate([np.random.default_rng(3).standard_normal(254).astype(np.float32) * 4, np.array([np.inf, -6.5], np.float32)])
        bits = x.view(np.uint32)
        tf32 = np.where(np.isinf(x), bits, (bits + 0x1000) & ~np.uint32(0x1FFF))  # ten bits, ties away
        np.testing.assert_array_equal(self.assembly("cvt.rna.tf32.f32 $0, $1;", "=r,f", x, 1, "f32").view(np.uint32), tf32)
        np.testing.assert_array_equal(self.assembly("fma.rn.relu.f32 $0, $1, $1, 0fBF800000;", "=f,f", x, 1, "f32"),
                                      np.maximum((x.astype(np.float64)**2 - 1), 0).astype(np.float32))
        # To four bits, twice, and back: 0, 1/2, 1, 3/2, 2, 3, 4, 6.
        text = ("{ .reg .b8 q; .reg .b32 h; .reg .b16 l, u; cvt.rn.satfinite.e2m1x2.f32 q, $1, $1; cvt.rn.f16x2.e2m1x2 h, q; "
                "mov.b32 {l, u}, h; cvt.f32.f16 $0, u; }")
        steps = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
        nearest = np.abs(np.minimum(np.abs(x), 6)[:, None].astype(np.float64) - steps).argmin(axis=1)
        np.testing.assert_array_equal(self.assembly(text, "=f,f", x, 1, "f32"), np.copysign(steps[nearest], x))

    def test_catTakesRegistersInTurn(self):
        """Which elements come from where depends on the layouts: a thread's registers of both, one after the other."""
        x, y = np.arange(128, dtype=np.int32), np.arange(1000, 1128, dtype=np.int32)
        body = "tt.func public @k(%px: !tt.ptr<i32>, %py: !tt.ptr<i32>, %pz: !tt.ptr<i32>) {" + accesses("x", "i32", 128, "{b}") + accesses(
            "y", "i32", 128, "{b}") + "  %v = tt.cat %x, %y : tensor<128xi32{c}> -> tensor<256xi32{d}>\n" + accesses("z", "i32", 256, "{w}", "v") + "  tt.return\n}"
        z = np.zeros(256, np.int32)
        plain = body.replace(", {b}", "").replace("{c}", "").replace("{d}", "").replace(", {w}", "")
        np.testing.assert_array_equal(self.values(plain, [x, y, z])[2], np.stack([x, y], axis=1).ravel())
        # Where no layouts are chosen, in order.
        np.testing.assert_array_equal(self.values(plain, [x, y, z], target="hip:gfx950")[2], np.concatenate([x, y]))
        ir = "#b = %s\n#w = %s\n" % (blocked(1), blocked(2)) + MODULE % 1 + body.replace("{b}", "#b").replace("{c}", ", #b").replace("{d}", ", #w").replace(
            "{w}", "#w") + "}"
        np.testing.assert_array_equal(self.values(ir, [x, y, z], level="ttgir")[2], np.stack([x, y], axis=1).ravel())

    def test_productsAsTensorCoresAddThem(self):
        """What lies 26 bits below the largest product of 16 is lost before the sum, and the sum is cut off, not rounded."""
        ir = "tt.func public @k(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>) {" + accesses("a", "f16", 256, "") + accesses("b", "f16", 256, "") + """
  %x = tt.reshape %a : tensor<256xf16> -> tensor<16x16xf16>
  %y = tt.reshape %b : tensor<256xf16> -> tensor<16x16xf16>
  %zero = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
  %d = tt.dot %x, %y, %zero, inputPrecision = tf32 : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %e = tt.reshape %d : tensor<16x16xf32> -> tensor<256xf32>
""" + accesses("c", "f32", 256, "", "e") + "  tt.return\n}"
        for left, right, exact in ((2.0**-13, 2.0**-13, 1.0), (2.0**-12, 2.0**-13, 1 + 3 * 2.0**-23)):
            a = np.full((16, 16), left, np.float16)
            a[:, 0] = 1
            b = np.full((16, 16), right, np.float16)
            b[0] = 1
            args = [a.ravel(), b.ravel(), np.zeros(256, np.float32)]
            self.assertEqual(self.values(ir, args, options=("--exact-mma",))[2].tolist(), [exact] * 256)
            if exact != 1:  # one product after the other, each would be rounded away
                self.assertTrue((self.values(ir, args)[2] != exact).all())

    def test_aReshapeThatMayReorderMovesNothing(self):
        """Thread t holds elements t and 128 + t before and, in the same registers, 2 t and 2 t + 1 after it."""
        x = np.arange(256, dtype=np.int32)
        ir = "#b = %s\n#w = %s\n" % (blocked(1), blocked(2)) + MODULE % 1 + "tt.func public @k(%px: !tt.ptr<i32>, %pz: !tt.ptr<i32>) {" + accesses(
            "x", "i32", 256, "#b") + "  %v = tt.reshape %x ALLOW : tensor<256xi32, #b> -> tensor<256xi32, #w>\n" + accesses("z", "i32", 256, "#w", "v") + "  tt.return\n}}"
        z = self.values(ir.replace("ALLOW", "allow_reorder"), [x, np.zeros_like(x)], level="ttgir")[1]
        np.testing.assert_array_equal(z, x.reshape(2, 128).T.ravel())
        z = self.values(ir.replace("ALLOW", ""), [x, np.zeros_like(x)], level="ttgir")[1]
        np.testing.assert_array_equal(z, x)

    def test_sumsAreTakenInTheChipsOrder(self):
        """A thread's registers one by one, halves of the lanes, halves of the warps; or neighbours, whatever the layout."""
        x = np.random.default_rng(3).standard_normal(1024).astype(np.float16)
        body = "tt.func public @k(%px: !tt.ptr<f16>, %y: !tt.ptr<f16>) {" + accesses("x", "f16", 1024, "#b") + """
  %v = "tt.reduce"(%x) <{axis = 0 : i32, reduction_ordering = "ORDER"}> ({
  ^bb0(%l: f16, %r: f16):
    %s = arith.addf %l, %r : f16
    tt.reduce.return %s : f16
  }) : (tensor<1024xf16, #b>) -> f16
  tt.store %y, %v : !tt.ptr<f16>
  tt.return
}}
"""

        def halves(values):
            while len(values) > 1:
                values = values[:len(values) // 2] + values[len(values) // 2:]
            return values[0]

        def neighbours(values):
            while len(values) > 1:
                values = values[0::2] + values[1::2]
            return values[0]

        def byThread(perThread):  # [register][lane][warp]
            return x.reshape(8 // perThread, 4, 32, perThread).transpose(0, 3, 2, 1).reshape(8, 32, 4)

        seen = set()
        for perThread in (1, 4, 8):
            layout = "#b = %s\n" % blocked(perThread) + MODULE % 1
            registers = byThread(perThread)
            wanted = registers[0]
            for following in registers[1:]:
                wanted = wanted + following
            wanted = halves(np.array([halves(wanted[:, warp]) for warp in range(4)], np.float16))
            y = self.values(layout + body.replace("ORDER", "unordered"), [x, np.zeros(1, np.float16)], level="ttgir")[1]
            self.assertEqual(y[0], wanted)
            seen.add(float(wanted))
            y = self.values(layout + body.replace("ORDER", "inner_tree"), [x, np.zeros(1, np.float16)], level="ttgir")[1]
            self.assertEqual(y[0], neighbours(x))
        self.assertGreater(len(seen), 1)  # it does make a difference


if __name__ == "__main__":
    pytlx.main()
