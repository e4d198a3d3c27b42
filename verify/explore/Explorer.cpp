#include "verify/explore/Explorer.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

using namespace tlx::verify;
using tlx::sync::Group;
using tlx::sync::Kind;
using tlx::sync::Moment;
using tlx::sync::Threads;

namespace {

struct Region {
  int space;
  int64_t rank, x0, x1, y0, y1;
  bool write;
  bool overlaps(const Region &o) const {
    return space == o.space && rank == o.rank && x0 < o.x1 && o.x0 < x1 && y0 < o.y1 && o.y0 < y1 &&
           (write || o.write);
  }
};

/// Work that an engine has still to do.
struct InFlight {
  int task = -1, event = -1;
  Group group = Group::None;
  int64_t groupSerial = 0; ///< which group of its queue it belongs to
  int64_t occurrence = 0;
  std::vector<Region> accesses;
  struct Signal {
    int barrier;
    int64_t arrivals, bytes;
  };
  std::vector<Signal> signals;
};

struct Bar {
  bool inited = false;
  int64_t count = 0, pending = 0, tx = 0, generation = 0;
};

struct Thread {
  int pc = 0;
  bool started = false, done = false;
  int64_t occurrence = 0; ///< events executed
  int waitingNamed = -1;
  int64_t waitingGeneration = 0;
  std::map<int, int64_t> open; ///< by group: serial of the group being filled
};

struct World {
  std::vector<Thread> threads;
  std::vector<int64_t> vars;
  std::vector<Bar> bars;
  std::vector<InFlight> flying;
};

class Explorer {
public:
  Explorer(const Program &program, const ExploreOptions &options) : p(program), options(options) {
    for (const Task &task : p.tasks)
      codes.push_back(flatten(task.body));
    for (const BarrierArray &array : p.barriers) {
      firstBar.push_back(totalBars);
      totalBars += array.slots * array.ranks;
    }
  }

  ExploreResult run() {
    World first;
    first.threads.resize(p.tasks.size());
    first.vars.assign(p.varNames.size(), 0);
    first.bars.resize(totalBars);
    for (size_t t = 0; t < p.tasks.size(); ++t)
      first.threads[t].started = p.tasks[t].region < 0;
    for (size_t t = 0; t < p.tasks.size() && !failed; ++t)
      settle(first, static_cast<int>(t));
    add(std::move(first), -1, {});
    for (size_t next = 0; next < worlds.size() && !failed; ++next) {
      if (worlds.size() > options.maxStates) {
        result.verdict = ExploreResult::Unknown;
        result.message = "more than " + std::to_string(options.maxStates) + " states";
        result.states = worlds.size();
        return result;
      }
      current = static_cast<int>(next);
      World world = std::move(worlds[next]);
      expand(world);
      worlds[next] = {};
    }
    result.states = worlds.size();
    if (!failed)
      result.verdict = ExploreResult::Clean;
    return result;
  }

private:
  // Values.
  int64_t eval(const World &w, ExprId id) {
    const ExprNode &node = p.exprs[id];
    switch (node.op) {
    case Op::Const: return node.value;
    case Op::Sym: return options.valueOf ? options.valueOf(node.value) : 0;
    case Op::Var: return w.vars[node.value];
    case Op::Select: return eval(w, node.a) ? eval(w, node.b) : eval(w, node.c);
    case Op::Opaque: opaque = true; return 0;
    default: break;
    }
    int64_t a = eval(w, node.a), b = eval(w, node.b);
    switch (node.op) {
    case Op::Add: return a + b;
    case Op::Sub: return a - b;
    case Op::Mul: return a * b;
    case Op::Div: return b ? a / b : 0;
    case Op::Rem: return b ? a % b : 0;
    case Op::And: return a & b;
    case Op::Or: return a | b;
    case Op::Xor: return a ^ b;
    case Op::Shl: return b >= 0 && b < 63 ? static_cast<int64_t>(static_cast<uint64_t>(a) << b) : 0;
    case Op::Shr: return b >= 0 && b < 63 ? a >> b : 0;
    case Op::Min: return std::min(a, b);
    case Op::Max: return std::max(a, b);
    case Op::Eq: return a == b;
    case Op::Lt: return a < b;
    case Op::Le: return a <= b;
    default: return 0;
    }
  }
  bool holds(const World &w, ExprId id) { return id == NoExpr || eval(w, id) != 0; }

