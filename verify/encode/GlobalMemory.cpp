//===- GlobalMemory.cpp - what several tasks access in global memory ------===//
//
// Tasks of one CTA may access the same elements of global memory. Accesses through
// one argument, or by one descriptor, are compared where each is a tile
// (Addresses.cpp) or, failing that, where address and mask are the same function of
// arguments and program ids. Each such tensor is a buffer. Accesses that are not
// compared although one of them writes are named in a note; different arguments are
// taken for different memory (contract).
//
// Stores that all write the same value do not conflict, nor do those of what CTAs of a
// cluster have computed: working together they may all store the result.
//
//===----------------------------------------------------------------------===//

#include "verify/encode/EncoderImpl.h"

#include "compiler/dialect/tt/TT.h"
#include "verify/model/Tiles.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tlx::verify {

/// Whether an expression has one value for the CTA.
bool Encoder::isFixed(ExprId expr) const {
  return e.every(expr, [&](const ExprNode &node) {
    return node.op != Op::Var &&
           (node.op != Op::Sym || e.symbols[node.value].perIterationDepth == 0) &&
           (node.op != Op::Opaque || e.opaques[node.value].name != Reread);
  });
}

/// Whether arguments, program ids and memory that nobody writes give an expression.
bool Encoder::isOfLaunch(ExprId expr) const {
  return e.every(expr, [&](const ExprNode &node) {
    return node.op != Op::Var && (node.op != Op::Sym || e.symbols[node.value].ofLaunch);
  });
}

/// The buffer that stands for a tensor.
int Encoder::tensorBuffer(const TensorKey &key) {
  auto [it, isNew] = tensors.try_emplace(key, -1);
  if (isNew) {
    Buffer buffer;
    buffer.name = "global memory";
    buffer.where = sync::Space::Global;
    buffer.space = -(1 << 20) - static_cast<int>(tensors.size());
    buffer.stride = 1;
    buffer.ranks = std::get<0>(key) ? 1 : p.ranks;
    it->second = p.addBuffer(std::move(buffer));
  }
  return it->second;
}

Value maskOf(Operation *op) {
  return TypeSwitch<Operation *, Value>(op)
      .Case<tt::StoreOp, tt::LoadOp, tt::AtomicRMWOp, ttg::AsyncCopyGlobalToLocalOp>(
          [](auto access) { return access.getMask(); })
      .Default(Value());
}

void Encoder::elementEffect(Operation *op, const tlx::SyncEffect &from, Effect effect,
                            std::vector<Effect> &out) {
  if (!from.target)
    return;
  bool described = isa<tt::TensorDescType>(from.target.getType());
  if (!described && mapOf(from.target))
    return; // a tensor map, no element
  if (numCtas == 1)
    gridAccess(op, from.target, effect);
  GlobalAccess access;
  access.task = taskNumber;
  access.rank = rank;
  access.write = effect.kind == sync::Kind::Write;
  access.op = op;
  auto store = dyn_cast<tt::StoreOp>(op);
  auto load = dyn_cast<tt::LoadOp>(op);
  Value mask = maskOf(op);
  std::optional<Tile> tile;
  if (numCtas > 1)
    tile.reset(); // each CTA accesses a part of it
  else if (described)
    tile = boxOf(op, from.target);
  else if (isa<tt::StoreOp, tt::LoadOp, tt::AtomicRMWOp, ttg::AsyncCopyGlobalToLocalOp>(op))
    tile = tileOf(from.target);
  if (mask && tile && !boundsOnly(mask, effect.pred, tile->bounds))
    tile.reset();
  if (tile)
    access.root = tile->root;
  else
    access.root = pointerRoot(from.target);
  if (tile) {
    access.bounds = std::move(tile->bounds);
    access.buffer = tensorBuffer({tile->root.getAsOpaquePointer(), 0, std::move(tile->strides)});
    effect.target.rank = e.constant(0); // all CTAs see one
    effect.target.tile = std::move(tile->ranges);
  } else if (ExprId key = numCtas == 1 && (store || load) ? fixedKey(from.target) : NoExpr;
             key != NoExpr) {
    ExprId where = mask ? fixedKey(mask) : NoExpr;
    if (!mask || where != NoExpr)
      access.buffer = tensorBuffer({nullptr, rank, {key, where}});
  }
  if (store)
    access.value = fixedKey(store.getValue());
  else if (auto stores = dyn_cast<tt::DescriptorStoreOp>(op))
    access.value = fixedKey(stores.getSrc());
  // What each CTA has computed is not known to differ.
  if (p.ranks > 1 && !isOfLaunch(access.value))
    access.value = NoExpr;
  effect.value = access.value;
  access.reduces = effect.reduces;
  access.async = effect.moment == sync::Moment::Completion;
  access.group = effect.group;
  access.tile = effect.target.tile;
  globals.push_back(access);
  if (access.buffer < 0)
    return;
  effect.target.object = access.buffer;
  out.push_back(std::move(effect));
}

/// Whether two accesses may collide if they touch the same elements: one writes, and
/// neither the program nor a queue orders them.
bool Encoder::mayCollide(const GlobalAccess &a, const GlobalAccess &b) const {
  if (!(a.write || b.write) || (a.reduces && b.reduces))
    return false;
  if (a.rank != b.rank && numCtas > 1)
    return false; // they work on one tile together
  if (a.write && b.write && a.value != NoExpr && a.value == b.value)
    return false;
  if (a.task != b.task)
    return true;
  bool oneQueue = a.async && b.async && a.group == b.group && a.group == sync::Group::BulkStore;
  return (a.async || b.async) && !oneQueue;
}

