//===- Encoder.h - a kernel's IR as a program of the verifier -------------===//
//
// Turns one function into tasks (the default region, each partition, once for
// each CTA of the cluster) over barriers and buffers. What an operation does is
// asked of its SyncEffects interface; scalars become expressions; views are
// followed to the allocation they are cut from.
//
// Whatever cannot be expressed becomes an UnsupportedStmt with its reason and
// place: the verdict is then UNKNOWN, unless nothing ever reaches it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/model/Programs.h"

#include "mlir/IR/Operation.h"

#include <array>
#include <optional>

namespace tlx::verify {

/// What a chip gives one CTA; 0: not known, and not checked.
struct ChipLimits {
  int64_t sharedBytes = 0;
  int64_t tensorColumns = 0;
};

/// What the IR does not say about a launch. Unset: not known.
struct LaunchShape {
  std::string target;
  std::optional<int> numWarps;
  std::optional<std::array<int64_t, 3>> cluster;
  std::optional<int> numCtas;
  std::string from; ///< file or "command line"
  /// The IR is above ttgir, where fbtriton's own fences are not there yet.
  bool beforeTtgir = false;
  ChipLimits limits = {};
  Lowerings lowerings = {};
  std::vector<KnownLaunch> launches = {}; ///< of this kernel
};

struct EncodedKernel {
  Program program;
  /// Why the kernel cannot be judged at all, e.g. "launch-parameters"; empty
  /// when it can.
  std::string reason;
  std::string message;
  SourceLoc loc;
  LaunchShape launch; ///< as it was taken: what is given and what the IR says
  std::vector<std::string> notes;
};

/// Encodes a `tt.func`.
EncodedKernel encode(mlir::Operation *function, const LaunchShape &launch);

} // namespace tlx::verify