  void fail(const char *what, std::string message, int task, int event) {
    if (failed)
      return;
    failed = true;
    result.verdict = ExploreResult::Violation;
    result.what = what;
    result.message = std::move(message);
    result.task = task;
    result.event = event;
    for (int at = current; at > 0; at = parents[at].first)
      result.trace.push_back(parents[at].second);
    std::reverse(result.trace.begin(), result.trace.end());
  }

  /// Runs a task's local instructions up to its next event.
  void settle(World &w, int t) {
    Thread &thread = w.threads[t];
    for (int guard = 0; thread.started && !thread.done; ++guard) {
      const Instr &instr = codes[t].instrs[thread.pc];
      if (guard > 100000 || instr.kind == Instr::Unsupported) {
        opaque = true;
        thread.done = true;
        return;
      }
      switch (instr.kind) {
      case Instr::Event: return;
      case Instr::Set: {
        std::vector<int64_t> values;
        for (const Assign &assign : instr.assigns)
          values.push_back(eval(w, assign.value));
        for (size_t i = 0; i < values.size(); ++i)
          w.vars[instr.assigns[i].var] = values[i];
        ++thread.pc;
        break;
      }
      case Instr::Branch: thread.pc = holds(w, instr.cond) ? thread.pc + 1 : instr.target; break;
      case Instr::Jump: thread.pc = instr.target; break;
      case Instr::Fork:
        ++thread.pc;
        for (size_t o = 0; o < p.tasks.size(); ++o)
          if (p.tasks[o].region == instr.index && p.tasks[o].rank == p.tasks[t].rank) {
            w.threads[o] = Thread{};
            w.threads[o].started = true;
            settle(w, static_cast<int>(o));
          }
        break;
      case Instr::Join:
        for (size_t o = 0; o < p.tasks.size(); ++o)
          if (p.tasks[o].region == instr.index && p.tasks[o].rank == p.tasks[t].rank &&
              !w.threads[o].done)
            return; // looked at again when that one ends
        ++thread.pc;
        break;
      case Instr::End:
        thread.done = true;
        for (size_t o = 0; o < p.tasks.size(); ++o)
          if (w.threads[o].started && !w.threads[o].done &&
              codes[o].instrs[w.threads[o].pc].kind == Instr::Join)
            settle(w, static_cast<int>(o));
        return;
      default: ++thread.pc; break;
      }
    }
  }

  int barOf(const World &w, int t, const Target &target) {
    const BarrierArray &array = p.barriers[target.object];
    int64_t slot = target.slot == NoExpr ? 0 : eval(w, target.slot);
    int64_t rank = p.ranks == 1            ? 0
                   : target.rank == NoExpr ? p.tasks[t].rank
                                           : eval(w, target.rank);
    if (slot < 0 || slot >= array.slots || rank < 0 || rank >= array.ranks)
      return -1;
    return firstBar[target.object] + static_cast<int>(rank * array.slots + slot);
  }

  std::optional<Region> regionOf(const World &w, int t, const Effect &effect) {
    const Buffer &buffer = p.buffers[effect.target.object];
    const Target &target = effect.target;
    int64_t slot = target.slot == NoExpr ? 0 : eval(w, target.slot);
    int64_t rank = p.ranks == 1            ? 0
                   : target.rank == NoExpr ? p.tasks[t].rank
                                           : eval(w, target.rank);
    if (slot < 0 || slot >= buffer.slots || rank < 0 || rank >= buffer.ranks)
      return std::nullopt;
    int64_t start = buffer.base + slot * buffer.stride;
    return Region{buffer.space,
                  rank,
                  start + target.x0,
                  start + (target.x1 ? target.x1 : buffer.stride),
                  target.y0,
                  target.y1 ? target.y1 : buffer.lanes,
                  effect.kind == Kind::Write};
  }

