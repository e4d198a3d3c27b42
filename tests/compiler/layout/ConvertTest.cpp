// Conversions by hand, and errors. FactsTest.cpp has the comparisons with fbtriton.
#include "compiler/layout/Print.h"
#include "tests/compiler/layout/EncodingText.h"

#include <gtest/gtest.h>

using namespace tlx::layout;
using namespace tlx::layout::test;

namespace {

LinearLayout of(const Encoding &encoding, const Shape &shape) {
  auto layout = toLinearLayout(encoding, shape);
  EXPECT_TRUE(layout.ok()) << (layout.ok() ? "" : layout.error().str());
  return layout.ok() ? *layout : LinearLayout();
}

std::string errorOf(const Encoding &encoding, const Shape &shape) {
  auto layout = toLinearLayout(encoding, shape);
  return layout.ok() ? "no error" : layout.error().message;
}

//===----------------------------------------------------------------------===//
// What fbtriton 3.7.4 cannot be asked
//===----------------------------------------------------------------------===//

TEST(TensorMemory, ctaModes) {
  TensorMemoryEncoding e{64, 128};
  e.ctaMode = TensorMemoryCtaMode::TwoCtaLhs;
  LinearLayout lhs = of(e, {64, 128});
  EXPECT_EQ(lhs.bases(kRow), (Bases{{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {32, 0}, {0, 0}}));
  EXPECT_EQ(lhs.bases(kCol).back(), (std::vector<int32_t>{0, 64}));

  e.ctaMode = TensorMemoryCtaMode::TwoCtaRhs;
  LinearLayout rhs = of(e, {64, 128});
  EXPECT_EQ(rhs.bases(kRow), (Bases{{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {32, 0}, {0, 64}}));
  EXPECT_EQ(rhs.inBits(kCol), 6u);
  EXPECT_TRUE(rhs.isBijective());
}

TEST(TensorMemory, fp4PaddingLeavesEverySecondColumnEmpty) {
  TensorMemoryEncoding e{128, 4};
  e.fp4Padded = true;
  EXPECT_EQ(of(e, {128, 4}).bases(kCol), (Bases{{0, 0}, {0, 1}, {0, 2}}));
}

TEST(TensorMemory, scalesRepeatAlongKFirstWhenAsked) {
  TensorMemoryScalesEncoding e;
  EXPECT_EQ(of(e, {256, 8}).bases(kCol),
            (Bases{{0, 1}, {0, 2}, {32, 0}, {64, 0}, {128, 0}, {0, 4}}));
  e.kThenMn = true;
  EXPECT_EQ(of(e, {256, 8}).bases(kCol),
            (Bases{{0, 1}, {0, 2}, {32, 0}, {64, 0}, {0, 4}, {128, 0}}));
}

TEST(TensorMemory, twoCtasSplitTheRows) {
  TensorMemoryEncoding e{128, 128};
  e.twoCtas = true;
  e.cga = {{1, 0}};
  LinearLayout l = of(e, {256, 128});
  EXPECT_EQ(l.bases(kBlock), (Bases{{128, 0}}));
  EXPECT_EQ(l.inBits(kRow), 7u);
  EXPECT_EQ(l.inBits(kCol), 7u);
}

TEST(PaddedShared, offsetsGrowByThePaddingsPassed) {
  auto e = PaddedSharedEncoding::identity({{64, 8}, {256, 16}}, {1, 0}, {16, 64});
  EXPECT_EQ(of(e, {16, 64}).bases(kOffset)[5], (std::vector<int32_t>{0, 32}));
  EXPECT_EQ(of(e, {16, 64}).bases(kOffset)[6], (std::vector<int32_t>{1, 0}));
  EXPECT_EQ(paddedOffset(e, 63), 63);
  EXPECT_EQ(paddedOffset(e, 64), 64 + 8);
  EXPECT_EQ(paddedOffset(e, 255), 255 + 3 * 8);
  EXPECT_EQ(paddedOffset(e, 512), 512 + 8 * 8 + 2 * 16);
}

TEST(AmdWmma, wideInstructionRepeatsRows) {
  AmdWmmaEncoding e{3, false, {}, {{0, 1}}, {32, 16, 128}};
  EXPECT_EQ(of(e, {32, 32}).bases(kRegister), (Bases{{1, 0}, {2, 0}, {4, 0}, {16, 0}}));
}

TEST(Buffers, leadingDimensionsCount) {
  const NvmmaSharedEncoding tile{128, false, 16};
  auto three = bufferLayout(tile, {3, 64, 64});
  ASSERT_TRUE(three.ok());
  EXPECT_EQ(three->count, 3);
  EXPECT_EQ(three->stride, 64 * 64);
  EXPECT_EQ(three->layout, of(tile, {64, 64}));

  // Barriers: six of them, one element each.
  auto barriers = bufferLayout(SwizzledSharedEncoding{1, 1, 1, {0}}, {6});
  ASSERT_TRUE(barriers.ok());
  EXPECT_EQ(barriers->count, 6);
  EXPECT_EQ(barriers->stride, 1);

  // Accumulators side by side in tensor memory.
  auto accumulators = bufferLayout(TensorMemoryEncoding{128, 64, 1}, {2, 128, 64});
  ASSERT_TRUE(accumulators.ok());
  EXPECT_EQ(accumulators->stride, 64);

  EXPECT_FALSE(bufferLayout(tile, {64}).ok());
  EXPECT_FALSE(bufferLayout(SwizzledSharedEncoding{8, 1, 8, {1, 0}}, {48, 64}).ok());
  EXPECT_FALSE(bufferLayout(tile, {0, 64, 64}).ok());
  EXPECT_FALSE(bufferLayout(BlockedEncoding{{1}, {32}, {4}, {0}}, {128}).ok());
}

TEST(TensorMemory, sizeOfAllocations) {
  auto size = [](const Encoding &e, const Shape &shape, unsigned bits) {
    auto result = tensorMemorySize(e, shape, bits);
    EXPECT_TRUE(result.ok());
    return result.ok() ? *result : TensorMemorySize{0, 0};
  };
  EXPECT_EQ(size(TensorMemoryEncoding{128, 128}, {128, 128}, 32), (TensorMemorySize{128, 128}));
  EXPECT_EQ(size(TensorMemoryEncoding{128, 64}, {2, 128, 64}, 32), (TensorMemorySize{128, 128}));
  // Two 16-bit elements in a column; one when they are kept apart.
  EXPECT_EQ(size(TensorMemoryEncoding{128, 64}, {128, 64}, 16), (TensorMemorySize{128, 32}));
  EXPECT_EQ(size(TensorMemoryEncoding{128, 64, 2}, {128, 64}, 16), (TensorMemorySize{128, 64}));
  EXPECT_EQ(size(TensorMemoryEncoding{64, 64}, {64, 64}, 32), (TensorMemorySize{64, 64}));
  // A second tile fills the other lanes.
  EXPECT_EQ(size(TensorMemoryEncoding{64, 64}, {64, 128}, 32), (TensorMemorySize{128, 64}));
  EXPECT_EQ(size(TensorMemoryScalesEncoding{}, {128, 8}, 8), (TensorMemorySize{128, 8}));
  EXPECT_FALSE(tensorMemorySize(SwizzledSharedEncoding{1, 1, 1, {0}}, {64}, 32).ok());
}

TEST(Alignment, followsTheSwizzle) {
  EXPECT_EQ(sharedAlignment(NvmmaSharedEncoding{128, false, 16}), 1024u);
  EXPECT_EQ(sharedAlignment(NvmmaSharedEncoding{32, false, 16}), 256u);
  EXPECT_EQ(sharedAlignment(NvmmaSharedEncoding{0, false, 16}), 128u);
  EXPECT_EQ(sharedAlignment(SharedLinearEncoding{{}, {}, 64}), 64u);
}

//===----------------------------------------------------------------------===//
// Printing and tables
//===----------------------------------------------------------------------===//

TEST(Print, basesAsFbtritonWritesThem) {
  AmdRotatingSharedEncoding e{2, 1, 2, {1, 0}};
  auto text = dumpLayout(e, {8, 4});
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, "(not representable as a CuTe layout; linear layout follows)\n"
                   "\n"
                   " - offset=1 -> (0, 1)\n"
                   "   offset=2 -> (0, 2)\n"
                   "   offset=4 -> (1, 2)\n"
                   "   offset=8 -> (2, 2)\n"
                   "   offset=16 -> (4, 0)\n"
                   " - block is a size 1 dimension\n"
                   "where out dims are: [dim0 (size 8), dim1 (size 4)]\n");
}

TEST(Print, tableHoldsTheLayout) {
  const auto e = PaddedSharedEncoding::identity({{4, 2}}, {1, 0}, {2, 4});
  auto table = toTable(e, {2, 4});
  ASSERT_TRUE(table.ok());
  ASSERT_EQ(table->ins.size(), 2u);
  EXPECT_EQ(table->ins[0].name, "offset");
  EXPECT_EQ(table->ins[0].bits, 3u);
  EXPECT_EQ(table->outs[1].name, "dim1");
  EXPECT_EQ(table->outs[1].first, 1u);
  // offset 1, 2 -> columns 1, 2; offset 4 -> row 1, which is bit 0.
  EXPECT_EQ(table->columns, (std::vector<uint64_t>{1 << 1, 1 << 2, 1 << 0}));
  EXPECT_EQ(table->padding, (std::vector<std::pair<uint32_t, uint32_t>>{{4, 2}}));
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(ConvertErrors, nameTheEncodingAndTheReason) {
  const BlockedEncoding blocked{{1, 4}, {8, 4}, {4, 1}, {1, 0}};
  EXPECT_EQ(errorOf(blocked, {64, 48}),
            "'blocked' needs dimensions that are powers of two; got shape 64x48");
  EXPECT_EQ(errorOf(blocked, {64}),
            "'blocked' sizePerThread must have one value per dimension of the "
            "rank-1 tensor; got 2");
  EXPECT_EQ(errorOf(BlockedEncoding{{1, 3}, {8, 4}, {4, 1}, {1, 0}}, {64, 64}),
            "'blocked' sizePerThread must be powers of two; got 3");
  EXPECT_EQ(errorOf(BlockedEncoding{{1, 4}, {8, 4}, {4, 1}, {1, 1}}, {64, 64}),
            "'blocked' order must be a permutation of the 2 dimensions");
  EXPECT_EQ(errorOf(SliceEncoding{2, makeEncoding(blocked)}, {64}),
            "'slice' dim 2 is outside of the parent, of rank 2");
  EXPECT_EQ(errorOf(NvmmaSharedEncoding{128, false, 16}, {64, 32}),
            "'nvmma_shared' needs at least 64 elements along the contiguous "
            "dimension 1 of one CTA to swizzle by 128 bytes; got 32");
  EXPECT_EQ(errorOf(NvidiaMmaEncoding{3, 0, {4, 1}, {16, 96, 16}}, {64, 96 / 3 * 4}),
            "'nvidia_mma' has no linear layout for an n that is not a power of "
            "two; got 96");
  EXPECT_EQ(errorOf(TensorMemoryEncoding{128, 64}, {64, 64}),
            "'tensor_memory_encoding' needs at least blockM = 128 rows for each "
            "CTA; got 64");
  EXPECT_EQ(errorOf(LinearEncoding{{{0, 1}}, {{0, 1}}, {}}, {1, 2}),
            "'linear' bases must move every hardware bit to a coordinate bit of "
            "its own; generic_linear may do otherwise");
  EXPECT_EQ(errorOf(SharedLinearEncoding{{{0, 1}}, {}}, {2, 2}),
            "'shared_linear' bases do not reach every element of the shape 2x2");
  EXPECT_EQ(errorOf(DotOperandEncoding{0, makeEncoding(blocked), 2}, {64, 64}),
            "'dot_op' of a blocked parent takes no kWidth");
  EXPECT_EQ(errorOf(SliceEncoding{0, nullptr}, {64}),
            "'slice' needs a register encoding as its parent");
}

} // namespace
