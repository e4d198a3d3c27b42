// RUN: tlx-opt %s --tlx-late-products | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#t = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// The same products are pending behind the wait as before: one less is counted.
// CHECK-LABEL: @attention
// CHECK: %[[S:.*]] = ttng.warp_group_dot %arg0
// CHECK-NEXT: %[[DONE:.*]] = ttng.warp_group_dot_wait %[[S]] {pendings = 0 : i32}
// CHECK-NEXT: ttg.memdesc_index
// CHECK-NEXT: ttng.arrive_barrier
// CHECK-NEXT: %[[O:.*]] = ttng.warp_group_dot %arg2
// CHECK-NEXT: arith.mulf %[[DONE]]
// CHECK-NEXT: ttng.warp_group_dot_wait %[[O]] {pendings = 0 : i32}
tt.func @attention(%q: !ttg.memdesc<64x64xf16, #s, #smem>, %k: !ttg.memdesc<64x64xf16, #t, #smem>,
                   %p: tensor<64x64xf16, #a>, %v: !ttg.memdesc<64x64xf16, #s, #smem>,
                   %zero: tensor<64x64xf32, #mma>, %acc: tensor<64x64xf32, #mma>,
                   %bars: !ttg.memdesc<2xi64, #bar, #smem, mutable>, %i: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
  %s = ttng.warp_group_dot %q, %k, %zero {isAsync = true} : !ttg.memdesc<64x64xf16, #s, #smem> * !ttg.memdesc<64x64xf16, #t, #smem> -> tensor<64x64xf32, #mma>
  %o = ttng.warp_group_dot %p, %v, %acc {isAsync = true} : tensor<64x64xf16, #a> * !ttg.memdesc<64x64xf16, #s, #smem> -> tensor<64x64xf32, #mma>
  %done = ttng.warp_group_dot_wait %s {pendings = 1 : i32} : tensor<64x64xf32, #mma>
  %bar = ttg.memdesc_index %bars[%i] : !ttg.memdesc<2xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.arrive_barrier %bar, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %square = arith.mulf %done, %done : tensor<64x64xf32, #mma>
  %sum = ttng.warp_group_dot_wait %o {pendings = 0 : i32} : tensor<64x64xf32, #mma>
  tt.return %square, %sum : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}

