// What scripts/layout_facts.py asked fbtriton: conversions, what dump_layout
// prints, bank conflicts, registers of tensor memory.
#include "compiler/layout/Print.h"
#include "compiler/layout/Queries.h"
#include "compiler/layout/TensorMemoryAccess.h"
#include "tests/compiler/layout/EncodingText.h"
#include "tests/compiler/layout/FactTable.h"

#include <gtest/gtest.h>

#include <map>

using namespace tlx::layout;
using namespace tlx::layout::test;

namespace {

TEST(LayoutFacts, conversionsAreThoseOfFbtriton) {
  std::map<std::string, int> converted;
  for (const FactLine &fact : readFacts("facts.txt")) {
    SCOPED_TRACE(fact.columns[0] + " " + fact.columns[1]);
    EncodingPtr encoding = parseEncoding(fact.columns[0]);
    ASSERT_TRUE(encoding);
    auto layout = toLinearLayout(*encoding, parseShape(fact.columns[1]));
    if (fact.refused) {
      EXPECT_FALSE(layout.ok()) << "fbtriton refuses it";
      continue;
    }
    ASSERT_TRUE(layout.ok()) << layout.error().str();
    for (const auto &[dim, bases] : parseNamedBases(fact.columns[2]))
      EXPECT_EQ(layout->bases(dim), bases) << dim;
    ++converted[name(*encoding)];
  }
  // The table must not shrink unnoticed.
  for (const char *encoding :
       {"blocked", "linear", "slice", "dot_op", "nvidia_mma", "amd_mfma", "amd_wmma",
        "swizzled_shared", "amd_rotating_shared", "nvmma_shared", "shared_linear",
        "partitioned_shared", "tensor_memory_encoding", "tensor_memory_scales_encoding"})
    EXPECT_GT(converted[encoding], 0) << encoding;
}

TEST(LayoutFacts, dumpsAreThoseOfFbtriton) {
  int cute = 0, linear = 0;
  for (const FactLine &fact : readFacts("facts.txt")) {
    if (fact.refused || fact.columns[3] == "-")
      continue;
    SCOPED_TRACE(fact.columns[0] + " " + fact.columns[1]);
    auto text = dumpLayout(*parseEncoding(fact.columns[0]), parseShape(fact.columns[1]));
    ASSERT_TRUE(text.ok());
    if (fact.columns[3] == "linear") {
      EXPECT_EQ(text->rfind("(not representable", 0), 0u) << *text;
      ++linear;
    } else {
      EXPECT_EQ(*text, "cute: " + fact.columns[3] + "\n");
      ++cute;
    }
  }
  EXPECT_GT(cute, 300);
  EXPECT_GT(linear, 50);
}

/// fbtriton counts accesses as wide as the layouts allow.
TEST(LayoutFacts, bankConflictsAreThoseOfFbtriton) {
  int count = 0;
  for (const FactLine &fact : readFacts("bank_facts.txt")) {
    const auto &c = fact.columns;
    SCOPED_TRACE(c[0] + " " + c[1] + " " + c[2]);
    const auto shape = parseShape(c[2]);
    auto registers = toLinearLayout(*parseEncoding(c[0]), shape);
    auto shared = toLinearLayout(*parseEncoding(c[1]), shape);
    ASSERT_TRUE(registers.ok() && shared.ok());
    auto access = registersToShared(*registers, *shared);
    ASSERT_TRUE(access.ok());
    const unsigned bits = unsigned(std::stoul(c[3]));
    const unsigned vector = maxVectorElements(*access, bits);
    EXPECT_EQ(bankCost(*access, bits, vector).conflicts(), unsigned(std::stoul(c[4])))
        << "vector of " << vector;
    ++count;
  }
  EXPECT_GT(count, 300);
}

TEST(LayoutFacts, tensorMemoryRegistersAreThoseOfFbtriton) {
  std::map<std::string, int> count;
  for (const FactLine &fact : readFacts("tmem_facts.txt")) {
    const auto &c = fact.columns;
    SCOPED_TRACE(c[0] + " " + c[1] + " " + c[2] + " bits, " + c[3] + " warps, " + c[4]);
    const auto shape = parseShape(c[1]);
    EncodingPtr encoding = parseEncoding(c[0]);
    auto atom = TensorMemoryAtom::Lanes32x32b;
    while (name(atom) != c[4])
      atom = TensorMemoryAtom(int(atom) + 1);
    auto layout =
        tensorMemoryRegisters(*encoding->as<TensorMemoryEncoding>(), shape,
                              unsigned(std::stoul(c[2])), unsigned(std::stoul(c[3])), atom);
    if (fact.refused) {
      EXPECT_FALSE(layout.ok()) << "fbtriton refuses it";
      ++count["refused"];
      continue;
    }
    ASSERT_TRUE(layout.ok()) << layout.error().str();
    for (const auto &[dim, bases] : parseNamedBases(c[5]))
      EXPECT_EQ(layout->bases(dim), bases) << dim;
    // And every warp finds its elements where it may look.
    auto memory = toLinearLayout(*encoding, shape);
    auto access = registersToTensorMemory(*layout, *memory);
    ASSERT_TRUE(access.ok()) << access.error().str();
    EXPECT_EQ(access->compose(*memory), *layout);
    ++count[c[4]];
  }
  for (const char *key : {"32x32b", "16x64b", "16x128b", "16x256b"})
    EXPECT_GT(count[key], 20) << key;
}

} // namespace
