//===- Encoder.cpp - tasks, blocks and operations -------------------------===//

#include "compiler/analysis/WarpPipeline.h"
#include "verify/encode/EncoderImpl.h"
#include "verify/model/Pace.h"
#include "verify/model/Prune.h"
#include "verify/model/Split.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <numeric>

using namespace mlir;

namespace tlx::verify {

/// File positions a location is made of, innermost first.
static void positions(Location loc, SmallVectorImpl<FileLineColLoc> &out) {
  if (auto file = dyn_cast<FileLineColLoc>(loc)) {
    out.push_back(file);
  } else if (auto name = dyn_cast<NameLoc>(loc)) {
    positions(name.getChildLoc(), out);
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    positions(call.getCallee(), out);
    positions(call.getCaller(), out);
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location inner : fused.getLocations())
      positions(inner, out);
  }
}

static SourceLoc sourceLoc(Location loc, const std::string &preferredFile) {
  SmallVector<FileLineColLoc> places;
  positions(loc, places);
  for (FileLineColLoc place : places)
    if (preferredFile.empty() || place.getFilename().getValue() == preferredFile)
      return {place.getFilename().str(), static_cast<int>(place.getLine()),
              static_cast<int>(place.getColumn())};
  if (places.empty())
    return {};
  return {places[0].getFilename().str(), static_cast<int>(places[0].getLine()),
          static_cast<int>(places[0].getColumn())};
}

SourceLoc Encoder::locOf(Operation *op) const { return sourceLoc(op->getLoc(), file); }

static std::string locName(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().str();
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return locName(call.getCallee());
  return {};
}

std::string Encoder::nameOf(Value value, const char *fallback) const {
  std::string name = locName(value.getLoc());
  return name.empty() ? fallback : name;
}

Encoder::Encoder(Operation *function, const LaunchShape &launch, EncodedKernel &out)
    : function(function), launch(launch), out(out), p(out.program), e(out.program.exprs) {
  file = sourceLoc(function->getLoc(), "").file;
  function->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { numbers.try_emplace(op, static_cast<int64_t>(numbers.size())); });
}

void Encoder::unsupported(Operation *op, const std::string &why, Block &block) {
  block.push_back(unsupportedStmt(op->getName().getStringRef().str() + ": " + why, locOf(op)));
}

bool Encoder::readLaunch() {
  auto module = function->getParentOfType<ModuleOp>();
  auto integer = [&](StringRef name) -> std::optional<int64_t> {
    if (auto attr = module->getAttrOfType<IntegerAttr>(name))
      return attr.getInt();
    return std::nullopt;
  };
  std::optional<int64_t> warps = launch.numWarps;
  if (auto stated = integer("ttg.num-warps"))
    warps = stated;
  numCtas = integer("ttg.num-ctas").value_or(launch.numCtas.value_or(1));
  if (launch.cluster) {
    cluster = *launch.cluster;
  } else if (auto x = integer("ttg.cluster-dim-x")) {
    cluster = {*x, integer("ttg.cluster-dim-y").value_or(1),
               integer("ttg.cluster-dim-z").value_or(1)};
  }
  if (numCtas > 1 && cluster[0] * cluster[1] * cluster[2] == 1)
    cluster = {numCtas, 1, 1};
  bool needsCluster = false, needsWarps = false;
  function->walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    needsCluster |= name == "nvg.cluster_id" || name == "ttng.map_to_remote_buffer" ||
                    name == "ttng.cluster_arrive" || name == "ttng.cluster_wait";
    needsWarps |= name == "ttng.arrive_barrier" && op->hasAttr("perThread");
    needsWarps |= name == "ttng.arrive_barrier_named" || name == "ttng.wait_barrier_named";
  });
  bool clusterKnown = launch.cluster || integer("ttg.cluster-dim-x") || numCtas > 1;
  if ((needsCluster && !clusterKnown) || (needsWarps && !warps)) {
    out.reason = "launch-parameters";
    out.message = std::string("the kernel depends on ") +
                  (needsCluster && !clusterKnown ? "the cluster's shape" : "the number of warps") +
                  ", which the IR does not give; pass --manifest, or --num-warps and --cluster";
    out.loc = locOf(function);
    return false;
  }
  defaultWarps = static_cast<int>(warps.value_or(4));
  out.launch = launch;
  if (auto target = module->getAttrOfType<StringAttr>("ttg.target");
      target && launch.target.empty())
    out.launch.target = target.str();
  out.launch.numWarps = defaultWarps;
  out.launch.cluster = cluster;
  out.launch.numCtas = static_cast<int>(numCtas);
  // Their vmcnt counts down in issue order.
  copiesInOrder = StringRef(out.launch.target).starts_with("hip:gfx9");
  barrierAfterCopies = StringRef(out.launch.target).starts_with("cuda:") &&
                       launch.lowerings.has(Lowering::TaskBarrierAfterCopyWait);
  return true;
}

