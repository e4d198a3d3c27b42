// Reads a chip table line by line; every complaint names line and column.
#include "sim/chips/BuiltinChips.h"
#include "sim/chips/Chip.h"

#include <cctype>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>

namespace tlx::sim {

namespace {
constexpr Arch Arches[] = {Arch::Sm90, Arch::Sm100, Arch::Gfx9, Arch::Gfx1250};

unsigned family(Arch arch) {
  switch (arch) {
  case Arch::Sm90: return 1;
  case Arch::Sm100: return 2;
  default: return 4;
  }
}
} // namespace

class ChipParser {
public:
  ChipParser(std::string_view text, const std::string &file, int depth)
      : rest(text), file(file), depth(depth) {}

  Result<Chip> run() {
    while (!rest.empty()) {
      size_t end = rest.find('\n');
      line = rest.substr(0, end);
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
      ++lineNumber;
      position = 0;
      if (Result<void> read = parseLine(); !read)
        return std::move(read).error();
    }
    return finish();
  }

  /// A built-in table, read once.
  static Result<Chip> builtin(const BuiltinChip &table, int depth) {
    static std::recursive_mutex mutex;
    static std::map<std::string_view, Chip> known;
    std::lock_guard lock(mutex);
    if (auto found = known.find(table.name); found != known.end())
      return found->second;
    Result<Chip> read = ChipParser(table.text, std::string(table.name) + ".chip", depth).run();
    if (read)
      known.emplace(table.name, *read);
    return read;
  }

private:
  SourceLocation here(size_t column) const { return {file, lineNumber, unsigned(column + 1)}; }

  void skipSpace() {
    while (position < line.size() && std::isspace((unsigned char)line[position]))
      ++position;
  }

  /// The next run of non-blank characters; empty at the end or at a comment.
  std::string_view word() {
    skipSpace();
    wordStart = position;
    if (position < line.size() && line[position] == '#')
      return {};
    while (position < line.size() && !std::isspace((unsigned char)line[position]))
      ++position;
    return line.substr(wordStart, position - wordStart);
  }

  Result<void> parseLine() {
    std::string_view first = word();
    if (first.empty())
      return {};
    size_t start = wordStart;
    if (first == "chip" || first == "arch" || first == "based-on")
      return parseDirective(first);
    if (chip.chipName.empty())
      return Error("a chip table starts with 'chip NAME'; got '" + std::string(first) + "'",
                   here(start));
    return parseNumber(first, start);
  }

  Result<void> parseDirective(std::string_view directive) {
    std::string argument(word());
    if (argument.empty())
      return Error("'" + std::string(directive) + "' needs a name", here(wordStart));
    size_t start = wordStart;
    if (std::string_view extra = word(); !extra.empty())
      return Error("unexpected '" + std::string(extra) + "'", here(wordStart));
    if (directive == "chip") {
      if (!chip.chipName.empty())
        return Error("a second 'chip' in one table", here(start));
      chip.chipName = argument;
      return {};
    }
    if (chip.chipName.empty())
      return Error("a chip table starts with 'chip NAME'; got '" + std::string(directive) + "'",
                   here(0));
    if (directive == "arch") {
      for (Arch arch : Arches)
        if (argument == name(arch)) {
          chip.chipArch = arch;
          haveArch = true;
          return {};
        }
      return Error("unknown arch '" + argument + "'", here(start),
                   "known: sm90, sm100, gfx9, gfx1250");
    }
    return inherit(argument, start);
  }

  Result<void> inherit(const std::string &base, size_t start) {
    if (anyNumber)
      return Error("'based-on' must come before the numbers", here(start));
    if (depth > 4)
      return Error("'based-on' chains are limited to 4 tables", here(start));
    for (const BuiltinChip &builtin : builtinChips()) {
      if (base != builtin.name)
        continue;
      Result<Chip> parent = ChipParser::builtin(builtin, depth + 1);
      if (!parent)
        return std::move(parent).error();
      chip.values = parent->values;
      // What was measured on a chip of another kind is an assumption here.
      if (haveArch && chip.chipArch != parent->chipArch)
        for (ParamValue &value : chip.values)
          if (value.provenance <= Provenance::Fitted)
            value.provenance = Provenance::Assumed;
      if (!haveArch)
        chip.chipArch = parent->chipArch;
      haveArch = true;
      return {};
    }
    return Error("'based-on' names no built-in chip: '" + base + "'", here(start));
  }

