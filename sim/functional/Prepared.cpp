//===- Prepared.cpp - facts about a program that every cluster shares
//--------------------------===//
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
  findStartSync();
}

/// Operations that reach into another CTA's shared memory or barriers.
static bool reachesOut(const Program &program, const Inst &inst) {
  switch (inst.op) {
  case Op::MapToRemoteBuffer:
  case Op::AsyncRemoteStore:
  case Op::AsyncRemoteCopy:
  case Op::ClcTryCancel: return true;
  case Op::TmaLoad:
    return program.operand(inst, 4) != noReg || program.attrsOf(inst).multicast ||
           program.attrsOf(inst).twoCtas;
  default: return program.attrsOf(inst).twoCtas;
  }
}

/// Behind the last initialisation of a barrier that every CTA executes, before anything
/// that could wait.
void Prepared::findStartSync() {
  if (program.facts.clusterSize() <= 1)
    return;
  bool needed = false;
  for (const Inst &inst : program.code)
    needed |= reachesOut(program, inst);
  if (!needed)
    return;
  Pc merge = 0; // code before it runs under a condition
  const Function &kernel = program.functions[0];
  for (Pc pc = kernel.entry; pc < kernel.end; ++pc) {
    const Inst &inst = program.code[pc];
    if (inst.op == Op::WarpSpecialize || (inst.op == Op::CondBr && inst.merge < 0))
      return;
    if (inst.op == Op::CondBr)
      merge = std::max(merge, inst.merge);
    for (unsigned i = 0; i < inst.numEffects; ++i) {
      sync::Kind kind = program.effectsOf(inst)[i].kind;
      if (kind == sync::Kind::BarrierWait || kind == sync::Kind::NamedBarrierSync ||
          kind == sync::Kind::ClusterWait)
        return;
      if (kind == sync::Kind::BarrierInit && pc >= merge)
        startSyncPc = pc + 1;
    }
  }
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
  if (sharedBytes > sharedCapacity(program.facts.target))
    shareByLiveness();
}

int64_t sharedCapacity(const std::string &target) {
  if (target.rfind("cuda", 0) == 0)
    return 227 * 1024; // 228 KiB of an SM, 1 KiB of which the system keeps for each CTA
  if (target.find("gfx1250") != std::string::npos)
    return 320 * 1024;
  if (target.find("gfx950") != std::string::npos)
    return 160 * 1024;
  return 64 * 1024;
}

/// The task whose code an instruction is: the index of a partition, or -1.
static int32_t taskOfPc(const Program &program, Pc pc) {
  int32_t index = 0;
  for (const Specialize &specialize : program.specializes)
    for (const Partition &partition : specialize.partitions) {
      if (pc >= partition.entry && pc < partition.end)
        return index;
      ++index;
    }
  return -1;
}

