// RUN: tlx-opt --verify-diagnostics --split-input-file %s
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#buf = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
tt.func @coordinates(%d: !tt.tensordesc<tensor<64x64xf16>>, %i: i32, %p: i1, %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %m: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>) {
  // expected-error @+1 {{needs 2 coordinates for '!tt.tensordesc<tensor<64x64xf16>>'; got 1}}
  ttng.async_tma_copy_global_to_local %d[%i] %m, %b, %p : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x64xf16, #buf, #smem, mutable>
  tt.return
}

// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @layout(%d: !tt.tensordesc<tensor<64x64xf16>>, %i: i32, %p: i1, %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %m: !ttg.memdesc<64x64xf16, #plain, #smem, mutable>) {
  // expected-error @+1 {{buffer must have an nvmma_shared layout; got #ttg.swizzled_shared}}
  ttng.async_tma_copy_global_to_local %d[%i, %i] %m, %b, %p : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x64xf16, #plain, #smem, mutable>
  tt.return
}

// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#buf = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#narrow = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
tt.func @swizzle(%d: !tt.tensordesc<tensor<64x64xf16, #narrow>>, %i: i32, %p: i1, %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %m: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>) {
  // expected-error @+1 {{descriptor and buffer must have the same layout}}
  ttng.async_tma_copy_global_to_local %d[%i, %i] %m, %b, %p : !tt.tensordesc<tensor<64x64xf16, #narrow>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x64xf16, #buf, #smem, mutable>
  tt.return
}

// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#buf = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
tt.func @elements(%d: !tt.tensordesc<tensor<64x32xf16>>, %i: i32, %m: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>) {
  // expected-error @+1 {{block and buffer must have the same number of elements}}
  ttng.async_tma_copy_local_to_global %d[%i, %i] %m : !tt.tensordesc<tensor<64x32xf16>>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>
  tt.return
}

// -----
#buf = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
tt.func @type(%d: !tt.tensordesc<tensor<64x64xbf16>>, %i: i32, %m: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>) {
  // expected-error @+1 {{block and buffer must have the same element type; got 'bf16' and 'f16'}}
  ttng.async_tma_reduce add, %d[%i, %i] %m : !tt.tensordesc<tensor<64x64xbf16>>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>
  tt.return
}

// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#buf = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
tt.func @immutable(%d: !tt.tensordesc<tensor<64x64xf16>>, %i: i32, %p: i1, %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %m: !ttg.memdesc<64x64xf16, #buf, #smem>) {
  // expected-error @+1 {{writes a buffer that is not mutable}}
  ttng.async_tma_copy_global_to_local %d[%i, %i] %m, %b, %p : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x64xf16, #buf, #smem>
  tt.return
}

// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#buf = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
tt.func @rows(%d: !tt.tensordesc<tensor<64x64xf16>>, %x: tensor<64xi32>, %i: i32, %p: i1, %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %m: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>) {
  // expected-error @+1 {{block must be a single row; got 'tensor<64x64xf16>'}}
  ttng.async_tma_gather %d[%x, %i] %m, %b, %p : !tt.tensordesc<tensor<64x64xf16>>, tensor<64xi32>, i32, !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, i1
  tt.return
}

// -----
tt.func @strides(%p: !tt.ptr<i8>, %g: !tt.ptr<f16>, %i: i32, %s: i64) {
  // expected-error @+1 {{needs 2 sizes, 1 strides and 2 element strides for 2 box sizes; got 2, 2 and 2}}
  ttng.tensormap_create %p, %g, [%i, %i], [%i, %i], [%s, %s], [%i, %i] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i64, i32, i32) -> ()
  tt.return
}

// -----
tt.func @map_fields(%p: !tt.ptr<i8>, %g: !tt.ptr<f16>, %i: i32, %s: i64) {
  // expected-error @+1 {{elem_type must be between 0 and 15; got 77}}
  ttng.tensormap_create %p, %g, [%i, %i], [%i, %i], [%s], [%i, %i] {elem_type = 77 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
  tt.return
}

// -----
// expected-error @+1 {{im2col descriptor needs a block of rank 2}}
tt.func @im2col(%d: !ttng.tensordesc_im2col<tensor<1x64x64xf16>>) {
  tt.return
}

// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @types(%t: !ttg.async.token, %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %p: i1) {
  // expected-error @+1 {{expected 2 types; got 1}}
  ttng.async_tma_store_token_wait %t, %b[%p] : !ttg.async.token
  tt.return
}
