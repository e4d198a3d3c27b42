// RUN: tlx-opt %s --tlx-descriptor-layouts | FileCheck %s

// CHECK-DAG: #[[S64:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64,
// CHECK-DAG: #[[S128:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128,
#s64 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#s128 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// Through a partition's argument, and through a loop; %c is copied nowhere: a row
// fills the widest swizzle.
// CHECK-LABEL: @copies
// CHECK-SAME: %arg0: !tt.tensordesc<tensor<64x32xf16, #[[S64]]>>
// CHECK-SAME: %arg1: !tt.tensordesc<tensor<64x64xf16, #[[S128]]>>
// CHECK-SAME: %arg2: !tt.tensordesc<tensor<64x64xf16, #[[S128]]>>
// CHECK: partition0(%{{.*}}: !tt.tensordesc<tensor<64x32xf16, #[[S64]]>>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @copies(%a: !tt.tensordesc<tensor<64x32xf16>>, %b: !tt.tensordesc<tensor<64x64xf16>>, %c: !tt.tensordesc<tensor<64x64xf16>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %to = ttg.local_alloc : () -> !ttg.memdesc<64x32xf16, #s64, #smem, mutable>
  %from = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s128, #smem, mutable>
  %full = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttg.warp_specialize(%a, %to, %full)
  default {
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%d = %b) -> (!tt.tensordesc<tensor<64x64xf16>>) : i32 {
      ttng.async_tma_copy_local_to_global %d[%c0, %c0] %from : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #s128, #smem, mutable>
      scf.yield %d : !tt.tensordesc<tensor<64x64xf16>>
    }
    ttg.warp_yield
  }
  partition0(%x: !tt.tensordesc<tensor<64x32xf16>>, %y: !ttg.memdesc<64x32xf16, #s64, #smem, mutable>, %z: !ttg.memdesc<1xi64, #bar, #smem, mutable>) num_warps(1) {
    %zero = arith.constant 0 : i32
    %true = arith.constant true
    ttng.async_tma_copy_global_to_local %x[%zero, %zero] %y, %z, %true : !tt.tensordesc<tensor<64x32xf16>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x32xf16, #s64, #smem, mutable>
    ttg.warp_return
  } : (!tt.tensordesc<tensor<64x32xf16>>, !ttg.memdesc<64x32xf16, #s64, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>) -> ()
  tt.return
}
}
