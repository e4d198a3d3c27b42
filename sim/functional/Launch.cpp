//===- Launch.cpp - running a kernel over a grid --------------------------===//
#include "sim/functional/Launch.h"

#include "sim/functional/Exec.h"
#include "sim/functional/Parallel.h"
#include "sim/functional/RaceCheck.h"

#include <algorithm>
#include <deque>

// NOLINTNEXTLINE(readability-identifier-naming): OpenBLAS named it.
extern "C" void openblas_set_num_threads(int);

namespace tlx::sim {

Argument Argument::ofInt(int64_t x) {
  Argument argument;
  argument.kind = Kind::Int;
  argument.integer = x;
  return argument;
}

Argument Argument::ofFloat(double x) {
  Argument argument;
  argument.kind = Kind::Float;
  argument.real = x;
  return argument;
}

Argument Argument::pointer(uint64_t address) {
  Argument argument;
  argument.kind = Kind::Pointer;
  argument.address = address;
  return argument;
}

Argument Argument::desc(uint64_t address, DType elem, const std::vector<int64_t> &shape,
                        const std::vector<int64_t> &strides, bool padNan) {
  Argument argument;
  argument.kind = Kind::Descriptor;
  argument.address = address;
  argument.descriptor.address = address;
  argument.descriptor.rank = int32_t(shape.size());
  argument.descriptor.elem = elem;
  argument.descriptor.padNan = padNan;
  for (size_t d = 0; d < shape.size() && d < 5; ++d) {
    argument.descriptor.shape[d] = shape[d];
    argument.descriptor.strides[d] = strides[d] * int64_t(byteWidth(elem));
  }
  return argument;
}

FunctionalMachine::FunctionalMachine(const Program &program, LaunchConfig config,
                                     GlobalMemory &memory, Observer *observer)
    : program(program), config(std::move(config)), memory(memory), observer(observer) {}

FunctionalMachine::~FunctionalMachine() = default;

/// The value of one kernel parameter, or an error's text.
static std::string bindParameter(const Program &program, const Parameter &parameter,
                                 const std::vector<Argument> &arguments, Value &value) {
  const Type &type = program.types[parameter.type];
  if (parameter.argument < 0) {
    value = Value::integer(Store::I32, 0);
    return "";
  }
  if (size_t(parameter.argument) >= arguments.size())
    return "parameter '" + parameter.name + "' takes argument " +
           std::to_string(parameter.argument) + "; the launch has " +
           std::to_string(arguments.size());
  const Argument &argument = arguments[parameter.argument];
  auto mismatch = [&](const char *wanted) {
    return "argument " + std::to_string(parameter.argument) + " of '" + parameter.name +
           "' should be " + wanted;
  };
  if (parameter.field != Parameter::Field::Value) {
    if (argument.kind != Argument::Kind::Descriptor)
      return mismatch("a tensor descriptor");
    if (parameter.dimension >= argument.descriptor.rank)
      return "argument " + std::to_string(parameter.argument) + " of '" + parameter.name +
             "' has rank " + std::to_string(argument.descriptor.rank);
    bool shape = parameter.field == Parameter::Field::DescShape;
    int64_t x = shape ? argument.descriptor.shape[parameter.dimension]
                      : argument.descriptor.strides[parameter.dimension] /
                            int64_t(byteWidth(argument.descriptor.elem));
    value = Value::integer(storeOf(type), x);
    return "";
  }
  if (type.kind == TypeKind::TensorDesc) {
    if (argument.kind != Argument::Kind::Descriptor)
      return mismatch("a tensor descriptor");
    if (argument.descriptor.rank != int32_t(type.shape.size()))
      return mismatch(("a descriptor of rank " + std::to_string(type.shape.size())).c_str());
    if (byteWidth(argument.descriptor.elem) != byteWidth(type.elem))
      return mismatch((std::string("a descriptor of ") + name(type.elem)).c_str());
    value = Value::descriptor(argument.descriptor);
    return "";
  }
  if (type.pointer) {
    if (argument.kind == Argument::Kind::None)
      value = Value::integer(Store::I64, 0);
    else if (argument.kind == Argument::Kind::Pointer ||
             argument.kind == Argument::Kind::Descriptor)
      value = Value::integer(Store::I64, int64_t(argument.address));
    else
      return mismatch("a pointer");
    return "";
  }
  if (isFloat(type.elem)) {
    if (argument.kind != Argument::Kind::Float && argument.kind != Argument::Kind::Int)
      return mismatch("a number");
    double x = argument.kind == Argument::Kind::Float ? argument.real : double(argument.integer);
    uint64_t bits = fromDouble(type.elem, x);
    value = fromBits(type, &bits, 1);
    return "";
  }
  if (argument.kind == Argument::Kind::Pointer)
    value = Value::integer(storeOf(type), int64_t(argument.address));
  else if (argument.kind == Argument::Kind::Int)
    value = Value::integer(storeOf(type), argument.integer);
  else
    return mismatch("an integer");
  return "";
}

std::vector<Finding> FunctionalMachine::prepare() {
  std::vector<Finding> findings;
  auto bad = [&](std::string text) {
    findings.push_back({Finding::Kind::BadLaunch, std::move(text), -1, {}, {}, 1});
  };
  openblas_set_num_threads(1);
  prepared = std::make_unique<Prepared>(program);
  state.reset(new LaunchState{program, *prepared, config, memory, {}, 0, {}, {}, 0});
  const LaunchFacts &facts = program.facts;
  for (int d = 0; d < 3; ++d) {
    if (config.grid[d] <= 0)
      bad("the grid has " + std::to_string(config.grid[d]) + " programs along axis " +
          std::to_string(d));
    else if (config.grid[d] % facts.clusterDims[d])
      bad("the grid has " + std::to_string(config.grid[d]) + " programs along axis " +
          std::to_string(d) + ", not a multiple of the cluster's " +
          std::to_string(facts.clusterDims[d]));
  }
  for (const Parameter &parameter : program.parameters) {
    Value value;
    std::string error = bindParameter(program, parameter, config.arguments, value);
    if (!error.empty())
      bad(std::move(error));
    value.makeImmortal();
    state->arguments.push_back(std::move(value));
  }
  if (prepared->tensorBytesPerLane > int64_t(tmemLaneBytes))
    bad("needs " + std::to_string(prepared->tensorBytesPerLane / 4) +
        " columns of tensor memory; a CTA has " + std::to_string(tmemLaneBytes / 4));
  if (findings.empty() && prepared->scratchBytes) {
    uint64_t ctas = uint64_t(config.grid[0]) * config.grid[1] * config.grid[2];
    state->scratch = memory.allocate("global scratch", ctas * prepared->scratchBytes);
  }
  return findings;
}

std::vector<std::array<int32_t, 3>> FunctionalMachine::clusters() const {
  std::vector<std::array<int32_t, 3>> list;
  const int32_t *dims = program.facts.clusterDims;
  for (int32_t z = 0; z < config.grid[2]; z += dims[2])
    for (int32_t y = 0; y < config.grid[1]; y += dims[1])
      for (int32_t x = 0; x < config.grid[0]; x += dims[0])
        list.push_back({x, y, z});
  return list;
}

std::unique_ptr<Cluster> FunctionalMachine::makeCluster(std::array<int32_t, 3> first,
                                                        Observer *watching) {
  return std::make_unique<Cluster>(*state, first[0], first[1], first[2],
                                   watching ? watching : observer);
}

namespace {
struct Outcome {
  std::vector<Finding> findings, warnings;
  int64_t instructions = 0, asyncOps = 0;
};

/// A cluster with its schedule and, if wanted, its race check.
struct Running {
  std::unique_ptr<RaceCheck> races;
  std::unique_ptr<Cluster> cluster;
  std::unique_ptr<ScheduleRunner> runner;
};

void collect(Cluster &cluster, Outcome &outcome) {
  outcome.findings = cluster.takeFindings();
  outcome.warnings = cluster.takeWarnings();
  for (size_t i = 0; i < cluster.numTasks(); ++i)
    outcome.instructions += cluster.task(int32_t(i)).steps;
  outcome.asyncOps = cluster.asyncsIssued();
}
} // namespace

RunReport FunctionalMachine::run() {
  auto finish = [this](Cluster &cluster, Outcome &outcome) {
    collect(cluster, outcome);
    if (config.progress)
      config.progress->done += program.facts.clusterSize();
  };
  auto start = [this](std::array<int32_t, 3> first, size_t index) {
    Running running;
    if (config.raceCheck && program.facts.numCtas == 1)
      running.races = std::make_unique<RaceCheck>(program, observer);
    running.cluster = makeCluster(first, running.races.get());
    if (running.races)
      running.races->attach(*running.cluster);
    running.runner = std::make_unique<ScheduleRunner>(*running.cluster, config.schedule, index);
    return running;
  };
  auto merge = [this](std::vector<Finding> &all, std::vector<Finding> &some) {
    for (Finding &finding : some) {
      auto known = std::find_if(all.begin(), all.end(), [&](const Finding &f) {
        return f.kind == finding.kind && f.loc == finding.loc && f.by.task == finding.by.task;
      });
      if (known != all.end())
        known->count += finding.count;
      else if (all.size() < size_t(config.maxFindings))
        all.push_back(std::move(finding));
    }
  };
  RunReport report;
  report.findings = prepare();
  if (!report.findings.empty())
    return report;
  std::vector<std::array<int32_t, 3>> list = clusters();
  std::vector<Outcome> outcomes(list.size());
  if (config.progress)
    config.progress->begin("computing", int64_t(list.size()) * program.facts.clusterSize());

  if (!prepared->usesAtomics && !prepared->usesClc) {
    inParallel(0, list.size(), config.threads, [&](size_t i) {
      Running running = start(list[i], i);
      while (running.runner->advance(1 << 20)) {
      }
      finish(*running.cluster, outcomes[i]);
    });
  } else {
    // Clusters see each other: a bounded number is resident and takes turns.
    struct Resident {
      size_t index;
      Running running;
    };
    std::deque<Resident> resident;
    state->waiting = list;
    size_t most = std::max<size_t>(1, config.residentCtas / program.facts.clusterSize());
    // How many clusters have been launched when one asks for another is the chip's choice.
    if (prepared->usesClc)
      most = config.schedule.residents(std::min(most, list.size()));
    while (true) {
      while (resident.size() < most && state->nextWaiting < list.size()) {
        size_t i = state->nextWaiting++;
        resident.push_back({i, start(list[i], i)});
      }
      if (resident.empty())
        break;
      Resident turn = std::move(resident.front());
      resident.pop_front();
      if (turn.running.runner->advance(2000)) {
        resident.push_back(std::move(turn));
      } else {
        finish(*turn.running.cluster, outcomes[turn.index]);
        if (turn.running.cluster->failed())
          break; // the others might wait for it forever
      }
    }
  }
  for (Outcome &outcome : outcomes) {
    report.instructions += outcome.instructions;
    report.asyncOps += outcome.asyncOps;
    merge(report.findings, outcome.findings);
    merge(report.warnings, outcome.warnings);
  }
  report.ctas = int64_t(list.size()) * program.facts.clusterSize();
  return report;
}

std::vector<RunReport> runSchedules(const Program &program, const LaunchConfig &config,
                                    GlobalMemory &memory, const std::vector<Schedule> &schedules) {
  std::vector<RunReport> reports(schedules.size());
  auto run = [&](size_t i, GlobalMemory &own) {
    LaunchConfig chosen = config;
    chosen.schedule = schedules[i];
    if (i > 0) { // one of many, side by side
      chosen.print = nullptr;
      chosen.progress = nullptr;
    }
    reports[i] = FunctionalMachine(program, std::move(chosen), own).run();
  };
  inParallel(1, schedules.size(), config.threads, [&](size_t i) {
    GlobalMemory own = memory.copy();
    run(i, own);
  });
  run(0, memory);
  return reports;
}

} // namespace tlx::sim