/// Buffers of their own for all allocations are too much: those that are never alive
/// together share bytes, as in the compiler. An allocation lives from its instruction to the last
/// that names it, loops and captures included; barriers and what other CTAs write to
/// live for the whole kernel.
void Prepared::shareByLiveness() {
  const size_t count = program.allocations.size();
  struct Life {
    Pc begin = -1, end = -1;
    int32_t task = -1;
    bool whole = false;
  };
  std::vector<Life> lives(count);
  for (size_t i = 0; i < count; ++i)
    lives[i].whole = escapes[i];
  auto touch = [&](Reg reg, Pc pc) {
    if (reg < 0 || allocationOf[reg] < 0)
      return;
    Life &life = lives[allocationOf[reg]];
    if (life.begin < 0)
      life.begin = pc;
    life.end = std::max(life.end, pc);
    for (const Loop &loop : program.loops)
      if (pc >= loop.head && pc < loop.exit && life.begin < loop.head)
        life.end = std::max(life.end, loop.exit);
  };
  for (Pc pc = 0; pc < Pc(program.code.size()); ++pc) {
    const Inst &inst = program.code[pc];
    bool remote = inst.op == Op::MapToRemoteBuffer || inst.op == Op::RemoteStore ||
                  inst.op == Op::AsyncRemoteStore || inst.op == Op::AsyncRemoteCopy;
    for (unsigned i = 0; i < inst.numResults; ++i)
      touch(program.result(inst, i), pc);
    for (unsigned i = 0; i < inst.numOperands; ++i) {
      Reg reg = program.operand(inst, i);
      touch(reg, pc);
      if (reg >= 0 && allocationOf[reg] >= 0) {
        lives[allocationOf[reg]].whole |= remote;
        if (inst.op == Op::WarpSpecialize)
          lives[allocationOf[reg]].end =
              std::max(lives[allocationOf[reg]].end,
                       program.specializes[program.attrsOf(inst).specialize].join);
      }
    }
    for (unsigned i = 0; i < inst.numEffects; ++i) {
      const Effect &effect = program.effectsOf(inst)[i];
      for (Reg reg : {effect.target, effect.barrier})
        if (reg >= 0 && allocationOf[reg] >= 0) {
          touch(reg, pc);
          if (effect.kind == sync::Kind::BarrierInit)
            lives[allocationOf[reg]].whole = true;
        }
    }
    if ((inst.op == Op::LocalAlloc) && program.attrsOf(inst).allocation >= 0)
      lives[program.attrsOf(inst).allocation].task = taskOfPc(program, pc);
  }
  auto together = [&](const Life &a, const Life &b) {
    return a.whole || b.whole || a.task != b.task || (a.begin <= b.end && b.begin <= a.end);
  };
  // Largest first, each at the lowest place where nothing alive with it lies.
  std::vector<size_t> order;
  for (size_t i = 0; i < count; ++i)
    if (program.allocations[i].space != sync::Space::Tensor && program.allocations[i].offset < 0)
      order.push_back(i);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    int64_t x = program.allocations[a].bytes, y = program.allocations[b].bytes;
    return x != y ? x > y : a < b;
  });
  std::vector<size_t> placed;
  sharedBytes = 0;
  for (size_t i = 0; i < count; ++i)
    if (program.allocations[i].space != sync::Space::Tensor && program.allocations[i].offset >= 0) {
      placed.push_back(i);
      sharedBytes = std::max(sharedBytes, allocOffsets[i] + program.allocations[i].bytes);
    }
  for (size_t i : order) {
    const Allocation &allocation = program.allocations[i];
    int64_t align = std::max<int64_t>(allocation.alignment, 16), at = 0;
    for (bool moved = true; moved;) {
      moved = false;
      at = (at + align - 1) / align * align;
      for (size_t other : placed)
        if (together(lives[i], lives[other]) &&
            at < allocOffsets[other] + program.allocations[other].bytes &&
            allocOffsets[other] < at + allocation.bytes) {
          at = allocOffsets[other] + program.allocations[other].bytes;
          moved = true;
        }
    }
    allocOffsets[i] = at;
    placed.push_back(i);
    sharedBytes = std::max(sharedBytes, at + allocation.bytes);
  }
}

void Prepared::traceAllocations() {
  allocationOf.assign(program.numRegs(), -1);
  bool changed = true;
  escapes.assign(program.allocations.size(), false);
  auto join = [&](Reg to, Reg from) {
    if (from >= 0 && to >= 0 && allocationOf[to] >= 0 && allocationOf[from] >= 0 &&
        allocationOf[to] != allocationOf[from])
      escapes[allocationOf[to]] = escapes[allocationOf[from]] = true;
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
  // Instructions of a region run several times on the same arguments' registers.
  for (const Block &block : program.blocks)
    for (Pc pc = block.entry; pc < block.end; ++pc)
      insts[pc].dead = 0;
}

const TileMap &Prepared::map(TypeId type) const {
  LazyMap &lazy = *maps[type];
  std::call_once(lazy.once, [&] { lazy.map = makeTileMap(program, program.types[type]); });
  return lazy.map;
}

} // namespace tlx::sim
