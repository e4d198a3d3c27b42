#include "verify/checks/MemoryMap.h"

#include <algorithm>
#include <climits>
#include <numeric>
#include <set>

using namespace tlx::verify;

namespace {
/// The value is `residue` modulo `modulus`; modulus 0: it is `residue`.
struct Congruence {
  int64_t modulus = 1, residue = 0;

  Congruence normal() const {
    return modulus ? Congruence{modulus, ((residue % modulus) + modulus) % modulus} : *this;
  }
  Congruence with(const Congruence &other) const { // either of them
    return Congruence{std::gcd(std::gcd(modulus, other.modulus), residue - other.residue), residue}
        .normal();
  }
};

Congruence congruence(const Exprs &exprs, ExprId id) {
  const ExprNode &node = exprs[id];
  auto of = [&](ExprId operand) { return congruence(exprs, operand); };
  switch (node.op) {
  case Op::Const: return {0, node.value};
  case Op::Add:
  case Op::Sub: {
    Congruence a = of(node.a), b = of(node.b);
    int64_t residue = node.op == Op::Add ? a.residue + b.residue : a.residue - b.residue;
    return Congruence{std::gcd(a.modulus, b.modulus), residue}.normal();
  }
  case Op::Mul: {
    Congruence a = of(node.a), b = of(node.b);
    if (a.modulus == 0)
      std::swap(a, b);
    if (b.modulus != 0)
      return {};
    return Congruence{std::abs(a.modulus * b.residue), a.residue * b.residue}.normal();
  }
  case Op::Rem: {
    Congruence a = of(node.a), b = of(node.b);
    if (b.modulus != 0 || b.residue == 0)
      return {};
    return Congruence{std::gcd(a.modulus, b.residue), a.residue}.normal();
  }
  case Op::Select: return of(node.b).with(of(node.c));
  case Op::Min:
  case Op::Max: return of(node.a).with(of(node.b));
  default: return {};
  }
}

/// Position of `value` in `cuts`.
size_t indexOf(const std::vector<int64_t> &cuts, int64_t value) {
  return std::lower_bound(cuts.begin(), cuts.end(), value) - cuts.begin();
}

void sortUnique(std::vector<int64_t> &values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}
} // namespace

MemoryMap::MemoryMap(const Program &program) : program(program) {
  for (const BarrierArray &array : program.barriers) {
    firstBarrier.push_back(totalBarriers);
    totalBarriers += array.slots * array.ranks;
    owner.resize(totalBarriers, static_cast<int>(firstBarrier.size()) - 1);
  }
  std::map<std::tuple<int, int64_t, int64_t, int64_t>, int16_t> places;
  for (const Buffer &buffer : program.buffers)
    forms.push_back(places
                        .try_emplace({buffer.space, buffer.base, buffer.lane, buffer.width()},
                                     static_cast<int16_t>(places.size()))
                        .first->second);
  std::map<int, Grid> grids; // by physical space
  for (const Event &event : program.events)
    for (const Effect &effect : event.effects) {
      if (!effect.onMemory())
        continue;
      const Target &target = effect.target;
      const Buffer &buffer = program.buffers[target.object];
      Grid &grid = grids[buffer.space];
      grid.ranks = std::max(grid.ranks, buffer.ranks);
      grid.where = buffer.where;
      grid.blank |= buffer.blank;
      Congruence possible{0, 0};
      if (target.slot != NoExpr)
        possible = congruence(program.exprs, target.slot);
      int64_t step = possible.modulus ? possible.modulus : buffer.slots;
      for (int64_t slot = possible.residue; slot >= 0 && slot < buffer.slots; slot += step) {
        Grid::Access &access = grid.accesses[{target.object, slot, target.parts}];
        if (access.targets.empty())
          access.places = placesOf(buffer, target, slot);
        access.targets.push_back(&target);
      }
    }
  // Barriers are memory too; those of no known place lie apart.
  std::vector<Target> whole(program.barriers.size());
  for (size_t i = 0; i < program.barriers.size(); ++i) {
    const BarrierArray &array = program.barriers[i];
    if (array.kind != BarrierKind::Mbarrier)
      continue;
    Grid &grid = grids[array.space == -1 ? INT_MIN + static_cast<int>(i) : array.space];
    grid.ranks = std::max(grid.ranks, array.ranks);
    Buffer memory;
    memory.base = array.base;
    memory.stride = array.stride;
    for (int slot = 0; slot < array.slots; ++slot)
      grid.accesses[{~static_cast<int>(i), slot, {}}] = {placesOf(memory, whole[i], slot),
                                                         {&whole[i]}};
  }
  for (auto &[space, grid] : grids)
    cut(grid);
  cellsOfBarrier.resize(totalBarriers);
  barriersOfCell.resize(total);
  for (int flat = 0; flat < totalBarriers; ++flat) {
    const BarrierArray &array = arrayOf(flat);
    auto found =
        cellsOf.find({&whole[owner[flat]], (flat - firstBarrier[owner[flat]]) % array.slots});
    if (found == cellsOf.end() || rankOf(flat) >= static_cast<int>(found->second.size()))
      continue;
    cellsOfBarrier[flat] = found->second[rankOf(flat)];
    for (int cell : cellsOfBarrier[flat])
      barriersOfCell[cell].push_back(flat);
  }
}

