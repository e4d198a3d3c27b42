// RUN: tlx-opt %s --tlx-remake-tiles | FileCheck %s

// CHECK-DAG: #[[A:.*]] = #ttg.blocked<{sizePerThread = [1]
// CHECK-DAG: #[[B:.*]] = #ttg.blocked<{sizePerThread = [4]
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// CHECK-LABEL: @computed_again
// CHECK-NOT: convert_layout
// CHECK: %[[S:.*]] = arith.addi %{{.*}} : tensor<512xi32, #[[B]]>
// CHECK: tt.return %{{.*}}, %[[S]]
tt.func @computed_again(%n: i32) -> (tensor<512xi32, #a>, tensor<512xi32, #b>) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #a>
  %s = tt.splat %n : i32 -> tensor<512xi32, #a>
  %t = arith.addi %r, %s : tensor<512xi32, #a>
  %c = ttg.convert_layout %t : tensor<512xi32, #a> -> tensor<512xi32, #b>
  tt.return %t, %c : tensor<512xi32, #a>, tensor<512xi32, #b>
}

// CHECK-LABEL: @there_and_back
// CHECK-NOT: convert_layout
// CHECK: %[[S:.*]] = arith.addf %arg0, %{{.*}} : tensor<512xf32, #[[A]]>
// CHECK: tt.return %[[S]]
tt.func @there_and_back(%x: tensor<512xf32, #a>) -> tensor<512xf32, #a> {
  %one = arith.constant dense<1.0> : tensor<512xf32, #b>
  %there = ttg.convert_layout %x : tensor<512xf32, #a> -> tensor<512xf32, #b>
  %sum = arith.addf %there, %one : tensor<512xf32, #b>
  %back = ttg.convert_layout %sum : tensor<512xf32, #b> -> tensor<512xf32, #a>
  tt.return %back : tensor<512xf32, #a>
}

// What memory holds is not read twice.
// CHECK-LABEL: @loaded
// CHECK: tt.load
// CHECK-NOT: tt.load
// CHECK: ttg.convert_layout
tt.func @loaded(%p: tensor<512x!tt.ptr<f32>, #a>) -> tensor<512xf32, #b> {
  %l = tt.load %p : tensor<512x!tt.ptr<f32>, #a>
  %c = ttg.convert_layout %l : tensor<512xf32, #a> -> tensor<512xf32, #b>
  tt.return %c : tensor<512xf32, #b>
}
