//===- Ptx.h - the PTX that elementwise inline assembly uses
//-------------------------------------------===//
//
// A straight line of register instructions, run over many lanes at once: every register is a
// vector of 64-bit patterns. Memory, control flow and anything that looks across lanes is not
// understood; parse() or run() says which instruction it was.
//
//===------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tlx::sim {

struct PtxInst {
  std::string text;                               ///< as written, for messages
  std::vector<std::string> name;                  ///< "cvt", "rn", "f16x2", "f32"
  std::vector<std::vector<std::string>> operands; ///< an operand {a, b} has two parts
};

/// The statements of an assembly string; declarations are dropped.
std::vector<PtxInst> parsePtx(const std::string &text);

class PtxLanes {
public:
  explicit PtxLanes(size_t lanes) : lanes(lanes) {}

  std::vector<uint64_t> &reg(const std::string &name) {
    std::vector<uint64_t> &values = registers[name];
    values.resize(lanes);
    return values;
  }
  /// Value of %smid.
  uint64_t smid = 0;

  /// Runs one instruction. False: it is not understood.
  bool run(const PtxInst &inst);

private:
  size_t lanes;
  std::map<std::string, std::vector<uint64_t>> registers;

  bool move(const PtxInst &inst);
  bool convert(const PtxInst &inst);
  bool compute(const PtxInst &inst);
  bool packed(const PtxInst &inst);
  std::vector<uint64_t> source(const std::string &operand);
};

} // namespace tlx::sim
