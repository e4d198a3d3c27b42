//===- Cluster.h - what a CTA does at the beginning of a cluster -------------===//
#pragma once

namespace tlx::nvidia {

class Emitter;

/// Where the kernel's CTAs have to know each other's mbarriers initialised
/// (compiler/analysis/ClusterSync.h): the default warps arrive and wait.
void meetAtClusterEntry(Emitter &e);
/// All threads of a cluster's CTAs meet, and see what each other wrote.
void meetCluster(Emitter &e);
/// The workers' part: they arrive, and learn the rest from the default warps.
void arriveAtClusterEntry(Emitter &e);

} // namespace tlx::nvidia
