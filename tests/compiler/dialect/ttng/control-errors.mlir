// RUN: tlx-opt --verify-diagnostics --split-input-file %s
tt.func @vote(%m: i32, %q: tensor<64xi1>) {
  // expected-error @+1 {{predicate and result must both be scalars or both be tensors}}
  %b = ttng.vote_ballot_sync %m, %q : tensor<64xi1> -> i32
  tt.return
}

// -----
tt.func @shape(%m: i32, %q: tensor<64xi1>) {
  // expected-error @+1 {{predicate and result must have the same shape and layout}}
  %b = ttng.vote_ballot_sync %m, %q : tensor<64xi1> -> tensor<32xi32>
  tt.return
}

// -----
tt.func @arity(%x: tensor<64xf16>) {
  // expected-error @+1 {{needs 3 operands; got 2}}
  %c = ttng.packed_arith fma %x, %x : (tensor<64xf16>, tensor<64xf16>) -> tensor<64xf16>
  tt.return
}

// -----
tt.func @tiles(%m: i32) {
  // expected-error @+1 {{cannot divide 1 per-tile arguments among 2 tiles}}
  ttng.subtiled_region per_tile(%m : i32) {numTiles = 2 : i32} tile(%i: i32) {
    ttng.subtiled_region_yield
  }
  tt.return
}

// -----
tt.func @results(%m: i32) {
  // expected-error @+1 {{body yields 1 values for each of 2 tiles, but the op has 1 results}}
  %r = ttng.subtiled_region per_tile(%m, %m : i32, i32) {numTiles = 2 : i32} tile(%i: i32) {
    ttng.subtiled_region_yield %i : i32
  } -> (i32)
  tt.return
}
