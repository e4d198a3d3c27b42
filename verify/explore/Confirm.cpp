#include "verify/explore/Confirm.h"
#include "verify/explore/Explorer.h"

#include <algorithm>
#include <set>

using namespace tlx::verify;
using tlx::sync::Group;
using tlx::sync::Kind;
using tlx::sync::Moment;
using Outcome = Interpreter::Outcome;

namespace {
/// Steps in which a missing fence has to show.
constexpr size_t MostOrders = 4000;

/// A step that was executed, and what it came after.
struct Node {
  RunStep at;
  bool completion = false;
  int issue = -1; ///< completion: the node that started the work
  int run = -1;
  std::vector<int64_t> iteration;
  std::vector<int> before;
  std::vector<Region> accesses; ///< made by this step; a completion's: between issue and here
  std::vector<Meeting> meetings;
};

class Confirmer {
public:
  Confirmer(const Program &program, const ConfirmRequest &request)
      : program(program), request(request), interpreter(program, request.values) {
    interpreter.watchesEnds = true;
    interpreter.watchesReads = request.aboutWrites;
  }

  Confirmation run() {
    if (!interpreter.isAssumed())
      return close(Confirmation::Refuted, {}, "the kernel assumes other values");
    follow();
    if (!interpreter.inexpressible.empty())
      return close(Confirmation::Open, {}, interpreter.inexpressible);
    if (result.what == "unwritten")
      shorten();
    if (result.verdict == Confirmation::Refuted || result.verdict == Confirmation::Shown)
      return close(result.verdict, result.what, result.message);
    if (auto stuck = interpreter.stuck(world))
      return close(Confirmation::Shown, stuck->what, stuck->message);
    int last = violating();
    if ((last >= 0 && ((request.aboutRaces && races(last)) || overtakes(last) || races(last))) ||
        outlives() || reachesPeer(last))
      return close(Confirmation::Shown, result.what, result.message);
    if (request.aboutProxies) {
      ExploreOptions orders;
      orders.values = request.values;
      orders.maxStates = MostOrders;
      orders.watchesReads = false;
      ExploreResult seen = exploreOrders(program, orders);
      if (seen.verdict == ExploreResult::Violation && seen.what == "proxy")
        return close(Confirmation::Followed, seen.what, seen.message);
    }
    return close(Confirmation::Followed, {}, {});
  }

private:
  //===--------------------------------------------------------------------===//
  // The canonical run
  //===--------------------------------------------------------------------===//

  void follow() {
    last.assign(program.tasks.size(), {});
    world = interpreter.initial();
    for (size_t i = 0; i < request.run.size(); ++i) {
      RunStep step = request.run[i];
      if (!take(step, static_cast<int>(i)))
        return;
    }
    // What the violation is about may be the step that was not taken any more.
    passNamed();
    if (request.at.task >= 0 && interpreter.nextEvent(world, request.at.task) == request.at.event) {
      World saved = world;
      if (!take(request.at, -1) && result.verdict == Confirmation::Refuted) {
        // It blocks: the run is stuck there.
        result = {};
        nodes.pop_back();
        order.pop_back();
        world = std::move(saved);
      }
    }
  }

  /// Executes the next event of a task; others that go on because of it come
  /// after what the task did last.
  Outcome fire(int task) {
    std::vector<std::pair<bool, int>> running;
    for (const Thread &thread : world.threads)
      running.emplace_back(thread.started, thread.pc);
    Outcome outcome = interpreter.fire(world, task);
    for (size_t t = 0; t < world.threads.size(); ++t)
      if (static_cast<int>(t) != task &&
          running[t] != std::pair(world.threads[t].started, world.threads[t].pc))
        joined(static_cast<int>(t), task);
    return outcome;
  }

  /// Lets tasks go on whose named barrier has completed.
  void passNamed() {
    for (size_t t = 0; t < world.threads.size(); ++t) {
      int task = static_cast<int>(t), bar = world.threads[t].waitingNamed;
      int64_t generation = world.threads[t].waitingGeneration;
      if (bar < 0)
        continue;
      std::vector<int> saved = last[t];
      for (int node : contributors[{bar, generation}])
        last[t].push_back(node);
      if (fire(task) != Outcome::Ran)
        last[t] = std::move(saved);
    }
  }

