//===- Programs.cpp - races between the programs of a grid -----------------===//
//
// Programs share global memory and nothing orders them. So two accesses of two programs to one
// tile are a race whenever both happen, and no run has to be looked at. A few programs with
// small ids are tried, each with numbers for its ids and iterations:
//
//   store out + pid / 2 * 64 + [0, 64), pid      programs 0 and 1 store 0 and 1 to one tile
//
// Alternative not taken: ids as unknowns for a solver. Mappings that are wrong are wrong for small
// ids, and numbers decide quotients and remainders at once.
//
// Only what is certain counts: conditions that are numbers then, or are true in a launch with
// large arguments (masks cut nothing off there), tiles at a distance that is a number, and values
// that differ: ids themselves, or what was loaded from two places and may be anything.
//
//===----------------------------------------------------------------------===//

#include "verify/model/Programs.h"
#include "verify/model/Tiles.h"

#include <algorithm>
#include <array>

using namespace tlx::verify;

namespace {
/// So many programs are tried along an axis (of several fewer), and iterations of each loop.
constexpr int64_t Tried = 3, TriedOfEach = 2, Iterations = 2;
constexpr int MostLoops = 3;
constexpr int64_t Large = 1 << 20; ///< an argument, where a condition asks for it

struct Guard {
  ExprId cond;
  bool holds;
};

bool isWrite(const Effect &effect) { return effect.kind == tlx::sync::Kind::Write; }

struct Access {
  int rank;
  const Event *event;
  const Effect *effect;
  std::vector<Guard> guards; ///< of branches and loops around it
  int depth;
};

/// An access as one program makes it in one iteration.
struct Instance {
  const Access *access;
  Linears::Numbers numbers;
  std::array<int64_t, 3> program;
  std::vector<Place> places;
};

/// How the values of two programs compare. Free: at the will of who fills memory.
enum class Likeness : uint8_t { Same, Open, Differ, Free };

class Search {
public:
  Search(const Program &program, const std::set<int64_t> &masked)
      : program(program), masked(masked), exprs(program.exprs), linears(program) {
    for (const Task &task : program.tasks) {
      std::vector<Guard> guards;
      collect(task.body, task.rank, guards, 0);
    }
  }

  std::optional<Excess> run() {
    if (accesses.empty() || !findAxes())
      return std::nullopt;
    for (const Task &task : program.tasks)
      linears.analyse(task.body);
    std::set<int> written;
    for (const Access &access : accesses)
      if (isWrite(*access.effect))
        written.insert(access.effect->target.object);
    std::vector<Instance> instances;
    for (const Access &access : accesses)
      if (written.contains(access.effect->target.object))
        instantiate(access, instances);
    for (size_t axis = 0; axis < 3; ++axis)
      addressed[axis] = std::any_of(instances.begin(), instances.end(), [&](const Instance &one) {
        Instance other = one;
        other.numbers.symbols[ids[axis]] = one.program[axis] + 1;
        return ids[axis] >= 0 && moves(one, other);
      });
    for (size_t i = 0; i < instances.size(); ++i)
      for (size_t j = 0; j <= i; ++j)
        if (collide(instances[i], instances[j]))
          return describe(instances[i], instances[j]);
    return std::nullopt;
  }

private:
  void collect(const Block &block, int rank, std::vector<Guard> &guards, int depth) {
    for (const Stmt &stmt : block) {
      if (stmt.kind == Stmt::EventStmt)
        for (const Effect &effect : program.events[stmt.event].effects)
          if (!effect.target.tile.empty() && depth <= MostLoops)
            accesses.push_back({rank, &program.events[stmt.event], &effect, guards, depth});
      if (stmt.kind != Stmt::LoopStmt && stmt.kind != Stmt::IfStmt)
        continue;
      guards.push_back({stmt.cond, true});
      collect(stmt.body, rank, guards, depth + (stmt.kind == Stmt::LoopStmt));
      guards.back().holds = false;
      collect(stmt.orElse, rank, guards, depth);
      guards.pop_back();
    }
  }

  /// The ids of programs that the kernel reads; false: nothing tells programs apart, or there
  /// are assumptions about launches.
  bool findAxes() {
    for (size_t i = 0; i < exprs.symbols.size(); ++i)
      for (size_t axis = 0; axis < 3; ++axis) {
        const std::string &name = exprs.symbols[i].name;
        std::string letter(1, "xyz"[axis]);
        if (name == "program_id." + letter || name == "cluster_id." + letter)
          ids[axis] = static_cast<int64_t>(i);
        else if (name == "num_programs." + letter)
          counts[axis] = static_cast<int64_t>(i);
      }
    auto axes = std::count_if(ids.begin(), ids.end(), [](int64_t id) { return id >= 0; });
    programs = axes > 1 ? TriedOfEach : Tried;
    return axes && program.assumptions.empty();
  }

