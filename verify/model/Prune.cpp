#include "verify/model/Prune.h"

#include "verify/model/EffectExprs.h"

#include <algorithm>
#include <set>

using namespace tlx::verify;

namespace {
class Pruner {
public:
  explicit Pruner(Program &program) : program(program), live(program.varNames.size(), 0) {}

  void run() {
    for (const Event &event : program.events)
      for (const Effect &effect : event.effects)
        eachExpr(effect, [&](ExprId e, ExprUse use) {
          if (use != ExprUse::Value)
            read(e);
        });
    do {
      changed = false;
      for (Task &task : program.tasks)
        for (const Stmt &stmt : task.body)
          mark(stmt);
    } while (changed);
    for (Task &task : program.tasks)
      sweep(task.body);
    assumptions();
  }

private:
  void read(ExprId expr) {
    if (expr == NoExpr || !seen.insert(expr).second)
      return;
    const ExprNode node = program.exprs[expr];
    if (node.op == Op::Var && !live[node.value])
      live[node.value] = changed = true;
    for (ExprId operand : {node.a, node.b, node.c})
      read(operand);
  }

  /// Does an expression stand for something unknown that is read?
  bool isAboutSeen(ExprId expr) const {
    if (expr == NoExpr)
      return false;
    const ExprNode &node = program.exprs[expr];
    bool leaf = node.op == Op::Sym || node.op == Op::Opaque;
    return (leaf && seen.contains(expr)) || isAboutSeen(node.a) || isAboutSeen(node.b) ||
           isAboutSeen(node.c);
  }

  /// What is assumed of values that nothing depends on says nothing.
  void assumptions() {
    std::vector<Assumption> left = std::move(program.assumptions), kept;
    for (bool more = true; more;) {
      more = false;
      std::erase_if(left, [&](const Assumption &a) {
        if (!isAboutSeen(a.holds) && !program.exprs.isConst(a.holds))
          return false;
        read(a.holds);
        kept.push_back(a);
        return more = true;
      });
    }
    program.assumptions = std::move(kept);
  }

  bool mark(const std::vector<Assign> &assigns) {
    bool any = false;
    for (const Assign &assign : assigns)
      if (live[assign.var]) {
        read(assign.value);
        any = true;
      }
    return any;
  }

  /// Does the statement matter?
  bool mark(const Stmt &stmt) {
    bool matters =
        stmt.kind != Stmt::LoopStmt && stmt.kind != Stmt::IfStmt && stmt.kind != Stmt::AssignStmt;
    if (stmt.kind == Stmt::EventStmt)
      matters = !program.events[stmt.event].effects.empty();
    for (const auto *assigns : {&stmt.inits, &stmt.nexts})
      matters |= mark(*assigns);
    for (const Block *block : {&stmt.before, &stmt.body, &stmt.orElse})
      for (const Stmt &inner : *block)
        matters |= mark(inner);
    if (matters)
      read(stmt.cond);
    return matters;
  }

  void sweep(Block &block) {
    std::erase_if(block, [&](Stmt &stmt) {
      if (!mark(stmt))
        return true;
      for (auto *assigns : {&stmt.inits, &stmt.nexts})
        std::erase_if(*assigns, [&](const Assign &assign) { return !live[assign.var]; });
      for (Block *inner : {&stmt.before, &stmt.body, &stmt.orElse})
        sweep(*inner);
      return false;
    });
  }

  Program &program;
  std::vector<char> live;
  std::set<ExprId> seen;
  bool changed = false;
};
} // namespace

void tlx::verify::prune(Program &program) { Pruner(program).run(); }
