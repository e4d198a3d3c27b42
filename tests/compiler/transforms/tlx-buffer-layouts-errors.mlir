// RUN: tlx-opt %s --tlx-buffer-layouts -split-input-file -verify-diagnostics

#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#a = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#b = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func @two(%x: tensor<32x32xf16>) {
  %m = ttg.local_alloc : () -> !ttg.memdesc<32x32xf16, #plain, #smem, mutable>
  %p = tlx.require_layout %m : !ttg.memdesc<32x32xf16, #plain, #smem, mutable> -> !ttg.memdesc<32x32xf16, #a, #smem, mutable>
  // expected-error @+1 {{requires a layout of a buffer that must have another one elsewhere}}
  %q = tlx.require_layout %m : !ttg.memdesc<32x32xf16, #plain, #smem, mutable> -> !ttg.memdesc<32x32xf16, #b, #smem, mutable>
  ttg.local_store %x, %p : tensor<32x32xf16> -> !ttg.memdesc<32x32xf16, #a, #smem, mutable>
  ttg.local_store %x, %q : tensor<32x32xf16> -> !ttg.memdesc<32x32xf16, #b, #smem, mutable>
  tt.return
}

// -----

#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#a = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func @reinterpreted(%x: tensor<32x32xf16>) -> tensor<32x32xi16> {
  %m = ttg.local_alloc : () -> !ttg.memdesc<32x32xf16, #plain, #smem, mutable>
  %i = ttg.memdesc_reinterpret %m : !ttg.memdesc<32x32xf16, #plain, #smem, mutable> -> !ttg.memdesc<32x32xi16, #plain, #smem, mutable>
  // expected-error @+1 {{requires a layout of a buffer that is seen in another shape or type}}
  %p = tlx.require_layout %m : !ttg.memdesc<32x32xf16, #plain, #smem, mutable> -> !ttg.memdesc<32x32xf16, #a, #smem, mutable>
  ttg.local_store %x, %p : tensor<32x32xf16> -> !ttg.memdesc<32x32xf16, #a, #smem, mutable>
  %y = ttg.local_load %i : !ttg.memdesc<32x32xi16, #plain, #smem, mutable> -> tensor<32x32xi16>
  tt.return %y : tensor<32x32xi16>
}
