//===- RandomProtocols.h - small protocols with random damage ---------------===//
//
// Rings, pipelines of rings, ping-pong over named barriers, clusters that load for each
// other, and work that one task asks for and all read (as cluster launch control). Each
// is right but for what Damage hits.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tests/verify/Protocols.h"

#include <random>

namespace tlx::verify::testing {

struct Random {
  std::mt19937_64 engine;
  explicit Random(uint64_t seed) : engine(seed) {}
  int below(int n) { return static_cast<int>(engine() % static_cast<uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }
};

/// Decides what is wrong and remembers it.
struct Damage {
  Random random;
  int percent;
  std::string text;
  explicit Damage(uint64_t seed) : random(seed), percent(random.chance(35) ? 0 : 12) {}
  bool hit(const char *what) {
    if (!random.chance(percent))
      return false;
    text += std::string(" ") + what;
    return true;
  }
};

/// for (k < trips): make(slot, phase of the slot)
template <typename Make>
Stmt ringLoop(Builder &b, const std::string &name, int slots, ExprId trips, Make make) {
  VarId k = b.p.addVar(name + ".k");
  ExprId slot = b.p.exprs.rem(b.v(k), slots);
  ExprId phase = b.p.exprs.binary(Op::And, b.p.exprs.div(b.v(k), slots), b.c(1));
  return b.loop(k, b.c(0), trips, make(slot, phase));
}
inline ExprId flip(Builder &b, ExprId phase) { return b.p.exprs.binary(Op::Xor, phase, b.c(1)); }

/// A ring: one loads or writes, the others read.
inline Program ring(Damage &d) {
  Random &r = d.random;
  Builder b;
  Exprs &e = b.p.exprs;
  int slots = 1 + r.below(2);
  int consumers = 1 + r.below(2);
  bool bulk = r.chance(50); // the producer loads, or writes itself
  int full = b.barriers("full", slots), empty = b.barriers("empty", slots);
  int data = b.buffer("data", slots);
  auto hit = [&](const char *what) { return d.hit(what); };
  Block inits;
  for (int s = 0; s < slots; ++s) {
    inits.push_back(b.init(full, s, hit("full-count") ? 2 : 1));
    inits.push_back(b.init(empty, s, hit("empty-count") ? 1 + r.below(3) : consumers));
  }
  b.root(std::move(inits));
  ExprId K = b.arg("K", 0);
  bool peel = r.chance(25);
  auto loop = [&](const std::string &name, auto make, int64_t shift) {
    VarId k = b.p.addVar(name + ".k");
    auto body = [&](ExprId index) {
      ExprId slot = hit("slot") ? b.c(0) : e.rem(index, slots);
      ExprId phase = e.binary(Op::And, e.div(index, slots), b.c(1));
      return make(slot, phase);
    };
    Block out;
    int64_t first = 0;
    if (peel && name == "producer") {
      // The first iteration under an if, the rest in the loop.
      out.push_back(ifStmt(e.lt(b.c(0), K), body(b.c(0))));
      first = 1;
    }
    ExprId upper = shift ? e.add(K, b.c(shift)) : K;
    out.push_back(b.loop(k, b.c(first), upper, body(e.var(k))));
    return out;
  };
  b.task("producer",
         loop(
             "producer",
             [&](ExprId slot, ExprId phase) {
               Block block;
               ExprId p = hit("producer-phase") ? phase : e.binary(Op::Xor, phase, b.c(1));
               if (!hit("no-empty-wait"))
                 block.push_back(b.wait(empty, slot, p));
               if (bulk) {
                 block.push_back(b.expect(full, slot, hit("bytes") ? 32 : 64));
                 if (!hit("no-load"))
                   block.push_back(b.load(data, slot, full, slot, 64));
               } else {
                 if (!hit("no-write"))
                   block.push_back(b.write(data, hit("slot-written") ? b.c(0) : slot));
                 if (!hit("no-full-arrive"))
                   block.push_back(b.arrive(full, slot));
                 if (hit("late-write"))
                   block.push_back(b.write(data, slot));
               }
               return block;
             },
             hit("one-less")   ? -1
             : hit("one-more") ? 1
                               : 0),
         1);
  for (int i = 0; i < consumers; ++i)
    b.task(("consumer" + std::to_string(i)).c_str(),
           loop(
               "consumer" + std::to_string(i),
               [&](ExprId slot, ExprId phase) {
                 Block block;
                 ExprId p = hit("consumer-phase") ? e.binary(Op::Xor, phase, b.c(1)) : phase;
                 if (!hit("no-full-wait"))
                   block.push_back(b.wait(full, slot, p));
                 bool early = hit("early-release");
                 if (early)
                   block.push_back(b.arrive(empty, slot));
                 block.push_back(b.read(data, slot));
                 if (!early && !hit("no-release"))
                   block.push_back(b.arrive(empty, slot));
                 if (hit("twice"))
                   block.push_back(b.arrive(empty, slot));
                 return block;
               },
               hit("consumer-one-less") ? -1 : 0),
           1);
  return std::move(b.p);
}

/// Stages in a row, a ring of its own between any two.
inline Program pipeline(Damage &d) {
  Builder b;
  int stages = 2 + d.random.below(2);
  std::vector<int> slots, full, empty, data;
  Block inits;
  for (int i = 0; i + 1 < stages; ++i) {
    slots.push_back(1 + d.random.below(2));
    full.push_back(b.barriers(("full" + std::to_string(i)).c_str(), slots[i]));
    empty.push_back(b.barriers(("empty" + std::to_string(i)).c_str(), slots[i]));
    data.push_back(b.buffer(("data" + std::to_string(i)).c_str(), slots[i]));
    for (int s = 0; s < slots[i]; ++s) {
      inits.push_back(b.init(full[i], s, 1));
      inits.push_back(b.init(empty[i], s, d.hit("empty-count") ? 2 : 1));
    }
  }
  b.root(std::move(inits));
  ExprId K = b.arg("K", 0);
  for (int i = 0; i < stages; ++i) {
    std::string name = "stage" + std::to_string(i);
    VarId k = b.p.addVar(name + ".k");
    auto place = [&](int ring, bool flipped) {
      ExprId phase = b.p.exprs.binary(Op::And, b.p.exprs.div(b.v(k), slots[ring]), b.c(1));
      return std::pair(b.p.exprs.rem(b.v(k), slots[ring]), flipped ? flip(b, phase) : phase);
    };
    Block body;
    if (i > 0) {
      auto [slot, phase] = place(i - 1, d.hit("full-phase"));
      if (!d.hit("no-full-wait"))
        body.push_back(b.wait(full[i - 1], slot, phase));
      body.push_back(b.read(data[i - 1], slot));
    }
    if (i + 1 < stages) {
      auto [slot, phase] = place(i, !d.hit("empty-phase"));
      if (!d.hit("no-empty-wait"))
        body.push_back(b.wait(empty[i], slot, phase));
      bool early = d.hit("early-full");
      if (early)
        body.push_back(b.arrive(full[i], slot));
      body.push_back(b.write(data[i], slot));
      if (!early && !d.hit("no-full-arrive"))
        body.push_back(b.arrive(full[i], slot));
    }
    if (i > 0 && !d.hit("no-release"))
      body.push_back(b.arrive(empty[i - 1], place(i - 1, false).first));
    if (i > 0 && d.hit("late-read"))
      body.push_back(b.read(data[i - 1], place(i - 1, false).first));
    ExprId trips = d.hit("one-less") ? b.p.exprs.sub(K, b.c(1)) : K;
    b.task(name.c_str(), {b.loop(k, b.c(0), trips, std::move(body))}, 1);
  }
  return std::move(b.p);
}

/// Two tasks take turns through two named barriers.
inline Program pingPong(Damage &d) {
  Builder b;
  int named = b.named(), data = b.buffer("data", 1);
  b.root({});
  ExprId K = b.arg("K", 0);
  auto barrier = [&](sync::Kind kind, int id) {
    int64_t threads = d.hit("threads") ? 256 : 64;
    int which = d.hit("id") ? 3 : id;
    return b.event(kind == sync::Kind::NamedBarrierSync ? "sync" : "bar-arrive",
                   {b.effect(kind, named, b.c(which), b.c(threads))});
  };
  for (int i = 0; i < 2; ++i) {
    std::string name = i ? "pong" : "ping";
    Block body, all;
    if (i == 1 && !d.hit("no-first-arrive"))
      all.push_back(barrier(sync::Kind::NamedBarrierArrive, 1));
    if (!d.hit("no-sync"))
      body.push_back(barrier(sync::Kind::NamedBarrierSync, 1 + i));
    body.push_back(d.random.chance(70) ? b.write(data, b.c(0)) : b.read(data, b.c(0)));
    if (!d.hit("no-arrive"))
      body.push_back(barrier(sync::Kind::NamedBarrierArrive, 2 - i));
    if (d.hit("late-write"))
      body.push_back(b.write(data, b.c(0)));
    VarId k = b.p.addVar(name + ".k");
    ExprId trips = d.hit("one-less") ? b.p.exprs.sub(K, b.c(1)) : K;
    all.push_back(b.loop(k, b.c(0), trips, std::move(body)));
    b.task(name.c_str(), std::move(all), 1);
  }
  return std::move(b.p);
}

/// One task asks, all (itself too) read the answer before they let it be overwritten.
inline Program launchControl(Damage &d) {
  Builder b;
  int readers = 1 + d.random.below(2), slots = 1 + d.random.below(2);
  int full = b.barriers("full", slots), empty = b.barriers("empty", slots);
  int answer = b.buffer("answer", slots);
  Block inits;
  for (int s = 0; s < slots; ++s) {
    inits.push_back(b.init(full, s, 1));
    inits.push_back(b.init(empty, s, d.hit("empty-count") ? readers : readers + 1));
  }
  b.root(std::move(inits));
  ExprId K = b.arg("K", 0);
  auto consume = [&](Block &body, ExprId slot, ExprId phase) {
    if (!d.hit("no-full-wait"))
      body.push_back(b.wait(full, slot, d.hit("full-phase") ? flip(b, phase) : phase));
    body.push_back(b.read(answer, slot));
    if (!d.hit("no-release"))
      body.push_back(b.arrive(empty, slot));
  };
  for (int i = 0; i <= readers; ++i) {
    std::string name = i ? "reader" + std::to_string(i) : "scheduler";
    Stmt loop = ringLoop(b, name, slots, K, [&](ExprId slot, ExprId phase) {
      Block body;
      if (i == 0) {
        if (!d.hit("no-empty-wait"))
          body.push_back(b.wait(empty, slot, d.hit("empty-phase") ? phase : flip(b, phase)));
        body.push_back(b.expect(full, slot, d.hit("bytes") ? 32 : 16));
        body.push_back(b.load(answer, slot, full, slot, 16));
      }
      consume(body, slot, phase);
      return body;
    });
    b.task(name.c_str(), {loop}, 1);
  }
  return std::move(b.p);
}

/// Two CTAs load a half each for both; consumers release the slot in both.
inline Program cluster(Damage &d) {
  Builder b;
  b.p.ranks = 2;
  int slots = 1 + d.random.below(2);
  int full = b.barriers("full", slots, 2), empty = b.barriers("empty", slots, 2);
  int data = b.buffer("data", slots);
  b.p.buffers[data].ranks = 2;
  ExprId K = b.arg("K", 0);
  int64_t count = d.hit("empty-count") ? 1 : 2;
  bool own = d.hit("own-release-only");
  for (int rank = 0; rank < 2; ++rank) {
    Block inits, after;
    for (int s = 0; s < slots; ++s) {
      inits.push_back(b.init(full, s, 1));
      inits.push_back(b.init(empty, s, count));
    }
    auto meet = [&](Block &block, const char *what) {
      if (d.hit(what))
        return;
      block.push_back(b.simple(sync::Kind::ClusterArrive, "cluster-arrive"));
      block.push_back(b.simple(sync::Kind::ClusterWait, "cluster-wait"));
    };
    meet(inits, "no-entry-sync");
    meet(after, "no-exit-sync");
    b.root(std::move(inits), std::move(after));
    b.p.tasks.back().rank = rank;
    std::string name = std::to_string(rank);
    Stmt produce = ringLoop(b, "producer" + name, slots, K, [&](ExprId slot, ExprId phase) {
      Block body;
      if (!d.hit("no-empty-wait"))
        body.push_back(b.wait(empty, slot, d.hit("empty-phase") ? phase : flip(b, phase)));
      body.push_back(b.expect(full, slot, d.hit("bytes") ? 96 : 128));
      Stmt load = b.load(data, slot, full, slot, 64);
      std::vector<Effect> both;
      for (Effect effect : b.p.events[load.event].effects)
        for (int to = 0; to < 2; ++to) {
          effect.target.rank = b.c(to);
          if (effect.kind == sync::Kind::Write)
            effect.target.parts = {{rank * 32, rank * 32 + 32, 0, 1}};
          both.push_back(effect);
        }
      b.p.events[load.event].effects = both;
      body.push_back(load);
      return body;
    });
    b.task(("producer" + name).c_str(), {produce}, 1);
    b.p.tasks.back().rank = rank;
    Stmt consume = ringLoop(b, "consumer" + name, slots, K, [&](ExprId slot, ExprId phase) {
      Block body;
      if (!d.hit("no-full-wait"))
        body.push_back(b.wait(full, slot, d.hit("full-phase") ? flip(b, phase) : phase));
      body.push_back(b.read(data, slot));
      // Its own CTA first: else that one can lap the other.
      for (int to : {rank, 1 - rank}) {
        if (own && to != rank)
          continue;
        Stmt arrive = b.arrive(empty, slot);
        b.p.events[arrive.event].effects[0].target.rank = b.c(d.hit("rank") ? 1 - to : to);
        body.push_back(arrive);
      }
      return body;
    });
    b.task(("consumer" + name).c_str(), {consume}, 1);
    b.p.tasks.back().rank = rank;
  }
  return std::move(b.p);
}

} // namespace tlx::verify::testing
