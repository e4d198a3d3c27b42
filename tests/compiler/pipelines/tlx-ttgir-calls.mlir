// RUN: tlx-compile %s --target cuda:90 --num-warps 4 --emit ttgir | FileCheck %s

// A helper that the front end keeps apart becomes part of the kernel.
// CHECK-NOT: tt.call
// CHECK-NOT: tt.func private
// CHECK: tt.func public @kernel(%[[X:.*]]: !tt.ptr<f32>)
// CHECK: tt.store %[[X]], %{{.*}} : !tt.ptr<f32>
module {
  tt.func public @kernel(%x: !tt.ptr<f32>) {
    tt.call @helper(%x) : (!tt.ptr<f32>) -> ()
    tt.return
  }
  tt.func private @helper(%x: !tt.ptr<f32>) attributes {noinline = true} {
    %one = arith.constant 1.0 : f32
    tt.store %x, %one : !tt.ptr<f32>
    tt.return
  }
}