  bool take(RunStep step, int index) {
    passNamed();
    if (interpreter.nextEvent(world, step.task) != step.event)
      return refute(step, "the task is not there");
    const Event &event = program.events[step.event];
    int id = static_cast<int>(nodes.size());
    Node node;
    node.at = step;
    node.run = index;
    node.iteration = world.threads[step.task].iteration;
    node.before = last[step.task];
    bool async = false;
    for (const Effect &effect : event.effects) {
      async |= effect.moment == Moment::Completion;
      groupWait(step.task, effect, node.before);
      clusterBarrier(step.task, effect, id, node.before);
    }
    Group group;
    if (!async)
      node.accesses = interpreter.nextAccesses(world, step.task, group);
    std::map<int, int64_t> open = world.threads[step.task].open;
    nodes.push_back(std::move(node));
    order.push_back(id);
    last[step.task] = {id};
    Outcome outcome = fire(step.task);
    if (outcome == Outcome::Blocked) {
      last[step.task] = nodes[id].before;
      return refute(step, "the task still waits");
    }
    record(id);
    if (outcome == Outcome::Failed)
      return fault();
    bool named = std::any_of(event.effects.begin(), event.effects.end(),
                             [](const Effect &e) { return e.kind == Kind::NamedBarrierSync; });
    if (named && world.threads[step.task].waitingNamed < 0)
      for (const Meeting &m : nodes[id].meetings)
        for (int other : contributors[{m.bar, m.generation}])
          last[step.task].push_back(other);
    // Nothing else is in flight: what was issued before has ended.
    for (InFlight &work : world.flying)
      work.tag = id;
    while (!world.flying.empty())
      if (!finishFirst(open))
        return false;
    return true;
  }

  /// A task began or went on because of another: it comes after that, and after
  /// all that its partners did.
  void joined(int task, int because) {
    std::vector<int> before = last[because];
    if (program.tasks[task].region < 0)
      for (size_t o = 0; o < program.tasks.size(); ++o)
        if (program.tasks[o].rank == program.tasks[task].rank)
          before.insert(before.end(), last[o].begin(), last[o].end());
    last[task] = std::move(before);
  }

  /// What a completed phase, or an arrival, means for the order.
  void record(int id) {
    for (const Meeting &m : interpreter.meetings) {
      nodes[id].meetings.push_back(m);
      if (m.wait) {
        for (int node : contributors[{m.bar, m.generation - 1}])
          nodes[id].before.push_back(node);
      } else {
        contributors[{m.bar, m.generation}].push_back(id);
      }
    }
  }

  void clusterBarrier(int task, const Effect &effect, int id, std::vector<int> &before) {
    if (effect.kind == Kind::ClusterArrive)
      clusterArrivals[world.clusterGeneration].push_back(id);
    else if (effect.kind == Kind::ClusterWait)
      for (int node : clusterArrivals[world.threads[task].clusterGeneration])
        before.push_back(node);
  }

  struct Finished {
    int node;
    int64_t serial;
  };
  void groupWait(int task, const Effect &effect, std::vector<int> &before) {
    auto done = completions.find({task, static_cast<int>(effect.group)});
    if (effect.kind != Kind::GroupWait || done == completions.end())
      return;
    const auto &open = world.threads[task].open;
    auto it = open.find(static_cast<int>(effect.group));
    int64_t closed = it == open.end() ? 0 : it->second;
    int64_t allowed = interpreter.amount(world, task, effect);
    for (const Finished &f : done->second)
      if (f.serial < closed - allowed)
        before.push_back(f.node);
  }

  bool finishFirst(const std::map<int, int64_t> &open) {
    InFlight &work = world.flying.front();
    int id = static_cast<int>(nodes.size());
    Node node;
    node.at = {work.task, work.event};
    node.completion = true;
    node.issue = static_cast<int>(work.tag);
    node.iteration = nodes[work.tag].iteration;
    node.run = nodes[work.tag].run;
    node.before = {node.issue};
    node.accesses = work.accesses;
    if (work.group != Group::None) {
      int group = static_cast<int>(work.group);
      auto &queue = completions[{work.task, group}];
      if (!queue.empty())
        node.before.push_back(queue.back().node);
      auto it = open.find(group);
      queue.push_back({id, it == open.end() ? 0 : it->second});
    }
    nodes.push_back(std::move(node));
    order.push_back(id);
    Outcome outcome = interpreter.complete(world, 0);
    record(id);
    return outcome != Outcome::Failed || fault();
  }

