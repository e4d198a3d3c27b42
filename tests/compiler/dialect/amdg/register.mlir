// RUN: tlx-opt %s | FileCheck %s
// RUN: tlx-opt --mlir-print-op-generic %s | tlx-opt - | FileCheck %s
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>

// CHECK-LABEL: @registers
tt.func public @registers(%x: tensor<256x128xf16, #blocked>, %i: i32, %f: f32, %a: tensor<32x16xf32, #blocked>,
                          %b: tensor<16x32xf16, #blocked>, %c: tensor<32x16xf16, #blocked>, %acc: tensor<32x32xf32, #blocked>,
                          %p4: tensor<64x64xi8, #blocked>, %s: tensor<64x128xbf16, #blocked>, %p8: tensor<64x128xf8E4M3FN, #blocked>) {
  // CHECK: %[[E:.*]] = amdg.extract_slice %{{.*}} [0, 64] : tensor<256x128xf16, #blocked> to tensor<256x64xf16, #blocked>
  %e = amdg.extract_slice %x [0, 64] : tensor<256x128xf16, #blocked> to tensor<256x64xf16, #blocked>
  // CHECK: amdg.concat %[[E]], %[[E]] : tensor<256x64xf16, #blocked>, tensor<256x64xf16, #blocked> -> tensor<512x64xf16, #blocked>
  %o = amdg.concat %e, %e : tensor<256x64xf16, #blocked>, tensor<256x64xf16, #blocked> -> tensor<512x64xf16, #blocked>
  // CHECK: amdg.assume_uniform %{{.*}} : i32
  %u = amdg.assume_uniform %i : i32
  // CHECK: amdg.in_thread_transpose %[[E]] : tensor<256x64xf16, #blocked> -> tensor<256x64xf16, #blocked>
  %t = amdg.in_thread_transpose %e : tensor<256x64xf16, #blocked> -> tensor<256x64xf16, #blocked>
  // CHECK: amdg.scaled_upcast_fp4 %{{.*}} scale %{{.*}} {axis = 1 : i32} : tensor<64x64xi8, #blocked>, tensor<64x128xbf16, #blocked> -> tensor<64x128xbf16, #blocked>
  %v = amdg.scaled_upcast_fp4 %p4 scale %s {axis = 1 : i32} : tensor<64x64xi8, #blocked>, tensor<64x128xbf16, #blocked> -> tensor<64x128xbf16, #blocked>
  // CHECK: amdg.scaled_upcast_fp8 %{{.*}} scale %{{.*}} : tensor<64x128xf8E4M3FN, #blocked>, tensor<64x128xbf16, #blocked> -> tensor<64x128xbf16, #blocked>
  %w = amdg.scaled_upcast_fp8 %p8 scale %s : tensor<64x128xf8E4M3FN, #blocked>, tensor<64x128xbf16, #blocked> -> tensor<64x128xbf16, #blocked>
  // CHECK: amdg.rematerialized_range 8 to 64 identity 1 at %{{.*}} : tensor<56xi32>
  %r = amdg.rematerialized_range 8 to 64 identity 1 at %i : tensor<56xi32>
  // CHECK: amdg.register_resident %{{.*}} class "agpr" groups 4 : tensor<32x16xf32, #blocked>
  %g = amdg.register_resident %a class "agpr" groups 4 : tensor<32x16xf32, #blocked>
  // CHECK: amdg.register_handoff %{{.*}} class "vgpr" : tensor<32x16xf32, #blocked>
  %h = amdg.register_handoff %g class "vgpr" : tensor<32x16xf32, #blocked>
  // CHECK: %{{.*}}:2 = amdg.mfma_commit %{{.*}}, %{{.*}} : tensor<32x16xf32, #blocked>, tensor<16x32xf16, #blocked>
  %m:2 = amdg.mfma_commit %h, %b : tensor<32x16xf32, #blocked>, tensor<16x32xf16, #blocked>
  // CHECK: amdg.scheduled_mfma %{{.*}}, %{{.*}}, %{{.*}} resident "none" accumulator "transient" register_class "auto" initialize false : tensor<32x16xf16, #blocked>, tensor<16x32xf16, #blocked>, tensor<32x32xf32, #blocked> -> tensor<32x32xf32, #blocked>
  %d = amdg.scheduled_mfma %c, %b, %acc resident "none" accumulator "transient" register_class "auto" initialize false : tensor<32x16xf16, #blocked>, tensor<16x32xf16, #blocked>, tensor<32x32xf32, #blocked> -> tensor<32x32xf32, #blocked>
  tt.return
}
