// The store fills buffer 0, the load reads buffer 1.
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!bufs = !ttg.memdesc<2x64x64xf16, #tile, #smem, mutable>
!buf = !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @uninitialized() {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %cst = arith.constant dense<1.0> : tensor<64x64xf16>
    %bufs = ttg.local_alloc : () -> !bufs
    %first = ttg.memdesc_index %bufs[%c0] : !bufs -> !buf
    %second = ttg.memdesc_index %bufs[%c1] : !bufs -> !buf
    ttg.local_store %cst, %first : tensor<64x64xf16> -> !buf
    %v = ttg.local_load %second : !buf -> tensor<64x64xf16>
    tt.return
  }
}
