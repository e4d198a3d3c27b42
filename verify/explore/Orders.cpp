//===- Orders.cpp - one run for every order that matters --------------------===//
//
// Explores runs, not states: two runs in which all operations that depend on each
// other come in the same order are the same run (Mazurkiewicz). A run is executed to
// its end; wherever an operation could as well have come before an earlier one that it
// depends on, that order is tried too (dynamic partial order reduction, Flanagan and
// Godefroid, POPL 2005). A kernel whose tasks are well ordered has exactly one run,
// whatever its length, so real sizes are within reach of an exhaustive search.
//
// What depends on what: arrivals and waits of one barrier, but not two arrivals that
// together with others complete one phase, which they do in any order; nor a wait and an
// arrival of the phase that it meets, unless that arrival completes the phase. Memory
// needs no reordering: two conflicting accesses that nothing orders are a race as they
// stand. Nor do the ends of CTAs: what reaches into one and is not before its end could
// have come after it.
//
//===----------------------------------------------------------------------===//
#include "verify/explore/Explorer.h"
#include "verify/explore/Steps.h"
#include "verify/explore/World.h"

#include <algorithm>
#include <set>

using namespace tlx::verify;
using tlx::sync::Group;
using tlx::sync::Kind;
using tlx::sync::Moment;
using tlx::sync::Proxy;

namespace {

/// A task, or one piece of asynchronous work (numbered by what issued it).
using Process = int64_t;

struct StepTaken {
  Process process;
  int task, event;
  bool completion;
  Steps before;  ///< what happened before it
  Steps visible; ///< of that, what the async proxy sees
};

struct MetBarrier {
  int step;
  int64_t generation;
  bool wait;
  bool completes; ///< the phase
  bool alone;     ///< commutes with nothing: init, inval, bytes expected without an arrival
  bool signal;    ///< by asynchronous work that touches nothing else
};

struct Touch {
  Region region;
  int task, event, start;
  int end; ///< -1: in flight
  bool flight, asyncProxy;
  Group group;
};

/// Asynchronous work that has ended, for the waits of its queue.
struct Ended {
  int task, step, issue;
  Group group;
  int64_t serial; ///< of its group; Open: not committed
  int committed;  ///< the step that closed its group; -1: before it ended
};

/// What a task does next is ordered after `step`, as `since` has it.
struct Edge {
  int since, step, task;
};
constexpr int64_t Open = INT64_MAX;

struct Node {
  World world;
  std::set<Process> toTry, tried;
  bool fresh = true;
};

class Orders {
public:
  Orders(const Program &program, const ExploreOptions &options)
      : options(options), program(program), numTasks(static_cast<int>(program.tasks.size())),
        interpreter(program, options) {
    for (const Buffer &buffer : program.buffers)
      if (buffer.where == tlx::sync::Space::Shared)
        sharedSpaces.insert(buffer.space);
  }

  ExploreResult run() {
    nodes.push_back({interpreter.initial(), {}, {}});
    for (size_t task = 0; task < program.tasks.size(); ++task)
      last[static_cast<Process>(task)] = -1;
    while (!nodes.empty() && !over) {
      Node &node = nodes.back();
      if (node.fresh) {
        node.fresh = false;
        if (std::optional<Process> first = someEnabled(node.world))
          node.toTry.insert(*first);
        else if (auto stuck = interpreter.stuck(node.world))
          fail(*stuck);
        else if (endsAreLast())
          ++result.runs;
      }
      if (!interpreter.inexpressible.empty() && !over)
        unknown(interpreter.inexpressible);
      if (over)
        break;
      auto next = std::find_if(node.toTry.begin(), node.toTry.end(),
                               [&](Process p) { return !node.tried.contains(p); });
      if (next == node.toTry.end()) {
        nodes.pop_back();
        undo();
        continue;
      }
      Process process = *next;
      node.tried.insert(process);
      take(node, process);
    }
    result.states = taken;
    if (!over)
      result.verdict = ExploreResult::Clean;
    return result;
  }

private:
  void fail(const Fault &fault) {
    if (over)
      return;
    over = true;
    result.violated(fault);
    for (const StepTaken &step : trace)
      result.trace.push_back({step.task, step.event, step.completion});
  }
  void unknown(std::string message) {
    over = true;
    result.verdict = ExploreResult::Unknown;
    result.message = std::move(message);
  }

