// RUN: tlx-opt %s --tlx-split-products | FileCheck %s

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {

// The small products first, nothing where they are NaN, then the large one.
// CHECK-LABEL: @tf32x3
// CHECK-SAME: (%[[A:.*]]: tensor<32x16xf32>, %[[B:.*]]: tensor<16x32xf32>, %[[C:.*]]: tensor<32x32xf32>)
// CHECK: %[[AH:.*]] = tt.elementwise_inline_asm "cvt.rna.tf32.f32 $0, $1;" {{.*}} %[[A]]
// CHECK: %[[AL:.*]] = arith.subf %[[A]], %[[AH]]
// CHECK: %[[BH:.*]] = tt.elementwise_inline_asm "cvt.rna.tf32.f32 $0, $1;" {{.*}} %[[B]]
// CHECK: %[[BL:.*]] = arith.subf %[[B]], %[[BH]]
// CHECK: %[[S0:.*]] = tt.dot %[[AL]], %[[BH]], %[[ZERO:.*]], inputPrecision = tf32
// CHECK: %[[S1:.*]] = tt.dot %[[AH]], %[[BL]], %[[S0]], inputPrecision = tf32
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[S1]], %[[S1]]
// CHECK: %[[S2:.*]] = arith.select %[[NAN]], %[[ZERO]], %[[S1]]
// CHECK: %[[S3:.*]] = tt.dot %[[AH]], %[[BH]], %[[S2]], inputPrecision = tf32
// CHECK: %[[R:.*]] = arith.addf %[[S3]], %[[C]]
// CHECK: tt.return %[[R]]
tt.func @tf32x3(%a: tensor<32x16xf32>, %b: tensor<16x32xf32>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %d = tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<32x16xf32> * tensor<16x32xf32> -> tensor<32x32xf32>
  tt.return %d : tensor<32x32xf32>
}

// Three parts of eight bits: six products. A sum that begins with zero needs no addition.
// CHECK-LABEL: @bf16x6
// CHECK-COUNT-6: tt.dot {{.*}} : tensor<32x16xbf16> * tensor<16x32xbf16> -> tensor<32x32xf32>
// CHECK-NOT: tt.dot
// CHECK-NOT: arith.addf
// CHECK: tt.return
tt.func @bf16x6(%a: tensor<32x16xf32>, %b: tensor<16x32xf32>) -> tensor<32x32xf32> {
  %c = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tt.dot %a, %b, %c, inputPrecision = bf16x6 : tensor<32x16xf32> * tensor<16x32xf32> -> tensor<32x32xf32>
  tt.return %d : tensor<32x32xf32>
}

// CHECK-LABEL: @bf16x3
// CHECK-COUNT-3: tt.dot {{.*}} : tensor<32x16xbf16> * tensor<16x32xbf16> -> tensor<32x32xf32>
// CHECK-NOT: tt.dot
// CHECK: tt.return
tt.func @bf16x3(%a: tensor<32x16xf32>, %b: tensor<16x32xf32>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %d = tt.dot %a, %b, %c, inputPrecision = bf16x3 : tensor<32x16xf32> * tensor<16x32xf32> -> tensor<32x32xf32>
  tt.return %d : tensor<32x32xf32>
}

// Full precision is no matter of parts, and tensor cores sum no 8 elements.
// CHECK-LABEL: @others
// CHECK: tt.dot %{{.*}} : tensor<32x16xf32>
// CHECK: tt.dot %{{.*}}, inputPrecision = tf32x3 : tensor<32x8xf32>
// CHECK-NOT: tt.dot
tt.func @others(%a: tensor<32x16xf32>, %b: tensor<16x32xf32>, %e: tensor<32x8xf32>, %f: tensor<8x32xf32>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %d = tt.dot %a, %b, %c : tensor<32x16xf32> * tensor<16x32xf32> -> tensor<32x32xf32>
  %g = tt.dot %e, %f, %d, inputPrecision = tf32x3 : tensor<32x8xf32> * tensor<8x32xf32> -> tensor<32x32xf32>
  tt.return %g : tensor<32x32xf32>
}
}
