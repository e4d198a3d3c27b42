//===- SimReplay.cpp --------------------------------------------------------===//
#include "runtime/backends/sim/SimReplay.h"

#include "runtime/backends/sim/ReplayMatch.h"
#include "runtime/backends/sim/SimLaunch.h"
#include "sim/functional/Cluster.h"
#include "sim/functional/Launch.h"
#include "sim/functional/RaceCheck.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tlx::device {
namespace {

using replay::Answer;
using replay::Event;
using sim::Finding;

/// Steps of one task between two of its events; more is a loop without end.
constexpr int64_t mostSteps = 50'000'000;
/// Address space that each pointer of a trace is given. Nothing is stored there.
constexpr size_t pointerBytes = size_t(1) << 36;

/// What the machine may call a violation of the verifier's class.
struct ClassRow {
  std::string_view category;
  std::vector<Finding::Kind> kinds;
};
const std::vector<ClassRow> &classes() {
  using K = Finding::Kind;
  static const std::vector<ClassRow> rows = {
      {"deadlock", {K::Deadlock}},
      {"bytes-mismatch", {K::Deadlock, K::BarrierMisuse, K::OverArrival}},
      {"early-pass", {K::LostPhase, K::Race, K::EarlyRead, K::Uninitialized, K::Deadlock}},
      {"lost-phase", {K::LostPhase, K::Race, K::Deadlock}},
      {"arrival-order", {K::OverArrival, K::LostPhase, K::Race, K::Deadlock}},
      {"over-arrival", {K::OverArrival}},
      {"barrier-init", {K::BarrierMisuse, K::Race}},
      {"barrier-lifetime", {K::BarrierMisuse, K::Race}},
      {"named-barrier", {K::BarrierMisuse, K::Deadlock, K::Divergence}},
      {"race", {K::Race, K::EarlyRead, K::Uninitialized}},
      {"proxy-fence", {K::MissingFence, K::Race}},
      {"out-of-range", {K::OutOfBounds, K::BarrierMisuse}},
      {"remote-form", {K::BarrierMisuse}},
      {"memory-lifetime", {K::Race}},
      {"exit", {K::Leftover, K::Race}},
      {"cluster-entry", {K::Race, K::BarrierMisuse}},
      {"cluster-barrier", {K::BarrierMisuse, K::Deadlock}},
      {"resources", {K::BadLaunch}},
  };
  return rows;
}

bool isViolation(const std::string &category, const Finding &finding) {
  for (const ClassRow &row : classes())
    if (row.category == category)
      for (Finding::Kind kind : row.kinds)
        if (kind == finding.kind)
          return true;
  return sim::name(finding.kind) == category;
}

/// Which phase of its barrier each operation met last.
class PhaseWatch : public sim::Observer {
public:
  void onBarrier(const sim::BarrierEvent &event) override {
    using What = sim::BarrierEvent::What;
    if (!active || event.kind == sim::BarrierEvent::Kind::Cluster)
      return;
    if (event.what == What::Flip) { // the arrival before was the phase's last
      if (last && lastId == std::pair(event.rank, event.id))
        *last = event.generation - 1;
      return;
    }
    if (event.what != What::Arrive && event.what != What::Expect && event.what != What::Complete &&
        event.what != What::WaitEnd)
      return;
    last = &met[{event.by.rank, event.by.task, event.pc}];
    *last = event.generation;
    lastId = {event.rank, event.id};
    if (event.what == What::WaitEnd)
      last = nullptr;
  }

  bool active = true;
  std::map<std::tuple<int32_t, int32_t, sim::Pc>, int64_t> met; ///< by rank, task, place

private:
  int64_t *last = nullptr;
  std::pair<int32_t, int64_t> lastId;
};

class Replay {
public:
  Replay(const SimKernel &kernel, const replay::Trace &trace)
      : kernel(kernel), program(kernel.code()), trace(trace) {}

  Result<LaunchReport> run() {
    if (auto bound = bindArguments(); !bound)
      return std::move(bound).error();
    for (size_t axis = 0; axis < 3; ++axis)
      config.grid[axis] = int32_t(trace.launch.grid[axis]);
    config.values = false;
    bool aboutWrites = trace.violation.category == "uninitialized";
    config.checkUninitialized = aboutWrites;
    // The trace is the worst schedule, in which the warps of a task hang back too.
    if (trace.violation.category == "lost-phase")
      config.schedule.kind = sim::Schedule::Kind::Adversarial;
    machine = std::make_unique<sim::FunctionalMachine>(program, config, memory);
    std::vector<Finding> findings = machine->prepare();
    if (findings.empty()) {
      makeClusters();
      follow();
      for (auto &[first, cluster] : clusters)
        for (auto &&found : {cluster->takeFindings(),
                             aboutWrites ? cluster->takeWarnings() : std::vector<Finding>{}})
          findings.insert(findings.end(), found.begin(), found.end());
    }
    return conclude(findings);
  }

private:
  //===--------------------------------------------------------------------===//
  // Launch
  //===--------------------------------------------------------------------===//

