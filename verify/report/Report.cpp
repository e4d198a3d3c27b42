#include "verify/report/Report.h"
#include "verify/model/Contracts.h"
#include "verify/report/Witness.h"

#include <algorithm>
#include <set>

using namespace tlx::verify;

namespace {
/// Steps shown before the violation, at most.
constexpr size_t MaxSteps = 24;

ReportStep stepOf(const Program &program, const Step &step) {
  ReportStep out;
  if (step.task >= 0)
    out.task = program.tasks[step.task].name;
  out.iteration = step.iteration;
  out.note = step.note;
  out.loc = step.loc;
  if (step.event >= 0) {
    out.op = program.events[step.event].op;
    out.loc = program.events[step.event].loc;
  }
  return out;
}

/// Barrier arrays (as ~index) and buffers that an event touches.
void touched(const Program &program, int event, std::set<int> &out) {
  if (event < 0)
    return;
  for (const Effect &effect : program.events[event].effects) {
    if (effect.target.object < 0)
      continue;
    out.insert(effect.onMemory() ? effect.target.object : ~effect.target.object);
  }
}

bool initialises(const Program &program, int event) {
  const auto &effects = program.events[event].effects;
  return std::any_of(effects.begin(), effects.end(), [](const Effect &effect) {
    return effect.kind == tlx::sync::Kind::BarrierInit;
  });
}

/// The steps that matter to the violation, in the order in which it happens:
/// those on its barriers and buffers, the newest ones.
std::vector<ReportStep> traceOf(const Program &program, const ProofResult &result,
                                const Confirmation &confirmation) {
  const Violation &v = result.violation;
  std::set<int> objects;
  touched(program, v.at.event, objects);
  for (const Step &step : v.related)
    touched(program, step.event, objects);
  std::vector<const Step *> kept;
  // What was executed has been cut to what matters.
  bool shown = confirmation.verdict == Confirmation::Shown;
  auto keep = [&](const Step &step) {
    if (step.event < 0 || initialises(program, step.event))
      return;
    if (shown)
      return kept.push_back(&step);
    std::set<int> mine;
    touched(program, step.event, mine);
    if (std::any_of(mine.begin(), mine.end(), [&](int o) { return objects.contains(o); }))
      kept.push_back(&step);
  };
  if (shown) {
    for (const ShownStep &step : confirmation.steps)
      if (step.run >= 0 && !step.completion)
        keep(result.trace[static_cast<size_t>(step.run)]);
  } else {
    for (const Step &step : result.trace)
      keep(step);
  }
  // The violation itself comes last, and once.
  if (!kept.empty() && kept.back()->note.empty() && kept.back()->task == v.at.task &&
      kept.back()->event == v.at.event && kept.back()->iteration == v.at.iteration)
    kept.pop_back();
  std::vector<ReportStep> out;
  size_t first = kept.size() > MaxSteps ? kept.size() - MaxSteps : 0;
  for (size_t i = first; i < kept.size(); ++i)
    out.push_back(stepOf(program, *kept[i]));
  for (const Step &step : v.related)
    out.push_back(stepOf(program, step));
  ReportStep last = stepOf(program, v.at);
  last.note = last.note.empty() ? v.message : last.note;
  out.push_back(std::move(last));
  return out;
}

/// Whether the run, executed step by step, is one that can happen.
const char *standing(Confirmation::Verdict verdict) {
  switch (verdict) {
  case Confirmation::Shown: return "executed step by step: ";
  case Confirmation::Followed:
    return "the run was executed step by step; the violation itself lies between warps of one "
           "task, proxies or memory that is freed, which that does not execute";
  case Confirmation::Open: return "the run was not executed: ";
  case Confirmation::Refuted: break;
  }
  return "";
}

/// Of decisions that imply one another the strongest: not K >= 65 before K >= 129.
std::vector<const Decided *> strongest(const std::vector<Decided> &path) {
  std::vector<const Decided *> kept;
  for (const Decided &d : path) {
    auto same = std::find_if(kept.begin(), kept.end(), [&](const Decided *k) {
      return !d.quantity.empty() && k->quantity == d.quantity && k->yes == d.yes &&
             k->iteration == d.iteration;
    });
    if (same != kept.end()) {
      if (d.yes ? (*same)->atLeast >= d.atLeast : (*same)->atLeast <= d.atLeast)
        continue;
      kept.erase(same);
    }
    kept.push_back(&d);
  }
  return kept;
}

ReportFinding findingOf(const Program &program, const Violation &v) {
  ReportFinding out{info(v.cls).name, v.message, {}, {}};
  ReportStep at = stepOf(program, v.at);
  out.loc = at.loc;
  out.steps.push_back(std::move(at));
  for (const Step &step : v.related)
    out.steps.push_back(stepOf(program, step));
  return out;
}
void bug(KernelReport &report, const Program &program, const ProofResult &result) {
  Confirmation confirmation;
  confirmation.verdict = Confirmation::Followed;
  bool hasRun = result.violation.at.event >= 0 || !result.trace.empty();
  if (hasRun)
    confirmation = confirm(program, result);
  BugClass kind = result.violation.cls;
  std::string cls = info(kind).name;
  // Tasks that are stuck stand still in an execution too, and what nothing has written is
  // missing there; anything else says that the run is not exact.
  bool stuck = kind == BugClass::Deadlock || kind == BugClass::BytesMismatch;
  bool stands = stuck || kind == BugClass::Uninitialized;
  if (hasRun && stands && confirmation.verdict == Confirmation::Followed) {
    confirmation.verdict = Confirmation::Refuted;
    confirmation.message = stuck ? "at its end nothing is stuck" : "all that is read was written";
  }
  if (confirmation.verdict == Confirmation::Refuted) {
    report.verdict = "UNKNOWN";
    report.reason = "unconfirmed " + cls;
    report.message = result.violation.message + "; executed step by step, the run that leads " +
                     "there does not happen: " + confirmation.message;
    report.loc = stepOf(program, result.violation.at).loc;
    return;
  }
  report.verdict = "BUG";
  report.cls = std::move(cls);
  report.message = result.violation.message;
  report.trace = traceOf(program, result, confirmation);
  report.loc = report.trace.back().loc;
  for (const Decided *d : strongest(result.path)) {
    std::string where;
    for (int64_t n : d->iteration)
      where += (where.empty() ? " in iteration " : ", ") + std::to_string(n);
    report.notes.push_back("with " + d->text + (d->yes ? "" : " false") + where);
  }
  if (report.notes.size() > 12)
    report.notes.erase(report.notes.begin(), report.notes.end() - 12);
  bool fence = confirmation.verdict == Confirmation::Followed && confirmation.what == "proxy";
  if (hasRun) // what is asked of the chip in vain needs none
    report.notes.push_back((fence ? "executed step by step: " : standing(confirmation.verdict)) +
                           confirmation.message);
  report.replay = replayOf(program, result, confirmation);
}
} // namespace

