//===- Protocols.h - small protocols built straight in the model ----------===//
//
// Events in one line each, so that a test reads like the protocol it is about.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/model/Program.h"

namespace tlx::verify::testing {

/// Builds events and statements into a program.
struct Builder {
  Program p;
  int nextLine = 1;

  ExprId c(int64_t value) { return p.exprs.constant(value); }
  ExprId arg(const char *name, int64_t lo = INT64_MIN) {
    Symbol symbol;
    symbol.name = name;
    symbol.lo = lo;
    return p.exprs.symbol(symbol);
  }
  int barriers(const char *name, int slots, int ranks = 1) {
    BarrierArray array;
    array.name = name;
    array.slots = slots;
    array.ranks = ranks;
    return p.addBarrier(array);
  }
  int named() {
    BarrierArray array;
    array.name = "named barrier";
    array.kind = BarrierKind::Named;
    array.slots = 16;
    return p.addBarrier(array);
  }
  int buffer(const char *name, int slots, sync::Space where = sync::Space::Shared) {
    Buffer b;
    b.name = name;
    b.where = where;
    b.space = static_cast<int>(p.buffers.size());
    b.stride = 64;
    b.slots = slots;
    return p.addBuffer(b);
  }
  Stmt event(const char *op, std::vector<Effect> effects) {
    Event e;
    e.op = op;
    e.loc = {"ring.py", nextLine++, 1};
    e.effects = std::move(effects);
    return eventStmt(p.addEvent(std::move(e)));
  }
  Effect effect(sync::Kind kind, int object = -1, ExprId slot = NoExpr, ExprId amount = NoExpr) {
    Effect e;
    e.kind = kind;
    e.target.object = object;
    e.target.slot = slot;
    e.amount = amount;
    return e;
  }
  Stmt init(int barrier, int slot, int64_t count) {
    Effect e = effect(sync::Kind::BarrierInit, barrier, c(slot), c(count));
    e.threads = sync::Threads::Elected;
    return event("init", {e});
  }
  Stmt wait(int barrier, ExprId slot, ExprId phase, ExprId pred = NoExpr) {
    Effect e = effect(sync::Kind::BarrierWait, barrier, slot);
    e.phase = phase;
    e.pred = pred;
    return event("wait", {e});
  }
  Stmt arrive(int barrier, ExprId slot, int64_t count = 1, ExprId pred = NoExpr) {
    Effect e = effect(sync::Kind::BarrierArrive, barrier, slot, c(count));
    e.pred = pred;
    e.threads = sync::Threads::Elected;
    e.taskBarrierBefore = true;
    return event("arrive", {e});
  }
  Stmt expect(int barrier, ExprId slot, int64_t bytes) {
    Effect tx = effect(sync::Kind::BarrierExpect, barrier, slot, c(bytes));
    Effect arrival = effect(sync::Kind::BarrierArrive, barrier, slot, c(1));
    for (Effect *e : {&tx, &arrival}) {
      e->threads = sync::Threads::Elected;
      e->taskBarrierBefore = true;
    }
    return event("expect", {tx, arrival});
  }
  Stmt load(int buf, ExprId slot, int barrier, ExprId barSlot, int64_t bytes) {
    Effect write = effect(sync::Kind::Write, buf, slot);
    write.moment = sync::Moment::Completion;
    write.proxy = sync::Proxy::Async;
    write.threads = sync::Threads::Elected;
    Effect done = effect(sync::Kind::BarrierComplete, barrier, barSlot, c(bytes));
    done.moment = sync::Moment::Completion;
    done.threads = sync::Threads::Elected;
    return event("load", {write, done});
  }
  Stmt read(int buf, ExprId slot) { return event("read", {effect(sync::Kind::Read, buf, slot)}); }
  Stmt write(int buf, ExprId slot) {
    return event("write", {effect(sync::Kind::Write, buf, slot)});
  }
  Stmt simple(sync::Kind kind, const char *op) { return event(op, {effect(kind)}); }
  Stmt group(sync::Kind kind, sync::Group g, int64_t amount = 0) {
    Effect e = effect(kind, -1, NoExpr, c(amount));
    e.group = g;
    return event("group", {e});
  }
  /// An asynchronous read or write that joins a group.
  Stmt async(sync::Kind kind, int buf, ExprId slot, sync::Group g) {
    Effect e = effect(kind, buf, slot);
    e.moment = sync::Moment::Completion;
    e.proxy = sync::Proxy::Async;
    e.threads = sync::Threads::Elected;
    e.group = g;
    return event("async", {e});
  }

