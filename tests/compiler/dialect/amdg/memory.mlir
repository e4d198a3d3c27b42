// RUN: tlx-opt %s | FileCheck %s
// RUN: tlx-opt --mlir-print-op-generic %s | tlx-opt - | FileCheck %s
// RUN: tlx-opt --mlir-print-op-generic %s | FileCheck %s --check-prefix=GENERIC
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#buf = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory

// CHECK-LABEL: @buffer
tt.func public @buffer(%p: !tt.ptr<f16>, %o: tensor<64x64xi32, #blocked>, %k: tensor<64x64xi1, #blocked>,
                       %x: tensor<64x64xf16, #blocked>, %s: i32, %m: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>) {
  // CHECK: amdg.buffer_load %[[P:.*]][%[[O:.*]]] : tensor<64x64xf16, #blocked>
  // GENERIC: "amdg.buffer_load"(%{{.*}}, %{{.*}}) <{cache = 1 : i32, contiguity = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}>
  %a = amdg.buffer_load %p[%o] : tensor<64x64xf16, #blocked>
  // CHECK: amdg.buffer_load %[[P]][%[[O]]], %[[K:.*]], %[[X:.*]] cacheModifier = ca stride = %[[S:.*]] {contiguity = 4 : i32, tlx.preserve_layout} : tensor<64x64xf16, #blocked>
  %b = amdg.buffer_load %p[%o], %k, %x cacheModifier = ca stride = %s {contiguity = 4 : i32, tlx.preserve_layout} : tensor<64x64xf16, #blocked>
  // CHECK: amdg.buffer_load_to_local %[[P]][%[[O]]] into %[[M:.*]] : <f16>[tensor<64x64xi32, #blocked>] -> <64x64xf16, #shared, #smem, mutable>
  // GENERIC: "amdg.buffer_load_to_local"(%{{.*}}, %{{.*}}, %{{.*}}) <{cache = 1 : i32, contiguity = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}>
  %t0 = amdg.buffer_load_to_local %p[%o] into %m : <f16>[tensor<64x64xi32, #blocked>]  -> <64x64xf16, #buf, #smem, mutable>
  // CHECK: amdg.buffer_load_to_local %[[P]][%[[O]]] mask = %[[K]] other = %[[X]] stride = %[[S]] cacheModifier = ca into %[[M]] {contiguity = 8 : i32} : <f16>[tensor<64x64xi32, #blocked>] tensor<64x64xf16, #blocked> -> <64x64xf16, #shared, #smem, mutable>
  %t1 = amdg.buffer_load_to_local %p[%o] mask = %k other = %x stride = %s cacheModifier = ca into %m {contiguity = 8 : i32} : !tt.ptr<f16>[tensor<64x64xi32, #blocked>] tensor<64x64xf16, #blocked> -> !ttg.memdesc<64x64xf16, #buf, #smem, mutable>
  // CHECK: amdg.buffer_store %[[X]], %[[P]][%[[O]]], %[[K]] cacheModifier = cs stride = %[[S]] : tensor<64x64xf16, #blocked>
  amdg.buffer_store %x, %p[%o], %k cacheModifier = cs stride = %s : tensor<64x64xf16, #blocked>
  // CHECK: amdg.buffer_atomic_rmw fadd, acq_rel, gpu, %[[X]], %[[P]][%[[O]]], %[[K]] stride = %[[S]] : tensor<64x64xf16, #blocked>
  %r = amdg.buffer_atomic_rmw fadd, acq_rel, gpu, %x, %p[%o], %k stride = %s : tensor<64x64xf16, #blocked>
  // main has a contiguity, 3.7.4 has none.
  // CHECK: amdg.buffer_atomic_rmw fadd, relaxed, cta, %[[X]], %[[P]][%[[O]]] {contiguity = 2 : i32} : tensor<64x64xf16, #blocked>
  %q = amdg.buffer_atomic_rmw fadd, relaxed, cta, %x, %p[%o] {contiguity = 2 : i32} : tensor<64x64xf16, #blocked>
  // CHECK: amdg.buffer_atomic_rmw fadd, acq_rel, gpu, %[[X]], %[[P]][%[[O]]] : tensor<64x64xf16, #blocked>
  %u = "amdg.buffer_atomic_rmw"(%p, %o, %x) <{atomic_rmw_op = 5 : i32, sem = 4 : i32, scope = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!tt.ptr<f16>, tensor<64x64xi32, #blocked>, tensor<64x64xf16, #blocked>) -> tensor<64x64xf16, #blocked>
  // CHECK: amdg.buffer_atomic_cas acq_rel, gpu, %[[X]], %[[X]], %[[P]][%[[O]]] stride = %[[S]] : tensor<64x64xf16, #blocked>
  %c = amdg.buffer_atomic_cas acq_rel, gpu, %x, %x, %p[%o] stride = %s : tensor<64x64xf16, #blocked>
  tt.return
}

// CHECK-LABEL: @scalars
tt.func public @scalars(%p: !llvm.ptr<1>, %k: i1, %f: f32, %c: i16) {
  // CHECK: amdg.masked_load %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} cacheModifier = ca forceNoAlias true : (!llvm.ptr<1>, i1, f32, i16) -> f32
  %a = amdg.masked_load %p, %k, %f, %c cacheModifier = ca forceNoAlias true : (!llvm.ptr<1>, i1, f32, i16) -> f32
  // CHECK: amdg.masked_store %{{.*}}, %{{.*}}, %{{.*}} : !llvm.ptr<1>, f32, i1
  amdg.masked_store %p, %f, %k : !llvm.ptr<1>, f32, i1
  tt.return
}

// CHECK-LABEL: @local
tt.func public @local(%m: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, %pt: tensor<64x64x!tt.ptr<f16>, #blocked>,
                      %k: tensor<64x64xi1, #blocked>) {
  // CHECK: amdg.async_copy_local_to_global %{{.*}}, %{{.*}} mask %{{.*}} cacheModifier = cs evictionPolicy = evict_first : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64x!tt.ptr<f16>, #blocked>
  %t = amdg.async_copy_local_to_global %m, %pt mask %k cacheModifier = cs evictionPolicy = evict_first : !ttg.memdesc<64x64xf16, #buf, #smem, mutable> -> tensor<64x64x!tt.ptr<f16>, #blocked>
  // CHECK: amdg.local_load_packed_tranposed %{{.*}} token %{{.*}} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #ttg.dot_op
  %l = amdg.local_load_packed_tranposed %m token %t : !ttg.memdesc<64x64xf16, #buf, #smem, mutable> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>
  tt.return
}
