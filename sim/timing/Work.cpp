// Which family decodes an instruction; control flow and structure.
#include "sim/timing/WorkDecoder.h"

#include <algorithm>
#include <bit>

namespace tlx::sim {

int64_t bytesOf(const Type &type) {
  int64_t bits = type.elementBytes ? type.elementBytes * 8
                 : type.pointer    ? 64
                                   : bitWidth(type.elem);
  if (bits == 1)
    bits = 8;
  return (type.numElements() * bits + 7) / 8;
}

Result<std::vector<Work>> WorkDecoder::run() {
  std::vector<Work> all;
  all.reserve(program.code.size());
  for (const Inst &inst : program.code) {
    all.emplace_back();
    work = &all.back();
    this->inst = &inst;
    if (!decode())
      return Error("the timing model does not know '" + std::string(name(inst.op)) + "'",
                   locationOf(inst.loc));
    refine();
  }
  return all;
}

SourceLocation WorkDecoder::locationOf(LocId loc) const {
  if (loc < 0 || size_t(loc) >= program.locations.size())
    return {};
  const Location &l = program.locations[loc];
  return {l.file, unsigned(std::max(0, l.line)), unsigned(std::max(0, l.column))};
}

const Type &WorkDecoder::type(Reg reg) const {
  static const Type none;
  return reg < 0 ? none : program.typeOf(reg);
}

void WorkDecoder::add(Pipe pipe, double lanesPerElement, int64_t elements) {
  if (work->numPipes == 3)
    return;
  work->pipes[work->numPipes++] = {pipe, int64_t(lanesPerElement * double(elements) + 0.5)};
}

bool WorkDecoder::decode() {
  work->scalar.op = inst->op;
  work->scalar.from = operandType(0).elem;
  work->scalar.to = resultType().elem;
  if (operandType(0).pointer)
    work->scalar.from = DType::i64;
  if (resultType().pointer)
    work->scalar.to = DType::i64;
  const Attrs &attrs = program.attrsOf(*inst);
  work->scalar.cmpi = attrs.cmpi;
  work->scalar.cmpf = attrs.cmpf;
  work->scalarValue = isScalarOp(inst->op);
  work->elements = std::max({resultType().numElements(), operandType(0).numElements(), int64_t(1)});
  switch (familyOf(inst->op)) {
  case Family::Control: return control();
  case Family::Arith:
  case Family::Math:
  case Family::Cast: return arithmetic();
  case Family::Shape: return shape();
  case Family::Reduce: return reduce();
  case Family::Global: return global();
  case Family::Program: return structure();
  case Family::Shared: return shared();
  case Family::Barrier: return barrier();
  case Family::Tma: return tma();
  case Family::CpAsync: return asyncCopy();
  case Family::Mma: return product();
  case Family::Tmem: return tmem();
  case Family::Cluster: return cluster();
  case Family::Clc: return route(inst->op == Op::ClcQuery ? Route::ClcQuery : Route::Sync);
  case Family::Amd: return amd();
  }
  return false;
}

bool WorkDecoder::route(Route route) {
  work->route = route;
  return true;
}

bool WorkDecoder::control() {
  switch (inst->op) {
  case Op::Constant:
  case Op::Poison: return route(Route::Value);
  case Op::Br: return route(Route::Branch);
  case Op::CondBr: return route(Route::CondBranch);
  case Op::Call: return route(Route::Call);
  case Op::Return: return route(Route::Return);
  case Op::WarpSpecialize: return route(Route::Fork);
  case Op::WarpYield: return route(Route::Yield);
  case Op::WarpReturn: return route(Route::TaskReturn);
  case Op::Copy: return copy();
  default: return false;
  }
}

bool WorkDecoder::copy() {
  const Cost *cost = inst->cost >= 0 ? &program.costs[inst->cost] : nullptr;
  if (!isTensor(resultType()) || !cost || cost->unit == CostUnit::None)
    return route(Route::Free);
  if (cost->unit == CostUnit::Shuffle) {
    add(Pipe::Shuffle, 1, work->elements);
    return route(Route::Tile);
  }
  if (cost->unit != CostUnit::SharedMemory)
    return route(Route::Free);
  work->bytes = 2 * bytesOf(resultType());
  add(Pipe::Lsu, 2.0 / 4, work->elements);
  return route(Route::SharedLoad);
}

bool WorkDecoder::structure() {
  switch (inst->op) {
  case Op::ProgramId:
  case Op::NumPrograms:
  case Op::ThreadId:
  case Op::WarpId: return route(Route::Value);
  case Op::Clock64: return route(Route::Clock);
  case Op::Print: add(Pipe::Lsu, 1, work->elements); return route(Route::Tile);
  case Op::Assert:
  case Op::Assume: return route(Route::Free);
  case Op::VoteBallot: add(Pipe::Alu, 1, 32); return route(Route::Tile);
  default: return false;
  }
}

void WorkDecoder::refine() {
  if (inst->cost >= 0) {
    const Cost &cost = program.costs[inst->cost];
    if (cost.boxes > 0)
      work->boxes = cost.boxes;
    if (cost.sharedWavefronts > 0)
      work->wavefronts = cost.sharedWavefronts;
    // Threads that hold copies of an element compute them all.
    if (work->route == Route::Tile && cost.registersPerThread > 0 && cost.elements > work->elements)
      for (unsigned i = 0; i < work->numPipes; ++i)
        work->pipes[i].lanes = work->pipes[i].lanes * cost.elements / work->elements;
    if (cost.warpInstructions > 0 && work->numPipes == 1)
      work->pipes[0].lanes = cost.warpInstructions * program.facts.threadsPerWarp;
  }
  if ((work->route == Route::Tile || work->route == Route::View) && inst->numResults == 1 &&
      address[program.result(*inst, 0)] && computesAddresses(*inst))
    for (unsigned i = 0; i < work->numPipes; ++i)
      work->pipes[i].lanes = (work->pipes[i].lanes + 7) / 8;
  if (work->wavefronts == 0 && work->bytes > 0)
    work->wavefronts = (work->bytes + PassBytes - 1) / PassBytes;
  for (unsigned i = 0; i < work->numPipes; ++i)
    work->codeLanes += work->pipes[i].lanes;
  if (work->route == Route::Product || work->route == Route::TensorMma)
    work->codeLanes = 32 * int64_t(work->productInstructions) * 2;
  if (work->route == Route::Scalar)
    work->codeLanes = 32 * (work->divides ? 20 : 1);
}

Result<std::vector<Work>> decodeWork(const Program &program) { return WorkDecoder(program).run(); }

} // namespace tlx::sim
