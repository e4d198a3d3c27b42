//===- RandomProtocolsTest.cpp - prover and explorer never contradict ------===//
//
// Protocols with random damage (RandomProtocols.h, RandomLoops.h). The prover judges
// all trip counts, the explorer a few of them exhaustively:
//
//   PROVED  =>  the explorer finds nothing for any small trip count
//   BUG     =>  the explorer finds something for some small trip count
//
// TLX_PROTOCOLS sets how many are tried, TLX_SEED where they start.
//
//===----------------------------------------------------------------------===//
#include "tests/verify/explore/RandomLoops.h"
#include "verify/checks/Prover.h"
#include "verify/explore/Explorer.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace tlx;
using namespace tlx::verify;
using namespace tlx::verify::testing;

namespace {

Program protocol(uint64_t seed, std::string &text) {
  Damage d(seed);
  Program (*const kinds[])(Damage &) = {ring,    pipeline,       pingPong,     launchControl,
                                        cluster, persistentRing, grantedTiles, staging};
  Program program = kinds[d.random.below(std::size(kinds))](d);
  // In every second one memory must be written before it is read.
  bool startsBlank = d.random.chance(50);
  for (Buffer &buffer : program.buffers)
    buffer.blank = startsBlank && buffer.where == sync::Space::Shared;
  text = d.text + (startsBlank ? " blank" : "");
  return program;
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
    bool small = p.tasks.size() <= 4;
    // One tile more than steps: an odd step shows in the second. A BUG may need other sizes.
    std::vector<std::pair<int64_t, int64_t>> sizes{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}};
    if (result.verdict == ProofResult::Bug)
      sizes.insert(sizes.end(), {{1, 3}, {1, 4}, {2, 5}});
    for (auto [K, tiles] : sizes) {
      if (seen)
        break;
      ExploreOptions exploring;
      exploring.valueOf = [&, K = K, tiles = tiles](int64_t symbol) {
        return p.exprs.symbols[symbol].name == "tiles" ? tiles : K;
      };
      exploring.functionOf = [&, K = K](const Function &, const Operands &of) {
        return of[0] < K ? of[0] + 1 : -1; // so many tiles are granted
      };
      exploring.maxStates = small ? 20000 : 2000;
      ExploreResult judged = explore(p, exploring);
      exploring.maxStates = 60000;
      ExploreResult orders = exploreOrders(p, exploring);
      // Two searches of the same runs. Only the second looks at proxies and ends.
      bool alone = orders.what == "proxy" || orders.what == "exit";
      if (judged.verdict != ExploreResult::Unknown && orders.verdict != ExploreResult::Unknown &&
          !alone)
        EXPECT_EQ(judged.verdict, orders.verdict)
            << "seed " << seed << damage << " at K = " << K << ", tiles = " << tiles
            << "\nstates: " << judged.what << " " << judged.message << "\norders: " << orders.what
            << " " << orders.message;
      if (judged.verdict == ExploreResult::Unknown || alone)
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
