#include "compiler/layout/Queries.h"
#include "compiler/layout/TensorMemoryAccess.h"

#include <gtest/gtest.h>

using namespace tlx::layout;

namespace {

LinearLayout access(const Encoding &registers, const Encoding &shared, const Shape &shape) {
  auto r = toLinearLayout(registers, shape), s = toLinearLayout(shared, shape);
  EXPECT_TRUE(r.ok() && s.ok());
  auto l = registersToShared(*r, *s);
  EXPECT_TRUE(l.ok());
  return *l;
}

const SwizzledSharedEncoding rowMajor{1, 1, 1, {1, 0}};

TEST(BankConflicts, rowsOf128BytesAllMeetInOneBank) {
  // 32 lanes down a column of a 32 x 32 tile of 4-byte elements.
  const BlockedEncoding column{{1, 1}, {32, 1}, {1, 1}, {0, 1}};
  EXPECT_EQ(bankCost(access(column, rowMajor, {32, 32}), 32, 1), (BankCost{32, 1}));
  // Swizzled by 128 bytes, 16 bytes at a time: 8 rows differ.
  const NvmmaSharedEncoding swizzled{128, false, 32};
  EXPECT_EQ(bankCost(access(column, swizzled, {32, 32}), 32, 1), (BankCost{4, 1}));
  // One element of padding in each row: none meet.
  const auto padded = PaddedSharedEncoding::identity({{32, 1}}, {1, 0}, {32, 32});
  EXPECT_EQ(bankCost(access(column, padded, {32, 32}), padded, 32, 1), (BankCost{1, 1}));
}

TEST(BankConflicts, lanesShareAWord) {
  // Two 16-bit elements of a word in neighbouring lanes: half the words.
  const BlockedEncoding row{{1, 1}, {1, 32}, {1, 1}, {1, 0}};
  EXPECT_EQ(bankCost(access(row, rowMajor, {1, 32}), 16, 1), (BankCost{1, 1}));
  // All lanes hold the same element.
  EXPECT_EQ(bankCost(access(row, rowMajor, {1, 1}), 32, 1), (BankCost{1, 1}));
}

TEST(BankConflicts, wideAccessesTakeSeveralPassesAnyway) {
  const BlockedEncoding rows{{1, 8}, {4, 8}, {1, 1}, {1, 0}};
  const LinearLayout l = access(rows, rowMajor, {32, 64});
  EXPECT_EQ(maxVectorElements(l, 16), 8u);
  EXPECT_EQ(bankCost(l, 16, 8), (BankCost{4, 4}));
  EXPECT_EQ(bankCost(l, 16, 8).conflicts(), 0u);
  // More banks, fewer passes.
  EXPECT_EQ(bankCost(l, 16, 8, BankModel{64, 4}), (BankCost{2, 2}));
}

TEST(VectorWidth, isWhatRegistersAndSharedMemoryHaveInCommon) {
  const BlockedEncoding four{{1, 4}, {8, 4}, {4, 1}, {1, 0}};
  EXPECT_EQ(maxVectorElements(access(four, rowMajor, {64, 64}), 16), 4u);
  EXPECT_EQ(maxVectorElements(access(four, rowMajor, {64, 64}), 64), 2u);
  EXPECT_EQ(maxVectorElements(access(four, rowMajor, {64, 64}), 16, 32), 2u);
  // The swizzle moves pairs.
  EXPECT_EQ(maxVectorElements(access(four, SwizzledSharedEncoding{2, 1, 8, {1, 0}}, {64, 64}), 16),
            2u);
  // Column-major memory: registers run across.
  EXPECT_EQ(maxVectorElements(access(four, SwizzledSharedEncoding{1, 1, 1, {0, 1}}, {64, 64}), 16),
            1u);
  // The accumulator of wgmma: pairs.
  EXPECT_EQ(maxVectorElements(
                access(NvidiaMmaEncoding{3, 0, {4, 1}, {16, 64, 16}}, rowMajor, {64, 64}), 32),
            2u);
}

TEST(VectorWidth, registersOfAnyNumberCount) {
  // Register bit 1 is the one that runs along the row.
  const LinearEncoding e{{{1, 0}, {0, 1}}, {{0, 2}, {0, 4}, {0, 8}, {2, 0}, {4, 0}}, {}};
  const LinearLayout l = access(e, rowMajor, {8, 16});
  EXPECT_EQ(vectorRegisterBits(l, 16), (std::vector<unsigned>{1}));
  EXPECT_EQ(maxVectorElements(l, 16), 2u);
}

TEST(VectorWidth, paddingMustNotCutAnAccess) {
  const BlockedEncoding eight{{1, 8}, {4, 8}, {1, 1}, {1, 0}};
  const auto by4 = PaddedSharedEncoding::identity({{64, 4}}, {1, 0}, {32, 64});
  const auto by8 = PaddedSharedEncoding::identity({{64, 8}}, {1, 0}, {32, 64});
  const LinearLayout l = access(eight, by4, {32, 64});
  EXPECT_EQ(maxVectorElements(l, by4, 16), 4u);
  EXPECT_EQ(maxVectorElements(l, by8, 16), 8u);
}

TEST(VectorWidth, ofGlobalMemoryFollowsTheOrder) {
  auto l = toLinearLayout(BlockedEncoding{{2, 8}, {4, 8}, {4, 1}, {1, 0}}, {128, 64});
  ASSERT_TRUE(l.ok());
  EXPECT_EQ(maxVectorElements(*l, {1, 0}, 16), 8u);
  EXPECT_EQ(maxVectorElements(*l, {1, 0}, 32), 4u);
  EXPECT_EQ(maxVectorElements(*l, {0, 1}, 16), 2u);
  // A row of 4: no vector goes past its end.
  auto narrow = toLinearLayout(BlockedEncoding{{2, 8}, {4, 8}, {4, 1}, {1, 0}}, {128, 4});
  EXPECT_EQ(maxVectorElements(*narrow, {1, 0}, 16), 4u);
}

TEST(RegistersToShared, findsTheElement) {
  const NvidiaMmaEncoding mma{3, 0, {4, 1}, {16, 64, 16}};
  const NvmmaSharedEncoding tile{128, false, 16};
  const LinearLayout l = access(mma, tile, {64, 64});
  auto r = toLinearLayout(mma, {64, 64}), s = toLinearLayout(tile, {64, 64});
  EXPECT_EQ(l.compose(*s), *r);
  // Register 2 of lane 5 in warp 1: row 16 + 8 + 1, column 2; the swizzle of row
  // 1 of the pattern moves chunk 0 to chunk 1.
  EXPECT_EQ(l.apply({{"register", 2}, {"lane", 5}, {"warp", 1}, {"block", 0}}, kOffset),
            25 * 64 + 8 + 2);
}

TEST(RegistersToShared, staysInItsOwnCta) {
  // Both CTAs have a copy of the tile in shared memory: each reads its own.
  const BlockedEncoding r{{1, 4}, {8, 4}, {4, 1}, {1, 0}, {{0, 0}}};
  const SwizzledSharedEncoding s{1, 1, 1, {1, 0}, {{0, 0}}};
  EXPECT_EQ(access(r, s, {32, 16}).apply({{"block", 1}}, kBlock), 1);
  // Registers split over CTAs, memory too, but the other way.
  const BlockedEncoding rows{{1, 4}, {8, 4}, {4, 1}, {1, 0}, {{1, 0}}};
  const SwizzledSharedEncoding columns{1, 1, 1, {1, 0}, {{0, 1}}};
  const LinearLayout l = access(rows, columns, {64, 32});
  EXPECT_EQ(l.compose(*toLinearLayout(columns, {64, 32})), *toLinearLayout(rows, {64, 32}));
  EXPECT_EQ(l.apply({{"block", 1}}, kBlock), 0);
}

TEST(RegistersToShared, shapesMustAgree) {
  auto r = toLinearLayout(BlockedEncoding{{1, 4}, {8, 4}, {4, 1}, {1, 0}}, {64, 64});
  auto s = toLinearLayout(rowMajor, {64, 32});
  EXPECT_FALSE(registersToShared(*r, *s).ok());
}

Conversion kind(const Encoding &from, const Encoding &to, const Shape &shape) {
  auto result = conversionKind(*toLinearLayout(from, shape), *toLinearLayout(to, shape));
  EXPECT_TRUE(result.ok());
  return *result;
}

TEST(ConversionKind, saysHowFarElementsMove) {
  const BlockedEncoding a{{1, 4}, {8, 4}, {4, 1}, {1, 0}};
  EXPECT_EQ(kind(a, a, {32, 16}), Conversion::None);
  // The same threads, registers numbered down first.
  EXPECT_EQ(kind(BlockedEncoding{{2, 2}, {8, 4}, {4, 1}, {1, 0}},
                 LinearEncoding{{{1, 0}, {0, 1}},
                                {{0, 2}, {0, 4}, {2, 0}, {4, 0}, {8, 0}},
                                {{16, 0}, {32, 0}}},
                 {64, 8}),
            Conversion::Registers);
  EXPECT_EQ(kind(a, BlockedEncoding{{4, 1}, {2, 16}, {4, 1}, {1, 0}}, {32, 16}), Conversion::Lanes);
  EXPECT_EQ(kind(a, BlockedEncoding{{1, 4}, {8, 4}, {1, 4}, {1, 0}}, {32, 64}), Conversion::Warps);
  EXPECT_EQ(kind(BlockedEncoding{{1}, {32}, {4}, {0}, {{1}}},
                 BlockedEncoding{{1}, {32}, {4}, {0}, {{0}}}, {256}),
            Conversion::Blocks);
  // All four warps have everything; each picks its part.
  EXPECT_EQ(kind(SliceEncoding{1, makeEncoding(BlockedEncoding{{1, 1}, {32, 1}, {1, 4}, {1, 0}})},
                 BlockedEncoding{{1}, {32}, {4}, {0}}, {128}),
            Conversion::Registers);
}

TEST(TensorMemoryAccess, warpsStayInTheirLanes) {
  const TensorMemoryEncoding tile{128, 64};
  auto memory = toLinearLayout(tile, {128, 64});
  // Warps down the rows, 32 each: what the hardware offers.
  auto rows = toLinearLayout(BlockedEncoding{{1, 64}, {32, 1}, {4, 1}, {0, 1}}, {128, 64});
  auto access = registersToTensorMemory(*rows, *memory);
  ASSERT_TRUE(access.ok());
  EXPECT_EQ(access->apply({{"warp", 3}, {"lane", 5}, {"register", 7}}, kRow), 3 * 32 + 5);
  EXPECT_EQ(access->apply({{"warp", 3}, {"lane", 5}, {"register", 7}}, kCol), 7);
  // Warps along the columns would all have to read lane 0.
  auto columns = toLinearLayout(BlockedEncoding{{1, 16}, {32, 1}, {1, 4}, {1, 0}}, {128, 64});
  auto refused = registersToTensorMemory(*columns, *memory);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("32 lanes"), std::string::npos);
  EXPECT_FALSE(tensorMemoryRegisters(tile, {128, 64}, 32, 2, TensorMemoryAtom::Lanes32x32b).ok());
}

} // namespace
