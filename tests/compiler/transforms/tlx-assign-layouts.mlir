// RUN: tlx-opt %s --tlx-assign-layouts | FileCheck %s

// CHECK-DAG: #[[MMA:.*]] = #ttg.nvidia_mma<{versionMajor = 3
// CHECK-DAG: #[[SYNC:.*]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
// CHECK-DAG: #[[WIDE:.*]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[NARROW:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[TWO:.*]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
// CHECK-DAG: #[[DOWN:.*]] = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// Sixteen bytes a thread where alignment is known, one element where it is not;
// what is stored is converted, no address.
// CHECK-LABEL: @accesses
// CHECK: %[[L:.*]] = tt.load %{{.*}} : tensor<512x!tt.ptr<f32>, #[[WIDE]]>
// CHECK: %[[S:.*]] = ttg.convert_layout %[[L]] : tensor<512xf32, #[[WIDE]]> -> tensor<512xf32, #[[NARROW]]>
// CHECK: tt.store %{{.*}}, %[[S]] : tensor<512x!tt.ptr<f32>, #[[NARROW]]>
tt.func public @accesses(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %px = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %l = tt.load %px : tensor<512x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %py = tt.addptr %ys, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %py, %l : tensor<512x!tt.ptr<f32>>
  tt.return
}

// Columns are contiguous: the first dimension is the fastest.
// CHECK-LABEL: @columns
// CHECK: tt.load %{{.*}} : tensor<64x16x!tt.ptr<f16>, #[[DOWN]]>
tt.func public @columns(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %c = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %c2 = tt.expand_dims %c {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %s = tt.splat %stride : i32 -> tensor<1x16xi32>
  %cs = arith.muli %c2, %s : tensor<1x16xi32>
  %rb = tt.broadcast %r2 : tensor<64x1xi32> -> tensor<64x16xi32>
  %cb = tt.broadcast %cs : tensor<1x16xi32> -> tensor<64x16xi32>
  %at = arith.addi %rb, %cb : tensor<64x16xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<64x16x!tt.ptr<f16>>
  %p = tt.addptr %xs, %at : tensor<64x16x!tt.ptr<f16>>, tensor<64x16xi32>
  %l = tt.load %p : tensor<64x16x!tt.ptr<f16>>
  tt.store %p, %l : tensor<64x16x!tt.ptr<f16>>
  tt.return
}

// The accumulator keeps its layout from step to step and on to the store; what is
// reduced and repeated has slices of it.
// CHECK-LABEL: @accumulator
// CHECK-NOT: tlx.
// CHECK: scf.for {{.*}} -> (tensor<64x64xf32, #[[MMA]]>)
// CHECK-NOT: convert_layout
// CHECK: ttng.warp_group_dot
// CHECK-NOT: convert_layout
// CHECK: "tt.reduce"
// CHECK: (tensor<64x64xf32, #[[MMA]]>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #[[MMA]]}>>
// CHECK-NOT: convert_layout
// CHECK: ttg.local_store %{{.*}} : tensor<64x64xf16, #[[MMA]]>
tt.func public @accumulator(%n: i32) {
  %cst = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  %acc = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %cst) -> (tensor<64x64xf32>) : i32 {
    %in = tlx.require_layout %sum : tensor<64x64xf32> -> tensor<64x64xf32, #mma>
    %d = ttng.warp_group_dot %a, %a, %in : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %out = tlx.release_layout %d : tensor<64x64xf32, #mma> -> tensor<64x64xf32>
    scf.yield %out : tensor<64x64xf32>
  }
  %most = "tt.reduce"(%acc) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %m = arith.maxnumf %x, %y : f32
    tt.reduce.return %m : f32
  }) : (tensor<64x64xf32>) -> tensor<64xf32>
  %column = tt.expand_dims %most {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
  %all = tt.broadcast %column : tensor<64x1xf32> -> tensor<64x64xf32>
  %scaled = arith.divf %acc, %all : tensor<64x64xf32>
  %half = arith.truncf %scaled : tensor<64x64xf32> to tensor<64x64xf16>
  ttg.local_store %half, %a : tensor<64x64xf16> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  tt.return
}

// A wait gives what it is given, whatever the tile's user asks for.
// CHECK-LABEL: @waits
// CHECK: ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32} : tensor<64x64xf32, #[[MMA]]>
// CHECK-NEXT: arith.addf %{{.*}} : tensor<64x64xf32, #[[MMA]]>
tt.func public @waits() {
  %cst = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  %to = ttg.local_alloc : () -> !ttg.memdesc<64x64xf32, #shared, #smem, mutable>
  %d = ttng.warp_group_dot %a, %a, %cst {isAsync = true} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
  %free = tlx.release_layout %d : tensor<64x64xf32, #mma> -> tensor<64x64xf32>
  %w = ttng.warp_group_dot_wait %free {pendings = 0 : i32} : tensor<64x64xf32>
  %s = arith.addf %w, %w : tensor<64x64xf32>
  ttg.local_store %s, %to : tensor<64x64xf32> -> !ttg.memdesc<64x64xf32, #shared, #smem, mutable>
  tt.return
}

