// RUN: tlx-opt --verify-diagnostics --split-input-file %s
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @elements(%p: tensor<256x!tt.ptr<f64>, #blocked>, %m: !ttg.memdesc<256xf32, #shared, #smem, mutable>) {
  // expected-error @+1 {{values of type 'tensor<256xf64, #ttg.blocked}}
  %0 = ttg.async_copy_global_to_local %p, %m : tensor<256x!tt.ptr<f64>, #blocked> -> <256xf32, #shared, #smem, mutable>
  tt.return
}
}

// -----
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @shape(%p: tensor<256x!tt.ptr<f32>, #blocked>, %m: !ttg.memdesc<128xf32, #shared, #smem, mutable>) {
  // expected-error @+1 {{do not fit a buffer of type '!ttg.memdesc<128xf32}}
  %0 = ttg.async_copy_global_to_local %p, %m : tensor<256x!tt.ptr<f32>, #blocked> -> <128xf32, #shared, #smem, mutable>
  tt.return
}
}

// -----
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @scalar(%p: !tt.ptr<f32>, %m: !ttg.memdesc<128xf32, #shared, #smem, mutable>) {
  // expected-error @+1 {{needs a tensor of pointers unless useBulk is set}}
  %0 = ttg.async_copy_global_to_local %p, %m : !tt.ptr<f32> -> <128xf32, #shared, #smem, mutable>
  tt.return
}
}
