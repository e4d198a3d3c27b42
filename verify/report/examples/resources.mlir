// Two accumulators and a third one that live at the same time: 256 + 256 + 128
// columns of tensor memory, of 512.
#wide = #ttng.tensor_memory_encoding<blockM = 128, blockN = 256, colStride = 1>
#narrow = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
!wide = !ttg.memdesc<128x256xf32, #wide, #ttng.tensor_memory, mutable>
!narrow = !ttg.memdesc<128x128xf32, #narrow, #ttng.tensor_memory, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @resources(%a: tensor<128x256xf32>, %b: tensor<128x128xf32>) {
    %true = arith.constant true
    %first = ttng.tmem_alloc : () -> !wide
    %second = ttng.tmem_alloc : () -> !wide
    %third = ttng.tmem_alloc : () -> !narrow
    ttng.tmem_store %a, %first, %true : tensor<128x256xf32> -> !wide
    ttng.tmem_store %a, %second, %true : tensor<128x256xf32> -> !wide
    ttng.tmem_store %b, %third, %true : tensor<128x128xf32> -> !narrow
    tt.return
  }
}
