//===- Builder.cpp - writing a Program ------------------------------------------===//
#include "sim/program/Builder.h"

#include <algorithm>

namespace tlx::sim {

Builder::Builder(std::string kernelName) {
  program.kernelName = kernelName;
  pieces.emplace_back();
  Function kernel;
  kernel.name = std::move(kernelName);
  program.functions.push_back(std::move(kernel));
}

// --- Tables ---------------------------------------------------------------------

/// Index of an equal entry, or of a new one at the end. Tables are short.
template <typename T> static int32_t intern(std::vector<T> &table, const T &value) {
  auto it = std::find(table.begin(), table.end(), value);
  if (it != table.end())
    return int32_t(it - table.begin());
  table.push_back(value);
  return int32_t(table.size() - 1);
}

TypeId Builder::type(const Type &type) { return intern(program.types, type); }
LayoutId Builder::layout(const MemLayout &layout) { return intern(program.layouts, layout); }

LocId Builder::location(const Location &location) {
  program.locations.push_back(location);
  return LocId(program.locations.size() - 1);
}

void Builder::setCost(const Cost &cost) {
  program.costs.push_back(cost);
  nextCost = CostId(program.costs.size() - 1);
}

int32_t Builder::allocation(Allocation allocation) {
  if (allocation.loc < 0)
    allocation.loc = currentLoc;
  program.allocations.push_back(std::move(allocation));
  return int32_t(program.allocations.size() - 1);
}

// --- Registers and instructions --------------------------------------------------

Reg Builder::newReg(TypeId type) {
  program.regTypes.push_back(type);
  return Reg(program.regTypes.size() - 1);
}

Reg Builder::parameter(std::string name, TypeId type, int32_t argument, Parameter::Field field,
                       int32_t dimension, int64_t divisibility) {
  Parameter parameter;
  parameter.name = std::move(name);
  parameter.type = type;
  parameter.reg = newReg(type);
  parameter.argument = argument;
  parameter.field = field;
  parameter.dimension = dimension;
  parameter.divisibility = divisibility;
  program.parameters.push_back(parameter);
  return parameter.reg;
}

void Builder::emitTo(Op op, const Regs &operands, const Regs &results, const Attrs &attrs,
                     const std::vector<Effect> &effects) {
  Inst inst;
  inst.op = op;
  inst.numOperands = uint16_t(operands.size());
  inst.numResults = uint16_t(results.size());
  inst.numEffects = uint16_t(effects.size());
  inst.operands = uint32_t(program.regs.size());
  program.regs.insert(program.regs.end(), operands.begin(), operands.end());
  inst.results = uint32_t(program.regs.size());
  program.regs.insert(program.regs.end(), results.begin(), results.end());
  inst.effects = uint32_t(program.effects.size());
  program.effects.insert(program.effects.end(), effects.begin(), effects.end());
  inst.attrs = AttrsId(program.attrs.size());
  program.attrs.push_back(attrs);
  inst.loc = currentLoc;
  inst.cost = nextCost;
  nextCost = -1;
  pieces[piece].push_back(inst);
}

Regs Builder::emit(Op op, const Regs &operands, const std::vector<TypeId> &resultTypes,
                   const Attrs &attrs, const std::vector<Effect> &effects) {
  Regs results;
  for (TypeId type : resultTypes)
    results.push_back(newReg(type));
  emitTo(op, operands, results, attrs, effects);
  return results;
}

Reg Builder::emit1(Op op, const Regs &operands, TypeId resultType, const Attrs &attrs,
                   const std::vector<Effect> &effects) {
  return emit(op, operands, {resultType}, attrs, effects)[0];
}

Reg Builder::unary(Op op, Reg a, const Attrs &attrs) {
  return emit1(op, {a}, program.regTypes[a], attrs);
}

Reg Builder::binary(Op op, Reg a, Reg b, const Attrs &attrs) {
  return emit1(op, {a, b}, program.regTypes[a], attrs);
}

Reg Builder::compare(CmpI predicate, Reg a, Reg b) {
  Attrs attrs;
  attrs.cmpi = predicate;
  Type result = typeOf(a);
  result.elem = DType::i1;
  result.pointer = false;
  return emit1(Op::CmpI, {a, b}, type(result), attrs);
}

Reg Builder::compare(CmpF predicate, Reg a, Reg b) {
  Attrs attrs;
  attrs.cmpf = predicate;
  Type result = typeOf(a);
  result.elem = DType::i1;
  return emit1(Op::CmpF, {a, b}, type(result), attrs);
}

Reg Builder::constant(TypeId type, std::vector<uint64_t> bits) {
  Attrs attrs;
  attrs.constant = int32_t(program.constants.size());
  program.constants.push_back({type, std::move(bits)});
  return emit1(Op::Constant, {}, type, attrs);
}

Reg Builder::constantInt(DType elem, int64_t value) {
  return constant(scalar(elem), {uint64_t(value)});
}

Reg Builder::constantFloat(TypeId type, double value) {
  return constant(type, {fromDouble(program.types[type].elem, value)});
}

// --- Control flow -------------------------------------------------------------------

Builder::Label Builder::makeLabel() {
  labels.push_back({});
  return {int32_t(labels.size() - 1)};
}

void Builder::place(Label label) { labels[label.id] = {piece, Pc(pieces[piece].size())}; }

Builder::Label Builder::placedLabel() {
  Label label = makeLabel();
  place(label);
  return label;
}

Edge Builder::edge(Label target, const Regs &from, const Regs &to) {
  Edge edge;
  edge.target = target.id;
  for (size_t i = 0; i < to.size(); ++i)
    edge.moves.push_back({to[i], from[i]});
  return edge;
}

int32_t Builder::addEdges(std::initializer_list<Edge> edges) {
  int32_t first = int32_t(program.edges.size());
  program.edges.insert(program.edges.end(), edges);
  return first;
}

void Builder::br(Label target, const Regs &from, const Regs &to) {
  emitTo(Op::Br, {}, {});
  pieces[piece].back().edge = addEdges({edge(target, from, to)});
}

void Builder::condBr(Reg condition, Label ifTrue, const Regs &trueFrom, const Regs &trueTo,
                     Label ifFalse, const Regs &falseFrom, const Regs &falseTo, Label merge) {
  emitTo(Op::CondBr, {condition}, {});
  Inst &inst = pieces[piece].back();
  inst.edge = addEdges({edge(ifTrue, trueFrom, trueTo), edge(ifFalse, falseFrom, falseTo)});
  inst.merge = merge.id;
}

Regs Builder::forLoop(Reg lower, Reg upper, Reg step, const Regs &inits, const LoopBody &body,
                      bool isUnsigned) {
  Label head = makeLabel(), bodyLabel = makeLabel(), exit = makeLabel();
  Reg iv = newReg(program.regTypes[lower]);
  Regs headArgs{iv}, from{lower}, args, results;
  for (Reg init : inits) {
    args.push_back(newReg(program.regTypes[init]));
    results.push_back(newReg(program.regTypes[init]));
    headArgs.push_back(args.back());
    from.push_back(init);
  }
  program.loops.push_back({head.id, exit.id, currentLoc});
  LocId loc = currentLoc;
  br(head, from, headArgs);
  place(head);
  Reg more = compare(isUnsigned ? CmpI::Ult : CmpI::Slt, iv, upper);
  condBr(more, bodyLabel, {}, {}, exit, args, results, {});
  place(bodyLabel);
  Regs next = body(iv, args);
  setLocation(loc);
  next.insert(next.begin(), binary(Op::AddI, iv, step));
  br(head, next, headArgs);
  place(exit);
  return results;
}

Regs Builder::ifElse(Reg condition, const std::vector<TypeId> &resultTypes,
                     const std::function<Regs()> &thenBody, const std::function<Regs()> &elseBody) {
  Label thenLabel = makeLabel(), elseLabel = makeLabel(), merge = makeLabel();
  Regs results;
  for (TypeId type : resultTypes)
    results.push_back(newReg(type));
  LocId loc = currentLoc;
  condBr(condition, thenLabel, {}, {}, elseBody ? elseLabel : merge, {}, {}, merge);
  place(thenLabel);
  Regs values = thenBody();
  setLocation(loc);
  br(merge, values, results);
  place(elseLabel);
  if (elseBody) {
    values = elseBody();
    setLocation(loc);
    br(merge, values, results);
  }
  place(merge);
  return results;
}

Regs Builder::whileLoop(const Regs &inits, const std::function<WhileStep(const Regs &)> &before,
                        const std::function<Regs(const Regs &)> &after) {
  Label head = makeLabel(), body = makeLabel(), exit = makeLabel();
  Regs headArgs;
  for (Reg init : inits)
    headArgs.push_back(newReg(program.regTypes[init]));
  program.loops.push_back({head.id, exit.id, currentLoc});
  LocId loc = currentLoc;
  br(head, inits, headArgs);
  place(head);
  WhileStep step = before(headArgs);
  Regs bodyArgs, results;
  for (Reg reg : step.forwarded) {
    bodyArgs.push_back(newReg(program.regTypes[reg]));
    results.push_back(newReg(program.regTypes[reg]));
  }
  setLocation(loc);
  condBr(step.condition, body, step.forwarded, bodyArgs, exit, step.forwarded, results, {});
  place(body);
  Regs next = after(bodyArgs);
  setLocation(loc);
  br(head, next, headArgs);
  place(exit);
  return results;
}

// --- Out-of-line code and tasks --------------------------------------------------------

int32_t Builder::writePiece(const std::function<void()> &body) {
  int32_t outer = piece;
  piece = int32_t(pieces.size());
  int32_t written = piece;
  pieces.emplace_back();
  LocId loc = currentLoc;
  CostId cost = nextCost;
  nextCost = -1;
  body();
  currentLoc = loc;
  nextCost = cost;
  piece = outer;
  return written;
}

BlockId Builder::block(const std::vector<TypeId> &argTypes,
                       const std::function<Regs(const Regs &)> &body) {
  Block block;
  for (TypeId type : argTypes)
    block.args.push_back(newReg(type));
  int32_t written = writePiece([&] {
    block.entry = placedLabel().id;
    emitTo(Op::Return, body(block.args), {});
    block.end = placedLabel().id;
  });
  for (const Inst &inst : pieces[written])
    if (inst.op == Op::Br || inst.op == Op::CondBr || inst.op == Op::Call)
      block.straightLine = false;
  program.blocks.push_back(std::move(block));
  return BlockId(program.blocks.size() - 1);
}

Regs Builder::warpSpecialize(const Regs &captures, const std::vector<TypeId> &resultTypes,
                             const std::function<Regs()> &defaultBody,
                             const std::vector<PartitionSpec> &partitions,
                             int32_t defaultRegisters) {
  int32_t id = int32_t(program.specializes.size());
  program.specializes.emplace_back();
  Specialize specialize;
  specialize.loc = currentLoc;
  specialize.defaultRegisters = defaultRegisters;
  for (TypeId type : resultTypes)
    specialize.results.push_back(newReg(type));
  Attrs attrs;
  attrs.specialize = id;
  emitTo(Op::WarpSpecialize, captures, {}, attrs);
  specialize.defaultEntry = placedLabel().id;
  Regs yielded = defaultBody();
  currentLoc = specialize.loc;
  emitTo(Op::WarpYield, yielded, {}, attrs);
  for (const PartitionSpec &spec : partitions) {
    Partition partition;
    partition.name =
        spec.name.empty() ? "partition" + std::to_string(specialize.partitions.size()) : spec.name;
    partition.numWarps = spec.numWarps;
    partition.startWarp = spec.startWarp;
    partition.requestedRegisters = spec.requestedRegisters;
    Regs args;
    for (Reg capture : captures) {
      args.push_back(newReg(program.regTypes[capture]));
      partition.captures.push_back({args.back(), capture});
    }
    partition.entry = placedLabel().id;
    spec.body(args);
    currentLoc = specialize.loc;
    emitTo(Op::WarpReturn, {}, {}, attrs);
    partition.end = placedLabel().id;
    specialize.partitions.push_back(std::move(partition));
  }
  specialize.join = placedLabel().id;
  program.specializes[id] = std::move(specialize);
  return program.specializes[id].results;
}

int32_t Builder::declareFunction(std::string name, const std::vector<TypeId> &argTypes,
                                 const std::vector<TypeId> &resultTypes) {
  Function function;
  function.name = std::move(name);
  for (TypeId type : argTypes)
    function.args.push_back(newReg(type));
  function.results = resultTypes;
  program.functions.push_back(std::move(function));
  return int32_t(program.functions.size() - 1);
}

void Builder::defineFunction(int32_t function, const std::function<void(const Regs &)> &body) {
  writePiece([&] {
    Pc entry = placedLabel().id;
    Regs args = program.functions[function].args;
    body(args);
    program.functions[function].entry = entry;
    program.functions[function].end = placedLabel().id;
  });
}

// --- Putting it together ------------------------------------------------------------------

Program Builder::finish() {
  std::vector<Pc> starts;
  for (std::vector<Inst> &code : pieces) {
    starts.push_back(Pc(program.code.size()));
    program.code.insert(program.code.end(), code.begin(), code.end());
  }
  auto resolve = [&](Pc &label) {
    if (label >= 0)
      label = labels[label].piece < 0 ? -1 : starts[labels[label].piece] + labels[label].pc;
  };
  for (Edge &edge : program.edges)
    resolve(edge.target);
  for (Inst &inst : program.code)
    resolve(inst.merge);
  for (Block &block : program.blocks)
    resolve(block.entry), resolve(block.end);
  for (Loop &loop : program.loops)
    resolve(loop.head), resolve(loop.exit);
  for (Specialize &specialize : program.specializes) {
    resolve(specialize.defaultEntry), resolve(specialize.join);
    for (Partition &partition : specialize.partitions)
      resolve(partition.entry), resolve(partition.end);
  }
  for (size_t i = 1; i < program.functions.size(); ++i)
    resolve(program.functions[i].entry), resolve(program.functions[i].end);
  Function &kernel = program.functions[0];
  kernel.entry = 0;
  kernel.end = Pc(pieces[0].size());
  for (const Parameter &parameter : program.parameters)
    kernel.args.push_back(parameter.reg);
  return std::move(program);
}

} // namespace tlx::sim
