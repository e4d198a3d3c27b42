#include "sim/timing/Registers.h"

#include <algorithm>
#include <set>

namespace tlx::sim {

/// What a thread uses beside tiles; a compiler needs about as much to schedule.
static constexpr int Overhead = 26;
/// What code of few tiles takes beside them (sim/validation: registers of the launches kept apart).
static constexpr int LaunchOverhead = 22;

/// Of a thread (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
static constexpr int MostRegisters = 255;

bool RegisterEstimate::willSpill() const { return tiles + Overhead > available; }

namespace {

/// Liveness of tile registers over the code of one task, backwards to a fixed
/// point. Programs have a few hundred instructions.
class Liveness {
public:
  /// fused: tiles that elementwise code makes and uses up take no registers.
  Liveness(const Program &program, int threads, bool fused) : program(program) {
    cost.assign(program.numRegs(), 0);
    for (const Inst &inst : program.code)
      if (inst.op == Op::Constant)
        constants.insert(program.result(inst, 0));
    for (const Inst &inst : program.code)
      for (unsigned i = 0; i < inst.numResults; ++i) {
        Reg reg = program.result(inst, i);
        if (!isFree(inst.op) && !copiesConstant(inst))
          cost[reg] = costOf(program.typeOf(reg), threads);
      }
    if (fused)
      freeIntermediates();
    // Block arguments take what flows into them.
    for (const Edge &edge : program.edges)
      for (auto [to, from] : edge.moves)
        cost[to] = costOf(program.typeOf(to), threads);
  }

  /// Registers alive before each instruction reachable from `entry`, in order.
  std::vector<std::pair<Pc, int>> run(Pc entry) {
    std::vector<Pc> order = reachable(entry);
    liveIn.assign(program.code.size(), {});
    bool changed = true;
    while (changed) {
      changed = false;
      for (auto it = order.rbegin(); it != order.rend(); ++it)
        changed |= update(*it);
    }
    std::vector<std::pair<Pc, int>> alive;
    for (Pc pc : order) {
      int sum = 0;
      for (Reg reg : liveIn[pc])
        sum += cost[reg];
      alive.push_back({pc, sum});
    }
    return alive;
  }

  int operandRegisters(const Inst &inst) const {
    int sum = 0;
    for (unsigned i = 0; i < inst.numOperands; ++i)
      if (Reg reg = program.operand(inst, i); reg != noReg)
        sum += cost[reg];
    return sum;
  }
  int resultRegisters(const Inst &inst) const {
    int sum = 0;
    for (unsigned i = 0; i < inst.numResults; ++i)
      sum += cost[program.result(inst, i)];
    return sum;
  }

private:
  static bool isFree(Op op) {
    return op == Op::Constant || op == Op::Splat || op == Op::MakeRange || op == Op::AddPtr ||
           op == Op::Broadcast || op == Op::ExpandDims || op == Op::Poison;
  }

  /// In another layout a constant is one as well.
  bool copiesConstant(const Inst &inst) const {
    return inst.op == Op::Copy && constants.count(program.operand(inst, 0));
  }

  /// Goes on element by element: each element of the result depends on one of each operand.
  static bool isElementwise(Op op) {
    Family family = familyOf(op);
    return family == Family::Arith || family == Family::Math || family == Family::Cast ||
           family == Family::Shape || op == Op::Constant || op == Op::AddPtr || op == Op::Load ||
           op == Op::Store || op == Op::LocalLoad || op == Op::ProgramId || op == Op::NumPrograms;
  }

