//===- Canonical.cpp - when two states are the same -----------------------===//
//
// Trip counts are unbounded, so the run has infinitely many states; only
// finitely many differ in what can happen next. The identity of a state keeps:
// where each task is, the variables that are still read (reduced, Demand.h),
// barriers by parity, who knows which tokens with tokens named by what refers
// to them, and the decisions that some task can still ask about.
//
// Iteration numbers count from the slowest task of a *group*: loops that ask
// the same questions. If every task that will ask `R >= n` again has reached
// iteration 7, then 7 plays the part of 0, and the interval known for R moves
// with it.
//
//===----------------------------------------------------------------------===//

#include "verify/checks/Machine.h"
#include "verify/model/EffectExprs.h"

#include <algorithm>
#include <numeric>

using namespace tlx::verify;

/// Which loops ask which questions; unites loops that share one.
void Machine::prepareGroups() {
  std::vector<std::vector<int>> loopId(numTasks);
  int total = 0;
  for (int task = 0; task < numTasks; ++task)
    for (size_t loop = 0; loop < codes[task].loops.size(); ++loop)
      loopId[task].push_back(total++);
  std::vector<int> parent(total);
  std::iota(parent.begin(), parent.end(), 0);
  auto find = [&](int x) {
    while (parent[x] != x)
      x = parent[x] = parent[parent[x]];
    return x;
  };
  std::map<std::tuple<int, int, int>, std::vector<int>> siblings; // class, task, parent -> loops
  std::map<std::pair<int, int>, int> first;                       // class, depth -> loop
  std::vector<char> asked(total, 0);
  auto unite = [&](int cls, int depth, int id) {
    asked[id] = 1;
    auto [it, isNew] = first.try_emplace({cls, depth}, id);
    if (!isNew)
      parent[find(id)] = find(it->second);
  };
  for (int task = 0; task < numTasks; ++task) {
    const Code &code = codes[task];
    for (size_t pc = 0; pc < code.instrs.size(); ++pc) {
      const Instr &instr = code.instrs[pc];
      std::vector<int> classes;
      if (instr.kind == Instr::Branch)
        table.collect(instr.cond, true, classes);
      for (const Assign &assign : instr.assigns)
        if (demands.of(assign.var).any)
          table.collect(assign.value, false, classes);
      if (instr.kind == Instr::Event)
        for (const Effect &effect : program.events[instr.index].effects)
          eachExpr(effect, [&](ExprId e, ExprUse use) {
            if (isAsked(use))
              table.collect(e, use == ExprUse::Predicate, classes);
            // Iterations in which tiles of one buffer lie are counted alike.
            if (use == ExprUse::Origin)
              for (int depth : linears.depthsOf(linears.of(e)))
                if (int loop = code.loopAround(static_cast<int>(pc), depth); loop >= 0)
                  unite(~effect.target.object, depth, loopId[task][loop]);
          });
      for (size_t i = 0; i < classes.size(); ++i) {
        int cls = classes[i];
        if (int whole = table.cls(cls).whole; whole >= 0 && table.cls(whole).prefixDepth > 0)
          classes.push_back(whole);
        if (options.splitSiblings && !table.cls(cls).ords.empty()) {
          int depth = table.cls(cls).ords.back().first;
          int loop = code.loopAround(static_cast<int>(pc), depth);
          if (loop >= 0) {
            auto &known = siblings[{cls, task, code.loops[loop].parent}];
            auto at = std::find(known.begin(), known.end(), loop);
            int which = static_cast<int>(at - known.begin());
            if (at == known.end())
              known.push_back(loop);
            siblingOf[{cls, task, loop}] = which;
            cls = table.variant(cls, which);
          }
        }
        const DecisionClass c = table.cls(cls);
        std::vector<int> depths;
        for (int d = 1; d <= c.prefixDepth; ++d)
          depths.push_back(d);
        for (auto [d, coef] : c.ords)
          depths.push_back(d);
        for (int d : depths) {
          int loop = code.loopAround(static_cast<int>(pc), d);
          if (loop < 0)
            continue;
          if (d == *std::max_element(depths.begin(), depths.end()))
            asks(cls, task, loop);
          unite(cls, d, loopId[task][loop]);
        }
      }
    }
  }
  std::map<int, int> groupOf;
  loopGroup.resize(numTasks);
  for (int task = 0; task < numTasks; ++task)
    for (size_t loop = 0; loop < codes[task].loops.size(); ++loop) {
      int id = loopId[task][loop];
      if (!asked[id]) {
        loopGroup[task].push_back(-1);
        continue;
      }
      auto [it, isNew] = groupOf.try_emplace(find(id), static_cast<int>(groups.size()));
      if (isNew)
        groups.emplace_back();
      groups[it->second].push_back({task, static_cast<int>(loop)});
      loopGroup[task].push_back(it->second);
    }
  for (auto &[key, id] : first)
    classGroup[key] = groupOf[find(id)];
  regrouped = false;
  groupLags.assign(groups.size(), 0);
  groupStrides.assign(groups.size(), 1);
  for (size_t group = 0; group < groups.size(); ++group)
    for (const LoopRef &ref : groups[group])
      groupStrides[group] =
          std::lcm(groupStrides[group], codes[ref.task].loops[ref.loop].pace.stride);
  // Which variables are still read from here on.
  liveVars.resize(numTasks);
  taskVars.resize(numTasks);
  for (int task = 0; task < numTasks; ++task) {
    const Code &code = codes[task];
    std::map<VarId, int> index;
    auto number = [&](VarId var) {
      auto [it, isNew] = index.try_emplace(var, static_cast<int>(taskVars[task].size()));
      if (isNew)
        taskVars[task].push_back(var);
      return it->second;
    };
    std::vector<std::vector<int>> uses(code.instrs.size()), kills(code.instrs.size());
    for (size_t pc = 0; pc < code.instrs.size(); ++pc) {
      std::vector<ExprId> stack;
      const Instr &instr = code.instrs[pc];
      if (instr.kind == Instr::Branch)
        stack.push_back(instr.cond);
      for (const Assign &assign : instr.assigns)
        if (demands.of(assign.var).any) {
          stack.push_back(assign.value);
          kills[pc].push_back(number(assign.var));
        }
      if (instr.kind == Instr::Event)
        for (const Effect &effect : program.events[instr.index].effects)
          eachExpr(effect, [&](ExprId e, ExprUse use) {
            if (isAsked(use))
              stack.push_back(e);
          });
      while (!stack.empty()) {
        ExprId e = stack.back();
        stack.pop_back();
        if (e == NoExpr)
          continue;
        const ExprNode &node = program.exprs[e];
        if (node.op == Op::Var && demands.of(static_cast<VarId>(node.value)).any)
          uses[pc].push_back(number(static_cast<VarId>(node.value)));
        for (ExprId o : {node.a, node.b, node.c})
          if (o != NoExpr)
            stack.push_back(o);
      }
    }
    size_t vars = taskVars[task].size();
    auto &live = liveVars[task];
    live.assign(code.instrs.size() + 1, std::vector<bool>(vars, false));
    for (bool changed = true; changed;) {
      changed = false;
      for (int pc = static_cast<int>(code.instrs.size()) - 1; pc >= 0; --pc) {
        const Instr &instr = code.instrs[pc];
        std::vector<bool> now(vars, false);
        auto flow = [&](int to) {
          for (size_t v = 0; v < vars; ++v)
            now[v] = now[v] || live[to][v];
        };
        if (instr.kind != Instr::Jump && instr.kind != Instr::End)
          flow(pc + 1);
        if (instr.target >= 0)
          flow(instr.target);
        for (int v : kills[pc])
          now[v] = false;
        for (int v : uses[pc])
          now[v] = true;
        if (now != live[pc]) {
          live[pc] = std::move(now);
          changed = true;
        }
      }
    }
  }
}

