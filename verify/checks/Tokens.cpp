//===- Tokens.cpp - the memory of the past --------------------------------===//

#include "verify/checks/Machine.h"

#include <algorithm>

using namespace tlx::verify;

/// So many tokens an event takes, as a rule; where it takes more, knowledge grows.
static constexpr int TokensOfEvent = 32;

void Knowledge::grow() {
  Knowledge wider;
  wider.init(numRows, 2 * W);
  for (int row = 0; row < numRows; ++row) {
    std::memcpy(wider.at(row), at(row), sizeof(uint64_t) * W);
    std::memcpy(wider.at(row) + 2 * W, at(row) + W, sizeof(uint64_t) * W);
  }
  *this = std::move(wider);
}

Token Machine::newToken(State &state, int task, bool async) {
  size_t &free = state.firstFree;
  while (free < state.tokens.size() && state.tokens[free].live)
    ++free;
  if (free == state.tokens.size()) {
    if (static_cast<int>(free) >= state.knowledge.capacity())
      state.knowledge.grow();
    state.tokens.emplace_back();
  }
  state.tokens[free] = {static_cast<int16_t>(task), async, true};
  ++state.liveTokens;
  return static_cast<Token>(free++);
}

/// Between events, since while one is executed it may hold tokens that nothing else refers to.
void Machine::makeRoom(State &state) {
  auto isTight = [&] {
    return static_cast<int>(state.liveTokens) + TokensOfEvent > state.knowledge.capacity();
  };
  if (!isTight())
    return;
  collectGarbage(state);
  if (isTight())
    state.knowledge.grow();
}

void Machine::newEpoch(State &state, int strand) {
  Token token = newToken(state, strand / 2, false);
  state.epoch[strand] = token;
  state.knowledge.set(strand, token, false);
}

/// All threads of a task meet: what one strand knows, both know.
void Machine::taskBarrier(State &state, int task) {
  if (halves(task) < 2)
    return;
  int a = strand(task, 0), b = strand(task, 1);
  state.knowledge.join(a, b);
  state.knowledge.copy(b, a);
  newEpoch(state, a);
  newEpoch(state, b);
  state.tasks[task].together = true;
}

void Machine::collectGarbage(State &state) {
  std::vector<uint64_t> used(state.knowledge.words());
  auto use = [&](Token t) { used[t >> 6] |= uint64_t(1) << (t & 63); };
  use(0);
  for (const Cell &cell : state.cells)
    for (const Access &access : cell.accesses)
      use(access.token);
  for (const TileState &tile : state.tiles)
    for (const Access &access : tile.cell.accesses)
      use(access.token);
  for (const BarrierState &barrier : state.barriers) {
    use(barrier.initToken);
    for (const auto &list : barrier.arrivals)
      std::for_each(list.begin(), list.end(), use);
    for (const WaitRecord &wait : barrier.waits)
      use(wait.token);
  }
  for (const TaskState &task : state.tasks) {
    std::for_each(task.tensor.begin(), task.tensor.end(), use);
    for (const auto &queue : task.groups)
      for (const AsyncGroup &group : queue)
        std::for_each(group.tokens.begin(), group.tokens.end(), use);
    for (const AsyncGroup &group : task.open)
      std::for_each(group.tokens.begin(), group.tokens.end(), use);
  }
  std::for_each(state.epoch.begin(), state.epoch.end(), use);
  std::for_each(state.entry.begin(), state.entry.end(), use);
  for (const auto &touches : state.touches)
    for (const Touch &touch : touches)
      use(touch.token);
  for (size_t t = 0; t < state.tokens.size(); ++t)
    if (!(used[t >> 6] >> (t & 63) & 1) && state.tokens[t].live) {
      state.tokens[t].live = false;
      state.firstFree = std::min(state.firstFree, t);
      --state.liveTokens;
    }
  state.knowledge.keep(used);
}

/// Drops what every running strand already knows: no check can fail on it again.
void Machine::settle(State &state) {
  std::vector<int> live;
  for (int task = 0; task < numTasks; ++task)
    if (state.tasks[task].started && !state.tasks[task].done)
      for (int half = 0; half < halves(task); ++half)
        live.push_back(strand(task, half));
  auto known = [&](Token t) {
    return std::all_of(live.begin(), live.end(),
                       [&](int row) { return state.knowledge.knows(row, t); });
  };
  auto visible = [&](Token t) {
    return std::all_of(live.begin(), live.end(),
                       [&](int row) { return state.knowledge.seesAsync(row, t); });
  };
  for (size_t i = 0; i < state.cells.size(); ++i) {
    bool isMap = map.spaceKind(static_cast<int>(i)) == static_cast<int>(sync::Space::Global);
    std::erase_if(state.cells[i].accesses, [&](const Access &access) {
      return known(access.token) &&
             (access.asyncProxy || (isMap ? !access.write : visible(access.token)));
    });
  }
  settleTiles(state);
  for (BarrierState &barrier : state.barriers) {
    for (auto &list : barrier.arrivals)
      std::erase_if(list, known);
    std::erase_if(barrier.waits, [&](const WaitRecord &wait) { return known(wait.token); });
  }
  // A CTA ends after all its threads, so it is enough that one of them knows.
  for (int rank = 0; rank < program.ranks; ++rank)
    std::erase_if(state.touches[rank], [&](const Touch &touch) {
      for (int task = 0; task < numTasks; ++task)
        if (program.tasks[task].rank == rank && state.tasks[task].started)
          for (int half = 0; half < halves(task); ++half)
            if (state.knowledge.knows(strand(task, half), touch.token))
              return true;
      return false;
    });
  // What an async queue completes matters only while something refers to it.
  std::vector<char> used(state.tokens.size(), 0);
  for (const auto &touches : state.touches)
    for (const Touch &touch : touches)
      used[touch.token] = 1;
  for (const Cell &cell : state.cells)
    for (const Access &access : cell.accesses)
      used[access.token] = 1;
  for (const TileState &tile : state.tiles)
    for (const Access &access : tile.cell.accesses)
      used[access.token] = 1;
  for (const BarrierState &barrier : state.barriers)
    for (const auto &list : barrier.arrivals)
      for (Token t : list)
        used[t] = 1;
  auto useless = [&](Token t) { return !used[t]; };
  for (TaskState &task : state.tasks) {
    std::erase_if(task.tensor, useless);
    for (auto &queue : task.groups) {
      for (AsyncGroup &group : queue)
        std::erase_if(group.tokens, useless);
      // Waits keep the newest groups, so empty ones at the old end do not count.
      auto first = std::find_if(queue.begin(), queue.end(),
                                [](const AsyncGroup &group) { return !group.tokens.empty(); });
      queue.erase(queue.begin(), first);
    }
    for (AsyncGroup &group : task.open)
      std::erase_if(group.tokens, useless);
  }
}
