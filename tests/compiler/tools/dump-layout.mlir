// RUN: tlx-compile %s --dump-layout --emit ttgir -o %t 2>&1 | FileCheck %s

// Each type once: a tile as thread and value, a buffer as offsets.
// CHECK: tensor<4x64xf32, #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>
// CHECK-NEXT: cute: ((_32,_4),_2):((_2,_64),_1)
// CHECK-NEXT: !ttg.memdesc<4x64xf32, #ttg.swizzled_shared<{{.*}}>, #ttg.shared_memory, mutable>
// CHECK-NEXT: cute: _256:_1
// CHECK-NOT: cute
#blocked = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @kernel() {
    %zero = arith.constant dense<0.0> : tensor<4x64xf32, #blocked>
    %buffer = ttg.local_alloc : () -> !ttg.memdesc<4x64xf32, #shared, #smem, mutable>
    ttg.local_store %zero, %buffer : tensor<4x64xf32, #blocked> -> !ttg.memdesc<4x64xf32, #shared, #smem, mutable>
    tt.return
  }
}
