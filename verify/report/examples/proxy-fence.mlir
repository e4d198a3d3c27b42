// Ordinary stores write the buffer, a bulk copy reads it through the async
// proxy: ttng.fence_async_shared is missing between them.
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #shared, #smem, mutable>
!buf = !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, "ttg.cluster-dim-x" = 1 : i32, "ttg.cluster-dim-y" = 1 : i32, "ttg.cluster-dim-z" = 1 : i32} {
  tt.func public @proxy_fence(%a: !tt.tensordesc<tensor<64x64xf16>>, %n: i32, %m: i32, %s: i64, %t: i64) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %cst = arith.constant dense<1.0> : tensor<64x64xf16>
    %buf = ttg.local_alloc : () -> !buf
    %full = ttg.local_alloc : () -> !bar
    ttng.init_barrier %full, 1 : !bar
    ttg.warp_specialize(%buf, %full, %a)
    default {
      ttg.local_store %cst, %buf : tensor<64x64xf16> -> !buf
      ttng.arrive_barrier %full, 1 : !bar
      ttg.warp_yield
    }
    partition0(%p0_buf: !buf, %p0_full: !bar, %p0_a: !tt.tensordesc<tensor<64x64xf16>>) num_warps(4) {
      %z0 = arith.constant 0 : i32
      %o0 = arith.constant 1 : i32
      %t0 = arith.constant true
      ttng.wait_barrier %p0_full, %z0, %t0 : !bar
      ttng.async_tma_copy_local_to_global %p0_a[%z0, %z0] %p0_buf : !tt.tensordesc<tensor<64x64xf16>>, !buf
      ttng.async_tma_store_wait {pendings = 0 : i32}
      ttg.warp_return
    }
    : (!buf, !bar, !tt.tensordesc<tensor<64x64xf16>>) -> ()
    tt.return
  }
}