  bool fault() {
    result.verdict = Confirmation::Shown;
    result.what = interpreter.fault.what;
    result.message = interpreter.fault.message;
    return false;
  }

  bool refute(RunStep step, const char *why) {
    result.verdict = Confirmation::Refuted;
    result.message =
        program.tasks[step.task].name + ", " + program.events[step.event].op +
        (program.events[step.event].loc.known() ? " at " + program.events[step.event].loc.str()
                                                : std::string()) +
        ": " + why;
    return false;
  }

  //===--------------------------------------------------------------------===//
  // Another order
  //===--------------------------------------------------------------------===//

  /// The node at which the violation shows: the last of that event.
  int violating() const {
    for (size_t i = nodes.size(); i-- > 0;)
      if (!nodes[i].completion && nodes[i].at.task == request.at.task &&
          nodes[i].at.event == request.at.event)
        return static_cast<int>(i);
    return -1;
  }

  /// All that must come before the given nodes, without them.
  std::set<int> past(const std::vector<int> &of) const {
    std::set<int> seen;
    std::vector<int> open;
    for (int node : of)
      open.insert(open.end(), nodes[node].before.begin(), nodes[node].before.end());
    while (!open.empty()) {
      int node = open.back();
      open.pop_back();
      if (seen.insert(node).second)
        open.insert(open.end(), nodes[node].before.begin(), nodes[node].before.end());
    }
    return seen;
  }

  /// What a wait or an arrival needs is known by the order without the wait
  /// itself: a wait that may return early does not need its own phase.
  std::set<int> pastOfStep(int node) const {
    std::vector<int> own;
    for (int before : nodes[node].before) {
      bool fromPhase = false;
      for (const Meeting &m : nodes[node].meetings)
        if (m.wait) {
          auto it = contributors.find({m.bar, m.generation - 1});
          fromPhase |= it != contributors.end() &&
                       std::find(it->second.begin(), it->second.end(), before) != it->second.end();
        }
      if (!fromPhase)
        own.push_back(before);
    }
    // The older phase of the same parity, on which it may return, has completed.
    for (const Meeting &m : nodes[node].meetings)
      if (auto it = contributors.find({m.bar, m.generation - 3});
          m.wait && it != contributors.end())
        own.insert(own.end(), it->second.begin(), it->second.end());
    std::set<int> seen(own.begin(), own.end());
    seen.merge(past(own));
    return seen;
  }

  /// Executes nodes in the given order; the position of the first that does
  /// something else than in the canonical run, or -1.
  int deviation(const std::vector<int> &nodeOrder, World &w) {
    w = interpreter.initial();
    blocked = false;
    phase = meant = -1;
    for (size_t i = 0; i < nodeOrder.size(); ++i) {
      const Node &node = nodes[nodeOrder[i]];
      Outcome outcome;
      if (node.completion) {
        auto it = std::find_if(w.flying.begin(), w.flying.end(),
                               [&](const InFlight &f) { return f.tag == node.issue; });
        size_t index = static_cast<size_t>(it - w.flying.begin());
        if (it == w.flying.end() || !Interpreter::isHead(w, index))
          return deviates("its work is not what is in flight", i);
        outcome = interpreter.complete(w, index);
      } else {
        passNamed(w);
        if (w.threads[node.at.task].waitingNamed >= 0)
          return deviates("the task still waits at a named barrier", i);
        if (interpreter.nextEvent(w, node.at.task) != node.at.event)
          return deviates("the task is somewhere else", i);
        size_t flying = w.flying.size();
        outcome = interpreter.fire(w, node.at.task);
        for (size_t f = flying; f < w.flying.size(); ++f)
          w.flying[f].tag = nodeOrder[i];
      }
      if (outcome == Outcome::Failed) {
        seen = interpreter.fault;
        return static_cast<int>(i);
      }
      blocked = outcome == Outcome::Blocked;
      if (blocked)
        return deviates("the wait blocks although its phase has completed", i);
      for (size_t m = 0; m < node.meetings.size() && m < interpreter.meetings.size(); ++m)
        if (node.meetings[m].generation != interpreter.meetings[m].generation) {
          meant = node.meetings[m].generation;
          phase = interpreter.meetings[m].generation;
          return deviates("the operation can meet phase " +
                              std::to_string(node.meetings[m].generation) + " or " +
                              std::to_string(interpreter.meetings[m].generation),
                          i);
        }
    }
    return -1;
  }