/// In this loop, the innermost that the class depends on, a question of it is asked.
void Machine::asks(int cls, int task, int loop) {
  auto &loops = askers[cls];
  LoopRef ref{task, loop};
  if (std::find(loops.begin(), loops.end(), ref) != loops.end())
    return;
  loops.push_back(ref);
  regrouped = true;
}

/// Of a loop in which nothing was asked until now.
int Machine::newGroup(int task, int loop) {
  loopGroup[task][loop] = static_cast<int>(groups.size());
  groups.push_back({{task, loop}});
  groupLags.push_back(0);
  groupStrides.push_back(codes[task].loops[loop].pace.stride);
  regrouped = true;
  return loopGroup[task][loop];
}

/// From now on iteration numbers of the loop at `depth` count modulo `modulus`; false when
/// that would be too many states.
bool Machine::distinguish(const State &state, int task, int depth, int64_t modulus) {
  const TaskState &t = state.tasks[task];
  if (modulus == 1)
    return true;
  if (depth > static_cast<int>(t.loops.size()))
    return false;
  int loop = t.loops[depth - 1], group = loopGroup[task][loop];
  if (group < 0)
    group = newGroup(task, loop);
  int64_t stride = std::lcm(groupStrides[group], modulus);
  if (stride > MaxPeriod)
    return false;
  regrouped |= stride != groupStrides[group];
  groupStrides[group] = stride;
  return true;
}

