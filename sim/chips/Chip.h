//===- Chip.h - what a chip can do, as data -------------------------------===//
//
// A chip is a table of numbers (Parameters.def lists them all). Every number
// carries its unit, its source and how it was come by, so that a prediction can
// say what it rests on. The simulated units read nothing else: changing a number
// changes the prediction.
//
// Tables are text files, built in (sim/chips/data/*.chip) or from a path:
//
//   chip h200                      # must come first
//   arch sm90
//   based-on h100                  # optional: start from a built-in table
//   tma.issueGap = 33 clk fitted "FlashGPU-Sim parameters" residual 10%
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Result.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tlx::sim {

enum class Param : uint8_t {
#define TLX_PARAM(Id, Path, Unit, Min, Max, Needs, Meaning) Id,
#include "sim/chips/Parameters.def"
};

/// How a number was come by, from best to worst.
enum class Provenance : uint8_t {
  Measured, ///< on this chip
  Fitted,   ///< to measurements of this chip, through a model
  Read,     ///< in a vendor's document or source text
  Assumed,  ///< from another chip, or an estimate
};

const char *name(Provenance provenance);

/// What Parameters.def says about one number.
struct ParamInfo {
  const char *path;
  const char *unit;
  double min, max;
  unsigned needs; ///< mask of families
  const char *meaning;
};

const ParamInfo &info(Param param);
size_t paramCount();

/// One number of a table.
struct ParamValue {
  double value = 0;
  Provenance provenance = Provenance::Assumed;
  bool given = false;
  double residualPercent = -1; ///< of the fit; negative: not known
  std::string source;
  SourceLocation location;
};

/// Which instruction set the chip runs; decides which numbers it must give.
enum class Arch : uint8_t { Sm90, Sm100, Gfx9, Gfx1250 };

const char *name(Arch arch);

class Chip {
public:
  /// The table of a built-in chip ("h200") or, for anything with a '/' or a
  /// suffix ".chip", of a file on disk.
  static Result<Chip> load(const std::string &nameOrPath);
  /// Parses `text`; `file` is used in errors.
  static Result<Chip> parse(std::string_view text, const std::string &file);
  /// Names of the built-in tables, sorted.
  static std::vector<std::string> builtins();

  /// Changes one number: "tma.latency=400". It then counts as assumed.
  Result<void> whatIf(const std::string &assignment);

  double operator[](Param param) const { return get(param).value; }
  /// A number rounded to whole cycles.
  int64_t cycles(Param param) const;
  /// A number that is a count or a size.
  int64_t integer(Param param) const { return cycles(param); }
  const ParamValue &get(Param param) const { return values[static_cast<size_t>(param)]; }

  const std::string &name() const { return chipName; }
  Arch arch() const { return chipArch; }
  bool isAmd() const { return chipArch >= Arch::Gfx9; }
  /// The GPC of each SM. SMs are numbered as a launch without clusters fills them:
  /// one GPC after the other, two at a time; GPCs differ by a pair at most.
  std::vector<int> gpcs() const;
  /// hbm.bandwidth in bytes per SM cycle at clock.mhz.
  double hbmBytesPerClk() const;

  /// The table as text that parse() accepts; load(parse(text())) changes nothing.
  std::string text() const;

private:
  friend class ChipParser;
  static constexpr size_t Count = 0
#define TLX_PARAM(...) +1
#include "sim/chips/Parameters.def"
      ;
  std::string chipName;
  Arch chipArch = Arch::Sm90;
  std::array<ParamValue, Count> values;
};

/// The parameter with this path, or an error that suggests the nearest one.
Result<Param> findParam(std::string_view path);

} // namespace tlx::sim
