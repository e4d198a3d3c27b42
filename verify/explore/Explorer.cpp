#include "verify/explore/Explorer.h"
#include "verify/explore/World.h"

#include <algorithm>
#include <unordered_set>

using namespace tlx::verify;

namespace {
class Explorer {
public:
  Explorer(const Program &program, const ExploreOptions &options)
      : options(options), interpreter(program, options) {}

  ExploreResult run() {
    add(interpreter.initial(), -1, {});
    for (size_t next = 0; next < worlds.size() && !failed; ++next) {
      if (worlds.size() > options.maxStates) {
        unknown("more than " + std::to_string(options.maxStates) + " states");
        break;
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
  void fail(const Fault &fault) {
    if (failed)
      return;
    failed = true;
    result.violated(fault);
    for (int at = current; at > 0; at = parents[at].first)
      result.trace.push_back(parents[at].second);
    std::reverse(result.trace.begin(), result.trace.end());
  }

  void unknown(std::string message) {
    failed = true;
    result.verdict = ExploreResult::Unknown;
    result.message = std::move(message);
  }

  /// Every operation must meet the same phase in all interleavings.
  void meets(int task, int event, int64_t occurrence) {
    for (const Meeting &m : interpreter.meetings) {
      auto [it, isNew] = met.try_emplace({task, occurrence, m.part}, m.generation);
      if (!isNew && it->second != m.generation)
        fail({"phase",
              "one operation can meet phase " + std::to_string(it->second) + " or " +
                  std::to_string(m.generation),
              task, event});
    }
  }

  /// Whether the step led to a new world.
  bool stepped(Interpreter::Outcome outcome, int task, int event, int64_t occurrence) {
    if (outcome == Interpreter::Outcome::Blocked)
      return false;
    meets(task, event, occurrence);
    if (outcome == Interpreter::Outcome::Failed)
      fail(interpreter.fault);
    return !failed;
  }

  void expand(const World &w) {
    if (auto race = interpreter.race(w))
      return fail(*race);
    bool progress = false;
    for (size_t t = 0; t < w.threads.size() && !failed; ++t) {
      int task = static_cast<int>(t), event = interpreter.nextEvent(w, task);
      if (event < 0)
        continue;
      World next = w;
      if (stepped(interpreter.fire(next, task), task, event, w.threads[t].occurrence)) {
        progress = true;
        add(std::move(next), current, {task, event, false});
      }
    }
    for (size_t i = 0; i < w.flying.size() && !failed; ++i) {
      const InFlight &f = w.flying[i];
      if (!Interpreter::isHead(w, i))
        continue;
      World next = w;
      if (stepped(interpreter.complete(next, i), f.task, f.event, f.occurrence)) {
        progress = true;
        add(std::move(next), current, {f.task, f.event, true});
      }
    }
    if (!progress && !failed)
      if (auto stuck = interpreter.stuck(w))
        fail(*stuck);
    if (!interpreter.inexpressible.empty() && !failed)
      unknown(interpreter.inexpressible);
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
      put(t.clusterGeneration);
    }
    put(world.clusterGeneration);
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
    if (!seen.insert(std::move(key)).second)
      return;
    worlds.push_back(std::move(world));
    parents.emplace_back(parent, step);
  }

  const ExploreOptions &options;
  Interpreter interpreter;
  std::vector<World> worlds;
  std::vector<std::pair<int, ExploreStep>> parents;
  std::unordered_set<std::string> seen;
  std::map<std::tuple<int, int64_t, int>, int64_t> met;
  ExploreResult result;
  int current = 0;
  bool failed = false;
};
} // namespace

ExploreResult tlx::verify::explore(const Program &program, const ExploreOptions &options) {
  if (!Interpreter(program, options).isAssumed())
    return ExploreResult::clean();
  return Explorer(program, options).run();
}
