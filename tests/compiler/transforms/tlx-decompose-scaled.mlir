// RUN: tlx-opt %s --tlx-decompose-scaled | FileCheck %s

// A byte of e2m1 holds two values along the summed dimension; a scale is the exponent of
// a bf16 for 32 of them, 255 of which is NaN.
// CHECK-LABEL: @mixed
// CHECK: %[[A:.*]] = ttg.fp4_to_fp %arg0 {axis = 1 : i32} : tensor<32x32xi8> -> tensor<32x64xbf16>
// CHECK: %[[W:.*]] = arith.extui %arg1 : tensor<32x2xi8> to tensor<32x2xi16>
// CHECK: %[[E:.*]] = arith.shli %[[W]], %cst
// CHECK: %[[S:.*]] = tt.bitcast %[[E]] : tensor<32x2xi16> -> tensor<32x2xbf16>
// CHECK: %[[X:.*]] = tt.expand_dims %[[S]] {axis = 2
// CHECK: %[[R:.*]] = tt.broadcast %[[X]] : tensor<32x2x1xbf16> -> tensor<32x2x32xbf16>
// CHECK: %[[F:.*]] = tt.reshape %[[R]] : tensor<32x2x32xbf16> -> tensor<32x64xbf16>
// CHECK: %[[P:.*]] = arith.mulf %[[A]], %[[F]]
// CHECK: arith.cmpi eq, %arg1, %cst{{.*}} : tensor<32x2xi8>
// CHECK: %[[V:.*]] = arith.select %{{.*}}, %cst{{.*}}, %[[P]]
// CHECK: %[[B:.*]] = tt.fp_to_fp %arg2 : tensor<64x32xf8E5M2> -> tensor<64x32xbf16>
// CHECK: tt.dot %[[V]], %[[B]], %arg3
tt.func @mixed(%a: tensor<32x32xi8>, %s: tensor<32x2xi8>, %b: tensor<64x32xf8E5M2>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %d = tt.dot_scaled %a scale %s, %b, %c lhs = e2m1 rhs = e5m2 {fastMath = false} : tensor<32x32xi8>, tensor<32x2xi8> * tensor<64x32xf8E5M2> -> tensor<32x32xf32>
  tt.return %d : tensor<32x32xf32>
}

// The scales of the second operand are transposed. f16 takes few exponents: by way of f32.
// CHECK-LABEL: @second
// CHECK: arith.extui %arg2 : tensor<32x2xi8> to tensor<32x2xi32>
// CHECK: tt.bitcast %{{.*}} : tensor<32x2xi32> -> tensor<32x2xf32>
// CHECK: tt.fp_to_fp %{{.*}}, rounding = rtne : tensor<32x2xf32> -> tensor<32x2xf16>
// CHECK: tt.trans %{{.*}} {order = array<i32: 1, 0>} : tensor<32x64xf16> -> tensor<64x32xf16>
// CHECK-NOT: arith.select
// CHECK: tt.dot %arg0,
tt.func @second(%a: tensor<32x64xf16>, %b: tensor<64x32xf8E4M3FN>, %s: tensor<32x2xi8>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %d = tt.dot_scaled %a, %b scale %s, %c lhs = fp16 rhs = e4m3 {fastMath = true} : tensor<32x64xf16> * tensor<64x32xf8E4M3FN>, tensor<32x2xi8> -> tensor<32x32xf32>
  tt.return %d : tensor<32x32xf32>
}