  /// A tile that straight code of elementwise operations makes and uses up is never there as a
  /// whole: the compiler goes on with each element before it makes the next.
  void freeIntermediates() {
    std::vector<int> region(program.code.size());
    int current = 0;
    for (size_t pc = 0; pc < program.code.size(); ++pc) {
      bool through = isElementwise(program.code[pc].op) || program.code[pc].op == Op::Copy;
      current += through ? 0 : 1;
      region[pc] = through ? current : -1;
    }
    std::vector<bool> within(program.numRegs(), true);
    std::vector<int> madeIn(program.numRegs(), -1);
    for (size_t pc = 0; pc < program.code.size(); ++pc)
      for (unsigned i = 0; i < program.code[pc].numResults; ++i)
        madeIn[program.result(program.code[pc], i)] = region[pc];
    for (size_t pc = 0; pc < program.code.size(); ++pc)
      for (unsigned i = 0; i < program.code[pc].numOperands; ++i)
        if (Reg reg = program.operand(program.code[pc], i); reg != noReg)
          within[reg] = within[reg] && region[pc] == madeIn[reg];
    for (const Edge &edge : program.edges)
      for (auto [to, from] : edge.moves)
        within[from] = false;
    for (Reg reg = 0; reg < Reg(program.numRegs()); ++reg)
      if (within[reg] && madeIn[reg] >= 0)
        cost[reg] = 0;
  }

  static int costOf(const Type &type, int threads) {
    // Masks are predicates, addresses are a base and constants.
    if (type.kind != TypeKind::Tensor || type.pointer || type.elem == DType::i1)
      return 0;
    return int((bytesOf(type) + 4 * threads - 1) / (4 * threads));
  }

  std::vector<Pc> successors(Pc pc) const {
    const Inst &inst = program.code[pc];
    switch (inst.op) {
    case Op::Br: return {program.edges[inst.edge].target};
    case Op::CondBr: return {program.edges[inst.edge].target, program.edges[inst.edge + 1].target};
    case Op::Return:
    case Op::WarpReturn: return {};
    case Op::WarpSpecialize:
      return {program.specializes[program.attrsOf(inst).specialize].defaultEntry};
    case Op::WarpYield: return {program.specializes[program.attrsOf(inst).specialize].join};
    default: return {pc + 1};
    }
  }

