// RUN: tlx-compile %s --target cuda:90 --num-warps 4 --emit ttgir | FileCheck %s
// RUN: tlx-compile %s --target cuda:90 --num-warps 4 --emit ptx | FileCheck %s --check-prefix=PTX
// RUN: not tlx-compile %s --target cuda:90 --emit ptx 2>&1 | FileCheck %s --check-prefix=NO-WARPS
// RUN: not tlx-compile %s --target hip:gfx950 --num-warps 4 --emit ptx 2>&1 | FileCheck %s --check-prefix=HIP

// CHECK: #[[L:.*]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK: module attributes {{.*}}"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32
// CHECK-NOT: convert_layout
// CHECK: tt.store %{{.*}} : tensor<512x!tt.ptr<f32>, #[[L]]>

// PTX: ld.global.v4
// PTX: st.global.v4

// NO-WARPS: error: neither the module nor the launch says target and warps
// HIP: error: layouts are chosen for CUDA's warps of 32 threads only
module {
  tt.func public @doubled(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
    %s = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
    %p = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
    %l = tt.load %p : tensor<512x!tt.ptr<f32>>
    %d = arith.addf %l, %l : tensor<512xf32>
    tt.store %p, %d : tensor<512x!tt.ptr<f32>>
    tt.return
  }
}
