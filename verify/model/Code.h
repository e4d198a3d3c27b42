//===- Code.h - a task as a list of instructions --------------------------===//
//
// Structured control flattened to jumps, with the loop structure kept in
// explicit instructions: LoopEnter sets a loop's iteration number to its first,
// LoopNext to the next (Pace), LoopExit leaves. Both engines (checks/ and explore/)
// execute this form; neither shares an evaluator with the other.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/model/Program.h"

namespace tlx::verify {

struct Instr {
  enum Kind : uint8_t {
    Event,     ///< `index` into Program::events
    Set,       ///< `assigns`, all at once
    Branch,    ///< continue when `cond` holds, else jump to `target`
    Jump,      ///< to `target`
    LoopEnter, ///< `index`: loop number in Code::loops
    LoopNext,
    LoopExit,
    Fork,        ///< starts the tasks of region `index`
    Join,        ///< waits until the tasks of region `index` have ended
    Unsupported, ///< `index` into Code::reasons
    End,
  } kind;
  int index = -1;
  int target = -1;
  ExprId cond = NoExpr;
  std::vector<Assign> assigns = {};
};

struct LoopInfo {
  std::string name;
  SourceLoc loc;
  int depth = 1;   ///< 1 for an outermost loop
  int parent = -1; ///< enclosing loop
  int enterPc = 0, headPc = 0, exitPc = 0;
  std::vector<Assign> inits, nexts;
  Pace pace;
  bool resumes = false; ///< see Stmt
  /// By instruction: the loop may be entered from there on, before the loops around it go on.
  std::vector<char> ahead;
};

struct Code {
  std::vector<Instr> instrs;
  std::vector<LoopInfo> loops;
  std::vector<int> loopAt;     ///< innermost loop of each instruction, or -1
  std::vector<SourceLoc> locs; ///< of branches
  std::vector<std::string> reasons;

  /// The loop of that depth around an instruction, or -1.
  int loopAround(int pc, int depth) const {
    int loop = loopAt[pc];
    while (loop >= 0 && loops[loop].depth > depth)
      loop = loops[loop].parent;
    return loop >= 0 && loops[loop].depth == depth ? loop : -1;
  }
};

Code flatten(const Block &body);

} // namespace tlx::verify
