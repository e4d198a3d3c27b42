//===- Validate.cpp - what every consumer of a Program relies on ------------------===//
#include "sim/program/Program.h"

namespace tlx::sim {
namespace {

class Validator {
public:
  explicit Validator(const Program &program) : program(program) {}

  std::vector<ProgramError> run() {
    for (TypeId type : program.regTypes)
      if (type < 0 || size_t(type) >= program.types.size())
        return fail(-1, "a register has no type"), std::move(errors);
    checkTypes();
    collectDefinitions();
    for (Pc pc = 0; pc < Pc(program.code.size()); ++pc)
      checkInst(pc);
    checkTables();
    return std::move(errors);
  }

private:
  const Program &program;
  std::vector<ProgramError> errors;
  std::vector<bool> defined;

  void fail(Pc pc, const std::string &message) {
    LocId loc = pc >= 0 ? program.code[pc].loc : -1;
    std::string text = program.locationText(loc) + ": error: ";
    if (pc >= 0)
      text += "'" + std::string(name(program.code[pc].op)) + "' ";
    errors.push_back({pc, text + message});
  }

  bool isReg(Reg reg) const { return reg >= 0 && size_t(reg) < program.regTypes.size(); }
  bool isPc(Pc pc) const { return pc >= 0 && size_t(pc) < program.code.size(); }
  template <typename T> static bool inTable(int32_t id, const std::vector<T> &table) {
    return id >= 0 && size_t(id) < table.size();
  }

  void checkTypes() {
    for (const Type &type : program.types) {
      for (int64_t dim : type.shape)
        if (dim <= 0)
          fail(-1, "a shape has a dimension of " + std::to_string(dim));
      if (type.kind != TypeKind::MemDesc)
        continue;
      if (!inTable(type.layout, program.layouts)) {
        fail(-1, "a memory descriptor has no layout");
        continue;
      }
      size_t rank = program.layouts[type.layout].bases.size();
      if (rank > type.allocShape.size() || type.allocShape.size() < type.shape.size())
        fail(-1, "a memory descriptor's layout has " + std::to_string(rank) +
                     " dimensions; its allocation has " + std::to_string(type.allocShape.size()));
    }
  }

  void define(Reg reg) {
    if (isReg(reg))
      defined[reg] = true;
  }

  void collectDefinitions() {
    defined.assign(program.regTypes.size(), false);
    for (const Parameter &parameter : program.parameters)
      define(parameter.reg);
    for (const Function &function : program.functions)
      for (Reg reg : function.args)
        define(reg);
    for (const Block &block : program.blocks)
      for (Reg reg : block.args)
        define(reg);
    for (const Specialize &specialize : program.specializes) {
      for (Reg reg : specialize.results)
        define(reg);
      for (const Partition &partition : specialize.partitions)
        for (auto [to, from] : partition.captures)
          define(to);
    }
    for (const Edge &edge : program.edges)
      for (auto [to, from] : edge.moves)
        define(to);
    for (const Inst &inst : program.code)
      for (unsigned i = 0; i < inst.numResults; ++i)
        define(program.result(inst, i));
  }

  void checkUse(Pc pc, Reg reg, const char *what) {
    if (reg == noReg)
      return;
    if (!isReg(reg))
      fail(pc, std::string(what) + " is register " + std::to_string(reg) + " of " +
                   std::to_string(program.regTypes.size()));
    else if (!defined[reg])
      fail(pc, std::string(what) + " %" + std::to_string(reg) + " is never defined");
  }

  void checkEdge(Pc pc, int32_t id) {
    if (!inTable(id, program.edges))
      return fail(pc, "has no jump target");
    const Edge &edge = program.edges[id];
    if (!isPc(edge.target))
      fail(pc, "jumps to " + std::to_string(edge.target) + ", outside the program");
    for (auto [to, from] : edge.moves) {
      checkUse(pc, from, "a jump argument");
      checkUse(pc, to, "a jump parameter");
      if (isReg(from) && isReg(to) && program.typeOf(from).kind != program.typeOf(to).kind)
        fail(pc, "passes %" + std::to_string(from) + " to %" + std::to_string(to) +
                     ", which holds another kind of value");
    }
  }

