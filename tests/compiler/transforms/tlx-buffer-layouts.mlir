// RUN: tlx-opt %s --tlx-buffer-layouts -split-input-file | FileCheck %s

#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#row = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16, rank = 1}>
#smem = #ttg.shared_memory

// A copy of a descriptor needs its own layout: the ring has it, and every other view.
// CHECK: #[[ROW:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16, rank = 1}>
// CHECK-LABEL: tt.func @ring
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<2x64xf16, #[[ROW]], #smem, mutable>
// CHECK-NOT: tlx.require_layout
// CHECK: ttng.async_tma_copy_local_to_global %{{.*}}[%{{.*}}] %{{.*}} : !tt.tensordesc<tensor<64xf16>>, !ttg.memdesc<64xf16, #[[ROW]], #smem, mutable>
// CHECK: ttg.local_load %{{.*}} : !ttg.memdesc<64xf16, #[[ROW]], #smem, mutable>
tt.func @ring(%desc: !tt.tensordesc<tensor<64xf16>>, %i: i32) -> tensor<64xf16> {
  %ring = ttg.local_alloc : () -> !ttg.memdesc<2x64xf16, #plain, #smem, mutable>
  %a = ttg.memdesc_index %ring[%i] : !ttg.memdesc<2x64xf16, #plain, #smem, mutable> -> !ttg.memdesc<64xf16, #plain, #smem, mutable>
  %b = tlx.require_layout %a : !ttg.memdesc<64xf16, #plain, #smem, mutable> -> !ttg.memdesc<64xf16, #row, #smem, mutable>
  ttng.async_tma_copy_local_to_global %desc[%i] %b : !tt.tensordesc<tensor<64xf16>>, !ttg.memdesc<64xf16, #row, #smem, mutable>
  %other = ttg.memdesc_index %ring[%i] : !ttg.memdesc<2x64xf16, #plain, #smem, mutable> -> !ttg.memdesc<64xf16, #plain, #smem, mutable>
  %x = ttg.local_load %other : !ttg.memdesc<64xf16, #plain, #smem, mutable> -> tensor<64xf16>
  tt.return %x : tensor<64xf16>
}

// -----

#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#columns = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#transposed = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// What is required of a transposed view is the transposed layout in the buffer, in partitions too.
// CHECK-DAG: #[[T:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 16}>
// CHECK-DAG: #[[N:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
// CHECK-LABEL: tt.func @views
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<32x32xf16, #[[N]], #smem, mutable>
// CHECK: ttg.memdesc_trans %{{.*}} {order = array<i32: 1, 0>} : !ttg.memdesc<32x32xf16, #[[N]], #smem, mutable> -> !ttg.memdesc<32x32xf16, #[[T]], #smem, mutable>
// CHECK: partition0(%{{.*}}: !ttg.memdesc<32x32xf16, #[[N]], #smem, mutable>)
// CHECK-NOT: tlx.require_layout
tt.func @views(%x: tensor<32x32xf16>, %y: tensor<32x32xf16>) {
  %a = ttg.local_alloc : () -> !ttg.memdesc<32x32xf16, #plain, #smem, mutable>
  ttg.warp_specialize(%a)
  default {
    %t = ttg.memdesc_trans %a {order = array<i32: 1, 0>} : !ttg.memdesc<32x32xf16, #plain, #smem, mutable> -> !ttg.memdesc<32x32xf16, #columns, #smem, mutable>
    %r = tlx.require_layout %t : !ttg.memdesc<32x32xf16, #columns, #smem, mutable> -> !ttg.memdesc<32x32xf16, #transposed, #smem, mutable>
    ttg.local_store %x, %r : tensor<32x32xf16> -> !ttg.memdesc<32x32xf16, #transposed, #smem, mutable>
    ttg.warp_yield
  }
  partition0(%p: !ttg.memdesc<32x32xf16, #plain, #smem, mutable>) num_warps(4) {
    %z = ttg.local_load %p : !ttg.memdesc<32x32xf16, #plain, #smem, mutable> -> tensor<32x32xf16>
    ttg.warp_return
  } : (!ttg.memdesc<32x32xf16, #plain, #smem, mutable>) -> ()
  tt.return
}
