#include "verify/model/Waves.h"

#include <algorithm>
#include <set>

using namespace tlx::verify;
using tlx::sync::Kind;

namespace {
/// An access to an allocation, as far as barriers are put between accesses.
struct Use {
  int space;
  int64_t begin, end;
  bool write, copy, relaxed;
  auto operator<=>(const Use &) const = default;

  bool conflicts(const Use &o) const {
    bool excused = copy != o.copy && (relaxed || o.relaxed);
    return (write || o.write) && !excused && space == o.space && begin < o.end && o.begin < end;
  }
};
using Uses = std::set<Use>;

bool conflict(const Uses &a, const Uses &b) {
  return std::any_of(a.begin(), a.end(), [&](const Use &x) {
    return std::any_of(b.begin(), b.end(), [&](const Use &y) { return x.conflicts(y); });
  });
}

class Barriers {
public:
  Barriers(Program &program, const WaveGroup &group) : p(program), group(group) {}

  void run(Block &body) {
    Uses before;
    between(body, before);
    meet(body);
  }

  void stages(Block &body);

private:
  const Effect *effectOf(const Stmt &stmt, auto &&is) const {
    if (stmt.kind != Stmt::EventStmt)
      return nullptr;
    const std::vector<Effect> &effects = p.events[stmt.event].effects;
    auto found = std::find_if(effects.begin(), effects.end(), is);
    return found == effects.end() ? nullptr : &*found;
  }
  const Effect *barrierIn(const Stmt &stmt) const {
    return effectOf(stmt, [](const Effect &e) { return e.kind == Kind::TaskBarrier; });
  }
  bool isBarrier(const Stmt &stmt) const {
    const Effect *barrier = barrierIn(stmt);
    return barrier && !barrier->relaxed;
  }
  bool isBorder(const Stmt &stmt) const {
    const Effect *barrier = barrierIn(stmt);
    return barrier && barrier->relaxed;
  }
  bool isWait(const Stmt &stmt) const {
    return effectOf(stmt, [](const Effect &e) { return e.kind == Kind::GroupWait; });
  }
  Stmt barrier(const char *what, const SourceLoc &loc) const {
    return stageEnd(p, what, loc, true);
  }

  void usesOf(const Stmt &stmt, Uses &out) const {
    if (stmt.kind == Stmt::EventStmt)
      for (const Effect &effect : p.events[stmt.event].effects) {
        if (!effect.onMemory())
          continue;
        const Buffer &buffer = p.buffers[effect.target.object];
        if (buffer.where == tlx::sync::Space::Shared)
          out.insert({buffer.space, buffer.start(0),
                      buffer.start(buffer.slots - 1) + buffer.width(), effect.kind == Kind::Write,
                      effect.moment == tlx::sync::Moment::Completion, effect.relaxed});
      }
    for (const Block *inner : {&stmt.before, &stmt.body, &stmt.orElse})
      for (const Stmt &one : *inner)
        usesOf(one, out);
  }

  /// Barriers between accesses that conflict; `pending` is what none has come after.
  void between(Block &block, Uses &pending) {
    for (size_t i = 0; i < block.size(); ++i) {
      switch (block[i].kind) {
      case Stmt::LoopStmt: {
        Uses entry = pending;
        while (true) {
          pending = entry;
          between(block[i].before, pending);
          Uses exit = pending;
          between(block[i].body, pending);
          size_t known = entry.size();
          entry.insert(pending.begin(), pending.end());
          if (entry.size() == known) {
            pending = std::move(exit);
            break;
          }
        }
        break;
      }
      case Stmt::IfStmt: {
        Uses other = pending;
        between(block[i].body, pending);
        between(block[i].orElse, other);
        pending.insert(other.begin(), other.end());
        break;
      }
      case Stmt::EventStmt: {
        if (isBarrier(block[i])) {
          pending.clear();
          break;
        }
        if (isWait(block[i])) {
          if (i + 1 == block.size() || !isBarrier(block[i + 1]))
            block.insert(block.begin() + i + 1,
                         barrier("barrier behind a wait for copies", block[i].loc));
          pending.clear();
          break;
        }
        Uses mine;
        usesOf(block[i], mine);
        if (conflict(pending, mine)) {
          block.insert(block.begin() + i, barrier("barrier between accesses that conflict",
                                                  p.events[block[i].event].loc));
          pending.clear();
          ++i;
        }
        pending.insert(mine.begin(), mine.end());
        break;
      }
      default: break;
      }
    }
  }

