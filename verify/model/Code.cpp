#include "verify/model/Code.h"

#include <utility>

using namespace tlx::verify;

namespace {
struct Flattener {
  Code code;
  int currentLoop = -1;

  int emit(Instr instr, SourceLoc loc = {}) {
    code.instrs.push_back(std::move(instr));
    code.loopAt.push_back(currentLoop);
    code.locs.push_back(std::move(loc));
    return static_cast<int>(code.instrs.size()) - 1;
  }

  void block(const Block &body) {
    for (const Stmt &stmt : body)
      statement(stmt);
  }

  void statement(const Stmt &stmt) {
    switch (stmt.kind) {
    case Stmt::EventStmt: emit({Instr::Event, stmt.event}, stmt.loc); return;
    case Stmt::AssignStmt: assign(stmt.inits); return;
    case Stmt::ForkStmt: emit({Instr::Fork, stmt.event}, stmt.loc); return;
    case Stmt::JoinStmt: emit({Instr::Join, stmt.event}, stmt.loc); return;
    case Stmt::UnsupportedStmt:
      code.reasons.push_back(stmt.name);
      emit({Instr::Unsupported, static_cast<int>(code.reasons.size()) - 1}, stmt.loc);
      return;
    case Stmt::IfStmt: branch(stmt); return;
    case Stmt::LoopStmt: loop(stmt); return;
    }
  }

  void assign(const std::vector<Assign> &assigns) {
    if (assigns.empty())
      return;
    Instr instr{Instr::Set};
    instr.assigns = assigns;
    emit(std::move(instr));
  }

  void branch(const Stmt &stmt) {
    Instr test{Instr::Branch};
    test.cond = stmt.cond;
    int at = emit(std::move(test), stmt.loc);
    block(stmt.body);
    int skip = stmt.orElse.empty() ? -1 : emit({Instr::Jump});
    code.instrs[at].target = static_cast<int>(code.instrs.size());
    block(stmt.orElse);
    if (skip >= 0)
      code.instrs[skip].target = static_cast<int>(code.instrs.size());
  }

  void loop(const Stmt &stmt) {
    int number = static_cast<int>(code.loops.size());
    LoopInfo info;
    info.name = stmt.name;
    info.loc = stmt.loc;
    info.pace = stmt.pace;
    info.resumes = stmt.resumes;
    info.parent = currentLoop;
    info.depth = currentLoop < 0 ? 1 : code.loops[currentLoop].depth + 1;
    info.inits = stmt.inits;
    info.nexts = stmt.nexts;
    code.loops.push_back(info);
    assign(stmt.inits);
    int enter = emit({Instr::LoopEnter, number}, stmt.loc);
    int saved = std::exchange(currentLoop, number);
    int head = static_cast<int>(code.instrs.size());
    block(stmt.before);
    Instr test{Instr::Branch};
    test.cond = stmt.cond;
    int at = emit(std::move(test), stmt.loc);
    block(stmt.body);
    assign(stmt.nexts);
    emit({Instr::LoopNext, number});
    Instr back{Instr::Jump};
    back.target = head;
    emit(std::move(back));
    int exit = emit({Instr::LoopExit, number});
    code.instrs[at].target = exit;
    currentLoop = saved;
    code.loops[number].enterPc = enter;
    code.loops[number].headPc = head;
    code.loops[number].exitPc = exit;
  }

  void findWays(LoopInfo &loop) {
    std::vector<char> &ahead = loop.ahead;
    ahead.assign(code.instrs.size(), 0);
    ahead[loop.enterPc] = 1;
    auto isAround = [&](size_t head) {
      for (int l = loop.parent; l >= 0; l = code.loops[l].parent)
        if (code.loops[l].headPc == static_cast<int>(head))
          return true;
      return false;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t pc = code.instrs.size(); pc-- > 0;) {
        const Instr &instr = code.instrs[pc];
        bool falls = instr.kind != Instr::Jump && instr.kind != Instr::End;
        bool goesOn = instr.target >= 0 && static_cast<size_t>(instr.target) <= pc &&
                      isAround(static_cast<size_t>(instr.target));
        bool leads = (falls && ahead[pc + 1]) ||
                     (instr.target >= 0 && !goesOn && ahead[static_cast<size_t>(instr.target)]);
        if (leads && !ahead[pc])
          ahead[pc] = changed = true;
      }
    }
  }
};
} // namespace

Code tlx::verify::flatten(const Block &body) {
  Flattener flattener;
  flattener.block(body);
  flattener.emit({Instr::End});
  for (LoopInfo &loop : flattener.code.loops)
    flattener.findWays(loop);
  return std::move(flattener.code);
}
