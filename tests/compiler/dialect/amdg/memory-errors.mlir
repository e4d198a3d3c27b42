// RUN: tlx-opt --verify-diagnostics --split-input-file %s
tt.func @pointee(%p: !tt.ptr<f32>, %o: tensor<64xi32>) {
  // expected-error @+1 {{result element type matches the pointed type of ptr}}
  %a = "amdg.buffer_load"(%p, %o) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}> : (!tt.ptr<f32>, tensor<64xi32>) -> tensor<64xf16>
  tt.return
}

// -----
tt.func @offsets(%p: !tt.ptr<f16>, %o: tensor<32xi32>) {
  // expected-error @+1 {{offsets are i32 of the shape of result}}
  %a = "amdg.buffer_load"(%p, %o) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}> : (!tt.ptr<f16>, tensor<32xi32>) -> tensor<64xf16>
  tt.return
}

// -----
tt.func @contiguity(%p: !tt.ptr<f16>, %o: tensor<64xi32>, %x: tensor<64xf16>) {
  // expected-error @+1 {{contiguity must be at least 1; got 0}}
  amdg.buffer_store %x, %p[%o] {contiguity = 0 : i32} : tensor<64xf16>
  tt.return
}

// -----
#buf = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {ttg.target = "hip:gfx90a"} {
  tt.func @target(%p: !tt.ptr<f16>, %o: tensor<64xi32>, %m: !ttg.memdesc<64xf16, #buf, #smem, mutable>) {
    // expected-error @+1 {{is not supported by target "hip:gfx90a"}}
    %t = amdg.buffer_load_to_local %p[%o] into %m : <f16>[tensor<64xi32>] -> <64xf16, #buf, #smem, mutable>
    tt.return
  }
}

// -----
#buf = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @immutable(%p: !tt.ptr<f16>, %o: tensor<64xi32>, %m: !ttg.memdesc<64xf16, #buf, #smem>) {
  // expected-error @+1 {{writes a buffer that is not mutable}}
  %t = amdg.buffer_load_to_local %p[%o] into %m : <f16>[tensor<64xi32>] -> <64xf16, #buf, #smem>
  tt.return
}

// -----
#buf = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @transposed(%m: !ttg.memdesc<64xf16, #buf, #smem, mutable>) {
  // expected-error @+1 {{result must have a dot_op layout}}
  %l = amdg.local_load_packed_tranposed %m : !ttg.memdesc<64xf16, #buf, #smem, mutable> -> tensor<64xf16>
  tt.return
}
