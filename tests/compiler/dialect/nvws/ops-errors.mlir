// RUN: tlx-opt --verify-diagnostics --split-input-file %s
tt.func @warps() {
  // expected-error @+1 {{number of warps must be a power of two; got 3}}
  nvws.warp_group
  partition0 num_warps(3) {
    nvws.warp_group.return
  }
  tt.return
}

// -----
tt.func @results() {
  // expected-error @+1 {{needs a region that yields its results}}
  %r = nvws.warp_group
  partition0 num_warps(4) {
    nvws.warp_group.return
  } -> i32
  tt.return
}

// -----
#buf = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
tt.func @enter(%a: !nvws.aref<[!ttg.memdesc<3x64x64xf16, #buf, #smem, mutable>]>, %i: i32) {
  // expected-error @+1 {{needs both stage and phase, or neither}}
  %b, %t = "nvws.aref.get.enter"(%a, %i) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!nvws.aref<[!ttg.memdesc<3x64x64xf16, #buf, #smem, mutable>]>, i32) -> (!ttg.memdesc<64x64xf16, #buf, #smem, mutable>, !ttg.async.token)
  tt.return
}