/// A question that came up while running: the loops of `task` around it belong to
/// those that ask it. `n`: the iterations it is about.
void Machine::learn(const State &state, int task, int cls, const std::vector<int64_t> &n) {
  const TaskState &t = state.tasks[task];
  const DecisionClass &c = table.cls(cls);
  size_t prefix = static_cast<size_t>(c.prefixDepth);
  int64_t lag = prefix && prefix <= t.n.size() ? t.n[prefix - 1] - n[prefix - 1] : 0;
  int innermost = t.loops.empty() ? -1 : t.loops.back();
  if (!learnt.insert({cls, task, innermost, lag}).second)
    return;
  std::vector<int> depths;
  for (int d = 1; d <= c.prefixDepth; ++d)
    depths.push_back(d);
  for (auto [d, coef] : c.ords)
    depths.push_back(d);
  for (int d : depths) {
    if (d > static_cast<int>(t.loops.size()))
      continue;
    int loop = t.loops[d - 1];
    if (d == *std::max_element(depths.begin(), depths.end()))
      asks(cls, task, loop);
    auto [it, isNew] = classGroup.try_emplace({cls, d}, loopGroup[task][loop]);
    int &mine = loopGroup[task][loop];
    if (it->second < 0) {
      it->second = newGroup(task, loop);
    } else if (int from = mine, to = it->second; from != to) {
      std::vector<LoopRef> moved = from < 0 ? std::vector<LoopRef>{{task, loop}} : groups[from];
      for (const LoopRef &ref : moved)
        loopGroup[ref.task][ref.loop] = to;
      for (const LoopRef &ref : moved)
        groupStrides[to] = std::lcm(groupStrides[to], codes[ref.task].loops[ref.loop].pace.stride);
      groups[to].insert(groups[to].end(), moved.begin(), moved.end());
      if (from >= 0) {
        groups[from].clear();
        groupLags[to] = std::max(groupLags[to], groupLags[from]);
        for (auto &[key, group] : classGroup)
          if (group == from)
            group = to;
      }
      regrouped = true;
    }
  }
  if (int whole = table.cls(cls).whole; whole >= 0 && table.cls(whole).prefixDepth > 0)
    learn(state, task, whole, n);
  if (lag > lags[cls]) {
    lags[cls] = lag;
    if (auto it = classGroup.find({cls, c.prefixDepth}); it != classGroup.end())
      groupLags[it->second] = std::max(groupLags[it->second], lag);
    regrouped = true;
  }
}

