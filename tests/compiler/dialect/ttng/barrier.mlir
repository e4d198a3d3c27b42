// RUN: tlx-opt %s | FileCheck %s
// RUN: tlx-opt --mlir-print-op-generic %s | tlx-opt - | FileCheck %s
// RUN: tlx-opt --mlir-print-op-generic %s | FileCheck %s --check-prefix=GENERIC
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#buf = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// CHECK-LABEL: @barriers
tt.func public @barriers(%b: !ttg.memdesc<1xi64, #bar, #smem, mutable>,
                         %r: !ttg.memdesc<1xi64, #bar, #ttng.shared_cluster_memory, mutable>,
                         %m: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, %phase: i32, %p: i1) {
  // CHECK: ttng.init_barrier %[[B:.*]], 2 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
  // GENERIC: "ttng.init_barrier"(%{{.*}}) <{count = 2 : i32}>
  ttng.init_barrier %b, 2 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // The attributes stand before the predicate.
  // CHECK: ttng.barrier_expect %[[B]], 8192 {async_task_id = array<i32: 3>}, %[[P:.*]] :
  // GENERIC: "ttng.barrier_expect"(%{{.*}}, %{{.*}}) <{size = 8192 : i32}> {async_task_id = array<i32: 3>}
  ttng.barrier_expect %b, 8192 {async_task_id = array<i32: 3>}, %p : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // CHECK: ttng.wait_barrier %[[B]], %{{.*}} : !ttg
  // GENERIC: "ttng.wait_barrier"({{.*}}) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
  ttng.wait_barrier %b, %phase : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // CHECK: ttng.wait_barrier %[[B]], %{{.*}}, %[[P]] deps %[[M:.*]], %[[M]] {constraints = {a = 1 : i32}} :
  // CHECK-SAME: !ttg.memdesc<1xi64, #shared, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
  // GENERIC: "ttng.wait_barrier"({{.*}}) <{constraints = {a = 1 : i32}, operandSegmentSizes = array<i32: 1, 1, 1, 2>}>
  ttng.wait_barrier %b, %phase, %p deps %m, %m {constraints = {a = 1 : i32}} : !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>
  // CHECK: ttng.arrive_barrier %[[B]], 3 : !ttg
  ttng.arrive_barrier %b, 3 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // CHECK: ttng.arrive_barrier %{{.*}}, 1, %[[P]] {perThread} : !ttg.memdesc<1xi64, #shared, #ttng.shared_cluster_memory, mutable>
  ttng.arrive_barrier %r, 1, %p {perThread} : !ttg.memdesc<1xi64, #bar, #ttng.shared_cluster_memory, mutable>
  // What 3.7.4 writes has no ctaMask.
  // CHECK: ttng.arrive_barrier %[[B]], 2, %[[P]] : !ttg
  "ttng.arrive_barrier"(%b, %p) <{count = 2 : i32}> : (!ttg.memdesc<1xi64, #bar, #smem, mutable>, i1) -> ()
  // CHECK: ttng.async_copy_mbarrier_arrive %[[B]] {noIncrement} :
  ttng.async_copy_mbarrier_arrive %b {noIncrement} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // CHECK: ttng.arrive_barrier_named %{{.*}}, %{{.*}} : i32, i32
  ttng.arrive_barrier_named %phase, %phase : i32, i32
  // CHECK: ttng.wait_barrier_named %{{.*}}, %{{.*}} : i32, i32
  ttng.wait_barrier_named %phase, %phase : i32, i32
  // CHECK: ttng.fence_async_shared {bCluster = false}
  ttng.fence_async_shared {bCluster = false}
  // CHECK: ttng.fence {scope = "sys"}
  ttng.fence {scope = "sys"}
  // CHECK: ttng.fence_mbarrier_init_release_cluster
  ttng.fence_mbarrier_init_release_cluster
  // CHECK: ttng.inval_barrier %[[B]] :
  ttng.inval_barrier %b : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}