  Result<void> parseNumber(std::string_view path, size_t start) {
    Result<Param> param = findParam(path);
    if (!param) {
      Error error = std::move(param).error();
      error.location = here(start);
      return error;
    }
    const ParamInfo &facts = info(*param);
    ParamValue value;
    value.location = here(start);
    value.given = anyNumber = true;
    if (word() != "=")
      return Error("expected '=' after '" + std::string(path) + "'", here(wordStart));
    std::string number(word());
    char *end = nullptr;
    value.value = std::strtod(number.c_str(), &end);
    if (number.empty() || *end)
      return Error("expected a number; got '" + number + "'", here(wordStart));
    if (!(value.value >= facts.min && value.value <= facts.max)) {
      std::ostringstream message;
      message << "'" << facts.path << "' must lie between " << facts.min << " and " << facts.max
              << "; got " << number;
      return Error(message.str(), here(wordStart));
    }
    if (std::string_view unit = word(); unit != facts.unit)
      return Error("'" + std::string(path) + "' is given in " + facts.unit + "; got '" +
                       std::string(unit) + "'",
                   here(wordStart));
    if (Result<void> origin = parseOrigin(value); !origin)
      return origin;
    ParamValue &slot = chip.values[static_cast<size_t>(*param)];
    if (slot.given && slot.location.file == file)
      return Error("'" + std::string(path) + "' is given twice", here(start))
          .withNote("first here", slot.location);
    slot = value;
    return {};
  }

  /// provenance "source" [residual N%]
  Result<void> parseOrigin(ParamValue &value) {
    std::string_view how = word();
    bool known = false;
    for (Provenance p :
         {Provenance::Measured, Provenance::Fitted, Provenance::Read, Provenance::Assumed})
      if (how == name(p)) {
        value.provenance = p;
        known = true;
      }
    if (!known)
      return Error("expected measured, fitted, read or assumed; got '" + std::string(how) + "'",
                   here(wordStart));
    skipSpace();
    size_t open = position;
    size_t close =
        open < line.size() && line[open] == '"' ? line.find('"', open + 1) : std::string_view::npos;
    if (close == std::string_view::npos || close == open + 1)
      return Error("expected the number's source in quotes", here(open));
    value.source = std::string(line.substr(open + 1, close - open - 1));
    position = close + 1;
    std::string_view next = word();
    if (next == "residual") {
      std::string percent(word());
      char *end = nullptr;
      value.residualPercent = std::strtod(percent.c_str(), &end);
      if (end == percent.c_str() || std::string_view(end) != "%" || value.residualPercent < 0)
        return Error("expected a residual such as 5%; got '" + percent + "'", here(wordStart));
      next = word();
    }
    if (!next.empty())
      return Error("unexpected '" + std::string(next) + "'", here(wordStart));
    return {};
  }

  Result<Chip> finish() {
    if (chip.chipName.empty())
      return Error("the chip table is empty", {file}, "it starts with 'chip NAME'");
    if (!haveArch)
      return Error("the table of '" + chip.chipName + "' gives no arch", {file});
    std::string missing;
    unsigned count = 0;
    for (size_t i = 0; i < paramCount(); ++i) {
      const ParamInfo &facts = info(Param(i));
      if ((facts.needs & family(chip.chipArch)) && !chip.values[i].given && ++count <= 5)
        missing += std::string(count > 1 ? ", " : "") + facts.path;
    }
    if (count)
      return Error("the table of '" + chip.chipName + "' lacks " + std::to_string(count) +
                       (count == 1 ? " number: " : " numbers: ") + missing +
                       (count > 5 ? ", ..." : ""),
                   {file}, "'based-on h200' takes what is not given from there");
    return std::move(chip);
  }

  std::string_view rest, line;
  std::string file;
  int depth;
  unsigned lineNumber = 0;
  size_t position = 0, wordStart = 0;
  bool haveArch = false, anyNumber = false;
  Chip chip;
};

Result<Chip> Chip::parse(std::string_view text, const std::string &file) {
  return ChipParser(text, file, 0).run();
}

} // namespace tlx::sim
