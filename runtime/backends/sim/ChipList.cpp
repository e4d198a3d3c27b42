//===- ChipList.cpp - what `tlx chips` prints --------------------------------===//
#include "runtime/base/Json.h"
#include "runtime/device/Device.h"
#include "sim/chips/Targets.h"

#include <algorithm>
#include <cstdio>

namespace tlx::device {

namespace {

std::string number(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.10g", value);
  return buffer;
}

std::string padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text + "  ";
}

/// Calls `visit(info, value)` for every number, also those that the chip does not give.
template <typename Visit> void forNumbers(const sim::Chip &chip, Visit visit) {
  for (size_t i = 0; i < sim::paramCount(); ++i)
    visit(sim::info(sim::Param(i)), chip.get(sim::Param(i)));
}

std::string jsonText(const std::vector<sim::Chip> &chips) {
  json::Writer writer(/*pretty=*/true);
  writer.beginArray();
  for (const sim::Chip &chip : chips) {
    writer.beginObject();
    writer.key("chip").value(chip.name()).key("arch").value(sim::name(chip.arch()));
    writer.key("target").value(sim::targetOfChip(chip));
    writer.key("numbers").beginArray();
    forNumbers(chip, [&](const sim::ParamInfo &info, const sim::ParamValue &value) {
      writer.beginObject().key("path").value(info.path);
      writer.key("unit").value(info.unit).key("meaning").value(info.meaning).key("value");
      if (!value.given) { // the chip has no such thing
        writer.null().endObject();
        return;
      }
      writer.value(value.value).key("provenance").value(sim::name(value.provenance));
      writer.key("source").value(value.source);
      if (value.residualPercent >= 0)
        writer.key("residual_percent").value(value.residualPercent);
      writer.endObject();
    });
    writer.endArray().endObject();
  }
  writer.endArray();
  return std::move(writer).str() + "\n";
}

std::string overview(const std::vector<sim::Chip> &chips) {
  std::string out =
      "chip      arch     target       SMs  MHz    numbers: measured, fitted, read, assumed\n";
  for (const sim::Chip &chip : chips) {
    size_t count[4] = {};
    forNumbers(chip, [&](const sim::ParamInfo &, const sim::ParamValue &value) {
      count[size_t(value.provenance)] += value.given;
    });
    out += padded(chip.name(), 8) + padded(sim::name(chip.arch()), 7) +
           padded(sim::targetOfChip(chip), 11) + padded(number(chip[sim::Param::SmCount]), 3) +
           padded(number(chip[sim::Param::ClockMhz]), 5);
    for (size_t i = 0; i < 4; ++i)
      out += (i ? ", " : "") + std::to_string(count[i]);
    out += "\n";
  }
  return out + "`tlx chips NAME` lists a chip's numbers with their sources.\n";
}

std::string numbers(const sim::Chip &chip) {
  std::string out = chip.name() + " (" + sim::name(chip.arch()) + ")\n";
  forNumbers(chip, [&](const sim::ParamInfo &info, const sim::ParamValue &value) {
    if (!value.given)
      return;
    out += "  " + padded(info.path, 26) + padded(number(value.value) + " " + info.unit, 18) +
           padded(sim::name(value.provenance), 8) + value.source;
    if (value.residualPercent >= 0)
      out += " (fits to " + number(value.residualPercent) + " %)";
    out += "\n";
  });
  return out;
}

} // namespace

} // namespace tlx::device

extern "C" int tlxListChips(const std::vector<std::string> *names, bool json, std::string *out,
                            tlx::Error *error) {
  using namespace tlx;
  std::vector<sim::Chip> chips;
  for (const std::string &name : names->empty() ? sim::Chip::builtins() : *names) {
    Result<sim::Chip> chip = sim::Chip::load(name);
    if (!chip) {
      *error = std::move(chip).error();
      return int(error->code);
    }
    chips.push_back(std::move(*chip));
  }
  if (json)
    *out = device::jsonText(chips);
  else if (names->empty())
    *out = device::overview(chips);
  else
    for (const sim::Chip &chip : chips)
      *out += device::numbers(chip);
  return 0;
}
