// RUN: tlx-opt %s --tlx-uplift-while | FileCheck %s

// CHECK-LABEL: @counts_up
// CHECK: scf.for %{{.*}} = %arg1 to %arg2 step %c132_i32
// CHECK-NOT: scf.while
// CHECK: tt.return
tt.func @counts_up(%p: !tt.ptr<i32>, %start: i32, %tiles: i32) {
  %c132_i32 = arith.constant 132 : i32
  %r = scf.while (%tile = %start) : (i32) -> i32 {
    %go = arith.cmpi slt, %tile, %tiles : i32
    scf.condition(%go) %tile : i32
  } do {
  ^bb0(%tile: i32):
    tt.store %p, %tile : !tt.ptr<i32>
    %next = arith.addi %tile, %c132_i32 : i32
    scf.yield %next : i32
  }
  tt.return
}

// The next tile comes from memory: nobody knows how many there are.
// CHECK-LABEL: @asks_memory
// CHECK: scf.while
tt.func @asks_memory(%p: !tt.ptr<i32>, %start: i32, %tiles: i32) {
  %r = scf.while (%tile = %start) : (i32) -> i32 {
    %go = arith.cmpi slt, %tile, %tiles : i32
    scf.condition(%go) %tile : i32
  } do {
  ^bb0(%tile: i32):
    tt.store %p, %tile : !tt.ptr<i32>
    %next = tt.load %p : !tt.ptr<i32>
    scf.yield %next : i32
  }
  tt.return
}