  Result<void> bindArguments() {
    std::vector<ParameterType> parameters = *kernel.parameters();
    std::map<int64_t, const replay::Scalar *> scalars;
    for (const replay::Scalar &scalar : trace.scalars) {
      if (scalar.parameter >= int64_t(parameters.size()))
        return Error("the trace gives a value for parameter " + std::to_string(scalar.parameter) +
                     "; @" + trace.kernel + " takes " + std::to_string(parameters.size()));
      scalars[scalar.parameter] = &scalar;
    }
    for (size_t i = 0; i < parameters.size(); ++i) {
      auto given = scalars.find(int64_t(i));
      auto argument = argumentFor(parameters, i, given == scalars.end() ? nullptr : given->second);
      if (!argument)
        return std::move(argument).error();
      config.arguments.push_back(*argument);
    }
    return {};
  }

  Result<sim::Argument> argumentFor(const std::vector<ParameterType> &parameters, size_t index,
                                    const replay::Scalar *given) {
    const ParameterType &type = parameters[index];
    if (type.kind == ParameterType::Kind::Pointer || type.kind == ParameterType::Kind::TensorDesc) {
      buffers.emplace_back(pointerBytes);
      if (!buffers.back().data())
        return Error::internal("no address space for parameter '" + type.name + "'");
      uint64_t address = memory.add(type.name, buffers.back().data(), pointerBytes);
      if (type.kind == ParameterType::Kind::Pointer)
        return sim::Argument::pointer(address);
      // Its shape counts for the bytes that arrive, which are those of the block
      // whatever lies outside: any shape will do.
      std::vector<int64_t> shape(type.block.size(), int64_t(1) << 20), strides(type.block.size());
      for (size_t d = type.block.size(), stride = 1; d-- > 0; stride *= 64)
        strides[d] = int64_t(stride);
      return sim::Argument::desc(address, type.element, shape, strides);
    }
    if (given)
      return isFloat(type.element)
                 ? sim::Argument::ofFloat(given->isFloat ? given->real : double(given->integer))
                 : sim::Argument::ofInt(given->integer);
    if (kernel.isDescriptorField(index) || isFloat(type.element))
      return sim::Argument::ofInt(1);
    return Error("the trace gives no value for parameter " + std::to_string(index) + " '" +
                 type.name + "' of @" + trace.kernel);
  }

  void makeClusters() {
    const int32_t *dims = program.facts.clusterDims;
    for (const replay::Cta &cta : trace.ctas) {
      int64_t rank = cta.rank;
      std::array<int32_t, 3> first;
      for (size_t axis = 0; axis < 3; ++axis) {
        first[axis] = int32_t(cta.program[axis] - rank % dims[axis]);
        rank /= dims[axis];
      }
      auto [place, fresh] = clusters.try_emplace(first);
      if (fresh)
        makeCluster(place->second, first);
      ctas.push_back({place->second.get(), int32_t(cta.rank)});
    }
  }

  //===--------------------------------------------------------------------===//
  // Following
  //===--------------------------------------------------------------------===//

  void makeCluster(std::unique_ptr<sim::Cluster> &cluster, std::array<int32_t, 3> first) {
    races.push_back(std::make_unique<sim::RaceCheck>(program, &phases));
    if (trace.violation.category == "proxy-fence")
      races.back()->demandFences();
    cluster = machine->makeCluster(first, races.back().get());
    races.back()->attach(*cluster);
  }

  struct CtaPlace {
    sim::Cluster *cluster;
    int32_t rank;
  };
  using TaskKey = std::pair<sim::Cluster *, int32_t>;

  void follow() {
    for (next = 0; next < trace.events.size() && diverged.empty(); ++next) {
      const Event &event = trace.events[next];
      if (ctas[size_t(event.cta)].cluster->failed())
        break;
      if (event.completion)
        complete(event);
      else
        execute(event);
    }
    phases.active = false;
    // What is left takes its course: a deadlock shows when nothing can go on.
    for (auto &[first, cluster] : clusters)
      if (!cluster->failed())
        finish(*cluster);
  }

