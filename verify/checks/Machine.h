//===- Machine.h - the canonical run --------------------------------------===//
//
// Executes the tasks one at a time, in a fixed order, and checks at every event
// that nothing could have gone differently in any other order:
//
//   P1 early pass     a wait that returns on generation g knows that g-1 had
//                     completed, so it cannot have returned on g-2 (same parity)
//   P2 lost phase     generation g+1 completes only after every wait for g
//   P3 arrival order  what counts towards generation n knows that n-1 completed
//   race              conflicting accesses are ordered
//
// "Knows" is happens-before (State.h). When none of these is violated, every
// wait returns on the same generation in every interleaving and the order of
// events is the same partial order: the canonical run stands for all of them.
// A stuck canonical run is then stuck in every interleaving.
//
// Asynchronous work that completes through an mbarrier completes at once here;
// what its completion is ordered after is what its issuer knew.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/checks/Decisions.h"
#include "verify/checks/Finding.h"
#include "verify/checks/MemoryMap.h"
#include "verify/model/Likeness.h"

#include <functional>
#include <optional>
#include <set>

namespace tlx::verify {

enum class WarProxy : uint8_t { Off, Warn, Error };

struct MachineOptions {
  WarProxy warProxy = WarProxy::Warn;
  /// Keep the answers of several loops over one bound apart. Without it the
  /// bound of a loop that was left stays known exactly for the next one, which
  /// need not end; with it they may differ, which must be checked afterwards.
  bool splitSiblings = false;
  /// Asked now and then within a run: a reason to stop, or nothing.
  std::function<std::string()> exhausted = {};
};

/// Why a run stopped.
struct Stop {
  enum Kind : uint8_t { Finished, NeedsDecision, Violated, Unmodelled } kind = Finished;
  Fork fork;
  Violation violation;
  std::string reason; ///< Unmodelled
  Step at;
};

class Machine {
public:
  Machine(const Program &program, MachineOptions options);

  State initial() const;
  /// Runs until every task has ended, a decision is needed, or something is
  /// wrong. Appends the events to `log` when given.
  Stop run(State &state, std::vector<Step> *log = nullptr);

  /// The identity of a state: equal texts behave equally from here on. It stays until the next
  /// call.
  const std::string &canonical(State &state, const Fork &fork);

  const Program &program;
  DecisionTable &decisions() { return table; }
  const std::vector<Code> &taskCodes() const { return codes; }
  std::vector<Violation> warnings;
  std::set<std::string> notes; ///< what was taken for right without having been looked at
  /// Reads of what nothing had written in this run. They are violations if it stands for all
  /// interleavings; where something is unordered, another one may have written it.
  std::vector<Violation> unwritten;
  int stopsAt = -1; ///< the event whose read of that kind ends a run
  int64_t steps = 0;
  /// Loops turned out to ask the same question: states have other identities now,
  /// and the search has to start again.
  bool regrouped = false;
  /// Something the proof rests on did not hold; nothing is PROVED then.
  std::optional<Stop> doubt;

private:
  enum class Eval : uint8_t { Known, Unknown, Forks };
  enum class Outcome : uint8_t { Ran, Blocked, TurnOver, Stopped };

  // Evaluate.cpp
  Eval evaluate(State &state, int task, ExprId expr, int64_t &value);
  Eval evaluateFor(State &state, int task, ExprId expr, const Demand &demand, int64_t &value);
  Eval decide(State &state, int task, ExprId expr, bool &value);
  Eval ask(State &state, int task, LinId form, bool &value);
  Eval askAt(State &state, int task, LinId form, std::vector<int64_t> n, bool mayFork, bool &value);
  Eval pinDown(State &state, int task, ExprId expr, int64_t &value);
  Eval isNegative(State &state, int task, ExprId expr, bool &value);
  Eval isBelow(State &state, int task, ExprId expr, int64_t bound, bool &value);
  Eval chooseResidue(const State &state, int task, LinId form, int64_t modulus);
  Eval residue(State &state, int task, ExprId expr, int64_t modulus, int64_t &value);
  Eval residueOfParts(State &state, int task, const ExprNode &node, int64_t modulus,
                      int64_t &value);

  // Simplify.cpp
  bool moveTo(LinForm &form, int except, int depth, int64_t by, std::vector<int64_t> &n);
  std::optional<int64_t> periodic(const State &state, int task, LinId form,
                                  const std::vector<int64_t> &n, int64_t modulus);
  Eval simplifyTerm(State &state, int task, int t, LinForm &form, std::vector<int64_t> &n,
                    bool mayFork, LinId &by);
  Eval simplify(State &state, int task, LinId &form, std::vector<int64_t> &n, bool mayFork);
  Eval compare(State &state, int task, Op op, LinId a, LinId b, const std::vector<int64_t> &n,
               bool mayFork, bool &value);
  Eval truth(State &state, int task, LinId form, const std::vector<int64_t> &n, bool mayFork,
             bool &value);

