// RUN: tlx-opt %s --split-input-file --tlx-warp-group-products | FileCheck %s

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
// Both operands in memory; the first is consecutive along its rows, the second along
// its columns, as the addresses say.
// CHECK-DAG: #[[MMA:.*]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 32, 16]}>
// CHECK-DAG: #[[A:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #[[B:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
// CHECK-DAG: #[[A8:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
// CHECK-DAG: #[[B8:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
// CHECK-LABEL: @loaded
// CHECK: %[[A0:.*]] = tt.load
// CHECK: %[[AM:.*]] = ttg.local_alloc %[[A0]] : (tensor<64x64xf16>) -> !ttg.memdesc<64x64xf16, #[[A]]
// CHECK: %[[B0:.*]] = tt.load
// CHECK: %[[BM:.*]] = ttg.local_alloc %[[B0]] : (tensor<64x32xf16>) -> !ttg.memdesc<64x32xf16, #[[B]]
// CHECK: %[[C:.*]] = tlx.require_layout %{{.*}} -> tensor<64x32xf32, #[[MMA]]>
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: %[[D:.*]] = ttng.warp_group_dot %[[AM]], %[[BM]], %[[C]] {{.*}}isAsync = true
// CHECK: %[[W:.*]] = ttng.warp_group_dot_wait %[[D]] {pendings = 0
// CHECK: %[[R:.*]] = tlx.release_layout %[[W]]
// CHECK: tt.return %[[R]]
tt.func @loaded(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>) -> tensor<64x32xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %row = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %column = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tt.broadcast %column : tensor<64x1xi32> -> tensor<64x32xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %ap = tt.addptr %as, %rows : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %bp = tt.addptr %bs, %columns : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %x = tt.load %ap : tensor<64x64x!tt.ptr<f16>>
  %y = tt.load %bp : tensor<64x32x!tt.ptr<f16>>
  %d = tt.dot %x, %y, %zero : tensor<64x64xf16> * tensor<64x32xf16> -> tensor<64x32xf32>
  tt.return %d : tensor<64x32xf32>
}

// Both operands are one tile, which goes away.
// CHECK-LABEL: @squared
// CHECK: %[[V:.*]] = ttg.memdesc_trans %[[X:.*]] {
// CHECK: ttng.warp_group_dot %[[V]], %{{.*}},
// CHECK-NOT: tt.trans
tt.func @squared(%x: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
  %d = tt.dot %t, %t, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}

// What a loop computes stays in registers; what is transposed is read through a view.
// CHECK-LABEL: @computed
// CHECK: %[[Y:.*]] = ttg.local_alloc %arg0
// CHECK: scf.for
// CHECK: %[[P:.*]] = arith.truncf
// CHECK: %[[X:.*]] = tlx.require_layout %[[P]] : tensor<64x32xf16> -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0
// CHECK: %[[V:.*]] = ttg.memdesc_trans %[[Y]] {order = array<i32: 1, 0>}
// CHECK: ttng.warp_group_dot %[[X]], %[[V]]
tt.func @computed(%y: tensor<64x32xf16>, %n: index) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %one = arith.constant dense<1.0> : tensor<64x32xf32>
  %low = arith.constant 0 : index
  %step = arith.constant 1 : index
  %sum = scf.for %i = %low to %n step %step iter_args(%c = %zero) -> (tensor<64x64xf32>) {
    %x = arith.truncf %one : tensor<64x32xf32> to tensor<64x32xf16>
    %t = tt.trans %y {order = array<i32: 1, 0>} : tensor<64x32xf16> -> tensor<32x64xf16>
    %d = tt.dot %x, %t, %c : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return %sum : tensor<64x64xf32>
}

// A buffer is read again only if nothing can have changed it.
// CHECK-LABEL: @from_buffers
// CHECK: %[[B:.*]] = ttg.local_alloc %{{.*}} : (tensor<64x64xf16>)
// CHECK: ttng.warp_group_dot %arg0, %[[B]],
tt.func @from_buffers(%x: !ttg.memdesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>, #ttg.shared_memory, mutable>,
                      %y: !ttg.memdesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>, #ttg.shared_memory, mutable>,
                      %t: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = ttg.local_load %y : !ttg.memdesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>, #ttg.shared_memory, mutable> -> tensor<64x64xf16>
  ttg.local_store %t, %y : tensor<64x64xf16> -> !ttg.memdesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>, #ttg.shared_memory, mutable>
  %a = ttg.local_load %x : !ttg.memdesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>, #ttg.shared_memory, mutable> -> tensor<64x64xf16>
  %d = tt.dot %a, %b, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}

