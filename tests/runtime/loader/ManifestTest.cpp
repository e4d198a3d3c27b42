#include "runtime/loader/Manifest.h"

#include <gtest/gtest.h>
#include <random>

using namespace tlx;

static const std::string example = R"({
 "kernel": "gemm", "ir": "e121", "target": "cuda:90", "grid": [8, 2, 1],
 "cluster": [2, 1, 1],
 "metadata": {"default_num_warps": 4, "num_warps": 12, "num_ctas": 1,
   "shared": 180496, "tmem_size": null, "global_scratch_size": 0,
   "tensordesc_meta": [{"swizzle": 3, "elem_size": 2, "elem_type": 6,
                        "block_size": [64, 64], "fp4_padded": false}]},
 "constexprs": {"BM": 128, "ACT": "relu"},
 "args": [
  {"kind": "tensordesc", "name": "a", "type": "tensordesc<fp16[64, 64]>",
   "dtype": "f16", "shape": [8192, 128], "strides": [128, 1],
   "block_shape": [64, 64], "padding": "nan", "base_shape": [4, 2048, 128],
   "storage": 0, "offset": 0, "data": {"fill": "uniform", "seed": 1,
   "lo": -1, "hi": 1.5}},
  {"kind": "pointer", "name": "p", "type": "*bf16", "dtype": "bf16",
   "shape": [2, 3], "strides": [8, 2], "storage": 1, "offset": 5,
   "data": {"fill": "values", "values": [1, 2.5, -3, 0, "inf", "nan"]}},
  {"kind": "scalar", "name": "n", "type": "i32", "value": -5},
  {"kind": "tuple", "name": "t", "items": [
    {"kind": "scalar", "type": "fp32", "value": 0.1},
    {"kind": "null"}]},
  {"kind": "scalar", "name": "flag", "type": "u1", "value": true}
 ]})";

TEST(Manifest, ReadsEverything) {
  auto manifest = parseManifest(example, "dir/l.json");
  ASSERT_TRUE(manifest.ok()) << manifest.error().str();
  EXPECT_EQ(manifest->kernel, "gemm");
  EXPECT_TRUE(manifest->isCuda());
  EXPECT_EQ(manifest->grid[1], 2);
  EXPECT_EQ(manifest->clusterSize(), 2);
  EXPECT_EQ(manifest->defaultNumWarps, 4);
  EXPECT_EQ(manifest->numWarps, 12);
  EXPECT_EQ(manifest->sharedBytes, 180496);
  EXPECT_EQ(manifest->tmemColumns, std::nullopt);
  ASSERT_EQ(manifest->constexprs.size(), 2u);
  EXPECT_EQ(manifest->constexprs[1].text, "\"relu\"");
  ASSERT_EQ(manifest->arguments.size(), 6u);

  const Argument &a = manifest->arguments[0];
  EXPECT_EQ(a.kind, Argument::Kind::TensorDesc);
  EXPECT_TRUE(a.paddingNan);
  EXPECT_EQ(a.numElements(), 4 * 2048 * 128);
  EXPECT_TRUE(a.dataStrides().empty()); // they describe shape, not base_shape
  EXPECT_EQ(a.data.high, 1.5);
  ASSERT_TRUE(a.tensorMap.has_value());
  EXPECT_EQ(a.tensorMap->swizzle, 3);

  const Argument &p = manifest->arguments[1];
  EXPECT_EQ(p.extent(), 5 + 8 + 2 * 2 + 1);
  EXPECT_EQ(p.data.bits[1], 0x4020u);
  EXPECT_EQ(p.data.bits[4], 0x7F80u);

  EXPECT_EQ(manifest->arguments[2].bits, 0xFFFFFFFBu);
  EXPECT_EQ(manifest->arguments[3].name, "t.0");
  EXPECT_EQ(manifest->arguments[3].bits, 0x3DCCCCCDu);
  EXPECT_EQ(manifest->arguments[4].kind, Argument::Kind::Null);
  EXPECT_EQ(manifest->arguments[5].bits, 1u);
}

static std::string with(std::string from, const std::string &to) {
  std::string text = example;
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}
static std::string errorWith(const std::string &from, const std::string &to) {
  auto result = parseManifest(with(from, to), "l.json");
  return result.ok() ? "parsed" : result.error().str();
}

