//===- Schedule.cpp - which legal interleaving a run takes ----------------===//
#include "sim/functional/Schedule.h"

#include "sim/functional/Cluster.h"

#include <algorithm>
#include <charconv>

namespace tlx::sim {

/// Of one run: more are a slip of the pen.
static constexpr uint64_t mostSchedules = 100'000;

std::vector<Schedule> Schedule::parse(std::string_view text) {
  if (text == "fifo")
    return {Schedule{Kind::Fifo, 0}};
  if (text == "adversarial")
    return {Schedule{Kind::Adversarial, 0}};
  if (text.substr(0, 7) != "random:")
    return {};
  text.remove_prefix(7);
  // One seed or two, and nothing behind them.
  auto number = [&text](uint64_t &seed) {
    auto [end, error] = std::from_chars(text.begin(), text.end(), seed);
    text.remove_prefix(size_t(end - text.begin()));
    return error == std::errc();
  };
  uint64_t first = 0;
  if (!number(first))
    return {};
  uint64_t last = first;
  if (!text.empty() && text.front() == '-') {
    text.remove_prefix(1);
    if (!number(last))
      return {};
  }
  if (!text.empty() || last < first || last - first >= mostSchedules)
    return {};
  std::vector<Schedule> schedules;
  for (uint64_t i = 0; i <= last - first; ++i)
    schedules.push_back({Kind::Random, first + i});
  return schedules;
}

std::string Schedule::text() const {
  switch (kind) {
  case Kind::Fifo: return "fifo";
  case Kind::Random: return "random:" + std::to_string(seed);
  case Kind::Adversarial: return "adversarial";
  }
  return "?";
}

/// splitmix64.
static uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

size_t Schedule::residents(size_t most) const {
  switch (kind) {
  case Kind::Fifo: break;
  case Kind::Random: return most ? 1 + mix(seed) % most : 0;
  case Kind::Adversarial: return std::min<size_t>(most, 1);
  }
  return most;
}

ScheduleRunner::ScheduleRunner(Cluster &cluster, Schedule schedule, uint64_t stream)
    : cluster(cluster), schedule(schedule), random(mix(schedule.seed) ^ mix(~stream)) {}

uint64_t ScheduleRunner::nextRandom() { return mix(random++); }

void ScheduleRunner::collect() {
  for (int32_t task : cluster.takeReady())
    ready.push_back(task);
}

/// Whether the instruction may let other tasks go on.
static bool signals(const Cluster &cluster, Pc pc) {
  const Inst &inst = cluster.program().code[pc];
  const Effect *effects = cluster.program().effectsOf(inst);
  return std::any_of(effects, effects + inst.numEffects, [](const Effect &effect) {
    return effect.kind == sync::Kind::BarrierArrive || effect.kind == sync::Kind::ClusterArrive ||
           effect.kind == sync::Kind::NamedBarrierArrive;
  });
}

void ScheduleRunner::runTask(int32_t task, int64_t limit, int64_t &steps) {
  for (int64_t i = 0; i < limit; ++i) {
    const bool signalled =
        schedule.kind != Schedule::Kind::Fifo && signals(cluster, cluster.task(task).pc);
    StepStatus status = cluster.step(task);
    ++steps;
    if (signalled && status == StepStatus::Ran &&
        (schedule.kind == Schedule::Kind::Adversarial || nextRandom() % 4 == 0)) {
      late.push_back(task);
      return;
    }
    if (schedule.kind == Schedule::Kind::Fifo && !cluster.pending().empty())
      while (!cluster.pending().empty() && !cluster.failed())
        cluster.complete(cluster.pending().begin()->first);
    if (status != StepStatus::Ran)
      return;
  }
  ready.push_back(task); // its turn is over, it has not blocked
}

bool ScheduleRunner::advance(int64_t budget) {
  int64_t steps = 0;
  collect();
  while (steps < budget && !cluster.finished() && !cluster.failed()) {
    // What has let others go on waits until they cannot, or until chance says so.
    if (!late.empty() &&
        (ready.empty() || (schedule.kind == Schedule::Kind::Random && nextRandom() % 16 == 0)))
      ready.insert(ready.begin(), late.begin(), late.end()), late.clear();
    const bool idle = ready.empty();
    if (idle && cluster.pending().empty()) {
      cluster.reportDeadlock();
      return false;
    }
    switch (schedule.kind) {
    case Schedule::Kind::Fifo: {
      if (idle) {
        cluster.complete(cluster.pending().begin()->first);
        break;
      }
      int32_t task = ready.front();
      ready.erase(ready.begin());
      runTask(task, 4096, steps);
      break;
    }
    case Schedule::Kind::Random: {
      std::vector<AsyncId> ops = cluster.completableOps();
      uint64_t pick = nextRandom() % (ready.size() + ops.size());
      if (pick < ready.size()) {
        int32_t task = ready[pick];
        ready.erase(ready.begin() + int64_t(pick));
        runTask(task, 1 + int64_t(nextRandom() % 24), steps);
      } else {
        cluster.complete(ops[pick - ready.size()]);
        ++steps;
      }
      break;
    }
    case Schedule::Kind::Adversarial: {
      if (idle) {
        cluster.complete(cluster.completableOps().back());
        ++steps;
        break;
      }
      int32_t task = ready.back();
      ready.pop_back();
      // A task that spins on memory must let the others go on.
      runTask(task, 100'000, steps);
      if (!ready.empty() && ready.back() == task) {
        ready.pop_back();
        ready.insert(ready.begin(), task);
      }
      break;
    }
    }
    collect();
  }
  return !cluster.finished() && !cluster.failed();
}

} // namespace tlx::sim