/// What has to be known before the first task is encoded.
void Encoder::scan() {
  function->walk([&](Operation *op) {
    freesMemory |= hasEffect<MemoryEffects::Free>(op);
    if (op->getName().getStringRef() == "ttg.memdesc_index") {
      // Partitions see allocations as block arguments.
      indexedRoots.insert(throughCaptures(op->getOperand(0)));
    }
    SmallVector<tlx::SyncEffect> declared;
    collectSyncEffects(op, declared);
    for (const tlx::SyncEffect &effect : declared)
      if (effect.kind == sync::Kind::Write && effect.space == sync::Space::Global &&
          effect.target && !addRoots(effect.target, writtenPointers))
        storesElsewhere.insert(op);
  });
}

std::optional<Excess> Encoder::firstError(function_ref<LogicalResult()> work) {
  std::optional<Excess> first;
  ScopedDiagnosticHandler handler(function->getContext(), [&](Diagnostic &error) {
    if (!first)
      first = {error.str(), sourceLoc(error.getLocation(), file), {}};
    return success();
  });
  return failed(work()) ? first : std::nullopt;
}

/// Finds out where buffers lie.
bool Encoder::layOut() {
  auto error = firstError([&]() -> LogicalResult {
    FailureOr<StorageAliases> computed = StorageAliases::compute(function);
    if (succeeded(computed))
      aliases = std::move(*computed);
    return computed;
  });
  if (error) {
    out.reason = "storage-aliases";
    out.message = error->message;
    out.loc = error->loc;
    return false;
  }
  allocation = StorageAllocation::compute(function, aliases);
  // At .ttgir storages whose lives are over make room for others: what lies on the
  // same memory is one space.
  size_t count = aliases.storages().size();
  spaces.resize(count);
  std::iota(spaces.begin(), spaces.end(), 0);
  for (size_t i = 0; !launch.beforeTtgir && i < count; ++i)
    for (size_t j = 0; j < i; ++j)
      if (overlaid(i, j))
        std::replace(spaces.begin(), spaces.end(), int(spaces[i]), int(spaces[j]));
  return true;
}

/// The first byte or column of a storage, where the IR or else the allocation puts it.
int64_t Encoder::addressOf(size_t storage) const {
  Operation *source = aliases.storages()[storage].source;
  bool tensor = aliases.storages()[storage].kind == tlxd::StorageKind::Tmem;
  auto stated =
      source->getAttrOfType<IntegerAttr>(tensor ? "tensor_memory_col_offset" : "allocation.offset");
  return stated ? stated.getInt() : allocation.addressOf(storage).offset;
}

bool Encoder::overlaid(size_t a, size_t b) const {
  const Storage &first = aliases.storages()[a], &second = aliases.storages()[b];
  return first.kind == second.kind && allocation.mayShare(a, b) &&
         addressOf(a) < addressOf(b) + second.size && addressOf(b) < addressOf(a) + first.size;
}

void Encoder::run() {
  if (!readLaunch() || !layOut())
    return;
  p.ranks = static_cast<int>(cluster[0] * cluster[1] * cluster[2]);
  // fbtriton allocates shared memory before it moves initialisations, and so is it here.
  p.lowerings = launch.lowerings;
  if (auto kernel = dyn_cast<tt::FuncOp>(function); kernel && p.ranks > 1)
    lowered = lowerClusterSync(kernel);
  if (!p.lowerings.has(Lowering::ClusterSync)) {
    lowered.entryAfter = lowered.exitBefore = nullptr;
    pairsUnsynchronised = lowered.pairsCtas;
  }
  scan();
  findWaves();
  findEarlyReads();
  resources();
  fencesBulkStores = launch.beforeTtgir && p.lowerings.has(Lowering::FenceBeforeBulkStore);
  for (rank = 0; rank < p.ranks; ++rank)
    for (waveGroup = 0; waveGroup < waveGroups; ++waveGroup)
      encodeRank(rank);
  dropPrivateElements();
  prune(p);
  splitLoops(p);
  setPaces(p);
}

