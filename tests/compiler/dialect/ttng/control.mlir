// RUN: tlx-opt %s | FileCheck %s
// RUN: tlx-opt --mlir-print-op-generic %s | tlx-opt - | FileCheck %s

// CHECK-LABEL: @control
tt.func public @control(%m: i32, %p: i1, %q: tensor<64xi1>, %x: tensor<64xf16>) {
  // CHECK: ttng.vote_ballot_sync %{{.*}}, %{{.*}} : i1 -> i32
  %a = ttng.vote_ballot_sync %m, %p : i1 -> i32
  // CHECK: ttng.vote_ballot_sync %{{.*}}, %{{.*}} : tensor<64xi1> -> tensor<64xi32>
  %b = ttng.vote_ballot_sync %m, %q : tensor<64xi1> -> tensor<64xi32>
  // CHECK: ttng.packed_arith fma %{{.*}}, %{{.*}}, %{{.*}} : (tensor<64xf16>, tensor<64xf16>, tensor<64xf16>) -> tensor<64xf16>
  %c = ttng.packed_arith fma %x, %x, %x : (tensor<64xf16>, tensor<64xf16>, tensor<64xf16>) -> tensor<64xf16>
  // CHECK: %{{.*}}:2 = ttng.subtiled_region per_tile(%{{.*}}, %{{.*}} : i32, i32) shared(%{{.*}} : tensor<64xf16>) {numTiles = 2 : i32} tile(%[[I:.*]]: i32, %{{.*}}: tensor<64xf16>, %{{.*}}: i32) {
  // CHECK-NEXT: ttng.subtiled_region_yield %[[I]] : i32
  // CHECK-NEXT: } -> (i32, i32)
  %r:2 = ttng.subtiled_region per_tile(%m, %m : i32, i32) shared(%x : tensor<64xf16>) {numTiles = 2 : i32} tile(%i: i32, %t: tensor<64xf16>, %index: i32) {
    ttng.subtiled_region_yield %i : i32
  } -> (i32, i32)
  // CHECK: %{{.*}} = ttng.subtiled_region per_tile(%{{.*}} : i32)
  // CHECK: } -> (i32)
  %one = ttng.subtiled_region per_tile(%m : i32) {numTiles = 1 : i32} tile(%i: i32) {
    ttng.subtiled_region_yield %i : i32 {foo}
  } -> (i32)
  // 3.7.4 names the body's arguments in a block header.
  // CHECK: ttng.subtiled_region per_tile(%{{.*}} : i32) {numTiles = 1 : i32} tile(%{{.*}}: i32) {
  ttng.subtiled_region per_tile(%m : i32) {numTiles = 1 : i32} tile {
  ^bb0(%i: i32):
    ttng.subtiled_region_yield
  }
  tt.return
}
