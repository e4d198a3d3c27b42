// Work on registers: addresses, arithmetic, shapes, reductions.
#include "sim/timing/Functions.h"
#include "sim/timing/WorkDecoder.h"

#include <algorithm>
#include <bit>

namespace tlx::sim {

bool WorkDecoder::computesAddresses(const Inst &inst) {
  switch (inst.op) {
  case Op::AddI:
  case Op::SubI:
  case Op::MulI:
  case Op::DivSI:
  case Op::DivUI:
  case Op::RemSI:
  case Op::RemUI:
  case Op::AndI:
  case Op::OrI:
  case Op::XorI:
  case Op::ShlI:
  case Op::ShrSI:
  case Op::ShrUI:
  case Op::CmpI:
  case Op::MinSI:
  case Op::MaxSI:
  case Op::MinUI:
  case Op::MaxUI:
  case Op::ExtSI:
  case Op::ExtUI:
  case Op::TruncI:
  case Op::AddPtr:
  case Op::Select:
  case Op::Copy:
  case Op::MakeRange:
  case Op::Constant: return true;
  default: return familyOf(inst.op) == Family::Shape;
  }
}

bool WorkDecoder::isAddressOperand(const Inst &inst, unsigned i) {
  switch (inst.op) {
  case Op::Load: return i <= 1;
  case Op::Store:
  case Op::AtomicRmw: return i == 0 || i == 2;
  case Op::AsyncCopy: return i == 0 || i == 2;
  case Op::BufferLoad: return i <= 2;
  case Op::BufferLoadToLocal: return i >= 1 && i <= 3;
  case Op::BufferStore: return i == 1 || i == 2 || i == 3;
  case Op::Prefetch: return true;
  default: return false;
  }
}

void WorkDecoder::findAddresses() {
  address.assign(program.numRegs(), true);
  bool changed = true;
  auto data = [&](Reg reg) {
    if (reg != noReg && address[reg]) {
      address[reg] = false;
      changed = true;
    }
  };
  while (changed) {
    changed = false;
    for (const Inst &inst : program.code) {
      bool through = computesAddresses(inst);
      for (unsigned i = 0; through && i < inst.numResults; ++i)
        through = address[program.result(inst, i)];
      for (unsigned i = 0; i < inst.numOperands; ++i)
        if (!through && !isAddressOperand(inst, i))
          data(program.operand(inst, i));
    }
    for (const Edge &edge : program.edges)
      for (auto [to, from] : edge.moves)
        if (!address[to])
          data(from);
  }
}

void WorkDecoder::findFused() {
  std::vector<int> uses(program.numRegs(), 0);
  std::vector<bool> summed(program.numRegs(), false);
  for (const Inst &inst : program.code)
    for (unsigned i = 0; i < inst.numOperands; ++i)
      if (Reg reg = program.operand(inst, i); reg != noReg) {
        ++uses[reg];
        if (inst.op == Op::AddF || inst.op == Op::SubF || inst.op == Op::AddI)
          summed[reg] = true;
      }
  for (const Edge &edge : program.edges)
    for (auto [to, from] : edge.moves)
      ++uses[from];
  fused.assign(program.numRegs(), false);
  for (const Inst &inst : program.code)
    if ((inst.op == Op::MulF || inst.op == Op::MulI) && inst.numResults == 1) {
      Reg reg = program.result(inst, 0);
      const Type &type = program.typeOf(reg);
      bool one = isFloat(type.elem) || bitWidth(type.elem) <= 32;
      fused[reg] = uses[reg] == 1 && summed[reg] && isTensor(type) && one;
    }
}

void WorkDecoder::findUsers() {
  std::vector<int> uses(program.numRegs(), 0);
  user.assign(program.numRegs(), -1);
  for (size_t pc = 0; pc < program.code.size(); ++pc)
    for (unsigned i = 0; i < program.code[pc].numOperands; ++i)
      if (Reg reg = program.operand(program.code[pc], i); reg != noReg)
        user[reg] = ++uses[reg] == 1 ? Pc(pc) : -1;
  for (const Edge &edge : program.edges)
    for (auto [to, from] : edge.moves)
      user[from] = -1;
}

bool WorkDecoder::usedUpByReduction(Reg reg) const {
  while (reg != noReg && user[reg] >= 0) {
    const Inst &next = program.code[user[reg]];
    if (next.op == Op::Reduce)
      return true;
    Family family = familyOf(next.op);
    bool elements = family == Family::Arith || family == Family::Math || family == Family::Cast ||
                    family == Family::Shape;
    if (!elements || next.numResults != 1)
      return false;
    reg = program.result(next, 0);
  }
  return false;
}

bool WorkDecoder::constantOperand(unsigned index, int64_t &value) const {
  Reg reg = program.operand(*inst, index);
  if (reg < 0 || constants[reg] < 0)
    return false;
  const Constant &constant = program.constants[constants[reg]];
  if (constant.bits.size() != 1)
    return false;
  value = scalarFromBits(type(reg).elem, constant.bits[0]);
  return true;
}

double WorkDecoder::divisionLanes() {
  int64_t divisor;
  if (!constantOperand(1, divisor)) {
    // 139 clocks from operands to result (sim/validation: function.latency).
    work->divides = true;
    work->series = 28;
    return 8;
  }
  return divisor > 0 && std::has_single_bit(uint64_t(divisor)) ? 2 : 5;
}

bool WorkDecoder::arithmetic() {
  const Type &result = resultType(), &operand = operandType(0);
  bool tile = isTensor(result);
  if ((inst->op == Op::MulF || inst->op == Op::MulI) && fused[program.result(*inst, 0)])
    return route(Route::Free);
  // Comparisons compute on their operands' type, conversions on the wider one.
  DType elem = inst->op == Op::CmpI || inst->op == Op::CmpF ? operand.elem : result.elem;
  double perLane = isFloat(elem) && bitWidth(elem) == 16 ? 0.5 : 1;
  bool wide = !isFloat(elem) && bitWidth(elem) == 64;
  bool fp64 = elem == DType::f64;
  int64_t n = work->elements;
  // An approximation of the special-function unit, and multiply-adds beside it.
  auto approximate = [&](int more) {
    add(Pipe::Mufu, 1, n);
    if (more)
      add(Pipe::Fma, more, n);
  };
  if (FunctionCode code = functionCode(inst->op, program.attrsOf(*inst).text, fp64);
      code.instructions > 0) {
    if (fp64)
      add(Pipe::Fp64, code.instructions / 2.0, n);
    add(Pipe::Fma, fp64 ? code.instructions / 2.0 : code.instructions, n);
    work->series = code.series;
    return route(tile ? Route::Tile : Route::Scalar);
  }
  switch (inst->op) {
  case Op::AddF:
  case Op::SubF:
  case Op::MulF:
  case Op::Fma:
  case Op::NegF: add(fp64 ? Pipe::Fp64 : Pipe::Fma, perLane, n); break;
  case Op::PackedArith: add(Pipe::Fma, 0.5, n); break;
  case Op::DivF: approximate(6); break;
  case Op::MaximumF:
  case Op::MinimumF:
  case Op::MaxNumF:
  case Op::MinNumF:
  case Op::AbsF:
  case Op::CmpF: add(fp64 ? Pipe::Fp64 : Pipe::Alu, perLane, n); break;
  case Op::ClampF: add(Pipe::Alu, 2 * perLane, n); break;
  case Op::Exp2:
  case Op::Rsqrt: approximate(0); break;
  case Op::Exp: approximate(1); break;
  case Op::Sqrt: approximate(2); break;
  case Op::ExternElementwise: add(fp64 ? Pipe::Fp64 : Pipe::Fma, 10, n); break; // not a known one
  case Op::InlineAsm: add(Pipe::Fma, 2, n); break;
  case Op::Floor:
  case Op::Ceil:
  case Op::SIToFP:
  case Op::UIToFP:
  case Op::FPToSI:
  case Op::FPToUI: add(fp64 ? Pipe::Fp64 : Pipe::Convert, 1, n); break;
  case Op::ExtF:
  case Op::TruncF:
  case Op::FpToFp: {
    bool wideFloat = operand.elem == DType::f64 || result.elem == DType::f64;
    // bf16 to f32 is a shift; conversions to two narrow floats share a lane.
    if (inst->op == Op::ExtF && operand.elem == DType::bf16)
      add(Pipe::Alu, 1, n);
    else
      add(wideFloat ? Pipe::Fp64 : Pipe::Convert,
          wideFloat || bitWidth(operand.elem) == 8 || bitWidth(result.elem) == 8 ? 1 : 0.5, n);
    break;
  }
  case Op::Fp4ToFp:
  case Op::ScaledUpcastFp4:
  case Op::ScaledUpcastFp8:
    add(Pipe::Convert, 0.5, n);
    add(Pipe::Fma, 0.5, n);
    break;
  case Op::Bitcast:
  case Op::IntToPtr:
  case Op::PtrToInt:
  case Op::TruncI:
  case Op::IndexCast:
  case Op::IndexCastUI: return route(Route::Free);
  case Op::ExtSI:
  case Op::ExtUI: add(Pipe::Alu, 1, n); break;
  case Op::DivSI:
  case Op::DivUI:
  case Op::RemSI:
  case Op::RemUI:
  case Op::CeilDivSI:
  case Op::CeilDivUI:
  case Op::FloorDivSI:
    // Values of 64 bits that fit in 32 are divided as such.
    add(Pipe::Alu, divisionLanes() * (wide ? 1.25 : 1), n);
    if (work->divides)
      add(Pipe::Fma, wide ? 22 : 17, n);
    break;
  case Op::MulI:
  case Op::MulHiUI: add(Pipe::Fma, wide ? 6 : 2, n); break; // at half rate
  default:                                                  // integers, logic, selects
    add(Pipe::Alu, wide ? 2 : 1, n);
    break;
  }
  return route(tile ? Route::Tile : Route::Scalar);
}

bool WorkDecoder::shape() {
  switch (inst->op) {
  case Op::Cat:
  case Op::Concat:
  case Op::ExtractSlice:
  case Op::Join:
  case Op::Split: return route(Route::Free);
  case Op::MakeRange:
    work->route = Route::Tile;
    add(Pipe::Alu, 1, work->elements);
    return true;
  default: return route(Route::Free);
  }
}

void WorkDecoder::addBlock(BlockId id, double times) {
  if (id < 0 || size_t(id) >= program.blocks.size())
    return;
  const Block &block = program.blocks[id];
  double alu = 0, fma = 0, mufu = 0;
  for (Pc pc = block.entry; pc < block.end; ++pc) {
    Op op = program.code[pc].op;
    if (familyOf(op) == Family::Control)
      continue;
    bool floatOp =
        op == Op::AddF || op == Op::SubF || op == Op::MulF || op == Op::Fma || op == Op::MulI;
    bool special =
        familyOf(op) == Family::Math && op != Op::AbsF && op != Op::AbsI && op != Op::Fma;
    (special ? mufu : floatOp ? fma : alu) += 1;
  }
  if (alu > 0)
    add(Pipe::Alu, alu * times, 1);
  if (fma > 0)
    add(Pipe::Fma, fma * times, 1);
  if (mufu > 0)
    add(Pipe::Mufu, mufu * times, 1);
}

bool WorkDecoder::reduce() {
  const Type &source = operandType(0);
  const Attrs &attrs = program.attrsOf(*inst);
  int64_t n = source.numElements();
  work->elements = n;
  work->route = Route::Tile;
  switch (inst->op) {
  case Op::Reduce: {
    addBlock(attrs.block, double(n));
    // A thread combines its elements of a row one after the other, then lanes exchange, then
    // warps through shared memory. Without a layout: as in a matrix product, where four lanes
    // share a row; a vector is spread over all.
    int64_t rows = std::max<int64_t>(1, resultType().numElements());
    bool vector = rows == 1;
    int64_t along = size_t(attrs.axis) < source.shape.size() ? source.shape[attrs.axis] : n;
    work->chainSteps =
        std::min(vector ? 5 : 2, int(std::bit_width(uint64_t(std::max<int64_t>(1, along)) - 1)));
    work->warpSteps =
        vector && along > 32 ? std::bit_width(unsigned(program.facts.numWarps)) - 1 : 0;
    work->chainElements = vector ? 1 : along / 4;
    int64_t exchanged = vector ? std::min<int64_t>(n, 32) : 4 * std::max<int64_t>(rows, 32);
    if (inst->cost >= 0 && program.costs[inst->cost].layout.known()) {
      const TileLayout &layout = program.costs[inst->cost].layout;
      auto bits = [&](const TileLayout::Bits &all, bool alongAxis) {
        return std::count_if(all.begin(), all.end(), [&](const std::vector<int32_t> &bit) {
          bool moves = bit[attrs.axis] != 0;
          bool others = std::any_of(bit.begin(), bit.end(), [](int32_t x) { return x != 0; });
          return alongAxis ? moves : others && !moves;
        });
      };
      work->chainElements = int64_t(1) << bits(layout.registers, true);
      work->chainSteps = int(bits(layout.lanes, true));
      work->warpSteps = int(bits(layout.warps, true));
      exchanged = int64_t(1) << (bits(layout.registers, false) + int64_t(layout.lanes.size()) +
                                 int64_t(layout.warps.size()));
      // Neighbours first: lanes exchange before a thread combines what lies further apart.
      bool neighboursFirst = attrs.count == 0 && !attrs.ints.empty();
      auto step = [&](const std::vector<int32_t> &bit) { return bit[attrs.axis]; };
      for (const std::vector<int32_t> &bit : layout.registers)
        if (neighboursFirst &&
            std::any_of(layout.lanes.begin(), layout.lanes.end(),
                        [&](auto &lane) { return step(lane) != 0 && step(lane) < step(bit); }))
          exchanged *= 2;
    }
    add(Pipe::Shuffle, double(work->chainSteps * inst->numOperands), exchanged);
    work->chainSteps *= inst->numOperands;
    return true;
  }
  case Op::Scan: {
    addBlock(attrs.block, 2.0 * double(n));
    add(Pipe::Shuffle, 5 * 0.25, n * inst->numOperands);
    // A thread's elements, lanes and warps follow each other as in a reduction.
    int64_t along = size_t(attrs.axis) < source.shape.size() ? source.shape[attrs.axis] : n;
    int64_t warps = source.shape.size() == 1 ? program.facts.numWarps : 1;
    work->chainSteps = std::min(5, int(std::bit_width(uint64_t(std::max<int64_t>(1, along)) - 1)));
    work->chainElements = std::max<int64_t>(1, along / (32 * warps));
    work->warpSteps = along > 32 ? std::bit_width(uint64_t(warps)) - 1 : 0;
    return true;
  }
  case Op::MapElementwise:
    addBlock(attrs.block, double(n) / double(std::max<int64_t>(1, attrs.count)));
    return true;
  case Op::Histogram:
    work->bytes = n * 4;
    work->wavefronts = n / 8 + 1;
    add(Pipe::Alu, 4, n);
    return route(Route::SharedLoad);
  case Op::Gather:
    work->bytes = n * 8;
    add(Pipe::Lsu, 1, n);
    return route(Route::SharedLoad);
  default: return false;
  }
}

} // namespace tlx::sim
