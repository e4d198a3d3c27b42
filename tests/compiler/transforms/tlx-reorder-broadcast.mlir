// RUN: tlx-opt %s --tlx-reorder-broadcast | FileCheck %s

// CHECK-LABEL: @of_splats
// CHECK: %[[S:.*]] = arith.muli %arg0, %arg1 : i32
// CHECK: %[[T:.*]] = tt.splat %[[S]] : i32 -> tensor<8x4xi32>
// CHECK: tt.return %[[T]]
tt.func @of_splats(%a: i32, %b: i32) -> tensor<8x4xi32> {
  %x = tt.splat %a : i32 -> tensor<8x4xi32>
  %y = tt.splat %b : i32 -> tensor<8x4xi32>
  %z = arith.muli %x, %y : tensor<8x4xi32>
  tt.return %z : tensor<8x4xi32>
}

// CHECK-LABEL: @of_a_splat_and_a_constant
// CHECK: %[[C:.*]] = arith.constant 3.0{{.*}} : f32
// CHECK: %[[S:.*]] = arith.addf %arg0, %[[C]] : f32
// CHECK: tt.splat %[[S]]
tt.func @of_a_splat_and_a_constant(%a: f32) -> tensor<8xf32> {
  %c = arith.constant dense<3.0> : tensor<8xf32>
  %x = tt.splat %a : f32 -> tensor<8xf32>
  %z = arith.addf %x, %c : tensor<8xf32>
  tt.return %z : tensor<8xf32>
}

// CHECK-LABEL: @of_a_broadcast_and_a_splat
// CHECK: %[[Y:.*]] = tt.splat %arg1 : i32 -> tensor<8x1xi32>
// CHECK: %[[C:.*]] = arith.cmpi slt, %arg0, %[[Y]] : tensor<8x1xi32>
// CHECK: tt.broadcast %[[C]] : tensor<8x1xi1> -> tensor<8x4xi1>
tt.func @of_a_broadcast_and_a_splat(%a: tensor<8x1xi32>, %b: i32) -> tensor<8x4xi1> {
  %x = tt.broadcast %a : tensor<8x1xi32> -> tensor<8x4xi32>
  %y = tt.splat %b : i32 -> tensor<8x4xi32>
  %z = arith.cmpi slt, %x, %y : tensor<8x4xi32>
  tt.return %z : tensor<8x4xi1>
}

// Broadcasts along different dimensions meet in the big tile only.
// CHECK-LABEL: @of_different_broadcasts
// CHECK: arith.addi %{{.*}} : tensor<8x4xi32>
tt.func @of_different_broadcasts(%a: tensor<8x1xi32>, %b: tensor<1x4xi32>) -> tensor<8x4xi32> {
  %x = tt.broadcast %a : tensor<8x1xi32> -> tensor<8x4xi32>
  %y = tt.broadcast %b : tensor<1x4xi32> -> tensor<8x4xi32>
  %z = arith.addi %x, %y : tensor<8x4xi32>
  tt.return %z : tensor<8x4xi32>
}