void tlx::verify::fillReport(KernelReport &report, const Program &program,
                             const ProofResult &result) {
  report.states = result.states;
  for (const Precondition &p : result.preconditions)
    report.preconditions.push_back(p.text);
  for (const Assumption &a : program.assumptions)
    report.preconditions.push_back(program.exprs.print(a.holds) + " (assumed by the kernel" +
                                   (a.loc.known() ? " at " + a.loc.str() : "") + ")");
  for (const Violation &warning : result.warnings)
    report.warnings.push_back(findingOf(program, warning));
  report.notes.insert(report.notes.end(), result.notes.begin(), result.notes.end());
  switch (result.verdict) {
  case ProofResult::Proved: report.verdict = "PROVED"; return;
  case ProofResult::Bug: bug(report, program, result); return;
  case ProofResult::Unknown:
    report.verdict = "UNKNOWN";
    // Places in the text have colons too, without a space behind them.
    report.reason = result.reason.substr(0, result.reason.find(": "));
    report.message = result.reason;
    report.loc = stepOf(program, result.at).loc;
    report.bound = "no violation in " + std::to_string(result.states) +
                   " states, loop iterations up to " + std::to_string(result.deepestIteration);
    return;
  }
}

const char *tlx::verify::name(Severity severity) {
  switch (severity) {
  case Severity::Error: return "error";
  case Severity::Warning: return "warning";
  case Severity::Suppressed: return "suppressed";
  case Severity::Baseline: return "baseline";
  }
  return "";
}

int tlx::verify::exitCode(const KernelReport &report) {
  if (report.verdict == "BUG")
    return report.severity == Severity::Error ? 1 : 0;
  return report.verdict == "PROVED" ? 0 : 4;
}

int tlx::verify::worstOf(const std::vector<KernelReport> &reports) {
  int worst = 0;
  for (const KernelReport &report : reports)
    if (int code = exitCode(report); code == 1 || worst == 0)
      worst = code;
  return worst;
}
