// RUN: tlx-opt %s --tlx-merge-reads | FileCheck %s

#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// CHECK-LABEL: @across_another_memory
// CHECK: %[[X:.*]] = tt.load
// CHECK-NOT: tt.load
// CHECK: tt.return %[[X]], %[[X]]
tt.func @across_another_memory(%p: !tt.ptr<f32>, %v: tensor<64x64xf16>, %m: !ttg.memdesc<64x64xf16, #nv, #smem, mutable>) -> (f32, f32) {
  %0 = tt.load %p : !tt.ptr<f32>
  ttg.local_store %v, %m : tensor<64x64xf16> -> !ttg.memdesc<64x64xf16, #nv, #smem, mutable>
  %1 = tt.load %p : !tt.ptr<f32>
  tt.return %0, %1 : f32, f32
}

// CHECK-LABEL: @not_across_a_write
// CHECK-COUNT-2: tt.load
tt.func @not_across_a_write(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %v: f32) -> (f32, f32) {
  %0 = tt.load %p : !tt.ptr<f32>
  tt.store %q, %v : !tt.ptr<f32>
  %1 = tt.load %p : !tt.ptr<f32>
  tt.return %0, %1 : f32, f32
}

// After a write the later read is the one to merge with.
// CHECK-LABEL: @with_the_latest
// CHECK: tt.load
// CHECK: tt.store
// CHECK: %[[X:.*]] = tt.load
// CHECK-NOT: tt.load
// CHECK: tt.return %{{.*}}, %[[X]], %[[X]]
tt.func @with_the_latest(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %v: f32) -> (f32, f32, f32) {
  %0 = tt.load %p : !tt.ptr<f32>
  tt.store %q, %v : !tt.ptr<f32>
  %1 = tt.load %p : !tt.ptr<f32>
  %2 = tt.load %p : !tt.ptr<f32>
  tt.return %0, %1, %2 : f32, f32, f32
}

// An mbarrier is shared memory: reads of global memory move across, those of
// shared memory do not.
// CHECK-LABEL: @mbarriers_are_shared_memory
// CHECK: tt.load
// CHECK: ttg.local_load
// CHECK: ttng.wait_barrier
// CHECK-NOT: tt.load
// CHECK: ttg.local_load
tt.func @mbarriers_are_shared_memory(%p: !tt.ptr<f32>, %b: !ttg.memdesc<1xi64, #shared, #smem, mutable>, %ph: i32, %m: !ttg.memdesc<64x64xf16, #nv, #smem, mutable>) -> (f32, f32, tensor<64x64xf16>, tensor<64x64xf16>) {
  %0 = tt.load %p : !tt.ptr<f32>
  %2 = ttg.local_load %m : !ttg.memdesc<64x64xf16, #nv, #smem, mutable> -> tensor<64x64xf16>
  ttng.wait_barrier %b, %ph : !ttg.memdesc<1xi64, #shared, #smem, mutable>
  %1 = tt.load %p : !tt.ptr<f32>
  %3 = ttg.local_load %m : !ttg.memdesc<64x64xf16, #nv, #smem, mutable> -> tensor<64x64xf16>
  tt.return %0, %1, %2, %3 : f32, f32, tensor<64x64xf16>, tensor<64x64xf16>
}

// CHECK-LABEL: @not_across_a_barrier_over_threads
// CHECK-COUNT-3: tt.load
tt.func @not_across_a_barrier_over_threads(%p: !tt.ptr<f32>, %id: i32) -> (f32, f32, f32) {
  %0 = tt.load %p : !tt.ptr<f32>
  ttg.barrier all
  %1 = tt.load %p : !tt.ptr<f32>
  ttng.wait_barrier_named %id, %id : i32, i32
  %2 = tt.load %p : !tt.ptr<f32>
  tt.return %0, %1, %2 : f32, f32, f32
}

// CHECK-LABEL: @volatile_reads_stay
// CHECK-COUNT-2: tt.load
tt.func @volatile_reads_stay(%p: !tt.ptr<f32>) -> (f32, f32) {
  %0 = tt.load %p {isVolatile = true} : !tt.ptr<f32>
  %1 = tt.load %p {isVolatile = true} : !tt.ptr<f32>
  tt.return %0, %1 : f32, f32
}
