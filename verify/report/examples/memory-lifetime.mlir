// One task frees tensor memory that the other may still read.
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
!acc = !ttg.memdesc<1x128x64xf32, #tmem, #ttng.tensor_memory, mutable>
!tile = !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
!registers = tensor<128x64xf32, #tlx.dummy_register_layout<[128, 64], f32, true>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @memory_lifetime() {
    %c0 = arith.constant 0 : i32
    %true = arith.constant true
    %cst = arith.constant dense<0.0> : tensor<128x64xf32>
    %acc = ttng.tmem_alloc : () -> !acc
    %first = ttg.memdesc_index %acc[%c0] : !acc -> !tile
    %value = tlx.require_layout %cst : tensor<128x64xf32> -> !registers
    ttng.tmem_store %value, %first, %true : !registers -> !tile
    ttg.warp_specialize(%acc)
    default {
      ttg.local_dealloc %acc : !acc
      ttg.warp_yield
    }
    partition0(%memory: !acc) num_warps(4) {
      %zero = arith.constant 0 : i32
      %tile = ttg.memdesc_index %memory[%zero] : !acc -> !tile
      %read = ttng.tmem_load %tile : !tile -> !registers
      ttg.warp_return
    }
    : (!acc) -> ()
    tt.return
  }
}
