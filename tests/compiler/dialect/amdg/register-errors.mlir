// RUN: tlx-opt --verify-diagnostics --split-input-file %s
tt.func @slice(%x: tensor<256x128xf16>) {
  // expected-error @+1 {{slice from 128 of size 64 exceeds dimension 1 of size 128}}
  %e = amdg.extract_slice %x [0, 128] : tensor<256x128xf16> to tensor<256x64xf16>
  tt.return
}

// -----
tt.func @rank(%x: tensor<256x128xf16>) {
  // expected-error @+1 {{needs a source, a result and offsets of one rank; got 2, 2 and 1}}
  %e = amdg.extract_slice %x [0] : tensor<256x128xf16> to tensor<256x64xf16>
  tt.return
}

// -----
tt.func @concat(%x: tensor<256x64xf16>) {
  // expected-error @+1 {{needs 1 sources; got 2}}
  %e = amdg.concat %x, %x : tensor<256x64xf16>, tensor<256x64xf16> -> tensor<256x64xf16>
  tt.return
}

// -----
tt.func @narrow(%x: i8) {
  // expected-error @+1 {{needs an i32, i64, float or pointer scalar; got 'i8'}}
  %e = amdg.assume_uniform %x : i8
  tt.return
}

// -----
tt.func @fp4(%x: tensor<64x64xi8>, %s: tensor<64x64xbf16>) {
  // expected-error @+1 {{dimension 1 of the result must be 128; got 64}}
  %e = amdg.scaled_upcast_fp4 %x scale %s {axis = 1 : i32} : tensor<64x64xi8>, tensor<64x64xbf16> -> tensor<64x64xbf16>
  tt.return
}

// -----
tt.func @range(%i: i32) {
  // expected-error @+1 {{result must have rank 1 and size 56 (end - start); got 'tensor<64xi32>'}}
  %r = amdg.rematerialized_range 8 to 64 identity 1 at %i : tensor<64xi32>
  tt.return
}

// -----
tt.func @class(%x: tensor<32xf32>) {
  // expected-error @+1 {{register class must be agpr or vgpr; got sgpr}}
  %r = amdg.register_handoff %x class "sgpr" : tensor<32xf32>
  tt.return
}

// -----
tt.func @groups(%x: tensor<32xf32>) {
  // expected-error @+1 {{groups must be a power of two up to 32; got 3}}
  %r = amdg.register_resident %x class "agpr" groups 3 : tensor<32xf32>
  tt.return
}

// -----
tt.func @commit(%x: tensor<32xf16>) {
  // expected-error @+1 {{needs at least one f32 input}}
  %r = amdg.mfma_commit %x : tensor<32xf16>
  tt.return
}

// -----
tt.func @product(%a: tensor<32x16xf16>, %b: tensor<32x32xf16>, %c: tensor<32x32xf32>) {
  // expected-error @+1 {{shapes do not make a product}}
  %d = amdg.scheduled_mfma %a, %b, %c resident "none" accumulator "transient" register_class "auto" initialize true : tensor<32x16xf16>, tensor<32x32xf16>, tensor<32x32xf32> -> tensor<32x32xf32>
  tt.return
}
