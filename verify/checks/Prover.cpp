#include "verify/checks/Prover.h"
#include "verify/checks/Sizes.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <tuple>
#include <unordered_set>
#include <utility>

using namespace tlx::verify;

namespace {
/// Branches that a trace names at most.
constexpr size_t MaxBranches = 4;
/// How far what follows for a loop's bound is looked for.
constexpr int64_t FarthestImplied = int64_t(1) << 20;
/// Reads of what nothing has written for which values are looked for, at most.
constexpr int MaxReads = 8;
/// How much of its time a search takes before it looks at single sizes.
constexpr double ShareUntilAside = 0.25;

using Clock = std::chrono::steady_clock;

struct Node {
  int parent = -1;
  Fork fork; ///< the decision that led here
  bool yes = false;
  int64_t residue = 0;
};

/// Looks elsewhere when the search has gone on for long: whether that settled it.
using Aside = std::function<bool(const std::vector<Precondition> &)>;

class Search {
public:
  Search(const Program &program, const ProverOptions &options, Clock::time_point start,
         const Aside &aside, bool splitSiblings)
      : program(program), options(options), start(start), aside(aside),
        machine(program, {options.warProxy, splitSiblings, [this] { return exhausted(); }}),
        feasibility(machine.decisions().linears, machine.decisions(), program, options.launches),
        split(splitSiblings) {}

  /// Whether the search stopped because a bound stays known across loops.
  bool grows = false;

  /// Whether all that was found is violations for which there are no values.
  bool doubtful() const {
    bool doubt = readsTried && unwritten.verdict != ProofResult::Bug;
    return queue.empty() && (doubt || !unconfirmed.empty());
  }

  ProofResult run(std::vector<Precondition> &preconditions) {
    given = &preconditions;
    for (const Precondition &p : preconditions)
      machine.decisions().assume(p.value, p.atLeast);
    ProofResult result;
    if (!feasibility.someLaunch())
      return unknown(result, "contradictory assumptions: no launch has all that the kernel assumes",
                     {-1, -1, {}, {}, program.assumptions.back().loc});
    startAgain();
    while (!queue.empty()) {
      auto [state, node] = std::move(queue.front());
      queue.pop_front();
      Stop stop = machine.run(state);
      std::vector<Violation> reads = std::exchange(machine.unwritten, {});
      if (std::exchange(machine.regrouped, false)) {
        startAgain();
        continue;
      }
      for (Violation &read : reads) {
        if (auto p = options.strict ? std::nullopt : emptyLaunch(node, read.cls))
          return only(result, *p);
        if (unwritten.verdict != ProofResult::Bug && readsTried++ < MaxReads)
          show(unwritten, std::move(read), node);
      }
      if (stop.kind == Stop::Finished)
        continue;
      if (stop.kind == Stop::Violated) {
        if (auto p = options.strict ? std::nullopt : emptyLaunch(node, stop.violation.cls))
          return only(result, *p);
        fill(result);
        if (show(result, std::move(stop.violation), node))
          return result;
        // Remembered, since what lies behind it was not looked at.
        if (unconfirmed.empty())
          unconfirmed = describe(result.violation);
        unconfirmedAt = result.violation.at;
        continue;
      }
      if (stop.kind == Stop::Unmodelled)
        return unknown(result, std::move(stop.reason), std::move(stop.at));
      if (std::string why = exhausted(); !why.empty())
        return unknown(result, std::move(why), {});
      const std::string &identity = machine.canonical(state, stop.fork);
      if (visited.contains(identity))
        continue;
      ++forks;
      const std::vector<int64_t> &n = state.tasks[stop.fork.task].n;
      if (!split && forks > 64 && std::any_of(n.begin(), n.end(), [&](int64_t iteration) {
            return iteration > 40 && visited.size() > 120'000 / static_cast<size_t>(iteration);
          })) {
        grows = true;
        return unknown(result, "a loop bound stays known", {});
      }
      // Only a state that leaves all answers open stands for others of its identity: what
      // excludes an answer may be known of the launch as a whole, and not move on with it.
      if (stop.fork.kind == Fork::Residue) {
        std::vector<int64_t> open;
        for (int64_t residue = 0; residue < stop.fork.modulus; ++residue)
          if (isOpen(state, stop.fork, residue))
            open.push_back(residue);
        if (static_cast<int64_t>(open.size()) == stop.fork.modulus)
          visited.insert(identity);
        for (int64_t residue : open) {
          State next = state;
          next.residues[stop.fork.residueOf] = {stop.fork.modulus, residue};
          push(std::move(next), {node, stop.fork, false, residue});
        }
        continue;
      }
      for (int64_t iteration : n)
        deepest = std::max(deepest, iteration);
      bool canBe[] = {isOpen(state, stop.fork, stop.fork.threshold, false),
                      isOpen(state, stop.fork, stop.fork.threshold, true)};
      if (canBe[0] && canBe[1])
        visited.insert(identity);
      else if (canBe[0] || canBe[1])
        strengthen(state, stop.fork, canBe[1]);
      // The answer that keeps a loop running comes last: short runs first.
      for (bool yes : {stop.fork.negated, !stop.fork.negated})
        if (canBe[yes]) {
          // The state moves into the last answer only.
          // NOLINTNEXTLINE(bugprone-use-after-move)
          State next = canBe[!yes] && yes == stop.fork.negated ? state : std::move(state);
          machine.decisions().answer(next, stop.fork.key, stop.fork.threshold, yes);
          push(std::move(next), {node, stop.fork, yes});
        }
    }
    if (!unconfirmed.empty())
      return unknown(result, "unconfirmed " + unconfirmed, unconfirmedAt);
    if (machine.doubt)
      return unknown(result, machine.doubt->reason, machine.doubt->at);
    // All else is in order, so that every interleaving reads the same.
    if (readsTried && unwritten.verdict != ProofResult::Bug)
      return unknown(result, "unconfirmed " + describe(unwritten.violation),
                     unwritten.violation.at);
    if (readsTried)
      result = std::move(unwritten);
    else
      result.verdict = ProofResult::Proved;
    fill(result);
    return result;
  }

private:
  /// Whether all that is known allows for R >= t, or else for R < t.
  bool isOpen(const State &state, const Fork &fork, int64_t t, bool yes) {
    State asked;
    asked.decisions = state.decisions, asked.residues = state.residues;
    machine.decisions().answer(asked, fork.key, t, yes);
    return machine.decisions().residueFits(asked, fork.key) &&
           feasibility.possible(asked.decisions, asked.residues,
                                machine.decisions().cls(fork.key.first).rest);
  }

