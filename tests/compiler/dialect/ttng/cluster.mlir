// RUN: tlx-opt %s | FileCheck %s
// RUN: tlx-opt --mlir-print-op-generic %s | tlx-opt - | FileCheck %s
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 2 : i32} {
  // CHECK-LABEL: @cluster
  tt.func public @cluster(%b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %x: tensor<64xf32>) {
    // CHECK: ttng.cluster_arrive{{$}}
    ttng.cluster_arrive {relaxed = false}
    // CHECK: ttng.cluster_arrive {relaxed = true}
    ttng.cluster_arrive {relaxed = true}
    // CHECK: ttng.cluster_wait
    ttng.cluster_wait
    // CHECK: ttng.cluster_barrier {relaxed = true}
    ttng.cluster_barrier {relaxed = true}
    // CHECK: %[[RANK:.*]] = nvg.cluster_id {async_task_id = array<i32: 2>}
    %rank = nvg.cluster_id {async_task_id = array<i32: 2>}
    // CHECK: ttng.cluster_size_1d
    %size = ttng.cluster_size_1d
    // CHECK: ttng.map_to_remote_buffer %{{.*}}, %[[RANK]] : !ttg.memdesc<1xi64, #shared, #smem, mutable> -> !ttg.memdesc<1xi64, #shared, #ttng.shared_cluster_memory, mutable>
    %r = ttng.map_to_remote_buffer %b, %rank : !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #ttng.shared_cluster_memory, mutable>
    // CHECK: ttng.two_cta_peer_gather %{{.*}} split_dim = 0 num_ctas = 2 : tensor<64xf32>
    %g = ttng.two_cta_peer_gather %x split_dim = 0 num_ctas = 2 : tensor<64xf32>
    // CHECK: ttng.arrive_barrier %{{.*}}, 1 {ctaMask = 3 : i32} :
    ttng.arrive_barrier %b, 1 {ctaMask = 3 : i32} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    tt.return
  }
}
