//===- Rings.h - one ring, loops over it as a test spells them -------------===//
#pragma once

#include "tests/verify/Protocols.h"
#include "verify/checks/Prover.h"
#include "verify/model/Pace.h"
#include "verify/model/Split.h"

namespace tlx::verify::testing {

/// What a test's protocol comes to, and its twin's.
constexpr auto Right = ProofResult::Proved, Wrong = ProofResult::Bug;

/// A ring of buffers with a barrier for full and one for empty slots each.
struct Ring : Builder {
  const int slots;
  int full, empty, data;
  Exprs &e = p.exprs;
  ExprId N = arg("N", 0), A = arg("A", 0);

  explicit Ring(int slots = 3, int64_t emptyCount = 1)
      : slots(slots), full(barriers("full", slots)), empty(barriers("empty", slots)),
        data(buffer("data", slots)) {
    Block inits;
    for (int s = 0; s < slots; ++s)
      inits.insert(inits.end(), {init(full, s, 1), init(empty, s, emptyCount)});
    root(std::move(inits));
  }
  ExprId op(Op o, ExprId a, int64_t b) { return e.binary(o, a, c(b)); }
  ExprId slotOf(ExprId k) { return e.rem(k, slots); }
  ExprId phase(ExprId k) { return op(Op::And, e.div(k, slots), 1); }
  Block put(ExprId k) { return putAt(slotOf(k), op(Op::Xor, phase(k), 1)); }
  Block take(ExprId k) { return takeAt(slotOf(k), phase(k)); }
  Block putAt(ExprId slot, ExprId parity) {
    return {wait(empty, slot, parity), expect(full, slot, 64), load(data, slot, full, slot, 64)};
  }
  Block takeAt(ExprId slot, ExprId parity) {
    return {wait(full, slot, parity), read(data, slot), arrive(empty, slot)};
  }
  /// `for k in range(from, to, step)` over `times` tiles each, from `scale` k on.
  Stmt over(ExprId from, ExprId to, int64_t step = 1, int times = 1, int64_t scale = 1) {
    VarId k = p.addVar("k");
    Block body;
    for (int i = 0; i < times; ++i)
      for (Stmt &stmt : take(e.add(op(Op::Mul, v(k), scale), c(i))))
        body.push_back(std::move(stmt));
    return loop(k, from, to, std::move(body), {}, step);
  }
  void producer(ExprId trips) {
    VarId k = p.addVar("k");
    task("producer", {loop(k, c(0), trips, put(v(k)))}, 1);
  }
  /// A task that takes numbers `first`, `first + by`, ...
  void sharer(const char *name, int first, int by, ExprId trips) {
    VarId k = p.addVar(name), n = p.addVar("n");
    task(name, {loop(k, c(0), trips, take(v(n)), {{n, c(first), e.add(v(n), c(by))}})});
  }
  ProofResult prove(bool split = true) {
    if (split)
      splitLoops(p);
    setPaces(p);
    ProverOptions options;
    options.timeoutSeconds = 120; // a proof takes one: sanitizers on a busy machine many
    return tlx::verify::prove(p, options);
  }
  /// With a consumer.
  ProofResult::Verdict judge(Block consumer) {
    task("consumer", std::move(consumer));
    return prove().verdict;
  }
};

} // namespace tlx::verify::testing
