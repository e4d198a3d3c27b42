#include "runtime/base/Cli.h"

#include <gtest/gtest.h>

using namespace tlx;

namespace {

struct Options {
  std::string file, device = "sim";
  bool json = false;
  std::optional<int64_t> warps;
  std::optional<double> timeout;
  std::vector<std::string> passes;
  std::optional<std::string> check;
};

/// Parses and returns the exit status, -1 for "go on".
int parse(Options &o, std::vector<const char *> words) {
  Cli cli("tlx-x", "does x");
  cli.positional("FILE", o.file, "kernel");
  cli.choice("--device", o.device, {"sim", "null"}, "where");
  cli.flag("--json", o.json, "as JSON");
  cli.option("--num-warps", o.warps, "N", "warps");
  cli.option("--timeout", o.timeout, "SECONDS", "limit");
  cli.options("-p,--pass", o.passes, "NAME", "passes");
  cli.optionOrFlag("--check", o.check, "DIR", "expected values");
  words.insert(words.begin(), "tlx-x");
  return cli.parse(int(words.size()), words.data()).value_or(-1);
}

std::string usageError(std::vector<const char *> words) {
  Options o;
  testing::internal::CaptureStderr();
  int exit = parse(o, std::move(words));
  std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(exit, 2) << text;
  return text;
}

TEST(Cli, Binds) {
  Options o;
  EXPECT_EQ(parse(o, {"k.ttir", "--json", "--num-warps", "8", "--timeout=1.5", "-p", "a", "--pass",
                      "b", "--device", "null"}),
            -1);
  EXPECT_EQ(o.file, "k.ttir");
  EXPECT_TRUE(o.json);
  EXPECT_EQ(o.warps, 8);
  EXPECT_EQ(o.timeout, 1.5);
  EXPECT_EQ(o.passes, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(o.device, "null");
}

TEST(Cli, Defaults) {
  Options o;
  EXPECT_EQ(parse(o, {"k.ttir"}), -1);
  EXPECT_EQ(o.warps, std::nullopt);
  EXPECT_EQ(o.device, "sim");
}

TEST(Cli, AValueMayBeLeftOut) {
  Options with, without, last, none;
  EXPECT_EQ(parse(with, {"k.ttir", "--check", "folder", "--json"}), -1);
  EXPECT_EQ(with.check, "folder");
  EXPECT_EQ(parse(without, {"k.ttir", "--check", "--json"}), -1);
  EXPECT_EQ(without.check, "");
  EXPECT_TRUE(without.json);
  EXPECT_EQ(parse(last, {"k.ttir", "--check"}), -1);
  EXPECT_EQ(last.check, "");
  EXPECT_EQ(parse(none, {"k.ttir"}), -1);
  EXPECT_EQ(none.check, std::nullopt);
}

TEST(Cli, UsageErrors) {
  EXPECT_EQ(usageError({"k", "--jsno"}),
            "tlx-x: error: unknown option: --jsno\nhint: did you mean --json?\n");
  EXPECT_NE(usageError({}).find("FILE"), std::string::npos);
  EXPECT_NE(usageError({"k", "extra"}).find("unexpected argument: extra"), std::string::npos);
  EXPECT_NE(usageError({"k", "--device", "tpu"}).find("must be one of sim|null; got 'tpu'"),
            std::string::npos);
  EXPECT_NE(usageError({"k", "--num-warps", "many"}).find("--num-warps"), std::string::npos);
  EXPECT_NE(usageError({"k", "--timeout"}).find("--timeout"), std::string::npos);
}

TEST(Cli, OptionsAloneCanBeChecked) {
  Options o;
  EXPECT_EQ(parse(o, {"k", "--num-warps", "8", "--check-options"}), 0);
  EXPECT_NE(usageError({"k", "--jsno", "--check-options"}), "");
}

TEST(Cli, HelpAndVersion) {
  Options o;
  testing::internal::CaptureStdout();
  EXPECT_EQ(parse(o, {"--help"}), 0);
  std::string help = testing::internal::GetCapturedStdout();
  for (const char *text :
       {"FILE", "--device sim|null", "--num-warps N", "--timeout SECONDS", "--version"})
    EXPECT_NE(help.find(text), std::string::npos) << text << "\n" << help;
  testing::internal::CaptureStdout();
  EXPECT_EQ(parse(o, {"--version"}), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "tlx-x 0.1.0\n");
}

TEST(Cli, NearestWord) {
  EXPECT_EQ(nearestWord("--manifset", {"--manifest", "--json"}), "--manifest");
  EXPECT_EQ(nearestWord("--colour", {"--manifest", "--json"}), "");
  EXPECT_EQ(nearestWord("jsn", {"manifest", "json", "jspn"}), "json");
  // Nothing is near to a word of a million letters, and that is seen at once.
  std::vector<std::string> many(10000, std::string(1000, 'b'));
  EXPECT_EQ(nearestWord(std::string(1000000, 'a'), many), "");
}

} // namespace