  /// Calls `visit` with all combinations of numbers below `limits`.
  template <typename Visit> static void combine(const std::vector<int64_t> &limits, Visit visit) {
    std::vector<int64_t> at(limits.size(), 0);
    while (true) {
      visit(at);
      size_t i = 0;
      while (i < at.size() && ++at[i] == limits[i])
        at[i++] = 0;
      if (i == at.size())
        return;
    }
  }

  void instantiate(const Access &access, std::vector<Instance> &out) {
    std::vector<int64_t> limits;
    for (int64_t id : ids)
      limits.push_back(id < 0 ? 1 : programs);
    limits.insert(limits.end(), static_cast<size_t>(access.depth), Iterations);
    combine(limits, [&](const std::vector<int64_t> &at) {
      Instance one{&access, {}, {at[0], at[1], at[2]}, {}};
      for (size_t axis = 0; axis < 3; ++axis) {
        if (ids[axis] >= 0)
          one.numbers.symbols[ids[axis]] = at[axis];
        if (counts[axis] >= 0 && program.ranks == 1)
          one.numbers.symbols[counts[axis]] = programs;
      }
      one.numbers.iterations.assign(at.begin() + 3, at.end());
      one.places = placesOf(access, one.numbers);
      if (!one.places.empty() && happens(one))
        out.push_back(std::move(one));
    });
  }

  /// Where the tile lies; empty when that is not the launch's alone.
  std::vector<Place> placesOf(const Access &access, const Linears::Numbers &numbers) {
    std::vector<Place> out;
    for (const Range &range : access.effect->target.tile) {
      auto origin = linears.at(linears.of(range.origin), numbers);
      if (!origin)
        return {};
      out.push_back({*origin, {}, range.extents, range.isMemory});
    }
    return out;
  }

  /// Whether an access lies elsewhere in the program of `to`.
  bool moves(const Instance &one, const Instance &to) {
    std::vector<Place> there = placesOf(*one.access, {to.numbers.symbols, one.numbers.iterations});
    return !std::equal(there.begin(), there.end(), one.places.begin(), one.places.end(),
                       [](const Place &a, const Place &b) { return a.form == b.form; });
  }

  /// Whether an access is another one there.
  bool differs(const Instance &one, const Instance &to) {
    Linears::Numbers numbers{to.numbers.symbols, one.numbers.iterations};
    ExprId value = one.access->effect->value;
    return moves(one, to) ||
           (value != NoExpr && compare(value, one.numbers, value, numbers) != Likeness::Same);
  }

  bool happens(const Instance &one) {
    if (one.access->effect->pred != NoExpr && !holds({one.access->effect->pred, true}, one.numbers))
      return false;
    return std::all_of(one.access->guards.begin(), one.access->guards.end(),
                       [&](const Guard &guard) { return holds(guard, one.numbers); });
  }

  /// Whether a condition is as said in a launch whose arguments are large.
  bool holds(const Guard &guard, const Linears::Numbers &numbers) {
    auto form = linears.at(linears.of(guard.cond), numbers);
    if (!form)
      return false;
    auto value = linears.evaluate(linears.form(*form), [&](int64_t id) -> std::optional<int64_t> {
      const Symbol &symbol = exprs.symbols[static_cast<size_t>(id)];
      if (symbol.parameter < 0)
        return std::nullopt;
      return std::clamp(Large, symbol.lo, symbol.hi);
    });
    return value && (*value != 0) == guard.holds;
  }

  /// Whether two programs differ, and only along axes that say where accesses lie: of others the
  /// launch may have one.
  bool apart(const Instance &a, const Instance &b) const {
    for (size_t axis = 0; axis < 3; ++axis)
      if (a.program[axis] != b.program[axis] && !addressed[axis])
        return false;
    return a.program != b.program;
  }

  bool collide(const Instance &a, const Instance &b) {
    const Effect &x = *a.access->effect, &y = *b.access->effect;
    if (!apart(a, b) || x.target.object != y.target.object || !(isWrite(x) || isWrite(y)) ||
        (x.reduces && y.reduces) || lie(linears, a.places, b.places) != Lie::Meet)
      return false;
    bool same = coincide(linears, a.places, b.places);
    if (!same && (masked.contains(a.access->event->operation) ||
                  masked.contains(b.access->event->operation)))
      return false;
    // What every program does alike is made for one of them.
    if (!differs(a, b) && !differs(b, a))
      return false;
    if (!isWrite(x) || !isWrite(y))
      return true;
    if (x.value == NoExpr || y.value == NoExpr)
      return false; // both may have computed it
    Likeness likeness = compare(x.value, a.numbers, y.value, b.numbers);
    // What is loaded differs from element to element: two tiles that only overlap may agree.
    return likeness == Likeness::Differ || (likeness == Likeness::Free && same);
  }

