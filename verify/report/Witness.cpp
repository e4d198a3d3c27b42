#include "verify/report/Witness.h"

#include <algorithm>
#include <functional>

using namespace tlx::verify;
using tlx::replay::Answer;

Confirmation tlx::verify::confirm(const Program &program, const ProofResult &result) {
  ConfirmRequest request;
  for (const Step &step : result.trace)
    if (step.task >= 0 && step.event >= 0)
      request.run.push_back({step.task, step.event});
  request.at = {result.violation.at.task, result.violation.at.event};
  request.aboutProxies = result.violation.cls == BugClass::ProxyFence;
  request.aboutRaces = result.violation.cls == BugClass::Race;
  request.aboutWrites = result.violation.cls == BugClass::Uninitialized;
  request.values = [&](ExprId leaf, const LeafPlace &place) -> std::optional<int64_t> {
    const ExprNode &node = program.exprs[leaf];
    if (result.values.contents && node.op == Op::Opaque &&
        program.exprs.opaques[node.value].name == Function::Load)
      return Exprs::contentAt(place.operands[0]);
    return result.values.valueOf(leaf, place.iteration);
  };
  return confirm(program, request);
}

namespace {
class Writer {
public:
  Writer(const Program &program, const ProofResult &result, const Confirmation &confirmation)
      : program(program), result(result), confirmation(confirmation) {}

  tlx::replay::Trace run() {
    trace.kernel = program.kernel;
    trace.writer = "tlx-verify";
    symbols();
    for (const ShownStep &step : confirmation.steps)
      event(step);
    std::vector<Code> codes;
    for (const Task &task : program.tasks)
      codes.push_back(flatten(task.body));
    findData(codes);
    for (const ShownBranch &branch : confirmation.branches)
      answer(branch, codes[branch.task]);
    const Violation &v = result.violation;
    trace.violation = {info(v.cls).name, v.message, {}, confirmation.phase, confirmation.meant};
    if (v.at.event >= 0)
      trace.violation.op = operation(program.events[v.at.event]);
    return std::move(trace);
  }

private:
  /// Sizes, program ids and arguments that the run rests on.
  void symbols() {
    std::array<int64_t, 3> program0{0, 0, 0}, clusterId{0, 0, 0};
    bool clusters = false;
    for (size_t i = 0; i < program.exprs.symbols.size(); ++i) {
      const Symbol &symbol = program.exprs.symbols[i];
      std::optional<int64_t> value = result.values.valueOfSymbol(static_cast<int64_t>(i));
      if (!symbol.ofLaunch || !value)
        continue;
      size_t axis = static_cast<size_t>(symbol.name.empty() ? 0 : symbol.name.back() - 'x');
      if (symbol.parameter >= 0)
        trace.scalars.push_back({symbol.parameter, symbol.name, {}, false, *value, 0});
      else if (symbol.name.starts_with("num_programs."))
        trace.launch.grid[axis] = *value;
      else if (symbol.name.starts_with("cluster_id."))
        clusterId[axis] = *value, clusters = true;
      else
        program0[axis] = *value;
    }
    for (int rank = 0; rank < program.ranks; ++rank)
      trace.ctas.push_back({clusters ? clusterId : program0, rank});
  }

  /// Replay tasks are numbered within a CTA.
  static std::string taskName(const Task &task) {
    size_t dot = task.name.find('.');
    return dot == std::string::npos ? task.name : task.name.substr(dot + 1);
  }

  static tlx::replay::Operation operation(const Event &event) {
    tlx::replay::Operation op{event.op, event.operation, {}};
    if (event.loc.known())
      op.location = {event.loc.file, static_cast<unsigned>(event.loc.line),
                     static_cast<unsigned>(event.loc.column)};
    return op;
  }

  void event(const ShownStep &step) {
    const Event &e = program.events[step.event];
    if (e.operation < 0 || (e.continues && !step.completion))
      return; // the lowering's own, or a part of an operation that has begun
    tlx::replay::Event out;
    out.cta = program.tasks[step.task].rank;
    out.task = taskName(program.tasks[step.task]);
    out.op = operation(e);
    bool ran = step.run >= 0;
    out.iteration = ran ? result.trace[static_cast<size_t>(step.run)].iteration : step.iteration;
    out.completion = step.completion;
    if (ran && !step.completion)
      out.note = result.trace[static_cast<size_t>(step.run)].note;
    trace.events.push_back(std::move(out));
  }

  /// A branch on more than arguments and program ids needs its answer.
  void answer(const ShownBranch &branch, const Code &code) {
    const SourceLoc &loc = code.locs[branch.pc];
    if (!dependsOnData(code.instrs[branch.pc].cond) || !loc.known())
      return;
    Answer out;
    out.kind = Answer::Kind::Branch;
    out.cta = program.tasks[branch.task].rank;
    out.task = taskName(program.tasks[branch.task]);
    out.op.name = code.loopAt[branch.pc] >= 0 &&
                          code.instrs[branch.pc].target == code.loops[code.loopAt[branch.pc]].exitPc
                      ? "scf.for"
                      : "scf.if";
    out.op.location = {loc.file, static_cast<unsigned>(loc.line),
                       static_cast<unsigned>(loc.column)};
    out.occurrence = branch.occurrence;
    out.values = {branch.holds};
    trace.answers.push_back(std::move(out));
  }

  /// Which variables may carry what comes from memory or launch control.
  void findData(const std::vector<Code> &codes) {
    ofData.resize(program.varNames.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (const Code &code : codes)
        for (const Instr &instr : code.instrs)
          for (const Assign &assign : instr.assigns)
            if (!ofData[assign.var] && dependsOnData(assign.value))
              changed = ofData[assign.var] = true;
    }
  }

  bool dependsOnData(ExprId expr) const {
    if (expr == NoExpr)
      return false;
    const ExprNode &node = program.exprs[expr];
    if (node.op == Op::Sym)
      return !program.exprs.symbols[node.value].ofLaunch;
    if (node.op == Op::Var)
      return ofData[node.value];
    if (node.op == Op::Opaque)
      return true;
    return dependsOnData(node.a) || dependsOnData(node.b) || dependsOnData(node.c);
  }

  const Program &program;
  const ProofResult &result;
  const Confirmation &confirmation;
  std::vector<bool> ofData; ///< by variable
  tlx::replay::Trace trace;
};
} // namespace

tlx::replay::Trace tlx::verify::replayOf(const Program &program, const ProofResult &result,
                                         const Confirmation &confirmation) {
  return Writer(program, result, confirmation).run();
}