// Elements of other than 16 bits lie along the sum, in registers four to a word.
// CHECK-LABEL: @eight_bits_along
// CHECK: %[[AM:.*]] = ttg.local_alloc {{.*}} : (tensor<64x64xf8E4M3FN>) -> !ttg.memdesc<64x64xf8E4M3FN, #[[A8]]
// CHECK: %[[BM:.*]] = ttg.local_alloc {{.*}} : (tensor<64x32xf8E5M2>) -> !ttg.memdesc<64x32xf8E5M2, #[[B8]]
// CHECK: ttng.warp_group_dot %[[AM]], %[[BM]], {{.*}}maxNumImpreciseAcc = 64
tt.func @eight_bits_along(%a: !tt.ptr<f8E4M3FN>, %b: !tt.ptr<f8E5M2>) -> tensor<64x32xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %row = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %column = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tt.broadcast %column : tensor<64x1xi32> -> tensor<64x32xi32>
  %as = tt.splat %a : !tt.ptr<f8E4M3FN> -> tensor<64x64x!tt.ptr<f8E4M3FN>>
  %ap = tt.addptr %as, %rows : tensor<64x64x!tt.ptr<f8E4M3FN>>, tensor<64x64xi32>
  %bs = tt.splat %b : !tt.ptr<f8E5M2> -> tensor<64x32x!tt.ptr<f8E5M2>>
  %bp = tt.addptr %bs, %columns : tensor<64x32x!tt.ptr<f8E5M2>>, tensor<64x32xi32>
  %x = tt.load %ap : tensor<64x64x!tt.ptr<f8E4M3FN>>
  %y = tt.load %bp : tensor<64x32x!tt.ptr<f8E5M2>>
  %d = tt.dot %x, %y, %zero {maxNumImpreciseAcc = 64 : i32} : tensor<64x64xf8E4M3FN> * tensor<64x32xf8E5M2> -> tensor<64x32xf32>
  tt.return %d : tensor<64x32xf32>
}

// The rows of %y are the columns of the product, along which its elements lie.
// CHECK-LABEL: @integers
// CHECK-DAG: %[[V:.*]] = ttg.memdesc_trans
// CHECK: ttng.warp_group_dot %{{.*}}, %[[V]], {{.*}}-> tensor<64x64xi32,
tt.func @integers(%x: tensor<64x32xi8>, %y: tensor<64x32xi8>) -> tensor<64x64xi32> {
  %zero = arith.constant dense<0> : tensor<64x64xi32>
  %t = tt.trans %y {order = array<i32: 1, 0>} : tensor<64x32xi8> -> tensor<32x64xi8>
  %d = tt.dot %x, %t, %zero : tensor<64x32xi8> * tensor<32x64xi8> -> tensor<64x64xi32>
  tt.return %d : tensor<64x64xi32>
}

// Single precision is tf32's only where the program says so.
// CHECK-LABEL: @singles
// CHECK: tt.dot
// CHECK: ttng.warp_group_dot %{{.*}} {inputPrecision = 0 : i32
tt.func @singles(%x: tensor<64x32xf32>, %y: tensor<64x32xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tt.trans %y {order = array<i32: 1, 0>} : tensor<64x32xf32> -> tensor<32x64xf32>
  %c = tt.dot %x, %t, %zero, inputPrecision = ieee : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  %d = tt.dot %x, %t, %c, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}

// Along the columns they are widened, which any order suits.
// CHECK-LABEL: @eight_bits
// CHECK: %[[A:.*]] = tt.fp_to_fp %arg0 : tensor<64x32xf8E4M3FN> -> tensor<64x32xf16>
// CHECK: %[[B:.*]] = tt.fp_to_fp %arg1 : tensor<32x64xf8E5M2> -> tensor<32x64xf16>
// CHECK: ttng.warp_group_dot {{.*}}64x32xf16{{.*}}32x64xf16
tt.func @eight_bits(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x64xf8E5M2>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %d = tt.dot %a, %b, %c : tensor<64x32xf8E4M3FN> * tensor<32x64xf8E5M2> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}

// Too few rows; integers along the columns; half-precision sums.
// CHECK-LABEL: @not
// CHECK-COUNT-3: tt.dot
// CHECK-NOT: warp_group_dot
tt.func @not(%a: tensor<32x64xf16>, %b: tensor<64x32xf16>, %c: tensor<64x64xi8>, %d: tensor<64x64xf16>) -> (tensor<32x32xf32>, tensor<64x64xi32>, tensor<64x64xf16>) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %none = arith.constant dense<0> : tensor<64x64xi32>
  %half = arith.constant dense<0.0> : tensor<64x64xf16>
  %x = tt.dot %a, %b, %zero : tensor<32x64xf16> * tensor<64x32xf16> -> tensor<32x32xf32>
  %y = tt.dot %c, %c, %none : tensor<64x64xi8> * tensor<64x64xi8> -> tensor<64x64xi32>
  %z = tt.dot %d, %d, %half : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf16>
  tt.return %x, %y, %z : tensor<32x32xf32>, tensor<64x64xi32>, tensor<64x64xf16>
}
}

// -----

// Two warps are no group.
module attributes {"ttg.num-warps" = 2 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @two_warps
// CHECK: tt.dot
tt.func @two_warps(%a: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tt.dot %a, %a, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  tt.return %x : tensor<64x64xf32>
}
}
