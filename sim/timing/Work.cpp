#include "sim/timing/Work.h"

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

namespace {

bool isTensor(const Type &type) { return type.kind == TypeKind::Tensor; }

class Decoder {
public:
  explicit Decoder(const Program &program) : program(program), constants(program.numRegs(), -1) {
    for (const Inst &inst : program.code)
      if (inst.op == Op::Constant && inst.numResults == 1)
        constants[program.result(inst, 0)] = program.attrsOf(inst).constant;
    findAddresses();
    findFused();
  }

  Result<std::vector<Work>> run() {
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

private:
  SourceLocation locationOf(LocId loc) const {
    if (loc < 0 || size_t(loc) >= program.locations.size())
      return {};
    const Location &l = program.locations[loc];
    return {l.file, unsigned(std::max(0, l.line)), unsigned(std::max(0, l.column))};
  }

  const Type &type(Reg reg) const {
    static const Type none;
    return reg < 0 ? none : program.typeOf(reg);
  }
  const Type &operandType(unsigned i) const { return type(program.operand(*inst, i)); }
  const Type &resultType(unsigned i = 0) const { return type(program.result(*inst, i)); }

  void add(Pipe pipe, double lanesPerElement, int64_t elements) {
    if (work->numPipes == 3)
      return;
    work->pipes[work->numPipes++] = {pipe, int64_t(lanesPerElement * double(elements) + 0.5)};
  }

  bool decode() {
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

  /// Ops through which an address or a mask is computed.
  static bool computesAddresses(const Inst &inst) {
    switch (inst.op) {
    case Op::AddI: case Op::SubI: case Op::MulI: case Op::DivSI: case Op::DivUI: case Op::RemSI: case Op::RemUI:
    case Op::AndI: case Op::OrI: case Op::XorI: case Op::ShlI: case Op::ShrSI: case Op::ShrUI: case Op::CmpI:
    case Op::MinSI: case Op::MaxSI: case Op::MinUI: case Op::MaxUI: case Op::ExtSI: case Op::ExtUI: case Op::TruncI:
    case Op::AddPtr: case Op::Select: case Op::Copy: case Op::MakeRange: case Op::Constant:
      return true;
    default:
      return familyOf(inst.op) == Family::Shape;
    }
  }

  /// Is operand `i` of this memory access an address, an offset or a mask?
  static bool isAddressOperand(const Inst &inst, unsigned i) {
    switch (inst.op) {
    case Op::Load: return i <= 1;
    case Op::Store: case Op::AtomicRmw: return i == 0 || i == 2;
    case Op::AsyncCopy: return i == 0 || i == 2;
    case Op::BufferLoad: return i <= 2;
    case Op::BufferLoadToLocal: return i >= 1 && i <= 3;
    case Op::BufferStore: return i == 1 || i == 2 || i == 3;
    case Op::Prefetch: return true;
    default: return false;
    }
  }

  /// Tiles that are addresses, offsets or masks of vector accesses and nothing
  /// else: the compiler computes them once for a vector, and folds what differs
  /// by constants into the access.
  void findAddresses() {
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

  /// Products whose only use is a sum: the compiler makes one fused instruction
  /// of both, which the sum stands for.
  void findFused() {
    std::vector<int> uses(program.numRegs(), 0);
    std::vector<bool> summed(program.numRegs(), false);
    for (const Inst &inst : program.code)
      for (unsigned i = 0; i < inst.numOperands; ++i)
        if (Reg reg = program.operand(inst, i); reg != noReg) {
          ++uses[reg];
          if (inst.op == Op::AddF || inst.op == Op::SubF)
            summed[reg] = true;
        }
    for (const Edge &edge : program.edges)
      for (auto [to, from] : edge.moves)
        ++uses[from];
    fused.assign(program.numRegs(), false);
    for (const Inst &inst : program.code)
      if (inst.op == Op::MulF && inst.numResults == 1) {
        Reg reg = program.result(inst, 0);
        fused[reg] = uses[reg] == 1 && summed[reg] && isTensor(program.typeOf(reg));
      }
  }

  bool route(Route route) {
    work->route = route;
    return true;
  }

  bool control() {
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

  /// A change of register layout goes through shared memory when the exporter
  /// says so, and costs nothing otherwise.
  bool copy() {
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

  bool constantOperand(unsigned index, int64_t &value) const {
    Reg reg = program.operand(*inst, index);
    if (reg < 0 || constants[reg] < 0)
      return false;
    const Constant &constant = program.constants[constants[reg]];
    if (constant.bits.size() != 1)
      return false;
    value = scalarFromBits(type(reg).elem, constant.bits[0]);
    return true;
  }

  /// Lanes per element of an integer division on the ALU.
  double divisionLanes() {
    int64_t divisor;
    if (!constantOperand(1, divisor)) {
      work->divides = true;
      return 20;
    }
    return divisor > 0 && std::has_single_bit(uint64_t(divisor)) ? 2 : 5;
  }

  bool arithmetic() {
    const Type &result = resultType(), &operand = operandType(0);
    bool tile = isTensor(result);
    if (inst->op == Op::MulF && fused[program.result(*inst, 0)])
      return route(Route::Free);
    // Comparisons compute on their operands' type, conversions on the wider one.
    DType elem = inst->op == Op::CmpI || inst->op == Op::CmpF ? operand.elem : result.elem;
    double perLane = isFloat(elem) && bitWidth(elem) == 16 ? 0.5 : 1;
    bool wide = !isFloat(elem) && bitWidth(elem) == 64;
    bool fp64 = elem == DType::f64;
    int64_t n = work->elements;
    switch (inst->op) {
    case Op::AddF: case Op::SubF: case Op::MulF: case Op::Fma: case Op::NegF:
      add(fp64 ? Pipe::Fp64 : Pipe::Fma, perLane, n);
      break;
    case Op::PackedArith:
      add(Pipe::Fma, 0.5, n);
      break;
    case Op::DivF:
      add(Pipe::Mufu, 1, n);
      add(fp64 ? Pipe::Fp64 : Pipe::Fma, 6, n);
      break;
    case Op::PreciseDivF: case Op::PreciseSqrt: case Op::RemF:
      add(Pipe::Mufu, 1, n);
      add(fp64 ? Pipe::Fp64 : Pipe::Fma, 10, n);
      break;
    case Op::MaximumF: case Op::MinimumF: case Op::MaxNumF: case Op::MinNumF: case Op::AbsF: case Op::CmpF:
      add(fp64 ? Pipe::Fp64 : Pipe::Alu, perLane, n);
      break;
    case Op::ClampF:
      add(Pipe::Alu, 2 * perLane, n);
      break;
    case Op::Exp2: case Op::Rsqrt:
      add(Pipe::Mufu, 1, n);
      break;
    case Op::Exp: case Op::Log2: case Op::Log: case Op::Sqrt:
      add(Pipe::Mufu, 1, n);
      add(Pipe::Fma, inst->op == Op::Exp ? 1 : 2, n);
      break;
    case Op::Sin: case Op::Cos:
      add(Pipe::Mufu, 1, n);
      add(Pipe::Fma, 12, n);
      break;
    case Op::Tanh: case Op::Erf:
      add(Pipe::Mufu, 1, n);
      add(Pipe::Fma, 10, n);
      break;
    case Op::ExternElementwise: case Op::InlineAsm:
      // Not understood here: a handful of instructions.
      add(Pipe::Fma, inst->op == Op::InlineAsm ? 2 : 10, n);
      break;
    case Op::Floor: case Op::Ceil: case Op::SIToFP: case Op::UIToFP: case Op::FPToSI: case Op::FPToUI:
      add(fp64 ? Pipe::Fp64 : Pipe::Convert, 1, n);
      break;
    case Op::ExtF: case Op::TruncF: case Op::FpToFp: {
      bool wideFloat = operand.elem == DType::f64 || result.elem == DType::f64;
      // bf16 to f32 is a shift; conversions to two narrow floats share a lane.
      if (inst->op == Op::ExtF && operand.elem == DType::bf16)
        add(Pipe::Alu, 1, n);
      else
        add(wideFloat ? Pipe::Fp64 : Pipe::Convert, wideFloat ? 1 : 0.5, n);
      break;
    }
    case Op::Fp4ToFp: case Op::ScaledUpcastFp4: case Op::ScaledUpcastFp8:
      add(Pipe::Convert, 0.5, n);
      add(Pipe::Fma, 0.5, n);
      break;
    case Op::Bitcast: case Op::IntToPtr: case Op::PtrToInt: case Op::TruncI: case Op::IndexCast: case Op::IndexCastUI:
      return route(Route::Free);
    case Op::ExtSI: case Op::ExtUI:
      add(Pipe::Alu, 1, n);
      break;
    case Op::DivSI: case Op::DivUI: case Op::RemSI: case Op::RemUI: case Op::CeilDivSI: case Op::CeilDivUI: case Op::FloorDivSI:
      add(Pipe::Alu, divisionLanes() * (wide ? 4 : 1), n);
      break;
    case Op::MulI: case Op::MulHiUI:
      add(Pipe::Fma, wide ? 4 : 1, n);
      break;
    default: // integers, logic, selects
      add(Pipe::Alu, wide ? 2 : 1, n);
      break;
    }
    return route(tile ? Route::Tile : Route::Scalar);
  }

  bool shape() {
    switch (inst->op) {
    case Op::Cat: case Op::Concat: case Op::ExtractSlice: case Op::Join: case Op::Split:
      return route(Route::Free);
    case Op::MakeRange:
      work->route = Route::Tile;
      add(Pipe::Alu, 1, work->elements);
      return true;
    default:
      return route(Route::Free);
    }
  }

  /// Instructions of a region, each on the pipe of its kind.
  void addBlock(BlockId id, double times) {
    if (id < 0 || size_t(id) >= program.blocks.size())
      return;
    const Block &block = program.blocks[id];
    double alu = 0, fma = 0, mufu = 0;
    for (Pc pc = block.entry; pc < block.end; ++pc) {
      Op op = program.code[pc].op;
      if (familyOf(op) == Family::Control)
        continue;
      bool floatOp = op == Op::AddF || op == Op::SubF || op == Op::MulF || op == Op::Fma || op == Op::MulI;
      bool special = familyOf(op) == Family::Math && op != Op::AbsF && op != Op::AbsI && op != Op::Fma;
      (special ? mufu : floatOp ? fma : alu) += 1;
    }
    if (alu > 0)
      add(Pipe::Alu, alu * times, 1);
    if (fma > 0)
      add(Pipe::Fma, fma * times, 1);
    if (mufu > 0)
      add(Pipe::Mufu, mufu * times, 1);
  }

  bool reduce() {
    const Type &source = operandType(0);
    const Attrs &attrs = program.attrsOf(*inst);
    int64_t n = source.numElements();
    work->elements = n;
    work->route = Route::Tile;
    switch (inst->op) {
    case Op::Reduce: {
      addBlock(attrs.block, double(n));
      // Across lanes: a row's partial results are exchanged twice in the layout
      // of a matrix product; a vector is spread over all lanes and warps.
      int64_t rows = std::max<int64_t>(1, resultType().numElements());
      bool vector = rows == 1;
      int64_t along = size_t(attrs.axis) < source.shape.size() ? source.shape[attrs.axis] : n;
      int steps = std::min(vector ? 5 : 2, int(std::bit_width(uint64_t(std::max<int64_t>(1, along)) - 1)));
      add(Pipe::Shuffle, steps * (vector ? 1.0 : 4.0), std::min<int64_t>(n, std::max<int64_t>(rows, 32)) * inst->numOperands);
      work->chainSteps = steps * inst->numOperands;
      work->crossesWarps = vector && along > 32;
      // Each lane combines its elements one after the other.
      work->chainElements = vector ? n : along / 4;
      return true;
    }
    case Op::Scan:
      addBlock(attrs.block, 2.0 * double(n));
      add(Pipe::Shuffle, 5 * 0.25, n * inst->numOperands);
      return true;
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

  /// Vector accesses of up to 16 bytes to a lane.
  void addAccess(const Type &data) {
    int64_t bytes = bytesOf(data);
    int64_t perElement = std::max<int64_t>(1, bytes / std::max<int64_t>(1, data.numElements()));
    work->bytes = bytes;
    work->elements = data.numElements();
    add(Pipe::Lsu, 1.0 / double(std::max<int64_t>(1, 16 / perElement)), data.numElements());
  }

  bool global() {
    switch (inst->op) {
    case Op::AddPtr:
      work->scalarValue = false;
      work->stride = std::max<int64_t>(1, byteWidth(resultType().elem));
      work->elements = resultType().numElements();
      add(Pipe::Alu, 2, work->elements);
      return route(Route::View);
    case Op::Load: addAccess(resultType()); return route(Route::GlobalLoad);
    case Op::Store: addAccess(operandType(1)); return route(Route::GlobalStore);
    case Op::AtomicRmw: case Op::AtomicCas:
      addAccess(operandType(inst->op == Op::AtomicCas ? 2 : 1));
      return route(Route::Atomic);
    case Op::GlobalScratchAlloc: return route(Route::Value);
    case Op::Prefetch:
      add(Pipe::Lsu, 1, work->elements);
      return route(Route::Tile);
    default: return false;
    }
  }

  bool structure() {
    switch (inst->op) {
    case Op::ProgramId: case Op::NumPrograms: case Op::ThreadId: case Op::WarpId: return route(Route::Value);
    case Op::Clock64: return route(Route::Clock);
    case Op::Print:
      add(Pipe::Lsu, 1, work->elements);
      return route(Route::Tile);
    case Op::Assert: case Op::Assume: return route(Route::Free);
    case Op::VoteBallot:
      add(Pipe::Alu, 1, 32);
      return route(Route::Tile);
    default: return false;
    }
  }

  /// Bytes between the buffers of an array.
  int64_t bufferStride(const Type &array) const {
    if (array.bufferBytes)
      return array.bufferBytes;
    int64_t elements = 1;
    for (size_t i = 1; i < array.shape.size(); ++i)
      elements *= array.shape[i];
    return std::max<int64_t>(1, elements * std::max<int64_t>(1, array.memoryElementBytes()));
  }

  bool shared() {
    switch (inst->op) {
    case Op::LocalAlloc:
      if (inst->numOperands == 0)
        return route(Route::Value);
      addAccess(operandType(0));
      return route(Route::SharedStore);
    case Op::LocalDealloc: return route(Route::Free);
    case Op::MemDescIndex:
      work->stride = bufferStride(operandType(0));
      return route(Route::View);
    case Op::MemDescSubslice: case Op::MemDescDynamicSubslice: case Op::MemDescTrans: case Op::MemDescReshape:
    case Op::MemDescReinterpret:
      return route(Route::Free);
    case Op::LocalLoad: addAccess(resultType()); return route(Route::SharedLoad);
    case Op::LocalStore: addAccess(operandType(0)); return route(Route::SharedStore);
    case Op::LocalGather:
      addAccess(resultType());
      work->wavefronts = work->elements / 32 + 1;
      return route(Route::SharedLoad);
    case Op::LocalScatter:
      addAccess(operandType(1));
      work->wavefronts = work->elements / 32 + 1;
      return route(Route::SharedStore);
    case Op::LocalAtomicScatterRmw:
      addAccess(operandType(1));
      work->wavefronts = work->elements / 16 + 1;
      return route(Route::SharedStore);
    default: return false;
    }
  }

  bool barrier() {
    if (inst->op == Op::ReadBarrierPhase || inst->op == Op::ArriveBarrierPhase)
      work->scalarValue = false;
    return route(Route::Sync);
  }

  /// A tile is cut into boxes: 128 bytes of the innermost dimension (the widest
  /// swizzle), at most 256 of the others.
  void boxesOf(const Type &tile) {
    if (tile.shape.empty())
      return;
    int64_t inner = tile.shape.back() * std::max<int64_t>(1, tile.memoryElementBytes());
    int64_t boxes = (inner + 127) / 128;
    for (size_t i = 0; i + 1 < tile.shape.size(); ++i)
      boxes *= (tile.shape[i] + 255) / 256;
    work->boxes = int(std::max<int64_t>(1, boxes));
    work->bytes = bytesOf(tile);
  }

  bool tma() {
    switch (inst->op) {
    case Op::MakeTensorDescriptor: case Op::ReinterpretTensorDescriptor: case Op::UpdateTensorDescriptor:
      return route(Route::Value);
    case Op::TensormapCreate:
      add(Pipe::Lsu, 16, 32);
      return route(Route::Tile);
    case Op::TmaLoad: boxesOf(operandType(2)); return route(Route::TmaLoad);
    case Op::TmaGather: boxesOf(operandType(4)); return route(Route::TmaLoad);
    case Op::TmaStore: case Op::TmaReduce: boxesOf(operandType(1)); return route(Route::TmaStore);
    case Op::TmaScatter: boxesOf(operandType(3)); return route(Route::TmaStore);
    case Op::BulkStore: boxesOf(operandType(0)); return route(Route::BulkStore);
    case Op::DescriptorLoad: case Op::DescriptorGather: addAccess(resultType()); return route(Route::GlobalLoad);
    case Op::DescriptorStore: addAccess(operandType(1)); return route(Route::GlobalStore);
    case Op::DescriptorScatter: addAccess(operandType(3)); return route(Route::GlobalStore);
    default: return false;
    }
  }

  bool asyncCopy() {
    switch (inst->op) {
    case Op::AsyncCopy:
      addAccess(operandType(1));
      work->memOperand = 0;
      return route(Route::AsyncCopy);
    case Op::AsyncCopyLocalToGlobal: addAccess(operandType(0)); return route(Route::GlobalStore);
    case Op::BulkCopy:
      work->bytes = bytesOf(operandType(1));
      return route(Route::BulkLoad);
    default: return false;
    }
  }

  MmaFormat formatOf(const Type &a) const {
    switch (a.elem) {
    case DType::f64: return MmaFormat::F64;
    case DType::f32: return MmaFormat::Tf32;
    case DType::f16: case DType::bf16: return MmaFormat::F16;
    case DType::f4E2M1: return MmaFormat::F4;
    default: return MmaFormat::F8;
    }
  }

  /// m, n, k and operand traffic. wgmma's unit is 64 x n x 32 bytes, tcgen05's
  /// 128 x n x 32 bytes; A is read once for each, B too.
  bool setProduct(const Type &a, const Type &b, const Type &d, int64_t unitM) {
    if (a.shape.size() < 2 || d.shape.size() < 2)
      return false;
    work->m = d.shape[d.shape.size() - 2];
    work->n = d.shape.back();
    work->k = a.shape.back();
    for (size_t i = 0; i + 2 < d.shape.size(); ++i)
      work->m *= d.shape[i];
    work->format = formatOf(a);
    double elementBytes = bitWidth(a.elem) / 8.0;
    int64_t unitK = std::max<int64_t>(1, int64_t(32 / elementBytes));
    int64_t unitsM = std::max<int64_t>(1, (work->m + unitM - 1) / unitM);
    int64_t unitsK = std::max<int64_t>(1, (work->k + unitK - 1) / unitK);
    work->productInstructions = int(unitsM * unitsK);
    if (a.kind == TypeKind::MemDesc && a.space == sync::Space::Shared)
      work->productSmemBytes += int64_t(double(work->m * work->k) * elementBytes);
    if (b.kind == TypeKind::MemDesc)
      work->productSmemBytes += unitsM * int64_t(double(work->n * work->k) * (bitWidth(b.elem) / 8.0));
    return true;
  }

  bool product() {
    switch (inst->op) {
    case Op::WarpGroupDot:
      work->route = Route::Product;
      return setProduct(operandType(0), operandType(1), operandType(2), 64);
    case Op::Dot:
      work->route = Route::SyncProduct;
      return setProduct(operandType(0), operandType(1), operandType(2), 16);
    case Op::DotScaled:
      work->route = Route::SyncProduct;
      return setProduct(operandType(0), operandType(1), operandType(2), 16);
    case Op::ScheduledMfma:
      work->route = Route::SyncProduct;
      return setProduct(operandType(0), operandType(1), operandType(2), 16);
    case Op::WarpGroupDotWait: case Op::MfmaCommit: return route(Route::Sync);
    default: return false;
    }
  }

  bool tmem() {
    const Attrs &attrs = program.attrsOf(*inst);
    work->pair = attrs.twoCtas;
    switch (inst->op) {
    case Op::TmemAlloc: work->bytes = inst->numOperands ? bytesOf(operandType(0)) : 0; return route(Route::TmemAlloc);
    case Op::TmemSubslice: return route(Route::Free);
    case Op::TmemLoad: work->bytes = bytesOf(resultType()); return route(Route::TmemLoad);
    case Op::TmemStore: work->bytes = bytesOf(operandType(1)); return route(Route::TmemStore);
    case Op::TmemCopy: work->bytes = bytesOf(operandType(0)); return route(Route::TmemCopy);
    case Op::Tcgen05Mma: case Op::Tcgen05MmaScaled:
      work->route = Route::TensorMma;
      if (!setProduct(operandType(0), operandType(1), operandType(2), 128))
        return false;
      if (inst->op == Op::Tcgen05MmaScaled && attrs.aType == ScaleElem::E2M1 && attrs.bType == ScaleElem::E2M1) {
        work->format = MmaFormat::F4;
        work->k *= 2; // two to a byte
      }
      return true;
    default: return false;
    }
  }

  bool cluster() {
    switch (inst->op) {
    case Op::ClusterId: case Op::ClusterSize: return route(Route::Value);
    case Op::MapToRemoteBuffer: return route(Route::View);
    case Op::RemoteStore: case Op::AsyncRemoteStore: addAccess(operandType(0)); return route(Route::RemoteStore);
    case Op::AsyncRemoteCopy: work->bytes = bytesOf(operandType(0)); return route(Route::RemoteStore);
    default: return false;
    }
  }

  bool amd() {
    switch (inst->op) {
    case Op::BufferLoad: addAccess(resultType()); return route(Route::GlobalLoad);
    case Op::BufferLoadToLocal: addAccess(operandType(0)); work->memOperand = 1; return route(Route::AsyncCopy);
    case Op::BufferStore: addAccess(operandType(0)); work->memOperand = 1; return route(Route::GlobalStore);
    case Op::BufferAtomicRmw: case Op::BufferAtomicCas: addAccess(resultType()); return route(Route::Atomic);
    case Op::TdmLoad: boxesOf(operandType(1)); work->boxes = 1; return route(Route::TmaLoad);
    case Op::TdmStore: boxesOf(operandType(1)); work->boxes = 1; return route(Route::TmaStore);
    case Op::TdmPrefetch: return route(Route::Free);
    default: return false;
    }
  }

  /// What the exporter counted wins over what types tell.
  void refine() {
    if (inst->cost >= 0) {
      const Cost &cost = program.costs[inst->cost];
      if (cost.boxes > 0)
        work->boxes = cost.boxes;
      if (cost.sharedWavefronts > 0)
        work->wavefronts = cost.sharedWavefronts;
      if (cost.sectors > 0 && work->bytes > 0)
        work->bytes = std::max(work->bytes, cost.sectors * 32);
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
      work->wavefronts = (work->bytes + 127) / 128;
    for (unsigned i = 0; i < work->numPipes; ++i)
      work->codeLanes += work->pipes[i].lanes;
    if (work->route == Route::Product || work->route == Route::TensorMma)
      work->codeLanes = 32 * int64_t(work->productInstructions) * 2;
    if (work->route == Route::Scalar)
      work->codeLanes = 32 * (work->divides ? 20 : 1);
  }

  const Program &program;
  std::vector<bool> fused;        ///< by register: see findFused
  std::vector<bool> address;      ///< by register: see findAddresses
  std::vector<int32_t> constants; ///< constant pool index of each register, or -1
  const Inst *inst = nullptr;
  Work *work = nullptr;
};

} // namespace

Result<std::vector<Work>> decodeWork(const Program &program) {
  return Decoder(program).run();
}

} // namespace tlx::sim
