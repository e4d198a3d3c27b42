// RUN: tlx-opt %s --no-verify --split-input-file --tlx-fixup="target=cuda:100 num-warps=4" | FileCheck %s

// The front end builds ops without looking at pins: none of this verifies as it
// stands.

#lin = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
!pinned = tensor<128x64xf32, #tlx.no_verify_layout<#tlx.user_layout<#lin>>>

// The free operand is required in the pinned layout, results are in it, and so
// is everything that follows, pointers included.
// CHECK-LABEL: @arithmetic
// CHECK: %[[X:.*]] = tlx.require_layout %arg0
// CHECK: %[[A:.*]] = tlx.require_layout %arg0 : tensor<128x64xf32> -> tensor<128x64xf32, #[[PIN:.*]]>
// CHECK: %[[S:.*]] = arith.addf %[[A]], %[[X]] : tensor<128x64xf32, #[[PIN]]>
// CHECK: %[[E:.*]] = math.exp2 %[[S]] : tensor<128x64xf32, #[[PIN]]>
// CHECK: %[[P:.*]] = tlx.require_layout %arg1 : tensor<128x64x!tt.ptr<f32>> -> tensor<128x64x!tt.ptr<f32>, #[[PIN]]>
// CHECK: tt.store %[[P]], %[[E]] : tensor<128x64x!tt.ptr<f32>, #[[PIN]]>
"builtin.module"() ({
  "tt.func"() <{function_type = (tensor<128x64xf32>, tensor<128x64x!tt.ptr<f32>>) -> (), sym_name = "arithmetic", sym_visibility = "public"}> ({
  ^bb0(%a: tensor<128x64xf32>, %p: tensor<128x64x!tt.ptr<f32>>):
    %x = "tlx.require_layout"(%a) : (tensor<128x64xf32>) -> !pinned
    %s = "arith.addf"(%a, %x) <{fastmath = #arith.fastmath<none>}> : (tensor<128x64xf32>, !pinned) -> tensor<128x64xf32>
    %e = "math.exp2"(%s) <{fastmath = #arith.fastmath<none>}> : (tensor<128x64xf32>) -> tensor<128x64xf32>
    "tt.store"(%p, %e) <{cache = 1 : i32, evict = 1 : i32}> : (tensor<128x64x!tt.ptr<f32>>, tensor<128x64xf32>) -> ()
    "tt.return"() : () -> ()
  }) {noinline = false} : () -> ()
}) : () -> ()

// -----

#lin = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
!pinned = tensor<128x64xf32, #tlx.no_verify_layout<#tlx.user_layout<#lin>>>

// What a loop carries has one layout all the way round.
// CHECK-LABEL: @loop
// CHECK: %[[X:.*]] = tlx.require_layout %arg0
// CHECK: %[[INIT:.*]] = tlx.require_layout %arg0
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[INIT]]) -> (tensor<128x64xf32, #[[PIN:.*]]>)
// CHECK: arith.addf %[[X]], %[[ACC]] : tensor<128x64xf32, #[[PIN]]>
"builtin.module"() ({
  "tt.func"() <{function_type = (tensor<128x64xf32>, i32) -> (), sym_name = "loop", sym_visibility = "public"}> ({
  ^bb0(%a: tensor<128x64xf32>, %n: i32):
    %x = "tlx.require_layout"(%a) : (tensor<128x64xf32>) -> !pinned
    %r = "scf.for"(%n, %n, %n, %a) ({
    ^bb0(%i: i32, %acc: tensor<128x64xf32>):
      %s = "arith.addf"(%x, %acc) <{fastmath = #arith.fastmath<none>}> : (!pinned, tensor<128x64xf32>) -> !pinned
      "scf.yield"(%s) : (!pinned) -> ()
    }) : (i32, i32, i32, tensor<128x64xf32>) -> tensor<128x64xf32>
    "tt.return"() : () -> ()
  }) {noinline = false} : () -> ()
}) : () -> ()

// -----

#lin = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
!pinned = tensor<128x64xf32, #tlx.no_verify_layout<#tlx.user_layout<#lin>>>

// A helper that both kinds of tile go through exists twice.
// CHECK-LABEL: @calls
// CHECK: tt.call @twice(%arg0) : (tensor<128x64xf32>) -> tensor<128x64xf32>
// CHECK: tt.call @[[COPY:twice_.*]](%{{.*}}) : (tensor<128x64xf32, #[[PIN:.*]]>) -> tensor<128x64xf32, #[[PIN]]>
// CHECK: tt.func private @twice(%{{.*}}: tensor<128x64xf32>) -> tensor<128x64xf32>
// CHECK: tt.func private @[[COPY]](%{{.*}}: tensor<128x64xf32, #[[PIN]]>) -> tensor<128x64xf32, #[[PIN]]>
// CHECK-NEXT: arith.addf %{{.*}} : tensor<128x64xf32, #[[PIN]]>
"builtin.module"() ({
  "tt.func"() <{function_type = (tensor<128x64xf32>) -> (), sym_name = "calls", sym_visibility = "public"}> ({
  ^bb0(%a: tensor<128x64xf32>):
    %x = "tlx.require_layout"(%a) : (tensor<128x64xf32>) -> !pinned
    %0 = "tt.call"(%a) <{callee = @twice}> : (tensor<128x64xf32>) -> tensor<128x64xf32>
    %1 = "tt.call"(%x) <{callee = @twice}> : (!pinned) -> tensor<128x64xf32>
    "tt.return"() : () -> ()
  }) {noinline = false} : () -> ()
  "tt.func"() <{function_type = (tensor<128x64xf32>) -> tensor<128x64xf32>, sym_name = "twice", sym_visibility = "private"}> ({
  ^bb0(%a: tensor<128x64xf32>):
    %s = "arith.addf"(%a, %a) <{fastmath = #arith.fastmath<none>}> : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    "tt.return"(%s) : (tensor<128x64xf32>) -> ()
  }) {noinline = false} : () -> ()
}) : () -> ()

// -----

#lin = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#pin = #tlx.no_verify_layout<#tlx.user_layout<#lin>>

// A reduction keeps the wrapper around the slice; expand_dims takes it off again.
// CHECK-LABEL: @reduce
// CHECK: "tt.reduce"
// CHECK: -> tensor<128xf32, #tlx.no_verify_layout<#ttg.slice<{dim = 1, parent = #tlx.no_verify_layout<#{{.*}}>}>>>
// CHECK: %[[E:.*]] = tt.expand_dims {{.*}} -> tensor<128x1xf32, #[[PIN:tlx.no_verify_layout<.*>]]>
// CHECK: %[[B:.*]] = tt.broadcast %[[E]] : tensor<128x1xf32, #[[PIN]]> -> tensor<128x64xf32, #[[PIN]]>
// CHECK: arith.subf %{{.*}}, %[[B]] : tensor<128x64xf32, #[[PIN]]>
"builtin.module"() ({
  "tt.func"() <{function_type = (tensor<128x64xf32>) -> (), sym_name = "reduce", sym_visibility = "public"}> ({
  ^bb0(%a: tensor<128x64xf32>):
    %x = "tlx.require_layout"(%a) : (tensor<128x64xf32>) -> tensor<128x64xf32, #pin>
    %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %w = "arith.addf"(%u, %v) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "tt.reduce.return"(%w) : (f32) -> ()
    }) : (tensor<128x64xf32, #pin>) -> tensor<128xf32>
    %e = "tt.expand_dims"(%r) <{axis = 1 : i32}> : (tensor<128xf32>) -> tensor<128x1xf32>
    %b = "tt.broadcast"(%e) : (tensor<128x1xf32>) -> tensor<128x64xf32>
    %d = "arith.subf"(%a, %b) <{fastmath = #arith.fastmath<none>}> : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    "tt.return"() : () -> ()
  }) {noinline = false} : () -> ()
}) : () -> ()