  Process workOf(const InFlight &f) const { return numTasks + f.task + numTasks * f.occurrence; }
  int indexOf(const World &world, Process process) const {
    for (size_t i = 0; i < world.flying.size(); ++i)
      if (workOf(world.flying[i]) == process)
        return static_cast<int>(i);
    return -1;
  }

  /// Takes a step in `world`. Blocked: it cannot be taken now.
  Interpreter::Outcome step(World &world, Process process) {
    if (process < numTasks) {
      int task = static_cast<int>(process);
      return interpreter.nextEvent(world, task) < 0 ? Interpreter::Outcome::Blocked
                                                    : interpreter.fire(world, task);
    }
    int index = indexOf(world, process);
    if (index < 0 || !Interpreter::isHead(world, static_cast<size_t>(index)))
      return Interpreter::Outcome::Blocked;
    return interpreter.complete(world, static_cast<size_t>(index));
  }
  bool enabled(const World &world, Process process) {
    World copy = world;
    return step(copy, process) != Interpreter::Outcome::Blocked;
  }

  /// Work in flight first, then the task that ran last: few copies, short queues.
  std::optional<Process> someEnabled(const World &world) {
    for (size_t i = 0; i < world.flying.size(); ++i)
      if (Interpreter::isHead(world, i))
        return workOf(world.flying[i]);
    int recent = trace.empty() ? 0 : trace.back().task;
    for (int i = 0; i < numTasks; ++i)
      if (int task = (recent + i) % numTasks; enabled(world, task))
        return task;
    return std::nullopt;
  }
  std::vector<Process> allEnabled(const World &world) {
    std::vector<Process> found;
    for (int task = 0; task < numTasks; ++task)
      if (enabled(world, task))
        found.push_back(task);
    for (size_t i = 0; i < world.flying.size(); ++i)
      if (Interpreter::isHead(world, i))
        found.push_back(workOf(world.flying[i]));
    return found;
  }

  /// At the end of a run: whether each CTA ends after what reaches into it, and after copies
  /// into its own memory.
  bool endsAreLast() {
    for (int rank = 0; rank < program.ranks && !over; ++rank) {
      StepTaken end{0, -1, -1, false, {}, {}};
      for (int task = 0; task < numTasks; ++task) {
        if (program.tasks[task].rank != rank || program.tasks[task].region >= 0)
          continue;
        join(end, last[task], true);
        for (const Edge &edge : edges)
          if (edge.task == task)
            join(end, edge.step, true);
      }
      auto mustComeBefore = [&](int step) {
        if (step >= 0 && !end.before.has(step))
          fail({"exit", "CTA " + std::to_string(rank) + " can have ended when this reaches it",
                trace[step].task, trace[step].event});
      };
      for (const auto &[where, touches] : touched)
        for (const Touch &touch : touches) {
          // The CTAs of a pair free tensor memory together.
          bool remote = program.tasks[touch.task].rank != rank && !touch.region.frees;
          bool copy = touch.flight && touch.region.write && touch.group == Group::None &&
                      sharedSpaces.contains(where.first);
          if (where.second == rank && (remote || copy) && accessesMemory(touch.event))
            mustComeBefore(touch.flight ? touch.end : touch.start);
        }
      // Signals that touch nothing else change nothing that is read.
      for (const auto &[bar, list] : barriers)
        for (const MetBarrier &met : list)
          if (interpreter.memory(bar).rank == rank && !met.signal &&
              program.tasks[trace[met.step].task].rank != rank)
            mustComeBefore(met.step);
    }
    return !over;
  }

  void join(StepTaken &into, int step, bool visibly) {
    if (step < 0)
      return;
    into.before.add(trace[step].before);
    into.before.add(step);
    if (visibly)
      into.visible.add(trace[step].visible);
  }

  /// `now`, which of itself needs only `own`, could also have come before step
  /// `earlier`: tries that, or a step towards it.
  void reorder(int earlier, const StepTaken &now, const Steps &own) {
    Node &node = nodes[earlier];
    auto consider = [&](Process process) {
      if (!enabled(node.world, process))
        return false;
      node.toTry.insert(process);
      return true;
    };
    if (consider(now.process))
      return;
    for (int k = earlier + 1; k < static_cast<int>(trace.size()); ++k)
      if (own.has(k) && consider(trace[k].process))
        return;
    for (Process process : allEnabled(node.world))
      node.toTry.insert(process);
  }

