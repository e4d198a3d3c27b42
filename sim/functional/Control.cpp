//===- Control.cpp - constants, jumps, calls, warp_specialize, regions ----===//
#include "sim/functional/Exec.h"

#include <algorithm>

namespace tlx::sim {

/// A value of the first way where its threads are, of the second elsewhere.
static Value mergeThreads(const Value &first, const Value &second,
                          const std::vector<uint8_t> &isFirst) {
  if (first.kind() != Value::Kind::Elements || second.kind() != Value::Kind::Elements ||
      std::max(first.count(), second.count()) > isFirst.size())
    return second; // tiles and buffers do not differ between threads
  size_t bytes = storeBytes(first.store());
  Value merged = Value::elements(first.store(), isFirst.size());
  for (size_t i = 0; i < isFirst.size(); ++i) {
    const Value &from = isFirst[i] ? first : second;
    std::memcpy(merged.mutableData<char>() + i * bytes,
                from.data<char>() + (from.count() == 1 ? 0 : i * bytes), bytes);
  }
  return merged;
}

static void takeEdge(Exec &exec, int32_t id);

/// A jump to the place where divergent threads meet again. The first way to get there
/// waits for the second; then values that depend on the way are put together.
static void reachMerge(Exec &exec, const Edge &edge) {
  Task &task = exec.task;
  Divergence &top = task.divergences.back();
  std::vector<std::pair<Reg, Value>> values;
  for (auto [to, from] : edge.moves)
    values.push_back({to, task.regs[from]});
  if (!top.second) {
    top.second = true;
    top.values = std::move(values);
    for (size_t i = 0; i < task.active.size(); ++i)
      task.active[i] = (top.outer.empty() || top.outer[i]) && !top.first[i];
    return takeEdge(exec, top.otherEdge);
  }
  for (size_t i = 0; i < values.size(); ++i)
    task.regs[values[i].first] = mergeThreads(top.values[i].second, values[i].second, top.first);
  task.active = std::move(top.outer);
  exec.next = top.merge;
  task.divergences.pop_back();
}

/// Parallel copies of a jump's arguments.
static void takeEdge(Exec &exec, int32_t id) {
  const Edge &edge = exec.program.edges[id];
  std::vector<Value> &regs = exec.task.regs;
  if (!exec.task.divergences.empty() && edge.target == exec.task.divergences.back().merge)
    return reachMerge(exec, edge);
  // Threads that diverged take another way next, which may read what this one does not.
  const uint64_t dead = exec.task.divergences.empty() ? exec.prepared.deadMoves[id] : 0;
  auto source = [&](size_t i) {
    Value &value = regs[edge.moves[i].second];
    return i < 64 && dead >> i & 1 ? std::move(value) : value;
  };
  if (edge.moves.size() == 1) {
    regs[edge.moves[0].first] = source(0);
  } else if (!edge.moves.empty()) {
    Value few[8];
    std::vector<Value> many;
    Value *values = few;
    if (edge.moves.size() > 8) {
      many.resize(edge.moves.size());
      values = many.data();
    }
    for (size_t i = 0; i < edge.moves.size(); ++i)
      values[i] = source(i);
    for (size_t i = 0; i < edge.moves.size(); ++i)
      regs[edge.moves[i].first] = std::move(values[i]);
  }
  exec.next = edge.target;
}

/// The active threads disagree: those for which the condition holds go first.
static void diverge(Exec &exec, const Value &condition) {
  Task &task = exec.task;
  if (exec.inst.merge < 0)
    return exec.fail(Finding::Kind::Divergence, "the threads of '" + task.name +
                                                    "' disagree about this branch, and where "
                                                    "they meet again is not known");
  Divergence divergence;
  divergence.merge = exec.inst.merge;
  divergence.otherEdge = exec.inst.edge + 1;
  divergence.outer = task.active;
  divergence.first.resize(task.numThreads);
  for (int32_t i = 0; i < task.numThreads; ++i)
    divergence.first[i] = task.isActive(i) && condition.asInt(i);
  task.active = divergence.first;
  task.divergences.push_back(std::move(divergence));
  takeEdge(exec, exec.inst.edge);
}

static void constant(Exec &exec) { exec.out(0, exec.prepared.constants[exec.attrs().constant]); }

static void poison(Exec &exec) {
  // Any value will do: zero.
  const Type &type = exec.resultType();
  if (type.kind == TypeKind::Scalar || type.kind == TypeKind::Tensor)
    exec.out(0, Value::integer(storeOf(type), 0));
  else if (type.kind == TypeKind::MemDesc)
    exec.out(0, Value::memory({}));
}

static void copy(Exec &exec) { exec.out(0, exec.take(0)); }

static void br(Exec &exec) { takeEdge(exec, exec.inst.edge); }

static void condBr(Exec &exec) {
  const Value &condition = exec.in(0);
  if (condition.isUnknown())
    return exec.unsupported("a branch depends on a value that a run without values does not "
                            "compute; run with values");
  bool first = condition.asInt() != 0;
  if (condition.count() > 1) {
    bool any = false, all = true;
    for (size_t i = 0; i < condition.count(); ++i)
      if (exec.task.isActive(i)) {
        any |= condition.asInt(i) != 0;
        all &= condition.asInt(i) != 0;
      }
    if (any != all)
      return diverge(exec, condition);
    first = any;
  }
  takeEdge(exec, exec.inst.edge + (first ? 0 : 1));
}

static void call(Exec &exec) {
  const Function &function = exec.program.functions[exec.attrs().function];
  std::vector<Value> args;
  for (unsigned i = 0; i < exec.numOperands(); ++i)
    args.push_back(exec.in(i));
  for (size_t i = 0; i < args.size(); ++i)
    exec.task.regs[function.args[i]] = std::move(args[i]);
  Task::Frame frame{exec.pc + 1, {}};
  for (unsigned i = 0; i < exec.inst.numResults; ++i)
    frame.results.push_back(exec.program.result(exec.inst, i));
  exec.task.frames.push_back(std::move(frame));
  exec.next = function.entry;
}

static void returnOp(Exec &exec) {
  if (exec.task.frames.empty()) {
    exec.next = exec.pc;
    exec.cluster.finish(exec.task);
    return;
  }
  Task::Frame frame = std::move(exec.task.frames.back());
  exec.task.frames.pop_back();
  for (size_t i = 0; i < frame.results.size(); ++i)
    exec.task.regs[frame.results[i]] = exec.in(i);
  exec.next = frame.returnTo;
}

static void warpSpecialize(Exec &exec) {
  if (exec.task.parent >= 0)
    return exec.unsupported("a warp_specialize inside a partition");
  const Specialize &specialize = exec.program.specializes[exec.attrs().specialize];
  exec.task.specialize = exec.attrs().specialize;
  exec.next = specialize.defaultEntry;
  exec.cluster.startPartitions(exec.task, specialize);
}

static void warpYield(Exec &exec) {
  if (exec.task.runningPartitions) {
    exec.cluster.block(exec.task, BlockReason::Join, exec.cta.rank, 0);
    exec.blocked = true;
    return;
  }
  const Specialize &specialize = exec.program.specializes[exec.attrs().specialize];
  for (size_t i = 0; i < specialize.results.size(); ++i)
    exec.task.regs[specialize.results[i]] = exec.in(i);
  exec.task.specialize = -1;
  exec.next = specialize.join;
}

static void warpReturn(Exec &exec) {
  exec.next = exec.pc;
  exec.cluster.finish(exec.task);
}

/// Runs from `entry` until the Return that ends it; regions and their callees have
/// no effects, so nothing can suspend.
static std::vector<Value> interpret(Exec &outer, Pc entry) {
  Task &task = outer.task;
  size_t depth = task.frames.size();
  for (Pc pc = entry;;) {
    const Inst &inst = outer.program.code[pc];
    if (inst.op == Op::Return && task.frames.size() == depth) {
      std::vector<Value> results;
      for (unsigned i = 0; i < inst.numOperands; ++i)
        results.push_back(task.regs[outer.program.operand(inst, i)]);
      return results;
    }
    Exec exec{outer.cluster, task, outer.cta, outer.program, outer.prepared, inst, pc};
    Handler handler = outer.prepared.insts[pc].handler;
    if (!handler) {
      exec.unsupported("'" + std::string(name(inst.op)) + "' is not supported inside a region");
      return {};
    }
    handler(exec);
    if (outer.cluster.failed())
      return {};
    pc = exec.next >= 0 ? exec.next : pc + 1;
  }
}

std::vector<Value> runBlock(Exec &exec, const Block &block, std::vector<Value> args) {
  std::vector<Value> &regs = exec.task.regs;
  size_t count = 1;
  for (const Value &arg : args)
    count = std::max(count, arg.count());
  if (block.straightLine || count == 1) {
    for (size_t i = 0; i < args.size(); ++i)
      regs[block.args[i]] = std::move(args[i]);
    return interpret(exec, block.entry);
  }
  // Elements may take different branches: one at a time.
  std::vector<Value> results;
  for (size_t e = 0; e < count; ++e) {
    for (size_t i = 0; i < args.size(); ++i) {
      Store store = args[i].store();
      Value element = Value::elements(store, 1);
      size_t from = args[i].count() == 1 ? 0 : e;
      std::memcpy(element.mutableData<char>(), args[i].data<char>() + from * storeBytes(store),
                  storeBytes(store));
      regs[block.args[i]] = std::move(element);
    }
    std::vector<Value> one = interpret(exec, block.entry);
    if (exec.cluster.failed())
      return {};
    if (results.empty())
      for (const Value &value : one)
        results.push_back(Value::elements(value.store(), count));
    for (size_t i = 0; i < one.size(); ++i) {
      size_t bytes = storeBytes(one[i].store());
      std::memcpy(results[i].mutableData<char>() + e * bytes, one[i].data<char>(), bytes);
    }
  }
  return results;
}

void registerControl(HandlerTable &table) {
  table.set(Op::Constant, constant);
  table.set(Op::Poison, poison);
  table.set(Op::Copy, copy);
  table.set(Op::Br, br);
  table.set(Op::CondBr, condBr);
  table.set(Op::Call, call);
  table.set(Op::Return, returnOp);
  table.set(Op::WarpSpecialize, warpSpecialize);
  table.set(Op::WarpYield, warpYield);
  table.set(Op::WarpReturn, warpReturn);
}

const HandlerTable &handlerTable() {
  static const HandlerTable table = [] {
    HandlerTable t;
    registerControl(t);
    registerIntegers(t);
    registerFloats(t);
    registerMath(t);
    registerCasts(t);
    registerShapes(t);
    registerReductions(t);
    registerGlobal(t);
    registerProgramOps(t);
    registerShared(t);
    registerBarriers(t);
    registerTma(t);
    registerCopies(t);
    registerDots(t);
    registerTensorMemory(t);
    registerClusters(t);
    registerAmd(t);
    return t;
  }();
  return table;
}

} // namespace tlx::sim