void Encoder::encodeRank(int rank) {
  scalars.clear();
  views.clear();
  contentKeys.clear();
  carried.clear();
  depth = 0;
  Task root;
  root.name = "default";
  if (p.ranks > 1)
    root.name = "cta" + std::to_string(rank) + ".default";
  root.rank = rank;
  root.warps = taskWarps = defaultWarps;
  if (waveGroups > 1)
    asWaves(root);
  arriving.reset();
  taskNumber = ++tasksSeen;
  answersRead = e.constant(0);
  regions = 0;
  root.body = region(function->getRegion(0));
  if (waveGroups > 1)
    meetOtherWaves(root.body);
  root.lanesApart = arriving.has_value();
  p.tasks.push_back(std::move(root));
  for (Task &task : pending)
    p.tasks.push_back(std::move(task));
  pending.clear();
}

Block Encoder::region(Region &region) {
  Block out;
  if (region.empty())
    return out;
  if (!region.hasOneBlock()) {
    llvm::SmallPtrSet<mlir::Block *, 8> open;
    mlir::PostDominanceInfo after(region.getParentOp());
    blocks(&region.front(), nullptr, after, open, out);
    return out;
  }
  block(region.front(), out);
  return out;
}

void Encoder::block(mlir::Block &block, Block &out) {
  for (Operation &op : block) {
    if (&op == lowered.exitBefore)
      clusterSync(&op, "cluster sync before tensor memory is freed (lowering)", out);
    if (lowered.pairsCtas && p.ranks > 1 && op.hasTrait<OpTrait::IsTerminator>() &&
        op.getNumSuccessors() == 0 && op.getParentOp() == function)
      freePairs(&op, out);
    operation(&op, out);
    if (&op == lowered.entryAfter)
      clusterSync(&op, "cluster sync after barrier initialisation (lowering)", out);
  }
}

/// A cluster barrier that the lowering adds though the IR does not show it.
void Encoder::clusterSync(Operation *op, const char *what, Block &out) {
  for (sync::Kind kind : {sync::Kind::ClusterArrive, sync::Kind::ClusterWait}) {
    Event event;
    event.op = what;
    event.loc = locOf(op);
    Effect effect;
    effect.kind = kind;
    event.effects.push_back(effect);
    out.push_back(eventStmt(p.addEvent(std::move(event))));
  }
}

static Effect writeOf(const Target &target, Lifetime lifetime) {
  Effect effect;
  effect.kind = sync::Kind::Write;
  effect.target = target;
  effect.lifetime = lifetime;
  return effect;
}

/// Tensor memory that is allocated or freed here.
void Encoder::lifetime(Operation *op, Block &out) {
  auto memory = dyn_cast<MemoryEffectOpInterface>(op);
  if (!memory || (!freesMemory && !pairsUnsynchronised))
    return;
  SmallVector<MemoryEffects::EffectInstance> declared;
  memory.getEffects(declared);
  Event event;
  event.op = op->getName().getStringRef().str();
  event.loc = locOf(op);
  for (const MemoryEffects::EffectInstance &one : declared) {
    bool begins = isa<MemoryEffects::Allocate>(one.getEffect());
    if (!begins && !isa<MemoryEffects::Free>(one.getEffect()))
      continue;
    Value value = one.getValue()         ? one.getValue()
                  : op->getNumOperands() ? op->getOperand(0)
                                         : Value();
    if (!value || !isa<ttg::MemDescType>(value.getType()))
      continue;
    for (const ViewCase &c : view(value))
      if (roots[c.view.root].place.where == sync::Space::Tensor) {
        Target target;
        targetOf(c.view, false, target);
        event.effects.push_back(writeOf(target, begins ? Lifetime::Begins : Lifetime::Ends));
        event.effects.back().pred = c.when;
        event.effects.back().paired = begins && pairsUnsynchronised;
      }
  }
  if (!event.effects.empty())
    out.push_back(eventStmt(p.addEvent(std::move(event))));
}

