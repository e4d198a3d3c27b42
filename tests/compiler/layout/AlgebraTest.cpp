// Laws of the algebra on random layouts, and small cases by hand.
#include "compiler/layout/LinearLayout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace tlx::layout;

namespace {

using Dims = std::vector<std::pair<std::string, int64_t>>;

class Random {
public:
  explicit Random(uint32_t seed) : engine(seed) {}
  unsigned below(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(engine); }

  Dims dims(std::vector<std::string> names, unsigned maxBits) {
    Dims result;
    for (auto &name : names)
      result.emplace_back(name, int64_t(1) << below(maxBits + 1));
    return result;
  }

  LinearLayout layout(const Dims &ins, const Dims &outs) {
    std::vector<std::pair<std::string, Bases>> bases;
    for (const auto &[name, size] : ins) {
      bases.emplace_back(name, Bases());
      for (unsigned b = 0; b < log2Exact(size); ++b) {
        bases.back().second.emplace_back();
        for (const auto &[out, outSize] : outs)
          bases.back().second.back().push_back(int32_t(below(unsigned(outSize))));
      }
    }
    return LinearLayout::fromBases(bases, outs);
  }

  /// A bijection: the identity, shuffled by elementary column operations.
  LinearLayout bijection(const Dims &ins, const Dims &outs) {
    unsigned bits = 0;
    for (const auto &[name, size] : ins)
      bits += log2Exact(size);
    std::vector<uint64_t> columns;
    for (unsigned b = 0; b < bits; ++b)
      columns.push_back(uint64_t(1) << b);
    std::shuffle(columns.begin(), columns.end(), engine);
    for (unsigned i = 0; bits > 1 && i < 4 * bits; ++i) {
      const unsigned a = below(bits), b = below(bits);
      if (a != b)
        columns[a] ^= columns[b];
    }
    Bases flat;
    for (uint64_t c : columns)
      flat.push_back({int32_t(c)});
    return LinearLayout::fromBases({{"flat", flat}}, {{"flat", int64_t(1) << bits}})
        .reshapeIns(ins)
        .reshapeOuts(outs);
  }

private:
  std::mt19937 engine;
};

/// Equal as maps: dimensions may come in another order.
void expectSameMap(const LinearLayout &a, const LinearLayout &b) {
  auto sorted = [](std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    return names;
  };
  ASSERT_EQ(sorted(a.inNames()), sorted(b.inNames()));
  ASSERT_EQ(sorted(a.outNames()), sorted(b.outNames()));
  EXPECT_EQ(a, b.transposeIns(a.inNames()).transposeOuts(a.outNames()));
}

constexpr int kRounds = 300;

TEST(LayoutAlgebra, applyIsTheExclusiveOrOfBases) {
  auto l = LinearLayout::fromBases({{"register", {{1, 0}}}, {"lane", {{0, 1}, {3, 1}}}},
                                   {{"dim0", 4}, {"dim1", 2}});
  EXPECT_EQ(l.apply({{"register", 1}, {"lane", 3}}), (Coords{{"dim0", 2}, {"dim1", 0}}));
  EXPECT_EQ(l.apply({{"lane", 2}}, "dim1"), 1);
  EXPECT_EQ(l.basis("lane", 1), (std::vector<int32_t>{3, 1}));
}

TEST(LayoutAlgebra, applyIsLinear) {
  Random random(1);
  for (int i = 0; i < kRounds; ++i) {
    auto l = random.layout(random.dims({"a", "b"}, 5), random.dims({"x", "y"}, 5));
    const uint64_t p = random.below(unsigned(l.totalInSize()));
    const uint64_t q = random.below(unsigned(l.totalInSize()));
    EXPECT_EQ(l.applyPacked(p) ^ l.applyPacked(q), l.applyPacked(p ^ q));
  }
}

TEST(LayoutAlgebra, composeIsApplyAfterApplyAndAssociative) {
  Random random(2);
  for (int i = 0; i < kRounds; ++i) {
    const Dims w = random.dims({"a", "b"}, 4), x = random.dims({"c", "d"}, 4),
               y = random.dims({"e", "f"}, 4), z = random.dims({"g"}, 6);
    auto f = random.layout(w, x), g = random.layout(x, y), h = random.layout(y, z);
    EXPECT_EQ(f.compose(g).compose(h), f.compose(g.compose(h)));
    // The names decide, not the order.
    EXPECT_EQ(f.compose(g), f.transposeOuts({"d", "c"}).compose(g));
    for (int64_t v = 0; v < f.totalInSize(); ++v)
      ASSERT_EQ(f.compose(g).applyPacked(uint64_t(v)), g.applyPacked(f.applyPacked(uint64_t(v))));
  }
}

TEST(LayoutAlgebra, composeIntoALargerLayout) {
  auto inner = LinearLayout::identity1D(4, "lane", "offset");
  auto outer = LinearLayout::strided1D(16, 2, "offset", "byte");
  EXPECT_EQ(inner.compose(outer).bases("lane"), (Bases{{2}, {4}}));
  EXPECT_EQ(inner.compose(outer).outSize("byte"), 32);
}

TEST(LayoutAlgebra, inverseOfABijectionIsTheIdentityOnBothSides) {
  Random random(3);
  for (int i = 0; i < kRounds; ++i) {
    const Dims ins = {{"a", 8}, {"b", 1 << random.below(4)}, {"c", 2}};
    int64_t size = 1;
    for (const auto &[name, s] : ins)
      size *= s;
    const Dims outs = {{"x", 2}, {"y", size / 2}};
    auto l = random.bijection(ins, outs);
    ASSERT_TRUE(l.isBijective());
    auto inverse = l.invert();
    ASSERT_TRUE(inverse);
    EXPECT_EQ(inverse->outNames(), l.inNames());
    for (int64_t v = 0; v < size; ++v) {
      ASSERT_EQ(inverse->applyPacked(l.applyPacked(uint64_t(v))), uint64_t(v));
      ASSERT_EQ(l.applyPacked(inverse->applyPacked(uint64_t(v))), uint64_t(v));
    }
  }
}

TEST(LayoutAlgebra, onlyBijectionsInvert) {
  Random random(4);
  int inverted = 0;
  for (int i = 0; i < kRounds; ++i) {
    const Dims dims = {{"a", 4}, {"b", 2}}, outs = {{"x", 8}};
    auto l = random.layout(dims, outs);
    std::vector<bool> hit(8);
    for (uint64_t v = 0; v < 8; ++v)
      hit[l.applyPacked(v)] = true;
    const auto reached = std::count(hit.begin(), hit.end(), true);
    EXPECT_EQ(l.isBijective(), reached == 8);
    EXPECT_EQ(l.invert().has_value(), reached == 8);
    EXPECT_EQ(int64_t(1) << l.rank(), reached);
    inverted += reached == 8;
  }
  EXPECT_GT(inverted, 0);
  EXPECT_LT(inverted, kRounds);
}

TEST(LayoutAlgebra, oneSidedAndPseudoInverses) {
  Random random(5);
  int right = 0, left = 0;
  for (int i = 0; i < kRounds; ++i) {
    auto l = random.layout(random.dims({"a", "b"}, 3), random.dims({"x", "y"}, 3));
    const auto identity = [](uint64_t v) { return v; };
    if (auto r = l.rightInverse()) {
      ++right;
      for (int64_t v = 0; v < l.totalOutSize(); ++v)
        ASSERT_EQ(l.applyPacked(r->applyPacked(uint64_t(v))), identity(uint64_t(v)));
    } else {
      EXPECT_FALSE(l.isSurjective());
    }
    if (auto r = l.leftInverse()) {
      ++left;
      for (int64_t v = 0; v < l.totalInSize(); ++v)
        ASSERT_EQ(r->applyPacked(l.applyPacked(uint64_t(v))), identity(uint64_t(v)));
    } else {
      EXPECT_FALSE(l.isInjective());
    }
    auto g = l.pseudoInverse();
    EXPECT_EQ(l.compose(g).compose(l), l);
  }
  EXPECT_GT(right, 10);
  EXPECT_GT(left, 10);
}

TEST(LayoutAlgebra, invertAndComposeFindsWhereTheElementIs) {
  Random random(6);
  int found = 0, missing = 0;
  for (int i = 0; i < kRounds; ++i) {
    const Dims outs = random.dims({"x", "y"}, 3);
    auto from = random.layout(random.dims({"a"}, 3), outs);
    auto to = random.layout(random.dims({"b", "c"}, 4), outs);
    auto map = from.invertAndCompose(to.transposeOuts({"y", "x"}));
    // Brute force: is every element of `from` somewhere in `to`?
    bool all = true;
    for (int64_t v = 0; v < from.totalInSize(); ++v) {
      bool some = false;
      for (int64_t w = 0; w < to.totalInSize(); ++w)
        some |= to.applyPacked(uint64_t(w)) == from.applyPacked(uint64_t(v));
      all &= some;
    }
    ASSERT_EQ(map.has_value(), all);
    (all ? found : missing)++;
    if (!map)
      continue;
    EXPECT_EQ(map->compose(to), from);
    // Free variables stay at zero.
    for (int64_t v = 0; v < from.totalInSize(); ++v)
      for (const auto &[dim, mask] : to.freeVariableMasks())
        EXPECT_EQ(uint64_t(map->apply({{"a", v}}, dim)) & mask, 0u);
  }
  EXPECT_GT(found, 20);
  EXPECT_GT(missing, 20);
}

TEST(LayoutAlgebra, productPutsTheSecondAbove) {
  auto l = LinearLayout::identity1D(2, "register", "dim1") *
           LinearLayout::identity1D(4, "lane", "dim0") *
           LinearLayout::identity1D(4, "register", "dim1");
  EXPECT_EQ(l.inNames(), (std::vector<std::string>{"register", "lane"}));
  EXPECT_EQ(l.outNames(), (std::vector<std::string>{"dim1", "dim0"}));
  EXPECT_EQ(l.bases("register"), (Bases{{1, 0}, {2, 0}, {4, 0}}));
  EXPECT_EQ(l.bases("lane"), (Bases{{0, 1}, {0, 2}}));
}

TEST(LayoutAlgebra, productIsAssociativeAndDivides) {
  Random random(7);
  for (int i = 0; i < kRounds; ++i) {
    auto a = random.layout(random.dims({"a", "b"}, 2), random.dims({"x", "y"}, 2));
    auto b = random.layout(random.dims({"b", "c"}, 2), random.dims({"y", "z"}, 2));
    auto c = random.layout(random.dims({"a", "c"}, 2), random.dims({"x", "z"}, 2));
    EXPECT_EQ((a * b) * c, a * (b * c));
    EXPECT_EQ(a * LinearLayout(), a);
    EXPECT_EQ(LinearLayout() * a, a);

    const LinearLayout ab = a * b;
    auto right = ab.divideLeft(a), left = ab.divideRight(b);
    ASSERT_TRUE(right && left);
    expectSameMap(ab, a * *right);
    expectSameMap(ab, *left * b);
    // The quotients are the factors, up to dimensions of size 1.
    for (const auto &d : b.ins())
      EXPECT_EQ(right->packed(d.name).size(), d.bits);
    for (const std::string &in : b.inNames())
      for (const std::string &out : b.outNames())
        for (unsigned bit = 0; bit < b.inBits(in); ++bit)
          EXPECT_EQ(right->basis(in, bit, out), b.basis(in, bit, out));
    for (const std::string &in : a.inNames())
      for (const std::string &out : a.outNames())
        for (unsigned bit = 0; bit < a.inBits(in); ++bit)
          EXPECT_EQ(left->basis(in, bit, out), a.basis(in, bit, out));
  }
}

TEST(LayoutAlgebra, divisionFailsWhenThereIsNoQuotient) {
  auto swizzle =
      LinearLayout::fromBases({{"offset", {{0, 1}, {0, 2}, {1, 1}}}}, {{"dim0", 2}, {"dim1", 4}});
  auto one = LinearLayout::identity1D(2, "offset", "dim1");
  // The row bit also flips the lowest column bit: vectors of 2 are not rigid.
  EXPECT_FALSE(swizzle.divideLeft(one));
  auto high =
      LinearLayout::fromBases({{"offset", {{0, 1}, {0, 2}, {1, 2}}}}, {{"dim0", 2}, {"dim1", 4}});
  ASSERT_TRUE(high.divideLeft(one));
  EXPECT_EQ(high.divideLeft(one)->bases("offset"), (Bases{{0, 1}, {1, 1}}));
  EXPECT_FALSE(high.divideLeft(LinearLayout::identity1D(2, "lane", "dim1")));
  EXPECT_FALSE(high.divideRight(LinearLayout::identity1D(2, "offset", "dim0")));
}

TEST(LayoutAlgebra, quotientTakesAwayAnIdentity) {
  auto l =
      LinearLayout::identity1D(4, "lane", "offset") * LinearLayout::identity1D(2, "block", "block");
  ASSERT_TRUE(l.quotient({"block"}));
  EXPECT_EQ(*l.quotient({"block"}), LinearLayout::identity1D(4, "lane", "offset"));
  // The lane reaches another block: not an identity any more.
  auto m = LinearLayout::fromBases({{"lane", {{1, 1}}}, {"block", {{0, 1}}}},
                                   {{"offset", 2}, {"block", 2}});
  EXPECT_FALSE(m.quotient({"block"}));
  EXPECT_FALSE(l.quotient({"warp"}));
}

TEST(LayoutAlgebra, freeVariablesReachNothingNew) {
  Random random(8);
  for (int i = 0; i < kRounds; ++i) {
    auto l = random.layout(random.dims({"a", "b"}, 4), random.dims({"x"}, 4));
    uint64_t free = 0;
    for (const auto &in : l.ins())
      free |= l.freeVariableMask(in.name) << in.first;
    EXPECT_EQ(unsigned(__builtin_popcountll(free)), l.totalInBits() - l.rank());
    std::vector<bool> all(size_t(l.totalOutSize())), kept(size_t(l.totalOutSize()));
    for (int64_t v = 0; v < l.totalInSize(); ++v) {
      all[l.applyPacked(uint64_t(v))] = true;
      if (!(uint64_t(v) & free))
        kept[l.applyPacked(uint64_t(v))] = true;
    }
    EXPECT_EQ(all, kept);
  }
  // Of two equal bases the first one counts.
  auto l = LinearLayout::fromBases({{"register", {{1}}}, {"lane", {{1}, {0}, {2}}}}, {{"dim0", 4}});
  EXPECT_EQ(l.freeVariableMask("register"), 0u);
  EXPECT_EQ(l.freeVariableMask("lane"), 3u);
}

TEST(LayoutAlgebra, reshapeAndTransposeKeepTheMap) {
  Random random(9);
  for (int i = 0; i < kRounds; ++i) {
    const Dims ins = {{"a", 4}, {"b", 8}}, outs = {{"x", 2}, {"y", 16}};
    auto l = random.layout(ins, outs);
    EXPECT_EQ(l.transposeIns({"b", "a"}).transposeIns({"a", "b"}), l);
    EXPECT_EQ(l.transposeOuts({"y", "x"}).transposeOuts({"x", "y"}), l);
    EXPECT_EQ(l.reshapeIns({{"p", 2}, {"q", 16}}).reshapeIns(ins), l);
    EXPECT_EQ(l.reshapeOuts({{"p", 32}}).reshapeOuts(outs), l);
    EXPECT_EQ(l.reshapeIns({{"p", 2}, {"q", 16}}).matrix(), l.matrix());
    const int64_t a = random.below(4), b = random.below(8);
    const Coords at = {{"a", a}, {"b", b}};
    EXPECT_EQ(l.rowMajorOuts("i").apply(at, "i"), l.apply(at, "x") * 16 + l.apply(at, "y"));
    EXPECT_EQ(l.sublayout({"b"}, {"y"}).apply({{"b", b}}, "y"), l.apply({{"b", b}}, "y"));
    EXPECT_EQ(l.dropOut("x"), l.sublayout({"a", "b"}, {"y"}));
  }
}

TEST(LayoutAlgebra, resizingAndZeroBases) {
  auto l = LinearLayout::fromBases({{"register", {{1}, {0}, {8}}}, {"lane", {{2}, {4}}}},
                                   {{"dim0", 16}});
  EXPECT_EQ(l.removeZeroBases("register").bases("register"), (Bases{{1}, {8}}));
  EXPECT_EQ(l.removeZeroBases("register").bases("lane"), (Bases{{2}, {4}}));
  EXPECT_EQ(l.resizeOut("dim0", 2).bases("register"), (Bases{{1}, {0}, {0}}));
  EXPECT_EQ(l.resizeOut("dim0", 2).bases("lane"), (Bases{{2}, {0}}));
  EXPECT_EQ(l.resizeOut("dim0", 6).outSize("dim0"), 64);
  EXPECT_EQ(l.truncateIn("register", 1).bases("register"), (Bases{{1}}));
  EXPECT_TRUE(l.sublayoutIsZero({}, {"dim0"}));
  EXPECT_FALSE(l.sublayoutIsZero({"lane"}, {"dim0"}));
}

TEST(LayoutAlgebraDeath, brokenPreconditionsAreNamed) {
  auto l = LinearLayout::identity1D(4, "lane", "dim0");
  EXPECT_DEATH(LinearLayout::identity1D(3, "lane", "dim0"), "power of two");
  EXPECT_DEATH(l.compose(l), "compose");
  EXPECT_DEATH(l.apply({{"lane", 4}}), "exceeds");
  EXPECT_DEATH(l.reshapeIns({{"a", 8}}), "reshape");
}

} // namespace