  /// The id of an event's task, which starts when the default region gets there.
  int32_t taskOf(const Event &event) {
    CtaPlace cta = ctas[size_t(event.cta)];
    for (int64_t steps = 0; steps < mostSteps; ++steps) {
      int32_t starter = -1;
      for (size_t i = 0; i < cta.cluster->numTasks(); ++i) {
        const sim::Task &task = cta.cluster->task(int32_t(i));
        if (task.ref.rank != cta.rank)
          continue;
        if (task.name == event.task)
          return task.id;
        if (task.ref.task == 0)
          starter = task.id;
      }
      if (starter < 0 || step(*cta.cluster, starter, event.cta) != sim::StepStatus::Ran)
        return -1;
    }
    return -1;
  }

  void execute(const Event &event) {
    sim::Cluster &cluster = *ctas[size_t(event.cta)].cluster;
    int32_t id = taskOf(event);
    if (id < 0)
      return diverge(event, "the task has not been started");
    for (int64_t steps = 0; steps < mostSteps; ++steps) {
      sim::Task &task = cluster.task(id);
      if (task.state == sim::Task::State::Blocked && !releaseByCompletion(cluster, task) &&
          !releaseByOthers(cluster, task))
        return diverge(event, "the task still waits");
      sim::Pc pc = task.pc;
      bool here =
          matches(program, pc, event.op) && counterOf(cluster, id).agrees(pc, event.iteration);
      sim::StepStatus status = step(cluster, id, event.cta);
      if (status == sim::StepStatus::Failed || (here && status != sim::StepStatus::Blocked))
        return;
      if (status == sim::StepStatus::Blocked && here)
        return; // a wait that blocks is where the trace leaves the task
      if (status == sim::StepStatus::Finished)
        return diverge(event, "the task has ended");
    }
    diverge(event, "the task never gets there");
  }

  /// One instruction, with the answers of the trace put in.
  sim::StepStatus step(sim::Cluster &cluster, int32_t id, int64_t cta) {
    sim::Task &task = cluster.task(id);
    sim::Pc pc = task.pc;
    bool begins = task.effectIndex == 0 && !task.valueDone && !task.waitPassed;
    const Answer *answer = nullptr;
    if (begins) {
      counterOf(cluster, id).arrive(pc);
      answer = answerFor(cluster, task, cta);
      if (answer && answer->kind == Answer::Kind::Branch)
        task.regs[size_t(program.operand(program.code[size_t(pc)], 0))] =
            sim::Value::boolean(answer->values[0] != 0);
    }
    sim::StepStatus status = cluster.step(id);
    if (answer && answer->kind != Answer::Kind::Branch && status == sim::StepStatus::Ran)
      putResults(task, pc, *answer);
    return status;
  }

  /// What the trace says about the instruction that a task is about to execute.
  const Answer *answerFor(sim::Cluster &cluster, const sim::Task &task, int64_t cta) {
    const sim::Inst &inst = program.code[size_t(task.pc)];
    int64_t before = -1; // executions so far; counted once
    for (const Answer &answer : trace.answers) {
      if (answer.cta != cta || answer.task != task.name)
        continue;
      replay::Operation op = answer.op;
      if (answer.kind == Answer::Kind::Branch) {
        if (inst.op != sim::Op::CondBr)
          continue;
        op.name.clear();        // scf.if and the like have become this jump
        op.location.column = 0; // of the condition, or of the statement
      }
      if (!matches(program, task.pc, op))
        continue;
      if (before < 0)
        before = executed[{{&cluster, task.id}, task.pc}]++;
      if (before == answer.occurrence)
        return &answer;
    }
    return nullptr;
  }

  void putResults(sim::Task &task, sim::Pc pc, const Answer &answer) {
    const sim::Inst &inst = program.code[size_t(pc)];
    for (unsigned i = 0; i < inst.numResults; ++i) {
      sim::Reg reg = program.result(inst, i);
      bool denied = answer.values.empty();
      if (!denied && i >= answer.values.size())
        continue;
      int64_t value = denied ? -1 : answer.values[i];
      task.regs[size_t(reg)] = sim::Value::integer(sim::storeOf(program.typeOf(reg)), value);
    }
  }

  /// Completes asynchronous work that the trace does not order, as far as a
  /// blocked task needs it. False: the task stays blocked.
  bool releaseByCompletion(sim::Cluster &cluster, const sim::Task &task) {
    while (task.state == sim::Task::State::Blocked) {
      sim::AsyncId chosen = sim::noAsync;
      for (sim::AsyncId id : cluster.completableOps())
        if (!orderedLater(cluster, cluster.pending().at(id))) {
          chosen = id;
          break;
        }
      if (chosen == sim::noAsync)
        return false;
      cluster.complete(chosen);
    }
    return true;
  }