  /// A stray signal, from the current step on.
  void touch(const Region &memory, const StepTaken &signal, int when) {
    touched[{memory.space, memory.rank}].push_back({memory, signal.task, signal.event,
                                                    static_cast<int>(trace.size()), when, true,
                                                    true, Group::None});
  }

  bool invalidates(int event) const {
    const std::vector<Effect> &effects = program.events[event].effects;
    return std::any_of(effects.begin(), effects.end(),
                       [](const Effect &e) { return e.kind == Kind::BarrierInval; });
  }

  /// Not only as signals do.
  bool accessesMemory(int event) const {
    const std::vector<Effect> &effects = program.events[event].effects;
    return std::any_of(effects.begin(), effects.end(),
                       [](const Effect &e) { return e.onMemory(); });
  }

  bool standsAlone(int event) const {
    bool expects = false, arrives = false;
    for (const Effect &effect : program.events[event].effects) {
      if (effect.kind == Kind::BarrierInit || effect.kind == Kind::BarrierInval)
        return true;
      expects |= effect.kind == Kind::BarrierExpect;
      arrives |= effect.kind == Kind::BarrierArrive && effect.moment == Moment::Issue;
    }
    return expects && !arrives;
  }

  void meet(StepTaken &now, const Steps &own, const World &before, const World &after,
            bool signal) {
    int index = static_cast<int>(trace.size());
    bool alone = !now.completion && standsAlone(now.event);
    bool ends = !now.completion && invalidates(now.event);
    std::vector<std::pair<int, MetBarrier>> met;
    for (const Meeting &m : interpreter.meetings)
      met.push_back({m.bar,
                     {index, m.generation, m.wait, after.bars[m.bar].generation > m.generation,
                      alone, signal}});
    for (const Effect &effect : program.events[now.event].effects)
      if (!now.completion &&
          (effect.kind == Kind::BarrierInit || effect.kind == Kind::BarrierInval))
        met.push_back({interpreter.barOf(before, now.task, effect.target),
                       {index, 0, false, false, true, false}});
    for (auto &[bar, mine] : met) {
      auto &list = barriers[bar];
      bool tried = false;
      for (size_t i = list.size(); i-- > 0;) {
        const MetBarrier &other = list[i];
        if (other.step == index)
          continue;
        if (ends && other.signal) {
          // It might come later: a write to the memory, until something is after it.
          if (!own.has(other.step))
            touch(interpreter.memory(bar), trace[other.step], other.step);
          continue;
        }
        const MetBarrier &arrival = mine.wait ? other : mine;
        bool commute = mine.wait && other.wait;
        if (mine.generation == other.generation)
          commute |= mine.wait == other.wait || !arrival.completes;
        if (commute && !mine.alone && !other.alone)
          continue;
        bool possible = !mine.wait || other.alone || !((other.generation ^ mine.generation) & 1);
        if (!tried && possible && !own.has(other.step)) {
          tried = true;
          reorder(other.step, now, own);
        }
        join(now, other.step, mine.wait);
      }
      list.push_back(mine);
    }
  }

  /// A wait for groups is ordered after the work that it waited for.
  void waitForGroups(StepTaken &now, const World &before) {
    const Thread &thread = before.threads[now.task];
    for (const Effect &effect : program.events[now.event].effects) {
      if (effect.kind != Kind::GroupWait)
        continue;
      auto open = thread.open.find(static_cast<int>(effect.group));
      int64_t closed = open == thread.open.end() ? 0 : open->second;
      int64_t allowed = interpreter.eval(before, now.task, effect.amount);
      for (const Ended &work : ended)
        if (work.task == now.task && work.group == effect.group &&
            (work.group == Group::Tcgen05 || work.serial < closed - allowed)) {
          join(now, work.step, true);
          now.visible.add(work.step);
          now.visible.add(work.issue);
        }
    }
  }

