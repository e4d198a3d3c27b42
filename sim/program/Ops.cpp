//===- Ops.cpp - names and families of opcodes --------------------------------===//
#include "sim/program/Ops.h"

#include <string_view>
#include <unordered_map>

namespace tlx::sim {

const char *name(Op op) {
  static const char *const names[] = {
#define TLX_SIM_OP(op, name, family) name,
#include "sim/program/Ops.def"
  };
  return names[unsigned(op)];
}

Family familyOf(Op op) {
  static const Family families[] = {
#define TLX_SIM_OP(op, name, family) Family::family,
#include "sim/program/Ops.def"
  };
  return families[unsigned(op)];
}

const char *name(Family family) {
  switch (family) {
  case Family::Control: return "control";
  case Family::Arith: return "arith";
  case Family::Math: return "math";
  case Family::Cast: return "cast";
  case Family::Shape: return "shape";
  case Family::Reduce: return "reduce";
  case Family::Global: return "global";
  case Family::Program: return "program";
  case Family::Shared: return "shared";
  case Family::Barrier: return "barrier";
  case Family::Tma: return "tma";
  case Family::CpAsync: return "cp-async";
  case Family::Mma: return "mma";
  case Family::Tmem: return "tmem";
  case Family::Cluster: return "cluster";
  case Family::Clc: return "clc";
  case Family::Amd: return "amd";
  }
  return "?";
}

std::optional<Op> opFromName(std::string_view mlirName) {
  static const auto *index = new std::unordered_map<std::string_view, Op>{
#define TLX_SIM_OP(op, name, family) {name, Op::op},
#define TLX_SIM_ALIAS(op, name) {name, Op::op},
#include "sim/program/Ops.def"
  };
  auto it = index->find(mlirName);
  if (it == index->end())
    return std::nullopt;
  return it->second;
}

} // namespace tlx::sim
