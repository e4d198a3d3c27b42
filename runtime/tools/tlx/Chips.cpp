//===- Chips.cpp - the simulated chips --------------------------------------===//
#include "runtime/base/Cli.h"
#include "runtime/base/Json.h"
#include "runtime/base/SharedLibrary.h"
#include "runtime/device/Device.h"
#include "runtime/tools/tlx/Commands.h"

#include <cstdio>

namespace tlx::front {

/// The tables are in the simulator's library.
static Result<std::string> list(const std::vector<std::string> &chips, bool json) {
  Result<void *> library = openLibrary("libTlxSimDevice.so");
  if (!library)
    return std::move(library).error();
  auto print = reinterpret_cast<decltype(&tlxListChips)>(findFunction(*library, "tlxListChips"));
  if (!print)
    return Error::internal("libTlxSimDevice.so is of another build than this program");
  std::string out;
  Error error;
  if (print(&chips, json, &out, &error) != 0)
    return error;
  return out;
}

Result<std::vector<ChipTarget>> chipTargets(const std::vector<std::string> &chips) {
  Result<std::string> text = list(chips, /*json=*/true);
  if (!text)
    return std::move(text).error();
  auto document = json::parse(*text, "tlx chips --json");
  if (!document)
    return std::move(document).error();
  json::Reader reader(*document);
  json::Node root = reader.root();
  std::vector<ChipTarget> out;
  for (size_t i = 0; i < root.size() && !reader.failed(); ++i)
    out.push_back({root[i]["chip"].string(), root[i]["target"].string()});
  if (reader.failed())
    return reader.error();
  return out;
}

int runChips(const std::vector<std::string> &arguments) {
  std::vector<const char *> words{"tlx chips"};
  for (const std::string &word : arguments)
    words.push_back(word.c_str());
  std::vector<std::string> chips;
  bool json = false;
  Cli cli("tlx chips", "Lists the simulated chips, or the numbers of some with their sources.");
  cli.positionals("CHIP", chips,
                  "a name, or a table of one's own (.chip); without one: an overview",
                  /*required=*/false);
  cli.flag("--json", json, "every number as JSON on standard output");
  cli.footer("Examples:\n  tlx chips\n  tlx chips b200\n  tlx chips h200 mine.chip --json");
  if (auto exit = cli.parse(int(words.size()), words.data()))
    return *exit;
  Result<std::string> text = list(chips, json);
  if (text)
    std::fputs(text->c_str(), stdout);
  else
    std::fprintf(stderr, "%s\n", text.error().str().c_str());
  return text ? 0 : int(text.error().code);
}

} // namespace tlx::front
