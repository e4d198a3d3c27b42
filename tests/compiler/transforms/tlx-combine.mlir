// RUN: tlx-opt %s --tlx-combine | FileCheck %s

// CHECK-LABEL: @sum_into_dot
// CHECK: %[[D:.*]] = tt.dot %arg0, %arg1, %arg2, inputPrecision = tf32
// CHECK-NOT: arith.addf
// CHECK: tt.return %[[D]]
tt.func @sum_into_dot(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %d: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %p = tt.dot %a, %b, %zero, inputPrecision = tf32 : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %s = arith.addf %d, %p : tensor<16x16xf32>
  tt.return %s : tensor<16x16xf32>
}

// The sum would be rounded on the way.
// CHECK-LABEL: @imprecise_dot_stays
// CHECK: tt.dot
// CHECK: arith.addf
tt.func @imprecise_dot_stays(%a: tensor<16x32xf8E5M2>, %b: tensor<32x16xf8E5M2>, %d: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %p = tt.dot %a, %b, %zero {maxNumImpreciseAcc = 32 : i32} : tensor<16x32xf8E5M2> * tensor<32x16xf8E5M2> -> tensor<16x16xf32>
  %s = arith.addf %p, %d : tensor<16x16xf32>
  tt.return %s : tensor<16x16xf32>
}

// CHECK-LABEL: @accumulating_dot_stays
// CHECK: arith.addf
tt.func @accumulating_dot_stays(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>, %d: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %p = tt.dot %a, %a, %c : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %s = arith.addf %p, %d : tensor<16x16xf32>
  tt.return %s : tensor<16x16xf32>
}

// CHECK-LABEL: @constant_offsets_add_up
// CHECK: %[[C:.*]] = arith.constant 12 : i32
// CHECK: %[[P:.*]] = tt.addptr %arg0, %[[C]]
// CHECK: tt.return %[[P]]
tt.func @constant_offsets_add_up(%p: !tt.ptr<f32>) -> !tt.ptr<f32> {
  %five = arith.constant 5 : i32
  %seven = arith.constant 7 : i32
  %a = tt.addptr %p, %five : !tt.ptr<f32>, i32
  %b = tt.addptr %a, %seven : !tt.ptr<f32>, i32
  tt.return %b : !tt.ptr<f32>
}

// 2^31 - 1 + 1 is another address as a 32-bit sum.
// CHECK-LABEL: @overflowing_offsets_stay
// CHECK: tt.addptr
// CHECK: tt.addptr
tt.func @overflowing_offsets_stay(%p: !tt.ptr<f32>) -> !tt.ptr<f32> {
  %big = arith.constant 2147483647 : i32
  %one = arith.constant 1 : i32
  %a = tt.addptr %p, %big : !tt.ptr<f32>, i32
  %b = tt.addptr %a, %one : !tt.ptr<f32>, i32
  tt.return %b : !tt.ptr<f32>
}

// CHECK-LABEL: @select_into_load
// CHECK: %[[M:.*]] = tt.splat %arg1
// CHECK: %[[L:.*]] = tt.load %arg0, %[[M]], %arg2 evictionPolicy = evict_first
// CHECK: tt.return %[[L]]
tt.func @select_into_load(%p: tensor<8x!tt.ptr<f32>>, %c: i1, %v: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %m = tt.splat %c : i1 -> tensor<8xi1>
  %x = tt.load %p, %m, %zero evictionPolicy = evict_first : tensor<8x!tt.ptr<f32>>
  %s = arith.select %c, %x, %v : tensor<8xf32>
  tt.return %s : tensor<8xf32>
}

// CHECK-LABEL: @descriptor_load_drops_unit_sizes
// CHECK: %[[L:.*]] = tt.descriptor_load %arg0[%arg1, %arg1, %arg1] : !tt.tensordesc<tensor<1x8x32xf16>> -> tensor<8x32xf16>
// CHECK: tt.return %[[L]]
tt.func @descriptor_load_drops_unit_sizes(%d: !tt.tensordesc<tensor<1x8x32xf16>>, %i: i32) -> tensor<8x32xf16> {
  %x = tt.descriptor_load %d[%i, %i, %i] : !tt.tensordesc<tensor<1x8x32xf16>> -> tensor<1x8x32xf16>
  %r = tt.reshape %x : tensor<1x8x32xf16> -> tensor<8x32xf16>
  tt.return %r : tensor<8x32xf16>
}

// CHECK-LABEL: @reshape_that_regroups_stays
// CHECK: tt.reshape
tt.func @reshape_that_regroups_stays(%d: !tt.tensordesc<tensor<1x8x32xf16>>, %i: i32) -> tensor<4x64xf16> {
  %x = tt.descriptor_load %d[%i, %i, %i] : !tt.tensordesc<tensor<1x8x32xf16>> -> tensor<1x8x32xf16>
  %r = tt.reshape %x : tensor<1x8x32xf16> -> tensor<4x64xf16>
  tt.return %r : tensor<4x64xf16>
}

// CHECK-LABEL: @product_of_broadcasts
// CHECK: %[[D:.*]] = tt.dot %arg0, %arg1, %{{.*}} : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
// CHECK: tt.return %[[D]]
tt.func @product_of_broadcasts(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = tt.expand_dims %a {axis = 2 : i32} : tensor<16x16xf32> -> tensor<16x16x1xf32>
  %1 = tt.expand_dims %b {axis = 0 : i32} : tensor<16x16xf32> -> tensor<1x16x16xf32>
  %2 = tt.broadcast %0 : tensor<16x16x1xf32> -> tensor<16x16x16xf32>
  %3 = tt.broadcast %1 : tensor<1x16x16xf32> -> tensor<16x16x16xf32>
  %4 = arith.mulf %2, %3 : tensor<16x16x16xf32>
  %5 = "tt.reduce"(%4) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.reduce.return %z : f32
  }) : (tensor<16x16x16xf32>) -> tensor<16x16xf32>
  tt.return %5 : tensor<16x16xf32>
}

// CHECK-LABEL: @wide_offsets_add_up
// CHECK: %[[S:.*]] = arith.addi %arg1, %arg2 : i64
// CHECK: tt.addptr %arg0, %[[S]] {tt.divisibility = dense<16> : tensor<1xi32>} : !tt.ptr<f32>, i64
tt.func @wide_offsets_add_up(%p: !tt.ptr<f32>, %a: i64, %b: i64) -> !tt.ptr<f32> {
  %0 = tt.addptr %p, %a : !tt.ptr<f32>, i64
  %1 = tt.addptr %0, %b {tt.divisibility = dense<16> : tensor<1xi32>} : !tt.ptr<f32>, i64
  tt.return %1 : !tt.ptr<f32>
}
