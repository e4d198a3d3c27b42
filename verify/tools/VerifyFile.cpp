#include "verify/tools/VerifyFile.h"
#include "compiler/dialect/registry/Registry.h"
#include "compiler/dialect/tt/TT.h"
#include "compiler/ingest/ParseFile.h"
#include "compiler/pipelines/Ingest.h"
#include "compiler/pipelines/ManifestFacts.h"
#include "runtime/base/Guard.h"
#include "runtime/base/Sha256.h"
#include "runtime/base/SourceText.h"
#include "runtime/loader/Manifest.h"
#include "sim/chips/Targets.h"
#include "verify/encode/Encoder.h"
#include "verify/model/Contracts.h"
#include "verify/smt/Integers.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <tuple>

using namespace mlir;

namespace tlx::verify {

namespace {
struct Given {
  LaunchFacts facts;
  std::vector<Manifest> manifests;
  std::string error; ///< why a manifest cannot be used
};

/// `launch*.json`, or else `<stem>.json`, beside the kernel.
std::vector<std::string> manifestsBeside(const std::string &path) {
  namespace fs = std::filesystem;
  fs::path file(path), folder = file.parent_path().empty() ? "." : file.parent_path();
  std::vector<std::string> found;
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(folder, error)) {
    std::string name = entry.path().filename().string();
    if (name.starts_with("launch") && name.ends_with(".json"))
      found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  fs::path own = folder / (file.stem().string() + ".json");
  if (found.empty() && fs::is_regular_file(own, error))
    found.push_back(own.string());
  return found;
}

bool hasFlags(const VerifyRequest &request) {
  return !request.target.empty() || request.numWarps || request.numCtas || request.cluster;
}

Given launchOf(const std::string &path, const VerifyRequest &request) {
  Given given;
  for (const std::string &file : manifestsFor(path, request)) {
    Result<Manifest> manifest = readManifest(file);
    if (!manifest) {
      // What merely lies beside the kernel may be something else.
      if (request.manifests.empty())
        continue;
      given.error = manifest.error().str() + "\n";
      return given;
    }
    given.manifests.push_back(std::move(*manifest));
  }
  if (!given.manifests.empty()) {
    given.facts = launchFactsOf(given.manifests[0]);
    given.facts.from = given.manifests[0].file;
  }
  if (hasFlags(request)) {
    given.facts.from = "command line";
    if (!request.target.empty())
      given.facts.target = request.target;
    if (request.numWarps)
      given.facts.numWarps = request.numWarps;
    if (request.numCtas)
      given.facts.numCtas = request.numCtas;
    if (request.cluster)
      given.facts.cluster = request.cluster;
  }
  return given;
}

/// Scalar arguments by name, descriptor shapes as the front end names them, and where the
/// last program is.
std::map<std::string, int64_t> valuesOf(const Manifest &manifest) {
  std::map<std::string, int64_t> values;
  for (int axis = 0; axis < 3; ++axis) {
    std::string suffix(1, "xyz"[axis]);
    values["num_programs." + suffix] = manifest.grid[axis];
    values["program_id." + suffix] = manifest.grid[axis] - 1;
    values["cluster_id." + suffix] = manifest.grid[axis] / manifest.cluster[axis] - 1;
  }
  for (const Argument &argument : manifest.arguments) {
    if (argument.kind == Argument::Kind::Scalar) {
      bool narrow = argument.type == "i32" || argument.type == "u32";
      values[argument.name] =
          narrow ? static_cast<int32_t>(argument.bits) : static_cast<int64_t>(argument.bits);
    }
    for (size_t i = 0; i < argument.shape.size(); ++i)
      values[argument.name + ".shape." + std::to_string(i)] = argument.shape[i];
  }
  return values;
}

/// Clusters along each axis, as the kernel numbers them.
std::array<int64_t, 3> gridOf(const Manifest &manifest) {
  std::array<int64_t, 3> out = manifest.grid;
  for (size_t axis = 0; axis < 3 && manifest.numCtas == 1; ++axis)
    out[axis] = std::max<int64_t>(1, out[axis] / manifest.cluster[axis]);
  return out;
}

/// The same by symbol.
auto symbolsOf(const Program &program, const std::map<std::string, int64_t> &values) {
  return [&](int64_t symbol) -> std::optional<int64_t> {
    auto it = values.find(program.exprs.symbols[symbol].name);
    return it == values.end() ? std::nullopt : std::optional(it->second);
  };
}

/// What launches say of arguments and grids; which program a run is of, it says itself.
std::vector<SymbolValues> argumentsOf(const Program &program,
                                      const std::vector<std::map<std::string, int64_t>> &launches) {
  std::vector<SymbolValues> out;
  for (const auto &values : launches) {
    SymbolValues &known = out.emplace_back();
    for (size_t i = 0; i < program.exprs.symbols.size(); ++i) {
      const Symbol &symbol = program.exprs.symbols[i];
      if (symbol.parameter < 0 && !symbol.name.starts_with("num_programs."))
        continue;
      if (auto it = values.find(symbol.name); it != values.end())
        known[static_cast<int64_t>(i)] = it->second;
    }
  }
  return out;
}

/// A value of a parameter that a run does not depend on. What a descriptor describes is wide
/// enough for the run's tiles: its sizes come behind it, then its strides.
int64_t anyValue(FunctionOpInterface function, unsigned parameter) {
  constexpr int64_t Wide = int64_t(1) << 16;
  for (unsigned back = 1; back <= parameter; ++back) {
    auto desc = dyn_cast<tt::TensorDescType>(function.getArgumentTypes()[parameter - back]);
    if (!desc)
      continue;
    unsigned rank = static_cast<unsigned>(desc.getBlockType().getRank());
    if (back < 2 * rank)
      return Wide;
    break;
  }
  auto divisor = function.getArgAttrOfType<IntegerAttr>(parameter, "tt.divisibility");
  return divisor ? divisor.getInt() : 1;
}

/// What only the file knows of a replay: its bytes, the launch and the types of
/// the parameters.
void completeReplay(replay::Trace &trace, FunctionOpInterface function, const LaunchShape &launch,
                    bool renumbered, const std::string &path) {
  if (renumbered) {
    for (replay::Event &event : trace.events)
      event.op.index = -1;
    trace.violation.op.index = -1;
  }
  if (auto text = readSourceText(path))
    trace.contentHash = sha256Hex(*text);
  trace.launch.target = launch.target;
  trace.launch.numWarps = launch.numWarps.value_or(4);
  trace.launch.numCtas = launch.numCtas.value_or(1);
  trace.launch.cluster = launch.cluster.value_or(std::array<int64_t, 3>{1, 1, 1});
  for (size_t cta = 0; cta < trace.ctas.size(); ++cta) {
    int64_t rest = static_cast<int64_t>(cta);
    for (size_t axis = 0; axis < 3; ++axis) {
      int64_t extent = trace.launch.numCtas > 1 ? 1 : trace.launch.cluster[axis];
      int64_t &program = trace.ctas[cta].program[axis];
      program = program * extent + rest % extent;
      rest /= extent;
      int64_t &grid = trace.launch.grid[axis];
      grid = std::max(grid, (program / extent + 1) * extent);
    }
  }
  auto isScalar = [](Type type) { return type.isIntOrFloat(); };
  llvm::erase_if(trace.scalars, [&](const replay::Scalar &scalar) {
    return !isScalar(function.getArgumentTypes()[static_cast<size_t>(scalar.parameter)]);
  });
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (!isScalar(type))
      continue;
    int64_t parameter = static_cast<int64_t>(i);
    auto given = llvm::find_if(trace.scalars,
                               [&](const replay::Scalar &s) { return s.parameter == parameter; });
    if (given == trace.scalars.end()) {
      // The run does not depend on it.
      trace.scalars.push_back(
          {parameter, {}, {}, false, anyValue(function, static_cast<unsigned>(i)), 1});
      given = std::prev(trace.scalars.end());
    }
    llvm::raw_string_ostream(given->type) << type;
    given->isFloat = type.isF16() || type.isBF16() || type.isF32() || type.isF64();
  }
}

/// The target's limits; none for a target that is not known.
ChipLimits limitsOf(const std::string &target) {
  const sim::TargetChip *row = sim::chipOfTarget(target);
  if (!row)
    return {};
  Result<sim::Chip> chip = sim::Chip::load(row->chip);
  if (!chip)
    return {};
  return {chip->integer(sim::Param::SmSmemPerCta), chip->integer(sim::Param::SmTmemColumns)};
}

/// A manifest is of a kernel in the module, with as many parameters.
Result<void> checkKernel(ModuleOp module, const std::string &path, const Manifest &manifest) {
  const SourceLocation at =
      manifest.kernelLocation.line ? manifest.kernelLocation : SourceLocation{manifest.file, 0, 0};
  std::string names;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    if (function.isExternal() || function.isPrivate())
      continue;
    std::string name = function.getName().str();
    names += (names.empty() ? "@" : ", @") + name;
    if (name != manifest.kernel)
      continue;
    size_t count = 0; // a descriptor comes with its sizes and strides
    for (const Argument &argument : manifest.arguments)
      if (argument.kind != Argument::Kind::Null)
        count += argument.kind == Argument::Kind::TensorDesc ? 1 + 2 * argument.shape.size() : 1;
    if (manifest.arguments.empty() || count == function.getNumArguments())
      return {};
    return Error("the manifest gives " + std::to_string(count) + " parameter values; @" + name +
                     " of " + path + " takes " + std::to_string(function.getNumArguments()),
                 at);
  }
  return Error(path + " has no kernel @" + manifest.kernel, at).withHint("it has " + names);
}

