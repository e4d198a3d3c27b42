//===- Schedule.h - which legal interleaving a run takes ------------------===//
//
// fifo         tasks run until they block, in the order in which they became ready; asynchronous
//              operations complete as soon as they may
// random:SEED  every step picks among the ready tasks and the completable operations; one arrival
//              in four holds its task back until the others have gone far
// adversarial  asynchronous operations complete as late as they can (when no task can go on),
//              youngest first; the task that became ready last runs first, and one that has
//              arrived at a barrier goes on only when no other can; warps that nothing holds
//              together are as far apart as can be, for the race check
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tlx::sim {

class Cluster;

struct Schedule {
  enum class Kind : uint8_t { Fifo, Random, Adversarial };
  Kind kind = Kind::Fifo;
  uint64_t seed = 0;

  /// "fifo", "random:7", "adversarial"; "random:0-199" is 200 schedules. Empty for anything else.
  static std::vector<Schedule> parse(std::string_view text);
  std::string text() const;
  /// Clusters that are resident together where the chip may choose, of at most `most`.
  size_t residents(size_t most) const;
};

/// Drives one cluster, a slice of steps at a time.
class ScheduleRunner {
public:
  ScheduleRunner(Cluster &cluster, Schedule schedule, uint64_t stream);
  /// Runs at most about `steps` steps. False: the cluster has finished or cannot go on.
  bool advance(int64_t steps);

private:
  Cluster &cluster;
  Schedule schedule;
  uint64_t random;
  std::vector<int32_t> ready;
  std::vector<int32_t> late; ///< ready, but held back behind the others

  uint64_t nextRandom();
  void collect();
  void runTask(int32_t task, int64_t limit, int64_t &steps);
};

} // namespace tlx::sim
