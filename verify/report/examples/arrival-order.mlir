// The barrier counts one arrival, but two tasks arrive: the second may complete
// phase 0 in place of the first.
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #shared, #smem, mutable>
!buf = !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @arrival_order() {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %done = ttg.local_alloc : () -> !bar
    ttng.init_barrier %done, 1 : !bar
    ttg.warp_specialize(%done)
    default {
      ttng.arrive_barrier %done, 1 : !bar
      ttg.warp_yield
    }
    partition0(%p0_done: !bar) num_warps(4) {
      %z0 = arith.constant 0 : i32
      %o0 = arith.constant 1 : i32
      %t0 = arith.constant true
      ttng.arrive_barrier %p0_done, 1 : !bar
      ttg.warp_return
    }
    : (!bar) -> ()
    tt.return
  }
}