  /// Whether a choice of a residue is possible.
  bool isOpen(const State &state, const Fork &fork, int64_t residue) {
    auto residues = state.residues;
    residues[fork.residueOf] = {fork.modulus, residue};
    return feasibility.possible(state.decisions, residues,
                                machine.decisions().linears.form(fork.residueOf));
  }

  /// Of a question with one possible answer, asks instead for all that follows from what is known,
  /// so that it is part of the state: the question may have both answers in a later iteration.
  void strengthen(const State &state, Fork &fork, bool yes) {
    const auto &ords = machine.decisions().cls(fork.key.first).ords;
    auto leadsOn = [&](const auto &ord) { return yes ? ord.second < 0 : ord.second > 0; };
    if (std::none_of(ords.begin(), ords.end(), leadsOn))
      return;
    auto follows = [&](int64_t by) {
      return !isOpen(state, fork, yes ? fork.threshold + by : fork.threshold - by, !yes);
    };
    int64_t by = 0, step = 1;
    for (; step <= FarthestImplied && follows(by + step); step *= 2)
      by += step;
    for (; step > 0; step /= 2)
      if (follows(by + step))
        by += step;
    fork.threshold += yes ? by : -by;
  }

  /// The proof, but for launches that the precondition excludes, is still to come.
  ProofResult only(ProofResult &result, Precondition p) {
    fill(result);
    result.preconditions.push_back(std::move(p));
    result.verdict = ProofResult::Unknown;
    return result;
  }

  static std::string describe(const Violation &violation) {
    return std::string(info(violation.cls).name) + ": " + violation.message;
  }

  /// Shows the run that leads to the violation, if there are values for it. If not, only the
  /// abstraction does this.
  bool show(ProofResult &result, Violation violation, int node) {
    result.violation = std::move(violation);
    result.trace.clear(), result.path.clear(), result.decisions.clear(), result.residues.clear();
    explain(result, node);
    std::optional<Assignment> values;
    if (free(result.decisions))
      values = feasibility.assign(result.decisions, result.residues);
    if (!values)
      return false;
    result.values = std::move(*values);
    result.verdict = ProofResult::Bug;
    return true;
  }

