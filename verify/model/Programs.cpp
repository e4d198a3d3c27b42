//===- Programs.cpp - races between the programs of a grid -----------------===//
//
// Programs share global memory and nothing orders them. So two accesses of two programs to the
// same elements are a race whenever both happen, and no interleaving has to be looked at. Some
// programs of some launches are executed for numbers (GridRun.h):
//
//   store out + pid / 2 * 64 + [0, 64), pid      programs 0 and 1 store 0 and 1 to one tile
//
// Launches are those that are given, with all that they say, and made-up ones (Launches.h)
// whose arguments are large, so that masks cut nothing off and what is equal there is equal
// for every stride.
//
// Alternative not taken: ids and arguments as unknowns for a solver. Mappings that are wrong
// are wrong for small ids, and numbers decide quotients, remainders and bounds at once.
//
// Only what is certain counts: accesses that are made whatever memory holds, elements that are
// known, and values that differ: ids themselves, or what was loaded from two places and may be
// anything. The rest is a note.
//
//===----------------------------------------------------------------------===//

#include "verify/model/Programs.h"
#include "verify/model/GridRun.h"
#include "verify/model/Launches.h"
#include "verify/model/Likeness.h"

#include <algorithm>
#include <set>

using namespace tlx::verify;

namespace {
/// So many accesses of a launch are compared, in so many pairs.
constexpr size_t MostTouches = 4096, MostPairs = 200'000;

class Search {
public:
  Search(const Program &program, const Launch &launch, bool mayWait, GridRaces &out)
      : launch(launch), mayWait(mayWait), out(out), machine(program, launch.iterations) {}

  void run() {
    for (const auto &id : launch.programs) {
      machine.run(launch.numbersOf(id), id, touches);
      if (touches.size() > MostTouches)
        break;
    }
    for (size_t i = 0; i < touches.size(); ++i)
      made.try_emplace({touches[i].access, touches[i].iterations, touches[i].program}, i);
    findAddressed();
    unplaced();
    compareAll();
  }

  std::set<const Event *> doubtful; ///< may race, for all that is known
  std::set<const Event *> lost;     ///< where it lies is not known
  /// By axis: may race where there are several programs along it.
  std::array<std::set<const Event *>, 3> alone;

private:
  using Made = std::tuple<const GridAccess *, std::vector<int64_t>, std::array<int64_t, 3>>;

  /// The same access by another program, in the same iteration.
  const GridTouch *madeBy(const GridTouch &one, const std::array<int64_t, 3> &id) const {
    auto it = made.find({one.access, one.iterations, id});
    return it == made.end() ? nullptr : &touches[it->second];
  }

  static bool lieAlike(const GridTouch &a, const GridTouch &b) {
    return a.placed == b.placed && a.first == b.first && a.sides == b.sides;
  }

  /// Whether an access is another one in the program `id`.
  bool differs(const GridTouch &one, const std::array<int64_t, 3> &id) const {
    const GridTouch *other = madeBy(one, id);
    return !other || !lieAlike(one, *other) ||
           (one.value != NoExpr && compare(one.value, other->value) > Likeness::Open);
  }

  /// The axes along which programs access other elements. Of others a launch that is not known
  /// may have one program.
  void findAddressed() {
    std::set<const GridAccess *> seen;
    for (const GridTouch &one : touches) {
      bool isNew = seen.insert(one.access).second;
      for (int axis = 0; isNew && axis < 3; ++axis)
        addressed[axis] |= launch.ids[axis] >= 0 && asksFor(*one.access, launch.ids[axis]);
      for (const auto &id : launch.programs) {
        int axis = -1, apart = 0;
        for (int i = 0; i < 3; ++i)
          if (id[i] != one.program[i])
            axis = i, ++apart;
        const GridTouch *other = apart == 1 && !addressed[axis] ? madeBy(one, id) : nullptr;
        if (other)
          addressed[axis] = !lieAlike(one, *other);
      }
    }
  }

  /// Whether where an access lies is computed with a symbol.
  bool asksFor(const GridAccess &access, int64_t symbol) const {
    return has(access.base, symbol) ||
           std::any_of(access.axes.begin(), access.axes.end(), [&](const GridAccess::Axis &axis) {
             return has(axis.origin, symbol) || has(axis.stride, symbol);
           });
  }
  bool has(ExprId expr, int64_t symbol) const {
    if (expr == NoExpr)
      return false;
    return !machine.values().every(
        expr, [&](const ExprNode &node) { return node.op != Op::Sym || node.value != symbol; });
  }

