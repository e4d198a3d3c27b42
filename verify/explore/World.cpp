#include "verify/explore/World.h"

#include "runtime/base/MbarrierCount.h"

#include <algorithm>
#include <climits>
#include <set>

using namespace tlx::verify;
using tlx::sync::Group;
using tlx::sync::Kind;
using tlx::sync::Moment;
using tlx::sync::Threads;

/// Local instructions between two events; more is a loop without end.
static constexpr int MaxLocalSteps = 100'000;

Interpreter::Interpreter(const Program &program, LeafValues values)
    : program(program), values(std::move(values)) {
  for (const Task &task : program.tasks)
    codes.push_back(flatten(task.body));
  for (const BarrierArray &array : program.barriers) {
    firstBar.push_back(static_cast<int>(memoryOf.size()));
    // One of no known place lies apart.
    int space = array.space == -1 ? INT_MIN + firstBar.back() : array.space;
    for (int rank = 0; rank < array.ranks; ++rank)
      for (int slot = 0; slot < array.slots; ++slot) {
        int64_t start = array.base + slot * array.stride;
        memoryOf.push_back({space, rank, {start, start + array.stride}, true, false});
        memoryOf.back().counts = true;
      }
  }
}

World Interpreter::initial() {
  World world;
  world.threads.resize(program.tasks.size());
  world.vars.assign(program.varNames.size(), 0);
  world.bars.resize(memoryOf.size());
  for (size_t t = 0; t < program.tasks.size(); ++t)
    world.threads[t].started = program.tasks[t].region < 0;
  for (size_t t = 0; t < program.tasks.size(); ++t)
    settle(world, static_cast<int>(t));
  return world;
}

bool Interpreter::holds(const World &w, int task, ExprId pred) {
  return pred == NoExpr || eval(w, task, pred) != 0;
}

Interpreter::Outcome Interpreter::fail(const char *what, std::string message, int task, int event) {
  fault = {what, std::move(message), task, event};
  return Outcome::Failed;
}

int Interpreter::nextEvent(const World &w, int task) const {
  const Thread &thread = w.threads[task];
  const Instr &instr = codes[task].instrs[thread.pc];
  return thread.started && !thread.done && instr.kind == Instr::Event ? instr.index : -1;
}

/// Runs a task's local instructions up to its next event.
void Interpreter::settle(World &w, int t) {
  Thread &thread = w.threads[t];
  auto partners = [&](int region, auto each) {
    for (size_t o = 0; o < program.tasks.size(); ++o)
      if (program.tasks[o].region == region && program.tasks[o].rank == program.tasks[t].rank)
        each(static_cast<int>(o));
  };
  for (int guard = 0; thread.started && !thread.done; ++guard) {
    const Instr &instr = codes[t].instrs[thread.pc];
    if (guard > MaxLocalSteps || instr.kind == Instr::Unsupported) {
      inexpressible = instr.kind == Instr::Unsupported ? codes[t].reasons[instr.index]
                                                       : "a loop without synchronisation";
      thread.done = true;
      return;
    }
    switch (instr.kind) {
    case Instr::Event: return;
    case Instr::Set: {
      std::vector<int64_t> results;
      for (const Assign &assign : instr.assigns)
        results.push_back(eval(w, t, assign.value));
      for (size_t i = 0; i < results.size(); ++i)
        w.vars[instr.assigns[i].var] = results[i];
      ++thread.pc;
      break;
    }
    case Instr::Branch: {
      bool yes = holds(w, t, instr.cond);
      if (branches)
        branches->push_back({t, thread.pc, yes});
      thread.pc = yes ? thread.pc + 1 : instr.target;
      break;
    }
    case Instr::Jump: thread.pc = instr.target; break;
    case Instr::LoopEnter:
      thread.iteration.push_back(codes[t].loops[instr.index].pace.first), ++thread.pc;
      break;
    case Instr::LoopNext:
      thread.iteration.back() += codes[t].loops[instr.index].pace.stride, ++thread.pc;
      break;
    case Instr::LoopExit: thread.iteration.pop_back(), ++thread.pc; break;
    case Instr::Fork:
      ++thread.pc;
      partners(instr.index, [&](int o) {
        int64_t occurrence = w.threads[o].occurrence;
        w.threads[o] = Thread{};
        w.threads[o].occurrence = occurrence;
        w.threads[o].started = true;
        settle(w, o);
      });
      break;
    case Instr::Join: {
      bool ended = true;
      partners(instr.index, [&](int o) { ended &= w.threads[o].done; });
      if (!ended)
        return; // looked at again when they end
      partners(instr.index, [&](int o) { w.threads[o].started = false; });
      ++thread.pc;
      break;
    }
    case Instr::End:
      thread.done = true;
      clusterComplete(w);
      for (size_t o = 0; o < program.tasks.size(); ++o)
        if (w.threads[o].started && !w.threads[o].done &&
            codes[o].instrs[w.threads[o].pc].kind == Instr::Join)
          settle(w, static_cast<int>(o));
      return;
    case Instr::Unsupported: return;
    }
  }
}