  /// A function of several values: its name, and these.
  std::string parts(ExprId value, std::vector<ExprId> &out) const {
    const ExprNode &node = exprs[value];
    const std::string &name = exprs.opaques[node.value].name;
    if (name != "with") {
      for (ExprId part : {node.a, node.b, node.c})
        if (part != NoExpr)
          out.push_back(part);
      return name;
    }
    std::string of = parts(node.a, out);
    out.push_back(node.b);
    return of;
  }

  /// Whether different operands, the others equal, give different results.
  static bool tellsApart(const std::string &function) {
    constexpr std::array names = {"tt.splat",     "tt.broadcast", "tt.expand_dims", "tt.addptr",
                                  "arith.sitofp", "arith.uitofp", "arith.extsi",    "arith.extui",
                                  "arith.extf",   "arith.addi",   "arith.subi",     "arith.addf",
                                  "arith.subf",   "arith.truncf"};
    return std::find(names.begin(), names.end(), function.substr(0, function.find(' '))) !=
           names.end();
  }

  Likeness compare(ExprId a, const Linears::Numbers &ofA, ExprId b, const Linears::Numbers &ofB) {
    if (exprs[a].op != Op::Opaque || exprs[b].op != Op::Opaque) {
      auto x = linears.at(linears.of(a), ofA), y = linears.at(linears.of(b), ofB);
      if (!x || !y)
        return Likeness::Open;
      const LinForm &distance = linears.form(linears.add(*x, *y, -1));
      return !distance.terms.empty() ? Likeness::Open
             : distance.c            ? Likeness::Differ
                                     : Likeness::Same;
    }
    std::vector<ExprId> left, right;
    std::string function = parts(a, left), other = parts(b, right);
    bool constants = left.empty() && right.empty() && function.starts_with("arith.constant") &&
                     other.starts_with("arith.constant");
    if (function != other || left.size() != right.size())
      return constants ? Likeness::Differ : Likeness::Open;
    bool loads = function.starts_with("tt.load") || function == "load";
    Likeness worst = Likeness::Same;
    int differing = 0;
    for (size_t i = 0; i < (loads ? std::min<size_t>(1, left.size()) : left.size()); ++i) {
      Likeness part = compare(left[i], ofA, right[i], ofB);
      if (part == Likeness::Open)
        return part;
      worst = std::max(worst, part);
      differing += part != Likeness::Same;
    }
    if (worst == Likeness::Differ && loads)
      return Likeness::Free;
    if (worst == Likeness::Differ && (differing > 1 || !tellsApart(function)))
      return Likeness::Open;
    return worst;
  }

  Excess describe(const Instance &a, const Instance &b) const {
    auto access = [](const Instance &one) {
      return std::string(isWrite(*one.access->effect) ? "write" : "read") + " by " +
             one.access->event->op;
    };
    auto name = [&](const Instance &one) {
      std::string text;
      for (size_t axis = 0; axis < 3; ++axis)
        if (ids[axis] >= 0)
          text += (text.empty() ? "" : ", ") + exprs.symbols[ids[axis]].name + " = " +
                  std::to_string(one.program[axis]);
      for (int64_t n : one.numbers.iterations)
        text += ", iteration " + std::to_string(n);
      return text;
    };
    Excess out;
    out.message = access(a) + " of one program is not ordered after the " + access(b) +
                  " of another to the same elements of global memory: nothing orders programs";
    out.loc = a.access->event->loc;
    out.parts = {{access(a) + " where " + name(a), a.access->event->loc},
                 {access(b) + " where " + name(b), b.access->event->loc}};
    return out;
  }

  const Program &program;
  const std::set<int64_t> &masked;
  const Exprs &exprs;
  Linears linears;
  std::vector<Access> accesses;
  std::array<int64_t, 3> ids{-1, -1, -1}, counts{-1, -1, -1}; ///< symbols by axis
  std::array<bool, 3> addressed{};
  int64_t programs = 0; ///< along each
};
} // namespace

std::optional<Excess> tlx::verify::raceBetweenPrograms(const Program &program,
                                                       const std::set<int64_t> &masked) {
  return Search(program, masked).run();
}