  /// Only what the environment chooses may be decided at will: arguments,
  /// program ids, loaded values. The value of a recurrence, or of a variable
  /// without a closed form, is not free; a run that rests on it is not shown.
  bool free(const std::map<DecisionKey, Interval> &decisions) const {
    const Linears &linears = machine.decisions().linears;
    std::function<bool(const LinForm &)> isFree = [&](const LinForm &form) {
      for (auto [t, coef] : form.terms) {
        const LinTerm &term = linears.term(t);
        if (term.kind == LinTerm::Iterate || term.kind == LinTerm::Final ||
            term.kind == LinTerm::Private)
          return false;
        for (LinId operand : term.operands)
          if (!isFree(linears.form(operand)))
            return false;
      }
      return true;
    };
    for (const auto &[key, interval] : decisions)
      if (!isFree(machine.decisions().cls(key.first).rest))
        return false;
    return true;
  }

  void startAgain() {
    queue.clear();
    nodes.clear();
    visited.clear();
    unconfirmed.clear();
    unwritten = {};
    readsTried = 0;
    push(machine.initial(), {});
  }

  void push(State state, Node node) {
    nodes.push_back(std::move(node));
    queue.emplace_back(std::move(state), static_cast<int>(nodes.size()) - 1);
  }

  void fill(ProofResult &result) {
    result.states = visited.size();
    result.forks = forks;
    result.steps = machine.steps;
    result.deepestIteration = deepest;
    result.warnings = machine.warnings;
    result.notes = machine.notes;
  }

  ProofResult unknown(ProofResult &result, std::string reason, Step at) {
    fill(result);
    result.verdict = ProofResult::Unknown;
    result.reason = std::move(reason);
    result.at = std::move(at);
    return result;
  }

  std::string exhausted() {
    if (options.cancelled && options.cancelled->load(std::memory_order_relaxed))
      return "interrupted";
    if (visited.size() >= options.maxStates)
      return "more than " + std::to_string(options.maxStates) + " states" + growing();
    if (queue.size() >= options.maxOpen)
      return "more than " + std::to_string(options.maxOpen) + " open states" + growing();
    if (options.timeoutSeconds > 0) {
      std::chrono::duration<double> spent = Clock::now() - start;
      if (spent.count() > options.timeoutSeconds)
        return "timeout" + growing();
      if (aside && spent.count() > options.timeoutSeconds * ShareUntilAside && aside(*given))
        return "settled";
    }
    return {};
  }

  /// A variable that grows without end names itself.
  std::string growing() const {
    if (queue.empty())
      return {};
    const State &state = queue.back().first;
    for (size_t v = 0; v < state.vars.size(); ++v)
      if (state.vars[v] > 64) // an unknown value is the smallest number
        return " (" + (program.varNames[v].empty() ? "a value" : program.varNames[v]) +
               " grows without a bound the analysis finds)";
    return {};
  }

  std::vector<int> pathTo(int node) const {
    std::vector<int> path;
    for (; node > 0; node = nodes[node].parent)
      path.push_back(node);
    std::reverse(path.begin(), path.end());
    return path;
  }

  /// A violation behind a loop that a launch-invariant value makes empty, so
  /// that it is empty for the whole launch, asks for a precondition instead; so does one behind a
  /// question whether such a loop has a first iteration. The slot of a last
  /// step that there is none of (-1 % S) does where any question says that a size is zero, or
  /// where the launch is too short for the loop between prologue and epilogue.
  std::optional<Precondition> emptyLaunch(int node, BugClass violated) {
    std::vector<const Node *> empties, negatives;
    bool loopIsEmpty = false, beforeFirst = false;
    for (int id : pathTo(node)) {
      const Node &n = nodes[id];
      if (n.fork.kind == Fork::Residue || n.yes != n.fork.negated)
        continue;
      beforeFirst |= n.fork.kind == Fork::OfDivided && violated == BugClass::OutOfRange;
      const DecisionClass &cls = machine.decisions().cls(n.fork.key.first);
      if (cls.varies)
        continue;
      bool ofLoop = n.fork.kind == Fork::Begins;
      loopIsEmpty |= ofLoop && cls.invariant;
      if (n.fork.kind == Fork::OfDivided && violated == BugClass::OutOfRange)
        negatives.push_back(&n);
      else if (ofLoop || violated == BugClass::OutOfRange || isPeeledOff(n))
        empties.push_back(&n);
    }
    for (const Node *n : empties)
      if (n->fork.kind == Fork::Begins || beforeFirst || isPeeledOff(*n))
        if (auto p = excluding(*n, false))
          return p;
    for (bool isPeeled : {false, true})
      for (const Node *n : negatives)
        if (!isPeeled || loopIsEmpty)
          if (auto p = excluding(*n, isPeeled))
            return p;
    return std::nullopt;
  }