  /// The axis along which there have to be several programs for these two, although no launch
  /// says so; -1: none.
  int needsMore(const GridTouch &a, const GridTouch &b) const {
    for (int axis = 0; axis < 3; ++axis)
      if (a.program[axis] != b.program[axis] && !launch.known && !addressed[axis])
        return axis;
    return -1;
  }

  /// Accesses to what is written, at a place that memory says or that is not followed.
  void unplaced() {
    std::set<int> written;
    for (const GridTouch &one : touches)
      if (one.access->write && !one.access->reduces)
        written.insert(one.access->tensor);
    bool more = launch.programs.size() > 1;
    for (const GridTouch &one : touches)
      if (more && !one.placed && one.ofData && written.contains(one.access->tensor))
        lost.insert(one.event);
  }

  void compareAll() {
    std::map<int, std::vector<const GridTouch *>> tensors;
    size_t pairs = 0;
    for (const GridTouch &one : touches)
      if (one.placed && one.access->tensor >= 0)
        tensors[one.access->tensor].push_back(&one);
    for (auto &[tensor, all] : tensors) {
      if (std::none_of(all.begin(), all.end(), [](auto *one) { return one->access->write; }))
        continue;
      std::sort(all.begin(), all.end(), [](const GridTouch *a, const GridTouch *b) {
        return std::pair(a->first, a) < std::pair(b->first, b);
      });
      for (size_t i = 0; i < all.size(); ++i)
        for (size_t j = i + 1; j < all.size() && all[j]->first <= all[i]->last; ++j)
          // In the order of the program, or of the ids.
          if (++pairs > MostPairs ||
              (all[i] < all[j] ? judge(*all[i], *all[j]) : judge(*all[j], *all[i])))
            return;
    }
  }

  /// Whether some element is in both.
  static bool meet(const GridTouch &a, const GridTouch &b) {
    bool described = !a.access->axes.empty() && a.access->axes[0].stride == NoExpr;
    if (a.sides.size() != b.sides.size() && described)
      return false;
    for (size_t i = 0; described && i < a.sides.size(); ++i)
      if (a.sides[i].first + a.sides[i].size <= b.sides[i].first ||
          b.sides[i].first + b.sides[i].size <= a.sides[i].first)
        return false;
    return tlx::verify::meet(a.extents, b.extents, a.first - b.first);
  }

  /// Whether bounds of an access are of the tensor, not of a part of it that each program has
  /// to itself: `64 * id + i < n`, not `i < n`, which may be as large as it likes.
  bool isBoundedAlike(const GridTouch &one, const std::array<int64_t, 3> &id) const {
    const GridTouch *other = madeBy(one, id);
    return one.ends.empty() || (other && other->ends == one.ends);
  }

  /// `a` comes first in its program, or is of an earlier one. True: a race was found.
  bool judge(const GridTouch &a, const GridTouch &b) {
    if (!(a.access->write || b.access->write) || (a.access->reduces && b.access->reduces))
      return false;
    bool oneProgram = a.program == b.program;
    if (oneProgram && !ofOneTask(a, b))
      return false;
    if (!meet(a, b))
      return false;
    bool certain = a.certain && b.certain && !a.access->partial && !b.access->partial;
    if (oneProgram) {
      if (certain)
        out.race = describe(a, b);
      return certain;
    }
    bool same = lieAlike(a, b);
    if (!launch.known && !same && !(isBoundedAlike(a, b.program) && isBoundedAlike(b, a.program)))
      return false;
    // What every program does alike is made for one of them.
    if (!differs(a, b.program) && !differs(b, a.program))
      return false;
    certain &= !mayWait;
    if (a.access->write && b.access->write) {
      bool again = a.access == b.access && a.iterations == b.iterations;
      if (same && again && a.value == NoExpr && b.value == NoExpr)
        return false; // both may have computed it
      Likeness likeness = compare(a.value, b.value);
      if (likeness == Likeness::Same && same)
        return false;
      // What is loaded differs from element to element: two tiles that only overlap may agree.
      certain &= likeness == Likeness::Differ || (likeness == Likeness::Free && same);
      if (!certain && isOneNumber(a.value) && likeness == Likeness::Same)
        return false;
    }
    if (int axis = needsMore(a, b); axis >= 0) {
      alone[axis].insert({a.event, b.event});
      return false;
    }
    if (certain)
      out.race = describe(a, b);
    else
      doubtful.insert({a.event, b.event});
    return certain;
  }

