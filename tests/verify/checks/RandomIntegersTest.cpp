//===- RandomIntegersTest.cpp - the prover's integers against plain ones ----===//
//
// One loop over random arithmetic on its counter, on carried values and on unknowns of any
// sign; a condition on the result decides whether a task waits for ever, or the result is a
// slot. Plain evaluation at many values says what happens:
//
//   PROVED  =>  at none of them anything happens (but where preconditions exclude it)
//   BUG     =>  at the values of the trace something does
//
// TLX_INTEGERS sets how many are tried, TLX_SEED where they start.
//
//===----------------------------------------------------------------------===//
#include "tests/verify/Protocols.h"
#include "tests/verify/explore/RandomProtocols.h"
#include "verify/checks/Prover.h"
#include "verify/checks/Sizes.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace tlx::verify;
using namespace tlx::verify::testing;

namespace {
constexpr int64_t Slots = 3;

/// `for k in range(h(N)): use(f(k, carried, x)); carried = g(k, carried)`
struct Arithmetic : Builder {
  Random random;
  Exprs &e = p.exprs;
  ExprId N = arg("N", 0), x = arg("x");
  VarId k = p.addVar("k"), carried = p.addVar("carried");
  const ExprId counter = v(k), carry = v(carried);
  ExprId start, next, used, bound;
  bool isSlot;

  explicit Arithmetic(uint64_t seed) : random(seed) {
    ExprId starts[] = {c(0), c(random.below(9) - 4), x, e.sub(x, c(random.below(6)))};
    start = starts[random.below(4)];
    int64_t by = 1 + random.below(3), modulus = 2 + random.below(4);
    ExprId was = carry;
    ExprId nexts[] = {e.add(was, c(by)),
                      e.sub(was, c(by)),
                      e.rem(e.add(was, c(by)), modulus),
                      e.rem(e.sub(was, c(by)), modulus),
                      e.binary(Op::And, e.sub(was, c(by)), c(3)),
                      e.select(e.eq(was, c(0)), c(modulus - 1), e.sub(was, c(1))),
                      e.add(was, e.rem(x, modulus)),
                      e.sub(c(by), was)};
    next = nexts[random.below(8)];
    used = expression(3);
    ExprId half = e.div(N, 2);
    ExprId bounds[] = {N, N, N, half, e.binary(Op::Mul, half, c(2)), e.sub(N, e.div(N, 3))};
    bound = bounds[random.below(6)];
    isSlot = random.chance(30);
    Block body;
    int never = barriers("never", 1), data = buffer("data", Slots);
    if (isSlot)
      body = {write(data, used)};
    else
      body = {ifStmt(used = condition(), {wait(never, c(0), c(0))})};
    root({init(never, 0, 1)});
    task("only", {loop(k, c(0), bound, std::move(body), {{carried, start, next}})});
  }

  ExprId leaf() {
    ExprId leaves[] = {counter, counter, carry, carry, x, N, c(random.below(7) - 3)};
    return leaves[random.below(7)];
  }
  ExprId expression(int depth) {
    if (depth == 0 || random.chance(15))
      return leaf();
    ExprId a = expression(depth - 1);
    switch (random.below(12)) {
    case 0: return e.add(a, expression(depth - 1));
    case 1: return e.sub(a, expression(depth - 1));
    case 2: return e.binary(Op::Mul, a, c(random.below(7) - 3));
    case 3: return e.div(a, 2 + random.below(3));
    case 4:
    case 5:
    case 6: return e.rem(a, 2 + random.below(4));
    case 7:
    case 8: return e.binary(Op::And, a, c((int64_t(2) << random.below(2)) - 1));
    case 9: return e.binary(Op::Shr, a, c(1 + random.below(2)));
    case 10: return e.binary(random.chance(50) ? Op::Min : Op::Max, a, expression(depth - 1));
    default: return e.binary(Op::Xor, e.binary(Op::And, a, c(1)), c(1));
    }
  }
  ExprId condition() {
    ExprId number = c(random.below(7) - 3);
    ExprId conditions[] = {e.eq(used, number), e.lt(used, number), e.lt(number, used),
                           e.eq(e.rem(used, 2), c(random.below(3) - 1)),
                           e.binary(Op::And, used, c(1))};
    return conditions[random.below(5)];
  }

  int64_t value(ExprId id, const std::map<ExprId, int64_t> &known) const {
    if (auto it = known.find(id); it != known.end())
      return it->second;
    const ExprNode &node = p.exprs[id];
    if (node.op == Op::Const)
      return node.value;
    if (node.op == Op::Select)
      return value(value(node.a, known) ? node.b : node.c, known);
    int64_t result = 0;
    foldBinary(node.op, value(node.a, known), value(node.b, known), result);
    return result;
  }
  /// Whether anything goes wrong.
  bool fails(int64_t n, int64_t atX) const {
    std::map<ExprId, int64_t> known{{N, n}, {x, atX}};
    known[carry] = value(start, known);
    for (int64_t i = 0, trips = value(bound, known); i < trips; ++i) {
      known[counter] = i;
      int64_t is = value(used, known);
      if (isSlot ? is < 0 || is >= Slots : is != 0)
        return true;
      known[carry] = value(next, known);
    }
    return false;
  }
  std::string text() const {
    return "carried = " + e.print(start) + ", then " + e.print(next, p.varNames) +
           (isSlot ? "; slot " : "; waits if ") + e.print(used, p.varNames) + "; below " +
           e.print(bound);
  }
};

TEST(RandomIntegers, NeverContradict) {
  const char *countText = std::getenv("TLX_INTEGERS"), *seedText = std::getenv("TLX_SEED");
  int count = countText ? std::atoi(countText) : 60;
  uint64_t seed = seedText ? std::strtoull(seedText, nullptr, 10) : 1;
  int proved = 0, bugs = 0, unknown = 0;
  for (int i = 0; i < count; ++i, ++seed) {
    Arithmetic a(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + a.text());
    ProverOptions options;
    options.maxStates = 1000;
    options.timeoutSeconds = 10;
    ProofResult result = prove(a.p, options);
    auto valuesAt = [&](int64_t n, int64_t x) {
      return [&, n, x](int64_t symbol) -> std::optional<int64_t> {
        return a.p.exprs.symbols[symbol].name == "N" ? n : x;
      };
    };
    proved += result.verdict == ProofResult::Proved;
    bugs += result.verdict == ProofResult::Bug;
    unknown += result.verdict == ProofResult::Unknown;
    if (result.verdict == ProofResult::Proved) {
      for (int64_t n = 0; n <= 9; ++n)
        for (int64_t x = -14; x <= 14; ++x)
          if (a.fails(n, x) && holdAt(a.p, result.preconditions, valuesAt(n, x))) {
            ADD_FAILURE() << "PROVED, but fails where N is " << n << " and x is " << x;
            n = x = 99;
          }
    } else if (result.verdict == ProofResult::Bug) {
      auto at = [&](const char *name) {
        for (size_t s = 0; s < a.p.exprs.symbols.size(); ++s)
          if (a.p.exprs.symbols[s].name == name)
            return result.values.valueOfSymbol(static_cast<int64_t>(s)).value_or(0);
        return int64_t(0);
      };
      EXPECT_TRUE(a.fails(at("N"), at("x")))
          << "BUG, but nothing happens where N is " << at("N") << " and x is " << at("x");
    }
  }
  std::printf("%d proved, %d bugs, %d unknown\n", proved, bugs, unknown);
  EXPECT_LE(unknown, count / 4);
}
} // namespace
