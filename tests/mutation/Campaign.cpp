#include "tests/mutation/Campaign.h"
#include "tests/mutation/Operators.h"

#include "compiler/dialect/registry/Registry.h"
#include "compiler/ingest/ParseFile.h"
#include "compiler/pipelines/Ingest.h"
#include "compiler/pipelines/ManifestFacts.h"
#include "runtime/loader/Manifest.h"
#include "verify/checks/Sizes.h"
#include "verify/encode/Encoder.h"
#include "verify/explore/Explorer.h"
#include "verify/model/EffectExprs.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <csignal>
#include <random>
#include <set>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace tlx::verify;

namespace tlx::mutation {
namespace {

/// Everything that the prover sees of a program, as text.
std::string fingerprint(const Program &p) {
  std::string text;
  auto put = [&](auto... values) { ((text += std::to_string(values) + ' '), ...); };
  for (size_t i = 0; i < p.exprs.size(); ++i) {
    const ExprNode &n = p.exprs[static_cast<ExprId>(i)];
    put(int(n.op), n.value, n.a, n.b, n.c);
  }
  for (const Symbol &s : p.exprs.symbols)
    put(s.lo, s.hi, s.divisor, int(s.launchInvariant), s.perIterationDepth);
  for (const BarrierArray &b : p.barriers)
    put(int(b.kind), b.slots, b.ranks, b.space, b.base);
  for (const Buffer &b : p.buffers) {
    put(int(b.where), b.space, b.base, b.stride, b.extent, b.group);
    put(b.slots, b.lane, b.lanes, b.ranks);
  }
  for (const Event &event : p.events)
    for (const Effect &e : event.effects) {
      const Target &t = e.target;
      put(int(e.kind), t.object, int(t.approximate));
      eachExpr(e, [&](ExprId id, ExprUse) { put(id); });
      for (const Rect &part : t.parts)
        put(part.x0, part.x1, part.y0, part.y1);
      for (const Range &range : t.tile)
        for (const Extent &extent : range.extents)
          put(extent.size, extent.stride);
      put(int(e.proxy), int(e.moment), int(e.threads), int(e.group), int(e.taskBarrierBefore),
          int(e.relaxed), int(e.lifetime), int(e.paired), int(e.diverged), int(e.reduces), e.share);
    }
  std::function<void(const verify::Block &)> block = [&](const verify::Block &stmts) {
    text += '{';
    for (const Stmt &s : stmts) {
      put(int(s.kind), s.event, s.cond);
      for (const auto *list : {&s.inits, &s.nexts})
        for (const Assign &a : *list)
          put(a.var, a.value);
      for (const verify::Block *inner : {&s.before, &s.body, &s.orElse})
        block(*inner);
    }
    text += '}';
  };
  for (const Task &task : p.tasks) {
    put(task.rank, task.warps, task.region);
    block(task.body);
  }
  for (const Assumption &assumption : p.assumptions)
    put(assumption.holds);
  return text;
}

using Values = std::map<std::string, int64_t>;

Values argumentsOf(const Manifest &manifest) {
  Values values;
  for (const Argument &argument : manifest.arguments) {
    if (argument.kind == Argument::Kind::Scalar)
      values[argument.name] = static_cast<int64_t>(argument.bits);
    for (size_t i = 0; i < argument.shape.size(); ++i)
      values[argument.name + ".shape." + std::to_string(i)] = argument.shape[i];
  }
  for (int axis = 0; axis < 3; ++axis)
    values[std::string("num_programs.") + "xyz"[axis]] = manifest.grid[axis];
  return values;
}

/// One kernel of the file and everything that stays the same for its mutants.
class Judge {
public:
  Judge(const Request &request, std::optional<Manifest> launch)
      : request(request), manifest(std::move(launch)) {
    if (manifest)
      facts = launchFactsOf(*manifest);
    if (manifest)
      given = argumentsOf(*manifest);
  }

  EncodedKernel encodeKernel(Operation *kernel, IrLevel level) const {
    LaunchShape shape{facts.target, facts.numWarps,         facts.cluster, facts.numCtas,
                      "",           level != IrLevel::Ttgir};
    return encode(kernel, shape);
  }

  ProofResult proof(const Program &program) const {
    ProverOptions options;
    options.timeoutSeconds = request.timeout;
    options.launchReaches = [&](const Linears &linears, const LinForm &form, int64_t atLeast) {
      auto value = linears.evaluate(form, [&](int64_t symbol) -> std::optional<int64_t> {
        auto it = given.find(program.exprs.symbols[symbol].name);
        return it == given.end() ? std::nullopt : std::optional(it->second);
      });
      return value && *value < atLeast;
    };
    return prove(program, options);
  }