/// CTAs that work on tensor memory in pairs free both parts together.
void Encoder::freePairs(Operation *terminator, Block &out) {
  Operation *last = terminator->getPrevNode();
  Event event;
  event.op = "tensor memory of the pair is freed (lowering)";
  event.loc = locOf(last ? last : terminator);
  for (size_t i = 0; i < roots.size(); ++i)
    if (roots[i].place.where == sync::Space::Tensor)
      for (int r : {rank & ~1, rank | 1}) {
        View all;
        all.root = static_cast<int>(i);
        Target target;
        targetOf(all, false, target);
        target.rank = e.constant(r);
        event.effects.push_back(writeOf(target, Lifetime::Ends));
      }
  if (!event.effects.empty())
    out.push_back(eventStmt(p.addEvent(std::move(event))));
}

void Encoder::operation(Operation *op, Block &out) {
  constexpr int MostLoops = 24; // around each other: sets of them are bits of a word
  if (isa<scf::ForOp, scf::WhileOp>(op) && depth >= MostLoops)
    return unsupported(op, "inside " + std::to_string(MostLoops) + " loops", out);
  if (isa<scf::ForOp>(op))
    return forLoop(op, out);
  if (isa<scf::WhileOp>(op))
    return whileLoop(op, out);
  if (isa<scf::IfOp>(op))
    return ifElse(op, out);
  if (isa<scf::ExecuteRegionOp>(op))
    return executeRegion(op, out);
  if (isa<ttg::WarpSpecializeOp>(op))
    return specialize(op, out);
  if (op->getName().getStringRef() == "llvm.intr.assume")
    return assumption(scalar(op->getOperand(0)), locOf(op));
  if (waveGroups > 1 && isStageBorder(op))
    return stageBorder(op, out);
  if (inPipeline && exchangesBetweenWaves(op))
    return unsupported(op, "exchanges data between waves within a stage of a warp pipeline", out);
  lifetime(op, out);
  earlyRead(op, out);
  switch (syncEffectsKind(op->getName())) {
  case SyncEffectsKind::None:
    if (joinsOf(op) != Joins::Never)
      effects(op, out);
    return;
  case SyncEffectsKind::Own: effects(op, out); return readAnswer(op);
  case SyncEffectsKind::OfBody:
    if (op->hasTrait<OpTrait::IsTerminator>() || callsFunction(op))
      return;
    return unsupported(op, "this control flow", out);
  case SyncEffectsKind::Undeclared:
    return unsupported(op, "declares no synchronisation effects", out);
  }
}

std::optional<std::pair<int64_t, int64_t>> Encoder::lowerBound(ExprId cond) const {
  const ExprNode &node = e[cond];
  if ((node.op != Op::Lt && node.op != Op::Le) || !e.isConst(node.a) || e[node.b].op != Op::Sym)
    return std::nullopt;
  return std::pair{e[node.b].value, e[node.a].value + (node.op == Op::Lt)};
}

/// The symbol, and the number that `cond` says it is a multiple of: `x % 64 == 0`.
std::optional<std::pair<int64_t, int64_t>> Encoder::multiple(ExprId cond) const {
  const ExprNode &node = e[cond];
  if (node.op != Op::Eq || !e.isConst(node.b) || e[node.b].value != 0 || e[node.a].b == NoExpr)
    return std::nullopt;
  const ExprNode &rest = e[node.a], &symbol = e[rest.a], &number = e[rest.b];
  int64_t by = number.op != Op::Const                                           ? 0
               : rest.op == Op::Rem                                             ? number.value
               : rest.op == Op::And && (number.value & (number.value + 1)) == 0 ? number.value + 1
                                                                                : 0;
  if (symbol.op != Op::Sym || by < 2 || by > INT32_MAX)
    return std::nullopt;
  return std::pair{symbol.value, by};
}