/// The smallest iteration number at which `task` can be in `loop` from here on,
/// within the instance that `prefix` (iteration numbers of the loops around it)
/// names; nothing if it cannot.
std::optional<int64_t> Machine::contribution(const State &state, int task, int loop,
                                             const std::vector<int64_t> &prefix) const {
  const TaskState &t = state.tasks[task];
  if (t.done)
    return std::nullopt;
  const Code &code = codes[task];
  int64_t first = code.loops[loop].pace.first;
  if (!t.started)
    return first;
  std::vector<int> chain;
  for (int l = loop; l >= 0; l = code.loops[l].parent)
    chain.push_back(l);
  std::reverse(chain.begin(), chain.end());
  for (size_t depth = 0; depth < chain.size(); ++depth) {
    int l = chain[depth];
    bool inside = depth < t.loops.size() && t.loops[depth] == l;
    if (!inside)
      return code.loops[l].ahead[t.pc] ? std::optional<int64_t>(first) : std::nullopt;
    if (depth + 1 == chain.size())
      return t.n[depth];
    if (depth >= prefix.size())
      return first;
    if (t.n[depth] != prefix[depth])
      return t.n[depth] < prefix[depth] ? std::optional<int64_t>(first) : std::nullopt;
  }
  return std::nullopt;
}

int64_t Machine::base(const State &state, int group, const std::vector<int64_t> &prefix) const {
  std::optional<int64_t> smallest;
  for (const LoopRef &ref : groups[group])
    if (auto n = contribution(state, ref.task, ref.loop, prefix))
      smallest = smallest ? std::min(*smallest, *n) : *n;
  // Down to where every loop of the group has an iteration.
  int64_t stride = groupStrides[group], n = smallest.value_or(0);
  return n - (n % stride + stride) % stride;
}

bool Machine::stillAsked(const State &state, int cls, const std::vector<int64_t> &prefix) const {
  const DecisionClass &c = table.cls(cls);
  int deepest = c.prefixDepth;
  for (auto [depth, coef] : c.ords)
    deepest = std::max(deepest, depth);
  if (deepest == 0)
    return true;
  auto it = askers.find(cls);
  if (it == askers.end())
    return true;
  for (const LoopRef &ref : it->second)
    if (auto n = contribution(state, ref.task, ref.loop, prefix)) {
      // A question about one iteration is over when that iteration is.
      bool ofIteration = deepest <= c.prefixDepth && deepest <= static_cast<int>(prefix.size());
      auto lag = lags.find(cls);
      if (!ofIteration || *n <= prefix[deepest - 1] + (lag == lags.end() ? 0 : lag->second))
        return true;
    }
  return false;
}

/// What was decided, and what is known of R beforehand while it answers questions in some
/// iterations only: counted from the slowest task these are not the same in all of them. How far
/// R is beyond everything that it may still be compared with is forgotten.
std::map<DecisionKey, Interval> Machine::decisionsFor(State &state) const {
  std::map<DecisionKey, Interval> shown = state.decisions;
  for (const auto &[cls, loops] : askers)
    for (const LoopRef &ref : loops) {
      const TaskState &t = state.tasks[ref.task];
      if (t.started && !t.done && !table.cls(cls).ords.empty() &&
          std::find(t.loops.begin(), t.loops.end(), ref.loop) != t.loops.end())
        shown.try_emplace(table.key(cls, t.n));
    }
  for (auto it = shown.begin(); it != shown.end();) {
    const auto &[cls, prefix] = it->first;
    Interval &interval = it->second;
    const DecisionClass &c = table.cls(cls);
    std::vector<int64_t> n = prefix;
    bool isCounted = !c.ords.empty();
    for (auto [depth, coef] : c.ords) {
      auto group = classGroup.find({cls, depth});
      isCounted &= group != classGroup.end();
      n.resize(std::max(n.size(), static_cast<size_t>(depth)));
      if (isCounted && depth > static_cast<int>(prefix.size()))
        n[depth - 1] = base(state, group->second, prefix) - groupLags[group->second];
    }
    if (isCounted) {
      Interval known = table.known(state, cls, n),
               asked = table.stillAsked(cls, n, static_cast<int>(prefix.size()));
      if (known.lo >= asked.lo)
        interval.lo = std::max(interval.lo, known.lo);
      if (known.hi < asked.hi)
        interval.hi = std::min(interval.hi, known.hi);
      if (interval.hi < asked.lo - (asked.lo != INT64_MIN))
        interval = {INT64_MIN, asked.lo - 1};
      else if (interval.lo > asked.hi)
        interval = {asked.hi, INT64_MAX};
      if (auto decided = state.decisions.find(it->first);
          decided != state.decisions.end() &&
          (interval.lo == INT64_MIN || interval.hi == INT64_MAX))
        decided->second = {std::min(decided->second.lo, interval.lo),
                           std::max(decided->second.hi, interval.hi)};
    }
    it = interval == Interval{} ? shown.erase(it) : std::next(it);
  }
  return shown;
}

