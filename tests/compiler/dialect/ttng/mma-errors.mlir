// RUN: tlx-opt --verify-diagnostics --split-input-file %s
#buf = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
tt.func @shape(%a: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, %b: !ttg.memdesc<64x128xf16, #buf, #smem, mutable>, %c: tensor<64x64xf32, #mma>) {
  // expected-error @+1 {{result must be 64x128; got 64x64}}
  %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #buf, #smem, mutable> * !ttg.memdesc<64x128xf16, #buf, #smem, mutable> -> tensor<64x64xf32, #mma>
  tt.return
}

// -----
#buf = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
tt.func @no_layout(%a: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, %c: tensor<64x64xf32>) {
  // expected-error @+1 {{result must have an nvidia_mma layout of version 3; got none}}
  %d = ttng.warp_group_dot %a, %a, %c : !ttg.memdesc<64x64xf16, #buf, #smem, mutable> * !ttg.memdesc<64x64xf16, #buf, #smem, mutable> -> tensor<64x64xf32>
  tt.return
}

// -----
#buf = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
tt.func @k_width(%a: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>>, %b: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, %c: tensor<64x64xf32, #mma>) {
  // expected-error @+1 {{a in registers must have kWidth 2; got 1}}
  %d = ttng.warp_group_dot %a, %b, %c : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>> * !ttg.memdesc<64x64xf16, #buf, #smem, mutable> -> tensor<64x64xf32, #mma>
  tt.return
}

// -----
#buf = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 8}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#smem = #ttg.shared_memory
tt.func @imprecise(%a: !ttg.memdesc<64x64xf8E5M2, #buf, #smem, mutable>, %c: tensor<64x64xf32, #mma>) {
  // expected-error @+1 {{need maxNumImpreciseAcc of at least 32; got 0}}
  %d = ttng.warp_group_dot %a, %a, %c : !ttg.memdesc<64x64xf8E5M2, #buf, #smem, mutable> * !ttg.memdesc<64x64xf8E5M2, #buf, #smem, mutable> -> tensor<64x64xf32, #mma>
  tt.return
}

// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#buf = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>
tt.func @synchronous(%a: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, %d: !ttg.memdesc<64x64xf32, #tmem, #ttng.tensor_memory, mutable>, %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %p: i1) {
  // expected-error @+1 {{has completion barriers but is not is_async}}
  ttng.tc_gen5_mma %a, %a, %d, %p, %p, %b[%p] : !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<64x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

// -----
#buf = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>
tt.func @stride(%a: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, %d: !ttg.memdesc<64x64xf16, #tmem, #ttng.tensor_memory, mutable>, %p: i1) {
  // expected-error @+1 {{colStride of d must be 32 / 16; got 1}}
  ttng.tc_gen5_mma %a, %a, %d, %p, %p : !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<64x64xf16, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}

// -----
#buf = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>
tt.func @accumulator(%a: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, %d: !ttg.memdesc<64x64xi32, #tmem, #ttng.tensor_memory, mutable>, %p: i1) {
  // expected-error @+1 {{accumulator of type 'i32' does not go with operands of types 'f16' and 'f16'}}
  ttng.tc_gen5_mma %a, %a, %d, %p, %p : !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<64x64xi32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}

// -----
#buf = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
tt.func @space(%a: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, %d: !ttg.memdesc<64x64xf32, #buf, #smem, mutable>, %p: i1) {
  // expected-error @+1 {{d must be in tensor memory; got '!ttg.memdesc<64x64xf32}}
  ttng.tc_gen5_mma %a, %a, %d, %p, %p : !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<64x64xf32, #buf, #smem, mutable>
  tt.return
}

// -----
#buf = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>
tt.func @operand(%a: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, %b: !ttg.memdesc<64x64xf16, #plain, #smem, mutable>, %d: !ttg.memdesc<64x64xf32, #tmem, #ttng.tensor_memory, mutable>, %p: i1) {
  // expected-error @+1 {{b must have an nvmma_shared or shared_linear layout; got #ttg.swizzled_shared}}
  ttng.tc_gen5_mma %a, %b, %d, %p, %p : !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<64x64xf16, #plain, #smem, mutable>, !ttg.memdesc<64x64xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}

// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @descs(%b: !ttg.memdesc<1xi64, #bar, #smem, mutable>) {
  // expected-error @+1 {{takes at most 4 descs; got 5}}
  ttng.tc_gen5_commit %b descs %b, %b, %b, %b, %b : !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}
