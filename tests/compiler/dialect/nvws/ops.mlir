// RUN: tlx-opt %s | FileCheck %s
// RUN: tlx-opt --mlir-print-op-generic %s | tlx-opt - | FileCheck %s
// RUN: tlx-opt --mlir-print-op-generic %s | FileCheck %s --check-prefix=GENERIC
#buf = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// CHECK-LABEL: @tokens
tt.func public @tokens(%i: i32, %p: i1) {
  // CHECK: %[[N:.*]] = nvws.create_token {loadType = 1 : i32, numBuffers = 3 : i32} : tensor<3x!nvws.token>
  %n = nvws.create_token {loadType = 1 : i32, numBuffers = 3 : i32} : tensor<3x!nvws.token>
  // CHECK: nvws.producer_acquire %[[N]], %{{.*}}, %{{.*}} {constraints = {a = 1 : i32}} : tensor<3x!nvws.token>, i32, i1
  nvws.producer_acquire %n, %i, %p {constraints = {a = 1 : i32}} : tensor<3x!nvws.token>, i32, i1
  // CHECK: nvws.producer_commit %[[N]], %{{.*}} : tensor<3x!nvws.token>, i32
  nvws.producer_commit %n, %i : tensor<3x!nvws.token>, i32
  // CHECK: nvws.consumer_wait %[[N]], %{{.*}}, %{{.*}} : tensor<3x!nvws.token>, i32, i1
  nvws.consumer_wait %n, %i, %p : tensor<3x!nvws.token>, i32, i1
  // CHECK: nvws.consumer_release %[[N]], %{{.*}} : tensor<3x!nvws.token>, i32
  nvws.consumer_release %n, %i : tensor<3x!nvws.token>, i32
  tt.return
}

// CHECK-LABEL: @arefs
tt.func public @arefs(%m: !ttg.memdesc<3x64x64xf16, #buf, #smem, mutable>, %i: i32, %d: !tt.tensordesc<tensor<64x64xf16>>) {
  // CHECK: %[[A:.*]] = nvws.aref.create %{{.*}}, %{{.*}} : <[!ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>]>
  %a = nvws.aref.create %m, %m : !nvws.aref<[!ttg.memdesc<3x64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<3x64x64xf16, #buf, #smem, mutable>]>
  // CHECK: %[[B:.*]]:2, %[[T:.*]] = nvws.aref.put.enter %[[A]][%{{.*}}, %{{.*}}] : <[{{.*}}]> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, !ttg.async.token
  // GENERIC: "nvws.aref.put.enter"({{.*}}) <{operandSegmentSizes = array<i32: 1, 1, 1>}>
  %b:2, %t = nvws.aref.put.enter %a[%i, %i] : <[!ttg.memdesc<3x64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<3x64x64xf16, #buf, #smem, mutable>]> -> !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, !ttg.async.token
  // CHECK: nvws.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] 8192 %[[B]]#0 cacheModifier = ca : !tt.tensordesc<tensor<64x64xf16>>, i32, i32, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  nvws.descriptor_load %d[%i, %i] 8192 %b#0 cacheModifier = ca : !tt.tensordesc<tensor<64x64xf16>>, i32, i32, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>
  // CHECK: nvws.aref.put.exit %[[A]][%{{.*}}], %[[T]] [#nvws.async_op<tma_load>, #nvws.async_op<none>] : <[
  nvws.aref.put.exit %a[%i], %t [#nvws.async_op<tma_load>, #nvws.async_op<none>] : <[!ttg.memdesc<3x64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<3x64x64xf16, #buf, #smem, mutable>]>, !ttg.async.token
  // CHECK: %{{.*}}:2, %[[G:.*]] = nvws.aref.get.enter %[[A]] : <[
  %c:2, %g = nvws.aref.get.enter %a : <[!ttg.memdesc<3x64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<3x64x64xf16, #buf, #smem, mutable>]> -> !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, !ttg.async.token
  // CHECK: %{{.*}}:2 = nvws.aref.buffer %[[A]], %[[G]] : <[{{.*}}]>, !ttg.async.token -> !ttg.memdesc
  %e:2 = nvws.aref.buffer %a, %g : <[!ttg.memdesc<3x64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<3x64x64xf16, #buf, #smem, mutable>]>, !ttg.async.token -> !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>
  // CHECK: nvws.aref.get.exit %[[A]], %[[G]] [#nvws.async_op<tc5mma>] :
  nvws.aref.get.exit %a, %g [#nvws.async_op<tc5mma>] : <[!ttg.memdesc<3x64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<3x64x64xf16, #buf, #smem, mutable>]>, !ttg.async.token
  tt.return
}

// CHECK-LABEL: @gather
tt.func public @gather(%d: !tt.tensordesc<tensor<1x64xf16>>, %x: tensor<64xi32>, %i: i32, %m: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>) {
  // CHECK: nvws.descriptor_gather %{{.*}}[%{{.*}}, %{{.*}}] 8192 %{{.*}} : !tt.tensordesc<tensor<1x64xf16>>, tensor<64xi32>, i32, !ttg.memdesc
  nvws.descriptor_gather %d[%x, %i] 8192 %m : !tt.tensordesc<tensor<1x64xf16>>, tensor<64xi32>, i32, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>
  tt.return
}

// CHECK-LABEL: @warp_group
tt.func public @warp_group(%i: i32) {
  // CHECK: nvws.warp_group attributes {foo}
  // CHECK-NEXT: partition0 num_warps(4) {
  // CHECK-NEXT: nvws.warp_group.yield %{{.*}} : i32
  // CHECK: partition1 num_warps(8) {
  // CHECK-NEXT: nvws.warp_group.return
  // CHECK-NEXT: } -> i32
  // GENERIC: "nvws.warp_group"() <{numWarps = array<i32: 4, 8>}> ({
  %r = nvws.warp_group attributes {foo}
  partition0 num_warps(4) {
    nvws.warp_group.yield %i : i32
  }
  partition1 num_warps(8) {
    nvws.warp_group.return
  } -> i32
  tt.return
}
