// RUN: tlx-opt %s | FileCheck %s
// RUN: tlx-opt --mlir-print-op-generic %s | tlx-opt - | FileCheck %s
// RUN: tlx-opt --mlir-print-op-generic %s | FileCheck %s --check-prefix=GENERIC
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#plain = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 8, rank = 5}>
#smem = #ttg.shared_memory
// Fields in any order, defaults left out.
// CHECK-DAG: #tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
// CHECK-DAG: #tmem1 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1>
// CHECK-DAG: #tmem2 = #ttng.tensor_memory_encoding<blockM = 64, blockN = 128, colStride = 2, CGALayout = {{\[\[}}1, 0]], twoCTAs = true, ctaMode = twocta_rhs, fp4Padded = true>
// CHECK-DAG: #tmem_scales = #ttng.tensor_memory_scales_encoding<>
// CHECK-DAG: #tmem_scales1 = #ttng.tensor_memory_scales_encoding<CGALayout = {{\[\[}}0, 0]], blockRepOrder = kThenMn>
#tmem = #ttng.tensor_memory_encoding<colStride = 1, blockN = 64, blockM = 128, twoCTAs = false, ctaMode = default>
#part = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1>
#all = #ttng.tensor_memory_encoding<blockM = 64, blockN = 128, colStride = 2, fp4Padded = true, CGALayout = [[1, 0]], ctaMode = twocta_rhs, twoCTAs = true>
#scales = #ttng.tensor_memory_scales_encoding<>
#order = #ttng.tensor_memory_scales_encoding<blockRepOrder = kThenMn, CGALayout = [[0, 0]]>

// CHECK-LABEL: @tensor_memory
tt.func public @tensor_memory(%x: tensor<128x64xf32>, %p: i1) {
  // CHECK: %{{.*}} = ttng.tmem_alloc : () -> !ttg.memdesc<2x128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  %m2 = ttng.tmem_alloc : () -> !ttg.memdesc<2x128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  // CHECK: %[[M:.*]], %[[T:.*]] = ttng.tmem_alloc %{{.*}} {tensor_memory_col_offset = 4 : i32} : (tensor<128x64xf32>) -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
  %m, %t = ttng.tmem_alloc %x {tensor_memory_col_offset = 4 : i32} : (tensor<128x64xf32>) -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
  // CHECK: %{{.*}} = ttng.tmem_load %[[M]] : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32>
  // GENERIC: "ttng.tmem_load"(%{{.*}}) <{resultSegmentSizes = array<i32: 1, 0, 0>}>
  %r0 = ttng.tmem_load %m : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32>
  // CHECK: %{{.*}}, %[[T1:.*]] = ttng.tmem_load %[[M]][%[[T]]] {a} :
  %r1, %t1 = ttng.tmem_load %m[%t] {a} : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32>
  // CHECK: %{{.*}}, %{{.*}} = ttng.tmem_load %[[M]] {NaN = true, abs = true, redOp = #ttng.redOp<max>} : {{.*}} -> tensor<128x64xf32>, tensor<128xf32>
  // GENERIC: "ttng.tmem_load"(%{{.*}}) <{NaN = true, abs = true, redOp = #ttng.redOp<max>, resultSegmentSizes = array<i32: 1, 0, 1>}>
  %r2, %red = ttng.tmem_load %m {redOp = #ttng.redOp<max>, abs = true, NaN = true} : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32>, tensor<128xf32>
  // CHECK: {{^ *}}ttng.tmem_store %{{.*}}, %[[M]], %{{.*}} : tensor<128x64xf32> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  // GENERIC: "ttng.tmem_store"(%{{.*}}, %{{.*}}, %{{.*}}) : (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, tensor<128x64xf32>, i1) -> ()
  ttng.tmem_store %x, %m, %p : tensor<128x64xf32> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  // CHECK: %{{.*}} = ttng.tmem_store %{{.*}}, %[[M]][%[[T1]]], %{{.*}} :
  %t2 = ttng.tmem_store %x, %m[%t1], %p : tensor<128x64xf32> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  // CHECK: ttng.tmem_subslice %[[M]] {N = 32 : i32} : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x32xf32, #tmem1, #ttng.tensor_memory, mutable, 128x64>
  %s = ttng.tmem_subslice %m {N = 32 : i32} : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x32xf32, #part, #ttng.tensor_memory, mutable, 128x64>
  // CHECK: ttng.tcgen5_global_alloc {tensor_memory_size = 512 : i32}
  // GENERIC: "ttng.tcgen5_global_alloc"() <{tensor_memory_size = 512 : i32, two_ctas = false}>
  ttng.tcgen5_global_alloc {tensor_memory_size = 512 : i32}
  tt.return
}

// CHECK-LABEL: @copy
tt.func public @copy(%m: !ttg.memdesc<128x8xi8, #scales, #ttng.tensor_memory, mutable>, %x: !ttg.memdesc<1x1x2x2x256xi8, #plain, #smem, mutable>,
                     %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>,
                     %e: !ttg.memdesc<128x128xi8, #all, #ttng.tensor_memory, mutable>, %o: !ttg.memdesc<128x8xi8, #order, #ttng.tensor_memory, mutable>) {
  // CHECK: ttng.tmem_copy %{{.*}}, %{{.*}} : !ttg.memdesc<1x1x2x2x256xi8, #shared, #smem, mutable>, !ttg.memdesc<128x8xi8, #tmem_scales, #ttng.tensor_memory, mutable>{{$}}
  ttng.tmem_copy %x, %m : !ttg.memdesc<1x1x2x2x256xi8, #plain, #smem, mutable>, !ttg.memdesc<128x8xi8, #scales, #ttng.tensor_memory, mutable>
  // CHECK: ttng.tmem_copy %{{.*}}, %{{.*}}, %{{.*}} : {{.*}}, !ttg.memdesc<1xi64, #shared1, #smem, mutable>
  ttng.tmem_copy %x, %m, %b : !ttg.memdesc<1x1x2x2x256xi8, #plain, #smem, mutable>, !ttg.memdesc<128x8xi8, #scales, #ttng.tensor_memory, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}
