#!/usr/bin/env python3
"""What single operations compute, in kernels of a few lines."""
import unittest

import numpy as np

import pytlx
from ops import run

MODULE = 'module attributes {"ttg.num-ctas" = %d : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {\n'


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


if __name__ == "__main__":
    pytlx.main()
