#include "verify/checks/Sizes.h"

#include <algorithm>

using namespace tlx::verify;

/// Every integer of the launch, with one program (or cluster) or two; blocks are 32 to 256 wide.
static constexpr int64_t TriedSizes[] = {64, 128, 256, 320, 640};
static constexpr int64_t TriedPrograms[] = {1, 2};

bool tlx::verify::holdAt(const Program &program, const std::vector<Precondition> &preconditions,
                         const ValueOfSymbol &valueOf) {
  Linears linears(program);
  for (const Task &task : program.tasks)
    linears.analyse(task.body);
  auto atLeast = [&](const LinForm &form, int64_t bound) {
    auto value = linears.evaluate(form, valueOf);
    return value && *value >= bound;
  };
  return std::all_of(preconditions.begin(), preconditions.end(),
                     [&](const Precondition &p) { return atLeast(p.value, p.atLeast); }) &&
         std::all_of(
             program.assumptions.begin(), program.assumptions.end(),
             [&](const Assumption &a) { return atLeast(linears.form(linears.of(a.holds)), 1); });
}

namespace {
/// Loops that are empty for the whole launch.
class EmptyLoops {
public:
  EmptyLoops(const Program &program, const Program &sized) : program(program), sized(sized) {}

  bool any() const {
    return std::any_of(program.tasks.begin(), program.tasks.end(),
                       [&](const Task &task) { return any(task.body); });
  }

private:
  using Starts = std::map<VarId, ExprId>;

  bool any(const Block &block) const {
    return std::any_of(block.begin(), block.end(), [&](const Stmt &stmt) {
      return (stmt.kind == Stmt::LoopStmt && isEmpty(stmt)) || any(stmt.before) || any(stmt.body) ||
             any(stmt.orElse);
    });
  }
  bool isEmpty(const Stmt &loop) const {
    Starts starts;
    for (const Assign &init : loop.inits)
      starts[init.var] = init.value;
    return ofLaunch(loop.cond, starts) && value(loop.cond, starts) == 0;
  }
  /// The same for all programs and iterations.
  bool ofLaunch(ExprId id, const Starts &starts) const {
    if (id == NoExpr)
      return true;
    const ExprNode &node = program.exprs[id];
    if (node.op == Op::Var)
      return starts.contains(node.value) && ofLaunch(starts.at(node.value), {});
    if (node.op == Op::Sym)
      return program.exprs.symbols[node.value].launchInvariant;
    return node.op != Op::Opaque && ofLaunch(node.a, starts) && ofLaunch(node.b, starts) &&
           ofLaunch(node.c, starts);
  }
  std::optional<int64_t> value(ExprId id, const Starts &starts) const {
    const ExprNode &node = sized.exprs[id];
    if (node.op == Op::Const)
      return node.value;
    if (node.op == Op::Var && starts.contains(node.value))
      return value(starts.at(node.value), {});
    if (node.op == Op::Var || node.op == Op::Sym || node.op == Op::Opaque)
      return std::nullopt;
    std::optional<int64_t> a = value(node.a, starts);
    if (node.op == Op::Select)
      return a ? value(*a ? node.b : node.c, starts) : std::nullopt;
    std::optional<int64_t> b = value(node.b, starts);
    int64_t result = 0;
    return a && b && foldBinary(node.op, *a, *b, result) ? std::optional(result) : std::nullopt;
  }

  const Program &program, &sized;
};
} // namespace

/// What everything is that the launch chooses, by symbol.
static std::map<int64_t, int64_t> launchOf(const Program &program, int64_t size, int64_t programs) {
  std::map<int64_t, int64_t> values;
  for (size_t i = 0; i < program.exprs.symbols.size(); ++i) {
    const Symbol &symbol = program.exprs.symbols[i];
    if (!symbol.ofLaunch)
      continue;
    bool counts = symbol.name.starts_with("num_programs");
    int64_t value = counts                  ? programs * symbol.divisor
                    : symbol.parameter >= 0 ? size
                                            : programs - 1; // the last one
    value = std::clamp(value, symbol.lo, symbol.hi);
    if (!counts && symbol.parameter >= 0 && symbol.divisor > 1)
      value = (value + symbol.divisor - 1) / symbol.divisor * symbol.divisor;
    values[static_cast<int64_t>(i)] = value;
  }
  return values;
}

std::optional<ProofResult>
tlx::verify::violationAtSomeSize(const Program &program,
                                 const std::vector<Precondition> &preconditions,
                                 const std::function<ProofResult(const Program &)> &prove) {
  const std::vector<Function> &functions = program.exprs.opaques;
  bool reads = std::any_of(functions.begin(), functions.end(),
                           [](const Function &f) { return f.name == Function::Load; });
  auto at = [&](int64_t size, int64_t programs, bool contents) -> std::optional<ProofResult> {
    std::map<int64_t, int64_t> values = launchOf(program, size, programs);
    if (!holdAt(program, preconditions, [&](int64_t symbol) -> std::optional<int64_t> {
          auto it = values.find(symbol);
          return it == values.end() ? std::nullopt : std::optional(it->second);
        }))
      return std::nullopt;
    Program sized = program;
    sized.exprs.bind(values, contents);
    if (EmptyLoops(program, sized).any())
      return std::nullopt;
    ProofResult result = prove(sized);
    if (result.verdict != ProofResult::Bug)
      return std::nullopt;
    for (ExprId leaf = 0; leaf < static_cast<ExprId>(program.exprs.size()); ++leaf) {
      const ExprNode &node = program.exprs[leaf];
      if (auto it = values.find(node.value); node.op == Op::Sym && it != values.end()) {
        result.values.choose(node.value, leaf, it->second);
        result.path.push_back(
            {program.exprs.symbols[node.value].name + " = " + std::to_string(it->second),
             true,
             {},
             {}});
      }
    }
    if (contents)
      result.path.push_back({"what lies in memory = " + Exprs::contentText(), true, {}, {}});
    result.values.contents = contents;
    result.preconditions = preconditions;
    return result;
  };
  // With memory that is known hardly anything is left to decide.
  for (bool contents : {true, false})
    for (int64_t size : TriedSizes)
      for (int64_t programs : TriedPrograms)
        if (!contents || reads)
          if (auto found = at(size, programs, contents))
            return found;
  return std::nullopt;
}
