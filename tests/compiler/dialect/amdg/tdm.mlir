// RUN: tlx-opt %s | FileCheck %s
// RUN: tlx-opt --mlir-print-op-generic %s | tlx-opt - | FileCheck %s
// RUN: tlx-opt --mlir-print-op-generic %s | FileCheck %s --check-prefix=GENERIC
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#buf = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#pad = #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [64, 64]}>
#smem = #ttg.shared_memory

// Release 3.7.4: indices and a predicate.
// CHECK-LABEL: @release
tt.func public @release(%d: !tt.tensordesc<tensor<64x64xf16>>, %i: i32, %x: tensor<64xi32>,
                        %m: !ttg.memdesc<64x64xf16, #pad, #smem, mutable>, %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>) {
  // CHECK: amdg.async_tdm_copy_global_to_local %[[D:.*]][%[[I:.*]], %[[I]]] into %[[M:.*]], pred = %[[I]] : !tt.tensordesc<tensor<64x64xf16>> -> !ttg.memdesc<64x64xf16, #shared{{[0-9]*}}, #smem, mutable>
  // GENERIC: "amdg.async_tdm_copy_global_to_local"(%[[D:.*]], %[[I:.*]], %[[I]], %[[M:.*]], %[[I]]) <{cache = 1 : i32, operandSegmentSizes = array<i32: 1, 2, 1, 1, 0>}>
  %t0 = amdg.async_tdm_copy_global_to_local %d[%i, %i] into %m, pred = %i : !tt.tensordesc<tensor<64x64xf16>> -> !ttg.memdesc<64x64xf16, #pad, #smem, mutable>
  // CHECK: amdg.async_tdm_copy_global_to_local %[[D]][%[[I]], %[[I]]] into %[[M]], pred = %[[I]], barrier = %[[B:.*]] : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<1xi64, #shared{{[0-9]*}}, #smem, mutable> -> !ttg.memdesc
  %t1 = "amdg.async_tdm_copy_global_to_local"(%d, %i, %i, %m, %i, %b) <{operandSegmentSizes = array<i32: 1, 2, 1, 1, 1>}> : (!tt.tensordesc<tensor<64x64xf16>>, i32, i32, !ttg.memdesc<64x64xf16, #pad, #smem, mutable>, i32, !ttg.memdesc<1xi64, #bar, #smem, mutable>) -> !ttg.async.token
  // CHECK: {{^ *}}amdg.async_tdm_copy_local_to_global %[[D]][%[[I]], %[[I]]] from %[[M]], barrier = %[[B]] : !ttg.memdesc<64x64xf16, #shared{{[0-9]*}}, #smem, mutable>, !ttg.memdesc<1xi64, #shared{{[0-9]*}}, #smem, mutable> -> !tt.tensordesc<tensor<64x64xf16>>
  // GENERIC: "amdg.async_tdm_copy_local_to_global"({{.*}}) <{cache = 1 : i32, operandSegmentSizes = array<i32: 1, 2, 1, 1>}>
  amdg.async_tdm_copy_local_to_global %d[%i, %i] from %m, barrier = %b : !ttg.memdesc<64x64xf16, #pad, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !tt.tensordesc<tensor<64x64xf16>>
  // CHECK: amdg.async_tdm_gather %[[D]][%[[X:.*]], %[[I]]] to %[[M]], pred = %[[I]] : tensor<64xi32>, !ttg.memdesc<64x64xf16, #shared{{[0-9]*}}, #smem, mutable> -> !tt.tensordesc<tensor<64x64xf16>>
  // GENERIC: "amdg.async_tdm_gather"({{.*}}) : (
  %t2 = amdg.async_tdm_gather %d[%x, %i] to %m, pred = %i : tensor<64xi32>, !ttg.memdesc<64x64xf16, #pad, #smem, mutable> -> !tt.tensordesc<tensor<64x64xf16>>
  // CHECK: amdg.async_tdm_scatter %[[D]][%[[X]], %[[I]]] from %[[M]], barrier = %[[B]] : tensor<64xi32>, !ttg.memdesc<64x64xf16, #shared{{[0-9]*}}, #smem, mutable>, !ttg.memdesc<1xi64, #shared{{[0-9]*}}, #smem, mutable> -> !tt.tensordesc<tensor<64x64xf16>>
  %t3 = amdg.async_tdm_scatter %d[%x, %i] from %m, barrier = %b : tensor<64xi32>, !ttg.memdesc<64x64xf16, #pad, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !tt.tensordesc<tensor<64x64xf16>>
  // CHECK: amdg.async_tdm_wait %{{.*}}, %{{.*}} {num = 2 : i32}
  %w0 = amdg.async_tdm_wait %t0, %t1 {num = 2 : i32}
  // CHECK: amdg.async_tdm_intrinsic_wait {count = 1 : i32}
  %w1 = amdg.async_tdm_intrinsic_wait {count = 1 : i32}
  tt.return
}

// The main branch: place and predicate are the descriptor's.
// CHECK-LABEL: @main
tt.func public @main(%d: !tt.tensordesc<64x64xf16>, %i: i32, %x: tensor<64xi32>,
                     %m: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>) {
  // CHECK: %[[E:.*]] = amdg.update_tensor_descriptor %{{.*}} add_offsets = [%{{.*}}, %{{.*}}] pred = %{{.*}} {clamp_bounds} : !tt.tensordesc<tensor<64x64xf16>>
  // GENERIC: "amdg.update_tensor_descriptor"({{.*}}) <{clamp_bounds, operandSegmentSizes = array<i32: 1, 2, 0, 1>}>
  %e = amdg.update_tensor_descriptor %d add_offsets = [%i, %i] pred = %i {clamp_bounds} : !tt.tensordesc<64x64xf16>
  // CHECK: amdg.update_tensor_descriptor %[[E]] set_bounds = [%{{.*}}, %{{.*}}] :
  %f = amdg.update_tensor_descriptor %e set_bounds = [%i, %i] : !tt.tensordesc<64x64xf16>
  // CHECK: amdg.async_tdm_copy_global_to_local %{{.*}} into %{{.*}} {warp_used_hint = 15 : i32} : !tt.tensordesc<tensor<64x64xf16>> -> !ttg.memdesc
  // GENERIC: "amdg.async_tdm_copy_global_to_local"(%{{.*}}, %{{.*}}) <{cache = 1 : i32, warp_used_hint = 15 : i32}>
  %t0 = amdg.async_tdm_copy_global_to_local %f into %m {warp_used_hint = 15 : i32} : !tt.tensordesc<64x64xf16> -> !ttg.memdesc<64x64xf16, #buf, #smem, mutable>
  // CHECK: amdg.async_tdm_copy_global_to_local %{{.*}} into %{{.*}}, barrier = %{{.*}} : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<1xi64
  %t1 = "amdg.async_tdm_copy_global_to_local"(%f, %m, %b) <{cache = 1 : i32}> : (!tt.tensordesc<64x64xf16>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>) -> !ttg.async.token
  // CHECK: amdg.async_tdm_copy_local_to_global %{{.*}} from %{{.*}} : !ttg.memdesc
  amdg.async_tdm_copy_local_to_global %f from %m : !ttg.memdesc<64x64xf16, #buf, #smem, mutable> -> !tt.tensordesc<64x64xf16>
  // CHECK: amdg.async_tdm_gather %{{.*}}[%{{.*}}] to %{{.*}} : tensor<64xi32>, !ttg.memdesc
  %t2 = amdg.async_tdm_gather %f[%x] to %m : tensor<64xi32>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable> -> !tt.tensordesc<64x64xf16>
  // CHECK: amdg.async_tdm_fused_copy_global_to_local %{{.*}}, %{{.*}} into %{{.*}}, %{{.*}} {warp_used_hints = array<i32: 3, 12>} : !tt.tensordesc<tensor<64x64xf16>>, !tt.tensordesc<tensor<64x64xf16>> -> !ttg.memdesc<64x64xf16, #shared{{[0-9]*}}, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared{{[0-9]*}}, #smem, mutable>
  %t3 = amdg.async_tdm_fused_copy_global_to_local %e, %f into %m, %m {warp_used_hints = array<i32: 3, 12>} : !tt.tensordesc<64x64xf16>, !tt.tensordesc<64x64xf16> -> !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>
  tt.return
}

// CHECK-LABEL: @prefetch
tt.func public @prefetch(%d: !tt.tensordesc<tensor<64x64xf16>>, %i: i32, %p: i1) {
  // CHECK: amdg.tdm_prefetch %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}, speculative = false : !tt.tensordesc<tensor<64x64xf16>>{{$}}
  amdg.tdm_prefetch %d[%i, %i], %p, speculative = false : !tt.tensordesc<tensor<64x64xf16>>
  // CHECK: amdg.tdm_prefetch %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}, speculative = true returnOffsets : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x1xi64>
  %r = amdg.tdm_prefetch %d[%i, %i], %p, speculative = true returnOffsets : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x1xi64>
  tt.return
}
