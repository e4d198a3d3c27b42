//===- Prepared.cpp - facts about a program that every cluster shares -----===//
#include "sim/functional/Prepared.h"

#include "sim/functional/Exec.h"

#include <algorithm>

namespace tlx::sim {

/// Operations whose group is committed with them: each TMA store is a bulk group,
/// each warp_group_dot a wgmma group, each TDM copy counts by itself.
static bool commitsItself(sync::Group group) {
  return group == sync::Group::BulkStore || group == sync::Group::Wgmma ||
         group == sync::Group::Tdm;
}

static InstInfo infoOf(const Program &program, const Inst &inst) {
  InstInfo info;
  info.handler = handlerTable().handlers[unsigned(inst.op)];
  bool explicitCommit = false;
  for (unsigned i = 0; i < inst.numEffects; ++i) {
    const Effect &effect = program.effectsOf(inst)[i];
    if (effect.kind == sync::Kind::GroupCommit)
      explicitCommit = true;
    if (effect.moment != sync::Moment::Completion)
      continue;
    if (effect.kind == sync::Kind::Hint)
      continue;
    info.async = true;
    if (info.group == sync::Group::None)
      info.group = effect.group;
  }
  if (inst.op == Op::ClcTryCancel)
    info.async = true;
  info.commits = info.async && commitsItself(info.group) && !explicitCommit;
  return info;
}

Prepared::Prepared(const Program &program) : program(program) {
  for (const Inst &inst : program.code) {
    insts.push_back(infoOf(program, inst));
    if (inst.op == Op::AtomicRmw || inst.op == Op::AtomicCas || inst.op == Op::BufferAtomicRmw ||
        inst.op == Op::BufferAtomicCas || inst.op == Op::TmaReduce ||
        (inst.op == Op::DescriptorStore && program.attrsOf(inst).reduceKind != ReduceKind::None) ||
        (inst.op == Op::Load && program.attrsOf(inst).isVolatile))
      usesAtomics = true;
    usesClc |= inst.op == Op::ClcTryCancel;
  }
  for (const Constant &constant : program.constants) {
    const Type &type = program.types[constant.type];
    Value value = fromBits(type, constant.bits.data(), constant.bits.size());
    value.makeImmortal();
    constants.push_back(std::move(value));
  }
  maps.resize(program.types.size());
  for (std::unique_ptr<LazyMap> &map : maps)
    map = std::make_unique<LazyMap>();

  int32_t mostWarps = 0;
  for (const Specialize &specialize : program.specializes) {
    int32_t warps = 0;
    for (const Partition &partition : specialize.partitions)
      warps += partition.numWarps;
    mostWarps = std::max(mostWarps, warps);
  }
  totalThreads = (program.facts.numWarps + mostWarps) * program.facts.threadsPerWarp;

  scratchOffsets.assign(program.code.size(), -1);
  for (size_t pc = 0; pc < program.code.size(); ++pc) {
    if (program.code[pc].op != Op::GlobalScratchAlloc)
      continue;
    const Attrs &attrs = program.attrsOf(program.code[pc]);
    int64_t align = std::max<int64_t>(attrs.alignment, 128);
    scratchBytes = (scratchBytes + align - 1) / align * align;
    scratchOffsets[pc] = scratchBytes;
    scratchBytes += attrs.count;
  }
  scratchBytes = (scratchBytes + 127) / 128 * 128;
  traceAllocations();
  placeAllocations();
  findLastUses();
}

void Prepared::placeAllocations() {
  int64_t tensorColumn = 0;
  for (const Allocation &allocation : program.allocations)
    if (allocation.offset >= 0) {
      if (allocation.space == sync::Space::Tensor)
        tensorColumn = std::max(tensorColumn, allocation.offset % tmemLaneBytes + allocation.bytes);
      else
        sharedBytes = std::max(sharedBytes, allocation.offset + allocation.bytes);
    }
  for (const Allocation &allocation : program.allocations) {
    int64_t offset = allocation.offset;
    if (allocation.space == sync::Space::Tensor) {
      usesTensorMemory = true;
      if (offset < 0) {
        offset = tensorColumn;
        tensorColumn += (allocation.bytes + 3) / 4 * 4;
      }
    } else if (offset < 0) {
      int64_t align = std::max<int64_t>(allocation.alignment, 16);
      offset = (sharedBytes + align - 1) / align * align;
      sharedBytes = offset + allocation.bytes;
    }
    allocOffsets.push_back(offset);
  }
  tensorBytesPerLane = tensorColumn;
}

void Prepared::traceAllocations() {
  allocationOf.assign(program.numRegs(), -1);
  bool changed = true;
  auto join = [&](Reg to, Reg from) {
    if (from >= 0 && to >= 0 && allocationOf[to] < 0 && allocationOf[from] >= 0) {
      allocationOf[to] = allocationOf[from];
      changed = true;
    }
  };
  for (int round = 0; changed && round < 16; ++round) {
    changed = false;
    for (const Inst &inst : program.code) {
      if (!inst.numResults || program.typeOf(program.result(inst, 0)).kind != TypeKind::MemDesc)
        continue;
      Reg result = program.result(inst, 0);
      if (inst.op == Op::LocalAlloc || inst.op == Op::TmemAlloc) {
        if (allocationOf[result] < 0) {
          allocationOf[result] = program.attrsOf(inst).allocation;
          changed = true;
        }
      } else {
        for (unsigned i = 0; i < inst.numResults; ++i)
          join(program.result(inst, i),
               program.operand(inst, inst.op == Op::WarpGroupDotWait ? i : 0));
      }
    }
    for (const Edge &edge : program.edges)
      for (auto [to, from] : edge.moves)
        join(to, from);
    for (const Specialize &specialize : program.specializes)
      for (const Partition &partition : specialize.partitions)
        for (auto [to, from] : partition.captures)
          join(to, from);
  }
}

/// A register is dead after an operand when no path from there reads it before
/// it is written again. Backward data flow over instructions, in each register
/// that holds a tensor; scalars are not worth it.
void Prepared::findLastUses() {
  const size_t count = program.code.size();
  deadMoves.assign(program.edges.size(), 0);
  std::vector<int32_t> index(program.numRegs(), -1);
  int32_t tracked = 0;
  for (size_t reg = 0; reg < program.numRegs(); ++reg)
    if (program.types[program.regTypes[reg]].kind == TypeKind::Tensor)
      index[reg] = tracked++;
  if (!tracked)
    return;
  const size_t words = size_t(tracked + 63) / 64;
  using Bits = std::vector<uint64_t>;
  auto setBit = [&](Bits &bits, Reg reg) {
    if (reg >= 0 && index[reg] >= 0)
      bits[index[reg] / 64] |= uint64_t(1) << (index[reg] % 64);
  };
  auto clearBit = [&](Bits &bits, Reg reg) {
    if (reg >= 0 && index[reg] >= 0)
      bits[index[reg] / 64] &= ~(uint64_t(1) << (index[reg] % 64));
  };
  auto testBit = [&](const Bits &bits, Reg reg) {
    return reg >= 0 && index[reg] >= 0 && bits[index[reg] / 64] >> (index[reg] % 64) & 1;
  };
  // Live-in sets are kept where jumps land only.
  std::vector<int32_t> target(count + 1, -1);
  std::vector<Bits> landing;
  auto land = [&](Pc pc) {
    if (pc >= 0 && size_t(pc) <= count && target[pc] < 0) {
      target[pc] = int32_t(landing.size());
      landing.emplace_back(words, 0);
    }
  };
  for (const Edge &edge : program.edges)
    land(edge.target);
  for (const Specialize &specialize : program.specializes) {
    land(specialize.join);
    land(specialize.defaultEntry);
  }
  auto alongEdge = [&](int32_t id, Bits &live) {
    const Edge &edge = program.edges[id];
    live = landing[target[edge.target]];
    for (auto [to, from] : edge.moves)
      clearBit(live, to);
    for (auto [to, from] : edge.moves)
      setBit(live, from);
  };
  Bits live(words), other(words);
  for (bool changed = true; changed;) {
    changed = false;
    std::fill(live.begin(), live.end(), 0);
    for (size_t pc = count; pc-- > 0;) {
      const Inst &inst = program.code[pc];
      const Attrs &attrs = program.attrsOf(inst);
      switch (inst.op) {
      case Op::Br: alongEdge(inst.edge, live); break;
      case Op::CondBr:
        alongEdge(inst.edge, live);
        alongEdge(inst.edge + 1, other);
        for (size_t w = 0; w < words; ++w)
          live[w] |= other[w];
        break;
      case Op::Return:
      case Op::WarpReturn: std::fill(live.begin(), live.end(), 0); break;
      case Op::WarpYield:
        live = landing[target[program.specializes[attrs.specialize].join]];
        for (Reg reg : program.specializes[attrs.specialize].results)
          clearBit(live, reg);
        break;
      case Op::WarpSpecialize:
        live = landing[target[program.specializes[attrs.specialize].defaultEntry]];
        break;
      default: break;
      }
      for (unsigned i = 0; i < inst.numResults; ++i)
        clearBit(live, program.result(inst, i));
      // Regions read registers of their own only; a call's callee too.
      uint32_t dead = 0;
      for (unsigned i = 0; i < inst.numOperands && i < 32; ++i) {
        Reg reg = program.operand(inst, i);
        bool again = false;
        for (unsigned j = 0; j < inst.numOperands; ++j)
          again |= j != i && program.operand(inst, j) == reg;
        if (reg >= 0 && index[reg] >= 0 && !testBit(live, reg) && !again)
          dead |= 1u << i;
      }
      insts[pc].dead = dead;
      for (unsigned i = 0; i < inst.numOperands; ++i)
        setBit(live, program.operand(inst, i));
      if (target[pc] >= 0 && landing[target[pc]] != live) {
        landing[target[pc]] = live;
        changed = true;
      }
    }
  }
  for (size_t id = 0; id < program.edges.size(); ++id) {
    const Edge &edge = program.edges[id];
    for (size_t i = 0; edge.target >= 0 && i < edge.moves.size() && i < 64; ++i) {
      Reg from = edge.moves[i].second;
      bool once = std::ranges::count(edge.moves, from, &std::pair<Reg, Reg>::second) == 1;
      if (from >= 0 && index[from] >= 0 && once && !testBit(landing[target[edge.target]], from))
        deadMoves[id] |= uint64_t(1) << i;
    }
  }
  // Instructions of a region run several times on the same arguments' registers.
  for (const Block &block : program.blocks)
    for (Pc pc = block.entry; pc < block.end; ++pc) {
      insts[pc].dead = 0;
      if (program.code[pc].op == Op::Br || program.code[pc].op == Op::CondBr)
        deadMoves[program.code[pc].edge] = 0;
      if (program.code[pc].op == Op::CondBr)
        deadMoves[program.code[pc].edge + 1] = 0;
    }
}

const TileMap &Prepared::map(TypeId type) const {
  LazyMap &lazy = *maps[type];
  std::call_once(lazy.once, [&] { lazy.map = makeTileMap(program, program.types[type]); });
  return lazy.map;
}

} // namespace tlx::sim
