//===- Ptx.h - the PTX that elementwise inline assembly uses --------------===//
//
// A straight line of register instructions, run over many lanes at once: every register is a
// vector of 64-bit patterns. Instructions that look across the lanes of a warp need to know the
// warps. Memory and control flow are not understood; run() says so.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tlx::sim {

struct PtxInst {
  std::string text;                               ///< as written, for messages
  std::string guard;                              ///< "p" or "!p" of @p, @!p
  std::vector<std::string> name;                  ///< "cvt", "rn", "f16x2", "f32"
  std::vector<std::vector<std::string>> operands; ///< an operand {a, b} has two parts
};

/// The statements of an assembly string; declarations are dropped.
std::vector<PtxInst> parsePtx(const std::string &text);

/// `op.type` of two values, as add.s32. False: it is not understood.
bool combinePtx(const std::string &op, const std::string &type, uint64_t a, uint64_t b,
                uint64_t &out);

/// Whether an instruction's result depends on which threads hold which elements.
bool looksAcrossLanes(const PtxInst &inst);

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
  /// Lanes of a warp, which are neighbours and run together; 0: unknown.
  size_t warpSize = 0;
  /// Thread of each lane, where the warps are known.
  std::vector<uint64_t> threads;

  /// Runs one instruction. False: it is not understood.
  bool run(const PtxInst &inst);

private:
  bool execute(const PtxInst &inst);
  /// redux, shfl, vote, match, activemask (PtxWarp.cpp).
  bool acrossLanes(const PtxInst &inst);
  size_t lanes;
  std::map<std::string, std::vector<uint64_t>> registers;

  bool move(const PtxInst &inst);
  bool convert(const PtxInst &inst);
  bool compute(const PtxInst &inst);
  bool packed(const PtxInst &inst);
  std::vector<uint64_t> source(const std::string &operand);
};

} // namespace tlx::sim