  /// The accesses that the next event of a task makes, at issue or later.
  std::vector<Region> nextAccesses(const World &w, int t, bool &ordered, Group &group) {
    std::vector<Region> out;
    const Thread &thread = w.threads[t];
    ordered = false;
    group = Group::None;
    if (!thread.started || thread.done || codes[t].instrs[thread.pc].kind != Instr::Event)
      return out;
    for (const Effect &effect : p.events[codes[t].instrs[thread.pc].index].effects) {
      if (effect.kind != Kind::Read && effect.kind != Kind::Write)
        continue;
      if (!holds(w, effect.pred))
        continue;
      if (effect.moment == Moment::Completion)
        group = effect.group;
      if (auto region = regionOf(w, t, effect))
        out.push_back(*region);
    }
    ordered = group == Group::Tcgen05;
    return out;
  }

  void checkRaces(const World &w) {
    std::vector<std::vector<Region>> next;
    std::vector<std::pair<bool, Group>> kinds;
    for (size_t t = 0; t < p.tasks.size(); ++t) {
      bool ordered;
      Group group;
      next.push_back(nextAccesses(w, static_cast<int>(t), ordered, group));
      kinds.emplace_back(ordered, group);
    }
    auto clash = [](const std::vector<Region> &a, const std::vector<Region> &b) {
      for (const Region &x : a)
        for (const Region &y : b)
          if (x.overlaps(y))
            return true;
      return false;
    };
    for (size_t t = 0; t < next.size(); ++t) {
      int event = next[t].empty() ? -1 : codes[t].instrs[w.threads[t].pc].index;
      for (size_t u = t + 1; u < next.size(); ++u)
        if (clash(next[t], next[u]))
          return fail("race", "two tasks can access the same memory at once", static_cast<int>(t),
                      event);
      for (const InFlight &f : w.flying) {
        bool samePipe =
            kinds[t].first && f.task == static_cast<int>(t) && f.group == kinds[t].second;
        if (!samePipe && clash(next[t], f.accesses))
          return fail("race", "an access can meet asynchronous work in flight", static_cast<int>(t),
                      event);
      }
    }
  }

  /// Every operation must meet the same generation in all interleavings.
  void meets(int t, int64_t occurrence, int part, int64_t generation, int event) {
    auto [it, isNew] = met.try_emplace({t, occurrence, part}, generation);
    if (!isNew && it->second != generation)
      fail("phase",
           "one operation can meet phase " + std::to_string(it->second) + " or " +
               std::to_string(generation),
           t, event);
  }

  bool signal(World &w, int t, int event, int bar, int64_t arrivals, int64_t bytes) {
    Bar &b = w.bars[bar];
    if (!b.inited) {
      fail("init", "a barrier is used before its initialisation", t, event);
      return false;
    }
    if (arrivals > b.pending) {
      fail("over-arrival", "more arrivals than the barrier counts", t, event);
      return false;
    }
    b.pending -= arrivals;
    b.tx += bytes;
    if (b.pending == 0 && b.tx == 0) {
      b.pending = b.count;
      ++b.generation;
    }
    return true;
  }

