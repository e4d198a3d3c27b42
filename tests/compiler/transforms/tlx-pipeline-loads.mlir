// RUN: tlx-opt %s --tlx-pipeline-loads | FileCheck %s
// RUN: tlx-opt %s --tlx-warp-group-products --tlx-pipeline-loads | FileCheck %s --check-prefix=GROUP

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {

// Copies run a round ahead in a ring of two; pointers that only they need are carried
// for their round.
// CHECK-LABEL: @product
// CHECK: %[[A:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16
// CHECK: %[[B:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16
// CHECK-COUNT-2: ttg.async_copy_global_to_local
// CHECK: %[[LOOP:.*]]:4 = scf.for %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}, %[[R:.*]] = %c0_i32{{.*}}, %[[W:.*]] = %c1_i32{{.*}})
// CHECK: %[[T:.*]] = ttg.async_wait {num = 0 : i32}
// CHECK-NOT: fence_async_shared
// CHECK: %[[EXISTS:.*]] = arith.cmpi sgt
// CHECK: %[[NEXT:.*]] = tt.addptr %[[P]],
// CHECK: tt.splat %[[EXISTS]] : i1
// CHECK: %[[PLACE:.*]] = ttg.memdesc_index %[[A]][%[[W]]]
// CHECK: ttg.async_copy_global_to_local %[[P]], %[[PLACE]] mask
// CHECK: ttg.memdesc_index %[[B]][%[[W]]]
// CHECK: ttg.memdesc_index %[[A]][%[[R]]]
// CHECK: %[[X:.*]] = ttg.local_load %{{.*}} token %[[T]]
// CHECK: ttg.memdesc_index %[[B]][%[[R]]]
// CHECK: %[[Y:.*]] = ttg.local_load
// CHECK: %[[D:.*]] = tt.dot %[[X]], %[[Y]], %[[SUM]]
// CHECK: scf.yield %[[D]], %[[NEXT]],
// CHECK: ttg.async_wait {num = 0 : i32}
// CHECK: ttg.local_dealloc %[[A]]
// CHECK: tt.return %[[LOOP]]#0

// Products of a warp group overlap those of the next round: copies run two rounds ahead
// and follow the wait for the round before, whose buffer they fill; the accumulator keeps
// its layout from round to round.
// GROUP-LABEL: @product
// GROUP: ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16
// GROUP: %[[ZERO:.*]] = tlx.require_layout
// GROUP: %[[LOOP:.*]]:4 = scf.for {{.*}}iter_args(%[[SUM:.*]] = %[[ZERO]],
// GROUP: ttg.async_wait {num = 2 : i32}
// GROUP-NEXT: ttng.fence_async_shared
// GROUP-NOT: require_layout
// GROUP-NOT: async_copy_global_to_local
// GROUP: %[[D:.*]] = ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[SUM]]
// GROUP: %[[W:.*]] = ttng.warp_group_dot_wait %[[D]] {pendings = 1
// GROUP-COUNT-2: ttg.async_copy_global_to_local
// GROUP: scf.yield %[[W]],
// GROUP: ttng.warp_group_dot_wait %[[LOOP]]#0 {pendings = 0
// GROUP: ttg.async_wait {num = 0 : i32}
tt.func @product(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %low = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %by = arith.constant dense<4096> : tensor<64x64xi32>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %row = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %s = tt.splat %base : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %p = tt.addptr %s, %rows : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %r:2 = scf.for %i = %low to %n step %step iter_args(%c = %zero, %q = %p) -> (tensor<64x64xf32>, tensor<64x64x!tt.ptr<f16>>) : i32 {
    %x = tt.load %q : tensor<64x64x!tt.ptr<f16>>
    %y = tt.load %q : tensor<64x64x!tt.ptr<f16>>
    %d = tt.dot %x, %y, %c : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %next = tt.addptr %q, %by : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %next : tensor<64x64xf32>, tensor<64x64x!tt.ptr<f16>>
  }
  tt.return %r#0 : tensor<64x64xf32>
}

// An operand whose buffer the next round fills again cannot be read that long: its
// elements are not consecutive, so that no copy can take it. The wait for copies stands
// behind its load.
// GROUP-LABEL: @one_copied
// GROUP: ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16
// GROUP: scf.for
// GROUP: ttg.local_alloc
// GROUP: ttg.async_wait {num = 1 : i32}
// GROUP-NEXT: ttng.fence_async_shared
// GROUP: ttg.async_copy_global_to_local
// GROUP-NOT: ttng.fence_async_shared
// GROUP: ttng.warp_group_dot %
// GROUP: ttng.warp_group_dot_wait %{{.*}} {pendings = 0
// CHECK-LABEL: @one_copied
// CHECK: scf.for
// CHECK: tt.load
tt.func @one_copied(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %odd: tensor<64x64x!tt.ptr<f16>>, %n: i32) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %low = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %row = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %s = tt.splat %base : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %p = tt.addptr %s, %rows : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %r = scf.for %i = %low to %n step %step iter_args(%c = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = tt.load %odd : tensor<64x64x!tt.ptr<f16>>
    %y = tt.load %p : tensor<64x64x!tt.ptr<f16>>
    %d = tt.dot %x, %y, %c : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return %r : tensor<64x64xf32>
}

// Addresses that are read from memory are not known ahead; a value that other code needs
// is not a copy's alone.
// CHECK-LABEL: @indirect
// CHECK-NOT: async_copy_global_to_local
// CHECK: tt.return
tt.func @indirect(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %index: !tt.ptr<i32>, %n: i32) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %low = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %row = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %r = scf.for %i = %low to %n step %step iter_args(%c = %zero) -> (tensor<64x64xf32>) : i32 {
    %place = tt.addptr %index, %i : !tt.ptr<i32>, i32
    %by = tt.load %place : !tt.ptr<i32>
    %at = tt.addptr %base, %by : !tt.ptr<f16>, i32
    %s = tt.splat %at : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
    %p = tt.addptr %s, %rows : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>>
    %d = tt.dot %x, %x, %c : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return %r : tensor<64x64xf32>
}

// What a round stores, the next one may load: no round runs ahead. The twin stores behind its loop.
// CHECK-LABEL: @in_place
// CHECK-NOT: async_copy_global_to_local
// CHECK: tt.return
// CHECK-LABEL: @stored_behind
// CHECK: async_copy_global_to_local
// CHECK: tt.return
tt.func @in_place(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %low = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %row = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %s = tt.splat %base : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %p = tt.addptr %s, %rows : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %r = scf.for %i = %low to %n step %step iter_args(%c = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>>
    %y = tt.load %p : tensor<64x64x!tt.ptr<f16>>
    %d = tt.dot %x, %y, %c : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %h = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xf16>
    tt.store %p, %h : tensor<64x64x!tt.ptr<f16>>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return %r : tensor<64x64xf32>
}

tt.func @stored_behind(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %low = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %row = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %s = tt.splat %base : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %p = tt.addptr %s, %rows : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %r = scf.for %i = %low to %n step %step iter_args(%c = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>>
    %y = tt.load %p : tensor<64x64x!tt.ptr<f16>>
    %d = tt.dot %x, %y, %c : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %h = arith.truncf %r : tensor<64x64xf32> to tensor<64x64xf16>
  tt.store %p, %h : tensor<64x64x!tt.ptr<f16>>
  tt.return %r : tensor<64x64xf32>
}
}