  void access(StepTaken &now, const std::vector<Region> &regions, Group group) {
    bool flight = false, asyncProxy = now.completion, lifetime = false;
    for (const Effect &effect : program.events[now.event].effects)
      if (effect.kind == Kind::Read || effect.kind == Kind::Write) {
        flight |= effect.moment == Moment::Completion;
        asyncProxy |= effect.proxy == Proxy::Async;
        lifetime |= effect.lifetime != Lifetime::Goes; // nothing is written
      }
    int index = static_cast<int>(trace.size());
    for (const Region &region : regions) {
      auto &touches = touched[{region.space, region.rank}];
      for (const Touch &other : touches) {
        if (other.start == index || !region.clashes(other.region))
          continue;
        bool pipe = flight && other.flight && other.task == now.task &&
                    ((onePipe(group) && other.group == group) ||
                     (landInOrder(program, now.event, other.event) && region == other.region));
        int when = other.flight ? other.end : other.start;
        // A stray signal is one that comes after its barrier's end.
        if (pipe || (now.completion && invalidates(other.event)))
          continue;
        if (when < 0 || !now.before.has(when))
          return fail({"race",
                       other.flight ? "an access can meet asynchronous work in flight"
                                    : "two tasks can access the same memory at once",
                       now.task, now.event});
        if (asyncProxy && !lifetime && !other.asyncProxy && other.region.write &&
            sharedSpaces.contains(region.space) && !now.visible.has(other.start))
          return fail({"proxy",
                       "what " + program.events[other.event].op + " wrote at " +
                           program.events[other.event].loc.str() +
                           " is not fenced for the async proxy",
                       now.task, now.event});
      }
      touches.push_back({region, now.task, now.event, index, flight ? -1 : index, flight,
                         asyncProxy || lifetime, group});
    }
  }

  void take(Node &node, Process process) {
    if (++taken > options.maxStates)
      return unknown("more than " + std::to_string(options.maxStates) + " steps");
    const World before = node.world;
    World after = before;
    StepTaken now{process, -1, -1, process >= numTasks, {}, {}};
    int64_t occurrence;
    InFlight work;
    std::vector<Region> regions;
    Group group = Group::None;
    if (now.completion) {
      work = before.flying[indexOf(before, process)];
      now.task = work.task, now.event = work.event, occurrence = work.occurrence;
      join(now, issueOf[process], true);
      for (const Ended &earlier : ended)
        if (work.group != Group::None && earlier.task == work.task && earlier.group == work.group)
          join(now, earlier.step, true);
    } else {
      now.task = static_cast<int>(process);
      now.event = interpreter.nextEvent(before, now.task);
      occurrence = before.threads[now.task].occurrence;
      regions = interpreter.nextAccesses(before, now.task, group);
      join(now, last[process], true);
      for (const Edge &edge : edges)
        if (edge.task == now.task)
          join(now, edge.step, true);
    }
    Steps own = now.before;
    Interpreter::Outcome outcome = step(after, process);
    if (outcome == Interpreter::Outcome::Blocked)
      return; // was possible only together with what came between
    for (const Meeting &m : interpreter.meetings) {
      auto [it, isNew] = met.try_emplace({now.task, occurrence, m.part}, m.generation);
      if (!isNew && it->second != m.generation)
        return fail({"phase",
                     "one operation can meet phase " + std::to_string(it->second) + " or " +
                         std::to_string(m.generation),
                     now.task, now.event});
    }
    if (outcome == Interpreter::Outcome::Failed)
      return fail(interpreter.fault);
    meet(now, own, before, after, now.completion && work.accesses.empty());
    finishWaits(now, before, after);
    if (now.completion) {
      access(now, work.strays, Group::None);
    } else {
      waitForGroups(now, before);
      for (const Effect &effect : program.events[now.event].effects)
        if (effect.kind == Kind::ProxyFence)
          now.visible.add(now.before);
      // An event that only arrived at a named barrier has not accessed anything yet.
      if (after.threads[now.task].waitingNamed < 0)
        access(now, regions, group);
    }
    if (!over)
      record(std::move(now), before, std::move(after), work);
  }

  /// Named and cluster barriers: whoever passes is ordered after all who arrived.
  void finishWaits(StepTaken &now, const World &before, const World &after) {
    if (now.completion)
      return;
    const Thread &was = before.threads[now.task], &is = after.threads[now.task];
    auto pass = [&](int bar, int64_t generation) {
      for (const MetBarrier &other : barriers[bar])
        if (other.generation == generation && other.step != static_cast<int>(trace.size()))
          join(now, other.step, true);
    };
    if (was.waitingNamed >= 0 && is.waitingNamed < 0)
      pass(was.waitingNamed, was.waitingGeneration);
    for (const Meeting &m : interpreter.meetings)
      if (m.bar >= 0 && after.bars[m.bar].generation > m.generation &&
          std::any_of(program.events[now.event].effects.begin(),
                      program.events[now.event].effects.end(),
                      [](const Effect &e) { return e.kind == Kind::NamedBarrierSync; }))
        pass(m.bar, m.generation);
    if (was.clusterGeneration >= 0 && is.clusterGeneration < 0)
      for (auto [step, generation] : clusterArrivals)
        if (generation == was.clusterGeneration)
          join(now, step, true);
  }

