// RUN: tlx-opt --effects %s | FileCheck %s
// What `--effects` prints, and a sample of each op that no other file of the tests or kernels holds:
// docs/reference/operations.md is made from them.
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#buf = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#line = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @global(%p: tensor<4x!tt.ptr<i32>>, %a: tensor<4xi32>, %base: !tt.ptr<f16>, %n: i32, %s: i64,
                       %d: !tt.tensordesc<tensor<8x16xf16>>, %g: !tt.tensordesc<tensor<1x16xf16>>, %t: tensor<8x16xf16>,
                       %rows: tensor<8xi32>) {
  // CHECK: effects.mlir:[[# @LINE + 1]]:{{[0-9]+}} tt.atomic_cas read global memory, generic proxy; write global memory, generic proxy load-store, 4 elements
  %0 = tt.atomic_cas acq_rel, gpu, %p, %a, %a : (tensor<4x!tt.ptr<i32>>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK: tt.make_tensor_descriptor
  %1 = tt.make_tensor_descriptor %base, [%n, %n], [%s, %s] : !tt.ptr<f16>, !tt.tensordesc<tensor<8x16xf16>>
  // CHECK: tt.descriptor_gather {{.*}}read global memory
  %2 = tt.descriptor_gather %g[%rows, %n] : (!tt.tensordesc<tensor<1x16xf16>>, tensor<8xi32>, i32) -> tensor<8x16xf16>
  // CHECK: tt.descriptor_scatter {{.*}}write global memory
  tt.descriptor_scatter %g[%rows, %n], %t : !tt.tensordesc<tensor<1x16xf16>>, tensor<8xi32>, i32, tensor<8x16xf16>
  // CHECK: tt.descriptor_store {{.*}}write global memory
  tt.descriptor_store %d[%n, %n], %t : !tt.tensordesc<tensor<8x16xf16>>, tensor<8x16xf16>
  // CHECK: tt.descriptor_reduce {{.*}}write global memory
  tt.descriptor_reduce add, %d[%n, %n], %t : !tt.tensordesc<tensor<8x16xf16>>, tensor<8x16xf16>
  // An op without any has no line.
  // CHECK-NOT: tt.splat
  %3 = tt.splat %n : i32 -> tensor<4xi32>
  tt.return
}

tt.func public @shared(%m: !ttg.memdesc<32x32xf32, #buf, #smem, mutable>, %v: !ttg.memdesc<64xf32, #line, #smem, mutable>,
                       %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %at: tensor<32x32xi32>, %i: tensor<64xi32>,
                       %t: tensor<64xf32>, %x: tensor<32x32xf32>, %rank: i32) {
  // CHECK: ttg.local_alloc {{.*}}write shared memory, generic proxy
  %0 = ttg.local_alloc %x : (tensor<32x32xf32>) -> !ttg.memdesc<32x32xf32, #buf, #smem>
  // CHECK: ttg.local_gather {{.*}}read shared memory, generic proxy
  %1 = ttg.local_gather %m[%at] {axis = 0 : i32} : !ttg.memdesc<32x32xf32, #buf, #smem, mutable>, tensor<32x32xi32> -> tensor<32x32xf32>
  // CHECK: ttg.local_scatter {{.*}}write shared memory, generic proxy
  ttg.local_scatter %v[%i], %t {axis = 0 : i32} : !ttg.memdesc<64xf32, #line, #smem, mutable>, tensor<64xi32>, tensor<64xf32>
  // CHECK: ttg.local_atomic_scatter_rmw {{.*}}read shared memory, generic proxy; write shared memory, generic proxy
  %2 = ttg.local_atomic_scatter_rmw fadd, %v[%i], %t {axis = 0 : i32} : (!ttg.memdesc<64xf32, #line, #smem, mutable>, tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  // CHECK: ttg.remote_shmem_store {{.*}}in another CTA
  ttg.remote_shmem_store %t, rank %rank, %v : tensor<64xf32> -> !ttg.memdesc<64xf32, #line, #smem, mutable>
  // CHECK: ttg.async_remote_shmem_copy {{.*}}in another CTA
  ttg.async_remote_shmem_copy %v, rank %rank, %v barrier %b : !ttg.memdesc<64xf32, #line, #smem, mutable> -> !ttg.memdesc<64xf32, #line, #smem, mutable> barrier_ty !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // CHECK: ttng.async_shared_store {{.*}}signalled by an mbarrier
  ttng.async_shared_store %t, %v, %b : tensor<64xf32> -> !ttg.memdesc<64xf32, #line, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}