/// Tasks that may wait for each other through global memory: one looks at what atomic
/// updates gave, or loads again and again.
bool Encoder::maySpin() const {
  bool spins = false;
  function->walk([&](Operation *op) {
    if (isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op))
      spins |= !op->use_empty();
    auto assembly = dyn_cast<tt::ElementwiseInlineAsmOp>(op);
    spins |= assembly && !assembly.getPure();
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      loop.getBefore().walk([&](tt::LoadOp load) {
        Value root = pointerRoot(load.getPtr());
        spins |= !root || writtenPointers.contains(root);
      });
  });
  return spins;
}

/// Operations and their places, in the kernel's order.
std::string Encoder::namesOf(llvm::SetVector<Operation *> operations) const {
  auto ordered = operations.takeVector();
  llvm::sort(ordered, [&](Operation *a, Operation *b) { return numbers.at(a) < numbers.at(b); });
  std::string text;
  for (Operation *op : ordered)
    text +=
        (text.empty() ? "" : ", ") + op->getName().getStringRef().str() + " at " + locOf(op).str();
  return text;
}

void Encoder::addSymbols(ExprId expr, std::set<int64_t> &out) const {
  e.every(expr, [&](const ExprNode &node) {
    if (node.op == Op::Sym)
      out.insert(node.value);
    return true;
  });
}

/// Symbols that branches, predicates and assumptions ask about, but for assumed lower bounds.
/// Where one is known to be small, what it cuts off a tile may be what would meet another.
std::set<int64_t> Encoder::decidedSymbols() const {
  std::set<int64_t> out;
  auto walk = [&](auto &self, const Block &block) -> void {
    for (const Stmt &stmt : block) {
      if (stmt.kind == Stmt::IfStmt)
        addSymbols(stmt.cond, out);
      for (const Block *inner : {&stmt.before, &stmt.body, &stmt.orElse})
        self(self, *inner);
    }
  };
  for (const Task &task : p.tasks)
    walk(walk, task.body);
  for (const Event &event : p.events)
    for (const Effect &effect : event.effects)
      addSymbols(effect.pred, out);
  for (const Assumption &assumed : p.assumptions)
    if (!lowerBound(assumed.holds))
      addSymbols(assumed.holds, out);
  return out;
}

/// Forgets accesses that cannot conflict, once programs are compared, and names those that are
/// not compared.
void Encoder::dropPrivateElements() {
  if (numCtas == 1) {
    GridRaces grid = racesOfGrid(p, launch.launches, maySpin());
    p.betweenPrograms = std::move(grid.race);
    llvm::append_range(out.notes, grid.notes);
  }
  for (Event &event : p.events)
    event.grid.clear();
  llvm::DenseSet<int> kept, cut;
  const std::set<int64_t> decided = decidedSymbols();
  for (const GlobalAccess &access : globals)
    if (llvm::any_of(access.bounds, [&](int64_t symbol) { return decided.contains(symbol); }))
      cut.insert(access.buffer);
  llvm::SetVector<Operation *> blind, inOneIteration;
  std::optional<Linears> linears;
  auto places = [&](const GlobalAccess &access) {
    std::vector<Place> out;
    for (const Range &range : access.tile)
      out.push_back({linears->of(range.origin), {}, range.extents, range.isMemory});
    return out;
  };
  for (size_t i = 0; i < globals.size(); ++i)
    for (size_t j = 0; j <= i; ++j) {
      const GlobalAccess &a = globals[i], &b = globals[j];
      if (!mayCollide(a, b) || (a.root && b.root && a.root != b.root))
        continue;
      if (!linears) {
        linears.emplace(p);
        for (const Task &task : p.tasks)
          linears->analyse(task.body);
      }
      bool isKnown = a.buffer >= 0 && a.buffer == b.buffer && !cut.contains(a.buffer);
      Lie how = !isKnown ? Lie::Unknown : everLie(*linears, places(a), places(b));
      // What CTAs compute together they may all store: the same value then.
      bool together =
          a.rank != b.rank && a.write && b.write && (a.value == NoExpr || b.value == NoExpr);
      if (how == Lie::Meet && !maySpin() && !together) {
        kept.insert(a.buffer);
        if (a.task != b.task && dependOnIterations(*linears, places(a)))
          inOneIteration.insert_range(ArrayRef{a.op, b.op});
      } else if (how != Lie::Apart && a.task != b.task) {
        blind.insert_range(ArrayRef{a.op, b.op});
      }
    }
  if (!blind.empty())
    out.notes.push_back("not compared: accesses of different tasks to global memory that may be "
                        "the same elements: " +
                        namesOf(std::move(blind)));
  if (!inOneIteration.empty())
    out.notes.push_back("compared within one iteration, not between two: accesses of different "
                        "tasks to global memory: " +
                        namesOf(std::move(inOneIteration)));
  if (loadsNumbers && !storesElsewhere.empty())
    out.notes.push_back("taken for granted: what is loaded from the kernel's arguments is not what "
                        "it stores through addresses that are not followed: " +
                        namesOf(storesElsewhere));
  llvm::DenseSet<int> harmless;
  for (const auto &[key, buffer] : tensors)
    if (!kept.contains(buffer))
      harmless.insert(buffer);
  for (Event &event : p.events)
    std::erase_if(event.effects, [&](const Effect &effect) {
      return effect.onMemory() && harmless.contains(effect.target.object);
    });
}

} // namespace tlx::verify
