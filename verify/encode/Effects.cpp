//===- Effects.cpp - what an operation declares, in the model's terms -----===//

#include "verify/encode/EncoderImpl.h"

using namespace mlir;

namespace tlx::verify {

bool Encoder::dependsOn(ExprId expr, ExprId leaf) const {
  // One node has one identity, and a leaf no parts.
  const ExprNode *wanted = &e[leaf];
  return !e.every(expr, [&](const ExprNode &node) { return &node != wanted; });
}

/// The expression for thread `t` of the task.
ExprId Encoder::withThread(ExprId expr, int64_t t) {
  if (expr == threadId)
    return e.constant(t);
  if (!dependsOn(expr, threadId))
    return expr;
  const ExprNode node = e[expr];
  if (node.op == Op::Select)
    return e.select(withThread(node.a, t), withThread(node.b, t), withThread(node.c, t));
  if (node.op == Op::Opaque)
    return expr;
  return e.binary(node.op, withThread(node.a, t), withThread(node.b, t));
}

/// For which threads of the task a condition holds; nothing when it depends on more.
std::optional<std::vector<bool>> Encoder::threadsWhere(ExprId condition) {
  std::vector<bool> threads;
  for (int64_t t = 0; t < taskWarps * 32; ++t) {
    ExprId holds = withThread(condition, t);
    if (!e.isConst(holds))
      return std::nullopt;
    threads.push_back(e[holds].value != 0);
  }
  return threads;
}

int Encoder::namedBarriers() {
  if (named >= 0)
    return named;
  BarrierArray array;
  array.name = "named barrier";
  array.kind = BarrierKind::Named;
  array.slots = 16;
  array.ranks = p.ranks;
  return named = p.addBarrier(std::move(array));
}

void Encoder::effects(Operation *op, Block &block) {
  SmallVector<tlx::SyncEffect> declared;
  collectSyncEffects(op, declared);
  Event event;
  event.op = op->getName().getStringRef().str();
  event.loc = locOf(op);
  event.operation = numbers.lookup(op);
  auto flush = [&] {
    event.grid = std::exchange(gridAccesses, {});
    if (event.effects.empty() && event.grid.empty() && event.joins == Joins::Never)
      return;
    Event part = event;
    event.effects.clear();
    event.continues = true;
    Stmt stmt = eventStmt(p.addEvent(std::move(part)));
    stmt.loc = locOf(op);
    block.push_back(std::move(stmt));
  };
  if (productRegisters.contains(op))
    event.effects.push_back(onRegisters(op, sync::Kind::Write));
  // What an operation both reads and writes of global memory it updates atomically.
  auto ofGlobal = [&](sync::Kind kind) {
    return llvm::any_of(declared, [&](const tlx::SyncEffect &one) {
      return one.kind == kind && one.space == sync::Space::Global;
    });
  };
  updates = ofGlobal(sync::Kind::Read) && ofGlobal(sync::Kind::Write);
  bool requests = false;
  bool delivers = llvm::any_of(
      declared, [](const tlx::SyncEffect &one) { return one.kind == sync::Kind::BarrierComplete; });
  for (tlx::SyncEffect &one : declared) {
    using sync::Kind;
    requests |= one.kind == Kind::ClcRequest;
    // The boxes of a copy are dealt out to the task's warps (contract).
    if (delivers && !requests && one.threads == sync::Threads::Elected &&
        p.lowerings.has(Lowering::IssueByEachWarp))
      one.threads = sync::Threads::EachWarp;
    // Cluster launch control is asked by the CTAs at x == 0 only.
    if (requests && p.ranks > 1 && rank % cluster[0] != 0 && one.moment == sync::Moment::Completion)
      continue;
    // What blocks is an event of its own: what came before it has happened.
    if (one.kind == Kind::BarrierWait || one.kind == Kind::ClusterWait ||
        one.kind == Kind::NamedBarrierSync || one.kind == Kind::GroupWait)
      flush();
    // Before ttgir the fence that fbtriton puts in front of TMA stores and reductions of
    // ordinary data is still missing (contract). It puts none in front of async_store.
    if (fencesBulkStores && !isa<ttng::AsyncStoreOp>(op) && one.kind == Kind::Read &&
        one.group == sync::Group::BulkStore && event.effects.empty()) {
      Effect fence;
      fence.kind = Kind::ProxyFence;
      event.effects.push_back(fence);
    }
    std::string why;
    if (!effect(op, one, event.effects, why))
      return unsupported(op, why, block);
  }
  event.joins = joinsOf(op);
  flush();
}

/// Copies of one type to buffers of one type are cut among the waves alike (contract).
uint32_t Encoder::shareOf(Operation *op, Type buffer) {
  auto isTensor = [](Value value) { return isa<RankedTensorType>(value.getType()); };
  auto source = llvm::find_if(op->getOperands(), isTensor);
  Type shape; // without: an engine that divides by the buffer alone
  if (source != op->operand_end())
    shape =
        cast<RankedTensorType>((*source).getType()).clone(IntegerType::get(op->getContext(), 1));
  return shares.try_emplace({shape, buffer}, static_cast<uint32_t>(shares.size()) + 1)
      .first->second;
}

bool Encoder::effect(Operation *op, const tlx::SyncEffect &from, std::vector<Effect> &out,
                     std::string &why) {
  using sync::Kind;
  Effect effect;
  effect.kind = from.kind;
  effect.proxy = from.proxy;
  effect.moment = from.moment;
  effect.threads = from.threads;
  // One queue of each thread holds both kinds of AMD's copies to LDS.
  effect.group = from.group == sync::Group::AmdAsync ? sync::Group::CpAsync : from.group;
  effect.taskBarrierBefore = from.taskBarrierBefore;
  effect.relaxed = from.relaxed && (from.kind != Kind::Read || staysRelaxed(op));
  effect.amount = from.amountValue ? scalar(from.amountValue) : e.constant(from.amount);
  if (from.predicate)
    effect.pred = scalar(from.predicate);
  if (from.barrierPredicate) {
    ExprId also = scalar(from.barrierPredicate);
    bool arrives = from.kind == Kind::BarrierArrive || from.kind == Kind::BarrierComplete;
    if (arrives)
      effect.pred = e.both(effect.pred, also);
  }
  if (from.matters)
    effect.matters = scalar(from.matters);
  // A per-thread arrival under a condition on the thread: count the threads.
  if (effect.threads == sync::Threads::PerThread && effect.pred != NoExpr && threadId != NoExpr &&
      dependsOn(effect.pred, threadId)) {
    std::optional<std::vector<bool>> threads = threadsWhere(effect.pred);
    if (!threads) {
      why = "a per-thread arrival under a condition that is not only on the thread";
      return false;
    }
    int64_t count = llvm::count(*threads, true);
    if (!count)
      return true;
    if (count < taskWarps * 32) {
      // They release what the leading strand knows: the other strand is some that do
      // not arrive, in a task of one warp the rest of its lanes.
      if (!threads->front() || (taskWarps == 1 && arriving && *arriving != *threads)) {
        why = "per-thread arrivals of different threads, or without the first";
        return false;
      }
      arriving = threads;
      effect.threads = sync::Threads::Elected;
      effect.amount = e.binary(Op::Mul, effect.amount, e.constant(count));
    }
    effect.pred = NoExpr;
  }
  if (effect.pred != NoExpr && e.isConst(effect.pred)) {
    if (!e[effect.pred].value)
      return true;
    effect.pred = NoExpr;
  }
  if (from.phase)
    effect.phase = scalar(from.phase);
  bool memory = from.kind == Kind::Read || from.kind == Kind::Write;
  switch (from.kind) {
  case Kind::Hint: return true;
  case Kind::ClcRequest: // the bytes it delivers are an effect of their own
    effect.pred = NoExpr;
    out.push_back(effect);
    return true;
  case Kind::NamedBarrierSync:
  case Kind::NamedBarrierArrive:
    effect.target.object = namedBarriers();
    effect.target.slot = scalar(from.target);
    out.push_back(effect);
    return true;
  case Kind::ClusterArrive:
  case Kind::ClusterWait:
  case Kind::TaskBarrier:
  case Kind::GroupCommit:
  case Kind::ProxyFence:
  case Kind::MemoryFence:
  case Kind::BarrierInitFence: out.push_back(effect); return true;
  case Kind::GroupWait:
    out.push_back(effect);
    if (from.group == sync::Group::CpAsync && barrierAfterCopies) {
      effect.kind = Kind::TaskBarrier;
      effect.group = sync::Group::None;
      out.push_back(effect);
    }
    return true;
  case Kind::TensormapFence: mapEffect(from, effect, out); return true;
  default: break;
  }
  // What the waves of one workgroup do in global memory is not compared, as in any task.
  if (waveGroup &&
      ((memory && from.space == sync::Space::Global) || from.threads == sync::Threads::Elected))
    return true;
  if (memory && from.space == sync::Space::Global) {
    effect.reduces = updates;
    mapEffect(from, effect, out);
    elementEffect(op, from, effect, out);
    return true;
  }
  if (!from.target) {
    why = std::string("an effect '") + sync::name(from.kind) + "' without a target";
    return false;
  }
  if (!isa<ttg::MemDescType>(from.target.getType())) {
    why = std::string("an effect '") + sync::name(from.kind) + "' on what is not a buffer";
    return false;
  }
  // Which CTAs' copies are meant.
  SmallVector<ExprId> ranks;
  bool pair = from.pairLeader && p.ranks > 1;
  if (pair && from.group == sync::Group::Tcgen05) {
    // One thread of the even CTA works on the memory of both and signals both.
    if (rank & 1)
      return true;
    ranks.push_back(e.constant(rank));
    ranks.push_back(e.constant(rank + 1));
  } else if (pair && !from.rank && !from.rankMask) {
    ranks.push_back(e.constant(rank & ~1));
  } else if (from.rankMask || (from.rank && from.rankIsMask)) {
    int64_t mask = from.rankMask;
    if (from.rank) {
      ExprId value = scalar(from.rank);
      if (!e.isConst(value)) {
        why = "a multicast mask that is not a constant for each CTA";
        return false;
      }
      mask = e[value].value;
    }
    for (int r = 0; r < 64 && r < (mask == -1 ? p.ranks : 64); ++r)
      if (mask >> r & 1)
        ranks.push_back(e.constant(r));
  } else {
    ranks.push_back(from.rank ? scalar(from.rank) : NoExpr);
  }
  if (copiesInOrder && from.kind == Kind::Write && effect.group == sync::Group::CpAsync)
    effect.share = shareOf(op, from.target.getType());
  ViewSet set = view(from.target);
  if (set.empty()) {
    why = "a buffer whose allocation cannot be found";
    return false;
  }
  effect.inPlace = (from.kind == Kind::Read && readsInPlace(op, from.target)) ||
                   (from.kind == Kind::Write && writesInPlace(op, from.target));
  for (const ViewCase &c : set)
    for (ExprId r : ranks) {
      Effect one = effect;
      one.target.rank = r;
      one.pred = e.both(one.pred, c.when);
      if (!memory && c.view.slot == NoExpr && roots[c.view.root].place.slots > 1) {
        why = "a barrier array without an index";
        return false;
      }
      if (!memory && (c.view.approximate || c.view.origin || !c.view.isWhole())) {
        why = "a barrier within a buffer";
        return false;
      }
      targetOf(c.view, !memory, one.target);
      if (waveGroups > 1 && from.kind == Kind::Write && from.space == sync::Space::Shared &&
          !partOfWaves(op, from.target.getType(), one.target)) {
        why = "one of too many ways to divide tiles among waves";
        return false;
      }
      out.push_back(one);
    }
  return true;
}

} // namespace tlx::verify
