#include "verify/model/GridRun.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

using namespace tlx::verify;

/// So many statements of one program are executed.
static constexpr size_t MostSteps = 4096;

GridRun::GridRun(const Program &program, int64_t iterations)
    : program(program), exprs(program.exprs), most(iterations) {
  for (const Event &event : program.events)
    for (const GridAccess &access : event.grid)
      if (access.write)
        written.insert(access.tensor);
}

void GridRun::begin(const GridNumbers &given) {
  numbers = &given;
  vars.clear();
  unknowns.clear();
  memo.clear();
  steps = 0;
}

std::optional<int64_t> GridRun::valueOf(ExprId expr, const GridNumbers &given) {
  begin(given);
  return number(expr);
}

void GridRun::run(const GridNumbers &given, std::array<int64_t, 3> program3,
                  std::vector<GridTouch> &touches) {
  begin(given);
  id = program3;
  out = &touches;
  for (size_t task = 0; task < program.tasks.size(); ++task)
    if (program.tasks[task].region < 0) {
      Context context;
      context.rank = program.tasks[task].rank;
      context.task = static_cast<int>(task);
      block(program.tasks[task].body, context);
    }
}

/// Something that may be anything, and nothing else is.
ExprId GridRun::unknown() {
  Symbol symbol;
  symbol.name = "data";
  return exprs.symbol(symbol);
}

/// An expression with everything in its place that is known; always in terms of symbols that
/// stand for data or for what the launch leaves open.
ExprId GridRun::eval(ExprId expr) {
  if (expr == NoExpr)
    return NoExpr;
  if (auto it = memo.find(expr); it != memo.end())
    return it->second;
  ExprId value = compute(expr);
  memo[expr] = value;
  return value;
}

ExprId GridRun::compute(ExprId expr) {
  const ExprNode node = exprs[expr];
  switch (node.op) {
  case Op::Const: return expr;
  case Op::Var: {
    auto [it, isNew] = vars.try_emplace(static_cast<VarId>(node.value), NoExpr);
    if (isNew)
      it->second = unknown();
    return it->second;
  }
  case Op::Sym: {
    if (auto it = numbers->find(node.value); it != numbers->end())
      return exprs.constant(it->second);
    if (exprs.symbols[static_cast<size_t>(node.value)].ofLaunch)
      return expr;
    auto [it, isNew] = unknowns.try_emplace(node.value, NoExpr);
    if (isNew)
      it->second = unknown();
    return it->second;
  }
  case Op::Select: {
    ExprId cond = eval(node.a);
    if (exprs.isConst(cond))
      return eval(exprs[cond].value ? node.b : node.c);
    return exprs.select(cond, eval(node.b), eval(node.c));
  }
  case Op::Opaque: {
    const Function function = exprs.opaques[static_cast<size_t>(node.value)];
    if (function.sequence)
      return unknown(); // each program is given its own
    ExprId a = eval(node.a), b = eval(node.b), c = eval(node.c);
    return exprs.opaque(function.name, a, b, c);
  }
  default: {
    ExprId a = eval(node.a), b = eval(node.b);
    return exprs.binary(node.op, a, b);
  }
  }
}

std::optional<int64_t> GridRun::number(ExprId expr) {
  ExprId value = eval(expr);
  return value != NoExpr && exprs.isConst(value) ? std::optional(exprs[value].value) : std::nullopt;
}

/// Whether a value is read from memory.
bool GridRun::isOfData(ExprId value) const {
  if (value == NoExpr)
    return false;
  const ExprNode &node = exprs[value];
  return (node.op == Op::Opaque && exprs.opaques[static_cast<size_t>(node.value)].loads()) ||
         isOfData(node.a) || isOfData(node.b) || isOfData(node.c);
}

void GridRun::assign(const std::vector<Assign> &assigns) {
  std::vector<ExprId> values;
  for (const Assign &one : assigns)
    values.push_back(eval(one.value));
  for (size_t i = 0; i < assigns.size(); ++i)
    vars[assigns[i].var] = values[i];
  if (!assigns.empty())
    memo.clear();
}

void GridRun::forget(const std::vector<Assign> &assigns) {
  for (const Assign &one : assigns)
    vars[one.var] = unknown();
  memo.clear();
}

void GridRun::block(const Block &body, Context &context) {
  for (const Stmt &stmt : body) {
    if (++steps > MostSteps)
      return;
    switch (stmt.kind) {
    case Stmt::EventStmt: event(program.events[static_cast<size_t>(stmt.event)], context); break;
    case Stmt::AssignStmt: assign(stmt.inits); break;
    case Stmt::IfStmt: branch(stmt, context); break;
    case Stmt::LoopStmt: loop(stmt, context); break;
    case Stmt::ForkStmt: fork(stmt.event, context); break;
    case Stmt::JoinStmt: ++context.meetings; break;
    case Stmt::UnsupportedStmt: break;
    }
  }
}

void GridRun::event(const Event &event, Context &context) {
  for (const GridAccess &access : event.grid)
    if (matters(access))
      touch(access, event, context);
  context.meetings += event.joins == Joins::Always;
  context.perhaps += event.joins == Joins::Perhaps;
}