  /// Whether a question is one about a size that a loop runs up to, and so what is left of its
  /// first iteration in front of it, as compilers and people peel it off.
  bool isPeeledOff(const Node &n) const {
    const DecisionTable &table = machine.decisions();
    int cls = n.fork.key.first;
    return n.fork.kind == Fork::Question && table.cls(cls).invariant &&
           std::any_of(table.classes.begin(), table.classes.end(), [&](const DecisionClass &other) {
             return other.whole == cls && !other.ords.empty();
           });
  }

  /// The launches that answer a question otherwise, if these are those with a size of zero
  /// (`anySize`: or any other).
  std::optional<Precondition> excluding(const Node &n, bool anySize) {
    const DecisionTable &table = machine.decisions();
    const DecisionClass &cls = table.cls(n.fork.key.first);
    LinForm size = cls.rest;
    int64_t atLeast = n.fork.threshold;
    if (n.fork.negated) { // the loop runs while R < atLeast
      for (auto &[term, coef] : size.terms)
        coef = -coef;
      atLeast = 1 - atLeast;
    }
    // Only a size of zero may be excluded, not one step of a peeled loop.
    int64_t step = cls.ords.empty() ? 0 : std::abs(cls.ords.back().second) / cls.scale;
    if (cls.invariant ? !anySize && !table.linears.saysEmpty(size, atLeast)
                      : !table.linears.saysBeyond(size, atLeast, step))
      return std::nullopt;
    if (options.launchReaches && options.launchReaches(table.linears, size, atLeast))
      return std::nullopt;
    LinForm excludes = size;
    excludes.c += 1 - atLeast;
    if (!feasibility.someLaunch(machine.decisions().linears.intern(std::move(excludes))))
      return std::nullopt; // all launches that the kernel assumes are empty
    return Precondition{table.linears.printAtLeast(size, atLeast), size, atLeast};
  }

  void explain(ProofResult &result, int node) {
    State state = machine.initial();
    Machine &m = machine;
    std::vector<Step> branches;
    for (int id : pathTo(node)) {
      Stop stop = m.run(state, &result.trace);
      const Node &n = nodes[id];
      m.canonical(state, stop.fork); // the same pruning as in the search
      if (n.fork.kind == Fork::Residue) {
        state.residues[n.fork.residueOf] = {n.fork.modulus, n.residue};
        result.residues[n.fork.residueOf] = {n.fork.modulus, n.residue};
        result.path.push_back(
            {m.decisions().linears.print(m.decisions().linears.form(n.fork.residueOf)) + " % " +
                 std::to_string(n.fork.modulus) + " == " + std::to_string(n.residue),
             true,
             {},
             {}});
        continue;
      }
      m.decisions().answer(state, n.fork.key, n.fork.threshold, n.yes);
      const DecisionClass &cls = m.decisions().cls(n.fork.key.first);
      const Linears &linears = m.decisions().linears;
      Decided decided{linears.printAtLeast(cls.rest, n.fork.threshold), n.yes, n.fork.key.second,
                      std::string(), 0};
      if (!cls.varies && cls.sibling == 0) { // one value for the whole run
        std::tie(decided.quantity, decided.atLeast) =
            linears.quantityOf(cls.rest, n.fork.threshold);
        decided.iteration.clear();
      }
      result.path.push_back(std::move(decided));
      const Code &code = m.taskCodes()[n.fork.task];
      if (code.instrs[n.fork.pc].kind == Instr::Branch && n.fork.kind != Fork::Goes &&
          n.fork.kind != Fork::Begins) {
        Step branch{n.fork.task, -1, state.tasks[n.fork.task].n,
                    result.path.back().text + (n.yes ? "" : " is false"), code.locs[n.fork.pc]};
        // Of several questions about one condition the first says it.
        bool again = !branches.empty() && branches.back().task == branch.task &&
                     branches.back().iteration == branch.iteration &&
                     branches.back().loc.str() == branch.loc.str();
        if (!again)
          branches.push_back(std::move(branch));
      }
      Interval &interval = result.decisions[n.fork.key];
      if (n.yes)
        interval.lo = std::max(interval.lo, n.fork.threshold);
      else
        interval.hi = std::min(interval.hi, n.fork.threshold - 1);
    }
    m.stopsAt = result.violation.cls == BugClass::Uninitialized ? result.violation.at.event : -1;
    m.run(state, &result.trace);
    m.stopsAt = -1;
    m.unwritten.clear();
    // Which way the tasks went is a part of what happened.
    size_t newest = branches.size() > MaxBranches ? branches.size() - MaxBranches : 0;
    auto &related = result.violation.related;
    related.insert(related.end(), branches.begin() + static_cast<long>(newest), branches.end());
  }