  void passNamed(World &w) {
    for (size_t t = 0; t < w.threads.size(); ++t)
      if (w.threads[t].waitingNamed >= 0)
        interpreter.fire(w, static_cast<int>(t));
  }

  int deviates(std::string message, size_t position) {
    seen = {"phase", std::move(message), -1, -1};
    return static_cast<int>(position);
  }

  /// The violating step as early as it can come, then the rest: does something
  /// meet another phase than in the canonical run?
  bool overtakes(int node) {
    // The step itself, or the last of the run when that step was overtaken.
    for (int first : {node, static_cast<int>(nodes.size()) - 1}) {
      std::set<int> before = pastOfStep(first);
      std::vector<int> early(before.begin(), before.end());
      early.push_back(first);
      before.insert(first);
      std::vector<int> later = early;
      for (size_t i = 0; i < nodes.size(); ++i)
        if (!before.contains(static_cast<int>(i)))
          later.push_back(static_cast<int>(i));
      World w;
      int at = deviation(later, w);
      // A wait that blocks before its own phase is as it should be.
      if (at < 0 || (blocked && later[static_cast<size_t>(at)] == first))
        continue;
      // Of the rest only what the deviating step needs.
      int deviating = later[static_cast<size_t>(at)];
      std::set<int> needed = past({deviating});
      std::vector<int> fewer = early;
      if (at >= static_cast<int>(early.size())) {
        for (int other : needed)
          if (!before.contains(other))
            fewer.push_back(other);
        fewer.push_back(deviating);
      }
      later.resize(static_cast<size_t>(at) + 1);
      if (int again = deviation(fewer, w); again >= 0) {
        fewer.resize(static_cast<size_t>(again) + 1);
        later = std::move(fewer);
      } else {
        deviation(later, w);
      }
      return shown(seen, std::move(later));
    }
    return false;
  }

  /// Something that conflicts with the violating step, and neither is ordered
  /// before the other: both become possible at once.
  bool races(int node) {
    std::vector<int> mine{node};
    for (size_t i = 0; i < nodes.size(); ++i)
      if (nodes[i].completion && nodes[i].issue == node)
        mine.push_back(static_cast<int>(i));
    for (int b : mine)
      for (size_t i = nodes.size(); i-- > 0;) {
        int a = static_cast<int>(i);
        if (a == b || !conflict(a, b))
          continue;
        std::set<int> before = past({a, b});
        if (before.contains(a) || before.contains(b))
          continue;
        std::vector<int> both(before.begin(), before.end());
        World w;
        if (deviation(both, w) >= 0)
          return shown(seen, std::move(both));
        passNamed(w);
        std::optional<Fault> race = interpreter.race(w);
        if (!race && nodes[a].completion && nodes[b].completion)
          race = Fault{"race", "two pieces of asynchronous work in flight touch the same memory",
                       nodes[b].at.task, nodes[b].at.event};
        if (!race)
          continue;
        for (int n : {a, b})
          if (!nodes[n].completion)
            both.push_back(n);
        return shown(*race, std::move(both));
      }
    return false;
  }

  bool conflict(int a, int b) const {
    for (const Region &x : nodes[a].accesses)
      for (const Region &y : nodes[b].accesses)
        if (x.clashes(y))
          return true;
    return false;
  }

  /// The CTA ends while work is in flight that nobody waited for.
  bool outlives() {
    if (request.at.task < 0)
      return false;
    int rank = program.tasks[request.at.task].rank;
    std::vector<int> ends;
    for (size_t t = 0; t < program.tasks.size(); ++t) {
      if (program.tasks[t].rank != rank || program.tasks[t].region >= 0)
        continue;
      if (!world.threads[t].done)
        return false;
      ends.insert(ends.end(), last[t].begin(), last[t].end());
    }
    std::set<int> all(ends.begin(), ends.end());
    all.merge(past(ends));
    std::vector<int> early(all.begin(), all.end());
    World w;
    if (deviation(early, w) >= 0)
      return shown(seen, std::move(early));
    for (const InFlight &f : w.flying)
      if (f.event == request.at.event && program.tasks[f.task].rank == rank)
        return shown({"exit", "the CTA has ended and this work is in flight", f.task, f.event},
                     std::move(early));
    return false;
  }

