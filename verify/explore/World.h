//===- World.h - a kernel that runs on concrete values --------------------===//
//
// One state of a kernel and the steps out of it: a task's next event, or the
// end of asynchronous work. Real phase bits and pending counts, and values that
// somebody chose for everything unknown. The explorer takes the steps in every
// order, the replay in one. Nothing here is shared with the prover but the
// model.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/explore/Explorer.h"

#include <map>
#include <memory>

namespace tlx::verify {

/// A rectangle of memory that is read or written.
struct Region {
  int space = -1;
  int64_t rank = 0;
  Rect place;
  bool write = false;
  bool frees = false;    ///< the CTAs of a pair free both parts together
  bool commutes = false; ///< a part of an atomic update
  ExprId value = NoExpr; ///< Effect::value
  int by = 0;            ///< the CTA that accesses it
  /// A tile of global memory, by axis: where it begins and what it is made of.
  std::vector<std::pair<int64_t, std::vector<Extent>>> tile = {};
  /// Of memory that starts blank: a read that has to find it written, a write that fills it.
  bool counts = false;
  bool operator==(const Region &) const = default;
  bool clashes(const Region &o) const;
};

/// Whether what one task issues there takes place in issue order.
bool onePipe(sync::Group group);

/// Whether these events' asynchronous writes to one place land in issue order.
bool landInOrder(const Program &program, int a, int b);

/// Work that an engine has still to do.
struct InFlight {
  int task = -1, event = -1;
  sync::Group group = sync::Group::None;
  int64_t groupSerial = 0; ///< which group of its queue it belongs to
  int64_t occurrence = 0;
  std::vector<Region> accesses;
  struct Signal {
    int barrier;
    int64_t arrivals, bytes;
  };
  std::vector<Signal> signals;
  /// Where signals land whose barrier has been invalidated: nobody waits for them.
  std::vector<Region> strays;
  int64_t tag = -1; ///< for the owner of the world
};

struct Bar {
  bool inited = false;
  int64_t count = 0, pending = 0, tx = 0, generation = 0;
};

struct Thread {
  int pc = 0;
  bool started = false, done = false;
  int64_t occurrence = 0;         ///< events executed
  std::vector<int64_t> iteration; ///< of the enclosing loops
  int waitingNamed = -1;          ///< has arrived there and waits
  int64_t waitingGeneration = 0;
  int64_t clusterGeneration = -1; ///< of the cluster barrier it has arrived in
  std::map<int, int64_t> open;    ///< by group: serial of the group being filled
};

struct World {
  std::vector<Thread> threads;
  std::vector<int64_t> vars;
  std::vector<Bar> bars;
  std::vector<InFlight> flying;
  int64_t clusterGeneration = 0;
  /// What has been written of memory that starts blank; shared by copies until one adds to it.
  std::shared_ptr<const std::vector<Region>> filled;
};

/// A part of an operation met one phase of a barrier.
struct Meeting {
  int part = 0;
  int bar = -1;
  int64_t generation = 0;
  bool wait = false;
};

/// A conditional jump that was decided.
struct BranchTaken {
  int task = -1, pc = -1;
  bool holds = false;
};

class Interpreter {
public:
  Interpreter(const Program &program, LeafValues values);
  Interpreter(const Program &program, const ExploreOptions &options);

  World initial();
  /// Whether the values are what the kernel assumes; if not, nothing is asked of it.
  bool isAssumed();
  enum class Outcome : uint8_t { Ran, Blocked, Failed };
  /// Executes a task's next event and goes on to the one after it.
  Outcome fire(World &world, int task);
  /// Ends the `index`-th work in flight; it must be at the head of its queue.
  Outcome complete(World &world, size_t index);
  static bool isHead(const World &world, size_t index);

  /// The event that a task stands at; -1: it has ended, or has not begun, or
  /// waits for tasks that it started.
  int nextEvent(const World &world, int task) const;
  /// The accesses that it makes, at issue or later.
  std::vector<Region> nextAccesses(const World &world, int task, sync::Group &group);
  int64_t amount(const World &world, int task, const Effect &effect) {
    return effect.amount == NoExpr ? 1 : eval(world, task, effect.amount);
  }
  /// Two conflicting accesses that are both possible now.
  std::optional<Fault> race(const World &world);
  /// When every unfinished task waits and nothing is in flight.
  std::optional<Fault> stuck(const World &world);

  const Program &program;
  std::vector<Code> codes;
  Fault fault;                   ///< of the step that failed
  std::vector<Meeting> meetings; ///< of the last step
  std::string inexpressible;     ///< what cannot be executed here, once met
  std::vector<BranchTaken> *branches = nullptr;
  bool watchesEnds = false; ///< what reaches another CTA that has ended is a fault
  bool watchesReads = true; ///< and a read of what nothing has written

  int64_t eval(const World &world, int task, ExprId expr);
  const Region &memory(int bar) const { return memoryOf[bar]; }
  /// The barrier that a target names now; -1: there is no such one.
  int barOf(const World &world, int task, const Target &target);

private:
  bool holds(const World &world, int task, ExprId pred);
  void settle(World &world, int task);
  void clusterComplete(World &world);
  /// Appends where an access lies; false when there is no such slot.
  bool addRegions(const World &world, int task, const Effect &effect, std::vector<Region> &out);
  Outcome block(World &world, int task, int event, bool &arrivedOnly);
  Outcome named(World &world, int task, int event, const Effect &effect, bool &arrivedOnly);
  bool apply(World &world, int task, int event, InFlight &work);
  /// Whether barriers are initialised where something is written.
  bool usesMemoryOfBarrier(const World &world, const std::vector<Region> &written) const;
  bool signal(World &world, int task, int event, int bar, int64_t arrivals, int64_t bytes);
  static void blank(World &world, const std::vector<Region> &regions);
  /// What an event reads and writes at one moment. False: it reads what nothing has written.
  bool transfer(World &world, int task, int event, const std::vector<Region> &regions);
  /// Faults when work of `task` touches these after the CTA that they are in has ended.
  bool outlived(const World &world, int task, int event, const std::vector<Region> &regions);
  Outcome fail(const char *what, std::string message, int task, int event);

  LeafValues values;
  std::vector<int> firstBar;
  std::vector<Region> memoryOf; ///< by barrier: where it lies, written
};

} // namespace tlx::verify
