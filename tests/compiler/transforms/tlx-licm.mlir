// RUN: tlx-opt %s --tlx-licm | FileCheck %s

// What is read outside is read only where the loop would have run.
// CHECK-LABEL: @load_leaves_a_loop_without_writes
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %arg1, %arg2 : i32
// CHECK: %[[M:.*]] = tt.splat %[[RUNS]] : i1 -> tensor<8xi1>
// CHECK: %[[X:.*]] = tt.load %arg0, %[[M]] : tensor<8x!tt.ptr<f32>>
// CHECK: scf.for
// CHECK-NEXT: arith.addf %{{.*}}, %[[X]]
tt.func @load_leaves_a_loop_without_writes(%p: tensor<8x!tt.ptr<f32>>, %lo: i32, %hi: i32) -> tensor<8xf32> {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant 1 : i32
  %r = scf.for %i = %lo to %hi step %one iter_args(%acc = %zero) -> (tensor<8xf32>) : i32 {
    %x = tt.load %p : tensor<8x!tt.ptr<f32>>
    %s = arith.addf %acc, %x : tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  }
  tt.return %r : tensor<8xf32>
}

// CHECK-LABEL: @its_mask_is_kept
// CHECK: %[[RUNS:.*]] = arith.cmpi
// CHECK: %[[S:.*]] = tt.splat %[[RUNS]]
// CHECK: %[[M:.*]] = arith.andi %arg3, %[[S]]
// CHECK: tt.load %arg0, %[[M]]
// CHECK: scf.for
tt.func @its_mask_is_kept(%p: tensor<8x!tt.ptr<f32>>, %lo: i32, %hi: i32, %m: tensor<8xi1>) -> tensor<8xf32> {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant 1 : i32
  %r = scf.for %i = %lo to %hi step %one iter_args(%acc = %zero) -> (tensor<8xf32>) : i32 {
    %x = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
    %s = arith.addf %acc, %x : tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  }
  tt.return %r : tensor<8xf32>
}

// CHECK-LABEL: @load_stays_in_a_loop_that_writes
// CHECK: scf.for
// CHECK-NEXT: tt.load
tt.func @load_stays_in_a_loop_that_writes(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %x = tt.load %p : !tt.ptr<f32>
    tt.store %q, %x : !tt.ptr<f32>
  }
  tt.return
}

// Division by a zero that the loop guards against must stay inside.
// CHECK-LABEL: @pure_ops_leave_but_not_divisions
// CHECK: arith.muli
// CHECK: arith.remsi %{{.*}}, %c7_i32
// CHECK: scf.for
// CHECK: arith.divsi
// CHECK: arith.remsi %{{.*}}, %arg2
tt.func @pure_ops_leave_but_not_divisions(%p: !tt.ptr<i32>, %a: i32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %m = arith.muli %a, %a : i32
    %d = arith.divsi %m, %n : i32
    tt.store %p, %d : !tt.ptr<i32>
    %r = arith.remsi %m, %n : i32
    tt.store %p, %r : !tt.ptr<i32>
    %c7_i32 = arith.constant 7 : i32
    %s = arith.remsi %m, %c7_i32 : i32
    tt.store %p, %s : !tt.ptr<i32>
  }
  tt.return
}
