// Errors of passes name the place in the file, as all errors do.
// RUN: not tlx-opt %s --tlx-ingest --num-warps 3 2>&1 | FileCheck %s --check-prefix=WARPS
// RUN: not tlx-opt %s --tlx-ingest --target cuda:100 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not tlx-opt %s --tlx-ingest --cluster 2,1 2>&1 | FileCheck %s --check-prefix=CLUSTER

// WARPS: tlx-fixup-launch-errors.mlir:[[@LINE+4]]:1: error: needs a number of warps that is a power of two; got 3
// TARGET: tlx-fixup-launch-errors.mlir:[[@LINE+3]]:1: error: the module is for target cuda:90, the launch for cuda:100
// CLUSTER: error: --cluster must be three positive sizes x,y,z

module attributes {ttg.target = "cuda:90"} {
  tt.func @k() {
    tt.return
  }
}
