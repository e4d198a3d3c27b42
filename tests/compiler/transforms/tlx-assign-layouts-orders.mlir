// RUN: tlx-opt %s --tlx-assign-layouts | FileCheck %s

// Two tiles made of the same rows and columns are loaded in two orders, each along its memory.
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
// CHECK-DAG: #[[ROWS:.*]] = #ttg.blocked<{sizePerThread = [1, 8], {{.*}}order = [1, 0]}>
// CHECK-DAG: #[[COLUMNS:.*]] = #ttg.blocked<{sizePerThread = [8, 1], {{.*}}order = [0, 1]}>
// CHECK-LABEL: @two_orders
// CHECK-DAG: tt.load %{{.*}} : tensor<64x64x!tt.ptr<f16>, #[[ROWS]]>
// CHECK-DAG: tt.load %{{.*}} : tensor<64x64x!tt.ptr<f16>, #[[COLUMNS]]>
tt.func @two_orders(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %stride = arith.constant dense<64> : tensor<64x1xi32>
  %across = arith.constant dense<64> : tensor<1x64xi32>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %column = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %row = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %down = arith.muli %column, %stride : tensor<64x1xi32>
  %right = arith.muli %row, %across : tensor<1x64xi32>
  %down0 = tt.broadcast %down : tensor<64x1xi32> -> tensor<64x64xi32>
  %row0 = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %column0 = tt.broadcast %column : tensor<64x1xi32> -> tensor<64x64xi32>
  %right0 = tt.broadcast %right : tensor<1x64xi32> -> tensor<64x64xi32>
  %i = arith.addi %down0, %row0 : tensor<64x64xi32>
  %j = arith.addi %column0, %right0 : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %ap = tt.addptr %as, %i : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %bp = tt.addptr %bs, %j : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %x = tt.load %ap : tensor<64x64x!tt.ptr<f16>>
  %y = tt.load %bp : tensor<64x64x!tt.ptr<f16>>
  tt.store %ap, %x : tensor<64x64x!tt.ptr<f16>>
  tt.store %bp, %y : tensor<64x64x!tt.ptr<f16>>
  tt.return
}
}