namespace {
/// Appends numbers to a byte string, short ones in one byte.
struct Writer {
  std::string &out;
  void put(int64_t value) {
    uint64_t zigzag = (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
    while (zigzag >= 128) {
      out.push_back(static_cast<char>(zigzag | 128));
      zigzag >>= 7;
    }
    out.push_back(static_cast<char>(zigzag));
  }
  void putWord(uint64_t word) { out.append(reinterpret_cast<const char *>(&word), sizeof word); }
};
} // namespace

const std::string &Machine::canonical(State &state, const Fork &fork) {
  settle(state);
  // Decisions that nobody can ask about again are forgotten.
  for (auto it = state.decisions.begin(); it != state.decisions.end();)
    it = stillAsked(state, it->first.first, it->first.second) ? std::next(it)
                                                              : state.decisions.erase(it);
  collectGarbage(state);

  text.clear();
  Writer w{text};
  std::vector<int> names(state.tokens.size(), -1);
  int named = 0;
  auto token = [&](Token t) {
    if (names[t] < 0)
      names[t] = named++;
    w.put(names[t]);
  };
  // Whether the async proxy sees it is asked of generic accesses only.
  std::vector<char> generic(state.tokens.size());
  for (Token t : state.epoch)
    generic[t] = 1;
  auto put = [&](const Access &access) {
    token(access.token);
    generic[access.token] |= !access.asyncProxy;
    w.put(access.agent);
    w.put(access.write | access.async << 1 | access.asyncProxy << 2 | access.ordered << 3 |
          access.reduces << 4);
  };
  w.put(state.turn);
  w.put(state.idle);
  w.put(fork.task);
  w.put(fork.pc);
  for (int task = 0; task < numTasks; ++task) {
    const TaskState &t = state.tasks[task];
    w.put(t.done ? -2 : t.started ? t.pc : -1);
    if (t.done || !t.started)
      continue;
    std::vector<int64_t> prefix;
    for (size_t depth = 0; depth < t.loops.size(); ++depth) {
      int group = loopGroup[task][t.loops[depth]];
      w.put(group < 0 ? 0 : t.n[depth] - base(state, group, prefix));
      // What is asked about the last iteration is something else in the first.
      if (group >= 0 && groupLags[group])
        w.put(std::min(t.n[depth] - paceOf(state, task, static_cast<int>(depth) + 1).first,
                       groupLags[group]));
      prefix.push_back(t.n[depth]);
    }
    for (size_t v = 0; v < taskVars[task].size(); ++v)
      if (liveVars[task][t.pc][v])
        w.put(state.vars[taskVars[task][v]]);
    w.put(t.namedWait);
    w.put(t.namedReleased | t.clusterArrived << 1 | t.clusterReleased << 2 | t.together << 3);
    if (readsAnswers[task])
      w.put(t.answersRead - state.answers[program.tasks[task].rank]);
    token(state.epoch[strand(task, 0)]);
    token(state.epoch[strand(task, 1)]);
    for (const auto &queue : t.groups) {
      w.put(queue.size());
      for (const AsyncGroup &group : queue) {
        w.put(group.tokens.size());
        for (Token x : group.tokens)
          token(x);
      }
    }
    for (const AsyncGroup &group : t.open) {
      w.put(group.tokens.size());
      for (Token x : group.tokens)
        token(x);
    }
    w.put(t.tensor.size());
    for (Token x : t.tensor)
      token(x);
  }
  for (const BarrierState &b : state.barriers) {
    w.put(b.inited | (b.generation & 1) << 1 | (b.generation == 0) << 2);
    if (!b.inited)
      continue;
    w.put(b.count);
    w.put(b.pending);
    w.put(b.tx);
    token(b.initToken);
    for (const auto &list : b.arrivals) {
      w.put(list.size());
      for (Token x : list)
        token(x);
    }
    w.put(b.waits.size());
    for (const WaitRecord &wait : b.waits) {
      token(wait.token);
      w.put(wait.together);
    }
  }
  for (size_t i = 0; i < state.cells.size(); ++i) {
    const Cell &cell = state.cells[i];
    w.put(cell.accesses.size() << 1 | (cell.freedBy >= 0));
    w.put(cell.holds);
    w.put(cell.answer < 0 ? 0 : cell.answer - state.answers[map.cellRank(static_cast<int>(i))]);
    for (const Access &access : cell.accesses) {
      put(access);
      w.put(access.async || map.spaceKind(static_cast<int>(&cell - state.cells.data())) ==
                                static_cast<int>(sync::Space::Tensor)
                ? access.extent
                : 0);
    }
  }
  w.put(state.tiles.size());
  for (const TileState &tile : state.tiles) {
    w.put(tile.buffer);
    for (int64_t number : identity(state, tile))
      w.put(number);
    w.put(tile.cell.accesses.size());
    for (const Access &access : tile.cell.accesses) {
      put(access);
      w.put(access.value);
    }
  }
  for (int rank = 0; rank < program.ranks; ++rank) {
    token(state.entry[rank]);
    w.put(state.touches[rank].size());
    for (const Touch &touch : state.touches[rank]) {
      token(touch.token);
      w.put(touch.harmless);
    }
  }
  std::vector<uint64_t> bits((static_cast<size_t>(named) + 63) / 64);
  auto row = [&](int r) {
    for (bool visible : {false, true}) {
      std::fill(bits.begin(), bits.end(), 0);
      state.knowledge.each(r, visible, [&](Token t) {
        if (names[t] >= 0 && (!visible || generic[t]))
          bits[names[t] >> 6] |= uint64_t(1) << (names[t] & 63);
      });
      for (uint64_t word : bits)
        w.putWord(word);
    }
  };
  for (int task = 0; task < numTasks; ++task) {
    const TaskState &t = state.tasks[task];
    if (t.done && program.tasks[task].region < 0)
      continue;
    for (int half = 0; half < halves(task); ++half)
      row(strand(task, half));
  }
  for (int b = 0; b < map.numBarriers(); ++b)
    if (state.barriers[b].inited) {
      row(currentRow(b));
      row(lastRow(b));
    }
  row(clusterRow(false));
  row(clusterRow(true));
  for (const auto &[form, choice] : state.residues) {
    w.put(form);
    w.put(choice.second);
  }
  std::map<DecisionKey, Interval> shown = decisionsFor(state);
  w.put(shown.size());
  for (auto &[key, interval] : shown) {
    const DecisionClass &c = table.cls(key.first);
    w.put(key.first);
    std::vector<int64_t> prefix;
    for (size_t depth = 0; depth < key.second.size(); ++depth) {
      auto it = classGroup.find({key.first, static_cast<int>(depth) + 1});
      w.put(it == classGroup.end() ? key.second[depth]
                                   : key.second[depth] - base(state, it->second, prefix));
      prefix.push_back(key.second[depth]);
    }
    // R >= t is asked at t = ... - (sum of coef * n) / scale: moves with the base.
    int64_t shift = 0;
    for (auto [depth, coef] : c.ords)
      if (auto it = classGroup.find({key.first, depth}); it != classGroup.end())
        shift += coef * base(state, it->second, prefix);
    // A shift by whole multiples of the scale moves R's interval, the rest stays.
    int64_t rest = ((shift % c.scale) + c.scale) % c.scale, whole = (shift - rest) / c.scale;
    w.put(rest);
    auto moved = [&](int64_t bound) {
      return bound == INT64_MIN || bound == INT64_MAX ? bound : bound + whole;
    };
    w.put(moved(interval.lo));
    w.put(moved(interval.hi));
    // Beside a chosen residue, where the interval lies modulo it matters too.
    for (const auto &[form, choice] : state.residues)
      if (linears.form(form).terms == c.rest.terms)
        w.put((whole % choice.first + choice.first) % choice.first);
  }
  return text;
}
