// RUN: tlx-opt --verify-diagnostics --split-input-file %s
tt.func @barrier() {
  // expected-error @+1 {{requires ttg.num-ctas > 1}}
  ttng.cluster_barrier
  tt.return
}

// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @local(%b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %r: i32) {
  // expected-error @+1 {{result must be in #ttng.shared_cluster_memory}}
  %m = ttng.map_to_remote_buffer %b, %r : !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @remote(%b: !ttg.memdesc<1xi64, #bar, #ttng.shared_cluster_memory, mutable>, %r: i32) {
  // expected-error @+1 {{maps a buffer of this CTA's shared memory}}
  %m = ttng.map_to_remote_buffer %b, %r : !ttg.memdesc<1xi64, #bar, #ttng.shared_cluster_memory, mutable> -> !ttg.memdesc<1xi64, #bar, #ttng.shared_cluster_memory, mutable>
  tt.return
}

// -----
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @mutability(%b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %r: i32) {
  // expected-error @+1 {{result must differ from the source in memory space only}}
  %m = ttng.map_to_remote_buffer %b, %r : !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #ttng.shared_cluster_memory>
  tt.return
}
