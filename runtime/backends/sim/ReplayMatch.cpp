//===- ReplayMatch.cpp ------------------------------------------------------===//
#include "runtime/backends/sim/ReplayMatch.h"

#include "sim/program/Ops.h"

#include <algorithm>
#include <string_view>

namespace tlx::device {

static std::string_view baseName(std::string_view path) {
  size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

static bool samePlace(const sim::Location &place, const SourceLocation &wanted) {
  if (wanted.line == 0)
    return true;
  return place.line == int32_t(wanted.line) &&
         (wanted.column == 0 || place.column == int32_t(wanted.column)) &&
         baseName(place.file) == baseName(wanted.file);
}

bool liesAt(const sim::Program &program, sim::LocId loc, const SourceLocation &wanted) {
  if (loc < 0)
    return wanted.line == 0;
  // Of inlined code a trace may name any of the calls.
  for (; loc >= 0; loc = program.locations[size_t(loc)].caller)
    if (samePlace(program.locations[size_t(loc)], wanted))
      return true;
  return false;
}

/// Many operations have become "sync" instructions, told apart by what they do.
static bool hasEffectOf(const sim::Program &program, const sim::Inst &inst, std::string_view name) {
  using K = sync::Kind;
  struct Row {
    std::string_view op;
    K kind;
  };
  static constexpr Row rows[] = {
      {"init_barrier", K::BarrierInit},
      {"inval_barrier", K::BarrierInval},
      {"barrier_expect", K::BarrierExpect},
      {"wait_barrier", K::BarrierWait},
      {"arrive_barrier", K::BarrierArrive},
      {"arrive_barrier_named", K::NamedBarrierArrive},
      {"wait_barrier_named", K::NamedBarrierSync},
      {"fence_async_shared", K::ProxyFence},
      {"cluster_arrive", K::ClusterArrive},
      {"cluster_wait", K::ClusterWait},
  };
  std::string_view plain = name.substr(name.find('.') + 1);
  for (const Row &row : rows) {
    if (plain != row.op)
      continue;
    const sim::Effect *effects = program.effectsOf(inst);
    return std::any_of(effects, effects + inst.numEffects,
                       [&](const sim::Effect &effect) { return effect.kind == row.kind; });
  }
  return true;
}

bool matches(const sim::Program &program, sim::Pc pc, const replay::Operation &op) {
  const sim::Inst &inst = program.code[size_t(pc)];
  // Structured control flow has become jumps: only its place is left.
  auto known = sim::opFromName(op.name);
  if (known && (inst.op != *known || !hasEffectOf(program, inst, op.name)))
    return false;
  if (!known && op.location.line == 0)
    return false;
  return liesAt(program, inst.loc, op.location);
}

static bool inside(const sim::Loop &loop, sim::Pc pc) { return loop.head <= pc && pc < loop.exit; }

void LoopCounter::arrive(sim::Pc pc) {
  for (size_t i = 0; i < program.loops.size(); ++i)
    if (program.loops[i].head == pc)
      counts[i] = last >= 0 && inside(program.loops[i], last) ? counts[i] + 1 : 0;
  last = pc;
}

bool LoopCounter::agrees(sim::Pc pc, const std::vector<int64_t> &iteration) const {
  std::vector<size_t> around; // innermost first
  for (size_t i = 0; i < program.loops.size(); ++i)
    if (inside(program.loops[i], pc))
      around.push_back(i);
  std::sort(around.begin(), around.end(),
            [&](size_t a, size_t b) { return program.loops[a].head > program.loops[b].head; });
  size_t common = std::min(around.size(), iteration.size());
  for (size_t i = 0; i < common; ++i)
    if (counts[around[i]] != iteration[iteration.size() - 1 - i])
      return false;
  return true;
}

} // namespace tlx::device