  // Execute.cpp
  Outcome step(State &state, int task);
  Outcome event(State &state, int task, int event);
  struct Resolved {
    const Effect *effect;
    int barrier = -1;
    const std::vector<int> *cells = nullptr;
    int64_t amount = 0, phase = 0;
    std::vector<Place> places = {}; ///< of a tile of global memory
    int unwritten = -1;             ///< a cell that it reads and nothing has written
  };
  /// Appends an event to the log.
  void record(const State &state, int task, int event);
  bool resolve(State &state, int task, int event, std::vector<Resolved> &out, Outcome &outcome);
  Outcome applyIssue(State &state, int task, int event, const Resolved &r);
  Outcome applyAsync(State &state, int task, int event, const std::vector<Resolved> &effects);
  void startRegion(State &state, int task, int region);
  bool regionEnded(const State &state, int task, int region) const;
  void joinRegion(State &state, int task, int region);

  // Barriers.cpp
  Outcome wait(State &state, int task, int event, const Resolved &r);
  Outcome namedBarrier(State &state, int task, int event, const Resolved &r, bool sync);
  Outcome clusterArrive(State &state, int task, int event, bool relaxed);
  Outcome clusterWait(State &state, int task, int event);
  void clusterComplete(State &state);
  bool initBarrier(State &state, int task, int event, const Resolved &r);
  bool invalBarrier(State &state, int task, int event, const Resolved &r);
  /// Counts `arrivals` and `bytes` on a barrier; `row` knows what they are
  /// ordered after. False: violation.
  bool arrive(State &state, int task, int event, int barrier, int row,
              const std::vector<Token> &tokens, int64_t arrivals, int64_t bytes);
  bool completeGeneration(State &state, int task, int event, int barrier);
  Violation arrivalOrder(const State &state, int task, int event, int barrier, int64_t arrivals,
                         int64_t bytes) const;
  /// What an arrival brought.
  static Step brought(const ArrivalRecord &record);
  bool usable(State &state, int task, int event, int barrier, int row);
  Violation deadlock(State &state);
  bool expecterStuck(const State &state, int barrier) const;
  std::vector<Step> endedArrivers(const State &state, int task, int barrier) const;

  // Memory.cpp
  struct Accessor {
    int row; ///< knows what the access is ordered after
    uint16_t agent;
    bool write, async, asyncProxy, ordered;
    bool reduces = false;
    ExprId value = NoExpr;
    bool tile = false; ///< of global memory
  };
  bool accessByStrands(State &state, int task, int event, const Resolved &what, int strands,
                       bool write);
  bool keepsOperands(const State &state, int task, int event);
  bool mayAccess(State &state, int task, int event, const Resolved &what, const Accessor &by);
  bool isOrdered(State &state, int task, int event, const Cell &cell, sync::Space space,
                 const Accessor &by, uint32_t extent);
  bool addAccess(State &state, int task, int event, const Resolved &what, const Accessor &by,
                 Token token);
  void remember(const State &state, int event, Cell &cell, const Accessor &by, Token token,
                uint32_t extent) const;
  bool isApproximate(int event) const;
  uint32_t extentOf(int task, int event, const std::vector<int> &cells, bool async) const;

  /// What the task wrote to these tensor maps, or knows to be written, can be read
  /// by copies of those who come after it.
  void publish(State &state, int task, int event, const std::vector<int> &cells);

  // GlobalTiles.cpp
  void findTiles();
  bool mayAccessTile(State &state, int task, int event, const Resolved &what, Accessor by);
  TileState &tileOf(State &state, int task, int event, const Resolved &what);
  void settleTiles(State &state) const;
  std::vector<int64_t> identity(const State &state, const TileState &tile) const;
  bool mayStillTouch(const State &state, int task, int buffer) const;
  Likeness compare(ExprId a, ExprId b);
  bool agree(const State &state, int task, int event, ExprId value, const Access &other);
  void warnOfReadWait(State &state, int task, int event, const Access &other);

  // Unwritten.cpp
  bool findUnwritten(State &state, int task, int event, Resolved &r, Outcome &outcome);
  bool checkUnwritten(const State &state, int task, int event);
  void fill(State &state, int event, const Resolved &r);
  void leaveOut(int event, const std::string &what);