void GridRun::touch(const GridAccess &access, const Event &event, const Context &context) {
  auto holds = access.pred == NoExpr ? std::optional<int64_t>(1) : number(access.pred);
  if (holds == 0)
    return;
  GridTouch touch;
  touch.access = &access;
  touch.event = &event;
  touch.task = context.task;
  touch.program = id;
  touch.iterations = context.iterations;
  touch.certain = context.certain && holds;
  touch.meetings = context.meetings;
  touch.perhaps = context.perhaps;
  touch.value = eval(access.value);
  place(access, touch);
  bool empty = std::any_of(touch.sides.begin(), touch.sides.end(),
                           [](const GridTouch::Side &side) { return side.size <= 0; });
  if (!touch.placed || !empty)
    out->push_back(std::move(touch));
}

/// Where the elements are: as the tile is spelled, and in memory.
void GridRun::place(const GridAccess &access, GridTouch &touch) {
  auto base = number(access.base);
  if (!base) {
    touch.ofData = access.base == NoExpr || isOfData(eval(access.base));
    return;
  }
  touch.first = touch.start = *base;
  for (const GridAccess::Axis &axis : access.axes) {
    auto origin = number(axis.origin);
    auto stride = axis.stride == NoExpr ? std::optional<int64_t>(1) : number(axis.stride);
    auto from = axis.from == NoExpr ? std::optional<int64_t>(0) : number(axis.from);
    auto to = axis.to == NoExpr ? std::optional(axis.size) : number(axis.to);
    if (!origin || !stride || !from || !to) {
      touch.ofData =
          isOfData(eval(axis.origin)) || isOfData(eval(axis.from)) || isOfData(eval(axis.to));
      return;
    }
    int64_t least = std::max<int64_t>(*from, 0), size = std::min(*to, axis.size) - least;
    touch.sides.push_back({*origin + least, size, *stride});
    if (axis.to != NoExpr && *to >= axis.size)
      touch.ends.push_back(*base + (*origin + *to) * *stride);
    if (axis.stride == NoExpr || size <= 0)
      continue;
    touch.first += (*origin + least) * *stride;
    touch.start += *origin * *stride;
    if (*stride < 0)
      touch.first += (size - 1) * *stride;
    if (*stride && size > 1)
      touch.extents.push_back({size, std::abs(*stride)});
  }
  touch.last = touch.first;
  for (const Extent &extent : touch.extents)
    touch.last += (extent.size - 1) * extent.stride;
  touch.placed = true;
}

void GridRun::branch(const Stmt &stmt, Context &context) {
  if (auto cond = number(stmt.cond))
    return block(*cond ? stmt.body : stmt.orElse, context);
  bool certain = std::exchange(context.certain, false);
  const auto before = vars;
  block(stmt.body, context);
  auto yes = std::exchange(vars, before);
  memo.clear();
  block(stmt.orElse, context);
  for (auto &[var, value] : vars) {
    auto other = yes.find(var);
    if (other != yes.end() && other->second != value)
      value = unknown();
  }
  for (const auto &[var, value] : yes)
    vars.try_emplace(var, value);
  memo.clear();
  context.certain = certain;
}

/// Whether a loop does something, and nothing that matters here.
bool GridRun::isOnlyWork(const Stmt &loop) const {
  bool works = false, counts = false;
  auto look = [&](auto &self, const Block &body) -> void {
    for (const Stmt &stmt : body) {
      if (stmt.kind == Stmt::EventStmt) {
        const Event &event = program.events[static_cast<size_t>(stmt.event)];
        works |= !event.effects.empty();
        counts |= std::any_of(event.grid.begin(), event.grid.end(),
                              [&](const GridAccess &access) { return matters(access); });
      }
      counts |= stmt.kind == Stmt::ForkStmt;
      for (const Block *inner : {&stmt.before, &stmt.body, &stmt.orElse})
        self(self, *inner);
    }
  };
  look(look, loop.before);
  look(look, loop.body);
  return works && !counts;
}

void GridRun::loop(const Stmt &stmt, Context &context) {
  assign(stmt.inits);
  auto [idle, isNew] = onlyWork.try_emplace(&stmt, false);
  if (isNew)
    idle->second = isOnlyWork(stmt);
  if (idle->second) {
    ++context.perhaps;
    return forget(stmt.nexts);
  }
  bool certain = context.certain;
  context.iterations.push_back(0);
  while (true) {
    block(stmt.before, context);
    auto cond = number(stmt.cond);
    if (cond == 0)
      break;
    context.certain &= cond.has_value();
    block(stmt.body, context);
    assign(stmt.nexts);
    if (!cond || ++context.iterations.back() >= most || steps > MostSteps) {
      forget(stmt.nexts); // what it ends with is not known
      break;
    }
  }
  context.iterations.pop_back();
  context.certain = certain;
}

void GridRun::fork(int region, const Context &context) {
  for (size_t task = 0; task < program.tasks.size(); ++task) {
    const Task &one = program.tasks[task];
    if (one.region != region || one.rank != context.rank)
      continue;
    Context own;
    own.rank = one.rank;
    own.task = static_cast<int>(task);
    own.certain = context.certain;
    block(one.body, own);
  }
}