  /// All that the explorer is asked about: sizes (all integers alike, and the
  /// manifest's), and how often launch control grants another tile.
  void explored(const Program &program, const ProofResult &proved, Mutant &mutant) const {
    bool asksForTiles = std::any_of(program.exprs.opaques.begin(), program.exprs.opaques.end(),
                                    [](const Function &f) { return f.sequence; });
    bool complete = true;
    int tried = 0;
    std::string why;
    for (int64_t size : {-1, 1, 64, 128, 320})
      for (int64_t grants : {0, 1, 2, 5}) {
        if ((size < 0 && given.empty()) || (grants && !asksForTiles))
          continue;
        ExploreOptions options;
        options.valueOf = [&](int64_t symbol) {
          return valueAt(program.exprs.symbols[symbol], size);
        };
        options.functionOf = [&](const Function &function, const Operands &operands) {
          int64_t value = !function.sequence     ? std::max<int64_t>(size, 1)
                          : operands[0] < grants ? operands[0] + 1
                                                 : -1;
          return std::clamp(value, function.lo, function.hi);
        };
        options.maxStates = request.states;
        if (!holdAt(program, proved.preconditions, options.valueOf))
          continue;
        ExploreResult result = exploreOrders(program, options);
        if (result.states > request.states && result.runs == 0)
          continue; // not even one run comes to its end: other sizes tell
        ++tried;
        std::string where =
            " (size " + std::to_string(size) + ", " + std::to_string(grants) + " tiles granted)";
        if (result.verdict == ExploreResult::Violation) {
          mutant.outcome = "MISSED";
          mutant.detail = result.what + ": " + result.message + where;
          if (result.event >= 0)
            mutant.detail += " at " + program.events[result.event].op + " " +
                             program.events[result.event].loc.str();
          return;
        }
        if (result.verdict == ExploreResult::Unknown)
          complete = false, why = result.message + where;
      }
    mutant.outcome = complete && tried > 1 ? "equivalent" : "undecided";
    mutant.detail = complete ? std::to_string(tried) + " sizes" : why;
  }

  LaunchFacts facts;

private:
  /// With all integers of the launch alike; below 0: as the manifest has them.
  int64_t valueAt(const Symbol &symbol, int64_t size) const {
    if (auto it = given.find(symbol.name);
        it != given.end() && (size < 0 || symbol.name[0] == 'n')) // the number of programs
      return it->second;
    if (!symbol.launchInvariant)
      return std::max<int64_t>(symbol.lo, 0);
    return std::clamp<int64_t>(std::max<int64_t>(size, 1), symbol.lo, symbol.hi);
  }

