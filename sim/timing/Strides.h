//===- Strides.h - how the addresses of a tile follow each other ----------===//
//
// A tile of integers or pointers is mostly affine: its first element, which the
// machine computes as it goes (Scalar.h), and for each dimension a step. Steps
// are the same in every iteration and CTA; they follow from ranges, constants
// and the launch's arguments:
//
//   %m = tt.make_range; %s = arith.muli %m, splat(stride_am)     step stride_am
//   %p = tt.addptr splat(%a), ...                                the same, in bytes
//
// With the register layout of an access they tell how many instructions it is
// and how many lines and sectors of memory these touch.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/program/Program.h"
#include "sim/timing/Launch.h"
#include "sim/timing/Work.h"

#include <optional>
#include <vector>

namespace tlx::sim {

class Strides {
public:
  Strides(const Program &program, const TimingLaunch &launch);

  /// What is known of a register's tile.
  struct Form {
    bool known = false;           ///< reached by the analysis
    bool scattered = false;       ///< elements lie anywhere
    std::optional<int64_t> value; ///< of all elements, where it is one at all times
    std::vector<int64_t> steps;   ///< one for each dimension; of pointers, in bytes
    bool operator==(const Form &) const = default;
    bool uniform() const;
  };
  const Form &of(Reg reg) const { return forms[reg]; }

private:
  /// Another value that may be in `reg`. True: what is known has changed.
  bool meet(Reg reg, const Form &form);
  bool visit(const Inst &inst);
  Form transfer(const Inst &inst) const;
  Form arithmetic(const Inst &inst) const;
  Form reshaped(const Form &form, const Type &from, const Type &to) const;

  const Program &program;
  std::vector<Form> forms;
};

/// What a tile's access to device memory asks of the first-level cache and of L2.
struct AccessWork {
  int64_t instructions = 0; ///< of all warps
  int64_t lines = 0;        ///< 128-byte lines, instruction by instruction
  int64_t sectors = 0;      ///< 32-byte sectors, instruction by instruction
  int64_t distinct = 0;     ///< sectors of the whole tile, each once
};

/// `layout` says which element each register of each thread holds, `form` where it
/// lies, in elements of `bytes`.
AccessWork accessWork(const TileLayout &layout, const Strides::Form &form, int64_t bytes);

/// Replaces what types tell of each access of device memory by what its addresses tell.
void countAccesses(const Program &program, const TimingLaunch &launch, std::vector<Work> &work);

} // namespace tlx::sim
