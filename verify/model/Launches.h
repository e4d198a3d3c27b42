//===- Launches.h - launches that programs are compared in -----------------===//
//
// Of a launch that is known a part of the grid is executed. Where none is, or for what
// others may do, launches are made up such that whoever launches the kernel may choose them:
//
//   arguments are large numbers that no small factors relate: whole tiles exist, and strides
//   keep rows apart;
//   an argument that ids are divided by, or held against to see whether a program has work at
//   all, is also small: the kernel asks for it (a remainder alone may only wrap around);
//   so is one that is divided by the number of programs.
//
// Only some programs of a large grid are executed. A launch of fewer is one too.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/model/GridRun.h"
#include "verify/model/Programs.h"

namespace tlx::verify {

struct Launch {
  bool known = false;
  std::string text; ///< for a report
  int64_t iterations = 0;
  std::vector<std::array<int64_t, 3>> programs; ///< those to execute
  GridNumbers numbers;                          ///< of arguments and the grid
  std::array<int64_t, 3> ids{-1, -1, -1};       ///< symbols by axis, -1: not asked for
  std::array<std::string, 3> names;

  GridNumbers numbersOf(const std::array<int64_t, 3> &id) const;
  std::string name(const std::array<int64_t, 3> &id) const;
};

std::vector<Launch> launchesOf(const Program &program, const std::vector<KnownLaunch> &known);

} // namespace tlx::verify