/// Options that say other than the module does. A given manifest belongs to this kernel or to
/// another.
Result<void> checkAgreement(ModuleOp module, const std::string &path, const Given &given,
                            const VerifyRequest &request) {
  auto differs = [&](StringRef attribute, const std::string &says, const std::string &from,
                     const std::string &asks) {
    return Error(from + " says " + asks + "; the module says " + attribute.str() + " = " + says,
                 {path, 0, 0}, "what the module says is how it was compiled");
  };
  auto compare = [&](const LaunchFacts &facts, const std::string &from) -> Result<void> {
    auto target = module->getAttrOfType<StringAttr>("ttg.target");
    if (target && !facts.target.empty() && target.getValue() != facts.target)
      return differs("ttg.target", target.str(), from, "target " + facts.target);
    for (auto [attribute, number, what] :
         {std::tuple("ttg.num-warps", facts.numWarps, " warps"),
          std::tuple("ttg.num-ctas", facts.numCtas, " CTAs to a program")})
      if (auto stated = module->getAttrOfType<IntegerAttr>(attribute);
          stated && number && stated.getInt() != *number)
        return differs(attribute, std::to_string(stated.getInt()), from,
                       std::to_string(*number) + what);
    if (facts.numCtas.value_or(1) > 1 || !facts.cluster)
      return {}; // CTAs of one program are a cluster by themselves
    for (auto [axis, extent] : llvm::enumerate(*facts.cluster)) {
      std::string attribute = std::string("ttg.cluster-dim-") + "xyz"[axis];
      if (auto stated = module->getAttrOfType<IntegerAttr>(attribute);
          stated && stated.getInt() != extent)
        return differs(attribute, std::to_string(stated.getInt()), from,
                       "a cluster with " + std::to_string(extent) + " along " + "xyz"[axis]);
    }
    return {};
  };
  if (!request.manifests.empty())
    for (const Manifest &manifest : given.manifests) {
      if (auto same = compare(launchFactsOf(manifest), manifest.file); !same)
        return same;
      if (auto same = checkKernel(module, path, manifest); !same)
        return same;
    }
  if (hasFlags(request))
    return compare(given.facts, "the command line");
  return {};
}

