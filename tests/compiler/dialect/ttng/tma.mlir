// RUN: tlx-opt %s | FileCheck %s
// RUN: tlx-opt --mlir-print-op-generic %s | tlx-opt - | FileCheck %s
// RUN: tlx-opt --mlir-print-op-generic %s | FileCheck %s --check-prefix=GENERIC
// RUN: tlx-opt --ir-version=main %s | FileCheck %s --check-prefix=MAIN
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#buf = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// CHECK-LABEL: @loads
tt.func public @loads(%d: !tt.tensordesc<tensor<64x64xf16, #buf>>, %i: i32, %k: i32, %p: i1,
                      %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>,
                      %m: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>) {
  // CHECK: ttng.async_tma_copy_global_to_local %[[D:.*]][%[[I:.*]], %[[I]]] %[[M:.*]], %[[B:.*]], %[[P:.*]] : !tt.tensordesc<tensor<64x64xf16, #shared{{[0-9]*}}>>, !ttg.memdesc<1xi64, #shared{{[0-9]*}}, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared{{[0-9]*}}, #smem, mutable>
  // GENERIC: "ttng.async_tma_copy_global_to_local"({{.*}}) <{cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 0, 1, 2, 0, 1, 1, 1>, tensorMode = 0 : i32, two_cta = false}>
  // MAIN: : !tt.tensordesc<64x64xf16, #shared{{[0-9]*}}>, !ttg.memdesc<1xi64
  ttng.async_tma_copy_global_to_local %d[%i, %i] %m, %b, %p : !tt.tensordesc<tensor<64x64xf16, #buf>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x64xf16, #buf, #smem, mutable>
  // CHECK: ttng.async_tma_copy_global_to_local %[[D]][%[[I]], %[[I]]] %[[M]], %[[B]], %[[P]], %{{.*}} cacheModifier = ca evictionPolicy = evict_first {multicast, two_cta = true} :
  ttng.async_tma_copy_global_to_local %d[%i, %i] %m, %b, %p, %k cacheModifier = ca evictionPolicy = evict_first {multicast, two_cta = true} : !tt.tensordesc<tensor<64x64xf16, #buf>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x64xf16, #buf, #smem, mutable>
  // CHECK: ttng.async_tma_prefetch %[[D]][%[[I]], %[[I]]], %[[P]] evictionPolicy = evict_last :
  ttng.async_tma_prefetch %d[%i, %i], %p evictionPolicy = evict_last : !tt.tensordesc<tensor<64x64xf16, #buf>>
  // CHECK: ttng.prefetch_tensormap %[[D]] :
  ttng.prefetch_tensormap %d : !tt.tensordesc<tensor<64x64xf16, #buf>>
  tt.return
}

// Unit dimensions of the block may be dropped; integers lose their sign.
// CHECK-LABEL: @reduced_rank
tt.func public @reduced_rank(%d: !tt.tensordesc<tensor<1x64x64xsi16>>, %i: i32, %p: i1,
                             %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>,
                             %m: !ttg.memdesc<64x64xi16, #buf, #smem, mutable>) {
  // CHECK: ttng.async_tma_copy_global_to_local {{.*}} : !tt.tensordesc<tensor<1x64x64xsi16>>, {{.*}} -> !ttg.memdesc<64x64xi16
  ttng.async_tma_copy_global_to_local %d[%i, %i, %i] %m, %b, %p : !tt.tensordesc<tensor<1x64x64xsi16>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x64xi16, #buf, #smem, mutable>
  tt.return
}

// CHECK-LABEL: @im2col
tt.func public @im2col(%d: !ttng.tensordesc_im2col<tensor<64x64xf16>>, %e: !ttng.tensordesc_im2col<64x64xf16, #buf>,
                       %i: i32, %o: i16, %p: i1, %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>,
                       %m: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>) {
  // CHECK: offsets = [%{{.*}}, %{{.*}}] %{{.*}}, %{{.*}}, %{{.*}} tensorMode = im2col : !ttng.tensordesc_im2col<tensor<64x64xf16>>,
  // MAIN: !ttng.tensordesc_im2col<64x64xf16>,
  ttng.async_tma_copy_global_to_local %d[%i, %i, %i, %i] offsets = [%o, %o] %m, %b, %p tensorMode = im2col : !ttng.tensordesc_im2col<tensor<64x64xf16>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x64xf16, #buf, #smem, mutable>
  // CHECK: ttng.prefetch_tensormap %{{.*}} : !ttng.tensordesc_im2col<tensor<64x64xf16, #shared{{[0-9]*}}>>
  ttng.prefetch_tensormap %e : !ttng.tensordesc_im2col<64x64xf16, #buf>
  tt.return
}

