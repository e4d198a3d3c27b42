#include "sim/chips/Chip.h"
#include "runtime/base/Cli.h"
#include "runtime/base/File.h"
#include "sim/chips/BuiltinChips.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <unordered_map>

namespace tlx::sim {

namespace {
enum : unsigned {
  Hopper = 1,
  Blackwell = 2,
  Amd = 4,
  Nvidia = Hopper | Blackwell,
  All = Nvidia | Amd,
};

const ParamInfo Infos[] = {
#define TLX_PARAM(Id, Path, Unit, Min, Max, Needs, Meaning)                                        \
  {Path, Unit, double(Min), double(Max), unsigned(Needs), Meaning},
#include "sim/chips/Parameters.def"
};
} // namespace

const char *name(Provenance provenance) {
  switch (provenance) {
  case Provenance::Measured: return "measured";
  case Provenance::Fitted: return "fitted";
  case Provenance::Read: return "read";
  case Provenance::Assumed: return "assumed";
  }
  return "?";
}

const char *name(Arch arch) {
  switch (arch) {
  case Arch::Sm90: return "sm90";
  case Arch::Sm100: return "sm100";
  case Arch::Gfx9: return "gfx9";
  case Arch::Gfx1250: return "gfx1250";
  }
  return "?";
}

const ParamInfo &info(Param param) { return Infos[static_cast<size_t>(param)]; }
size_t paramCount() { return std::size(Infos); }

Result<Param> findParam(std::string_view path) {
  static const std::unordered_map<std::string_view, Param> byPath = [] {
    std::unordered_map<std::string_view, Param> index;
    for (size_t i = 0; i < paramCount(); ++i)
      index.emplace(Infos[i].path, Param(i));
    return index;
  }();
  if (auto found = byPath.find(path); found != byPath.end())
    return found->second;
  std::vector<std::string> paths;
  for (const ParamInfo &info : Infos)
    paths.emplace_back(info.path);
  std::string nearest = nearestWord(std::string(path), paths);
  return Error("no chip parameter is called '" + std::string(path) + "'", {},
               nearest.empty() ? "'tlx chips h200' lists them" : "did you mean '" + nearest + "'?");
}

int64_t Chip::cycles(Param param) const { return std::llround((*this)[param]); }

double Chip::hbmBytesPerClk() const {
  return (*this)[Param::HbmGigabytesPerSecond] * 1e3 / (*this)[Param::ClockMhz];
}

std::vector<int> Chip::gpcs() const {
  int sms = int(integer(Param::SmCount)), groups = int(integer(Param::SmGpcs));
  int pairs = (sms + 1) / 2, each = pairs / groups, larger = pairs % groups;
  std::vector<int> of;
  for (int group = 0; group < groups; ++group) {
    int size = each + (group >= groups - larger ? 1 : 0);
    for (int i = 0; i < 2 * size && int(of.size()) < sms; ++i)
      of.push_back(group);
  }
  return of;
}

std::vector<std::string> Chip::builtins() {
  std::vector<std::string> names;
  for (const BuiltinChip &chip : builtinChips())
    names.emplace_back(chip.name);
  std::sort(names.begin(), names.end());
  return names;
}

Result<Chip> Chip::load(const std::string &nameOrPath) {
  for (const BuiltinChip &chip : builtinChips())
    if (nameOrPath == chip.name)
      return parse(chip.text, std::string(chip.name) + ".chip");
  bool isPath =
      nameOrPath.find('/') != std::string::npos ||
      (nameOrPath.size() > 5 && nameOrPath.compare(nameOrPath.size() - 5, 5, ".chip") == 0);
  if (!isPath) {
    std::string known;
    for (const std::string &builtin : builtins())
      known += (known.empty() ? "" : ", ") + builtin;
    return Error("no chip is called '" + nameOrPath + "'", {},
                 "built in: " + known + "; a table of your own is a path that ends in .chip");
  }
  Result<std::string> text = readFile(nameOrPath);
  if (!text)
    return std::move(text).error();
  return parse(*text, nameOrPath);
}

Result<void> Chip::whatIf(const std::string &assignment) {
  size_t equals = assignment.find('=');
  if (equals == std::string::npos)
    return Error("--what-if takes path=value; got '" + assignment + "'");
  Result<Param> param = findParam(assignment.substr(0, equals));
  if (!param)
    return std::move(param).error();
  std::string number = assignment.substr(equals + 1);
  char *end = nullptr;
  double value = std::strtod(number.c_str(), &end);
  const ParamInfo &facts = info(*param);
  if (number.empty() || *end || !(value >= facts.min && value <= facts.max)) {
    std::ostringstream message;
    message << "'" << facts.path << "' must be a number from " << facts.min << " to " << facts.max
            << " " << facts.unit << "; got '" << number << "'";
    return Error(message.str());
  }
  ParamValue &slot = values[static_cast<size_t>(*param)];
  slot = {};
  slot.value = value;
  slot.given = true;
  slot.source = "--what-if";
  return {};
}

std::string Chip::text() const {
  std::ostringstream out;
  out << "chip " << chipName << "\narch " << sim::name(chipArch) << "\n";
  for (size_t i = 0; i < values.size(); ++i) {
    const ParamValue &value = values[i];
    if (!value.given)
      continue;
    char number[40];
    std::snprintf(number, sizeof number, "%.15g", value.value);
    out << Infos[i].path << " = " << number << " " << Infos[i].unit << " "
        << sim::name(value.provenance) << " \"" << value.source << "\"";
    if (value.residualPercent >= 0)
      out << " residual " << value.residualPercent << "%";
    out << "\n";
  }
  return out.str();
}

} // namespace tlx::sim