  void record(StepTaken now, const World &before, World after, const InFlight &work) {
    int index = static_cast<int>(trace.size());
    if (now.completion) {
      ended.push_back({work.task, index, issueOf[now.process], work.group, Open, -1});
      if (work.groupSerial < INT64_MAX / 4)
        ended.back().serial = work.groupSerial;
      for (auto &[space, touches] : touched)
        for (Touch &touch : touches)
          if (touch.flight && touch.start == issueOf[now.process])
            touch.end = index;
    } else {
      for (auto &[group, count] : after.threads[now.task].open) {
        auto old = before.threads[now.task].open.find(group);
        int64_t closed = old == before.threads[now.task].open.end() ? 0 : old->second;
        if (count > closed)
          for (Ended &e : ended)
            if (e.task == now.task && static_cast<int>(e.group) == group && e.serial == Open)
              e.serial = closed, e.committed = index;
      }
      if (after.flying.size() > before.flying.size())
        issueOf[workOf(after.flying.back())] = index;
      if (before.threads[now.task].clusterGeneration < 0 &&
          (after.threads[now.task].clusterGeneration >= 0 ||
           after.clusterGeneration > before.clusterGeneration))
        clusterArrivals.push_back({index, before.clusterGeneration});
      last[now.process] = index;
    }
    // Tasks that this step started; or let pass a join, which is after all that it joins.
    for (int task = 0; task < numTasks; ++task) {
      const Thread &was = before.threads[task], &is = after.threads[task];
      if (task == now.task || (was.pc == is.pc && was.started == is.started))
        continue;
      edges.push_back({index, index, task});
      for (int other = 0; was.started && other < numTasks; ++other)
        if (other != now.task && after.threads[other].done &&
            program.tasks[other].rank == program.tasks[task].rank)
          edges.push_back({index, last[other], task});
    }
    trace.push_back(std::move(now));
    nodes.push_back({std::move(after), {}, {}});
  }

  /// Forgets the last step.
  void undo() {
    if (trace.empty())
      return;
    int gone = static_cast<int>(trace.size()) - 1;
    trace.pop_back();
    auto later = [&](auto &list, auto stepOf) {
      while (!list.empty() && stepOf(list.back()) >= gone)
        list.pop_back();
    };
    for (auto &[bar, list] : barriers)
      later(list, [](const MetBarrier &m) { return m.step; });
    for (auto &[space, touches] : touched) {
      later(touches, [](const Touch &t) { return t.start; });
      for (Touch &touch : touches)
        if (touch.flight && touch.end >= gone)
          touch.end = -1;
    }
    later(ended, [](const Ended &e) { return e.step; });
    for (Ended &e : ended)
      if (e.committed >= gone)
        e.serial = Open, e.committed = -1;
    later(clusterArrivals, [](const auto &a) { return a.first; });
    later(edges, [](const Edge &e) { return e.since; });
    for (int task = 0; task < numTasks; ++task)
      last[task] = -1;
    for (int i = 0; i < gone; ++i)
      if (!trace[i].completion)
        last[trace[i].process] = i;
  }

  const ExploreOptions &options;
  const Program &program;
  int numTasks;
  Interpreter interpreter;
  std::set<int> sharedSpaces; ///< where proxies matter
  std::vector<Node> nodes;    ///< nodes[i] is where step i is taken
  std::vector<StepTaken> trace;
  std::map<int, std::vector<MetBarrier>> barriers;
  std::map<std::pair<int, int64_t>, std::vector<Touch>> touched; ///< by space and rank
  std::vector<Ended> ended;
  std::vector<std::pair<int, int64_t>> clusterArrivals; ///< step, generation
  std::vector<Edge> edges;
  std::map<Process, int> last, issueOf;
  std::map<std::tuple<int, int64_t, int>, int64_t> met;
  ExploreResult result;
  size_t taken = 0;
  bool over = false;
};
} // namespace

ExploreResult tlx::verify::exploreOrders(const Program &program, const ExploreOptions &options) {
  if (!Interpreter(program, options).isAssumed())
    return ExploreResult::clean();
  return Orders(program, options).run();
}