// CHECK-LABEL: @product
// CHECK: tt.dot %{{.*}} : tensor<32x32xf16, #ttg.dot_op<{opIdx = 0, parent = #[[SYNC]], kWidth = 2}>> * tensor<32x32xf16, #ttg.dot_op<{opIdx = 1, parent = #[[SYNC]], kWidth = 2}>> -> tensor<32x32xf32, #[[SYNC]]>
tt.func public @product(%a: !ttg.memdesc<32x32xf16, #shared, #smem>, %to: !ttg.memdesc<32x32xf32, #shared, #smem, mutable>) {
  %cst = arith.constant dense<0.0> : tensor<32x32xf32>
  %l = ttg.local_load %a : !ttg.memdesc<32x32xf16, #shared, #smem> -> tensor<32x32xf16>
  %d = tt.dot %l, %l, %cst : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  ttg.local_store %d, %to : tensor<32x32xf32> -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
  tt.return
}

// A partition's tiles are spread over its own warps.
// CHECK-LABEL: @partition
// CHECK: num_warps(2)
// CHECK: tt.store %{{.*}} : tensor<256x!tt.ptr<f32>, #[[TWO]]>
tt.func public @partition(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  ttg.warp_specialize(%x)
  default {
    ttg.warp_yield
  }
  partition0(%p: !tt.ptr<f32>) num_warps(2) {
    %v = arith.constant dense<1.0> : tensor<256xf32>
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %at = tt.addptr %s, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    tt.store %at, %v : tensor<256x!tt.ptr<f32>>
    ttg.warp_return
  } : (!tt.ptr<f32>) -> ()
  tt.return
}

// Reshaped and transposed tiles stay in their registers; so do the halves of a split.
// CHECK-LABEL: @halves
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.split
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
tt.func public @halves(%to: !ttg.memdesc<64x32xf32, #shared, #smem, mutable>) {
  %cst = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  %d = ttng.warp_group_dot %a, %a, %cst : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
  %free = tlx.release_layout %d : tensor<64x64xf32, #mma> -> tensor<64x64xf32>
  %r = tt.reshape %free : tensor<64x64xf32> -> tensor<64x2x32xf32>
  %t = tt.trans %r {order = array<i32: 0, 2, 1>} : tensor<64x2x32xf32> -> tensor<64x32x2xf32>
  %lhs, %rhs = tt.split %t : tensor<64x32x2xf32> -> tensor<64x32xf32>
  %sum = arith.addf %lhs, %rhs : tensor<64x32xf32>
  ttg.local_store %sum, %to : tensor<64x32xf32> -> !ttg.memdesc<64x32xf32, #shared, #smem, mutable>
  tt.return
}

// Halves in other threads are brought together.
// CHECK-LABEL: @apart
// CHECK: %[[T:.*]] = ttg.convert_layout
// CHECK: tt.split %[[T]]
tt.func public @apart(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %p = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %l = tt.load %p : tensor<512x!tt.ptr<f32>>
  %w = tt.reshape %l : tensor<512xf32> -> tensor<2x256xf32>
  %t = tt.trans %w {order = array<i32: 1, 0>} : tensor<2x256xf32> -> tensor<256x2xf32>
  %lhs, %rhs = tt.split %t : tensor<256x2xf32> -> tensor<256xf32>
  %sum = arith.addf %lhs, %rhs : tensor<256xf32>
  %q = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %h = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %o = tt.addptr %q, %h : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %o, %sum : tensor<256x!tt.ptr<f32>>
  tt.return
}

// Fewer elements than threads: those that have the same half have the same whole.
// CHECK-LABEL: @cat
// CHECK: tt.cat %{{.*}} : tensor<64xi32, #[[ONE:.*]]> -> tensor<128xi32, #[[PAIR:.*]]>
// CHECK: ttg.convert_layout %{{.*}} : tensor<128xi32, #[[PAIR]]> -> tensor<128xi32, #[[ONE]]>
tt.func public @cat(%x: !tt.ptr<i32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %c = tt.cat %r, %r : tensor<64xi32> -> tensor<128xi32>
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %p = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %q = tt.addptr %p, %i : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %q, %c : tensor<128x!tt.ptr<i32>>
  tt.return
}

// Neighbouring lanes vote on neighbouring elements, however wide the load is.
// CHECK-LABEL: @ballot
// CHECK: tt.load %{{.*}} : tensor<512x!tt.ptr<i32>, #[[WIDE:.*]]>
// CHECK: ttng.vote_ballot_sync %{{.*}}, %{{.*}} : tensor<512xi1, #[[ONE]]> -> tensor<512xi32, #[[ONE]]>
// CHECK: tt.store %{{.*}}, %{{.*}} : tensor<512x!tt.ptr<i32>, #[[WIDE]]>
tt.func public @ballot(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %all = arith.constant -1 : i32
  %zero = arith.constant dense<0> : tensor<512xi32>
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %s = tt.splat %x : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %p = tt.addptr %s, %r : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  %l = tt.load %p : tensor<512x!tt.ptr<i32>>
  %c = arith.cmpi sgt, %l, %zero : tensor<512xi32>
  %v = ttng.vote_ballot_sync %all, %c : tensor<512xi1> -> tensor<512xi32>
  tt.store %p, %v : tensor<512x!tt.ptr<i32>>
  tt.return
}

}
