//===- RandomProtocolsTest.cpp - prover and explorer never contradict ------===//
//
// Rings, chains and ping-pong protocols with random damage. The prover judges
// all trip counts, the explorer a few of them exhaustively:
//
//   PROVED  =>  the explorer finds nothing for any small trip count
//   BUG     =>  the explorer finds something for some small trip count
//
// TLX_PROTOCOLS sets how many are tried, TLX_SEED where they start.
//
//===----------------------------------------------------------------------===//
#include "tests/verify/Protocols.h"
#include "verify/checks/Prover.h"
#include "verify/explore/Explorer.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

using namespace tlx;
using namespace tlx::verify;
using namespace tlx::verify::testing;

namespace {

struct Random {
  std::mt19937_64 engine;
  explicit Random(uint64_t seed) : engine(seed) {}
  int below(int n) { return static_cast<int>(engine() % static_cast<uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }
};

/// A pipeline of stages: stage 0 loads or writes, the others read, each over
/// its own ring; with chance `damage` percent something is wrong with an event.
Program protocol(uint64_t seed, std::string &text) {
  Random r(seed);
  Builder b;
  Exprs &e = b.p.exprs;
  int slots = 1 + r.below(2);
  int consumers = 1 + r.below(2);
  bool bulk = r.chance(50); // the producer loads, or writes itself
  int damage = r.chance(35) ? 0 : 12;
  int full = b.barriers("full", slots), empty = b.barriers("empty", slots);
  int data = b.buffer("data", slots);
  auto hit = [&](const char *what) {
    if (!r.chance(damage))
      return false;
    text += std::string(" ") + what;
    return true;
  };
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
                 block.push_back(b.write(data, slot));
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

TEST(RandomProtocols, NeverContradict) {
  const char *countText = std::getenv("TLX_PROTOCOLS");
  const char *seedText = std::getenv("TLX_SEED");
  int count = countText ? std::atoi(countText) : 400;
  uint64_t seed = seedText ? std::strtoull(seedText, nullptr, 10) : 1;
  int proved = 0, bugs = 0, unknown = 0, undecided = 0;
  for (int i = 0; i < count; ++i, ++seed) {
    std::string damage;
    Program p = protocol(seed, damage);
    ProverOptions options;
    options.strict = true;
    options.maxStates = 20000;
    ProofResult result = prove(p, options);
    std::string said =
        result.verdict == ProofResult::Bug
            ? std::string(info(result.violation.cls).name) + ": " + result.violation.message
            : result.reason;
    bool seen = false, full = true;
    std::string what;
    for (int64_t K = 0; K <= 5 && !seen; ++K) {
      ExploreOptions exploring;
      exploring.valueOf = [&](int64_t) { return K; };
      exploring.maxStates = 60000;
      ExploreResult judged = explore(p, exploring), orders = exploreOrders(p, exploring);
      // Two searches of the same runs. Only the second looks at proxies.
      if (judged.verdict != ExploreResult::Unknown && orders.verdict != ExploreResult::Unknown &&
          orders.what != "proxy")
        EXPECT_EQ(judged.verdict, orders.verdict)
            << "seed " << seed << damage << " at K = " << K << "\nstates: " << judged.what << " "
            << judged.message << "\norders: " << orders.what << " " << orders.message;
      if (judged.verdict == ExploreResult::Unknown)
        judged = orders;
      seen |= judged.verdict == ExploreResult::Violation;
      full &= judged.verdict != ExploreResult::Unknown;
      if (seen)
        what = judged.what + " at K = " + std::to_string(K) + ": " + judged.message;
    }
    switch (result.verdict) {
    case ProofResult::Proved:
      ++proved;
      EXPECT_FALSE(seen) << "seed " << seed << damage << "\nexplorer: " << what;
      break;
    case ProofResult::Bug:
      ++bugs;
      if (result.violation.cls == BugClass::Exit)
        break; // the explorer does not look at what is left at the end
      if (!full && !seen) {
        ++undecided;
        break;
      }
      EXPECT_TRUE(seen) << "seed " << seed << damage << "\nprover: " << said;
      break;
    case ProofResult::Unknown: ++unknown; break;
    }
    if (HasFailure()) {
      ADD_FAILURE() << "first contradiction at seed " << seed;
      return;
    }
  }
  RecordProperty("proved", proved);
  RecordProperty("bugs", bugs);
  EXPECT_GT(proved, count / 10);
  EXPECT_GT(bugs, count / 10);
  EXPECT_LE(unknown, count / 20);
  EXPECT_LE(undecided, count / 20);
}

} // namespace
