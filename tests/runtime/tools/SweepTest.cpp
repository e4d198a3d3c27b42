// Sweeps: cases, shares, lines that a sweep goes on from, the table.
#include "runtime/tools/tlx-run/Sweep.h"
#include "runtime/base/File.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

using namespace tlx;
using namespace tlx::run;

namespace {

class SweepTest : public ::testing::Test {
protected:
  void SetUp() override {
    folder = ::testing::TempDir() + "/sweep";
    std::filesystem::remove_all(folder);
    ASSERT_TRUE(createFolder(folder + "/launches"));
    put("a.ttgir", "module {}");
    put("b.ttgir", "module { }");
    put("launches/one.json", "{}");
    put("launches/two.json", "{ }");
    put("launches/notes.txt", "");
    options.file = folder + "/a.ttgir";
    options.variants = {folder + "/b.ttgir"};
    options.sweep = {folder + "/launches"};
  }
  void put(const std::string &name, const std::string &text) {
    ASSERT_TRUE(writeFile(folder + "/" + name, text));
  }
  std::string folder;
  Options options;
};

TEST_F(SweepTest, EveryKernelMeetsEveryManifest) {
  auto cases = sweepCases(options);
  ASSERT_TRUE(cases);
  ASSERT_EQ(cases->size(), 4u);
  EXPECT_EQ((*cases)[1].kernel, folder + "/a.ttgir");
  EXPECT_EQ((*cases)[1].manifest, folder + "/launches/two.json");
  EXPECT_EQ((*cases)[2].kernel, folder + "/b.ttgir");
  // What changes the prediction changes the key.
  options.whatIf = {"tma.latency=400"};
  auto other = sweepCases(options);
  ASSERT_TRUE(other);
  EXPECT_NE((*other)[0].key, (*cases)[0].key);
  EXPECT_NE((*cases)[1].key, (*cases)[0].key);
}

TEST_F(SweepTest, AFolderWithoutManifestsIsRefused) {
  options.sweep = {folder};
  auto cases = sweepCases(options);
  ASSERT_FALSE(cases);
  EXPECT_EQ(cases.error().str(), folder + ": error: no launch manifest (*.json) in this folder");
}

TEST_F(SweepTest, GoesOnWhereItsResultsStop) {
  auto cases = sweepCases(options);
  ASSERT_TRUE(cases);
  SweepCase ran = (*cases)[2], failed = (*cases)[3];
  ran.cycles = 1234;
  ran.nanoseconds = 617.5;
  failed.error = "no such operation";
  failed.code = 4;
  // The last line was cut off.
  put("r.jsonl", sweepLine(ran) + sweepLine(failed) + sweepLine((*cases)[0]).substr(0, 20));
  ASSERT_TRUE(resumeSweep(*cases, folder + "/r.jsonl"));
  EXPECT_FALSE((*cases)[0].done);
  EXPECT_TRUE((*cases)[2].done);
  EXPECT_EQ((*cases)[2].cycles, 1234);
  EXPECT_EQ((*cases)[2].nanoseconds, 617.5);
  EXPECT_EQ((*cases)[3].error, "no such operation");
  EXPECT_EQ((*cases)[3].code, 4);
  EXPECT_TRUE(resumeSweep(*cases, folder + "/none.jsonl"));
  put("bad.jsonl", "{\"key\": 1}\n");
  auto bad = resumeSweep(*cases, folder + "/bad.jsonl");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().str(), folder + "/bad.jsonl:1:1: error: line 1 of the results is no "
                                        "result of a sweep");
}

TEST_F(SweepTest, ALineThatWasBrokenOffIsReplaced) {
  auto cases = sweepCases(options);
  ASSERT_TRUE(cases);
  options.results = folder + "/r.jsonl";
  put("r.jsonl", sweepLine((*cases)[2]) + sweepLine((*cases)[0]).substr(0, 20));
  ASSERT_TRUE(runSweep(options));
  auto text = readFile(*options.results);
  ASSERT_TRUE(text);
  EXPECT_EQ(std::count(text->begin(), text->end(), '\n'), 4);
  for (const SweepCase &one : *cases) {
    size_t first = text->find(one.key);
    EXPECT_NE(first, std::string::npos);
    EXPECT_EQ(text->find(one.key, first + 1), std::string::npos);
  }
  // A file of another kind is left alone.
  put("other", "not a result");
  options.results = folder + "/other";
  EXPECT_FALSE(runSweep(options));
  EXPECT_EQ(*readFile(*options.results), "not a result");
}

TEST_F(SweepTest, AManifestThatIsNamedTwiceIsOneCase) {
  options.sweep.push_back(folder + "/launches/one.json");
  auto cases = sweepCases(options);
  ASSERT_TRUE(cases);
  EXPECT_EQ(cases->size(), 4u);
}

TEST(Sweep, ProcessesShareByTheirRank) {
  for (const char *name : {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE",
                           "SLURM_PROCID", "SLURM_NTASKS"})
    unsetenv(name);
  EXPECT_EQ(SweepShare::fromEnvironment().size, 1u);
  setenv("OMPI_COMM_WORLD_RANK", "2", 1);
  setenv("OMPI_COMM_WORLD_SIZE", "3", 1);
  EXPECT_EQ(SweepShare::fromEnvironment().rank, 2u);
  EXPECT_EQ(SweepShare::fromEnvironment().size, 3u);
  setenv("OMPI_COMM_WORLD_RANK", "3", 1); // out of range: not a launcher's
  EXPECT_EQ(SweepShare::fromEnvironment().size, 1u);
  unsetenv("OMPI_COMM_WORLD_RANK");
  unsetenv("OMPI_COMM_WORLD_SIZE");
}

TEST(Sweep, ItsOptionsBelongTogether) {
  const char *argv[] = {"tlx-run", "k.ttgir", "--manifest", "m.json", "--results", "r.jsonl"};
  Options options;
  EXPECT_EQ(parseOptions(6, argv, options), std::optional<int>(2));
}

TEST(Sweep, FastestFirstFailuresLast) {
  auto make = [](const char *name, double nanoseconds, const char *error) {
    SweepCase one;
    one.kernel = name;
    one.manifest = "m";
    one.cycles = int64_t(nanoseconds * 2);
    one.nanoseconds = nanoseconds;
    one.error = error;
    one.done = true;
    return one;
  };
  SweepCase open; // another process's
  EXPECT_EQ(
      sweepTable({open, make("slow", 1500, ""), make("bad", 0, "why"), make("fast", 1000, "")}),
      "rank       cycles           us  slower  case\n"
      "   1         2000        1.000    0.0%  fast  m\n"
      "   2         3000        1.500   50.0%  slow  m\n"
      "   -  bad  m: why\n");
}

} // namespace