  void checkInst(Pc pc) {
    const Inst &inst = program.code[pc];
    if (inst.operands + inst.numOperands > program.regs.size() ||
        inst.results + inst.numResults > program.regs.size() ||
        inst.effects + inst.numEffects > program.effects.size() ||
        inst.attrs >= int32_t(program.attrs.size()) || inst.cost >= int32_t(program.costs.size()) ||
        inst.loc >= int32_t(program.locations.size()))
      return fail(pc, "refers outside the program's tables");
    for (unsigned i = 0; i < inst.numOperands; ++i)
      checkUse(pc, program.operand(inst, i), "an operand");
    for (unsigned i = 0; i < inst.numResults; ++i)
      if (!isReg(program.result(inst, i)))
        fail(pc, "has a result without a register");
    for (unsigned i = 0; i < inst.numEffects; ++i) {
      const Effect &effect = program.effectsOf(inst)[i];
      for (Reg reg : {effect.target, effect.predicate, effect.phase, effect.amountReg, effect.rank,
                      effect.barrier, effect.barrierPredicate, effect.matters})
        checkUse(pc, reg, "an effect's register");
    }
    checkOp(pc, inst);
  }

  void checkOp(Pc pc, const Inst &inst) {
    const Attrs &attrs = program.attrsOf(inst);
    switch (inst.op) {
    case Op::Br: checkEdge(pc, inst.edge); break;
    case Op::CondBr:
      checkEdge(pc, inst.edge);
      checkEdge(pc, inst.edge < 0 ? inst.edge : inst.edge + 1);
      break;
    case Op::Constant:
      if (!inTable(attrs.constant, program.constants))
        fail(pc, "has no constant");
      break;
    case Op::Call:
      if (!inTable(attrs.function, program.functions))
        fail(pc, "calls no function");
      else if (!isPc(program.functions[attrs.function].entry))
        fail(pc, "calls '" + program.functions[attrs.function].name + "', which has no body");
      else if (program.functions[attrs.function].args.size() != inst.numOperands)
        fail(pc, "passes " + std::to_string(inst.numOperands) + " arguments to '" +
                     program.functions[attrs.function].name + "'");
      break;
    case Op::WarpSpecialize:
    case Op::WarpYield:
      if (!inTable(attrs.specialize, program.specializes))
        fail(pc, "names no regions");
      break;
    case Op::Reduce:
    case Op::Scan:
    case Op::MapElementwise:
      if (!inTable(attrs.block, program.blocks))
        fail(pc, "has no region");
      break;
    case Op::LocalAlloc:
    case Op::TmemAlloc:
      if (!inTable(attrs.allocation, program.allocations))
        fail(pc, "has no storage");
      break;
    default: break;
    }
  }

  /// Code must not run past its end: the last instruction leaves.
  void checkEnd(Pc end, const std::string &what) {
    if (end <= 0 || size_t(end) > program.code.size())
      return fail(-1, what + " has no code");
    Op last = program.code[end - 1].op;
    if (last != Op::Return && last != Op::Br && last != Op::CondBr && last != Op::WarpReturn)
      fail(end - 1, "is the last instruction of " + what + ", which never ends");
  }

  void checkTables() {
    if (program.functions.empty())
      return fail(-1, "a program has no kernel");
    for (const Function &function : program.functions)
      if (function.end >= 0)
        checkEnd(function.end, "'" + function.name + "'");
    for (const Block &block : program.blocks)
      checkEnd(block.end, "a region");
    for (const Specialize &specialize : program.specializes) {
      if (!isPc(specialize.defaultEntry) || !isPc(specialize.join))
        fail(-1, "a warp_specialize has no default region or no end");
      for (const Partition &partition : specialize.partitions) {
        if (!isPc(partition.entry))
          fail(-1, partition.name + " has no code");
        else
          checkEnd(partition.end, partition.name);
        if (partition.numWarps <= 0)
          fail(-1, partition.name + " has " + std::to_string(partition.numWarps) + " warps");
        for (auto [to, from] : partition.captures)
          checkUse(-1, from, "a capture");
      }
    }
  }
};

} // namespace

std::vector<ProgramError> validate(const Program &program) { return Validator(program).run(); }

} // namespace tlx::sim