  /// Lets the other tasks go on to what the trace orders next of them: what the lowering
  /// adds, such as a cluster barrier at the start, is not in it. False: the task stays
  /// blocked.
  bool releaseByOthers(sim::Cluster &cluster, const sim::Task &task) {
    for (size_t i = 0; i < cluster.numTasks(); ++i) {
      sim::Task &other = cluster.task(int32_t(i));
      int64_t cta = ctaIndex(cluster, other);
      const Event *wanted = nullptr;
      for (size_t e = next; e < trace.events.size() && !wanted; ++e)
        if (const Event &event = trace.events[e];
            event.cta == cta && event.task == other.name && !event.completion)
          wanted = &event;
      if (other.id == task.id || !wanted)
        continue;
      for (int64_t steps = 0; steps < mostSteps && other.state == sim::Task::State::Ready; ++steps)
        if (matches(program, other.pc, wanted->op) &&
            counterOf(cluster, other.id).agrees(other.pc, wanted->iteration))
          break;
        else if (step(cluster, other.id, cta) != sim::StepStatus::Ran)
          break;
    }
    return task.state != sim::Task::State::Blocked;
  }

  bool orderedLater(sim::Cluster &cluster, const sim::AsyncOp &op) {
    const sim::Task &issuer = cluster.task(op.task);
    for (size_t i = next; i < trace.events.size(); ++i) {
      const Event &event = trace.events[i];
      if (event.completion && event.task == issuer.name &&
          ctas[size_t(event.cta)].cluster == &cluster &&
          ctas[size_t(event.cta)].rank == issuer.ref.rank && matches(program, op.pc, event.op))
        return true;
    }
    return false;
  }

  void complete(const Event &event) {
    sim::Cluster &cluster = *ctas[size_t(event.cta)].cluster;
    for (const auto &[id, op] : cluster.pending()) {
      const sim::Task &issuer = cluster.task(op.task);
      if (issuer.name == event.task && issuer.ref.rank == ctas[size_t(event.cta)].rank &&
          matches(program, op.pc, event.op))
        return cluster.completeThrough(id);
    }
    diverge(event, "nothing of it is in flight");
  }

  void finish(sim::Cluster &cluster) {
    bool moved = true;
    for (int64_t steps = 0; moved && !cluster.failed() && !cluster.finished();) {
      moved = false;
      for (size_t i = 0; i < cluster.numTasks() && !cluster.failed(); ++i) {
        sim::Task &task = cluster.task(int32_t(i));
        while (task.state == sim::Task::State::Ready && !cluster.failed() && ++steps < mostSteps) {
          step(cluster, int32_t(i), ctaIndex(cluster, task));
          moved = true;
        }
      }
      if (moved)
        continue; // a task may have woken one before it
      // What is said to outlive the kernel ends last.
      std::vector<sim::AsyncId> able = cluster.completableOps();
      auto next = std::find_if(able.begin(), able.end(), [&](sim::AsyncId id) {
        return !outlives(cluster.pending().at(id));
      });
      if (!able.empty() && !cluster.failed() && !cluster.finished()) {
        cluster.complete(next != able.end() ? *next : able.front());
        moved = true;
      }
      if (steps >= mostSteps)
        return;
    }
    if (cluster.failed())
      return;
    if (cluster.finished()) {
      // What nobody waited for may still collide with something.
      if (trace.violation.category == "race")
        for (std::vector<sim::AsyncId> left = cluster.completableOps();
             !left.empty() && !cluster.failed(); left = cluster.completableOps())
          cluster.complete(left.front());
      for (const auto &[id, op] : cluster.pending())
        if (outlives(op)) {
          cluster.report({Finding::Kind::Leftover,
                          "the kernel has ended while this is in flight",
                          program.code[size_t(op.pc)].loc,
                          cluster.task(op.task).ref,
                          {},
                          1});
          break;
        }
      cluster.reportLeftovers();
    } else
      cluster.reportDeadlock();
  }

  /// Whether the trace's violation is that this work is in flight at the end.
  bool outlives(const sim::AsyncOp &op) const {
    return trace.violation.category == "exit" && matches(program, op.pc, trace.violation.op);
  }

  /// Whether the last event met the phase that it was not meant for.
  bool metOtherPhase() const {
    if (trace.violation.phase < 0 || trace.events.empty() || !diverged.empty())
      return false;
    const Event &event = trace.events.back();
    for (const auto &[place, phase] : phases.met) {
      auto [rank, task, pc] = place;
      if (phase == trace.violation.phase && rank == ctas[size_t(event.cta)].rank &&
          matches(program, pc, event.op))
        return true;
    }
    return false;
  }