  const Request &request;
  std::optional<Manifest> manifest;
  Values given;
};

Operation *kernelOf(ModuleOp module) {
  for (auto function : module.getOps<FunctionOpInterface>())
    if (!function.isExternal() && !function.isPrivate())
      return function;
  return nullptr;
}

std::string placeOf(Location loc) {
  SourceLocation place = sourceLocationOf(loc);
  return place.file.substr(place.file.rfind('/') + 1) + ":" + std::to_string(place.line);
}

/// Operators take turns, so that a sample has something of each.
std::vector<Site> chosen(std::vector<Site> all, const Request &request) {
  std::mt19937_64 random(request.seed);
  std::shuffle(all.begin(), all.end(), random);
  if (!request.only.empty())
    std::erase_if(all, [&](const Site &s) {
      return !llvm::is_contained(llvm::split(request.only, ','), operators()[s.op].name);
    });
  if (request.sample <= 0 || static_cast<size_t>(request.sample) >= all.size())
    return all;
  std::map<int, int> taken;
  std::vector<std::pair<int, size_t>> order;
  for (size_t i = 0; i < all.size(); ++i)
    order.emplace_back(taken[all[i].op]++, i);
  std::sort(order.begin(), order.end());
  std::vector<Site> some;
  for (int i = 0; i < request.sample; ++i)
    some.push_back(all[order[i].second]);
  return some;
}

/// The explorer may take as long as some proofs.
constexpr double ProofsOfTime = 5;

/// Judges in a process of its own: one mutant that never comes to an end, or breaks a judge,
/// is one unknown.
void judgeApart(Mutant &mutant, double seconds, const std::function<void()> &judge) {
  auto unknown = [&](const char *why) {
    mutant.outcome = "unknown";
    mutant.detail = why;
  };
  int ends[2];
  if (::pipe(ends) != 0)
    return unknown("no pipe");
  pid_t child = ::fork();
  if (child < 0)
    return unknown("no process");
  if (child == 0) {
    rlimit limit{static_cast<rlim_t>(seconds) + 1, static_cast<rlim_t>(seconds) + 2};
    ::setrlimit(RLIMIT_CPU, &limit);
    judge();
    std::string said = mutant.outcome + "\n" + mutant.detail;
    bool written = ::write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size());
    ::_exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  std::string said;
  char piece[4096];
  for (ssize_t got; (got = ::read(ends[0], piece, sizeof piece)) > 0;)
    said.append(piece, static_cast<size_t>(got));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    return unknown(WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL ? "timeout"
                                                                              : "a judge crashed");
  auto [outcome, detail] = StringRef(said).split('\n');
  mutant.outcome = outcome.str();
  mutant.detail = detail.str();
}

std::set<std::string> textsOf(const std::vector<Precondition> &list) {
  std::set<std::string> texts;
  for (const Precondition &condition : list)
    texts.insert(condition.text);
  return texts;
}

} // namespace

bool campaign(const Request &request, const std::function<void(const Mutant &)> &report,
              std::string &why) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  // Mutants may be nonsense to a verifier; what it says is not for the user.
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  Result<OwningOpRef<ModuleOp>> parsed = parseFile(request.file, context);
  if (!parsed) {
    why = parsed.error().str();
    return false;
  }
  std::optional<Manifest> manifest;
  if (!request.manifest.empty()) {
    Result<Manifest> read = readManifest(request.manifest);
    if (!read) {
      why = read.error().str();
      return false;
    }
    manifest = std::move(*read);
  }
  Judge judge(request, std::move(manifest));
  ModuleOp module = parsed->get();
  IrLevel level = irLevelOf(module, request.file);
  if (failed(prepareModule(module, level, judge.facts))) {
    why = request.file + ": error: cannot be brought to ttir";
    return false;
  }
  Operation *kernel = kernelOf(module);
  if (!kernel) {
    why = request.file + ": error: no kernel in this file";
    return false;
  }
  EncodedKernel original = judge.encodeKernel(kernel, level);
  if (!original.reason.empty()) {
    why = request.file + ": error: " + original.message;
    return false;
  }
  ProofResult before = judge.proof(original.program);
  if (before.verdict != ProofResult::Proved) {
    why = request.file + ": error: only a kernel that is PROVED has mutants to judge; " +
          (before.verdict == ProofResult::Bug ? before.violation.message : before.reason);
    return false;
  }
  std::string unchanged = fingerprint(original.program);
  std::set<std::string> preconditions = textsOf(before.preconditions);
  for (const Site &site : chosen(sites(module), request)) {
    OwningOpRef<ModuleOp> clone = cast<ModuleOp>(module->clone());
    Location at = module->getLoc();
    if (!apply(*clone, site, at))
      continue;
    auto start = std::chrono::steady_clock::now();
    Mutant mutant{operators()[site.op].name, placeOf(at), site.operation, site.variant, "", "", 0};
    if (!request.writeTo.empty()) {
      std::error_code error;
      llvm::raw_fd_ostream out(request.writeTo, error);
      clone->print(out, OpPrintingFlags().enableDebugInfo());
      return true;
    }
    judgeApart(mutant, ProofsOfTime * request.timeout, [&] {
      EncodedKernel encoded = judge.encodeKernel(kernelOf(*clone), level);
      if (!encoded.reason.empty()) {
        mutant.outcome = "unknown";
        mutant.detail = encoded.message;
      } else if (fingerprint(encoded.program) == unchanged) {
        mutant.outcome = "same";
      } else {
        ProofResult result = judge.proof(encoded.program);
        std::set<std::string> now = textsOf(result.preconditions);
        if (result.verdict == ProofResult::Bug) {
          mutant.outcome = "caught";
          mutant.detail =
              std::string(info(result.violation.cls).name) + ": " + result.violation.message;
        } else if (result.verdict == ProofResult::Unknown) {
          mutant.outcome = "unknown";
          mutant.detail = result.reason;
        } else if (!std::includes(preconditions.begin(), preconditions.end(), now.begin(),
                                  now.end())) {
          mutant.outcome = "caught";
          mutant.detail = "precondition " + *now.begin();
        } else {
          judge.explored(encoded.program, result, mutant);
        }
      }
    });
    std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    mutant.seconds = spent.count();
    report(mutant);
  }
  return true;
}

std::vector<std::pair<std::string, std::string>> operatorNames() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const Operator &op : operators())
    names.emplace_back(op.name, op.what);
  return names;
}

} // namespace tlx::mutation