  /// Whether two accesses of one task to the same elements are by different threads, and none
  /// waits for the others in between. The run of the task looks at asynchronous ones.
  static bool ofOneTask(const GridTouch &a, const GridTouch &b) {
    if (a.task != b.task || a.access->async || b.access->async || a.meetings != b.meetings ||
        a.perhaps != b.perhaps || a.access->reduces || b.access->reduces)
      return false;
    // Masks leave threads out, no more.
    bool sameThreads = a.sides.size() == b.sides.size() && a.start == b.start &&
                       a.access->layout == b.access->layout;
    for (size_t axis = 0; sameThreads && axis < a.sides.size(); ++axis)
      sameThreads = a.access->axes[axis].size == b.access->axes[axis].size &&
                    a.sides[axis].stride == b.sides[axis].stride;
    return !sameThreads;
  }

  /// Whether all elements of a tile have one value.
  bool isOneNumber(ExprId value) const {
    if (value == NoExpr)
      return false;
    const ExprNode &node = machine.values()[value];
    if (node.op != Op::Opaque)
      return true;
    const std::string &name = machine.values().opaques[static_cast<size_t>(node.value)].name;
    if (name.starts_with("tt.load") || name.starts_with("tt.make_range") ||
        name.starts_with("region") || name.starts_with("carried"))
      return false;
    for (ExprId part : {node.a, node.b, node.c})
      if (part != NoExpr && !isOneNumber(part))
        return false;
    return true;
  }

  Likeness compare(ExprId a, ExprId b) const {
    const Exprs &values = machine.values();
    auto scalars = [&](ExprId x, ExprId y) {
      return values.isConst(x) && values.isConst(y) ? Likeness::Differ : Likeness::Open;
    };
    return ValueComparison{values, scalars}.compare(a, b);
  }

  Excess describe(const GridTouch &a, const GridTouch &b) const {
    auto access = [](const GridTouch &one) {
      return std::string(one.access->write ? "write" : "read") + " by " + one.event->op;
    };
    auto where = [&](const GridTouch &one) {
      std::string text = launch.name(one.program);
      for (int64_t n : one.iterations)
        text += (text.empty() ? "iteration " : ", iteration ") + std::to_string(n);
      if (!launch.text.empty())
        text += (text.empty() ? "" : ", ") + launch.text;
      return access(one) + (text.empty() ? "" : " where " + text);
    };
    Excess out;
    out.message = a.program == b.program
                      ? access(b) + " is not ordered after the " + access(a) +
                            " of the same elements of global memory by other threads of the task: "
                            "no barrier is between them"
                      : access(b) + " of one program is not ordered after the " + access(a) +
                            " of another to the same elements of global memory: nothing orders "
                            "programs";
    out.loc = b.event->loc;
    out.parts = {{where(b), b.event->loc}, {where(a), a.event->loc}};
    return out;
  }

  const Launch &launch;
  const bool mayWait;
  GridRaces &out;
  GridRun machine;
  std::vector<GridTouch> touches;
  std::map<Made, size_t> made;
  std::array<bool, 3> addressed{};
};

/// Operations and their places, in the kernel's order.
std::string namesOf(const std::set<const Event *> &events) {
  std::set<std::pair<int64_t, std::string>> names; // of CTAs of a cluster the same
  for (const Event *event : events)
    names.emplace(event->operation, event->op + " at " + event->loc.str());
  std::string text;
  for (const auto &[number, name] : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}
} // namespace

GridRaces tlx::verify::racesOfGrid(const Program &program, const std::vector<KnownLaunch> &launches,
                                   bool mayWait) {
  GridRaces out;
  bool writes = std::any_of(program.events.begin(), program.events.end(), [](const Event &event) {
    return std::any_of(event.grid.begin(), event.grid.end(),
                       [](const GridAccess &access) { return access.write; });
  });
  if (!writes)
    return out;
  std::set<const Event *> doubtful, lost;
  std::array<std::set<const Event *>, 3> alone;
  for (const Launch &launch : launchesOf(program, launches)) {
    Search search(program, launch, mayWait, out);
    search.run();
    if (out.race)
      return out;
    doubtful.merge(search.doubtful);
    lost.merge(search.lost);
    for (size_t axis = 0; axis < 3; ++axis)
      alone[axis].merge(search.alone[axis]);
  }
  for (size_t axis = 0; axis < 3; ++axis)
    if (!alone[axis].empty())
      out.notes.push_back(std::string("taken for granted: the grid has one program along ") +
                          "xyz"[axis] +
                          ", since several may access the same elements: " + namesOf(alone[axis]));
  if (!doubtful.empty())
    out.notes.push_back(
        (mayWait ? "not compared, since programs may wait for each other through "
                   "global memory: "
                 : "not decided: ") +
        ("programs of the grid may access the same elements: " + namesOf(doubtful)));
  if (!lost.empty())
    out.notes.push_back("not compared between programs of the grid, since it is not followed where "
                        "they lie: " +
                        namesOf(lost));
  return out;
}
