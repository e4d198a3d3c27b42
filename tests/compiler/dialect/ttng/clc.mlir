// RUN: tlx-opt %s | FileCheck %s
// RUN: tlx-opt --mlir-print-op-generic %s | tlx-opt - | FileCheck %s
// RUN: tlx-opt --mlir-print-op-generic %s | FileCheck %s --check-prefix=GENERIC
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// CHECK-LABEL: @clc
tt.func public @clc(%b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %r: !ttg.memdesc<1xui128, #bar, #smem, mutable>,
                    %w: !ttg.memdesc<2xi64, #bar, #smem, mutable>) {
  // CHECK: ttng.async_clc_try_cancel %[[B:.*]], %[[R:.*]] : !ttg.memdesc<1xi64, #shared, #smem, mutable>, !ttg.memdesc<1xui128, #shared, #smem, mutable>
  ttng.async_clc_try_cancel %b, %r : !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<1xui128, #bar, #smem, mutable>
  // CHECK: %{{.*}}, %{{.*}}, %{{.*}} = ttng.clc_query_cancel %[[R]] : (!ttg.memdesc<1xui128, #shared, #smem, mutable>) -> (i32, i32, i32)
  %c:3 = ttng.clc_query_cancel %r : (!ttg.memdesc<1xui128, #bar, #smem, mutable>) -> (i32, i32, i32)
  // 3.7.4 has multicast, main has not.
  // CHECK: ttng.clc_try_cancel %[[W:.*]], %[[B]] {multicast = true} :
  ttng.clc_try_cancel %w, %b {multicast = true} : !ttg.memdesc<2xi64, #bar, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // CHECK: ttng.clc_try_cancel %[[W]], %[[B]] : !ttg
  ttng.clc_try_cancel %w, %b : !ttg.memdesc<2xi64, #bar, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // CHECK: %[[V:.*]] = ttng.clc_load_result %[[W]] : !ttg.memdesc<2xi64, #shared, #smem, mutable> -> i128
  %v = ttng.clc_load_result %w : !ttg.memdesc<2xi64, #bar, #smem, mutable> -> i128
  // CHECK: ttng.clc_is_canceled %[[V]] : i128 -> i1
  %k = ttng.clc_is_canceled %v : i128 -> i1
  // CHECK: ttng.clc_get_program_id %[[V]], y : i128 -> i32
  // GENERIC: "ttng.clc_get_program_id"(%{{.*}}) <{dim = 1 : i32}>
  %y = ttng.clc_get_program_id %v, y : i128 -> i32
  // CHECK: ttng.clc_advance : i1, i32, i32, i32
  %a:4 = ttng.clc_advance : i1, i32, i32, i32
  // CHECK: %[[T:.*]] = ttng.clc_try_cancel_async : !ttg.async.token
  %t = ttng.clc_try_cancel_async : !ttg.async.token
  // CHECK: ttng.clc_read %[[T]] : !ttg.async.token -> i1, i32, i32, i32
  %q:4 = ttng.clc_read %t : !ttg.async.token -> i1, i32, i32, i32
  tt.return
}