  /// Executes the next event of task `t` if it does not block.
  bool fire(World &w, int t) {
    Thread &thread = w.threads[t];
    int eventId = codes[t].instrs[thread.pc].index;
    const Event &event = p.events[eventId];
    int64_t occurrence = thread.occurrence;
    // Blocking parts.
    for (const Effect &effect : event.effects) {
      if (!holds(w, effect.pred))
        continue;
      if (effect.kind == Kind::BarrierWait) {
        int bar = barOf(w, t, effect.target);
        if (bar < 0) {
          fail("range", "no such barrier", t, eventId);
          return false;
        }
        if (!w.bars[bar].inited) {
          fail("init", "a barrier is used before its initialisation", t, eventId);
          return false;
        }
        if ((w.bars[bar].generation & 1) == (eval(w, effect.phase) & 1))
          return false;
        meets(t, occurrence, 1000, w.bars[bar].generation, eventId);
      } else if (effect.kind == Kind::NamedBarrierSync || effect.kind == Kind::NamedBarrierArrive) {
        int bar = barOf(w, t, effect.target);
        if (bar < 0) {
          fail("range", "no such barrier", t, eventId);
          return false;
        }
        Bar &b = w.bars[bar];
        if (thread.waitingNamed < 0) {
          int64_t count = eval(w, effect.amount), threads = p.tasks[t].warps * 32;
          if (!b.inited)
            b.inited = true, b.count = 0;
          if (b.count == 0)
            b.count = b.pending = count;
          if (b.count != count || threads > b.pending) {
            fail("named", "counts of a named barrier do not agree", t, eventId);
            return false;
          }
          meets(t, occurrence, 1001, b.generation, eventId);
          int64_t mine = b.generation;
          b.pending -= threads;
          if (b.pending == 0)
            b.count = 0, ++b.generation;
          if (effect.kind == Kind::NamedBarrierSync && b.generation == mine) {
            thread.waitingNamed = bar;
            thread.waitingGeneration = mine;
            return true; // has arrived; passes later
          }
        } else {
          if (b.generation == thread.waitingGeneration)
            return false;
          thread.waitingNamed = -1;
        }
      } else if (effect.kind == Kind::GroupWait) {
        int64_t allowed = eval(w, effect.amount);
        std::vector<int64_t> pending;
        for (const InFlight &f : w.flying)
          if (f.task == t && f.group == effect.group)
            pending.push_back(f.groupSerial);
        int64_t closed = thread.open[static_cast<int>(effect.group)];
        for (int64_t serial : pending)
          if (serial < closed - allowed)
            return false;
      } else if (effect.kind == Kind::ClusterArrive || effect.kind == Kind::ClusterWait) {
        opaque = true;
      }
    }
    InFlight work;
    work.task = t;
    work.event = eventId;
    work.occurrence = occurrence;
    int part = 0;
    for (const Effect &effect : event.effects) {
      ++part;
      if (!holds(w, effect.pred))
        continue;
      int bar = -1;
      bool onBarrier = effect.kind == Kind::BarrierInit || effect.kind == Kind::BarrierArrive ||
                       effect.kind == Kind::BarrierExpect || effect.kind == Kind::BarrierComplete ||
                       effect.kind == Kind::BarrierInval;
      if (onBarrier && (bar = barOf(w, t, effect.target)) < 0) {
        fail("range", "no such barrier", t, eventId);
        return false;
      }
      int64_t amount = effect.amount == NoExpr ? 1 : eval(w, effect.amount);
      switch (effect.kind) {
      case Kind::Read:
      case Kind::Write: {
        auto region = regionOf(w, t, effect);
        if (!region) {
          fail("range", "no such slot", t, eventId);
          return false;
        }
        if (effect.moment == Moment::Completion) {
          work.accesses.push_back(*region);
          work.group = effect.group;
        }
        break;
      }
      case Kind::BarrierInit:
        if (w.bars[bar].inited) {
          fail("init", "initialised twice", t, eventId);
          return false;
        }
        w.bars[bar] = {true, amount, amount, 0, 0};
        break;
      case Kind::BarrierInval: w.bars[bar] = {}; break;
      case Kind::BarrierExpect:
      case Kind::BarrierArrive:
      case Kind::BarrierComplete: {
        int64_t arrivals = effect.kind == Kind::BarrierArrive ? amount : 0;
        if (effect.threads == Threads::PerThread)
          arrivals *= p.tasks[t].warps * 32;
        int64_t bytes = effect.kind == Kind::BarrierExpect     ? amount
                        : effect.kind == Kind::BarrierComplete ? -amount
                                                               : 0;
        if (effect.moment == Moment::Completion) {
          work.signals.push_back({bar, arrivals, bytes});
          if (effect.group != Group::None)
            work.group = effect.group;
        } else {
          meets(t, occurrence, part, w.bars[bar].generation, eventId);
          if (!signal(w, t, eventId, bar, arrivals, bytes))
            return false;
        }
        break;
      }
      case Kind::GroupCommit: {
        int g = static_cast<int>(effect.group);
        int64_t serial = thread.open[g]++;
        for (InFlight &f : w.flying)
          if (f.task == t && f.group == effect.group && f.groupSerial > serial)
            f.groupSerial = serial;
        if (work.group == effect.group && effect.group != Group::None)
          work.groupSerial = serial;
        break;
      }
      default: break;
      }
    }
    if (!work.accesses.empty() || !work.signals.empty()) {
      bool committed = false;
      for (const Effect &effect : event.effects)
        committed |= effect.kind == Kind::GroupCommit;
      if (!committed)
        work.groupSerial = INT64_MAX / 2; // of the open group
      w.flying.push_back(std::move(work));
    }
    ++thread.pc;
    ++thread.occurrence;
    return true;
  }

