#include "runtime/base/Result.h"
#include "runtime/base/File.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tlx;

TEST(Error, PrintsPlaceNotesAndHint) {
  Error error = Error("'shape' must not be negative; got -4", {"a.json", 12, 9})
                    .withNote("the kernel is here", {"k.ttir", 3, 0})
                    .withHint("sizes are element counts");
  EXPECT_EQ(error.str(), "a.json:12:9: error: 'shape' must not be negative; got -4\n"
                         "k.ttir:3: note: the kernel is here\n"
                         "hint: sizes are element counts");
  EXPECT_EQ(error.code, ExitCode::BadInput);
  EXPECT_EQ(Error("x").str(), "error: x");
  EXPECT_EQ(Error::internal("x").code, ExitCode::Internal);
}

TEST(Error, QuotesNoMoreThanAPageOfTheInput) {
  std::string text(4096, 'x');
  EXPECT_EQ(Error(text).str(), "error: " + text);
  EXPECT_EQ(Error(text + "y").str(), "error: " + text + "...");
  text.pop_back();
  EXPECT_EQ(Error(text + "\xC3\xA9").str(), "error: " + text + "..."); // no half of a character
}

TEST(Result, HoldsEither) {
  Result<std::string> good(std::string("v")), bad(Error("no"));
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(*good, "v");
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().message, "no");
  EXPECT_TRUE(Result<void>().ok());
  EXPECT_FALSE(Result<void>(Error("no")).ok());
}

TEST(File, ErrorsNameTheReason) {
  EXPECT_EQ(readFile("/nonexistent/x").error().str(),
            "/nonexistent/x: error: cannot read: no such file or folder");
  EXPECT_EQ(readFile("/").error().str(), "/: error: cannot read: is a directory, not a file");
  std::string path = testing::TempDir() + "tlx-file-test/a/b.txt";
  ASSERT_TRUE(createFolder(folderOf(path)).ok());
  ASSERT_TRUE(createFolder(folderOf(path)).ok());
  ASSERT_TRUE(writeFile(path, "hello").ok());
  EXPECT_EQ(*readFile(path), "hello");
  EXPECT_FALSE(createFolder(path + "/c").ok());
  EXPECT_EQ(readFile(path, 4).error().message, "cannot read: larger than 0 MiB");
}

TEST(File, OnlyWhatHasAnEndIsRead) {
  EXPECT_EQ(readFile("/dev/zero").error().str(),
            "/dev/zero: error: cannot read: is a device, not a file");
  std::string pipe = testing::TempDir() + "tlx-pipe-test", large = pipe + ".large";
  ::unlink(pipe.c_str());
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(readFile(pipe).error().message, "cannot read: is a pipe, not a file"); // nobody writes
  ::unlink(pipe.c_str());
  ASSERT_TRUE(writeFile(large, "x").ok());
  ASSERT_EQ(::truncate(large.c_str(), off_t(maxTextBytes) + 1), 0);
  EXPECT_EQ(readFile(large).error().message, "cannot read: larger than 256 MiB");
  ::unlink(large.c_str());
  EXPECT_FALSE(readFile("/proc/self/status")->empty()); // announces no size
}

TEST(File, OnlyLinksAreRemoved) {
  std::string folder = testing::TempDir() + "tlx-link-test", link = folder + "/link";
  ASSERT_TRUE(createFolder(folder).ok());
  ASSERT_TRUE(writeFile(folder + "/kept", "kept").ok());
  ::unlink(link.c_str());
  ASSERT_EQ(::symlink("kept", link.c_str()), 0);
  removeLink(link);
  removeLink(folder + "/kept");
  removeLink(folder + "/absent");
  ASSERT_TRUE(writeFile(link, "new").ok());
  EXPECT_EQ(*readFile(folder + "/kept"), "kept");
  EXPECT_EQ(*readFile(link), "new");
}

TEST(File, Paths) {
  EXPECT_EQ(folderOf("a/b/c.json"), "a/b");
  EXPECT_EQ(folderOf("c.json"), ".");
  EXPECT_EQ(folderOf("/c.json"), "/");
  EXPECT_EQ(joinPath("a/b", "x.npy"), "a/b/x.npy");
  EXPECT_EQ(joinPath(".", "x.npy"), "x.npy");
  EXPECT_EQ(joinPath("/", "x.npy"), "/x.npy");
  EXPECT_EQ(joinPath("a", "/x.npy"), "/x.npy");
}
