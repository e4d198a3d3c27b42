// RUN: tlx-opt --verify-diagnostics --split-input-file %s
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @array(%b: !ttg.memdesc<2xi64, #bar, #smem, mutable>) {
  // expected-error @+1 {{barrier must be a rank-1 memdesc of i64 with at most 1 element (one for each CTA); got '!ttg.memdesc<2xi64}}
  ttng.init_barrier %b, 1 : !ttg.memdesc<2xi64, #bar, #smem, mutable>
  tt.return
}

// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
// One mbarrier for each CTA is fine.
module attributes {"ttg.num-ctas" = 2 : i32} {
  tt.func @ctas(%b: !ttg.memdesc<2xi64, #bar, #smem, mutable>) {
    ttng.init_barrier %b, 1 : !ttg.memdesc<2xi64, #bar, #smem, mutable>
    tt.return
  }
}

// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @element(%b: !ttg.memdesc<1xi32, #bar, #smem, mutable>, %p: i1) {
  // expected-error @+1 {{barrier must be a rank-1 memdesc of i64}}
  ttng.barrier_expect %b, 4, %p : !ttg.memdesc<1xi32, #bar, #smem, mutable>
  tt.return
}

// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @count(%b: !ttg.memdesc<1xi64, #bar, #smem, mutable>) {
  // expected-error @+1 {{count must be at least 1; got 0}}
  ttng.arrive_barrier %b, 0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @mask(%b: !ttg.memdesc<1xi64, #bar, #smem, mutable>) {
  // expected-error @+1 {{ctaMask requires ttg.num-ctas > 1}}
  ttng.arrive_barrier %b, 1 {ctaMask = 3 : i32} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

// -----
tt.func @scope() {
  // expected-error @+1 {{scope must be cta, gpu or sys; got warp}}
  ttng.fence {scope = "warp"}
  tt.return
}

// -----
tt.func @fence() {
  // expected-error @+1 {{requires attribute 'bCluster'}}
  ttng.fence_async_shared
  tt.return
}
