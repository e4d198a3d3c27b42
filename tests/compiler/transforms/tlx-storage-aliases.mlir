// RUN: tlx-opt %s --tlx-storage-aliases | FileCheck %s

#f32 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#f16 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// 16 KiB for each index: %qk[i], or %p[i] and %a[i] behind one another.
// CHECK-LABEL: @tree
// CHECK: %[[BYTES:.*]] = ttg.local_alloc {alignment = 1024 : i32} : () -> !ttg.memdesc<32768xi8,
// CHECK: %[[QK:.*]] = ttg.memdesc_reinterpret %[[BYTES]] : {{.*}} -> !ttg.memdesc<2x64x64xf32,
// CHECK: %[[P:.*]] = ttg.memdesc_reinterpret %[[BYTES]] : {{.*}} -> !ttg.memdesc<3x64x64xf16,
// CHECK: %[[A:.*]] = ttg.memdesc_reinterpret %[[BYTES]] : {{.*}} -> !ttg.memdesc<4x64x64xf16,
// CHECK-NOT: tlx.
// CHECK: ttg.memdesc_index %[[QK]][%arg0]
// CHECK: %[[P2:.*]] = arith.muli %arg0, %c2
// CHECK: %[[P0:.*]] = arith.addi %[[P2]], %c0
// CHECK: ttg.memdesc_index %[[P]][%[[P0]]]
// CHECK: ttg.warp_specialize(%[[A]], %arg0)
// CHECK: partition0(%[[IN:.*]]: !ttg.memdesc<4x64x64xf16,{{.*}}, %[[I:.*]]: i32)
// CHECK: %[[A2:.*]] = arith.muli %[[I]], %c2
// CHECK: %[[A1:.*]] = arith.addi %[[A2]], %c1
// CHECK: ttg.memdesc_index %[[IN]][%[[A1]]]
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @tree(%i: i32) {
  %s = tlx.storage_alias_spec storage = smem : !tlx.storage_alias_spec<smem>
  %qk = tlx.storage_alias_local_alloc %s : !tlx.storage_alias_spec<smem> -> !ttg.memdesc<2x64x64xf32, #f32, #smem, mutable>
  %p = tlx.storage_alias_local_alloc %s : !tlx.storage_alias_spec<smem> -> !ttg.memdesc<2x64x64xf16, #f16, #smem, mutable>
  %a = tlx.storage_alias_local_alloc %s : !tlx.storage_alias_spec<smem> -> !ttg.memdesc<2x64x64xf16, #f16, #smem, mutable>
  %g = tlx.reuse_group(%p, %a) group_kind = distinct : (!ttg.memdesc<2x64x64xf16, #f16, #smem, mutable>, !ttg.memdesc<2x64x64xf16, #f16, #smem, mutable>) -> !tlx.reuse_group<distinct>
  %r = tlx.reuse_group(%qk, %g) group_kind = shared : (!ttg.memdesc<2x64x64xf32, #f32, #smem, mutable>, !tlx.reuse_group<distinct>) -> !tlx.reuse_group<shared>
  tlx.set_buffer_overlap(%s, %r) : (!tlx.storage_alias_spec<smem>, !tlx.reuse_group<shared>) -> ()
  %0 = ttg.memdesc_index %qk[%i] : !ttg.memdesc<2x64x64xf32, #f32, #smem, mutable> -> !ttg.memdesc<64x64xf32, #f32, #smem, mutable>
  %1 = ttg.memdesc_index %p[%i] : !ttg.memdesc<2x64x64xf16, #f16, #smem, mutable> -> !ttg.memdesc<64x64xf16, #f16, #smem, mutable>
  ttg.warp_specialize(%a, %i)
  default {
    ttg.warp_yield
  }
  partition0(%in: !ttg.memdesc<2x64x64xf16, #f16, #smem, mutable>, %j: i32) num_warps(4) {
    %2 = ttg.memdesc_index %in[%j] : !ttg.memdesc<2x64x64xf16, #f16, #smem, mutable> -> !ttg.memdesc<64x64xf16, #f16, #smem, mutable>
    ttg.warp_return
  } : (!ttg.memdesc<2x64x64xf16, #f16, #smem, mutable>, i32) -> ()
  tt.return
}
}