  const Program &program;
  const ProverOptions &options;
  Clock::time_point start; ///< of the whole proof, of which this may be one of several searches
  const Aside &aside;
  const std::vector<Precondition> *given = nullptr;
  mutable Machine machine;
  Feasibility feasibility;
  bool split;
  std::string unconfirmed;
  Step unconfirmedAt;
  ProofResult unwritten; ///< Bug: a read of what nothing has written
  int readsTried = 0;    ///< of those found, for which values were looked for
  std::deque<std::pair<State, int>> queue;
  std::vector<Node> nodes;
  std::unordered_set<std::string> visited;
  size_t forks = 0;
  int64_t deepest = 0;
};
} // namespace

/// What needs no run: the chip does not have it, or two programs race.
static ProofResult withoutRun(BugClass cls, const Excess &found) {
  ProofResult result;
  result.verdict = ProofResult::Bug;
  result.violation = {cls, found.message, {-1, -1, {}, {}, found.loc}, {}};
  for (const auto &[text, loc] : found.parts)
    result.violation.related.push_back({-1, -1, {}, text, loc});
  return result;
}

static ProofResult proveAllSizes(const Program &program, const ProverOptions &options,
                                 const Aside &aside = {}) {
  bool split = false;
  Clock::time_point start = Clock::now();
  auto search = [&](std::vector<Precondition> &preconditions) {
    if (!split) {
      Search first(program, options, start, aside, false);
      ProofResult result = first.run(preconditions);
      // With answers kept apart, what only forgetting them made possible is gone.
      if (!first.grows && !first.doubtful())
        return result;
      split = true;
    }
    return Search(program, options, start, aside, true).run(preconditions);
  };
  std::vector<Precondition> preconditions;
  ProofResult result;
  while (true) {
    result = search(preconditions);
    if (result.preconditions.empty() || preconditions.size() >= 8)
      break;
    preconditions.push_back(result.preconditions[0]);
  }
  // A precondition found early may be implied by, or unnecessary after, others.
  for (size_t i = 0; result.verdict == ProofResult::Proved && preconditions.size() > 1 &&
                     i < preconditions.size();) {
    std::vector<Precondition> fewer = preconditions;
    fewer.erase(fewer.begin() + static_cast<long>(i));
    ProofResult again = search(fewer);
    if (again.verdict == ProofResult::Proved)
      preconditions = std::move(fewer);
    else
      ++i;
  }
  result.preconditions = std::move(preconditions);
  return result;
}

/// How much of the time goes to single sizes when the proof does not come to its end, and
/// what each of them may take: a long run has few states.
static constexpr double ShareOfSizes = 0.1;
static constexpr double SecondsOfSize = 1;
static constexpr size_t StatesOfSize = 4'000;

ProofResult tlx::verify::prove(const Program &program, const ProverOptions &options) {
  if (!program.excesses.empty())
    return withoutRun(BugClass::Resources, program.excesses.front());
  auto cancelled = [&] { return options.cancelled && *options.cancelled; };
  ProverOptions all = options;
  all.timeoutSeconds *= 1 - ShareOfSizes;
  std::optional<ProofResult> bug;
  bool looked = false;
  auto atSizes = [&](const std::vector<Precondition> &preconditions) {
    if (std::exchange(looked, true))
      return false;
    ProverOptions one = options;
    one.maxStates = std::min(options.maxStates, StatesOfSize);
    Clock::time_point since = Clock::now();
    bug = violationAtSomeSize(program, preconditions, [&](const Program &sized) {
      std::chrono::duration<double> spent = Clock::now() - since;
      one.timeoutSeconds = SecondsOfSize;
      if (options.timeoutSeconds > 0)
        one.timeoutSeconds =
            std::min(SecondsOfSize, options.timeoutSeconds * ShareOfSizes - spent.count());
      if (one.timeoutSeconds <= 0 || cancelled())
        return ProofResult{};
      return proveAllSizes(sized, one);
    });
    return bug.has_value();
  };
  ProofResult result = proveAllSizes(program, all, atSizes);
  if (result.verdict == ProofResult::Proved && program.betweenPrograms)
    return withoutRun(BugClass::Race, *program.betweenPrograms);
  if (result.verdict == ProofResult::Unknown && !cancelled())
    atSizes(result.preconditions);
  return bug ? std::move(*bug) : std::move(result);
}
