// One task writes what the other reads; nothing orders the two.
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #shared, #smem, mutable>
!buf = !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @race() {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %cst = arith.constant dense<1.0> : tensor<64x64xf16>
    %buf = ttg.local_alloc : () -> !buf
    ttg.warp_specialize(%buf)
    default {
      ttg.local_store %cst, %buf : tensor<64x64xf16> -> !buf
      ttg.warp_yield
    }
    partition0(%p0_buf: !buf) num_warps(4) {
      %z0 = arith.constant 0 : i32
      %o0 = arith.constant 1 : i32
      %t0 = arith.constant true
      %v = ttg.local_load %p0_buf : !buf -> tensor<64x64xf16>
      ttg.warp_return
    }
    : (!buf) -> ()
    tt.return
  }
}
