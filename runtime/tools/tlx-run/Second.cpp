//===- Second.cpp ------------------------------------------------------------------===//
#include "runtime/tools/tlx-run/Second.h"

#include "runtime/base/Process.h"

namespace tlx::run {

static std::string firstLine(const std::string &text) { return text.substr(0, text.find('\n')); }

Result<std::string> verifyFirst(const std::string &verifier, const Options &options) {
  std::vector<std::string> command = {verifier, options.file};
  if (options.manifest)
    command.insert(command.end(), {"--manifest", *options.manifest});
  auto verdict = captureProgram(command);
  if (!verdict)
    return std::move(verdict).error();
  if (verdict->status == int(ExitCode::Holds) || verdict->status == int(ExitCode::Unknown))
    return "tlx-verify: " + firstLine(verdict->output);
  const std::string hint = "--no-verify launches it all the same";
  if (verdict->status != int(ExitCode::Violated))
    return Error("tlx-verify cannot look at it first: exit status " +
                     std::to_string(verdict->status),
                 {options.file, 0, 0}, hint);
  Error error("not launched: " + firstLine(verdict->output), {options.file, 0, 0}, hint);
  error.code = ExitCode::Violated;
  return error;
}

Result<Simulated> simulateToo(const Options &options, const Outcome &outcome) {
  Options second = options;
  second.device = "sim";
  second.bench = second.compareSim = false;
  second.repeat.reset();
  second.check = options.saveOutputs;
  second.saveOutputs.reset();
  auto simulated = runSession(second);
  if (!simulated)
    return std::move(simulated).error();
  Simulated result;
  result.chip = simulated->report.chip;
  result.nanoseconds = simulated->report.nanoseconds;
  for (const Output &output : simulated->outputs)
    if (output.comparison)
      result.comparisons.emplace_back(output.storage, *output.comparison);
  result.matches = exitCode(*simulated) == 0 && result.comparisons.size() == outcome.outputs.size();
  return result;
}

} // namespace tlx::run
