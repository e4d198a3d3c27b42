//===- RandomLoops.h - random protocols whose loops are not plain -----------===//
//
// Rings inside tile loops with carried counters, slots and phases computed in different
// ways, tasks that leave early, arrivals by every thread; tiles handed out by cluster
// launch control; stores that leave while the next tile is written.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tests/verify/explore/RandomProtocols.h"

namespace tlx::verify::testing {

/// What a task of a ring carries through its loops, and how it finds slot and phase.
struct Cursor {
  Builder &b;
  int slots;
  bool toggles; ///< slot and phase are carried, not computed from a count
  bool noFlip;  ///< damage: the phase does not change when the slots wrap
  VarId count, buf, ph, outerCount, outerBuf, outerPh;

  Cursor(Builder &b, int slots, Damage &d, const std::string &name)
      : b(b), slots(slots), toggles(d.random.chance(50)), noFlip(toggles && d.hit("no-flip")) {
    for (auto [var, what] : {std::pair(&count, ".count"),
                             {&buf, ".buf"},
                             {&ph, ".phase"},
                             {&outerCount, ".count'"},
                             {&outerBuf, ".buf'"},
                             {&outerPh, ".phase'"}})
      *var = b.p.addVar(name + what);
  }
  ExprId slot() { return toggles ? b.v(buf) : b.p.exprs.rem(b.v(count), slots); }
  ExprId phase() {
    Exprs &e = b.p.exprs;
    return toggles ? b.v(ph) : e.binary(Op::And, e.div(b.v(count), slots), b.c(1));
  }
  /// `nested`: starts where the last tile has ended.
  std::vector<Builder::Carried> carried(bool nested) {
    Exprs &e = b.p.exprs;
    auto start = [&](VarId outer) { return nested ? b.v(outer) : b.c(0); };
    if (!toggles)
      return {{count, start(outerCount), e.add(b.v(count), b.c(1))}};
    ExprId last = e.eq(b.v(buf), b.c(slots - 1));
    return {{buf, start(outerBuf), e.select(last, b.c(0), e.add(b.v(buf), b.c(1)))},
            {ph, start(outerPh), noFlip ? b.v(ph) : e.binary(Op::Xor, b.v(ph), last)}};
  }
  std::vector<std::pair<VarId, VarId>> all() {
    if (!toggles)
      return {{count, outerCount}};
    return {{buf, outerBuf}, {ph, outerPh}};
  }
};

/// for (tile < tiles) for (k < trips) body(slot, phase), or the inner loop alone.
template <typename Make>
Block tileLoops(Builder &b, Damage &d, const std::string &name, int slots, bool nested,
                ExprId tiles, ExprId trips, Make make) {
  Cursor at(b, slots, d, name);
  VarId k = b.p.addVar(name + ".k");
  bool restarts = nested && d.hit("restart");
  Block body = make(at.slot(), at.phase());
  Stmt inner = b.loop(k, b.c(0), trips, std::move(body), at.carried(nested && !restarts));
  if (!nested)
    return {inner};
  std::vector<Assign> after;
  std::vector<Builder::Carried> outer;
  for (auto [var, before] : at.all()) {
    VarId left = b.p.addVar(name + ".after");
    after.push_back({left, b.v(var)});
    outer.push_back({before, b.c(0), b.v(left)});
  }
  VarId tile = b.p.addVar(name + ".tile");
  return {b.loop(tile, b.c(0), tiles, {inner, assignStmt(after)}, outer)};
}

/// A ring whose tasks count differently; maybe in a tile loop, maybe left early.
inline Program persistentRing(Damage &d) {
  Random &r = d.random;
  Builder b;
  Exprs &e = b.p.exprs;
  int slots = 1 + r.below(3), consumers = 1 + r.below(2), early = r.below(4);
  if (early == 1) // so that a few steps tell who is not
    slots = std::min(slots, 2);
  bool nested = r.chance(60), eachThread = r.chance(40);
  int full = b.barriers("full", slots), empty = b.barriers("empty", slots);
  int data = b.buffer("data", slots);
  Block inits;
  for (int s = 0; s < slots; ++s) {
    inits.push_back(b.init(full, s, 1));
    inits.push_back(b.init(empty, s, consumers * (eachThread && !d.hit("count") ? 32 : 1)));
  }
  b.root(std::move(inits));
  ExprId K = b.arg("K", 0), tiles = nested ? b.arg("tiles", 0) : NoExpr;
  auto task = [&](const std::string &name, auto make) {
    ExprId trips = K;
    if (early == 1 && !d.hit("not-early")) // at most two steps
      trips = e.binary(Op::Min, K, b.c(2));
    if (d.hit("one-less"))
      trips = e.sub(trips, b.c(1));
    Block block = tileLoops(b, d, name, slots, nested, tiles, trips, make);
    if (early == 2 && !d.hit("not-early")) // nothing at all when there is little to do
      block = {ifStmt(e.le(b.c(2), K), std::move(block))};
    b.task(name.c_str(), std::move(block), 1);
  };
  task("producer", [&](ExprId slot, ExprId phase) {
    Block block;
    if (!d.hit("no-empty-wait"))
      block.push_back(b.wait(empty, slot, d.hit("empty-phase") ? phase : flip(b, phase)));
    block.push_back(b.expect(full, slot, d.hit("bytes") ? 32 : 64));
    block.push_back(b.load(data, slot, full, slot, 64));
    return block;
  });
  for (int i = 0; i < consumers; ++i)
    task("consumer" + std::to_string(i), [&](ExprId slot, ExprId phase) {
      Block block;
      if (!d.hit("no-full-wait"))
        block.push_back(b.wait(full, slot, d.hit("full-phase") ? flip(b, phase) : phase));
      Stmt arrive = b.arrive(empty, slot);
      if (eachThread) {
        Effect &effect = b.p.events[arrive.event].effects[0];
        effect.threads = sync::Threads::PerThread;
        effect.taskBarrierBefore = false;
      }
      bool first = d.hit("early-release");
      if (first)
        block.push_back(arrive);
      block.push_back(b.read(data, slot));
      if (!first && !d.hit("no-release"))
        block.push_back(arrive);
      return block;
    });
  return std::move(b.p);
}

/// Launch control hands out tiles until it has none; one task asks, all read.
inline Program grantedTiles(Damage &d) {
  Builder b;
  Exprs &e = b.p.exprs;
  int readers = 1 + d.random.below(2);
  int full = b.barriers("full", 1), empty = b.barriers("empty", 1), answer = b.buffer("answer", 1);
  b.root({b.init(full, 0, 1), b.init(empty, 0, d.hit("empty-count") ? readers : readers + 1)});
  for (int i = 0; i <= readers; ++i) {
    std::string name = i ? "reader" + std::to_string(i) : "scheduler";
    VarId tile = b.p.addVar(name + ".tile"), count = b.p.addVar(name + ".count");
    VarId ph = b.p.addVar(name + ".phase");
    ExprId next = e.element({"answer", -1, INT64_MAX, true}, b.v(count));
    Stmt loop{Stmt::LoopStmt};
    loop.name = name;
    loop.inits = {{tile, b.c(0)}, {count, b.c(0)}, {ph, b.c(0)}};
    loop.cond = e.le(b.c(0), b.v(tile));
    if (i == 0) {
      if (!d.hit("no-empty-wait"))
        loop.body.push_back(
            b.wait(empty, b.c(0), d.hit("empty-phase") ? b.v(ph) : flip(b, b.v(ph))));
      loop.body.push_back(b.expect(full, b.c(0), d.hit("bytes") ? 32 : 16));
      loop.body.push_back(b.load(answer, b.c(0), full, b.c(0), 16));
      std::vector<Effect> &effects = b.p.events.back().effects;
      effects.insert(effects.begin(), b.effect(sync::Kind::ClcRequest));
    }
    if (!d.hit("no-full-wait"))
      loop.body.push_back(b.wait(full, b.c(0), d.hit("full-phase") ? flip(b, b.v(ph)) : b.v(ph)));
    loop.body.push_back(b.read(answer, b.c(0)));
    // The last answer is nobody's to ask over, so that giving it back is optional.
    ExprId granted = d.random.chance(50) ? e.le(b.c(d.hit("too-rarely") ? 2 : 0), next) : NoExpr;
    if (!d.hit("no-release"))
      loop.body.push_back(b.arrive(empty, b.c(0), 1, granted));
    loop.nexts = {{tile, next},
                  {count, e.add(b.v(count), b.c(1))},
                  {ph, d.hit("no-flip") ? b.v(ph) : e.binary(Op::Xor, b.v(ph), b.c(1))}};
    b.task(name.c_str(), {loop}, 1);
  }
  return std::move(b.p);
}

/// Tiles are written, fenced and stored asynchronously, from slots in turn.
inline Program staging(Damage &d) {
  Builder b;
  int slots = 1 + d.random.below(3), staged = b.buffer("staged", slots);
  b.root({});
  ExprId K = b.arg("K", 0);
  int pending = slots - 1 + (d.hit("pending") ? 1 : 0);
  Stmt loop = ringLoop(b, "writer", slots, K, [&](ExprId slot, ExprId) {
    Block body;
    if (!d.hit("no-store-wait"))
      body.push_back(b.group(sync::Kind::GroupWait, sync::Group::BulkStore, pending));
    body.push_back(b.write(staged, slot));
    if (!d.hit("no-fence"))
      body.push_back(b.simple(sync::Kind::ProxyFence, "fence"));
    body.push_back(
        b.async(sync::Kind::Read, staged, d.hit("slot") ? b.c(0) : slot, sync::Group::BulkStore));
    if (!d.hit("no-commit"))
      body.push_back(b.group(sync::Kind::GroupCommit, sync::Group::BulkStore));
    return body;
  });
  b.task("writer", {loop, b.group(sync::Kind::GroupWait, sync::Group::BulkStore, 0)}, 1);
  return std::move(b.p);
}

} // namespace tlx::verify::testing
