#include "verify/tools/Levels.h"

#include "runtime/base/File.h"

#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::verify;

namespace {

TEST(Levels, CountsOperationsThatOrderAndWereAdded) {
  const char *before = "%wait = ttg.local_load %0 : !ttng.wait_type\n  ttng.wait_barrier %1\n"
                       "loc(\"/x/ttng.wait_barrier.py\")";
  const char *after = "  ttng.wait_barrier %1\n  \"ttng.wait_barrier\"(%1)\n"
                      "  ttng.fence_async_shared {}\n  ttg.convert_layout %2\n";
  EXPECT_EQ(addedSynchronisation(before, after), "1 ttng.fence_async_shared, 1 ttng.wait_barrier");
  EXPECT_EQ(addedSynchronisation(after, before), "");
}

class Reports : public testing::Test {
protected:
  KernelReport report(const std::string &level, const std::string &verdict,
                      const std::string &cls = "", unsigned line = 1) {
    KernelReport out;
    out.kernel = "k";
    out.level = level;
    out.verdict = verdict;
    out.cls = cls;
    out.loc.line = line;
    out.loc.file = "k.py";
    return out;
  }
  std::string write(const std::string &name, const std::string &text) {
    std::string path = testing::TempDir() + name;
    EXPECT_TRUE(bool(writeFile(path, text)));
    return path;
  }
  Levels levels;
};

TEST_F(Reports, ANoteSaysWhatTheCompilerRepaired) {
  KernelReport source = report("source", "BUG", "race"), ttgir = report("ttgir", "PROVED");
  EXPECT_FALSE(levels.compare(source, write("k.source", "ttng.arrive_barrier %0")));
  EXPECT_FALSE(levels.compare(ttgir, write("k.ttgir", "ttng.arrive_barrier %0\n ttng.fence %1")));
  EXPECT_TRUE(source.notes.empty());
  ASSERT_EQ(ttgir.notes.size(), 1u);
  EXPECT_EQ(ttgir.notes[0],
            "what was written (source) is BUG(race); the compiler's passes added 1 ttng.fence");
}

TEST_F(Reports, TheSameVerdictNeedsNone) {
  KernelReport source = report("source", "PROVED"), ttgir = report("ttgir", "PROVED");
  levels.compare(source, "k.source");
  EXPECT_FALSE(levels.compare(ttgir, "k.ttgir"));
  EXPECT_TRUE(ttgir.notes.empty());
  KernelReport other = report("ttgir", "UNKNOWN"); // of another kernel
  levels.compare(other, "k_2.ttgir");
  EXPECT_TRUE(other.notes.empty());
}

TEST_F(Reports, OnlyTheSameBugInTheSamePlaceIsTheSame) {
  KernelReport source = report("source", "BUG", "race", 3);
  levels.compare(source, "k.source");
  KernelReport same = report("ttgir", "BUG", "race", 3), moved = report("ttgir", "BUG", "race", 4),
               other = report("ttgir", "BUG", "deadlock", 3);
  EXPECT_TRUE(levels.compare(same, "k.ttgir"));
  EXPECT_FALSE(levels.compare(moved, "k.ttgir"));
  EXPECT_FALSE(levels.compare(other, "k.ttgir"));
  EXPECT_EQ(other.notes.size(), 1u);
}

} // namespace
