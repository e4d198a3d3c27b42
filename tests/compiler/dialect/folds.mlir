// RUN: tlx-opt %s --canonicalize | FileCheck %s

#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvt = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// CHECK-LABEL: @transposes_compose
// CHECK: %[[T:.*]] = tt.trans %arg0 {order = array<i32: 2, 0, 1>} : tensor<4x8x2xf32> -> tensor<2x4x8xf32>
// CHECK: tt.return %[[T]]
tt.func @transposes_compose(%a: tensor<4x8x2xf32>) -> tensor<2x4x8xf32> {
  %0 = tt.trans %a {order = array<i32: 1, 2, 0>} : tensor<4x8x2xf32> -> tensor<8x2x4xf32>
  %1 = tt.trans %0 {order = array<i32: 1, 2, 0>} : tensor<8x2x4xf32> -> tensor<2x4x8xf32>
  tt.return %1 : tensor<2x4x8xf32>
}

// CHECK-LABEL: @equal_elements_in_any_shape
// CHECK-DAG: %[[C:.*]] = arith.constant dense<3> : tensor<1x4xi32>
// CHECK-DAG: %[[S:.*]] = tt.splat %arg0 : f32 -> tensor<2x8x4xf32>
// CHECK: tt.return %[[C]], %[[S]]
tt.func @equal_elements_in_any_shape(%s: f32) -> (tensor<1x4xi32>, tensor<2x8x4xf32>) {
  %c3 = arith.constant 3 : i32
  %c = tt.splat %c3 : i32 -> tensor<4xi32>
  %e = tt.expand_dims %c {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %x = tt.splat %s : f32 -> tensor<32xf32>
  %y = tt.reshape %x : tensor<32xf32> -> tensor<8x4xf32>
  %z = tt.expand_dims %y {axis = 0 : i32} : tensor<8x4xf32> -> tensor<1x8x4xf32>
  %w = tt.broadcast %z : tensor<1x8x4xf32> -> tensor<2x8x4xf32>
  tt.return %e, %w : tensor<1x4xi32>, tensor<2x8x4xf32>
}

// CHECK-LABEL: @constant_masks
// CHECK: %[[X:.*]] = tt.load %arg0 : tensor<4x!tt.ptr<f32>>
// CHECK-NOT: tt.store %arg0, %arg1
// CHECK: tt.store %arg0, %[[X]] : tensor<4x!tt.ptr<f32>>
// CHECK: tt.return %arg1
tt.func @constant_masks(%p: tensor<4x!tt.ptr<f32>>, %v: tensor<4xf32>) -> tensor<4xf32> {
  %all = arith.constant dense<true> : tensor<4xi1>
  %none = arith.constant dense<false> : tensor<4xi1>
  %x = tt.load %p, %all, %v : tensor<4x!tt.ptr<f32>>
  %y = tt.load %p, %none, %v : tensor<4x!tt.ptr<f32>>
  tt.store %p, %v, %none : tensor<4x!tt.ptr<f32>>
  tt.store %p, %x, %all : tensor<4x!tt.ptr<f32>>
  tt.return %y : tensor<4xf32>
}

// What the elements are that nothing says is not for us to choose.
// CHECK-LABEL: @load_of_nothing_stays
// CHECK: tt.load
tt.func @load_of_nothing_stays(%p: tensor<4x!tt.ptr<f32>>) -> tensor<4xf32> {
  %none = arith.constant dense<false> : tensor<4xi1>
  %x = tt.load %p, %none : tensor<4x!tt.ptr<f32>>
  tt.return %x : tensor<4xf32>
}

// CHECK-LABEL: @zeros_convert
// CHECK-DAG: arith.constant dense<0.0{{.*}}> : tensor<4xf8E5M2>
// CHECK-DAG: tt.fp_to_fp %{{.*}}, rounding = rtne : f32 -> f16
tt.func @zeros_convert() -> (tensor<4xf8E5M2>, f16) {
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %0 = tt.fp_to_fp %z, rounding = rtne : tensor<4xf32> -> tensor<4xf8E5M2>
  %c = arith.constant 1.1 : f32
  %1 = tt.fp_to_fp %c, rounding = rtne : f32 -> f16
  tt.return %0, %1 : tensor<4xf8E5M2>, f16
}

// CHECK-LABEL: @buffer_views
// CHECK: %[[S:.*]] = ttg.memdesc_subslice %arg0[48, 0]
// CHECK: tt.return %[[S]], %arg0
tt.func @buffer_views(%m: !ttg.memdesc<64x64xf16, #nv, #smem, mutable>) -> (!ttg.memdesc<16x64xf16, #nv, #smem, mutable, 64x64>, !ttg.memdesc<64x64xf16, #nv, #smem, mutable>) {
  %0 = ttg.memdesc_subslice %m[32, 0] : !ttg.memdesc<64x64xf16, #nv, #smem, mutable> -> !ttg.memdesc<32x64xf16, #nv, #smem, mutable, 64x64>
  %1 = ttg.memdesc_subslice %0[16, 0] : !ttg.memdesc<32x64xf16, #nv, #smem, mutable, 64x64> -> !ttg.memdesc<16x64xf16, #nv, #smem, mutable, 64x64>
  %2 = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #nv, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvt, #smem, mutable>
  %3 = ttg.memdesc_trans %2 {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #nvt, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nv, #smem, mutable>
  tt.return %1, %3 : !ttg.memdesc<16x64xf16, #nv, #smem, mutable, 64x64>, !ttg.memdesc<64x64xf16, #nv, #smem, mutable>
}

// CHECK-LABEL: @captures
// CHECK: %[[R:.*]] = ttg.warp_specialize(%arg1, %arg2)
// CHECK: ttg.warp_yield %arg1 : i32
// CHECK: partition0(%[[X:.*]]: i32, %[[P:.*]]: !tt.ptr<i32>)
// CHECK: %[[S:.*]] = arith.addi %[[X]], %[[X]]
// CHECK: tt.store %[[P]], %[[S]]
// CHECK: (i32, !tt.ptr<i32>) -> i32
// CHECK: tt.return %[[R]]
tt.func @captures(%a: i32, %b: i32, %p: !tt.ptr<i32>) -> i32 {
  %r:2 = ttg.warp_specialize(%a, %b, %b, %p)
  default {
    ttg.warp_yield %a, %b : i32, i32
  }
  partition0(%x: i32, %y: i32, %y2: i32, %q: !tt.ptr<i32>) num_warps(4) {
    %s = arith.addi %y, %y2 : i32
    tt.store %q, %s : !tt.ptr<i32>
    ttg.warp_return
  } : (i32, i32, i32, !tt.ptr<i32>) -> (i32, i32)
  tt.return %r#1 : i32
}

// CHECK-LABEL: @nobody_uses_them
// CHECK-NEXT: tt.return
tt.func @nobody_uses_them() {
  %0 = ttg.local_alloc : () -> !ttg.memdesc<4x64x64xf16, #nv, #smem, mutable>
  %1 = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
  tt.return
}
