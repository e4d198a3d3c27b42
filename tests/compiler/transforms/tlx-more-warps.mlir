// RUN: tlx-opt %s -split-input-file --tlx-more-warps | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 256, 16]}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// 256 registers a thread become 128, wherever the layout stands.
// CHECK: #[[MMA:.*]] = #ttg.nvidia_mma<{{.*}}warpsPerCTA = [8, 1]
// CHECK: "ttg.num-warps" = 8 : i32
// CHECK: tt.func @spills({{.*}}tensor<128x256xf32, #[[MMA]]>
// CHECK: ttng.warp_group_dot {{.*}} -> tensor<128x256xf32, #[[MMA]]>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func @spills(%a: !ttg.memdesc<128x64xf16, #s, #smem>, %b: !ttg.memdesc<64x256xf16, #s, #smem>,
                %c: tensor<128x256xf32, #mma>) -> tensor<128x256xf32, #mma> {
  %d = ttng.warp_group_dot %a, %b, %c {isAsync = true} : !ttg.memdesc<128x64xf16, #s, #smem> * !ttg.memdesc<64x256xf16, #s, #smem> -> tensor<128x256xf32, #mma>
  tt.return %d : tensor<128x256xf32, #mma>
}
}

// -----

// A product whose layout is not chosen yet; twice as many are not enough, and a thread of 16 warps
// has no more than the 128 registers that one instruction of 256 columns takes.
// CHECK: "ttg.num-warps" = 8 : i32
// CHECK: tt.func @plain
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func @plain(%a: tensor<256x64xf16>, %b: tensor<64x256xf16>, %c: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %d = tt.dot %a, %b, %c : tensor<256x64xf16> * tensor<64x256xf16> -> tensor<256x256xf32>
  tt.return %d : tensor<256x256xf32>
}
}

// -----

// An instruction of 128 columns takes 64.
// CHECK: "ttg.num-warps" = 16 : i32
// CHECK: tt.func @narrow
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func @narrow(%a: tensor<512x64xf16>, %b: tensor<64x128xf16>, %c: tensor<512x128xf32>) -> tensor<512x128xf32> {
  %d = tt.dot %a, %b, %c : tensor<512x64xf16> * tensor<64x128xf16> -> tensor<512x128xf32>
  tt.return %d : tensor<512x128xf32>
}
}

// -----

// The named barrier counts 128 threads.
// CHECK: "ttg.num-warps" = 4 : i32
// CHECK: tt.func @counts
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func @counts(%a: tensor<128x64xf16>, %b: tensor<64x256xf16>, %c: tensor<128x256xf32>, %id: i32, %threads: i32) -> tensor<128x256xf32> {
  %d = tt.dot %a, %b, %c : tensor<128x64xf16> * tensor<64x256xf16> -> tensor<128x256xf32>
  ttng.wait_barrier_named %id, %threads : i32, i32
  tt.return %d : tensor<128x256xf32>
}
}

// -----

// 128 registers are enough; a warp has 16 rows at least.
// CHECK: "ttg.num-warps" = 4 : i32
// CHECK: tt.func @fits
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func @fits(%a: tensor<128x64xf16>, %b: tensor<64x128xf16>, %c: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %d = tt.dot %a, %b, %c : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
  tt.return %d : tensor<128x128xf32>
}
}

// -----

// CHECK: "ttg.num-warps" = 4 : i32
// CHECK: tt.func @noRows
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func @noRows(%a: tensor<64x64xf16>, %b: tensor<64x512xf16>, %c: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %d = tt.dot %a, %b, %c : tensor<64x64xf16> * tensor<64x512xf16> -> tensor<64x512xf32>
  tt.return %d : tensor<64x512xf32>
}
}