/// The cluster barrier waits for everyone who has not left: partitions leave when they
/// are joined.
void Interpreter::clusterComplete(World &w) {
  bool any = false;
  for (const Thread &thread : w.threads) {
    bool partition = program.tasks[static_cast<size_t>(&thread - w.threads.data())].region >= 0;
    if (!thread.started || (thread.done && !partition))
      continue;
    if (thread.clusterGeneration != w.clusterGeneration)
      return;
    any = true;
  }
  w.clusterGeneration += any;
}

int Interpreter::barOf(const World &w, int t, const Target &target) {
  const BarrierArray &array = program.barriers[target.object];
  int64_t slot = target.slot == NoExpr ? 0 : eval(w, t, target.slot);
  int64_t rank = program.ranks == 1      ? 0
                 : target.rank == NoExpr ? program.tasks[t].rank
                                         : eval(w, t, target.rank);
  if (slot < 0 || slot >= array.slots || rank < 0 || rank >= array.ranks)
    return -1;
  return firstBar[target.object] + static_cast<int>(rank * array.slots + slot);
}

bool Interpreter::addRegions(const World &w, int t, const Effect &effect,
                             std::vector<Region> &out) {
  const Target &target = effect.target;
  const Buffer &buffer = program.buffers[target.object];
  int64_t slot = target.slot == NoExpr ? 0 : eval(w, t, target.slot);
  int64_t rank = program.ranks == 1      ? 0
                 : target.rank == NoExpr ? program.tasks[t].rank
                                         : eval(w, t, target.rank);
  if (slot < 0 || slot >= buffer.slots || rank < 0 || rank >= buffer.ranks)
    return false;
  for (const Rect &place : placesOf(buffer, target, slot)) {
    out.push_back({buffer.space, rank, place, effect.kind == Kind::Write,
                   effect.lifetime == Lifetime::Ends, effect.reduces});
    bool read = effect.kind == Kind::Read;
    out.back().counts = buffer.blank && !effect.inPlace && effect.lifetime == Lifetime::Goes &&
                        !(read && (target.approximate || !holds(w, t, effect.matters)));
    if (!target.tile.empty()) {
      out.back().rank = -1; // no CTA's own
      out.back().value = effect.value;
      out.back().by = program.tasks[t].rank;
    }
    for (const Range &range : target.tile)
      out.back().tile.emplace_back(eval(w, t, range.origin), range.extents);
  }
  return true;
}

std::vector<Region> Interpreter::nextAccesses(const World &w, int t, Group &group) {
  std::vector<Region> out;
  group = Group::None;
  int event = nextEvent(w, t);
  if (event < 0)
    return out;
  for (const Effect &effect : program.events[event].effects) {
    if (!holds(w, t, effect.pred))
      continue;
    if (effect.kind == Kind::BarrierInit || effect.kind == Kind::BarrierInval)
      if (int bar = barOf(w, t, effect.target); bar >= 0)
        out.push_back(memoryOf[bar]);
    if (effect.kind != Kind::Read && effect.kind != Kind::Write)
      continue;
    if (effect.moment == Moment::Completion)
      group = effect.group;
    addRegions(w, t, effect, out);
  }
  return out;
}

std::optional<Fault> Interpreter::race(const World &w) {
  struct Next {
    std::vector<Region> accesses;
    Group group;
  };
  std::vector<Next> next(program.tasks.size());
  for (size_t t = 0; t < next.size(); ++t)
    next[t].accesses = nextAccesses(w, static_cast<int>(t), next[t].group);
  auto clash = [](const std::vector<Region> &a, const std::vector<Region> &b) {
    return std::any_of(a.begin(), a.end(), [&](const Region &x) {
      return std::any_of(b.begin(), b.end(), [&](const Region &y) { return x.clashes(y); });
    });
  };
  for (size_t t = 0; t < next.size(); ++t) {
    int task = static_cast<int>(t);
    for (size_t u = t + 1; u < next.size(); ++u)
      if (clash(next[t].accesses, next[u].accesses))
        return Fault{"race", "two tasks can access the same memory at once", task,
                     nextEvent(w, task)};
    for (const InFlight &f : w.flying) {
      bool samePipe =
          f.task == task &&
          ((onePipe(next[t].group) && f.group == next[t].group) ||
           (landInOrder(program, nextEvent(w, task), f.event) && next[t].accesses == f.accesses));
      if (!samePipe && (clash(next[t].accesses, f.accesses) || clash(next[t].accesses, f.strays)))
        return Fault{"race", "an access can meet asynchronous work in flight", task,
                     nextEvent(w, task)};
    }
  }
  return std::nullopt;
}

