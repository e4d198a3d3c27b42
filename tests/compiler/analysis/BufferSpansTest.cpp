// Parts of buffers, counted by hand from the layouts' definitions.
#include "compiler/analysis/BufferSpans.h"
#include "tests/compiler/DialectsTest.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace tlx;

namespace {

class BufferSpansTest : public tlx::testing::DialectsTest {
protected:
  ttg::MemDescType type(const std::string &shapeAndElement, const std::string &encoding,
                        const std::string &space = "#ttg.shared_memory") {
    return cast<ttg::MemDescType>(
        parseType("!ttg.memdesc<" + shapeAndElement + ", " + encoding + ", " + space + ", mutable>",
                  &context));
  }
  SmallVector<BufferSpan> spans(ttg::MemDescType buffer, ArrayRef<int64_t> offsets,
                                ArrayRef<int64_t> shape) {
    auto found = spansOf(buffer, {buffer.getShape(), offsets, shape});
    return found ? *found : SmallVector<BufferSpan>{{-1, -1}};
  }
};

const char *kSwizzled = "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, "
                        "elementBitWidth = 16}>";
const char *kPlain = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>";

} // namespace

TEST_F(BufferSpansTest, columnBlocksFollowEachOther) {
  ttg::MemDescType tile = type("128x128xf16", kSwizzled);
  EXPECT_EQ(spans(tile, {0, 0}, {128, 64}), (SmallVector<BufferSpan>{{0, 16384}}));
  EXPECT_EQ(spans(tile, {0, 64}, {128, 64}), (SmallVector<BufferSpan>{{16384, 32768}}));
  EXPECT_EQ(spans(tile, {64, 0}, {64, 128}),
            (SmallVector<BufferSpan>{{8192, 16384}, {24576, 32768}}));
}

TEST_F(BufferSpansTest, swizzledRowsExchangeTheirHalves) {
  ttg::MemDescType tile = type("128x64xf16", kSwizzled);
  SmallVector<BufferSpan> left = spans(tile, {0, 0}, {128, 32}),
                          right = spans(tile, {0, 32}, {128, 32});
  // Rows 0 to 3 begin with the left half, rows 4 to 7 with the right one.
  EXPECT_EQ(left.front(), (BufferSpan{0, 64}));
  EXPECT_EQ(right.front(), (BufferSpan{64, 128}));
  EXPECT_EQ(left[3], (BufferSpan{384, 448}));
  EXPECT_EQ(left[4], (BufferSpan{576, 640}));
  int64_t bytes = 0;
  for (const auto *half : {&left, &right})
    for (BufferSpan span : *half)
      bytes += span.end - span.begin;
  EXPECT_EQ(bytes, 128 * 64 * 2);
}

TEST_F(BufferSpansTest, plainRows) {
  ttg::MemDescType tile = type("4x32xf32", kPlain);
  EXPECT_EQ(spans(tile, {1, 0}, {2, 32}), (SmallVector<BufferSpan>{{128, 384}}));
  EXPECT_EQ(spans(tile, {0, 8}, {2, 8}), (SmallVector<BufferSpan>{{32, 64}, {160, 192}}));
}

TEST_F(BufferSpansTest, paddingMovesWhatFollows) {
  ttg::MemDescType tile =
      type("4x32xf32", "#ttg.padded_shared<[32:+4] {order = [1, 0], shape = [4, 32]}>");
  EXPECT_EQ(sizeInMemory(tile, tile.getShape()), (4 * 32 + 4 * 4) * 4);
  EXPECT_EQ(spans(tile, {1, 0}, {1, 32}), (SmallVector<BufferSpan>{{144, 272}}));
}

TEST_F(BufferSpansTest, tensorMemoryCountsColumns) {
  const char *space = "#ttng.tensor_memory";
  const char *encoding = "#ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>";
  EXPECT_EQ(spans(type("128x128xf32", encoding, space), {0, 64}, {128, 32}),
            (SmallVector<BufferSpan>{{64, 96}}));
  EXPECT_EQ(spans(type("128x128xf16", encoding, space), {0, 64}, {128, 32}),
            (SmallVector<BufferSpan>{{32, 48}}));
  // Half of the lanes only.
  EXPECT_FALSE(spansOf(type("128x128xf32", encoding, space), {{128, 128}, {0, 0}, {64, 128}}));
}

TEST_F(BufferSpansTest, anArrayIsNoBuffer) {
  EXPECT_FALSE(spansOf(type("2x128x64xf16", kSwizzled), {{2, 128, 64}, {0, 0, 0}, {1, 128, 64}}));
}
