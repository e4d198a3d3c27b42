#include "verify/tools/Levels.h"

#include "runtime/base/File.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace tlx::verify {

/// How often each operation that synchronises stands in a text, in pretty or generic form.
static std::map<std::string, int> synchronisation(const std::string &text) {
  std::map<std::string, int> out;
  auto inName = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; };
  for (size_t at = 0; at < text.size(); ++at) {
    size_t end = at;
    while (end < text.size() && inName(text[end]))
      ++end;
    if (end == at)
      continue;
    std::string name = text.substr(at, end - at);
    char before = at ? text[at - 1] : ' ';
    at = end;
    if (before != ' ' && before != '"' && before != '\n')
      continue; // a value, a type, an attribute or a path
    bool ours = std::ranges::any_of(
        std::initializer_list<const char *>{"ttg.", "ttng.", "tlx.", "amdg.", "nvg."},
        [&](const char *dialect) { return name.starts_with(dialect); });
    bool orders = std::ranges::any_of(
        std::initializer_list<const char *>{"wait", "arrive", "fence", "commit", ".barrier"},
        [&](const char *word) { return name.find(word) != std::string::npos; });
    if (ours && orders)
      ++out[name];
  }
  return out;
}

std::string addedSynchronisation(const std::string &before, const std::string &after) {
  std::map<std::string, int> had = synchronisation(before);
  std::string out;
  for (const auto &[name, count] : synchronisation(after))
    if (count > had[name])
      out += (out.empty() ? "" : ", ") + std::to_string(count - had[name]) + " " + name;
  return out;
}

bool Levels::compare(KernelReport &report, const std::string &path) {
  std::string verdict = report.verdict;
  if (verdict == "BUG")
    verdict += "(" + report.cls + ")";
  std::string name = std::filesystem::path(path).replace_extension().string() + ":" + report.kernel;
  auto [found, first] = earlier.try_emplace(name, Earlier{report.level, verdict, path, report.loc});
  if (first)
    return false;
  const Earlier &written = found->second;
  if (written.verdict == verdict)
    return report.verdict == "BUG" && written.loc == report.loc;
  auto before = readFile(written.path), after = readFile(path);
  std::string added = before && after ? addedSynchronisation(*before, *after) : "";
  report.notes.push_back("what was written (" + written.level + ") is " + written.verdict +
                         "; the compiler's passes " +
                         (added.empty() ? "changed it" : "added " + added));
  return false;
}

} // namespace tlx::verify
