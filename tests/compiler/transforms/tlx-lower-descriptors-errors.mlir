// RUN: tlx-opt %s --tlx-descriptor-layouts --tlx-lower-descriptors --split-input-file --verify-diagnostics

tt.func public @several(%a: !tt.tensordesc<tensor<64x32xf16>>, %i: i32) -> tensor<64x32xf16> {
  // expected-error @+1 {{'tt.descriptor_load' to several CTAs has no lowering}}
  %t = tt.descriptor_load %a[%i, %i] {multicast = true} : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
  tt.return %t : tensor<64x32xf16>
}

// -----

tt.func public @bits(%base: !tt.ptr<i1>, %n: i32, %s: i64) {
  // expected-error @+1 {{'tt.make_tensor_descriptor': TMA knows no such elements}}
  %d = tt.make_tensor_descriptor %base, [%n], [%s] : !tt.ptr<i1>, !tt.tensordesc<tensor<64xi1>>
  tt.return
}
