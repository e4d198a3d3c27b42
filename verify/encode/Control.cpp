//===- Control.cpp - loops and branches -----------------------------------===//

#include "compiler/analysis/WarpPipeline.h"
#include "verify/encode/EncoderImpl.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <set>

using namespace mlir;

namespace tlx::verify {

bool Encoder::isScalar(Type type) const {
  return type.isIntOrIndexOrFloat() || isa<tt::PointerType>(type);
}

VarId Encoder::newVar(Value value) {
  std::string name = nameOf(value, "");
  return p.addVar(name);
}

/// Arguments that a loop's bound grows with are sizes: not negative (contract).
void Encoder::assumeSizes(ExprId bound) {
  // Expressions are shared and may be long: each is looked at once, without recursion.
  std::set<ExprId> seen;
  std::vector<ExprId> waiting{bound};
  while (!waiting.empty()) {
    ExprId next = waiting.back();
    waiting.pop_back();
    if (!seen.insert(next).second)
      continue;
    const ExprNode &node = e[next];
    switch (node.op) {
    case Op::Sym:
      if (Symbol &symbol = e.symbols[node.value]; symbol.launchInvariant)
        symbol.lo = std::max<int64_t>(symbol.lo, 0);
      break;
    case Op::Add:
    case Op::Mul:
    case Op::Min:
    case Op::Max:
      waiting.push_back(node.a);
      waiting.push_back(node.b);
      break;
    case Op::Sub:
    case Op::Div:
    case Op::Rem:
    case Op::Shl:
    case Op::Shr: waiting.push_back(node.a); break;
    case Op::And:
      if (e.isConst(node.b))
        waiting.push_back(node.a);
      break;
    default: break;
    }
  }
}

/// Where `value` is one slot of one array, which of them becomes a variable that one of `sets`
/// sets; -1: it is something else.
VarId Encoder::carrySlot(Value value, ViewSet set, std::vector<Assign> &sets) {
  VarId var = -1;
  if (set.size() == 1 && set[0].view.slot != NoExpr) {
    var = newVar(value);
    sets.push_back({var, set[0].view.slot});
    set[0].view.slot = e.var(var);
  }
  views[value] = std::move(set);
  return var;
}

/// A buffer that a loop carries, from one allocation to another: nobody may ask which.
void Encoder::lostView(Operation *loop, Value arg, Value result, Block &out) {
  if (followed.contains(arg))
    return unsupported(loop, "carries a buffer that is not one slot of one allocation", out);
  views[arg] = views[result] = {};
}

/// What a loop carries, as a variable; -1: a buffer that is not one slot of one array, or
/// something that nobody asks for.
VarId Encoder::carry(Value arg, Value init, Stmt &loop) {
  if (isa<ttg::MemDescType>(arg.getType()))
    return carrySlot(arg, view(init), loop.inits);
  if (!isScalar(arg.getType()))
    return -1;
  VarId var = newVar(arg);
  loop.inits.push_back({var, scalar(init)});
  scalars[arg] = e.var(var);
  return var;
}

/// The loop's variable: where it begins, goes on, and ends.
void Encoder::count(scf::ForOp loop, Stmt &stmt) {
  VarId iv = newVar(loop.getInductionVar());
  if (p.varNames[iv].empty())
    p.varNames[iv] = "k";
  ExprId lower = scalar(loop.getLowerBound()), upper = scalar(loop.getUpperBound());
  ExprId step = scalar(loop.getStep());
  ExprId start = lower, stride = step, end = upper, index = e.var(iv);
  assumeSizes(upper);
  if (!e.isConst(step)) {
    // A step that is only known at launch (the number of programs) makes products of
    // unknowns, each iteration a new one. The loop counts its trips instead; all tasks
    // with these bounds then ask the same question.
    start = e.constant(0);
    stride = e.constant(1);
    ExprId last = e.sub(e.add(e.sub(upper, lower), step), e.constant(1));
    end = e.binary(Op::Div, last, step);
    index = e.add(lower, e.binary(Op::Mul, e.var(iv), step));
  }
  stmt.inits.push_back({iv, start});
  stmt.nexts.push_back({iv, e.add(e.var(iv), stride)});
  stmt.cond = e.lt(e.var(iv), end);
  scalars[loop.getInductionVar()] = index;
}

void Encoder::forLoop(Operation *op, Block &out) {
  auto loop = cast<scf::ForOp>(op);
  Stmt stmt{Stmt::LoopStmt};
  stmt.loc = locOf(op);
  stmt.name = nameOf(loop.getInductionVar(), "loop");
  count(loop, stmt);
  std::vector<VarId> vars(loop.getNumRegionIterArgs(), -1), offsets = vars;
  for (auto [i, arg] : llvm::enumerate(loop.getRegionIterArgs())) {
    Value init = loop.getInitArgs()[i];
    vars[i] = carry(arg, init, stmt);
    offsets[i] = carryOffset(arg, init, loop.getBody()->getTerminator()->getOperand(i), stmt);
  }
  VarId answers = countAnswers(op, stmt);
  ++depth;
  bool pipelined = waveGroups > 1 && isWarpPipelined(loop);
  bool outer = std::exchange(inPipeline, inPipeline || pipelined);
  stmt.body = region(loop.getRegion());
  inPipeline = outer;
  if (pipelined && endsInOpenStage(loop))
    stageBorder(op, stmt.body);
  Operation *yield = loop.getBody()->getTerminator();
  std::vector<Assign> results;
  for (auto [i, arg] : llvm::enumerate(loop.getRegionIterArgs())) {
    Value next = yield->getOperand(i), result = op->getResult(i);
    if (isScalar(arg.getType())) {
      stmt.nexts.push_back({vars[i], scalar(next)});
      VarId after = newVar(result);
      results.push_back({after, e.var(vars[i])});
      scalars[result] = e.var(after);
    } else if (isa<ttg::MemDescType>(arg.getType())) {
      ViewSet from = views[arg], to = view(next);
      bool same = to.size() == 1 && from.size() == 1 && to[0].view.sameButSlot(from[0].view) &&
                  to[0].when == NoExpr && from[0].when == NoExpr;
      if (next == arg || (same && vars[i] < 0 && to[0].view.slot == from[0].view.slot)) {
        if (vars[i] >= 0)
          stmt.nexts.push_back({vars[i], e.var(vars[i])});
      } else if (same && vars[i] >= 0 && to[0].view.slot != NoExpr) {
        stmt.nexts.push_back({vars[i], to[0].view.slot});
      } else {
        lostView(op, arg, result, stmt.body);
        continue;
      }
      ViewSet after = from;
      if (vars[i] >= 0) {
        VarId var = newVar(result);
        results.push_back({var, e.var(vars[i])});
        after[0].view.slot = e.var(var);
      }
      views[result] = after;
    }
    if (offsets[i] >= 0) {
      stmt.nexts.push_back({offsets[i], affine(next)->rest});
      VarId after = newVar(result);
      results.push_back({after, e.var(offsets[i])});
      carried[result] = carried[arg];
      carried[result].rest = e.var(after);
    }
  }
  countedAnswers(answers, stmt, results);
  --depth;
  std::optional<Stmt> after;
  if (!results.empty())
    after = assignStmt(std::move(results));
  if (pipelined)
    return appendPipeline(p, std::move(stmt), std::move(after), waves(), out);
  out.push_back(std::move(stmt));
  if (after)
    out.push_back(std::move(*after));
}

void Encoder::whileLoop(Operation *op, Block &out) {
  auto loop = cast<scf::WhileOp>(op);
  Stmt stmt{Stmt::LoopStmt};
  stmt.loc = locOf(op);
  stmt.name = "while";
  mlir::Block &before = loop.getBefore().front(), &after = loop.getAfter().front();
  std::vector<VarId> vars(before.getNumArguments(), -1);
  for (auto [i, arg] : llvm::enumerate(before.getArguments())) {
    vars[i] = carry(arg, loop.getInits()[i], stmt);
    if (isScalar(arg.getType()) && p.varNames[vars[i]].empty())
      p.varNames[vars[i]] =
          nameOf(op->getNumResults() > i ? Value(op->getResult(i)) : Value(arg), "");
  }
  VarId answers = countAnswers(op, stmt);
  ++depth;
  block(before, stmt.before);
  ExprId answersAtExit = answersRead;
  auto condition = cast<scf::ConditionOp>(before.getTerminator());
  stmt.cond = scalar(condition.getCondition());
  std::vector<Assign> results;
  for (auto [i, value] : llvm::enumerate(condition.getArgs())) {
    Value arg = after.getArgument(i), result = op->getResult(i);
    if (isScalar(arg.getType())) {
      scalars[arg] = scalar(value);
      VarId var = newVar(result);
      results.push_back({var, scalar(value)});
    } else if (isa<ttg::MemDescType>(arg.getType())) {
      views[arg] = view(value);
      carrySlot(result, view(value), results);
    }
  }
  block(after, stmt.body);
  Operation *yield = after.getTerminator();
  for (auto [i, arg] : llvm::enumerate(before.getArguments())) {
    Value next = yield->getOperand(i);
    if (isScalar(arg.getType())) {
      stmt.nexts.push_back({vars[i], scalar(next)});
    } else if (isa<ttg::MemDescType>(arg.getType())) {
      ViewSet from = views[arg], to = view(next);
      bool same = to.size() == 1 && from.size() == 1 && to[0].view.sameButSlot(from[0].view) &&
                  to[0].when == NoExpr;
      if (same && vars[i] >= 0 && to[0].view.slot != NoExpr)
        stmt.nexts.push_back({vars[i], to[0].view.slot});
      else if (!same || to[0].view.slot != from[0].view.slot)
        unsupported(op, "carries a buffer that is not one slot of one allocation", stmt.body);
    }
  }
  countedAnswers(answers, stmt, results);
  if (answers >= 0)
    results.back().value = answersAtExit; // the condition stands in the middle
  --depth;
  out.push_back(std::move(stmt));
  size_t at = 0;
  for (auto [i, value] : llvm::enumerate(condition.getArgs()))
    if (isScalar(op->getResult(i).getType()))
      scalars[op->getResult(i)] = e.var(results[at++].var);
    else if (auto it = views.find(op->getResult(i));
             it != views.end() && it->second.size() == 1 && it->second[0].view.slot != NoExpr)
      ++at;
  if (!results.empty())
    out.push_back(assignStmt(std::move(results)));
}

bool Encoder::synchronises(const Block &block) const {
  for (const Stmt &stmt : block) {
    if (synchronises(stmt.before) || synchronises(stmt.body) || synchronises(stmt.orElse))
      return true;
    if (stmt.kind != Stmt::EventStmt)
      continue;
    for (const Effect &effect : p.events[stmt.event].effects)
      if (effect.kind != sync::Kind::Read && effect.kind != sync::Kind::Write)
        return true;
  }
  return false;
}

/// The first instruction in which a warp has to take part as a whole.
const Event *Encoder::alignedBarrier(const Block &block) const {
  for (const Stmt &stmt : block) {
    if (stmt.kind == Stmt::EventStmt)
      for (const Effect &effect : p.events[stmt.event].effects)
        if (effect.kind == sync::Kind::NamedBarrierSync ||
            effect.kind == sync::Kind::NamedBarrierArrive ||
            effect.kind == sync::Kind::TaskBarrier || effect.kind == sync::Kind::ClusterArrive ||
            effect.kind == sync::Kind::ClusterWait)
          return &p.events[stmt.event];
    for (const Block *inner : {&stmt.before, &stmt.body, &stmt.orElse})
      if (const Event *found = alignedBarrier(*inner))
        return found;
  }
  return nullptr;
}

/// Threads of one task that part must not meet anybody before they are together again.
/// True when they do; says so.
bool Encoder::threadsPart(Operation *op, ExprId cond, const Block &yes, const Block &no,
                          Block &out) {
  if (threadId == NoExpr || !dependsOn(cond, threadId) || (!synchronises(yes) && !synchronises(no)))
    return false;
  const Event *barrier = alignedBarrier(yes);
  if (!barrier)
    barrier = alignedBarrier(no);
  std::optional<std::vector<bool>> threads = threadsWhere(cond);
  bool partsWarp = false;
  for (size_t t = 1; threads && t < threads->size(); ++t)
    partsWarp |= t % 32 != 0 && (*threads)[t] != (*threads)[t - 1];
  if (barrier && partsWarp) {
    Event event = *barrier;
    for (Effect &effect : event.effects)
      effect.diverged = true;
    out.push_back(eventStmt(p.addEvent(std::move(event))));
  } else {
    unsupported(op, "synchronisation under a condition that threads of one task decide apart", out);
  }
  return true;
}

void Encoder::ifElse(Operation *op, Block &out) {
  auto branch = cast<scf::IfOp>(op);
  ExprId cond = scalar(branch.getCondition());
  Block thenBlock, elseBlock;
  bool outer = std::exchange(inBranch, true);
  ExprId answersBefore = answersRead;
  block(*branch.thenBlock(), thenBlock);
  ExprId answersThen = std::exchange(answersRead, answersBefore);
  if (branch.elseBlock())
    block(*branch.elseBlock(), elseBlock);
  inBranch = outer;
  if (threadsPart(op, cond, thenBlock, elseBlock, out))
    return;
  std::vector<Assign> thenAssigns, elseAssigns;
  if (answersThen != answersRead) {
    VarId count = p.addVar("answers");
    thenAssigns.push_back({count, answersThen});
    elseAssigns.push_back({count, answersRead});
    answersRead = e.var(count);
  }
  for (Value result : op->getResults()) {
    unsigned i = cast<OpResult>(result).getResultNumber();
    Value a = branch.thenBlock()->getTerminator()->getOperand(i);
    Value b = branch.elseBlock()->getTerminator()->getOperand(i);
    if (isScalar(result.getType())) {
      VarId var = newVar(result);
      thenAssigns.push_back({var, scalar(a)});
      elseAssigns.push_back({var, scalar(b)});
      scalars[result] = e.var(var);
    } else if (isa<ttg::MemDescType>(result.getType())) {
      ViewSet set;
      for (auto [value, holds] : {std::pair(a, true), std::pair(b, false)})
        for (ViewCase c : view(value)) {
          ExprId when = holds ? cond : e.logicalNot(cond);
          c.when = e.both(when, c.when);
          // A slot that is computed inside the branch lives in a variable.
          if (c.view.slot != NoExpr && !e.isConst(c.view.slot)) {
            VarId var = newVar(result);
            (holds ? thenAssigns : elseAssigns).push_back({var, c.view.slot});
            c.view.slot = e.var(var);
          }
          set.push_back(c);
        }
      views[result] = set;
    }
    if (std::optional<Affine> place = isAddress(result.getType()) ? affine(a) : std::nullopt)
      if (std::optional<Affine> other = affine(b); other && place->sameButRest(*other)) {
        VarId var = newVar(result);
        thenAssigns.push_back({var, place->rest});
        elseAssigns.push_back({var, other->rest});
        place->rest = e.var(var);
        carried[result] = *place;
      }
  }
  if (!thenAssigns.empty())
    thenBlock.push_back(assignStmt(std::move(thenAssigns)));
  if (!elseAssigns.empty())
    elseBlock.push_back(assignStmt(std::move(elseAssigns)));
  if (thenBlock.empty() && elseBlock.empty())
    return;
  // Where the condition is computed says more than where it is used.
  Operation *decides = branch.getCondition().getDefiningOp();
  SourceLoc loc = locOf(decides && locOf(decides).known() ? decides : op);
  out.push_back(ifStmt(cond, std::move(thenBlock), std::move(elseBlock), std::move(loc)));
}

/// Block arguments are variables that every edge sets.
bool Encoder::edge(Operation *branch, ValueRange values, mlir::Block *to, Block &out) {
  std::vector<Assign> assigns;
  for (auto [arg, value] : llvm::zip(to->getArguments(), values)) {
    if (isScalar(arg.getType())) {
      if (!scalars.contains(arg))
        scalars[arg] = e.var(newVar(arg));
      assigns.push_back({static_cast<VarId>(e[scalars[arg]].value), scalar(value)});
    } else if (isa<ttg::MemDescType>(arg.getType())) {
      unsupported(branch, "passes a buffer between blocks", out);
      return false;
    }
  }
  if (!assigns.empty())
    out.push_back(assignStmt(std::move(assigns)));
  return true;
}

/// Blocks from `from` up to `stop` (null: the end of the region): a branch is an if up
/// to where its ways meet again. Early returns look like this.
void Encoder::blocks(mlir::Block *from, mlir::Block *stop, PostDominanceInfo &after,
                     llvm::SmallPtrSetImpl<mlir::Block *> &open, Block &out) {
  SmallVector<mlir::Block *> mine;
  while (from && from != stop) {
    Operation *end = from->getTerminator();
    if (!open.insert(from).second)
      return unsupported(end, "a loop between blocks", out);
    mine.push_back(from);
    block(*from, out);
    if (auto branch = dyn_cast<cf::BranchOp>(end)) {
      if (!edge(end, branch.getDestOperands(), branch.getDest(), out))
        return;
      from = branch.getDest();
    } else if (auto branch = dyn_cast<cf::CondBranchOp>(end)) {
      ExprId cond = scalar(branch.getCondition());
      auto *node = after.getNode(from)->getIDom();
      mlir::Block *join = node ? node->getBlock() : nullptr;
      Block yes, no;
      if (!edge(end, branch.getTrueDestOperands(), branch.getTrueDest(), yes) ||
          !edge(end, branch.getFalseDestOperands(), branch.getFalseDest(), no))
        return unsupported(end, "passes a buffer between blocks", out);
      bool outer = std::exchange(inBranch, true);
      ExprId answersBefore = answersRead;
      blocks(branch.getTrueDest(), join, after, open, yes);
      ExprId answersYes = std::exchange(answersRead, answersBefore);
      blocks(branch.getFalseDest(), join, after, open, no);
      inBranch = outer;
      if (threadsPart(end, cond, yes, no, out))
        return;
      if (answersYes != answersRead) {
        VarId count = p.addVar("answers");
        yes.push_back(assignStmt({{count, answersYes}}));
        no.push_back(assignStmt({{count, answersRead}}));
        answersRead = e.var(count);
      }
      out.push_back(ifStmt(cond, std::move(yes), std::move(no), locOf(end)));
      from = join;
    } else if (end->getNumSuccessors()) {
      return unsupported(end, "this control flow", out);
    } else {
      break;
    }
  }
  for (mlir::Block *block : mine)
    open.erase(block);
}

void Encoder::executeRegion(Operation *op, Block &out) {
  Region &body = op->getRegion(0);
  if (!body.hasOneBlock())
    return unsupported(op, "control flow between blocks inside it", out);
  block(body.front(), out);
  if (waveGroups > 1 && isStage(op))
    stageBorder(op, out);
  for (auto [result, value] :
       llvm::zip(op->getResults(), body.front().getTerminator()->getOperands()))
    if (isScalar(result.getType()))
      scalars[result] = scalar(value);
    else if (isa<ttg::MemDescType>(result.getType()))
      views[result] = view(value);
}

} // namespace tlx::verify
