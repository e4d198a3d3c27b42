//===- Commands.cpp ---------------------------------------------------------===//
#include "runtime/tools/tlx/Commands.h"

#include "runtime/base/Cli.h"
#include "runtime/tools/tlx/Python.h"

#include <algorithm>
#include <cstdio>

namespace tlx::front {

const std::vector<Command> &commands() {
  static const std::vector<Command> table = {
      {"verify", "tlx-verify", "prove that a kernel synchronises correctly, or show how not", true},
      {"run", "tlx-run", "run a kernel on the simulator or a GPU", true},
      {"compile", "tlx-compile", "compile a kernel to a package"},
      {"opt", "tlx-opt", "read, transform and print IR"},
      {"record", "", "run a Python program and record the kernels it launches"},
      {"explain", "tlx-verify", "explain a class of bugs, a report's findings, or 'contracts'"},
      {"chips", "", "list the simulated chips, or the numbers of one with their sources"},
      {"doctor", "", "say what is installed, what is missing and what that costs"},
      {"completion", "", "print the completion script for bash, zsh or fish"},
  };
  return table;
}

const Command *findCommand(const std::string &name) {
  for (const Command &command : commands())
    if (command.name == name)
      return &command;
  return nullptr;
}

std::string helpText() {
  std::string out = "From a TLX kernel to a verdict, its numbers and its time.\n"
                    "Usage: tlx COMMAND [ARGUMENTS...]\n\nCommands:\n";
  for (const Command &command : commands())
    out +=
        "  " + command.name + std::string(12 - command.name.size(), ' ') + command.summary + "\n";
  out += "\n`tlx COMMAND --help` says more.\n\n"
         "Examples:\n"
         "  tlx verify kernel.ttgir              prove a kernel\n"
         "  tlx verify --target cuda:90 gemm.py  record what a program launches, and prove that\n"
         "  tlx run --device sim k.ttgir --manifest k.json\n"
         "  tlx explain race\n";
  return out;
}

static int fail(const Error &error) {
  std::fprintf(stderr, "%s\n", error.str().c_str());
  return int(error.code);
}

static int runCompletion(const std::vector<std::string> &arguments) {
  if (arguments.size() == 1 && (arguments[0] == "--help" || arguments[0] == "-h")) {
    std::fputs("Usage: tlx completion bash|zsh|fish\n\nPrints the shell's completion script.\n\n"
               "Example: source <(tlx completion bash)\n",
               stdout);
    return 0;
  }
  if (!arguments.empty() && arguments[0] == "words") { // asked by the scripts
    for (const std::string &word : completions({arguments.begin() + 1, arguments.end()}))
      std::printf("%s\n", word.c_str());
    return 0;
  }
  std::string script = arguments.size() == 1 ? completionScript(arguments[0]) : "";
  if (script.empty())
    return fail(
        Error("completion needs a shell: bash, zsh or fish", {}, "source <(tlx completion bash)"));
  std::fputs(script.c_str(), stdout);
  return 0;
}

static int runRecord(const std::vector<std::string> &arguments) {
  auto recorder = findRecorder();
  if (!recorder)
    return fail(recorder.error());
  std::vector<std::string> command = recorder->command;
  command.insert(command.end(), arguments.begin(), arguments.end());
  return fail(becomeProgram(command, recorder->environment));
}

static int runExplain(const std::string &tool, const std::vector<std::string> &arguments) {
  if (arguments.size() != 1)
    return fail(Error("explain needs a class of bugs, a report, or 'contracts'", {},
                      "`tlx explain race`; a class stands in brackets behind BUG"));
  if (arguments[0] != "--help" && arguments[0] != "-h")
    return fail(becomeProgram({tool, "--explain", arguments[0]}));
  std::fputs(
      "Explains a class of bugs with a kernel that has it, the findings of a report, or what\n"
      "proofs rely on.\n"
      "Usage: tlx explain CLASS|REPORT.json|classes|contracts\n\n"
      "Examples:\n"
      "  tlx explain race\n"
      "  tlx verify --json kernel.ttgir > report.json; tlx explain report.json\n\n"
      "Classes:\n",
      stdout);
  std::fflush(stdout);
  return fail(becomeProgram({tool, "--explain", "classes"}));
}

static int runTool(const Command &command, const std::vector<std::string> &arguments) {
  std::string tool = findProgram(command.tool);
  if (tool.empty())
    return fail(Error(command.tool + " is not installed", {}, "`tlx doctor` says what is missing"));
  if (command.name == "explain")
    return runExplain(tool, arguments);
  auto program = std::find_if(arguments.begin(), arguments.end(),
                              [](const std::string &word) { return word.ends_with(".py"); });
  if (program != arguments.end() && !command.takesPython)
    return fail(Error(*program + " is a Python program; " + command.name + " takes IR", {},
                      "`tlx record --out recorded " + *program + "` writes its kernels: `tlx " +
                          command.name + " recorded/KERNEL.ttgir`"));
  if (program != arguments.end()) {
    auto status = recordThenRun(tool, {arguments.begin(), program}, {program, arguments.end()});
    return status ? *status : fail(status.error());
  }
  std::vector<std::string> words{tool};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return fail(becomeProgram(words));
}

int runFront(const std::vector<std::string> &arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
    std::fputs(helpText().c_str(), arguments.empty() ? stderr : stdout);
    return arguments.empty() ? int(ExitCode::BadInput) : 0;
  }
  if (arguments[0] == "--version") {
    std::printf("tlx %s\n", versionString());
    return 0;
  }
  std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  const Command *command = findCommand(arguments[0]);
  if (!command) {
    std::vector<std::string> names;
    for (const Command &known : commands())
      names.push_back(known.name);
    std::string nearest = nearestWord(arguments[0], names);
    return fail(Error("there is no command '" + arguments[0] + "'", {},
                      nearest.empty() ? "tlx --help lists the commands"
                                      : "did you mean '" + nearest + "'?"));
  }
  if (command->name == "completion")
    return runCompletion(rest);
  if (command->name == "chips")
    return runChips(rest);
  if (command->name == "doctor")
    return runDoctor(rest);
  if (command->name == "record")
    return runRecord(rest);
  return runTool(*command, rest);
}

} // namespace tlx::front
