// Waiting works on the CTA's own barriers; this one is the peer's.
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #shared, #smem, mutable>
!buf = !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, "ttg.cluster-dim-x" = 2 : i32, "ttg.cluster-dim-y" = 1 : i32, "ttg.cluster-dim-z" = 1 : i32} {
  tt.func public @remote_form() {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %peer = arith.constant 1 : i32
    %full = ttg.local_alloc : () -> !bar
    ttng.init_barrier %full, 1 : !bar
    ttng.fence_mbarrier_init_release_cluster
    ttng.cluster_arrive
    ttng.cluster_wait
    %remote = ttng.map_to_remote_buffer %full, %peer : !bar -> !ttg.memdesc<1xi64, #shared, #ttng.shared_cluster_memory, mutable>
    ttng.barrier_expect %remote, 128, %true : !ttg.memdesc<1xi64, #shared, #ttng.shared_cluster_memory, mutable>
    ttng.cluster_arrive
    ttng.cluster_wait
    tt.return
  }
}