  int64_t ctaIndex(sim::Cluster &cluster, const sim::Task &task) const {
    for (size_t i = 0; i < ctas.size(); ++i)
      if (ctas[i].cluster == &cluster && ctas[i].rank == task.ref.rank)
        return int64_t(i);
    return -1;
  }

  LoopCounter &counterOf(sim::Cluster &cluster, int32_t task) {
    return counters.try_emplace({&cluster, task}, program).first->second;
  }

  void diverge(const Event &event, const std::string &why) {
    SourceLocation place = event.op.location;
    diverged = "event " + std::to_string(next) + ", " + event.op.name + " of " + event.task +
               (place.line ? " at " + place.str() : "") + ", cannot be followed: " + why;
  }

  //===--------------------------------------------------------------------===//
  // The end
  //===--------------------------------------------------------------------===//

  /// How much a finding is the trace's violation: where that is, or where the trace's last step
  /// is, which it collides with.
  enum class Likeness : uint8_t { Same, OfItsKind, Other };

  Likeness likenessOf(const Finding &finding) const {
    if (!isViolation(trace.violation.category, finding))
      return Likeness::Other;
    auto isThere = [&](sim::LocId loc) {
      return liesAt(program, loc, trace.violation.op.location) ||
             (!trace.events.empty() && liesAt(program, loc, trace.events.back().op.location));
    };
    bool there = isThere(finding.loc) ||
                 std::any_of(finding.notes.begin(), finding.notes.end(),
                             [&](const Finding::Note &note) { return isThere(note.loc); });
    return there ? Likeness::Same : Likeness::OfItsKind;
  }

  LaunchReport conclude(const std::vector<Finding> &findings) {
    LaunchReport report;
    bool same = metOtherPhase();
    // What the trace is about comes first: where it says, then of its kind.
    for (Likeness like : {Likeness::Same, Likeness::OfItsKind, Likeness::Other})
      for (const Finding &finding : findings)
        if (likenessOf(finding) == like)
          report.findings.push_back(findingOf(kernel, finding));
    // A race elsewhere is another one; other kinds may show in other places.
    Likeness enough = trace.violation.category == "race" ? Likeness::Same : Likeness::OfItsKind;
    same |= std::any_of(findings.begin(), findings.end(),
                        [&](const Finding &finding) { return likenessOf(finding) <= enough; });
    std::string claim = trace.violation.category + ": " + trace.violation.message;
    if (same) {
      report.notes.push_back("the replay of " + std::to_string(trace.events.size()) +
                             " events ends in the violation of the trace: " + claim);
      if (!diverged.empty())
        report.notes.push_back(diverged);
      if (report.findings.empty()) {
        device::Finding phase;
        phase.category = "phase";
        phase.message = "this meets phase " + std::to_string(trace.violation.phase) +
                        " of its barrier, but was meant for phase " +
                        std::to_string(trace.violation.meant);
        phase.location = trace.events.back().op.location;
        report.findings.push_back(std::move(phase));
      }
      return report;
    }
    device::Finding mismatch;
    mismatch.category = "replay-mismatch";
    mismatch.message = "the replay does not end in the violation of the trace, " + claim;
    mismatch.location = trace.violation.op.location;
    if (!diverged.empty())
      mismatch.notes.push_back({{}, diverged});
    mismatch.code = ExitCode::Unknown;
    report.findings.push_back(std::move(mismatch));
    return report;
  }

  const SimKernel &kernel;
  const sim::Program &program;
  const replay::Trace &trace;
  std::vector<HostBuffer> buffers;
  sim::GlobalMemory memory;
  sim::LaunchConfig config;
  std::unique_ptr<sim::FunctionalMachine> machine;
  std::map<std::array<int32_t, 3>, std::unique_ptr<sim::Cluster>> clusters;
  std::vector<std::unique_ptr<sim::RaceCheck>> races; ///< one for each cluster
  PhaseWatch phases;
  std::vector<CtaPlace> ctas; ///< by index of Trace::ctas
  std::map<TaskKey, LoopCounter> counters;
  std::map<std::pair<TaskKey, sim::Pc>, int64_t> executed;
  size_t next = 0; ///< event that is followed
  std::string diverged;
};

} // namespace

Result<LaunchReport> replayOnSim(const SimKernel &kernel, const replay::Trace &trace) {
  return Replay(kernel, trace).run();
}

} // namespace tlx::device
