// RUN: tlx-opt %s | FileCheck %s
// RUN: tlx-opt --mlir-print-op-generic %s | tlx-opt - | FileCheck %s
// RUN: tlx-opt --mlir-print-op-generic %s | FileCheck %s --check-prefix=GENERIC

// CHECK-LABEL: @scalars
tt.func public @scalars(%g: !llvm.ptr<1>, %k: i1, %s: !llvm.struct<(f32, f32)>, %a: i64) {
  // CHECK: nvg.cluster_id
  // GENERIC: "nvg.cluster_id"() : () -> i32
  %c = nvg.cluster_id
  // CHECK: nvg.tensor_memory_base
  // GENERIC: "nvg.tensor_memory_base"() : () -> !llvm.ptr<6>
  %t = nvg.tensor_memory_base
  // CHECK: nvg.ld_acquire acquire, gpu, %{{.*}}, %{{.*}} : (!llvm.ptr<1>) -> i32
  %l = nvg.ld_acquire acquire, gpu, %g, %k : (!llvm.ptr<1>) -> i32
  // CHECK: nvg.wgmma %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {eltTypeA = 4 : i32, eltTypeB = 4 : i32, eltTypeC = 7 : i32, k = 16 : i32, layoutA = 0 : i32, layoutB = 1 : i32, m = 64 : i32, n = 8 : i32} : (i64, i64, i1, !llvm.struct<(f32, f32)>) -> !llvm.struct<(f32, f32)>
  %d = nvg.wgmma %a, %a, %k, %s {eltTypeA = 4 : i32, eltTypeB = 4 : i32, eltTypeC = 7 : i32, k = 16 : i32, layoutA = 0 : i32, layoutB = 1 : i32, m = 64 : i32, n = 8 : i32} : (i64, i64, i1, !llvm.struct<(f32, f32)>) -> !llvm.struct<(f32, f32)>
  // CHECK: nvg.wgmma_wait_group %{{.*}} {pendings = 0 : i32} : !llvm.struct<(f32, f32)>
  %w = nvg.wgmma_wait_group %d {pendings = 0 : i32} : !llvm.struct<(f32, f32)>
  tt.return
}