  /// for (v = lo; v < hi; v += step) body, with further carried variables.
  struct Carried {
    VarId var;
    ExprId init, next;
  };
  Stmt loop(VarId v, ExprId lo, ExprId hi, Block body, std::vector<Carried> carried = {},
            int64_t step = 1) {
    Stmt s{Stmt::LoopStmt};
    s.name = p.varNames[v];
    s.inits = {{v, lo}};
    s.nexts = {{v, p.exprs.add(p.exprs.var(v), c(step))}};
    for (const Carried &x : carried) {
      s.inits.push_back({x.var, x.init});
      s.nexts.push_back({x.var, x.next});
    }
    s.cond = p.exprs.lt(p.exprs.var(v), hi);
    s.body = std::move(body);
    return s;
  }
  void task(const char *name, Block body, int warps = 4, int region = 0) {
    Task t;
    t.name = name;
    t.warps = warps;
    t.region = region;
    t.body = std::move(body);
    p.tasks.push_back(std::move(t));
  }
  /// The task that initialises, forks region 0 and joins it.
  void root(Block before, Block after = {}) {
    Stmt fork{Stmt::ForkStmt}, join{Stmt::JoinStmt};
    fork.event = join.event = 0;
    before.push_back(fork);
    before.push_back(join);
    before.insert(before.end(), after.begin(), after.end());
    task("default", std::move(before), 4, -1);
  }
  ExprId v(VarId var) { return p.exprs.var(var); }
};

/// What to get wrong in a ring.
struct RingOptions {
  int slots = 2, consumers = 1;
  int64_t trips = -1;      ///< -1: unknown
  int64_t minTrips = 0;    ///< known lower bound of the unknown trip count
  bool persistent = false; ///< a tile loop around it, counters carried
  bool toggles = false;    ///< phase and slot as toggled variables
  int dropArriveOf = -1;   ///< this consumer never releases
  bool producerPhaseWrong = false, consumerPhaseWrong = false;
  int emptyCount = -1; ///< -1: the number of consumers
  int64_t expectBytes = 64, loadBytes = 64;
  bool releaseBeforeRead = false;
  bool consumerShort = false; ///< consumers run one iteration less
  int readSlotShift = 0;      ///< consumers read a different slot than they waited for
};

/// A producer that loads into a ring and consumers that read from it.
inline Program ring(const RingOptions &o) {
  Builder b;
  Exprs &e = b.p.exprs;
  int full = b.barriers("full", o.slots), empty = b.barriers("empty", o.slots);
  int data = b.buffer("data", o.slots);
  Block inits;
  for (int s = 0; s < o.slots; ++s) {
    inits.push_back(b.init(full, s, 1));
    inits.push_back(b.init(empty, s, o.emptyCount < 0 ? o.consumers : o.emptyCount));
  }
  b.root(std::move(inits));
  ExprId T = o.trips >= 0 ? b.c(o.trips) : b.arg("K", o.minTrips);
  ExprId tiles = b.arg("tiles", 0);
  auto body = [&](const std::string &name, auto make, ExprId trips) {
    VarId k = b.p.addVar(name + ".k"), cnt = b.p.addVar(name + ".cnt");
    VarId buf = b.p.addVar(name + ".buf"), ph = b.p.addVar(name + ".phase");
    ExprId slot = o.toggles ? e.var(buf) : e.rem(e.var(cnt), o.slots);
    ExprId phase = o.toggles ? e.var(ph) : e.binary(Op::And, e.div(e.var(cnt), o.slots), b.c(1));
    ExprId last = e.eq(e.var(buf), b.c(o.slots - 1));
    std::vector<Builder::Carried> carried;
    VarId outer = b.p.addVar(name + ".outer"), tile = b.p.addVar(name + ".tile");
    auto init = [&](ExprId value) { return o.persistent ? e.var(outer) : value; };
    if (o.toggles) {
      carried.push_back({buf, b.c(0), e.select(last, b.c(0), e.add(e.var(buf), b.c(1)))});
      carried.push_back({ph, b.c(0), e.binary(Op::Xor, e.var(ph), last)});
    } else {
      carried.push_back({cnt, init(b.c(0)), e.add(e.var(cnt), b.c(1))});
    }
    Block inner = make(slot, phase);
    Stmt loop = b.loop(k, b.c(0), trips, std::move(inner), carried);
    if (!o.persistent)
      return Block{loop};
    VarId after = b.p.addVar(name + ".after");
    Block tileBody{loop, assignStmt({{after, e.var(cnt)}})};
    return Block{b.loop(tile, b.c(0), tiles, std::move(tileBody), {{outer, b.c(0), e.var(after)}})};
  };
  b.task("producer",
         body(
             "producer",
             [&](ExprId slot, ExprId phase) {
               ExprId p = o.producerPhaseWrong ? phase : e.binary(Op::Xor, phase, b.c(1));
               return Block{b.wait(empty, slot, p), b.expect(full, slot, o.expectBytes),
                            b.load(data, slot, full, slot, o.loadBytes)};
             },
             T),
         1);
  for (int i = 0; i < o.consumers; ++i)
    b.task(("consumer" + std::to_string(i)).c_str(),
           body(
               "consumer" + std::to_string(i),
               [&](ExprId slot, ExprId phase) {
                 ExprId p = o.consumerPhaseWrong ? e.binary(Op::Xor, phase, b.c(1)) : phase;
                 Block block{b.wait(full, slot, p)};
                 ExprId readSlot =
                     o.readSlotShift ? e.rem(e.add(slot, b.c(o.readSlotShift)), o.slots) : slot;
                 if (!o.releaseBeforeRead)
                   block.push_back(b.read(data, readSlot));
                 if (o.dropArriveOf != i)
                   block.push_back(b.arrive(empty, slot));
                 if (o.releaseBeforeRead)
                   block.push_back(b.read(data, readSlot));
                 return block;
               },
               o.consumerShort ? e.sub(T, b.c(1)) : T),
           4);
  return std::move(b.p);
}

} // namespace tlx::verify::testing
