// RUN: not tlx-opt %s 2>&1 | FileCheck %s
// CHECK: unknown-operation.mlir:[[#@LINE+2]]:{{[0-9]+}}: error: unknown operation 'nosuch.op'
module {
  "nosuch.op"() : () -> ()
}
