// Random parameters must give a layout or an error and never end the program;
// and the encodings of compiled kernels convert.
#include "compiler/layout/Print.h"
#include "tests/compiler/layout/EncodingText.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <regex>
#include <set>

using namespace tlx::layout;
using namespace tlx::layout::test;

namespace {

class Wild {
public:
  explicit Wild(uint32_t seed) : engine(seed) {}

  unsigned below(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(engine); }
  bool coin() { return below(2); }
  /// Mostly a sensible power of two, sometimes anything.
  unsigned size() {
    if (below(12) == 0)
      return unsigned(engine());
    return 1u << below(below(4) ? 5 : 20);
  }
  std::vector<unsigned> sizes(unsigned rank) {
    std::vector<unsigned> list(below(15) ? rank : below(4));
    for (unsigned &v : list)
      v = size();
    return list;
  }
  std::vector<unsigned> order(unsigned rank) {
    std::vector<unsigned> list(below(15) ? rank : below(4));
    for (unsigned i = 0; i < list.size(); ++i)
      list[i] = i;
    std::shuffle(list.begin(), list.end(), engine);
    if (!list.empty() && below(15) == 0)
      list[0] = below(5);
    return list;
  }
  Bases bases(unsigned rank, unsigned maxCount, unsigned maxBits) {
    Bases list(below(maxCount + 1));
    for (auto &basis : list) {
      basis.resize(below(20) ? rank : below(4));
      for (int32_t &v : basis)
        v = coin() ? 0 : below(30) ? 1 << below(maxBits) : int32_t(engine());
    }
    return list;
  }
  Shape shape() {
    Shape s(below(10) ? 1 + below(3) : below(18));
    for (int64_t &v : s)
      v = below(20) ? int64_t(1) << below(9) : int64_t(engine()) - 1000;
    return s;
  }
  unsigned oneOf(std::vector<unsigned> list) {
    return below(10) ? list[below(unsigned(list.size()))] : unsigned(engine());
  }

