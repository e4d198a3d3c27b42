// RUN: tlx-opt %s | FileCheck %s
// RUN: tlx-opt --mlir-print-op-generic %s | tlx-opt - | FileCheck %s
// RUN: tlx-opt --mlir-print-op-generic %s | FileCheck %s --check-prefix=GENERIC
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#buf = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#buf8 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
#scales = #ttng.tensor_memory_scales_encoding<>

// CHECK-LABEL: @wgmma
tt.func public @wgmma(%a: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>,
                      %r: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>,
                      %c: tensor<64x64xf32, #mma>, %u: i1) -> tensor<64x64xf32, #mma> {
  // CHECK: %[[D0:.*]] = ttng.warp_group_dot %[[A:.*]], %[[A]], %{{.*}} {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #shared{{[0-9]*}}, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared{{[0-9]*}}, #smem, mutable> -> tensor<64x64xf32, #mma>
  %d0 = ttng.warp_group_dot %a, %a, %c {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #buf, #smem, mutable> * !ttg.memdesc<64x64xf16, #buf, #smem, mutable> -> tensor<64x64xf32, #mma>
  // Defaults are not printed in pretty form.
  // CHECK: %[[D1:.*]] = ttng.warp_group_dot %{{.*}}, %[[A]], %[[D0]], %{{.*}} : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * !ttg.memdesc
  // GENERIC: "ttng.warp_group_dot"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{inputPrecision = 2 : i32, isAsync = false, maxNumImpreciseAcc = 0 : i32}>
  %d1 = ttng.warp_group_dot %r, %a, %d0, %u : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * !ttg.memdesc<64x64xf16, #buf, #smem, mutable> -> tensor<64x64xf32, #mma>
  // CHECK: %{{.*}}:2 = ttng.warp_group_dot_wait %[[D1]], %[[A]] {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #shared{{[0-9]*}}, #smem, mutable>
  %w:2 = ttng.warp_group_dot_wait %d1, %a {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>
  tt.return %w#0 : tensor<64x64xf32, #mma>
}

// CHECK-LABEL: @tcgen05
tt.func public @tcgen05(%a: !ttg.memdesc<128x64xf16, #buf, #smem, mutable>,
                        %b: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>,
                        %d: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>,
                        %bar: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %t: !ttg.async.token, %p: i1) {
  // CHECK: {{^ *}}ttng.tc_gen5_mma %[[A:.*]], %[[B:.*]], %[[D:.*]], %[[P:.*]], %[[P]] : !ttg.memdesc<128x64xf16, #shared{{[0-9]*}}, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared{{[0-9]*}}, #smem, mutable>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  // GENERIC: "ttng.tc_gen5_mma"({{.*}}) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1, 0, 0>}>
  ttng.tc_gen5_mma %a, %b, %d, %p, %p : !ttg.memdesc<128x64xf16, #buf, #smem, mutable>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  // CHECK: %[[T0:.*]] = ttng.tc_gen5_mma %[[A]], %[[B]], %[[D]][], %[[P]], %[[P]], %[[BAR:.*]][%[[P]]] {is_async} : {{.*}}, !ttg.memdesc<1xi64, #shared{{[0-9]*}}, #smem, mutable>
  %t0 = ttng.tc_gen5_mma %a, %b, %d[], %p, %p, %bar[%p] {is_async} : !ttg.memdesc<128x64xf16, #buf, #smem, mutable>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // CHECK: %{{.*}} = ttng.tc_gen5_mma %[[A]], %[[B]], %[[D]][%[[T0]]], %[[P]], %[[P]], %[[BAR]][%[[P]]], %[[BAR]][%[[P]]] {async_task_id = array<i32: 1>, is_async, is_unsigned, multicast} :
  %t1 = ttng.tc_gen5_mma %a, %b, %d[%t0], %p, %p, %bar[%p], %bar[%p] {is_async, multicast, is_unsigned, async_task_id = array<i32: 1>} : !ttg.memdesc<128x64xf16, #buf, #smem, mutable>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // CHECK: ttng.tc_gen5_commit %[[BAR]] : !ttg.memdesc<1xi64, #shared{{[0-9]*}}, #smem, mutable>{{$}}
  ttng.tc_gen5_commit %bar : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // CHECK: ttng.tc_gen5_commit %[[BAR]], %[[P]] descs %[[A]], %[[A]] {foo} : !ttg.memdesc<1xi64, #shared{{[0-9]*}}, #smem, mutable>, !ttg.memdesc<128x64xf16, #shared{{[0-9]*}}, #smem, mutable>, !ttg.memdesc<128x64xf16, #shared{{[0-9]*}}, #smem, mutable>
  // GENERIC: "ttng.tc_gen5_commit"({{.*}}) <{operandSegmentSizes = array<i32: 1, 1, 2>}> {foo}
  ttng.tc_gen5_commit %bar, %p descs %a, %a {foo} : !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<128x64xf16, #buf, #smem, mutable>, !ttg.memdesc<128x64xf16, #buf, #smem, mutable>
  // A comma before descs is read too.
  // CHECK: ttng.tc_gen5_commit %[[BAR]] descs %[[A]] :
  ttng.tc_gen5_commit %bar, descs %a : !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<128x64xf16, #buf, #smem, mutable>
  tt.return
}

// With two CTAs, each holds half the columns of b.
// CHECK-LABEL: @pair
tt.func public @pair(%a: !ttg.memdesc<128x64xf16, #buf, #smem, mutable>,
                     %b: !ttg.memdesc<64x64xf16, #buf, #smem, mutable>,
                     %d: !ttg.memdesc<128x128xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>, #ttng.tensor_memory, mutable>, %p: i1) {
  // CHECK: {is_async, two_ctas}
  ttng.tc_gen5_mma %a, %b, %d, %p, %p {is_async, two_ctas} : !ttg.memdesc<128x64xf16, #buf, #smem, mutable>, !ttg.memdesc<64x64xf16, #buf, #smem, mutable>, !ttg.memdesc<128x128xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>, #ttng.tensor_memory, mutable>
  tt.return
}

// CHECK-LABEL: @scaled
tt.func public @scaled(%a: !ttg.memdesc<128x256xf8E5M2, #buf8, #smem, mutable>,
                       %b: !ttg.memdesc<256x64xf8E4M3FN, #buf8, #smem, mutable>,
                       %d: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>,
                       %as: !ttg.memdesc<128x8xi8, #scales, #ttng.tensor_memory, mutable>,
                       %bs: !ttg.memdesc<64x8xi8, #scales, #ttng.tensor_memory, mutable>,
                       %bar: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %p: i1) {
  // CHECK: ttng.tc_gen5_mma_scaled %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[P:.*]], %[[P]] lhs = e5m2 rhs = e4m3, %{{.*}}[%[[P]]] {is_async} : !ttg.memdesc<128x256xf8E5M2, #shared{{[0-9]*}}, #smem, mutable>, !ttg.memdesc<256x64xf8E4M3FN, #shared{{[0-9]*}}, #smem, mutable>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x8xi8, #tmem_scales, #ttng.tensor_memory, mutable>, !ttg.memdesc<64x8xi8, #tmem_scales, #ttng.tensor_memory, mutable>, !ttg.memdesc<1xi64, #shared{{[0-9]*}}, #smem, mutable>
  // GENERIC: "ttng.tc_gen5_mma_scaled"({{.*}}) <{a_type = 1 : i32, b_type = 0 : i32, is_async, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1, 1, 1, 1, 1>}>
  ttng.tc_gen5_mma_scaled %a, %b, %d, %as, %bs, %p, %p lhs = e5m2 rhs = e4m3, %bar[%p] {is_async} : !ttg.memdesc<128x256xf8E5M2, #buf8, #smem, mutable>, !ttg.memdesc<256x64xf8E4M3FN, #buf8, #smem, mutable>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x8xi8, #scales, #ttng.tensor_memory, mutable>, !ttg.memdesc<64x8xi8, #scales, #ttng.tensor_memory, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // CHECK: %{{.*}} = ttng.tc_gen5_mma_scaled %{{.*}}, %{{.*}}, %{{.*}}[], %{{.*}}, %{{.*}}, %[[P]], %[[P]] lhs = e5m2 rhs = e4m3 : {{.*}}, !ttg.memdesc<64x8xi8, #tmem_scales, #ttng.tensor_memory, mutable>{{$}}
  %t = ttng.tc_gen5_mma_scaled %a, %b, %d[], %as, %bs, %p, %p lhs = e5m2 rhs = e4m3 : !ttg.memdesc<128x256xf8E5M2, #buf8, #smem, mutable>, !ttg.memdesc<256x64xf8E4M3FN, #buf8, #smem, mutable>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x8xi8, #scales, #ttng.tensor_memory, mutable>, !ttg.memdesc<64x8xi8, #scales, #ttng.tensor_memory, mutable>
  tt.return
}