  void expand(World &w) {
    checkRaces(w);
    if (failed)
      return;
    bool progress = false, unfinished = false;
    for (size_t t = 0; t < p.tasks.size() && !failed; ++t) {
      const Thread &thread = w.threads[t];
      if (!thread.started || thread.done)
        continue;
      unfinished = true;
      if (codes[t].instrs[thread.pc].kind != Instr::Event)
        continue;
      World next = w;
      int event = codes[t].instrs[thread.pc].index;
      if (!fire(next, static_cast<int>(t)) || failed)
        continue;
      progress = true;
      settle(next, static_cast<int>(t));
      add(std::move(next), current, {static_cast<int>(t), event, false});
    }
    for (size_t i = 0; i < w.flying.size() && !failed; ++i) {
      const InFlight &f = w.flying[i];
      // One queue completes in order.
      bool first = true;
      if (f.group != Group::None)
        for (size_t j = 0; j < i; ++j)
          first &= w.flying[j].task != f.task || w.flying[j].group != f.group;
      if (!first)
        continue;
      World next = w;
      InFlight done = next.flying[i];
      next.flying.erase(next.flying.begin() + static_cast<long>(i));
      bool good = true;
      int part = 2000;
      for (const InFlight::Signal &s : done.signals) {
        meets(done.task, done.occurrence, part++, next.bars[s.barrier].generation, done.event);
        good = good && signal(next, done.task, done.event, s.barrier, s.arrivals, s.bytes);
      }
      if (!good || failed)
        continue;
      progress = true;
      add(std::move(next), current, {done.task, done.event, true});
    }
    if (!progress && unfinished && !failed) {
      int task = -1, event = -1;
      bool bytes = false;
      for (size_t t = 0; t < p.tasks.size(); ++t)
        if (w.threads[t].started && !w.threads[t].done &&
            codes[t].instrs[w.threads[t].pc].kind == Instr::Event) {
          task = static_cast<int>(t);
          event = codes[t].instrs[w.threads[t].pc].index;
          for (const Effect &effect : p.events[event].effects)
            if (effect.kind == Kind::BarrierWait) {
              const Bar &b = w.bars[barOf(w, task, effect.target)];
              bytes |= b.pending == 0 && b.tx != 0;
            }
        }
      fail(bytes ? "bytes" : "deadlock", "every unfinished task waits", task, event);
    }
    if (opaque && !failed) {
      failed = true;
      result.verdict = ExploreResult::Unknown;
      result.message = "something that this explorer does not execute";
    }
  }

  void add(World world, int parent, ExploreStep step) {
    std::string key;
    auto put = [&](int64_t value) {
      key.append(reinterpret_cast<const char *>(&value), sizeof value);
    };
    for (const Thread &t : world.threads) {
      put(t.pc | int64_t(t.started) << 32 | int64_t(t.done) << 33);
      put(t.occurrence);
      put(t.waitingNamed);
    }
    for (int64_t v : world.vars)
      put(v);
    for (const Bar &b : world.bars) {
      put(b.pending);
      put(b.tx);
      put(b.generation);
    }
    for (const InFlight &f : world.flying) {
      put(f.task);
      put(f.occurrence);
    }
    if (!seen.insert({std::move(key), 1}).second)
      return;
    worlds.push_back(std::move(world));
    parents.emplace_back(parent, step);
  }

  const Program &p;
  const ExploreOptions &options;
  std::vector<Code> codes;
  std::vector<int> firstBar;
  int totalBars = 0;
  std::vector<World> worlds;
  std::vector<std::pair<int, ExploreStep>> parents;
  std::unordered_map<std::string, char> seen;
  std::map<std::tuple<int, int64_t, int>, int64_t> met;
  ExploreResult result;
  int current = 0;
  bool failed = false, opaque = false;
};
} // namespace

ExploreResult tlx::verify::explore(const Program &program, const ExploreOptions &options) {
  return Explorer(program, options).run();
}