TEST(Manifest, ErrorsAreLocated) {
  EXPECT_EQ(errorWith("[8, 2, 1]", "[8, 0, 1]"),
            "l.json:2:67: error: 'grid[1]' must be an integer from 1 to 65535; "
            "got 0");
  EXPECT_EQ(errorWith("[8, 2, 1]", "[8, 2]"),
            "l.json:2:63: error: 'grid' must have three elements, x, y and z; "
            "got 2");
  EXPECT_EQ(errorWith("\"cuda:90\"", "\"vulkan\""),
            "l.json:2:44: error: 'target' must be \"cuda:<capability>\" or "
            "\"hip:gfx<number>\"; got \"vulkan\"");
  EXPECT_EQ(errorWith("[2, 3]", "[2, -3]"),
            "l.json:16:17: error: 'args[1].shape[1]' must be an integer from 0 "
            "to 1099511627776; got -3");
  EXPECT_EQ(errorWith("0, \"inf\", \"nan\"]", "0]"),
            "l.json:17:41: error: 'args[1].data.values' has 4 elements; the "
            "shape [2, 3] needs 6");
  EXPECT_EQ(
      errorWith("\"kind\": \"scalar\", \"name\": \"n\"", "\"kind\": \"skalar\", \"name\": \"n\""),
      "l.json:18:12: error: 'args[2].kind' must be \"pointer\", "
      "\"tensordesc\", \"scalar\", \"tuple\" or \"null\"; got "
      "\"skalar\"");
  EXPECT_EQ(errorWith("-5", "3000000000"),
            "l.json:18:59: error: 'args[2].value' must be an integer from "
            "-2147483648 to 2147483647; got 3000000000");
  EXPECT_EQ(errorWith("-5", "2.5"), "l.json:18:59: error: 'args[2].value' must be an integer from "
                                    "-2147483648 to 2147483647; got 2.5");
}

TEST(Manifest, MoreErrors) {
  auto has = [](const std::string &text, const std::string &part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(errorWith("\"kernel\": \"gemm\", ", ""), "has no key 'kernel'");
  has(errorWith("\"gemm\"", "\"\""), "'kernel' must name a function");
  has(errorWith("\"gemm\"", "7"), "'kernel' must be a string; got 7");
  has(errorWith("[2, 1, 1]", "[4, 4, 2]"), "more than 16 CTAs; got 32");
  has(errorWith("\"num_ctas\": 1", "\"num_ctas\": 4"),
      "'cluster' has 2 CTAs, but metadata.num_ctas is 4");
  has(errorWith("\"default_num_warps\": 4", "\"default_num_warps\": 3"),
      "must be a power of two; got 3");
  has(errorWith("\"f16\"", "\"f17\""), "'args[0].dtype' must be an element");
  has(errorWith("\"strides\": [8, 2]", "\"strides\": [8]"),
      "'args[1].strides' must have one element for each of the 2");
  has(errorWith("\"block_shape\": [64, 64]", "\"block_shape\": [64]"),
      "'args[0].block_shape' must have one element");
  has(errorWith("\"block_shape\": [64, 64]", "\"block_shape\": [64, 0]"),
      "must be an integer from 1");
  has(errorWith("\"padding\": \"nan\"", "\"padding\": \"one\""),
      "'args[0].padding' must be \"zero\" or \"nan\"");
  has(errorWith("\"uniform\"", "\"normal\""), "'args[0].data.fill' must be");
  has(errorWith("\"hi\": 1.5", "\"hi\": -2"), "must not be less than lo");
  has(errorWith("\"seed\": 1,", ""), "has no key 'seed'");
  has(errorWith("\"storage\": 1, ", ""), "'args[1]' has no key 'storage'");
  has(errorWith("\"storage\": 1, ", "\"storage\": -1, "), "'args[1].storage'");
  has(errorWith("\"offset\": 5", "\"offset\": 1e3"), "'args[1].offset'");
  has(errorWith("[8192, 128]", "[1099511627776, 1099511627776]"),
      "describes more than 2^40 elements");
  has(errorWith("\"base_shape\": [4, 2048, 128]", "\"base_shape\": [1099511627776, 1099511627776]"),
      "describes more than 2^40 elements");
  has(errorWith("\"strides\": [8, 2]", "\"strides\": [1099511627776, 2]"),
      "describes more than 2^40 elements");
  has(errorWith("\"type\": \"fp32\", \"value\": 0.1", "\"type\": \"fp32\", \"value\": \"x\""),
      "'args[3].items[0].value' must be a number");
  has(errorWith("\"block_size\": [64, 64]", "\"block_size\": [64]"),
      "has a block_size of rank 1, but 'a' has rank 2");
  has(errorWith("\"args\": [", "\"args\": 3, \"x\": ["), "'args' must be an array; got 3");
}

TEST(Manifest, ClusterOfPairs) {
  std::string text = with("\"num_ctas\": 1", "\"num_ctas\": 2");
  size_t at = text.find("[2, 1, 1]");
  text.replace(at, 9, "[]");
  auto manifest = parseManifest(text, "l.json");
  ASSERT_TRUE(manifest.ok()) << manifest.error().str();
  EXPECT_EQ(manifest->cluster, (std::array<int64_t, 3>{2, 1, 1}));
  EXPECT_EQ(manifest->launchedGrid(), (std::array<int64_t, 3>{16, 2, 1}));
}

TEST(Manifest, DamageNeverCrashes) {
  for (size_t n = 0; n + 1 < example.size(); ++n)
    EXPECT_FALSE(parseManifest(example.substr(0, n), "l.json").ok());
  std::mt19937 random(17);
  for (int round = 0; round < 5000; ++round) {
    std::string damaged = example;
    for (int i = 0; i < 2; ++i)
      damaged[random() % damaged.size()] = "0123456789-[]{}\",:e"[random() % 19];
    (void)parseManifest(damaged, "l.json").ok();
  }
}

TEST(Manifest, MissingFile) {
  EXPECT_EQ(readManifest("/nonexistent/l.json").error().str(),
            "/nonexistent/l.json: error: cannot read: no such file or folder");
}
