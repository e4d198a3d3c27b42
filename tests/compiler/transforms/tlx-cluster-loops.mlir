// RUN: tlx-opt %s --split-input-file --tlx-cluster-loops | FileCheck %s

// Four CTAs along y. The cluster is arrived at before the loop and waited for behind it.
module attributes {"ttg.num-warps" = 4 : i32, "ttg.cluster-dim-x" = 1 : i32, "ttg.cluster-dim-y" = 4 : i32, "ttg.cluster-dim-z" = 1 : i32} {
// CHECK-LABEL: @summed
// CHECK: %[[RANK:.*]] = nvg.cluster_id
// CHECK: %[[SLOTS:.*]] = ttg.local_alloc : () -> !ttg.memdesc<4x1xf32
// CHECK: %[[BAR:.*]] = ttg.local_alloc : () -> !ttg.memdesc<1xi64
// CHECK: ttng.init_barrier %[[BAR]], 1
// CHECK: ttng.barrier_expect %[[BAR]], 16
// CHECK: ttng.cluster_arrive
// CHECK: %[[FIRST:.*]] = arith.muli %[[RANK]], %[[STEP:.*]] : i32
// CHECK: %[[LOW:.*]] = arith.addi %arg1, %[[FIRST]]
// CHECK: %[[STRIDE:.*]] = arith.muli %[[STEP]], %c4_i32
// CHECK: scf.for %{{.*}} = %[[LOW]] to %arg2 step %[[STRIDE]]
// CHECK-NOT: tt.multi_cta
// CHECK: %[[MINE:.*]] = "tt.reduce"
// CHECK: ttng.cluster_wait
// CHECK: %[[PART:.*]] = tt.splat %[[MINE]]
// CHECK: %[[SLOT:.*]] = ttg.memdesc_index %[[SLOTS]][%[[RANK]]]
// CHECK-COUNT-4: ttg.async_remote_shmem_store %[[PART]], rank %{{.*}}, %[[SLOT]] barrier %[[BAR]]
// CHECK: ttng.wait_barrier %[[BAR]]
// CHECK: %[[ALL:.*]] = ttg.local_load %{{.*}} -> tensor<4xf32>
// CHECK: %[[SUM:.*]] = "tt.reduce"(%[[ALL]]) <{axis = 0
// CHECK: tt.store %arg0, %[[SUM]]
tt.func public @summed(%out: !tt.ptr<f32>, %low: i32, %high: i32) {
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %step = arith.constant 256 : i32
  %sums = scf.for %i = %low to %high step %step iter_args(%sum = %zero) -> (tensor<256xf32>) : i32 {
    %f = arith.sitofp %i : i32 to f32
    %x = tt.splat %f : f32 -> tensor<256xf32>
    %next = arith.addf %x, %sum : tensor<256xf32>
    scf.yield %next : tensor<256xf32>
  } {tt.multi_cta}
  %whole = "tt.reduce"(%sums) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<256xf32>) -> f32
  tt.store %out, %whole : !tt.ptr<f32>
  tt.return
}

// What begins with 1 would be added four times: nothing is shared out.
// CHECK-LABEL: @starts_with_one
// CHECK-NOT: nvg.cluster_id
// CHECK: tt.multi_cta
// CHECK-NOT: async_remote
// CHECK: tt.return
tt.func public @starts_with_one(%out: !tt.ptr<f32>, %high: i32) {
  %one = arith.constant dense<1.0> : tensor<256xf32>
  %low = arith.constant 0 : i32
  %step = arith.constant 256 : i32
  %sums = scf.for %i = %low to %high step %step iter_args(%sum = %one) -> (tensor<256xf32>) : i32 {
    %next = arith.addf %sum, %one : tensor<256xf32>
    scf.yield %next : tensor<256xf32>
  } {tt.multi_cta}
  %whole = "tt.reduce"(%sums) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<256xf32>) -> f32
  tt.store %out, %whole : !tt.ptr<f32>
  tt.return
}

// A largest value may begin with anything; what is carried is used otherwise than in
// the reduction in the second kernel.
// CHECK-LABEL: @largest
// CHECK: nvg.cluster_id
// CHECK: ttng.barrier_expect %{{.*}}, 64
// CHECK-COUNT-4: ttg.async_remote_shmem_store %{{.*}} : tensor<4xi32>
// CHECK: ttg.local_load %{{.*}} -> tensor<4x4xi32>
tt.func public @largest(%out: tensor<4x!tt.ptr<i32>>, %high: i32) {
  %start = arith.constant dense<7> : tensor<4x64xi32>
  %low = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %most = scf.for %i = %low to %high step %step iter_args(%so_far = %start) -> (tensor<4x64xi32>) : i32 {
    %x = tt.splat %i : i32 -> tensor<4x64xi32>
    %next = arith.maxsi %so_far, %x : tensor<4x64xi32>
    scf.yield %next : tensor<4x64xi32>
  } {tt.multi_cta}
  %whole = "tt.reduce"(%most) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.maxsi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<4x64xi32>) -> tensor<4xi32>
  tt.store %out, %whole : tensor<4x!tt.ptr<i32>>
  tt.return
}

// CHECK-LABEL: @used_otherwise
// CHECK-NOT: nvg.cluster_id
// CHECK: tt.multi_cta
tt.func public @used_otherwise(%out: tensor<256x!tt.ptr<f32>>, %high: i32) {
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %low = arith.constant 0 : i32
  %step = arith.constant 256 : i32
  %sums = scf.for %i = %low to %high step %step iter_args(%sum = %zero) -> (tensor<256xf32>) : i32 {
    %next = arith.addf %sum, %zero : tensor<256xf32>
    scf.yield %next : tensor<256xf32>
  } {tt.multi_cta}
  tt.store %out, %sums : tensor<256x!tt.ptr<f32>>
  tt.return
}
}

// -----

// Without a cluster every CTA has its own work.
module attributes {"ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: @alone
// CHECK-NOT: nvg.cluster_id
// CHECK: tt.multi_cta
tt.func public @alone(%out: !tt.ptr<i32>, %high: i32) {
  %low = arith.constant 0 : i32
  %step = arith.constant 256 : i32
  scf.for %i = %low to %high step %step : i32 {
    tt.store %out, %i : !tt.ptr<i32>
  } {tt.multi_cta}
  tt.return
}
}
