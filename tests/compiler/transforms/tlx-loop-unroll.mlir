// RUN: tlx-opt %s --tlx-loop-unroll | FileCheck %s

// Eight iterations by two: four rounds, nothing left over.
// CHECK-LABEL: @divides
// CHECK: scf.for %{{.*}} = %c0_i32 to %c8_i32 step %[[STEP:.*]]  : i32
// CHECK-COUNT-2: tt.store
// CHECK-NOT: tt.loop_unroll_factor
// CHECK: tt.return
tt.func @divides(%p: !tt.ptr<i32>) {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c8_i32 = arith.constant 8 : i32
  scf.for %i = %c0_i32 to %c8_i32 step %c1_i32 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return
}

// An unknown trip count leaves a rest, which is not pipelined.
// CHECK-LABEL: @leaves_a_rest
// CHECK: scf.for
// CHECK-COUNT-3: tt.store
// CHECK: tt.num_stages = 4
// CHECK: scf.for
// CHECK-COUNT-1: tt.store
// CHECK: tt.num_stages = 1
tt.func @leaves_a_rest(%p: !tt.ptr<i32>, %n: i32) {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  scf.for %i = %c0_i32 to %n step %c1_i32 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 3 : i32, tt.num_stages = 4 : i32}
  tt.return
}

// CHECK-LABEL: @factor_one_is_kept
// CHECK-COUNT-1: tt.store
// CHECK: tt.loop_unroll_factor = 1
tt.func @factor_one_is_kept(%p: !tt.ptr<i32>, %n: i32) {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  scf.for %i = %c0_i32 to %n step %c1_i32 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 1 : i32}
  tt.return
}
