//===- GlobalTiles.cpp - races on tiles of global memory -------------------===//
//
// Memory of the CTA is cut into cells once and for all. Tiles of global memory lie
// where the iteration says, so each that is touched gets a cell of its own while
// somebody may still collide with it, and every access is held against all that may
// meet it. Two tiles that are not known to meet are not compared (model/Tiles.h).
//
//===----------------------------------------------------------------------===//

#include "verify/checks/Machine.h"

#include <algorithm>
#include <optional>

using namespace tlx::verify;

/// So many tiles of one tensor are remembered.
static constexpr std::ptrdiff_t MostTiles = 64;

void Machine::findTiles() {
  for (int task = 0; task < numTasks; ++task)
    for (const Instr &instr : codes[task].instrs) {
      if (instr.kind != Instr::Event)
        continue;
      for (const Effect &effect : program.events[instr.index].effects) {
        if (effect.target.tile.empty())
          continue;
        auto &tasks = tileTasks[effect.target.object];
        tasks.resize(numTasks);
        tasks[task] = 1;
        if (effect.proxy == sync::Proxy::Async)
          asyncTiles.insert(effect.target.object);
      }
    }
}

/// Whether the task, or one that it has still to start, accesses tiles of a buffer.
bool Machine::mayStillTouch(const State &state, int task, int buffer) const {
  const std::vector<char> &tasks = tileTasks.at(buffer);
  const TaskState &t = state.tasks[task];
  if (!t.started || t.done)
    return false;
  if (tasks[task])
    return true;
  if (program.tasks[task].region >= 0)
    return false;
  for (int other = 0; other < numTasks; ++other)
    if (tasks[other] && program.tasks[other].rank == program.tasks[task].rank &&
        !state.tasks[other].started && !state.tasks[other].done)
      return true;
  return false;
}

bool Machine::mayAccessTile(State &state, int task, int event, const Resolved &what, Accessor by) {
  by.tile = true;
  return std::all_of(state.tiles.begin(), state.tiles.end(), [&](const TileState &tile) {
    return tile.buffer != what.effect->target.object ||
           lie(linears, tile.places, what.places) != Lie::Meet ||
           isOrdered(state, task, event, tile.cell, sync::Space::Global, by, 0);
  });
}

/// What is remembered of a tile.
TileState &Machine::tileOf(State &state, int task, int event, const Resolved &what) {
  int buffer = what.effect->target.object;
  auto ofBuffer = [&](const TileState &tile) { return tile.buffer == buffer; };
  for (TileState &tile : state.tiles)
    if (ofBuffer(tile) && coincide(linears, tile.places, what.places))
      return tile;
  if (std::count_if(state.tiles.begin(), state.tiles.end(), ofBuffer) >= MostTiles) {
    state.tiles.erase(std::find_if(state.tiles.begin(), state.tiles.end(), ofBuffer));
    warn(
        {BugClass::Race,
         "more than " + std::to_string(MostTiles) +
             " tiles of one tensor in global memory may still be in use: with the earliest nothing "
             "is compared any more",
         here(state, task, event),
         {}});
  }
  state.tiles.push_back({buffer, task, state.tasks[task].loops, what.places, Cell{}});
  return state.tiles.back();
}

/// Sums of arguments and program ids that are not one form differ; quotients and products may
/// be equal.
Likeness Machine::compare(ExprId a, ExprId b) {
  auto scalars = [&](ExprId x, ExprId y) {
    const LinForm &distance = linears.form(linears.add(linears.of(x), linears.of(y), -1));
    if (distance == LinForm{})
      return Likeness::Same;
    bool open = std::any_of(distance.terms.begin(), distance.terms.end(), [&](const auto &term) {
      return linears.term(term.first).kind != LinTerm::Sym;
    });
    return open ? Likeness::Open : Likeness::Differ;
  };
  return ValueComparison{program.exprs, scalars, true}.compare(a, b);
}

/// Whether two writes may leave the same behind whichever is the last: both store one value, or
/// what CTAs that work together may both have computed.
bool Machine::agree(const State &state, int task, int event, ExprId value, const Access &other) {
  if (value == NoExpr || other.value == NoExpr)
    return program.tasks[task].rank != program.tasks[taskOf(other)].rank;
  Likeness likeness = compare(value, other.value);
  if (likeness == Likeness::Open)
    warn({BugClass::Race,
          "this and the " + accessText(other) +
              " of the same elements of global memory are not ordered; whether they write the same "
              "values is not decided",
          here(state, task, event),
          {{taskOf(other), other.event, {}, "the other write", {}}}});
  return likeness != Likeness::Differ;
}

/// Forgets what everybody knows who may still access the tensor.
void Machine::settleTiles(State &state) const {
  for (TileState &tile : state.tiles) {
    std::vector<int> live;
    for (int task = 0; task < numTasks; ++task)
      if (mayStillTouch(state, task, tile.buffer))
        for (int half = 0; half < halves(task); ++half)
          live.push_back(strand(task, half));
    bool fences = asyncTiles.contains(tile.buffer);
    std::erase_if(tile.cell.accesses, [&](const Access &access) {
      return std::all_of(live.begin(), live.end(), [&](int row) {
        return state.knowledge.knows(row, access.token) &&
               (!fences || access.asyncProxy || state.knowledge.seesAsync(row, access.token));
      });
    });
  }
  std::erase_if(state.tiles, [](const TileState &tile) { return tile.cell.accesses.empty(); });
}

/// Where a tile lies, with iterations counted as Canonical.cpp counts them.
std::vector<int64_t> Machine::identity(const State &state, const TileState &tile) const {
  std::vector<int64_t> out;
  for (const Place &place : tile.places) {
    out.push_back(place.form);
    for (const Extent &extent : place.extents)
      out.insert(out.end(), {extent.size, extent.stride});
    for (int depth : linears.depthsOf(place.form)) {
      size_t at = static_cast<size_t>(depth) - 1;
      if (at >= place.n.size() || at >= tile.loops.size())
        continue;
      std::vector<int64_t> prefix(place.n.begin(), place.n.begin() + depth - 1);
      int group = loopGroup[tile.task][tile.loops[at]];
      out.push_back(place.n[at] - (group < 0 ? 0 : base(state, group, prefix)));
    }
  }
  return out;
}

/// What waits for bulk stores says that their source was read (`.read`), no more.
void Machine::warnOfReadWait(State &state, int task, int event, const Access &other) {
  warn({BugClass::Race,
        "this comes after the " + accessText(other) +
            " of the same elements of global memory only by a wait that has its source read: "
            "cp.async.bulk.wait_group.read does not wait until they are written",
        here(state, task, event),
        {{taskOf(other), other.event, {}, "the write", {}}}});
}