/// What every run of the kernel comes by; in a branch or a loop it says nothing of the launch.
void Encoder::assumption(ExprId holds, SourceLoc loc) {
  const ExprNode node = e[holds];
  if (node.op == Op::And && e.isCondition(node.a) && e.isCondition(node.b)) {
    assumption(node.a, loc);
    return assumption(node.b, std::move(loc));
  }
  bool known = llvm::any_of(p.assumptions, [&](const Assumption &a) { return a.holds == holds; });
  bool always = depth == 0 && !inBranch && e.isCondition(holds) && isFixed(holds) &&
                !(threadId != NoExpr && dependsOn(holds, threadId));
  if (!always || known || (node.op == Op::Const && node.value))
    return;
  if (auto least = lowerBound(holds)) {
    Symbol &symbol = e.symbols[least->first];
    symbol.lo = std::max(symbol.lo, least->second);
  }
  if (auto of = multiple(holds)) {
    Symbol &symbol = e.symbols[of->first];
    symbol.assumedDivisor = std::lcm(symbol.assumedDivisor, of->second);
    symbol.divisor = std::lcm(symbol.divisor, symbol.assumedDivisor);
  }
  p.assumptions.push_back({holds, std::move(loc)});
}

void Encoder::specialize(Operation *op, Block &out) {
  auto specialize = cast<ttg::WarpSpecializeOp>(op);
  if (depth > 0 || inPartition)
    return unsupported(op, "inside a loop, a branch or another warp_specialize", out);
  int number = regions++;
  Stmt fork{Stmt::ForkStmt}, join{Stmt::JoinStmt};
  fork.event = join.event = number;
  fork.loc = join.loc = locOf(op);
  out.push_back(fork);
  ValueRange captures = specialize.getCaptures();
  ArrayRef<int32_t> warps = specialize.getPartitionNumWarps();
  int index = 0;
  inPartition = true;
  for (Region &partition : specialize.getPartitionRegions()) {
    for (auto [arg, capture] : llvm::zip(partition.getArguments(), captures)) {
      if (isa<ttg::MemDescType>(arg.getType()))
        views[arg] = view(capture);
      else if (!isa<RankedTensorType>(arg.getType()))
        scalars[arg] = scalar(capture);
    }
    Task task;
    task.name = "partition" + std::to_string(index);
    if (p.ranks > 1)
      task.name = "cta" + std::to_string(rank) + "." + task.name;
    task.rank = rank;
    task.region = number;
    task.warps = index < static_cast<int>(warps.size()) ? warps[index] : 4;
    taskWarps = task.warps;
    ExprId answersBefore = answersRead;
    auto arrivingBefore = std::exchange(arriving, std::nullopt);
    int outerTask = std::exchange(taskNumber, ++tasksSeen);
    task.body = region(partition);
    taskNumber = outerTask;
    task.lanesApart = arriving.has_value();
    arriving = std::move(arrivingBefore);
    answersRead = answersBefore;
    taskWarps = defaultWarps;
    pending.push_back(std::move(task));
    ++index;
  }
  idleWarps(specialize, number);
  Region &defaults = specialize.getDefaultRegion();
  if (!defaults.empty()) {
    block(defaults.front(), out);
    Operation *yield = defaults.front().getTerminator();
    for (auto [result, value] : llvm::zip(op->getResults(), yield->getOperands()))
      if (isScalar(result.getType()))
        scalars[result] = scalar(value);
      else if (isa<ttg::MemDescType>(result.getType()))
        views[result] = view(value);
  }
  inPartition = false;
  out.push_back(join);
}

/// Warps that only fill the last group of four: the cluster barrier waits for them too.
void Encoder::idleWarps(ttg::WarpSpecializeOp op, int region) {
  bool meets = false;
  op->walk([&](ttng::ClusterArriveOp) { meets = true; });
  int64_t idle = totalWarps - defaultWarps;
  for (int32_t warps : op.getPartitionNumWarps())
    idle -= warps;
  if (!meets || p.ranks == 1 || idle <= 0)
    return;
  Task task;
  task.name = "cta" + std::to_string(rank) + ".idle warps";
  task.rank = rank;
  task.region = region;
  task.warps = static_cast<int>(idle);
  pending.push_back(std::move(task));
}

EncodedKernel encode(Operation *function, const LaunchShape &launch) {
  EncodedKernel out;
  out.program.kernel = cast<FunctionOpInterface>(function).getName().str();
  Encoder(function, launch, out).run();
  return out;
}

} // namespace tlx::verify
