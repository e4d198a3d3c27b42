#include "verify/model/Pace.h"
#include "verify/model/Linear.h"

#include <algorithm>
#include <numeric>

using namespace tlx::verify;

namespace {
/// `while (0 < scale * range + left - step * iteration)`
struct Counted {
  Stmt *loop;
  int64_t scale, left, step;
};

/// Loops of one depth with the same range, but for a constant.
using Families =
    std::map<std::pair<int, std::vector<std::pair<int, int64_t>>>, std::vector<Counted>>;

void collect(Block &block, int depth, const Exprs &exprs, Linears &linears, Families &families) {
  for (Stmt &stmt : block) {
    int inner = depth + (stmt.kind == Stmt::LoopStmt);
    for (Block *part : {&stmt.before, &stmt.body, &stmt.orElse})
      collect(*part, inner, exprs, linears, families);
    if (stmt.kind != Stmt::LoopStmt || exprs[stmt.cond].op != Op::Lt)
      continue;
    const ExprNode &cond = exprs[stmt.cond];
    LinForm left = linears.form(
        linears.withoutQuotient(linears.add(linears.of(cond.b), linears.of(cond.a), -1)));
    auto ord = std::find_if(left.terms.begin(), left.terms.end(), [&](const auto &piece) {
      const LinTerm &term = linears.term(piece.first);
      return term.kind == LinTerm::Ord && term.value == inner;
    });
    if (ord == left.terms.end() || ord->second >= 0)
      continue;
    int64_t step = -ord->second;
    left.terms.erase(ord);
    bool varies = std::any_of(left.terms.begin(), left.terms.end(), [&](const auto &piece) {
      return linears.facts(piece.first).ords >> inner & 1;
    });
    int64_t scale = 0;
    for (auto [term, coef] : left.terms)
      scale = std::gcd(scale, coef);
    for (auto &[term, coef] : left.terms)
      coef /= scale;
    if (!varies && !left.terms.empty())
      families[{inner, left.terms}].push_back({&stmt, scale, left.c, step});
  }
}
} // namespace

void tlx::verify::setPaces(Program &program) {
  Linears linears(program);
  for (const Task &task : program.tasks)
    linears.analyse(task.body);
  Families families;
  for (Task &task : program.tasks)
    collect(task.body, 0, program.exprs, linears, families);
  for (auto &[range, loops] : families) {
    int64_t scale = 1;
    for (const Counted &loop : loops)
      scale = std::lcm(scale, loop.scale);
    for (Counted &loop : loops) { // x >= 1  <=>  n x >= 1
      int64_t times = scale / loop.scale;
      loop = {loop.loop, scale, loop.left * times, loop.step * times};
    }
    int64_t most = loops[0].left, unit = 0;
    bool differ = false;
    for (const Counted &loop : loops) {
      most = std::max(most, loop.left);
      differ |= loop.step != loops[0].step;
    }
    if (!differ)
      continue;
    for (const Counted &loop : loops)
      unit = std::gcd(std::gcd(unit, loop.step), most - loop.left);
    bool few = std::all_of(loops.begin(), loops.end(), [&](const Counted &loop) {
      return loop.step / unit < 16 && (most - loop.left) / unit < 16;
    });
    if (!few)
      continue;
    for (const Counted &loop : loops)
      loop.loop->pace = {static_cast<int>((most - loop.left) / unit),
                         static_cast<int>(loop.step / unit)};
  }
}
