// RUN: tlx-opt %s --tlx-descriptor-layouts --tlx-lower-descriptors | FileCheck %s

// CHECK-DAG: #[[S64:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #[[S0:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 32, rank = 1}>
// CHECK-DAG: #[[S3:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16, rank = 3}>
module attributes {"ttg.num-warps" = 4 : i32} {

// CHECK-LABEL: @copied
// CHECK: %[[BUF:.*]] = ttg.local_alloc : () -> !ttg.memdesc<64x32xf16, #[[S64]], #smem, mutable>
// CHECK: %[[BAR:.*]] = ttg.local_alloc : () -> !ttg.memdesc<1xi64
// CHECK: ttng.init_barrier %[[BAR]], 1
// CHECK: ttng.barrier_expect %[[BAR]], 4096,
// CHECK: ttng.async_tma_copy_global_to_local %arg0[%arg2, %arg2] %[[BUF]], %[[BAR]], %{{.*}} evictionPolicy = evict_last
// CHECK: ttng.wait_barrier %[[BAR]], %
// CHECK: ttng.inval_barrier %[[BAR]]
// CHECK: %[[T:.*]] = ttg.local_load %[[BUF]]
// CHECK: %[[OUT:.*]] = ttg.local_alloc %[[T]] : (tensor<64x32xf16>) -> !ttg.memdesc<64x32xf16, #[[S64]], #smem, mutable>
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: ttng.async_tma_copy_local_to_global %arg1[%arg2, %arg2] %[[OUT]]
// CHECK-NEXT: ttng.async_tma_store_wait {pendings = 0 : i32}
// CHECK: ttng.async_tma_reduce add, %arg1[%arg2, %arg2]
tt.func public @copied(%a: !tt.tensordesc<tensor<64x32xf16>>, %b: !tt.tensordesc<tensor<64x32xf16>>, %i: i32) {
  %t = tt.descriptor_load %a[%i, %i] evictionPolicy = evict_last : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
  tt.descriptor_store %b[%i, %i], %t : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  tt.descriptor_reduce add, %b[%i, %i], %t : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  tt.return
}

// Sizes and strides from the innermost dimension out; strides in bytes. The tile
// lacks the block's first dimension.
// CHECK-LABEL: @made
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[PLACE:.*]] = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32}
// CHECK: %[[ROW:.*]] = arith.muli %arg3, %[[BYTES]]
// CHECK: %[[PLANE:.*]] = arith.muli %arg2, %[[BYTES]]
// CHECK: ttng.tensormap_create %[[PLACE]], %arg0, [%c32{{.*}}, %c64{{.*}}, %c1{{.*}}], [%c32{{.*}}, %arg1, %arg1], [%[[ROW]], %[[PLANE]]], [%[[ONE:.*]], %[[ONE]], %[[ONE]]] {elem_type = 10 : i32, fill_mode = 1 : i32, interleave_layout = 0 : i32, swizzle_mode = 2 : i32}
// CHECK-NEXT: ttng.tensormap_fenceproxy_acquire %[[PLACE]]
// CHECK-NEXT: ttng.reinterpret_tensor_descriptor %[[PLACE]] : !tt.ptr<i8> to !tt.tensordesc<tensor<1x64x32xbf16, #[[S3]]>>
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<64x32xbf16, #[[S64]], #smem, mutable>
tt.func public @made(%base: !tt.ptr<bf16>, %n: i32, %plane: i64, %row: i64, %to: !tt.ptr<bf16>) -> tensor<64x32xbf16> {
  %c32 = arith.constant 32 : i32
  %c1 = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %base, [%n, %n, %c32], [%plane, %row, %c1] {padding = 2 : i32} : !tt.ptr<bf16>, !tt.tensordesc<tensor<1x64x32xbf16>>
  %t = tt.descriptor_load %d[%n, %n, %n] : !tt.tensordesc<tensor<1x64x32xbf16>> -> tensor<64x32xbf16>
  tt.return %t : tensor<64x32xbf16>
}

// CHECK-LABEL: @row
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<256xf32, #[[S0]], #smem, mutable>
tt.func public @row(%a: !tt.tensordesc<tensor<256xf32>>, %i: i32) -> tensor<256xf32> {
  %t = tt.descriptor_load %a[%i] : !tt.tensordesc<tensor<256xf32>> -> tensor<256xf32>
  tt.return %t : tensor<256xf32>
}

}
