// RUN: tlx-opt --verify-diagnostics --split-input-file %s
// expected-error @+1 {{blockM must be 64 or 128; got 32}}
tt.func @block_m(%m: !ttg.memdesc<128x64xf32, #ttng.tensor_memory_encoding<blockM = 32, blockN = 64, colStride = 1>, #ttng.tensor_memory, mutable>) {
  tt.return
}

// -----
// expected-error @+1 {{blockN must be a power of two up to 512; got 48}}
tt.func @block_n(%m: !ttg.memdesc<128x64xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 48, colStride = 1>, #ttng.tensor_memory, mutable>) {
  tt.return
}

// -----
// expected-error @+1 {{colStride must be 1, 2 or 4; got 3}}
tt.func @stride(%m: !ttg.memdesc<128x64xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 3>, #ttng.tensor_memory, mutable>) {
  tt.return
}

// -----
// expected-error @+1 {{unknown field 'blockK'}}
tt.func @unknown(%m: !ttg.memdesc<128x64xf32, #ttng.tensor_memory_encoding<blockK = 1>, #ttng.tensor_memory, mutable>) {
  tt.return
}

// -----
// expected-error @+1 {{field 'blockM' is given twice}}
tt.func @twice(%m: !ttg.memdesc<128x64xf32, #ttng.tensor_memory_encoding<blockM = 64, blockM = 64>, #ttng.tensor_memory, mutable>) {
  tt.return
}

// -----
// expected-error @+1 {{needs blockM, blockN and colStride}}
tt.func @missing(%m: !ttg.memdesc<128x64xf32, #ttng.tensor_memory_encoding<blockM = 64>, #ttng.tensor_memory, mutable>) {
  tt.return
}

// -----
// expected-error @+1 {{expected one of default, twocta_lhs, twocta_rhs; got both}}
tt.func @mode(%m: !ttg.memdesc<128x64xf32, #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1, ctaMode = both>, #ttng.tensor_memory, mutable>) {
  tt.return
}

// -----
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
tt.func @uninitialised() {
  // expected-error @+1 {{a buffer without a source must be mutable}}
  %m = ttng.tmem_alloc : () -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory>
  tt.return
}

// -----
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 2>
tt.func @width() {
  // expected-error @+1 {{element width times colStride must be at most 32; got 32 and 2}}
  %m = ttng.tmem_alloc : () -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}

// -----
#buf = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
tt.func @space() {
  // expected-error @+1 {{buffer must be in tensor memory}}
  %m = ttng.tmem_alloc : () -> !ttg.memdesc<64x64xf16, #buf, #smem, mutable>
  tt.return
}

// -----
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
tt.func @load(%m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) {
  // expected-error @+1 {{tile of type 'tensor<128x32xf32>' does not fit a buffer of type '!ttg.memdesc<128x64xf32}}
  %r = ttng.tmem_load %m : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x32xf32>
  tt.return
}

// -----
#scales = #ttng.tensor_memory_scales_encoding<>
tt.func @load_scales(%m: !ttg.memdesc<128x8xi8, #scales, #ttng.tensor_memory, mutable>) {
  // expected-error @+1 {{buffer must have a tensor_memory_encoding; got #ttng.tensor_memory_scales_encoding<>}}
  %r = ttng.tmem_load %m : !ttg.memdesc<128x8xi8, #scales, #ttng.tensor_memory, mutable> -> tensor<128x8xi8>
  tt.return
}

// -----
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
tt.func @immutable(%m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory>, %x: tensor<128x64xf32>, %p: i1) {
  // expected-error @+1 {{writes a buffer that is not mutable}}
  ttng.tmem_store %x, %m, %p : tensor<128x64xf32> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory>
  tt.return
}

// -----
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
tt.func @reduction(%m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) {
  // expected-error @+1 {{red, abs and NaN need a redOp}}
  %r = ttng.tmem_load %m {abs = true} : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32>
  tt.return
}

// -----
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
tt.func @offset(%m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) {
  // expected-error @+1 {{first column must be a multiple of the result's 32; got 16}}
  %s = ttng.tmem_subslice %m {N = 16 : i32} : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x32xf32, #tmem, #ttng.tensor_memory, mutable, 128x64>
  tt.return
}

// -----
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
tt.func @range(%m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) {
  // expected-error @+1 {{columns 64 to 96 exceed the source's 64}}
  %s = ttng.tmem_subslice %m {N = 64 : i32} : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x32xf32, #tmem, #ttng.tensor_memory, mutable, 128x64>
  tt.return
}

// -----
#plain = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 32}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
tt.func @copy(%m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, %x: !ttg.memdesc<128x64xf32, #plain, #smem, mutable>) {
  // expected-error @+1 {{source must be swizzled and not transposed}}
  ttng.tmem_copy %x, %m : !ttg.memdesc<128x64xf32, #plain, #smem, mutable>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}