  // Lifetime.cpp
  /// `touch.task` reaches into CTA `rank`, which must have started and may not
  /// end before that is over. False: violation.
  bool reachPeer(State &state, int rank, int row, Touch touch);
  bool outlived(int rank, Step at, const Touch &touch);
  bool checkExit(State &state, int task);
  /// The memory that an access wants is allocated, and not a barrier in use.
  bool isAlive(State &state, int task, int event, int cell, bool write);
  Outcome beginOrEnd(State &state, int task, int event, const Resolved &r);
  void warn(Violation violation);

  void readAnswer(State &state, int task, int event, const Cell &cell);

  // Tokens.cpp
  Token newToken(State &state, int task, bool async);
  void newEpoch(State &state, int strand);
  void taskBarrier(State &state, int task);
  void makeRoom(State &state);
  void collectGarbage(State &state);
  void settle(State &state);

  // Canonical.cpp
  void prepareGroups();
  void findAnswerReaders();
  void learn(const State &state, int task, int cls, const std::vector<int64_t> &n);
  void asks(int cls, int task, int loop);
  int newGroup(int task, int loop);
  bool distinguish(const State &state, int task, int depth, int64_t modulus);
  int64_t base(const State &state, int group, const std::vector<int64_t> &prefix) const;
  bool stillAsked(const State &state, int cls, const std::vector<int64_t> &prefix) const;
  std::map<DecisionKey, Interval> decisionsFor(State &state) const;
  std::optional<int64_t> contribution(const State &state, int task, int loop,
                                      const std::vector<int64_t> &prefix) const;

  /// Of the loop at `depth` that the task is in.
  Pace paceOf(const State &state, int task, int depth) const {
    const TaskState &t = state.tasks[task];
    return depth <= static_cast<int>(t.loops.size()) ? codes[task].loops[t.loops[depth - 1]].pace
                                                     : Pace{};
  }
  int strand(int task, int half) const { return 2 * task + half; }
  int halves(int task) const {
    return program.tasks[task].warps > 1 || program.tasks[task].lanesApart ? 2 : 1;
  }
  int currentRow(int barrier) const { return 2 * numTasks + 2 * barrier; }
  int lastRow(int barrier) const { return currentRow(barrier) + 1; }
  int scratchRow() const { return 2 * numTasks + 2 * map.numBarriers(); }
  int clusterRow(bool last) const { return scratchRow() + 1 + last; }
  uint16_t asyncAgent(int task, sync::Group group) const {
    return static_cast<uint16_t>(2 * numTasks + task * 8 + static_cast<int>(group));
  }
  bool onePipe(uint16_t agent) const;
  bool keeps(Lowering contract) const { return program.lowerings.has(contract); }
  Step here(const State &state, int task, int event, std::string note = {}) const;
  Outcome violate(Violation violation);
  Outcome unmodelled(const State &state, int task, int event, std::string reason);
  std::string accessText(const Access &access) const;
  int taskOf(const Access &access) const;
  bool unknownPart(const State &state, int task, int event); ///< always false
  int64_t threadsOf(int task) const { return program.tasks[task].warps * 32; }

  /// Iteration numbers are told apart modulo this at most.
  static constexpr int64_t MaxPeriod = 64;

  MachineOptions options;
  int numTasks = 0;
  std::vector<Code> codes;
  Linears linears;
  Demands demands;
  DecisionTable table;
  MemoryMap map;
  std::vector<std::vector<std::vector<bool>>> liveVars; ///< task, pc, index in taskVars
  std::vector<std::vector<VarId>> taskVars;
  /// By buffer of global memory: tasks that access tiles of it, and whether an engine does.
  std::map<int, std::vector<char>> tileTasks;
  std::set<int> asyncTiles;
  std::vector<char> readsAnswers;          ///< tasks that read what a launch control request wrote
  std::vector<std::vector<int>> loopGroup; ///< task, loop -> group or -1
  struct LoopRef {
    int task, loop;
    bool operator==(const LoopRef &) const = default;
  };
  std::vector<std::vector<LoopRef>> groups;
  std::map<std::pair<int, int>, int> classGroup;      ///< class, depth -> group
  std::map<std::tuple<int, int, int>, int> siblingOf; ///< class, task, loop -> which
  std::map<int, std::vector<LoopRef>> askers;         ///< class -> loops that ask it
  std::map<int, int64_t> lags; ///< class -> how many iterations later it is still asked about
  std::set<std::tuple<int, int, int, int64_t>> learnt; ///< class, task, innermost loop, lag
  std::vector<int64_t> groupLags;
  std::vector<int64_t> groupStrides; ///< by which all numbers of a group may be moved

  // Of the run in progress.
  Stop stop;
  std::vector<Step> *log = nullptr;
  std::vector<Resolved> scratch;
  std::string text; ///< of the last state looked at, see canonical()
};

} // namespace tlx::verify