  /// A step reaches into a CTA that has ended, or that has not begun.
  bool reachesPeer(int node) {
    if (node < 0)
      return false;
    std::set<int> needed = past({node});
    for (int rank = 0; rank < program.ranks; ++rank) {
      if (!touches(node, rank))
        continue;
      std::vector<int> ends;
      bool ended = true, begun = false;
      for (size_t t = 0; t < program.tasks.size(); ++t)
        if (program.tasks[t].rank == rank && program.tasks[t].region < 0) {
          ended &= world.threads[t].done;
          ends.insert(ends.end(), last[t].begin(), last[t].end());
        }
      std::set<int> before(ends.begin(), ends.end());
      before.merge(past(ends));
      for (int other : needed)
        begun |= program.tasks[nodes[other].at.task].rank == rank;
      if (!begun) {
        std::vector<int> early(needed.begin(), needed.end());
        early.push_back(node);
        return shown({"entry",
                      "nothing that comes before this is a step of CTA " + std::to_string(rank) +
                          ", which need not have started",
                      nodes[node].at.task, nodes[node].at.event},
                     std::move(early));
      }
      if (ended && !before.contains(node)) {
        std::vector<int> late(before.begin(), before.end());
        for (int other : needed)
          if (!before.contains(other))
            late.push_back(other);
        late.push_back(node);
        World w;
        if (deviation(late, w) >= 0 && seen.what == "exit")
          return shown(seen, std::move(late));
      }
    }
    return false;
  }

  /// Whether a step or the work that it starts touches what is another CTA's.
  bool touches(int node, int rank) const {
    if (program.tasks[nodes[node].at.task].rank == rank)
      return false;
    for (size_t i = 0; i < nodes.size(); ++i)
      if (static_cast<int>(i) == node || (nodes[i].completion && nodes[i].issue == node)) {
        for (const Region &region : nodes[i].accesses)
          if (region.rank == rank)
            return true;
        for (const Meeting &m : nodes[i].meetings)
          if (interpreter.memory(m.bar).rank == rank)
            return true;
      }
    return false;
  }

  /// Of the run only what its last step comes after, if that shows the same.
  void shorten() {
    std::set<int> needed = past({order.back()});
    std::vector<int> fewer(needed.begin(), needed.end());
    fewer.push_back(order.back());
    if (World w;
        deviation(fewer, w) == static_cast<int>(fewer.size()) - 1 && seen.what == result.what)
      order = std::move(fewer);
  }

  bool shown(const Fault &fault, std::vector<int> nodeOrder) {
    result.what = fault.what;
    result.message = fault.message;
    order = std::move(nodeOrder);
    return true;
  }

  //===--------------------------------------------------------------------===//
  // The answer
  //===--------------------------------------------------------------------===//

  Confirmation close(Confirmation::Verdict verdict, std::string what, std::string message) {
    Confirmation out;
    out.verdict = verdict;
    out.what = std::move(what);
    out.message = std::move(message);
    for (int id : order) {
      const Node &node = nodes[id];
      out.steps.push_back({node.at.task, node.at.event, node.completion, node.iteration, node.run});
    }
    std::vector<BranchTaken> taken;
    interpreter.branches = &taken;
    World w;
    deviation(order, w);
    if (verdict == Confirmation::Shown) {
      out.phase = phase;
      out.meant = meant;
    }
    std::map<std::pair<int, int>, int64_t> times;
    for (const BranchTaken &b : taken)
      out.branches.push_back({b.task, b.pc, times[{b.task, b.pc}]++, b.holds});
    return out;
  }

  const Program &program;
  const ConfirmRequest &request;
  Interpreter interpreter;
  World world;
  std::vector<Node> nodes;
  std::vector<int> order;
  std::vector<std::vector<int>> last; ///< by task: what its next step comes after
  std::map<std::pair<int, int64_t>, std::vector<int>> contributors; ///< (barrier, phase)
  std::map<std::pair<int, int>, std::vector<Finished>> completions; ///< (task, group)
  std::map<int64_t, std::vector<int>> clusterArrivals;              ///< by generation
  Fault seen;                                                       ///< by the last deviation()
  int64_t phase = -1, meant = -1; ///< ... met, and met in the canonical run
  bool blocked = false;           ///< ... which was a wait that blocks
  Confirmation result;
};
} // namespace

Confirmation tlx::verify::confirm(const Program &program, const ConfirmRequest &request) {
  return Confirmer(program, request).run();
}
