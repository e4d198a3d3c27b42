#include "verify/model/Split.h"

#include "verify/model/EffectExprs.h"
#include "verify/model/Linear.h"

#include <algorithm>
#include <utility>

using namespace tlx::verify;

namespace {
/// `while (v < bound)` with v one more in each iteration.
struct Counted {
  int task, depth;
  Block *block; ///< that it is in
  size_t at;
  LinForm trips;
  ExprId bound, from; ///< trips is bound - from
};

class Splitter {
public:
  explicit Splitter(Program &program) : program(program) {}

  /// Cuts one loop; false when there is none.
  bool cutOne() {
    Linears linears(program);
    std::vector<Counted> loops;
    for (size_t task = 0; task < program.tasks.size(); ++task)
      linears.analyse(program.tasks[task].body);
    for (size_t task = 0; task < program.tasks.size(); ++task)
      collect(static_cast<int>(task), program.tasks[task].body, 1, linears, loops);
    for (size_t first = 0; first < loops.size(); ++first) {
      LinId sum = linears.intern(loops[first].trips);
      for (const Counted *last : following(loops, first)) {
        sum = linears.add(sum, linears.intern(last->trips));
        for (const Counted &whole : loops)
          if (whole.task != last->task && whole.depth == last->depth &&
              whole.trips == linears.form(sum)) {
            cut(whole, program.exprs.sub(last->bound, last->from));
            return true;
          }
      }
    }
    return false;
  }

private:
  bool isFixed(ExprId expr) const {
    if (expr == NoExpr)
      return true;
    const ExprNode &node = program.exprs[expr];
    return node.op != Op::Var && isFixed(node.a) && isFixed(node.b) && isFixed(node.c);
  }

  /// The loops behind this one in its block, in order.
  static std::vector<const Counted *> following(const std::vector<Counted> &loops, size_t first) {
    std::vector<const Counted *> out;
    for (size_t i = first + 1; i < loops.size(); ++i)
      if (loops[i].block == loops[first].block)
        out.push_back(&loops[i]);
    return out;
  }

  /// Loops of known start, with bounds that are the same everywhere in the launch.
  void collect(int task, Block &block, int depth, Linears &linears, std::vector<Counted> &out) {
    for (size_t i = 0; i < block.size(); ++i) {
      Stmt &stmt = block[i];
      bool loop = stmt.kind == Stmt::LoopStmt;
      for (Block *part : {&stmt.before, &stmt.body, &stmt.orElse})
        collect(task, *part, depth + loop, linears, out);
      if (!loop || !stmt.before.empty() || program.exprs[stmt.cond].op != Op::Lt)
        continue;
      const ExprNode cond = program.exprs[stmt.cond];
      if (program.exprs[cond.a].op != Op::Var || !isFixed(cond.b))
        continue;
      auto init = std::find_if(stmt.inits.begin(), stmt.inits.end(), [&](const Assign &assign) {
        return assign.var == program.exprs[cond.a].value;
      });
      if (init == stmt.inits.end() || !isFixed(init->value))
        continue;
      LinId ord = linears.termForm({LinTerm::Ord, depth, 0, {}});
      LinId trips = linears.add(linears.of(cond.b), linears.of(init->value), -1);
      const LinForm form = linears.form(trips);
      bool counts = linears.of(cond.a) == linears.add(linears.of(init->value), ord);
      if (counts && !form.terms.empty() && linears.range(form).first >= 0)
        out.push_back({task, depth, &block, i, form, cond.b, init->value});
    }
  }

  /// while (v < bound) body  =>  while (v < bound - last) body; while (v < bound) body
  void cut(const Counted &whole, ExprId last) {
    Exprs &e = program.exprs;
    Block &block = *whole.block;
    Stmt first = block[whole.at];
    const ExprNode cond = e[first.cond];
    std::map<VarId, VarId> names;
    define(first, names);
    Stmt second = renamed(first, names), between = assignStmt({});
    first.cond = e.lt(cond.a, e.sub(cond.b, last));
    for (Assign &init : second.inits) {
      VarId var = program.addVar(program.varNames[init.var]);
      VarId from = first.inits[static_cast<size_t>(&init - second.inits.data())].var;
      between.inits.push_back({var, e.var(from)});
      init.value = e.var(var);
    }
    second.resumes = true;
    // What follows the loop reads its variables.
    if (whole.at + 1 < block.size() && block[whole.at + 1].kind == Stmt::AssignStmt)
      for (Assign &assign : block[whole.at + 1].inits)
        assign.value = renamed(assign.value, names);
    block[whole.at] = std::move(first);
    Stmt *parts[] = {&between, &second};
    for (size_t i = 0; i < 2; ++i)
      block.insert(block.begin() + static_cast<long>(whole.at + 1 + i), std::move(*parts[i]));
  }

  /// New names for all that a statement assigns.
  void define(const Stmt &stmt, std::map<VarId, VarId> &names) {
    for (const Assign &assign : stmt.inits)
      names.try_emplace(assign.var, program.addVar(program.varNames[assign.var]));
    for (const Block *part : {&stmt.before, &stmt.body, &stmt.orElse})
      for (const Stmt &inner : *part)
        define(inner, names);
  }

  ExprId renamed(ExprId expr, const std::map<VarId, VarId> &names) {
    if (expr == NoExpr || isFixed(expr))
      return expr;
    Exprs &e = program.exprs;
    const ExprNode node = e[expr];
    if (node.op == Op::Var) {
      auto it = names.find(static_cast<VarId>(node.value));
      return it == names.end() ? expr : e.var(it->second);
    }
    ExprId a = renamed(node.a, names), b = renamed(node.b, names), c = renamed(node.c, names);
    if (node.op == Op::Select)
      return e.select(a, b, c);
    return node.op == Op::Opaque ? e.opaque(e.opaques[node.value].name, a, b, c)
                                 : e.binary(node.op, a, b);
  }

  Stmt renamed(Stmt stmt, const std::map<VarId, VarId> &names) {
    for (auto *assigns : {&stmt.inits, &stmt.nexts})
      for (Assign &assign : *assigns)
        assign = {names.at(assign.var), renamed(assign.value, names)};
    stmt.cond = renamed(stmt.cond, names);
    if (stmt.kind == Stmt::EventStmt) {
      Event event = program.events[static_cast<size_t>(stmt.event)];
      for (Effect &effect : event.effects)
        eachExpr(effect, [&](ExprId &e, ExprUse) { e = renamed(e, names); });
      stmt.event = program.addEvent(std::move(event));
    }
    for (Block *part : {&stmt.before, &stmt.body, &stmt.orElse})
      for (Stmt &inner : *part)
        inner = renamed(std::move(inner), names);
    return stmt;
  }

  Program &program;
};
} // namespace

void tlx::verify::splitLoops(Program &program) {
  constexpr int most = 4; // each cut copies a body
  Splitter splitter(program);
  for (int i = 0; i < most && splitter.cutOne(); ++i) {
  }
}
