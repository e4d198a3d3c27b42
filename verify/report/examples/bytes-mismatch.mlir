// The copy delivers 8192 bytes; 16384 are expected.
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #shared, #smem, mutable>
!buf = !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @bytes_mismatch(%a: !tt.tensordesc<tensor<64x64xf16>>, %n: i32, %m: i32, %s: i64, %t: i64) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %buf = ttg.local_alloc : () -> !buf
    %full = ttg.local_alloc : () -> !bar
    ttng.init_barrier %full, 1 : !bar
    ttng.barrier_expect %full, 16384, %true : !bar
    ttng.async_tma_copy_global_to_local %a[%c0, %c0] %buf, %full, %true : !tt.tensordesc<tensor<64x64xf16>>, !bar -> !buf
    ttng.wait_barrier %full, %c0, %true : !bar
    tt.return
  }
}