/// renumbered: calls were inlined, so that operations are not numbered as in the file.
KernelReport verifyKernel(Operation *function, const std::string &path, IrLevel level,
                          bool renumbered, const Given &given, const VerifyRequest &request) {
  auto start = std::chrono::steady_clock::now();
  KernelReport report;
  report.file = path;
  report.level = name(level);
  report.policy = std::string("war-proxy=") + (request.warProxy == WarProxy::Off    ? "off"
                                               : request.warProxy == WarProxy::Warn ? "warn"
                                                                                    : "error");
  if (request.strict)
    report.policy += ",strict";
  for (const Contract &contract : contracts())
    if (!contract.lowering || request.lowerings.has(*contract.lowering))
      report.contracts.push_back(contract.name);
    else
      report.policy += std::string(",without=") + contract.name;
  report.launch = {given.facts.target, given.facts.numWarps, given.facts.numCtas,
                   given.facts.cluster, given.facts.from};
  LaunchShape shape{given.facts.target,  given.facts.numWarps, given.facts.cluster,
                    given.facts.numCtas, given.facts.from,     level != IrLevel::Ttgir};
  auto since = [](auto from) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
  };
  auto module = function->getParentOfType<ModuleOp>();
  if (auto stated = module->getAttrOfType<StringAttr>("ttg.target"); stated && shape.target.empty())
    shape.target = stated.str();
  shape.limits = limitsOf(shape.target);
  shape.lowerings = request.lowerings;
  for (const Manifest &manifest : given.manifests)
    if (manifest.kernel == cast<FunctionOpInterface>(function).getName())
      shape.launches.push_back({manifest.file, gridOf(manifest), valuesOf(manifest)});
  EncodedKernel encoded = encode(function, shape);
  report.encodeSeconds = since(start);
  report.kernel = encoded.program.kernel;
  report.notes.insert(report.notes.end(), encoded.notes.begin(), encoded.notes.end());
  if (!encoded.reason.empty()) {
    report.reason = encoded.reason;
    report.message = encoded.message;
    report.loc = encoded.loc;
  } else {
    ProverOptions options;
    options.warProxy = request.warProxy;
    options.strict = request.strict;
    options.timeoutSeconds = request.timeoutSeconds;
    options.cancelled = request.cancelled;
    std::vector<std::map<std::string, int64_t>> launches;
    for (const Manifest &manifest : given.manifests)
      launches.push_back(valuesOf(manifest));
    options.launchReaches = [&](const Linears &linears, const LinForm &form, int64_t atLeast) {
      for (const auto &values : launches) {
        auto value = linears.evaluate(form, symbolsOf(encoded.program, values));
        if (value && *value < atLeast)
          return true;
      }
      return false;
    };
    options.launches = argumentsOf(encoded.program, launches);
    Linears forms(encoded.program);
    for (const Assumption &assumption : encoded.program.assumptions)
      for (size_t i = 0; i < launches.size(); ++i)
        if (forms.evaluate(forms.form(forms.of(assumption.holds)),
                           symbolsOf(encoded.program, launches[i])) == 0)
          report.notes.push_back(given.manifests[i].file + " launches what the kernel at " +
                                 assumption.loc.str() + " assumes not to happen");
    double solverBefore = smt::Integers::secondsSpent();
    ProofResult result = prove(encoded.program, options);
    report.solverSeconds = smt::Integers::secondsSpent() - solverBefore;
    auto proved = std::chrono::steady_clock::now();
    fillReport(report, encoded.program, result);
    report.exploreSeconds = since(proved);
    if (report.replay)
      completeReplay(*report.replay, cast<FunctionOpInterface>(function), encoded.launch,
                     renumbered, path);
  }
  report.seconds = since(start);
  return report;
}
} // namespace