  Encoding encoding(unsigned rank, unsigned depth = 0) {
    const Bases cga = below(3) ? Bases() : bases(rank, 3, 3);
    auto parent = [&](unsigned r) -> EncodingPtr {
      if (depth > 20 || below(30) == 0)
        return nullptr;
      return std::make_shared<const Encoding>(encoding(r, depth + 1));
    };
    switch (below(15)) {
    case 0: return BlockedEncoding{sizes(rank), sizes(rank), sizes(rank), order(rank), cga};
    case 1:
      return LinearEncoding{bases(rank, 8, 8), bases(rank, 6, 8), bases(rank, 4, 8),
                            bases(rank, 2, 8), coin()};
    case 2: return SliceEncoding{below(4), parent(rank + 1)};
    case 3: return DotOperandEncoding{below(3), parent(rank), oneOf({0, 1, 2, 4, 8, 16})};
    case 4:
      return NvidiaMmaEncoding{oneOf({2, 3}), 0, sizes(rank),
                               below(10) ? coin()
                                               ? std::vector<unsigned>{16, 8}
                                               : std::vector<unsigned>{16, oneOf({8, 64, 256}), 16}
                                         : sizes(3),
                               cga};
    case 5:
      return AmdMfmaEncoding{oneOf({1, 2, 3, 4}),
                             sizes(rank),
                             below(10) ? std::vector<unsigned>{32, 32, 8} : sizes(3),
                             coin(),
                             coin() ? sizes(rank) : std::vector<unsigned>(),
                             oneOf({32, 64}),
                             cga};
    case 6:
      return AmdWmmaEncoding{oneOf({1, 2, 3}),
                             coin(),
                             bases(rank, 9, 9),
                             bases(rank, 9, 9),
                             {16, 16, oneOf({4, 16, 32, 64, 128})},
                             cga};
    case 7: return SwizzledSharedEncoding{size(), size(), size(), order(rank), cga};
    case 8: return AmdRotatingSharedEncoding{size(), size(), size(), order(rank), cga};
    case 9:
      return NvmmaSharedEncoding{
          oneOf({0, 32, 64, 128}), coin(), oneOf({8, 16, 32, 64}), coin(), rank, cga};
    case 10: return PaddedSharedEncoding{{{size(), size()}}, bases(rank, 34, 9), bases(rank, 3, 9)};
    case 11: return SharedLinearEncoding{bases(rank, 34, 9), bases(rank, 3, 9), size()};
    case 12: return PartitionedSharedEncoding{size(), size(), below(4), parent(rank)};
    case 13:
      return TensorMemoryEncoding{
          oneOf({64, 128}), size(), oneOf({1, 2, 4}), coin(), TensorMemoryCtaMode(below(3)),
          coin(),           cga};
    default: return TensorMemoryScalesEncoding{coin(), cga};
    }
  }

private:
  std::mt19937 engine;
};

TEST(ConvertFuzz, anyParametersGiveALayoutOrAnError) {
  Wild wild(20);
  std::set<size_t> good;
  int converted = 0;
  for (int i = 0; i < 30000; ++i) {
    const Shape shape = wild.shape();
    const Encoding encoding = wild.encoding(unsigned(shape.size()));
    auto layout = toLinearLayout(encoding, shape);
    auto dump = dumpLayout(encoding, shape);
    ASSERT_EQ(layout.ok(), dump.ok());
    if (!layout) {
      EXPECT_EQ(layout.error().message[0], '\'');
      continue;
    }
    ++converted;
    good.insert(encoding.kind.index());
    // Every element lives somewhere, but for rows that tensor memory lacks.
    EXPECT_TRUE(layout->isSurjective()) << *dump;
    ASSERT_EQ(layout->outNames(), dimNames(unsigned(shape.size())));
    for (unsigned d = 0; d < shape.size(); ++d)
      EXPECT_EQ(layout->outSize(dimName(d)), shape[d]);
  }
  EXPECT_GT(converted, 2000);
  EXPECT_EQ(good.size(), 15u) << "some encoding was never converted";
}

TEST(ConvertCorpus, encodingsOfCompiledKernelsConvert) {
  const char *shared = std::getenv("TLX_SHARED");
  const std::filesystem::path root =
      std::filesystem::path(shared ? shared : TLX_SOURCE_DIR "/../shared") / "corpus";
  if (!std::filesystem::exists(root))
    GTEST_SKIP() << "no corpus at " << root;
  // "#name = #ttg..." and its uses "tensor<128x64xf16, #name>" and
  // "memdesc<128x32xf16, #name, #smem, mutable, 128x64>".
  const std::regex alias("^(#\\w+) = (#tt(?:n)?g\\.\\w+<.*>)$");
  const std::regex use("<([0-9]+(?:x[0-9]+)*)x[^,<>]*, (#\\w+)"
                       "(?:, [#a-z_.]+)?(?:, mutable)?(?:, ([0-9]+(?:x[0-9]+)*))?>");
  std::set<std::pair<std::string, std::string>> seen;
  int converted = 0;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".ttgir")
      continue;
    std::ifstream file(entry.path());
    std::map<std::string, std::string> aliases;
    std::string line;
    while (std::getline(file, line)) {
      std::smatch match;
      if (line.rfind("#", 0) == 0) {
        if (std::regex_match(line, match, alias)) {
          // Aliases within aliases.
          std::string text = match[2];
          for (auto &[name, value] : aliases)
            text = std::regex_replace(text, std::regex(name + "\\b"), value);
          aliases[match[1]] = text;
        }
        continue;
      }
      if (line.find("tensor<") == std::string::npos && line.find("memdesc<") == std::string::npos)
        continue;
      for (std::sregex_iterator it(line.begin(), line.end(), use), end; it != end; ++it) {
        // A subview has the layout of its allocation.
        const std::string shape = (*it)[3].matched ? (*it)[3] : (*it)[1];
        auto found = aliases.find((*it)[2]);
        if (found == aliases.end() || !seen.insert({found->second, shape}).second)
          continue;
        EncodingPtr encoding = parseEncoding(found->second);
        if (!encoding || found->second.find("padded") != std::string::npos)
          continue;
        SCOPED_TRACE(found->second + " " + shape + " in " + entry.path().string());
        if (storage(*encoding) == Storage::Registers) {
          auto layout = toLinearLayout(*encoding, parseShape(shape));
          EXPECT_TRUE(layout.ok()) << (layout.ok() ? "" : layout.error().str());
        } else {
          auto layout = bufferLayout(*encoding, parseShape(shape));
          EXPECT_TRUE(layout.ok()) << (layout.ok() ? "" : layout.error().str());
        }
        ++converted;
      }
    }
  }
  EXPECT_GT(converted, 300);
}

} // namespace