  /// Barriers over the task are barriers over all waves.
  void meet(Block &block) {
    for (Stmt &stmt : block) {
      for (Block *inner : {&stmt.before, &stmt.body, &stmt.orElse})
        meet(*inner);
      if (stmt.kind == Stmt::EventStmt)
        for (Effect &effect : p.events[stmt.event].effects)
          if (effect.kind == Kind::TaskBarrier) {
            effect.kind = Kind::NamedBarrierSync;
            effect.relaxed = false;
            effect.target.object = group.barrier;
            effect.amount = group.threads;
          }
    }
  }

  Program &p;
  const WaveGroup &group;
};
/// Borders where something else holds the waves together are none; which of the others
/// are barriers for shared memory, too.
void Barriers::stages(Block &body) {
  // Stage k lies between borders k and k + 1, the last of which is border 0 again.
  std::vector<Uses> uses(1);
  std::vector<size_t> borders;
  std::vector<char> held(1, 0);
  auto holds = [&](const Stmt &stmt) { return isWait(stmt) || isBarrier(stmt); };
  auto isEvent = [](const Stmt &stmt) { return stmt.kind != Stmt::AssignStmt; };
  auto first = std::find_if(body.begin(), body.end(), isEvent);
  held[0] = first != body.end() && holds(*first);
  for (size_t i = 0; i < body.size(); ++i) {
    if (!isBorder(body[i])) {
      usesOf(body[i], uses.back());
      continue;
    }
    // Nothing that holds waves may stand within a stage, so it is the next one's border.
    auto next = std::find_if(body.begin() + i + 1, body.end(), isEvent);
    borders.push_back(i);
    held.push_back(next != body.end() && holds(*next));
    uses.emplace_back();
  }
  uses.pop_back(); // behind the last border there is no stage
  held[0] |= held.back();
  held.pop_back();
  int stages = static_cast<int>(borders.size());
  std::vector<char> forMemory = held;
  for (int apart = 1; apart <= stages; ++apart)
    for (int from = 0; from < stages; ++from) {
      int to = (from + apart) % stages;
      // The group behind has only begun the stage before.
      int at = apart == 1 ? to : (to + stages - 1) % stages;
      bool synced = false;
      for (int k = (from + 1) % stages;; k = (k + 1) % stages) {
        synced |= forMemory[k];
        if (k == at)
          break;
      }
      if (!synced && conflict(uses[from], uses[to]))
        forMemory[at] = 1;
    }
  for (int k = stages; k-- > 0;) {
    int border = (k + 1) % stages; // in front of the stage that follows
    if (held[border])
      body.erase(body.begin() + borders[k]);
    else if (forMemory[border])
      body[borders[k]] = barrier("barrier between stages", body[borders[k]].loc);
  }
}
} // namespace

Stmt tlx::verify::stageEnd(Program &program, const char *what, const SourceLoc &loc,
                           bool forMemory) {
  Event event;
  event.op = what;
  event.loc = loc;
  Effect effect;
  effect.kind = Kind::TaskBarrier;
  effect.relaxed = !forMemory;
  event.effects.push_back(effect);
  Stmt stmt = eventStmt(program.addEvent(std::move(event)));
  stmt.loc = loc;
  return stmt;
}

void tlx::verify::appendPipeline(Program &program, Stmt loop, std::optional<Stmt> after,
                                 const WaveGroup &group, Block &out) {
  SourceLoc loc = loop.loc;
  Barriers(program, group).stages(loop.body);
  out.push_back(stageEnd(program, "barrier before a warp pipeline", loc, true));
  if (group.behind)
    out.push_back(stageEnd(program, "barrier of the second waves before a warp pipeline", loc));
  out.push_back(std::move(loop));
  if (after)
    out.push_back(std::move(*after));
  if (!group.behind)
    out.push_back(stageEnd(program, "barrier of the first waves after a warp pipeline", loc));
}

void tlx::verify::placeBarriers(Program &program, Block &body, const WaveGroup &group) {
  Barriers(program, group).run(body);
}
