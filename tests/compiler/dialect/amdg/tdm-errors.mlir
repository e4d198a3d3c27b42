// RUN: tlx-opt --verify-diagnostics --split-input-file %s
#buf = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @swizzled(%d: !tt.tensordesc<tensor<64x64xf16>>, %i: i32, %m: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>) {
  // expected-error @+1 {{cannot swizzle; got a buffer with layout}}
  %t = amdg.async_tdm_copy_global_to_local %d[%i, %i] into %m, pred = %i : !tt.tensordesc<tensor<64x64xf16>> -> !ttg.memdesc<64x64xf16, #buf, #smem, mutable>
  tt.return
}

// -----
#buf = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
tt.func @layout(%d: !tt.tensordesc<tensor<64x64xf16>>, %i: i32, %m: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>) {
  // expected-error @+1 {{needs a padded or unswizzled buffer}}
  amdg.async_tdm_copy_local_to_global %d[%i, %i] from %m : !ttg.memdesc<64x64xf16, #buf, #smem, mutable> -> !tt.tensordesc<tensor<64x64xf16>>
  tt.return
}

// -----
#buf = #ttg.padded_shared<[2:+8] {order = [1, 0], shape = [64, 64]}>
#smem = #ttg.shared_memory
tt.func @interval(%d: !tt.tensordesc<tensor<64x64xf16>>, %m: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>) {
  // expected-error @+1 {{padding interval must be at least 2 dwords; got 2 elements of 16 bits}}
  %t = amdg.async_tdm_copy_global_to_local %d into %m : !tt.tensordesc<tensor<64x64xf16>> -> !ttg.memdesc<64x64xf16, #buf, #smem, mutable>
  tt.return
}

// -----
#buf = #ttg.padded_shared<[64:+1] {order = [1, 0], shape = [64, 64]}>
#smem = #ttg.shared_memory
tt.func @padding(%d: !tt.tensordesc<tensor<64x64xf16>>, %m: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>) {
  // expected-error @+1 {{padding must be at least 1 dword; got 1 elements of 16 bits}}
  %t = amdg.async_tdm_copy_global_to_local %d into %m : !tt.tensordesc<tensor<64x64xf16>> -> !ttg.memdesc<64x64xf16, #buf, #smem, mutable>
  tt.return
}

// -----
#buf = #ttg.padded_shared<[128:+8] {order = [1, 0], shape = [64, 64]}>
#smem = #ttg.shared_memory
tt.func @store_padding(%d: !tt.tensordesc<tensor<64x64xf16>>, %i: i32, %m: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>) {
  // expected-error @+1 {{stores padded buffers only when the padding interval is the innermost block dimension, 64}}
  amdg.async_tdm_copy_local_to_global %d[%i, %i] from %m : !ttg.memdesc<64x64xf16, #buf, #smem, mutable> -> !tt.tensordesc<tensor<64x64xf16>>
  tt.return
}

// -----
#buf = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @operands(%d: !tt.tensordesc<tensor<64x64xf16>>, %p: i1, %m: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>) {
  // expected-error @+1 {{operands must be desc, indices, buffer, [pred], [barrier]}}
  %t = "amdg.async_tdm_copy_global_to_local"(%d, %p, %m) : (!tt.tensordesc<tensor<64x64xf16>>, i1, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>) -> !ttg.async.token
  tt.return
}

// -----
#buf = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @sizes(%d: !tt.tensordesc<tensor<64x64xf16>>, %m: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>) {
  // expected-error @+1 {{operandSegmentSizes add up to 4, but there are 2 operands}}
  %t = "amdg.async_tdm_copy_global_to_local"(%d, %m) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>) -> !ttg.async.token
  tt.return
}

// -----
tt.func @update(%d: !tt.tensordesc<tensor<64x64xf16>>) {
  // expected-error @+1 {{needs add_offsets, set_bounds or pred}}
  %e = amdg.update_tensor_descriptor %d : !tt.tensordesc<tensor<64x64xf16>>
  tt.return
}

// -----
tt.func @clamp(%d: !tt.tensordesc<tensor<64x64xf16>>, %i: i32) {
  // expected-error @+1 {{clamp_bounds goes with add_offsets and without set_bounds}}
  %e = amdg.update_tensor_descriptor %d set_bounds = [%i, %i] {clamp_bounds} : !tt.tensordesc<tensor<64x64xf16>>
  tt.return
}

// -----
tt.func @rank(%d: !tt.tensordesc<tensor<64x64xf16>>, %i: i32) {
  // expected-error @+1 {{add_offsets needs 2 values; got 1}}
  %e = amdg.update_tensor_descriptor %d add_offsets = [%i] : !tt.tensordesc<tensor<64x64xf16>>
  tt.return
}

// -----
#buf = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @hints(%d: !tt.tensordesc<tensor<64x64xf16>>, %m: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>) {
  // expected-error @+1 {{warp hints must be disjoint and not empty}}
  %t = amdg.async_tdm_fused_copy_global_to_local %d, %d into %m, %m {warp_used_hints = array<i32: 3, 6>} : !tt.tensordesc<tensor<64x64xf16>>, !tt.tensordesc<tensor<64x64xf16>> -> !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>
  tt.return
}

// -----
tt.func @offsets(%d: !tt.tensordesc<tensor<64x64xf16>>, %i: i32, %p: i1) {
  // expected-error @+1 {{has a result exactly when returnOffsets is given}}
  amdg.tdm_prefetch %d[%i, %i], %p, speculative = true returnOffsets : !tt.tensordesc<tensor<64x64xf16>>
  tt.return
}
