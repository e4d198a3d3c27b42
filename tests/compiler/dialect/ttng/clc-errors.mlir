// RUN: tlx-opt --verify-diagnostics --split-input-file %s
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @answer(%r: !ttg.memdesc<1xui128, #bar, #smem, mutable>) {
  // expected-error @+1 {{answer must be a rank-1 memdesc of i64; got '!ttg.memdesc<1xui128}}
  %v = ttng.clc_load_result %r : !ttg.memdesc<1xui128, #bar, #smem, mutable> -> i128
  tt.return
}
