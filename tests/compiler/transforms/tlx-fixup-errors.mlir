// RUN: tlx-opt %s --no-verify --split-input-file --verify-diagnostics --tlx-fixup="target=cuda:100 num-warps=4 cluster=1,1,1"

module {
  tt.func @captures_a_tile(%p: !tt.ptr<f32>) {
    // expected-note@below {{the tile is made here}}
    %v = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    // expected-error@below {{'ttg.warp_specialize' op captures a tile, 'tensor<64x!tt.ptr<f32>>'; partitions share memory, not registers}}
    ttg.warp_specialize(%v)
    default {
      ttg.warp_yield
    }
    partition0(%q: tensor<64x!tt.ptr<f32>>) num_warps(4) {
      ttg.warp_return
    } : (tensor<64x!tt.ptr<f32>>) -> ()
    tt.return
  }
}

// -----

module {
  tt.func @two_exclusive(%n: i32) {
    // expected-error@below {{'ttg.warp_specialize' op is exclusive, but the module has others besides it}}
    ttg.warp_specialize(%n) attributes {tlx.exclusive}
    default {
      ttg.warp_yield
    }
    partition0(%m: i32) num_warps(4) {
      ttg.warp_return
    } : (i32) -> ()
    // expected-note@below {{here is one}}
    ttg.warp_specialize(%n)
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

// expected-error@below {{the module says ttg.num-warps = 8, the launch has 4 warps}}
module attributes {"ttg.num-warps" = 8 : i32} {
  tt.func @other_warps() {
    tt.return
  }
}

// -----

// expected-error@below {{the module is for target cuda:90, the launch for cuda:100}}
module attributes {ttg.target = "cuda:90"} {
  tt.func @other_target() {
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module {
  tt.func @remote_without_cluster(%m: !ttg.memdesc<1xi64, #shared, #smem, mutable>) {
    %c0_i32 = arith.constant 0 : i32
    // expected-error@below {{'ttng.map_to_remote_buffer' op views another CTA's memory, but the launch has no cluster}}
    %r = ttng.map_to_remote_buffer %m, %c0_i32 : !ttg.memdesc<1xi64, #shared, #smem, mutable> -> !ttg.memdesc<1xi64, #shared, #ttng.shared_cluster_memory, mutable>
    tt.return
  }
}

// -----

#lin = #ttg.linear<{register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 0], [0, 0]], block = []}>
#lin2 = #ttg.linear<{register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [4, 0], [8, 0], [16, 0]], warp = [[0, 0], [0, 0]], block = []}>
module {
  tt.func @conflicting_pins(%a: tensor<32x4xf32>, %p: tensor<32x4x!tt.ptr<f32>>) {
    %x = tlx.require_layout %p : tensor<32x4x!tt.ptr<f32>> -> tensor<32x4x!tt.ptr<f32>, #tlx.no_verify_layout<#lin>>
    %y = tlx.require_layout %a : tensor<32x4xf32> -> tensor<32x4xf32, #tlx.no_verify_layout<#lin2>>
    // expected-error@below {{'tt.store' op operands have conflicting layouts}}
    "tt.store"(%x, %y) <{cache = 1 : i32, evict = 1 : i32}> : (tensor<32x4x!tt.ptr<f32>, #tlx.no_verify_layout<#lin>>, tensor<32x4xf32, #tlx.no_verify_layout<#lin2>>) -> ()
    tt.return
  }
}
