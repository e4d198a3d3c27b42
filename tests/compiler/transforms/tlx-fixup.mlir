// RUN: tlx-opt %s --split-input-file --tlx-fixup="target=cuda:90 num-warps=4 cluster=2,1,1" | FileCheck %s
// RUN: tlx-opt %s --split-input-file --tlx-fixup="target=hip:gfx1250 num-warps=8" | FileCheck %s --check-prefix=HIP

// Plain Triton gets its launch parameters later.
// CHECK: module {
// CHECK-NEXT: tt.func @plain
module {
  tt.func @plain(%p: !tt.ptr<f32>) {
    %x = tt.load %p : !tt.ptr<f32>
    tt.store %p, %x : !tt.ptr<f32>
    tt.return
  }
}

// -----

// CHECK: module attributes {tlx.has_explicit_local_mem_access = true, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32}
// HIP: module attributes {tlx.has_explicit_local_mem_access = true, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 64 : i32}
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module {
  tt.func @local_memory(%v: tensor<64xf32>) {
    %b = ttg.local_alloc : () -> !ttg.memdesc<1x64xf32, #shared, #smem, mutable>
    %c0_i32 = arith.constant 0 : i32
    %v0 = ttg.memdesc_index %b[%c0_i32] : !ttg.memdesc<1x64xf32, #shared, #smem, mutable> -> !ttg.memdesc<64xf32, #shared, #smem, mutable>
    ttg.local_store %v, %v0 : tensor<64xf32> -> !ttg.memdesc<64xf32, #shared, #smem, mutable>
    tt.return
  }
}

// -----

// Barriers and remote views alone do not make a TLX module.
// CHECK: module {
// CHECK-NEXT: tt.func @barriers_only
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module {
  tt.func @barriers_only() {
    %b = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #shared, #smem, mutable>
    tt.return
  }
}

// -----

// CHECK: module attributes {tlx.has_warp_spec_ops = true, tlx.mbarrier_try_wait_suspend_ns = 100 : i32, tlx.user_post_ws_sync = true, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32}
module {
  tt.func @specialised(%n: i32) {
    ttg.warp_specialize(%n) attributes {tlx.mbarrier_try_wait_suspend_ns = 200 : i32}
    default {
      ttg.warp_yield
    }
    partition0(%m: i32) num_warps(4) {
      ttg.warp_return
    } : (i32) -> ()
    ttg.warp_specialize(%n) attributes {tlx.mbarrier_try_wait_suspend_ns = 100 : i32, tlx.no_ending_cluster_sync}
    default {
      ttg.warp_yield
    }
    partition0(%m: i32) num_warps(4) {
      ttg.warp_return
    } : (i32) -> ()
    tt.return
  }
}

// -----

// CHECK: module attributes {{.*}}"ttg.single-warp-specialize" = true
module {
  tt.func @exclusive(%n: i32) {
    ttg.warp_specialize(%n) attributes {tlx.exclusive}
    default {
      ttg.warp_yield
    }
    partition0(%m: i32) num_warps(4) {
      ttg.warp_return
    } : (i32) -> ()
    tt.return
  }
}