  std::vector<Pc> reachable(Pc entry) const {
    std::vector<bool> seen(program.code.size(), false);
    std::vector<Pc> stack{entry}, all;
    while (!stack.empty()) {
      Pc pc = stack.back();
      stack.pop_back();
      if (pc < 0 || size_t(pc) >= seen.size() || seen[pc])
        continue;
      seen[pc] = true;
      all.push_back(pc);
      for (Pc next : successors(pc))
        stack.push_back(next);
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  /// Live before an edge's moves, given what is live at its target.
  void through(const Edge &edge, std::vector<Reg> &live) const {
    std::vector<Reg> result;
    for (Reg reg : liveIn[edge.target]) {
      Reg source = reg;
      for (auto [to, from] : edge.moves)
        if (to == reg)
          source = from;
      result.push_back(source);
    }
    live.insert(live.end(), result.begin(), result.end());
  }

  bool update(Pc pc) {
    const Inst &inst = program.code[pc];
    std::vector<Reg> live;
    if (inst.op == Op::Br || inst.op == Op::CondBr) {
      through(program.edges[inst.edge], live);
      if (inst.op == Op::CondBr)
        through(program.edges[inst.edge + 1], live);
    } else {
      for (Pc next : successors(pc))
        if (next >= 0 && size_t(next) < liveIn.size())
          live.insert(live.end(), liveIn[next].begin(), liveIn[next].end());
    }
    for (unsigned i = 0; i < inst.numResults; ++i)
      live.erase(std::remove(live.begin(), live.end(), program.result(inst, i)), live.end());
    for (unsigned i = 0; i < inst.numOperands; ++i)
      if (Reg reg = program.operand(inst, i); reg != noReg && cost[reg] > 0)
        live.push_back(reg);
    live.erase(std::remove_if(live.begin(), live.end(), [&](Reg reg) { return cost[reg] == 0; }),
               live.end());
    std::sort(live.begin(), live.end());
    live.erase(std::unique(live.begin(), live.end()), live.end());
    if (live == liveIn[pc])
      return false;
    liveIn[pc] = std::move(live);
    return true;
  }

  const Program &program;
  std::vector<int> cost;
  std::set<Reg> constants;
  std::vector<std::vector<Reg>> liveIn;
};

} // namespace

/// Registers that hold, in each loop, the addresses of what it loads: two for each instruction of
/// a thread, as rows are apart by a stride that only the launch knows; along one row the
/// instructions differ by constants.
static std::vector<int> addressRegisters(const Program &program, const std::vector<Work> &work,
                                         int threads) {
  std::vector<int> alive(program.code.size(), 0);
  for (const Loop &loop : program.loops) {
    int64_t sum = 0;
    for (Pc pc = loop.head; pc >= 0 && pc < loop.exit; ++pc) {
      const Work &w = work[pc];
      if (w.numPipes == 0 || (w.route != Route::AsyncCopy && w.route != Route::GlobalLoad))
        continue;
      const Type &pointers = program.typeOf(program.operand(program.code[pc], w.memOperand));
      sum += 2 * (pointers.shape.size() < 2 ? 1 : (w.pipes[0].lanes + threads - 1) / threads);
    }
    for (Pc pc = loop.head; pc >= 0 && pc < loop.exit; ++pc)
      alive[pc] = std::max(alive[pc], int(std::min<int64_t>(sum, MostRegisters)));
  }
  return alive;
}

/// What code that spills moves. Short of registers, a compiler no longer goes on element by
/// element: intermediate tiles are there as a whole.
static std::vector<Spill> spillsOf(const Program &program, Pc entry, int threads, int available) {
  std::vector<Spill> spills;
  Liveness liveness(program, threads, false);
  for (auto [pc, alive] : liveness.run(entry)) {
    int excess = alive + Overhead - available;
    if (excess <= 0 || alive == 0)
      continue;
    double share = std::min(1.0, double(excess) / alive);
    const Inst &inst = program.code[pc];
    Spill spill{pc, int(share * liveness.resultRegisters(inst)),
                int(share * liveness.operandRegisters(inst))};
    if (spill.stored + spill.loaded > 0)
      spills.push_back(spill);
  }
  return spills;
}

std::vector<RegisterEstimate> estimateRegisters(const Program &program,
                                                const std::vector<Work> &work, int totalWarps,
                                                int64_t registers, int warpSize) {
  int even = int(registers / (std::max<int64_t>(1, totalWarps) * warpSize)) / 8 * 8;
  int available = std::min(MostRegisters, even);
  if (program.facts.maxRegisters > 0)
    available = std::min(available, program.facts.maxRegisters);
  std::vector<RegisterEstimate> all;
  auto estimate = [&](std::string name, Pc entry, int warps, int requested) {
    RegisterEstimate e;
    e.task = std::move(name);
    e.warps = warps;
    e.available = requested > 0 ? std::min(MostRegisters, requested) : available;
    e.location = program.code[entry].loc;
    std::vector<int> addresses = addressRegisters(program, work, warps * warpSize);
    for (auto [pc, alive] : Liveness(program, warps * warpSize, true).run(entry)) {
      e.launch = std::max(e.launch, alive + addresses[pc]);
      if (alive > e.tiles) {
        e.tiles = alive;
        e.location = program.code[pc].loc;
      }
    }
    if (e.willSpill())
      e.spills = spillsOf(program, entry, warps * warpSize, e.available);
    all.push_back(std::move(e));
  };
  int defaultRegisters = -1;
  for (const Specialize &special : program.specializes)
    defaultRegisters = std::max(defaultRegisters, special.defaultRegisters);
  estimate(program.specializes.empty() ? "main" : "default", program.functions[0].entry,
           program.facts.numWarps, defaultRegisters);
  for (const Specialize &special : program.specializes)
    for (const Partition &partition : special.partitions)
      estimate(partition.name, partition.entry, partition.numWarps, partition.requestedRegisters);
  return all;
}

int launchRegisters(const std::vector<RegisterEstimate> &tasks) {
  int most = 0, least = MostRegisters;
  for (const RegisterEstimate &task : tasks) {
    most = std::max(most, task.launch + LaunchOverhead);
    least = std::min(least, task.available);
  }
  return std::min((most + 7) / 8 * 8, least);
}

} // namespace tlx::sim