void MemoryMap::cut(const Grid &grid) {
  std::vector<int64_t> xs, ys;
  for (const auto &[pattern, access] : grid.accesses)
    for (const Rect &place : access.places) {
      xs.insert(xs.end(), {place.x0, place.x1});
      ys.insert(ys.end(), {place.y0, place.y1});
    }
  sortUnique(xs);
  sortUnique(ys);
  auto piecesOf = [&](const Rect &place, auto &&each) {
    for (size_t y = indexOf(ys, place.y0), endY = indexOf(ys, place.y1); y < endY; ++y)
      for (size_t x = indexOf(xs, place.x0), endX = indexOf(xs, place.x1); x < endX; ++x)
        each(y * xs.size() + x);
  };
  // Which cell a piece belongs to: each access splits those that it touches in part.
  std::vector<int> cellOf(xs.size() * ys.size(), 0);
  int cells = 1;
  for (const auto &[pattern, access] : grid.accesses) {
    std::map<int, int> split;
    std::set<size_t> touched;
    for (const Rect &place : access.places)
      piecesOf(place, [&](size_t piece) { touched.insert(piece); });
    for (size_t piece : touched) {
      auto [to, isNew] = split.try_emplace(cellOf[piece], cells);
      cells += isNew;
      cellOf[piece] = to->second;
    }
  }
  // Numbers for those that are left.
  std::map<int, int> numbers;
  std::map<Pattern, std::set<int>> cellsOfPattern;
  for (const auto &[pattern, access] : grid.accesses)
    for (const Rect &place : access.places)
      piecesOf(place, [&](size_t piece) {
        int next = static_cast<int>(numbers.size());
        cellsOfPattern[pattern].insert(numbers.try_emplace(cellOf[piece], next).first->second);
      });
  int each = static_cast<int>(numbers.size());
  for (const auto &[pattern, access] : grid.accesses) {
    std::vector<std::vector<int>> byRank(grid.ranks);
    for (int rank = 0; rank < grid.ranks; ++rank)
      for (int cell : cellsOfPattern[pattern])
        byRank[rank].push_back(total + rank * each + cell);
    for (const Target *target : access.targets)
      cellsOf[{target, std::get<1>(pattern)}] = byRank;
  }
  for (int rank = 0; rank < grid.ranks; ++rank)
    cellRanks.insert(cellRanks.end(), each, static_cast<char>(rank));
  total += each * grid.ranks;
  kinds.resize(total, static_cast<char>(grid.where));
  blanks.resize(total, grid.blank);
}

const std::vector<int> *MemoryMap::cells(const Target &target, int64_t slot, int64_t rank) const {
  const Buffer &buffer = program.buffers[target.object];
  if (slot < 0 || slot >= buffer.slots || rank < 0 || rank >= buffer.ranks)
    return nullptr;
  // Nothing for a slot that the expression never is: a remainder was chosen that it does not have.
  auto it = cellsOf.find({&target, slot});
  return it == cellsOf.end() ? nullptr : &it->second[rank];
}

bool MemoryMap::mayTouch(const Target &target, int cell) const {
  for (auto it = cellsOf.lower_bound({&target, INT64_MIN});
       it != cellsOf.end() && it->first.first == &target; ++it)
    for (const std::vector<int> &cells : it->second)
      if (std::find(cells.begin(), cells.end(), cell) != cells.end())
        return true;
  return false;
}

int MemoryMap::barrier(int object, int64_t slot, int64_t rank) const {
  const BarrierArray &array = program.barriers[object];
  if (slot < 0 || slot >= array.slots || rank < 0 || rank >= array.ranks)
    return -1;
  return firstBarrier[object] + static_cast<int>(rank * array.slots + slot);
}

int MemoryMap::rankOf(int flat) const {
  int object = owner[flat];
  return (flat - firstBarrier[object]) / program.barriers[object].slots;
}

std::string MemoryMap::barrierName(int flat) const {
  int object = owner[flat];
  const BarrierArray &array = program.barriers[object];
  int index = flat - firstBarrier[object];
  std::string text = array.name;
  if (array.kind == BarrierKind::Named)
    return text + " " + std::to_string(index % array.slots);
  if (array.slots > 1)
    text += "[" + std::to_string(index % array.slots) + "]";
  if (array.ranks > 1)
    text += "@cta" + std::to_string(index / array.slots);
  return text;
}
