#include "runtime/base/Json.h"

#include <gtest/gtest.h>
#include <random>

using namespace tlx;

static std::string errorOf(std::string_view text) {
  auto result = json::parse(text, "f.json");
  return result.ok() ? "parsed" : result.error().str();
}

TEST(Json, ReadsEveryKind) {
  auto document = json::parse("{\"a\": [1, -2, 3.5, 1e3], \"b\": true, \"c\": null,\n \"s\": "
                              "\"\\u00e9\\n\\ud83d\\ude00\", \"u\": 18446744073709551615,"
                              "\"m\": -9223372036854775808}",
                              "f.json");
  ASSERT_TRUE(document.ok()) << document.error().str();
  json::Reader reader(*document);
  json::Node root = reader.root();
  EXPECT_EQ(root["a"][1].integer(), -2);
  EXPECT_EQ(root["a"][2].number(), 3.5);
  EXPECT_EQ(root["a"][3].number(), 1000);
  EXPECT_TRUE(root["b"].boolean());
  EXPECT_FALSE(root.find("c").has_value());
  EXPECT_FALSE(root.find("zz").has_value());
  EXPECT_EQ(root["s"].string(), "\xC3\xA9\n\xF0\x9F\x98\x80");
  EXPECT_EQ(root["u"].unsignedInteger(), UINT64_MAX);
  EXPECT_EQ(root["u"].integerBits(), UINT64_MAX);
  EXPECT_EQ(root["m"].integer(), INT64_MIN);
  EXPECT_EQ(root["s"].location().str(), "f.json:2:7");
  EXPECT_FALSE(reader.failed());
}

TEST(Json, FirstFailureSticks) {
  auto document = json::parse("{\"grid\": [4, -1],\n  \"k\": 7}", "f.json");
  ASSERT_TRUE(document.ok());
  json::Reader reader(*document);
  json::Node root = reader.root();
  EXPECT_EQ(root["grid"][1].integer(1, 65535), 1);
  EXPECT_EQ(root["missing"]["deeper"][3].string(), "");
  ASSERT_TRUE(reader.failed());
  EXPECT_EQ(reader.error().str(), "f.json:1:14: error: 'grid[1]' must be an "
                                  "integer from 1 to 65535; got -1");
}

TEST(Json, AccessErrorsSayWhatIsThere) {
  auto document = json::parse("{\"k\": 7, \"s\": \"x\", \"a\": [1.5]}", "f.json");
  ASSERT_TRUE(document.ok());
  auto message = [&](auto access) {
    json::Reader reader(*document);
    access(reader.root());
    return reader.failed() ? reader.error().message : "fine";
  };
  using json::Node;
  EXPECT_EQ(message([](Node n) { n["k"].string(); }), "'k' must be a string; got 7");
  EXPECT_EQ(message([](Node n) { n["a"][0].integer(); }), "'a[0]' must be an integer; got 1.5");
  EXPECT_EQ(message([](Node n) { n["a"][4].integer(); }),
            "'a' must have at least 5 elements; got 1");
  EXPECT_EQ(message([](Node n) { n["q"]; }), "the file has no key 'q'");
  EXPECT_EQ(message([](Node n) { n["s"]["q"]; }), "'s' must be an object; got \"x\"");
  EXPECT_EQ(message([](Node n) { n.onlyKeys({"k", "a"}); }), "'s' is not a key that is known here");
}

TEST(Json, SyntaxErrorsAreLocated) {
  EXPECT_EQ(errorOf(""), "f.json:1:1: error: expected JSON, but the file is empty");
  EXPECT_EQ(errorOf("{\"a\": 1,\n \"a\": 2}"), "f.json:2:2: error: the key 'a' appears twice");
  EXPECT_EQ(errorOf("[NaN]"), "f.json:1:2: error: NaN and Infinity are not JSON numbers");
  EXPECT_EQ(errorOf("[-Infinity]"), "f.json:1:3: error: NaN and Infinity are not JSON numbers");
  EXPECT_EQ(errorOf("[1] x"), "f.json:1:5: error: expected the end of the file; got 'x'");
  EXPECT_EQ(errorOf("[01]"), "f.json:1:3: error: a number must not begin with 0");
  EXPECT_EQ(errorOf("[1e999]"), "f.json:1:2: error: the number is too large");
  EXPECT_EQ(errorOf("\x7f"
                    "ELF"),
            "f.json:1:1: error: expected a value; got byte 0x7f");
  EXPECT_EQ(errorOf("[\"a\nb\"]"), "f.json:1:4: error: the string does not end on its line");
  EXPECT_EQ(errorOf("[\"\xff\"]"), "f.json:1:3: error: not UTF-8: byte 0xff");
  EXPECT_EQ(errorOf("[\"\\ud800\"]"), "f.json:1:9: error: half of a surrogate pair");
  EXPECT_EQ(errorOf("{'a': 1}"), "f.json:1:2: error: expected a key in double quotes; got '''");
  EXPECT_EQ(errorOf(std::string(200, '[')), "f.json:1:102: error: nested deeper than 100 levels");
  EXPECT_EQ(errorOf("[1e-999]"), "parsed"); // underflow is zero
}

TEST(Json, SizeLimit) {
  EXPECT_EQ(json::parse("[1,2,3]", "f.json", {.maxBytes = 3}).error().str(),
            "f.json: error: larger than 0 MiB");
}

TEST(Json, CutAnywhereIsAnErrorNotACrash) {
  std::string text = "{\"a\": [1, -2.5e3, \"x\\u00e9\\n\"], \"b\": {\"c\": "
                     "null, \"d\": [true, false]}}";
  ASSERT_EQ(errorOf(text), "parsed");
  for (size_t n = 0; n < text.size(); ++n)
    EXPECT_NE(errorOf(text.substr(0, n)), "parsed") << n;
}

TEST(Json, RandomDamageNeverCrashes) {
  std::string text = "{\"a\": [1, -2.5e3, \"x\\u00e9\\n\"], \"b\": {\"c\": "
                     "null, \"d\": [true, false]}}";
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = text;
    for (int i = 0; i < 3; ++i)
      damaged[random() % damaged.size()] = char(random());
    auto result = json::parse(damaged, "f.json");
    if (!result.ok())
      EXPECT_FALSE(result.error().message.empty());
  }
}

TEST(JsonWriter, PrettyAndCompact) {
  auto fill = [](json::Writer &out) {
    out.beginObject().key("a").value(1).key("s").value("q\"\n\x01\xff");
    out.key("r").row(std::vector<int64_t>{1, 2}).key("e").beginArray();
    out.endArray().key("n").beginArray().null().value(0.1).endArray();
    out.key("x").value(std::numeric_limits<double>::infinity()).endObject();
  };
  json::Writer compact, pretty(true);
  fill(compact);
  fill(pretty);
  EXPECT_EQ(compact.str(), "{\"a\":1,\"s\":\"q\\\"\\n\\u0001\xEF\xBF\xBD\",\"r\":[1,2],"
                           "\"e\":[],\"n\":[null,0.1],\"x\":\"inf\"}");
  EXPECT_EQ(pretty.str(), "{\n  \"a\": 1,\n  \"s\": \"q\\\"\\n\\u0001\xEF\xBF\xBD\",\n"
                          "  \"r\": [1, 2],\n  \"e\": [],\n  \"n\": [\n    null,\n    0.1\n"
                          "  ],\n  \"x\": \"inf\"\n}");
  EXPECT_EQ(errorOf(pretty.str()), "parsed");
}
