// RUN: tlx-opt %s | FileCheck %s
// RUN: tlx-opt --mlir-print-op-generic %s | FileCheck %s --check-prefix=GENERIC
module {
  // CHECK: ttg.barrier local
  // GENERIC: addrSpace = 1 : i32
  ttg.barrier local
  // CHECK: ttg.barrier local|global_read
  // GENERIC: addrSpace = 3 : i32
  ttg.barrier global_read|local
  // CHECK: ttg.barrier all
  "ttg.barrier"() {addrSpace = 31 : i32} : () -> ()
  // CHECK: ttg.barrier none
  ttg.barrier none
}