std::vector<std::string> manifestsFor(const std::string &path, const VerifyRequest &request) {
  if (!request.manifests.empty() || hasFlags(request))
    return request.manifests;
  return manifestsBeside(path);
}

FileVerdict verifyFile(const std::string &path, const VerifyRequest &request) {
  FileVerdict verdict;
  auto bad = [&](std::string text, int code = 2) {
    verdict.errors = std::move(text);
    verdict.exitCode = code;
    return verdict;
  };
  Given given = launchOf(path, request);
  if (!given.error.empty())
    return bad(given.error);
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  Result<OwningOpRef<ModuleOp>> parsed = parseFile(path, context);
  if (!parsed) {
    return bad(parsed.error().str() + "\n", static_cast<int>(parsed.error().code));
  }
  OwningOpRef<ModuleOp> module = std::move(*parsed);
  if (auto same = checkAgreement(*module, path, given, request); !same)
    return bad(same.error().str() + "\n");
  IrLevel level = irLevelOf(*module, path);
  // A function that the front end was told to keep apart is looked into as well.
  for (auto function : module->getOps<FunctionOpInterface>())
    if (function.isPrivate() && function.getFunctionBody().hasOneBlock())
      function->removeAttr("noinline");
  bool renumbered = level == IrLevel::Source || hasCalls(*module);
  if (FirstError first(&context); failed(prepareModule(*module, level, given.facts)))
    return bad(first.take("the kernel cannot be read").str() + "\n");
  for (auto function : module->getOps<FunctionOpInterface>()) {
    if (function.isExternal() || function.isPrivate())
      continue;
    restartGuardClock(); // the limit is for each
    KernelReport report = verifyKernel(function, path, level, renumbered, given, request);
    verdict.reports.push_back(std::move(report));
  }
  if (verdict.reports.empty())
    return bad(path + ": error: no kernel in this file\n");
  verdict.exitCode = worstOf(verdict.reports);
  return verdict;
}

} // namespace tlx::verify
