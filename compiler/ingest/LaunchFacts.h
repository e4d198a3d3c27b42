//===- LaunchFacts.h - what the launch says about a module -----------------===//
#pragma once

#include <array>
#include <optional>
#include <string>

namespace tlx {

/// Launch parameters that IR lacks at the front end's level. What is not known
/// stays empty; an analysis that needs it says so.
struct LaunchFacts {
  std::string target;                            ///< "cuda:90", "hip:gfx950"; may be empty
  std::optional<int> numWarps;                   ///< of the default region
  std::optional<int> numCtas;                    ///< CTAs that run one program together
  std::optional<std::array<int64_t, 3>> cluster; ///< CTAs along x, y, z
  std::optional<int> threadsPerWarp;
  std::string kernel; ///< that is launched; empty: not said
  std::string from;   ///< who says so, for messages: a manifest's path, "flags"
};

} // namespace tlx