// Issuing products of shared memory holds nobody up; what the wait is for stays in front of it;
// a turn that is given away (a named barrier) and work on tiles are not overtaken.
// CHECK-LABEL: @others
// CHECK: ttng.warp_group_dot %arg0
// CHECK-NEXT: ttng.warp_group_dot %arg0
// CHECK-NEXT: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// CHECK: ttng.warp_group_dot %arg2
// CHECK-NEXT: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
// CHECK-NEXT: %[[TURN:.*]] = ttng.warp_group_dot %arg2
// CHECK-NEXT: ttng.arrive_barrier_named
// CHECK: ttng.warp_group_dot %arg2
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
tt.func @others(%q: !ttg.memdesc<64x64xf16, #s, #smem>, %k: !ttg.memdesc<64x64xf16, #t, #smem>,
                %p: tensor<64x64xf16, #a>, %v: !ttg.memdesc<64x64xf16, #s, #smem>,
                %acc: tensor<64x64xf32, #mma>, %id: i32) -> tensor<64x64xf32, #mma> {
  %s = ttng.warp_group_dot %q, %k, %acc {isAsync = true} : !ttg.memdesc<64x64xf16, #s, #smem> * !ttg.memdesc<64x64xf16, #t, #smem> -> tensor<64x64xf32, #mma>
  %r = ttng.warp_group_dot %q, %k, %acc {isAsync = true} : !ttg.memdesc<64x64xf16, #s, #smem> * !ttg.memdesc<64x64xf16, #t, #smem> -> tensor<64x64xf32, #mma>
  %w = ttng.warp_group_dot_wait %s {pendings = 1 : i32} : tensor<64x64xf32, #mma>
  %o = ttng.warp_group_dot %p, %v, %w {isAsync = true} : tensor<64x64xf16, #a> * !ttg.memdesc<64x64xf16, #s, #smem> -> tensor<64x64xf32, #mma>
  %x = ttng.warp_group_dot_wait %o {pendings = 1 : i32} : tensor<64x64xf32, #mma>
  %y = arith.mulf %x, %x : tensor<64x64xf32, #mma>
  %a = ttng.warp_group_dot %p, %v, %acc {isAsync = true} : tensor<64x64xf16, #a> * !ttg.memdesc<64x64xf16, #s, #smem> -> tensor<64x64xf32, #mma>
  %b = ttng.warp_group_dot_wait %r {pendings = 1 : i32} : tensor<64x64xf32, #mma>
  ttng.arrive_barrier_named %id, %id : i32, i32
  %c = arith.mulf %b, %y : tensor<64x64xf32, #mma>
  %d = ttng.warp_group_dot %p, %v, %a {isAsync = true} : tensor<64x64xf16, #a> * !ttg.memdesc<64x64xf16, #s, #smem> -> tensor<64x64xf32, #mma>
  %e = arith.mulf %c, %c : tensor<64x64xf32, #mma>
  %f = ttng.warp_group_dot_wait %e {pendings = 1 : i32} : tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

// Two products of 128 x 128 and the fragment leave a thread nothing to do the arithmetic with.
// CHECK-LABEL: @tooLarge
// CHECK: ttng.warp_group_dot %arg2
// CHECK-NEXT: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
tt.func @tooLarge(%q: !ttg.memdesc<128x128xf16, #s, #smem>, %k: !ttg.memdesc<128x128xf16, #t, #smem>,
                  %p: tensor<128x128xf16, #a>, %v: !ttg.memdesc<128x128xf16, #s, #smem>,
                  %acc: tensor<128x128xf32, #mma>) -> (tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>) {
  %s = ttng.warp_group_dot %q, %k, %acc {isAsync = true} : !ttg.memdesc<128x128xf16, #s, #smem> * !ttg.memdesc<128x128xf16, #t, #smem> -> tensor<128x128xf32, #mma>
  %o = ttng.warp_group_dot %p, %v, %acc {isAsync = true} : tensor<128x128xf16, #a> * !ttg.memdesc<128x128xf16, #s, #smem> -> tensor<128x128xf32, #mma>
  %done = ttng.warp_group_dot_wait %s {pendings = 1 : i32} : tensor<128x128xf32, #mma>
  tt.return %done, %o : tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>
}

// Tile after tile.
// CHECK-LABEL: @persistent
// CHECK: ttng.warp_group_dot %arg2
// CHECK-NEXT: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
tt.func @persistent(%q: !ttg.memdesc<64x64xf16, #s, #smem>, %k: !ttg.memdesc<64x64xf16, #t, #smem>,
                    %p: tensor<64x64xf16, #a>, %v: !ttg.memdesc<64x64xf16, #s, #smem>,
                    %acc: tensor<64x64xf32, #mma>, %tiles: i32, %one: i32) {
  scf.for %tile = %one to %tiles step %one : i32 {
    %r = scf.for %block = %one to %tiles step %one iter_args(%sum = %acc) -> (tensor<64x64xf32, #mma>) : i32 {
      %s = ttng.warp_group_dot %q, %k, %acc {isAsync = true} : !ttg.memdesc<64x64xf16, #s, #smem> * !ttg.memdesc<64x64xf16, #t, #smem> -> tensor<64x64xf32, #mma>
      %o = ttng.warp_group_dot %p, %v, %sum {isAsync = true} : tensor<64x64xf16, #a> * !ttg.memdesc<64x64xf16, #s, #smem> -> tensor<64x64xf32, #mma>
      %done = ttng.warp_group_dot_wait %s {pendings = 1 : i32} : tensor<64x64xf32, #mma>
      scf.yield %o : tensor<64x64xf32, #mma>
    }
  }
  tt.return
}
}
