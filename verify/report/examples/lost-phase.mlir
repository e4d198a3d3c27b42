// Partition 1 completes phase 1 without knowing whether partition 0 has seen
// phase 0: when that looks later, its parity is gone.
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #shared, #smem, mutable>
!buf = !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @lost_phase() {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %full = ttg.local_alloc : () -> !bar
    ttng.init_barrier %full, 1 : !bar
    ttg.warp_specialize(%full)
    default {
      ttng.arrive_barrier %full, 1 : !bar
      ttg.warp_yield
    }
    partition0(%p0_full: !bar) num_warps(4) {
      %z0 = arith.constant 0 : i32
      %o0 = arith.constant 1 : i32
      %t0 = arith.constant true
      ttng.wait_barrier %p0_full, %z0, %t0 : !bar
      ttg.warp_return
    }
    partition1(%p1_full: !bar) num_warps(4) {
      %z1 = arith.constant 0 : i32
      %o1 = arith.constant 1 : i32
      %t1 = arith.constant true
      ttng.wait_barrier %p1_full, %z1, %t1 : !bar
      ttng.arrive_barrier %p1_full, 1 : !bar
      ttg.warp_return
    }
    : (!bar) -> ()
    tt.return
  }
}
