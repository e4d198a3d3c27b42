// docs/reference/chips.md is program output: this test writes it anew and
// compares. With TLX_UPDATE_DOCS set in the environment it replaces the file.
#include "sim/chips/Chip.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace tlx;
using namespace tlx::sim;

namespace {

std::string number(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.10g", value);
  return buffer;
}

std::string reference() {
  std::vector<Chip> chips;
  for (const std::string &name : Chip::builtins())
    chips.push_back(*Chip::load(name));
  std::string out = "# Chip tables\n\n"
                    "Written by a test (`tests/sim/chips/ReferenceTest.cpp`) from `sim/chips`; set "
                    "`TLX_UPDATE_DOCS=1` and run it to renew "
                    "this page.\n\n"
                    "Every number of a chip that the simulator's time rests on, to be changed with "
                    "`--what-if PATH=VALUE`. A table of one's "
                    "own is a file that ends in `.chip`, given as `--chip FILE`; `based-on h200` "
                    "takes over what it leaves out. The letter "
                    "behind a number: **m**easured on the chip, **f**itted to measurements, "
                    "**r**ead in a document, **a**ssumed; each "
                    "table names the source.\n\n"
                    "| path | unit | meaning |";
  for (const Chip &chip : chips)
    out += " " + chip.name() + " |";
  out += "\n|---|---|---|";
  for (size_t i = 0; i < chips.size(); ++i)
    out += "---|";
  out += "\n";
  for (size_t i = 0; i < paramCount(); ++i) {
    const ParamInfo &facts = info(Param(i));
    out += std::string("| `") + facts.path + "` | " + facts.unit + " | " + facts.meaning + " |";
    for (const Chip &chip : chips) {
      const ParamValue &value = chip.get(Param(i));
      out +=
          value.given ? " " + number(value.value) + " " + name(value.provenance)[0] + " |" : " |";
    }
    out += "\n";
  }
  return out;
}

TEST(ChipReference, IsUpToDate) {
  std::string path = std::string(TLX_SOURCE_DIR) + "/docs/reference/chips.md";
  std::string expected = reference();
  if (std::getenv("TLX_UPDATE_DOCS"))
    std::ofstream(path) << expected;
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  EXPECT_EQ(text.str(), expected) << "renew the page with TLX_UPDATE_DOCS=1";
}

} // namespace
