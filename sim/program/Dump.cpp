//===- Dump.cpp - a readable listing of a Program --------------------------------===//
//
//   kernel @add(%0 "x": ptr<f32>, %1 "n": i32)
//      0  %2 = tt.get_program_id axis=0                  ; k.py:10:4
//      1  cf.cond_br %3 ? 4 : 2 [%5 <- %2]
//
//===----------------------------------------------------------------------===//
#include "sim/program/Program.h"

#include <sstream>

namespace tlx::sim {

static void print(std::ostream &out, const Type &type) {
  if (type.kind == TypeKind::Token) {
    out << "token";
    return;
  }
  const char *open = type.kind == TypeKind::MemDesc      ? "memdesc<"
                     : type.kind == TypeKind::TensorDesc ? "tensordesc<"
                     : type.kind == TypeKind::Tensor     ? "tensor<"
                                                         : "";
  out << open;
  for (int64_t dim : type.shape)
    out << dim << 'x';
  if (type.pointer)
    out << "ptr<" << name(type.elem) << '>';
  else
    out << name(type.elem);
  if (type.kind == TypeKind::MemDesc)
    out << ", " << sync::name(type.space) << ", layout " << type.layout;
  if (*open)
    out << '>';
}

static void print(std::ostream &out, const Edge &edge) {
  out << edge.target;
  for (auto [to, from] : edge.moves)
    out << " [%" << to << " <- %" << from << ']';
}

static void print(std::ostream &out, const Effect &effect) {
  out << " {" << sync::name(effect.kind);
  if (effect.target >= 0)
    out << " %" << effect.target;
  if (effect.amountReg >= 0)
    out << " amount %" << effect.amountReg;
  else if (effect.amount)
    out << " amount " << effect.amount;
  if (effect.phase >= 0)
    out << " phase %" << effect.phase;
  if (effect.predicate >= 0)
    out << " if %" << effect.predicate;
  if (effect.rank >= 0)
    out << (effect.rankIsMask ? " ranks %" : " rank %") << effect.rank;
  if (effect.group != sync::Group::None)
    out << " group " << sync::name(effect.group);
  if (effect.moment == sync::Moment::Completion)
    out << " later";
  out << '}';
}

static void print(std::ostream &out, const Program &program, Pc pc) {
  const Inst &inst = program.code[pc];
  out << "  " << pc << "  ";
  for (unsigned i = 0; i < inst.numResults; ++i)
    out << (i ? ", %" : "%") << program.result(inst, i);
  if (inst.numResults)
    out << " = ";
  out << name(inst.op);
  for (unsigned i = 0; i < inst.numOperands; ++i) {
    Reg reg = program.operand(inst, i);
    out << (i ? ", " : " ");
    if (reg < 0)
      out << '_';
    else
      out << '%' << reg;
  }
  if (inst.edge >= 0) {
    out << (inst.op == Op::CondBr ? " ? " : " ");
    print(out, program.edges[inst.edge]);
    if (inst.op == Op::CondBr) {
      out << " : ";
      print(out, program.edges[inst.edge + 1]);
    }
  }
  for (unsigned i = 0; i < inst.numEffects; ++i)
    print(out, program.effectsOf(inst)[i]);
  if (inst.numResults) {
    out << " : ";
    print(out, program.typeOf(program.result(inst, 0)));
  }
  if (inst.loc >= 0)
    out << "  ; " << program.locationText(inst.loc);
  out << '\n';
}

std::string dump(const Program &program) {
  std::ostringstream out;
  out << "kernel @" << program.kernelName << '(';
  for (size_t i = 0; i < program.parameters.size(); ++i) {
    const Parameter &parameter = program.parameters[i];
    out << (i ? ", %" : "%") << parameter.reg << " \"" << parameter.name << "\": ";
    print(out, program.types[parameter.type]);
  }
  out << ") warps " << program.facts.numWarps << '\n';
  for (Pc pc = 0; pc < Pc(program.code.size()); ++pc) {
    for (const Function &function : program.functions)
      if (function.entry == pc && pc)
        out << "function @" << function.name << '\n';
    for (size_t i = 0; i < program.blocks.size(); ++i)
      if (program.blocks[i].entry == pc)
        out << "block " << i << '\n';
    for (const Specialize &specialize : program.specializes) {
      if (specialize.defaultEntry == pc)
        out << "default\n";
      for (const Partition &partition : specialize.partitions)
        if (partition.entry == pc)
          out << partition.name << " warps " << partition.numWarps << '\n';
    }
    print(out, program, pc);
  }
  return out.str();
}

} // namespace tlx::sim
