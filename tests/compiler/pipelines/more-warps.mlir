// RUN: tlx-compile %s --emit ptx -o - | FileCheck %s --check-prefix=CODE
// RUN: tlx-compile %s --emit ttgir -o - | FileCheck %s --check-prefix=TEXT

// Machine code has the warps that a product of 128 x 256 needs; text keeps to those of the launch.
// CODE: .reqntid 256
// CODE: wgmma.mma_async.sync.aligned.m64n256k16
// TEXT: warpsPerCTA = [4, 1]
// TEXT: "ttg.num-warps" = 4 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: f16) {
    %a = tt.splat %x : f16 -> tensor<128x64xf16>
    %b = tt.splat %x : f16 -> tensor<64x256xf16>
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %d = tt.dot %a, %b, %zero : tensor<128x64xf16> * tensor<64x256xf16> -> tensor<128x256xf32>
    %base = tt.splat %p : !tt.ptr<f32> -> tensor<128x256x!tt.ptr<f32>>
    tt.store %base, %d : tensor<128x256x!tt.ptr<f32>>
    tt.return
  }
}
