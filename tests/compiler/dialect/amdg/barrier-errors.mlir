// RUN: tlx-opt --verify-diagnostics --split-input-file %s
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @array(%b: !ttg.memdesc<2xi64, #bar, #smem, mutable>) {
  // expected-error @+1 {{barrier must be a memdesc of 1xi64}}
  amdg.init_barrier %b, 1 : !ttg.memdesc<2xi64, #bar, #smem, mutable>
  tt.return
}

// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @count(%b: !ttg.memdesc<1xi64, #bar, #smem, mutable>) {
  // expected-error @+1 {{count must be at least 1; got 0}}
  amdg.init_barrier %b, 0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

// -----
tt.func @cluster() {
  // expected-error @+1 {{requires ttg.num-ctas > 1}}
  amdg.cluster_barrier_wait
  tt.return
}

// -----
tt.func @hint() {
  // expected-error @+2 {{expected ::tlx::amdg::SchedHint to be one of: none, attention}}
  // expected-error @+1 {{failed to parse}}
  amdg.instruction_sched_hint {variant = #amdg.SchedHintVariant<fast>}
  tt.return
}
