// RUN: tlx-opt %s --tlx-hoist-conversions | FileCheck %s

#from = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#to = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: @leaves
// CHECK: ttg.convert_layout
// CHECK: scf.for
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
tt.func @leaves(%x: tensor<32x128xf32, #from>, %low: i32, %high: i32, %step: i32, %sum: tensor<32x128xf32, #to>) -> tensor<32x128xf32, #to> {
  %r = scf.for %i = %low to %high step %step iter_args(%s = %sum) -> (tensor<32x128xf32, #to>) : i32 {
    %y = ttg.convert_layout %x : tensor<32x128xf32, #from> -> tensor<32x128xf32, #to>
    %z = arith.addf %s, %y : tensor<32x128xf32, #to>
    scf.yield %z : tensor<32x128xf32, #to>
  }
  tt.return %r : tensor<32x128xf32, #to>
}

// CHECK-LABEL: @changes
// CHECK: scf.for
// CHECK: ttg.convert_layout
tt.func @changes(%x: tensor<32x128xf32, #from>, %low: i32, %high: i32, %step: i32, %sum: tensor<32x128xf32, #to>) -> tensor<32x128xf32, #to> {
  %r:2 = scf.for %i = %low to %high step %step iter_args(%s = %sum, %c = %x) -> (tensor<32x128xf32, #to>, tensor<32x128xf32, #from>) : i32 {
    %y = ttg.convert_layout %c : tensor<32x128xf32, #from> -> tensor<32x128xf32, #to>
    %z = arith.addf %s, %y : tensor<32x128xf32, #to>
    %n = arith.addf %c, %c : tensor<32x128xf32, #from>
    scf.yield %z, %n : tensor<32x128xf32, #to>, tensor<32x128xf32, #from>
  }
  tt.return %r#0 : tensor<32x128xf32, #to>
}

// A fragment of 32 registers is read in each round; one of 8 stays in registers.
// CHECK-LABEL: @fragments
// CHECK: %[[B:.*]] = ttg.local_alloc %arg0 : {{.*}} -> !ttg.memdesc<32x128xf16,
// CHECK: %[[SMALL:.*]] = ttg.convert_layout %arg1
// CHECK: scf.for
// CHECK: %[[LARGE:.*]] = ttg.local_load %[[B]]
// CHECK: tt.dot %[[LARGE]],
// CHECK: tt.dot %[[SMALL]],
tt.func @fragments(%x: tensor<32x128xf16, #from>, %y: tensor<32x32xf16, #from>, %low: i32, %high: i32, %step: i32,
                   %b: tensor<128x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>,
                   %c: tensor<32x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>, %sum: tensor<32x32xf32, #mma>) -> tensor<32x32xf32, #mma> {
  %r = scf.for %i = %low to %high step %step iter_args(%s = %sum) -> (tensor<32x32xf32, #mma>) : i32 {
    %large = ttg.convert_layout %x : tensor<32x128xf16, #from> -> tensor<32x128xf16, #a>
    %small = ttg.convert_layout %y : tensor<32x32xf16, #from> -> tensor<32x32xf16, #a>
    %d = tt.dot %large, %b, %s : tensor<32x128xf16, #a> * tensor<128x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<32x32xf32, #mma>
    %e = tt.dot %small, %c, %d : tensor<32x32xf16, #a> * tensor<32x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<32x32xf32, #mma>
    scf.yield %e : tensor<32x32xf32, #mma>
  }
  tt.return %r : tensor<32x32xf32, #mma>
}
}
