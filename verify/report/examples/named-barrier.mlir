// Two tasks of 128 threads each meet at named barrier 9: one says 256 threads,
// the other 128.
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #shared, #smem, mutable>
!buf = !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @named_barrier() {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %id = arith.constant 9 : i32
    %all = arith.constant 256 : i32
    %half = arith.constant 128 : i32
    ttg.warp_specialize(%id, %half)
    default {
      ttng.wait_barrier_named %id, %all : i32, i32
      ttg.warp_yield
    }
    partition0(%p0_id: i32, %p0_half: i32) num_warps(4) {
      %z0 = arith.constant 0 : i32
      %o0 = arith.constant 1 : i32
      %t0 = arith.constant true
      ttng.arrive_barrier_named %p0_id, %p0_half : i32, i32
      ttg.warp_return
    }
    : (i32, i32) -> ()
    tt.return
  }
}
