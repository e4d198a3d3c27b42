// RUN: tlx-opt %s --tlx-decompose-scaled --verify-diagnostics

tt.func @six_bits(%a: tensor<32x64xi8>, %s: tensor<32x2xi8>, %b: tensor<64x32xf8E5M2>, %c: tensor<32x32xf32>) {
  // expected-error @+1 {{'tt.dot_scaled' of elements of 6 bits has no lowering}}
  %d = tt.dot_scaled %a scale %s, %b, %c lhs = e2m3 rhs = e5m2 {fastMath = false} : tensor<32x64xi8>, tensor<32x2xi8> * tensor<64x32xf8E5M2> -> tensor<32x32xf32>
  tt.return
}
