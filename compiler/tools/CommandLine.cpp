#include "compiler/tools/CommandLine.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tlx {

CommandLine::CommandLine() {
  SmallVector<cl::Option *> foreign;
  for (auto &[name, option] : cl::getRegisteredOptions()) {
    bool kept = StringSwitch<bool>(name)
                    .Cases({"help", "help-list", "help-hidden", "help-list-hidden"}, true)
                    .Cases({"h", "version", "color"}, true)
                    .Default(false);
    if (!kept)
      foreign.push_back(option);
  }
  for (cl::Option *option : foreign)
    option->removeArgument();
}

bool CommandLine::parse(int argc, const char *const *argv, std::string_view overview) {
  std::string text;
  raw_string_ostream errors(text);
  if (cl::ParseCommandLineOptions(argc, argv, StringRef(overview), &errors))
    return true;
  // "PROGRAM: Unknown command line argument '--x'.  Try: 'PROGRAM --help'"
  StringRef program = sys::path::filename(argv[0]);
  StringRef line = StringRef(text).ltrim().split('\n').first;
  line.consume_front(argv[0]);
  line.consume_front(program);
  line.consume_front(": ");
  line = line.split("  Try:").first.split(" Try:").first.rtrim(" .");
  errs() << "error: " << line.take_front().lower() << line.drop_front() << "; see " << program
         << " --help\n";
  return false;
}

} // namespace tlx
