#include "verify/model/Split.h"

#include "verify/model/EffectExprs.h"
#include "verify/model/Linear.h"

#include <algorithm>
#include <utility>

using namespace tlx::verify;

namespace {
/// `while (v < bound)` with v `step` more in each iteration.
struct Counted {
  int task, depth;
  Block *block; ///< that it is in
  size_t at;
  int64_t step;
  ExprId bound, from;
  ExprId length; ///< bound - from, but not below zero
  LinId exactly; ///< balanced(length)
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
    for (const Counted &first : loops)
      for (int64_t times = 1; times <= MostAtOnce; ++times) {
        ExprId before = program.exprs.binary(Op::Mul, first.length, program.exprs.constant(times));
        LinId sum = linears.balanced(linears.of(before));
        for (const Counted *next : following(loops, first)) {
          sum = linears.add(sum, next->exactly);
          for (const Counted &whole : loops)
            if (whole.task != first.task && whole.depth == first.depth && whole.exactly == sum &&
                first.step % whole.step == 0) {
              cut(whole, program.exprs.add(whole.from, before));
              return true;
            }
          before = program.exprs.add(before, next->length);
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

  /// How many of the whole loop's iterations one of the first loop may stand for.
  static constexpr int64_t MostAtOnce = 8;

  /// The loops behind this one in its block, in order.
  static std::vector<const Counted *> following(const std::vector<Counted> &loops,
                                                const Counted &first) {
    std::vector<const Counted *> out;
    for (const Counted &loop : loops)
      if (loop.block == first.block && loop.at > first.at)
        out.push_back(&loop);
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
      ExprId bound = cond.b, from = init->value, length = program.exprs.sub(bound, from);
      LinForm step = linears.form(linears.add(linears.of(cond.a), linears.of(from), -1));
      LinId ord = linears.termForm({LinTerm::Ord, depth, 0, {}});
      bool counts = step.c == 0 && step.terms.size() == 1 && step.terms[0].second > 0 &&
                    step.terms[0].first == linears.form(ord).terms[0].first;
      LinId trips = linears.of(length);
      if (!counts || linears.form(trips).terms.empty())
        continue;
      if (linears.least(trips) < 0)
        length = program.exprs.binary(Op::Max, length, program.exprs.constant(0));
      out.push_back({task, depth, &block, i, step.terms[0].second, bound, from, length,
                     linears.balanced(linears.of(length))});
    }
  }

  /// while (v < bound) body  =>  while (v < middle) body; while (v < bound) body, where middle is
  /// not above bound.
  void cut(const Counted &whole, ExprId middle) {
    Exprs &e = program.exprs;
    Block &block = *whole.block;
    Stmt first = block[whole.at];
    const ExprNode cond = e[first.cond];
    std::map<VarId, VarId> names;
    define(first, names);
    Stmt second = renamed(first, names), between = assignStmt({});
    first.cond = e.lt(cond.a, middle);
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