// CHECK-LABEL: @stores
tt.func public @stores(%d: !tt.tensordesc<tensor<64x64xf16, #buf>>, %i: i32, %p: i1, %ptr: !tt.ptr<i8>,
                       %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %n: tensor<2x!nvws.token>,
                       %m: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>) {
  // CHECK: %[[T:.*]] = ttng.async_tma_copy_local_to_global %{{.*}}[{{.*}}] %{{.*}} evictionPolicy = evict_last : {{.*}} -> !ttg.async.token
  %t = ttng.async_tma_copy_local_to_global %d[%i, %i] %m evictionPolicy = evict_last : !tt.tensordesc<tensor<64x64xf16, #buf>>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable> -> !ttg.async.token
  // CHECK: {{^ *}}ttng.async_tma_copy_local_to_global %{{.*}}[{{.*}}] %{{.*}} : !tt.tensordesc<tensor<64x64xf16, #shared{{[0-9]*}}>>, !ttg.memdesc<64x64xf16, #shared{{[0-9]*}}, #smem, mutable>{{$}}
  ttng.async_tma_copy_local_to_global %d[%i, %i] %m : !tt.tensordesc<tensor<64x64xf16, #buf>>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>
  // CHECK: ttng.async_tma_reduce add, %{{.*}}[{{.*}}] %{{.*}} :
  // GENERIC: "ttng.async_tma_reduce"({{.*}}) <{evict = 1 : i32, kind = 1 : i32}>
  ttng.async_tma_reduce add, %d[%i, %i] %m : !tt.tensordesc<tensor<64x64xf16, #buf>>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>
  // CHECK: ttng.async_store %{{.*}}, %{{.*}}, %{{.*}} : !ttg.memdesc<64x64xf16, #shared{{[0-9]*}}, #smem, mutable>, !tt.ptr<i8>
  ttng.async_store %m, %ptr, %i : !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, !tt.ptr<i8>
  // CHECK: ttng.async_tma_store_wait {pendings = 1 : i32}
  ttng.async_tma_store_wait {pendings = 1 : i32}
  // CHECK: ttng.async_tma_store_wait {pendings = 0 : i32, read_only}
  ttng.async_tma_store_wait {pendings = 0 : i32, read_only}
  // CHECK: ttng.async_tma_store_token_wait %[[T]] : !ttg.async.token
  ttng.async_tma_store_token_wait %t   : !ttg.async.token
  // CHECK: ttng.async_tma_store_token_wait %[[T]] , %{{.*}}[%{{.*}}] nvws_token %{{.*}}[%{{.*}}] {a} : !ttg.async.token, !ttg.memdesc<1xi64, #shared{{[0-9]*}}, #smem, mutable>, tensor<2x!nvws.token>
  // GENERIC: "ttng.async_tma_store_token_wait"({{.*}}) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}> {a}
  ttng.async_tma_store_token_wait %t , %b[%p]  nvws_token %n[%i] {a} : !ttg.async.token, !ttg.memdesc<1xi64, #bar, #smem, mutable>, tensor<2x!nvws.token>
  tt.return
}

// CHECK-LABEL: @rows
tt.func public @rows(%d: !tt.tensordesc<tensor<1x64xf16>>, %x: tensor<64xi32, #rows>, %i: i32, %p: i1,
                     %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>,
                     %m: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>) {
  // CHECK: ttng.async_tma_gather %{{.*}}[%{{.*}}, %{{.*}}] %{{.*}}, %{{.*}}, %{{.*}} : !tt.tensordesc<tensor<1x64xf16>>, tensor<64xi32, #blocked>, i32, !ttg.memdesc<1xi64, #shared{{[0-9]*}}, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared{{[0-9]*}}, #smem, mutable>, i1
  ttng.async_tma_gather %d[%x, %i] %m, %b, %p : !tt.tensordesc<tensor<1x64xf16>>, tensor<64xi32, #rows>, i32, !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, i1
  // CHECK: ttng.async_tma_scatter %{{.*}}[%{{.*}}, %{{.*}}] %{{.*}} : !tt.tensordesc<tensor<1x64xf16>>, tensor<64xi32, #blocked>, i32, !ttg
  ttng.async_tma_scatter %d[%x, %i] %m : !tt.tensordesc<tensor<1x64xf16>>, tensor<64xi32, #rows>, i32, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>
  tt.return
}

// CHECK-LABEL: @descriptors
tt.func public @descriptors(%p: !tt.ptr<i8>, %g: !tt.ptr<f16>, %i: i32, %s: i64, %pt: tensor<64x!tt.ptr<f16>>,
                            %k: tensor<64xi1>) {
  // CHECK: ttng.tensormap_create %{{.*}}, %{{.*}}, [%[[I:.*]], %[[I]]], [%[[I]], %[[I]]], [%[[S:.*]]], [%[[I]], %[[I]]] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
  ttng.tensormap_create %p, %g, [%i, %i], [%i, %i], [%s], [%i, %i] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
  // CHECK: ttng.tensormap_fenceproxy_acquire %{{.*}} : !tt.ptr<i8>
  ttng.tensormap_fenceproxy_acquire %p : !tt.ptr<i8>
  // CHECK: ttng.reinterpret_tensor_descriptor %{{.*}} : !tt.ptr<i8> to !tt.tensordesc<tensor<64x64xf16, #shared{{[0-9]*}}>>
  %d = ttng.reinterpret_tensor_descriptor %p : !tt.ptr<i8> to !tt.tensordesc<64x64xf16, #buf>
  // cg is the default.
  // CHECK: ttng.prefetch %{{.*}} : tensor<64x!tt.ptr<f16>>
  ttng.prefetch %pt cacheModifier = cg : tensor<64x!tt.ptr<f16>>
  // CHECK: ttng.prefetch %{{.*}}, %{{.*}} cacheModifier = ca : tensor<64x!tt.ptr<f16>>, tensor<64xi1>
  ttng.prefetch %pt, %k cacheModifier = ca : tensor<64x!tt.ptr<f16>>, tensor<64xi1>
  tt.return
}