std::optional<Fault> Interpreter::stuck(const World &w) {
  if (!w.flying.empty())
    return std::nullopt;
  Fault found{"deadlock", "every unfinished task waits", -1, -1};
  bool unfinished = false;
  for (size_t t = 0; t < program.tasks.size(); ++t) {
    unfinished |= w.threads[t].started && !w.threads[t].done;
    int task = static_cast<int>(t), event = nextEvent(w, task);
    if (event < 0)
      continue;
    World copy = w;
    if (fire(copy, task) != Outcome::Blocked)
      return std::nullopt;
    found.task = task;
    found.event = event;
    for (const Effect &effect : program.events[event].effects)
      if (effect.kind == Kind::BarrierWait && holds(w, task, effect.pred)) {
        const Bar &b = w.bars[barOf(w, task, effect.target)];
        if (b.pending == 0 && b.tx != 0)
          found.what = "bytes";
      }
  }
  return unfinished ? std::optional(found) : std::nullopt;
}

bool Interpreter::signal(World &w, int t, int event, int bar, int64_t arrivals, int64_t bytes) {
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

Interpreter::Outcome Interpreter::named(World &w, int t, int event, const Effect &effect,
                                        bool &arrivedOnly) {
  Thread &thread = w.threads[t];
  int bar = barOf(w, t, effect.target);
  if (bar < 0)
    return fail("range", "no such barrier", t, event);
  Bar &b = w.bars[bar];
  if (thread.waitingNamed >= 0) {
    if (b.generation == thread.waitingGeneration)
      return Outcome::Blocked;
    thread.waitingNamed = -1;
    return Outcome::Ran;
  }
  int64_t count = eval(w, t, effect.amount), threads = program.tasks[t].warps * 32;
  bool sync = effect.kind == Kind::NamedBarrierSync;
  // Fewer than the task has: its own warps meet in turn.
  if (b.count == 0 && count > 0 && count < threads && threads % count == 0)
    return Outcome::Ran;
  if (b.count == 0)
    b.count = b.pending = count;
  if (b.count != count || threads > b.pending)
    return fail("named", "counts of a named barrier do not agree", t, event);
  meetings.push_back({1001, bar, b.generation, false});
  int64_t mine = b.generation;
  b.pending -= threads;
  if (b.pending == 0) {
    bool anybody = sync || std::any_of(w.threads.begin(), w.threads.end(), [&](const Thread &o) {
                     return o.waitingNamed == bar && o.waitingGeneration == mine;
                   });
    if (!anybody)
      return fail("named", "arrivals alone complete a phase of a named barrier", t, event);
    b.count = 0;
    ++b.generation;
  }
  if (sync && b.generation == mine) {
    thread.waitingNamed = bar;
    thread.waitingGeneration = mine;
    arrivedOnly = true;
  }
  return Outcome::Ran;
}

bool Interpreter::outlived(const World &w, int t, int event, const std::vector<Region> &regions) {
  if (!watchesEnds)
    return false;
  fault = {};
  std::set<int64_t> running; // a CTA has ended when its default task has
  for (size_t o = 0; o < program.tasks.size(); ++o)
    if (program.tasks[o].region < 0 && !w.threads[o].done)
      running.insert(program.tasks[o].rank);
  for (const Region &region : regions)
    if (region.rank >= 0 && region.rank != program.tasks[t].rank && !running.contains(region.rank))
      fail("exit", "CTA " + std::to_string(region.rank) + " has ended when this reaches it", t,
           event);
  return fault.what == "exit";
}

/// Whatever can block comes first. `arrivedOnly`: the event is not over.
Interpreter::Outcome Interpreter::block(World &w, int t, int eventId, bool &arrivedOnly) {
  Thread &thread = w.threads[t];
  for (const Effect &effect : program.events[eventId].effects) {
    if (effect.diverged)
      return fail("diverged", "a part of a warp executes what all of it has to", t, eventId);
    if (!holds(w, t, effect.pred))
      continue;
    switch (effect.kind) {
    case Kind::BarrierWait: {
      int bar = barOf(w, t, effect.target);
      if (bar < 0)
        return fail("range", "no such barrier", t, eventId);
      if (memoryOf[bar].rank != program.tasks[t].rank)
        return fail("remote", "waits on a barrier of another CTA", t, eventId);
      const Bar &b = w.bars[bar];
      if (!b.inited)
        return fail("init", "a barrier is used before its initialisation", t, eventId);
      int64_t parity = eval(w, t, effect.phase);
      if (parity & ~1 && !program.lowerings.has(Lowering::ParityIsLowestBit))
        return fail("range", "a parity that is neither 0 nor 1", t, eventId);
      if ((b.generation & 1) == (parity & 1))
        return Outcome::Blocked;
      meetings.push_back({1000, bar, b.generation, true});
      break;
    }
    case Kind::NamedBarrierSync:
    case Kind::NamedBarrierArrive: {
      Outcome outcome = named(w, t, eventId, effect, arrivedOnly);
      if (outcome != Outcome::Ran || arrivedOnly)
        return outcome;
      break;
    }
    case Kind::GroupWait: {
      auto open = thread.open.find(static_cast<int>(effect.group));
      int64_t closed = open == thread.open.end() ? 0 : open->second;
      int64_t allowed = eval(w, t, effect.amount);
      for (const InFlight &f : w.flying)
        if (f.task == t && f.group == effect.group &&
            (f.group == Group::Tcgen05 || f.groupSerial < closed - allowed))
          return Outcome::Blocked;
      break;
    }
    case Kind::ClusterWait:
      if (thread.clusterGeneration < 0)
        return fail("cluster", "cluster wait without a cluster arrive before it", t, eventId);
      if (thread.clusterGeneration == w.clusterGeneration)
        return Outcome::Blocked;
      thread.clusterGeneration = -1;
      break;
    default: break;
    }
  }
  return Outcome::Ran;
}

bool Interpreter::usesMemoryOfBarrier(const World &w, const std::vector<Region> &written) const {
  for (size_t bar = 0; bar < w.bars.size(); ++bar) {
    if (!w.bars[bar].inited)
      continue;
    if (std::any_of(written.begin(), written.end(),
                    [&](const Region &region) { return region.clashes(memoryOf[bar]); }))
      return true;
  }
  return false;
}

/// What does not block; collects what is to be done later in `work`.
bool Interpreter::apply(World &w, int t, int eventId, InFlight &work) {
  Thread &thread = w.threads[t];
  auto refuse = [&](const char *what, const char *message) {
    fail(what, message, t, eventId);
    return false;
  };
  int part = 0;
  std::vector<Region> now; ///< accessed at once
  for (const Effect &effect : program.events[eventId].effects) {
    ++part;
    if (!holds(w, t, effect.pred))
      continue;
    int bar = -1;
    bool onBarrier = effect.kind == Kind::BarrierInit || effect.kind == Kind::BarrierArrive ||
                     effect.kind == Kind::BarrierExpect || effect.kind == Kind::BarrierComplete ||
                     effect.kind == Kind::BarrierInval;
    if (onBarrier && (bar = barOf(w, t, effect.target)) < 0)
      return refuse("range", "no such barrier");
    bool peers = bar >= 0 && memoryOf[bar].rank != program.tasks[t].rank;
    if (peers && (effect.kind == Kind::BarrierInit || effect.kind == Kind::BarrierInval ||
                  effect.kind == Kind::BarrierExpect))
      return refuse("remote", "works on a barrier of another CTA");
    if (peers && effect.moment == Moment::Issue && outlived(w, t, eventId, {memoryOf[bar]}))
      return false;
    int64_t amount = this->amount(w, t, effect);
    switch (effect.kind) {
    case Kind::Read:
    case Kind::Write: {
      std::vector<Region> regions;
      if (!addRegions(w, t, effect, regions))
        return refuse("range", "no such slot");
      if (effect.moment == Moment::Completion) {
        work.accesses.insert(work.accesses.end(), regions.begin(), regions.end());
        work.group = effect.group;
      } else if (outlived(w, t, eventId, regions)) {
        return false;
      } else if (effect.lifetime == Lifetime::Begins) {
        blank(w, regions);
      } else {
        now.insert(now.end(), regions.begin(), regions.end());
      }
      if (effect.kind == Kind::Write && effect.lifetime == Lifetime::Goes &&
          usesMemoryOfBarrier(w, regions))
        return refuse("lifetime", "the memory of a barrier in use is overwritten");
      break;
    }
    case Kind::BarrierInit:
      if (w.bars[bar].inited || !isMbarrierCount(amount))
        return refuse("init", w.bars[bar].inited ? "initialised twice" : "no count of arrivals");
      if (usesMemoryOfBarrier(w, {memoryOf[bar]}))
        return refuse("lifetime", "the memory of a barrier in use is initialised over");
      w.bars[bar] = {true, amount, amount, 0, 0};
      now.push_back(memoryOf[bar]);
      break;
    case Kind::BarrierInval:
      if (!w.bars[bar].inited)
        return refuse("init", "a barrier is invalidated that is not initialised");
      w.bars[bar] = {};
      for (InFlight &f : w.flying)
        if (f.accesses.empty() &&
            std::erase_if(f.signals, [&](const InFlight::Signal &s) { return s.barrier == bar; }))
          f.strays.push_back(memoryOf[bar]);
      break;
    case Kind::BarrierExpect:
    case Kind::BarrierArrive:
    case Kind::BarrierComplete: {
      int64_t arrivals = effect.kind == Kind::BarrierArrive ? amount : 0;
      if (effect.threads == Threads::PerThread)
        arrivals *= program.tasks[t].warps * 32;
      else if (effect.threads == Threads::EachWarp)
        arrivals *= program.tasks[t].warps;
      int64_t bytes = effect.kind == Kind::BarrierExpect     ? amount
                      : effect.kind == Kind::BarrierComplete ? -amount
                                                             : 0;
      if (effect.moment == Moment::Completion) {
        work.signals.push_back({bar, arrivals, bytes});
        if (effect.group != Group::None)
          work.group = effect.group;
      } else {
        meetings.push_back({part, bar, w.bars[bar].generation, false});
        if (!signal(w, t, eventId, bar, arrivals, bytes))
          return false;
      }
      break;
    }
    case Kind::GroupCommit: {
      int64_t serial = thread.open[static_cast<int>(effect.group)]++;
      for (InFlight &f : w.flying)
        if (f.task == t && f.group == effect.group && f.groupSerial > serial)
          f.groupSerial = serial;
      if (work.group == effect.group && effect.group != Group::None)
        work.groupSerial = serial;
      break;
    }
    case Kind::ClusterArrive:
      if (thread.clusterGeneration >= 0)
        return refuse("cluster", "cluster arrive without a cluster wait since the last one");
      thread.clusterGeneration = w.clusterGeneration;
      clusterComplete(w);
      break;
    default: break;
    }
  }
  return transfer(w, t, eventId, now);
}

Interpreter::Outcome Interpreter::fire(World &w, int t) {
  meetings.clear();
  Thread &thread = w.threads[t];
  int eventId = codes[t].instrs[thread.pc].index;
  bool arrivedOnly = false;
  if (Outcome outcome = block(w, t, eventId, arrivedOnly); outcome != Outcome::Ran || arrivedOnly)
    return outcome;
  InFlight work;
  work.task = t;
  work.event = eventId;
  work.occurrence = thread.occurrence;
  work.groupSerial = INT64_MAX / 2; // of the open group
  if (!apply(w, t, eventId, work))
    return Outcome::Failed;
  if (!work.accesses.empty() || !work.signals.empty())
    w.flying.push_back(std::move(work));
  ++thread.pc;
  ++thread.occurrence;
  settle(w, t);
  return Outcome::Ran;
}

bool Interpreter::isHead(const World &w, size_t index) {
  const InFlight &f = w.flying[index];
  if (f.group == Group::None)
    return true;
  for (size_t i = 0; i < index; ++i)
    if (w.flying[i].task == f.task && w.flying[i].group == f.group)
      return false;
  return true;
}

Interpreter::Outcome Interpreter::complete(World &w, size_t index) {
  meetings.clear();
  InFlight done = std::move(w.flying[index]);
  w.flying.erase(w.flying.begin() + static_cast<long>(index));
  // What others in order wait for is theirs to wait for; signals alone do no harm.
  if (done.group == Group::None && outlived(w, done.task, done.event, done.accesses))
    return Outcome::Failed;
  if (!transfer(w, done.task, done.event, done.accesses))
    return Outcome::Failed;
  int part = 2000;
  for (const InFlight::Signal &s : done.signals) {
    meetings.push_back({part++, s.barrier, w.bars[s.barrier].generation, false});
    if (!signal(w, done.task, done.event, s.barrier, s.arrivals, s.bytes))
      return Outcome::Failed;
  }
  return Outcome::Ran;
}
