//===- GridRun.h - programs of a grid, executed for numbers ----------------===//
//
// Executes one program of a launch as far as numbers carry: what a condition on loaded
// data decides is followed both ways, and such accesses are not certain. Accesses to
// global memory come out in the order in which each task makes them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/model/Program.h"

#include <array>
#include <map>
#include <optional>
#include <set>

namespace tlx::verify {

/// An access that a program makes.
struct GridTouch {
  const GridAccess *access = nullptr;
  const Event *event = nullptr;
  int task = 0;
  std::array<int64_t, 3> program{};
  std::vector<int64_t> iterations;
  bool certain = true; ///< whether it is made
  bool placed = false; ///< whether it is known where
  bool ofData = false; ///< not placed, since memory says where
  int64_t first = 0, last = 0;
  std::vector<Extent> extents; ///< of memory, none of size or stride 0
  struct Side {
    int64_t first = 0, size = 1, stride = 1;
    bool operator==(const Side &) const = default;
  };
  std::vector<Side> sides;   ///< as the tile is spelled: by element, not by address
  int64_t start = 0;         ///< of the tile, with what its mask leaves out
  std::vector<int64_t> ends; ///< where bounds that cut nothing off would
  ExprId value = NoExpr;
  size_t meetings = 0, perhaps = 0; ///< of the task's threads so far: certain, and possible ones
};

/// Numbers for symbols (index into Exprs::symbols); of the others any value is possible.
using GridNumbers = std::map<int64_t, int64_t>;

class GridRun {
public:
  /// At most so many iterations of a loop are executed.
  GridRun(const Program &program, int64_t iterations);

  /// The accesses of one program, behind those in `out`.
  void run(const GridNumbers &numbers, std::array<int64_t, 3> id, std::vector<GridTouch> &out);

  /// The value of an expression without variables; nothing when it is not the launch's.
  std::optional<int64_t> valueOf(ExprId expr, const GridNumbers &numbers);

  /// Values as the accesses have them.
  const Exprs &values() const { return exprs; }

private:
  struct Context {
    int rank = 0, task = 0;
    bool certain = true;
    size_t meetings = 0, perhaps = 0;
    std::vector<int64_t> iterations;
  };
  void begin(const GridNumbers &numbers);
  ExprId eval(ExprId expr);
  ExprId compute(ExprId expr);
  std::optional<int64_t> number(ExprId expr);
  bool isOfData(ExprId value) const;
  ExprId unknown();
  void assign(const std::vector<Assign> &assigns);
  void forget(const std::vector<Assign> &assigns);
  bool matters(const GridAccess &access) const { return written.contains(access.tensor); }
  bool isOnlyWork(const Stmt &loop) const;
  void block(const Block &body, Context &context);
  void event(const Event &event, Context &context);
  void touch(const GridAccess &access, const Event &event, const Context &context);
  void place(const GridAccess &access, GridTouch &out);
  void branch(const Stmt &stmt, Context &context);
  void loop(const Stmt &stmt, Context &context);
  void fork(int region, const Context &context);

  const Program &program;
  Exprs exprs; ///< the program's, and what becomes of them
  const int64_t most;
  const GridNumbers *numbers = nullptr;
  std::array<int64_t, 3> id{};
  std::vector<GridTouch> *out = nullptr;
  std::map<VarId, ExprId> vars;
  std::map<int64_t, ExprId> unknowns;    ///< of this program, by symbol
  std::map<ExprId, ExprId> memo;         ///< until a variable changes
  std::set<int> written;                 ///< tensors
  std::map<const Stmt *, bool> onlyWork; ///< loops
  size_t steps = 0;
};

} // namespace tlx::verify
