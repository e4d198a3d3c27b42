// RUN: tlx-opt %s | FileCheck %s
// RUN: tlx-opt --mlir-print-op-generic %s | tlx-opt - | FileCheck %s
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 2 : i32} {
  // CHECK-LABEL: @barriers
  tt.func public @barriers(%b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %i: i32, %p: i1, %t: !ttg.async.token) {
    // CHECK: amdg.init_barrier %[[B:.*]], 2 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    amdg.init_barrier %b, 2 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    // CHECK: amdg.arrive_barrier %[[B]], 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable> -> i32
    %a = amdg.arrive_barrier %b, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable> -> i32
    // This one has no pretty form.
    // CHECK: "amdg.read_barrier_phase"(%[[B]]) : (!ttg.memdesc<1xi64, #shared, #smem, mutable>) -> i32
    %r = "amdg.read_barrier_phase"(%b) : (!ttg.memdesc<1xi64, #bar, #smem, mutable>) -> i32
    // CHECK: amdg.wait_barrier %[[B]], %{{.*}} :
    amdg.wait_barrier %b, %i : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    // CHECK: amdg.async_copy_mbarrier_arrive %[[B]] :
    amdg.async_copy_mbarrier_arrive %b : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    // CHECK: amdg.cond_barrier %{{.*}}
    amdg.cond_barrier %p
    // CHECK: amdg.cluster_barrier_arrive {foo}
    amdg.cluster_barrier_arrive {foo}
    // CHECK: amdg.cluster_barrier_wait
    amdg.cluster_barrier_wait
    // CHECK: amdg.async_wait %{{.*}} {num_inst = 3 : i32}
    %w = amdg.async_wait %t {num_inst = 3 : i32}
    // CHECK: amdg.memory_counter_wait load(0) ds(1)
    amdg.memory_counter_wait ds(1) load(0)
    // CHECK: amdg.memory_counter_wait store(2) {foo}
    amdg.memory_counter_wait store(2) {foo}
    // CHECK: amdg.instruction_sched_hint {variant = #amdg.SchedHintVariant<attention>}
    amdg.instruction_sched_hint {variant = #amdg.SchedHintVariant<attention>}
    tt.return
  }
}
