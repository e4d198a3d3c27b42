//===- Ops.h - the operations of a simulated program ------------------------===//
//
// Opcodes, their families and their MLIR names, all from Ops.def.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tlx::sim {

enum class Op : uint16_t {
#define TLX_SIM_OP(op, name, family) op,
#include "sim/program/Ops.def"
};

enum class Family : uint8_t {
  Control,
  Arith,
  Math,
  Cast,
  Shape,
  Reduce,
  Global,
  Program,
  Shared,
  Barrier,
  Tma,
  CpAsync,
  Mma,
  Tmem,
  Cluster,
  Clc,
  Amd,
};

inline constexpr unsigned numOps = 0
#define TLX_SIM_OP(op, name, family) +1
#include "sim/program/Ops.def"
    ;

/// The MLIR name of an opcode, e.g. "arith.addi".
const char *name(Op op);
const char *name(Family family);
Family familyOf(Op op);

/// The opcode for an MLIR op name, aliases included; nothing for a name that the
/// simulator does not know, which an exporter reports with the op's location.
std::optional<Op> opFromName(std::string_view mlirName);

} // namespace tlx::sim
