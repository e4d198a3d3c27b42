#include "runtime/tools/tlx-run/Second.h"
#include "runtime/base/File.h"

#include <gtest/gtest.h>

#include <filesystem>

using namespace tlx;
using namespace tlx::run;

namespace {

/// A program in tlx-verify's place, which says `line` and ends with `status`.
std::string verifier(int status, const std::string &line) {
  std::string path = testing::TempDir() + "verifier-" + std::to_string(status);
  EXPECT_TRUE(writeFile(path, "#!/bin/sh\necho \"" + line + ": $*\"\necho more\nexit " +
                                  std::to_string(status) + "\n")
                  .ok());
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

Options options() {
  Options out;
  out.file = "k.ttir";
  out.manifest = "l.json";
  return out;
}

TEST(VerifyFirst, ProvedAndUnknownAreNotes) {
  for (auto [status, verdict] : {std::pair(0, "PROVED"), std::pair(4, "UNKNOWN")}) {
    auto note = verifyFirst(verifier(status, verdict), options());
    ASSERT_TRUE(note.ok()) << note.error().str();
    EXPECT_EQ(*note, std::string("tlx-verify: ") + verdict + ": k.ttir --manifest l.json");
  }
}

TEST(VerifyFirst, ABugIsNotLaunched) {
  auto note = verifyFirst(verifier(1, "BUG"), options());
  ASSERT_FALSE(note.ok());
  EXPECT_EQ(note.error().code, ExitCode::Violated);
  EXPECT_EQ(note.error().message, "not launched: BUG: k.ttir --manifest l.json");
  EXPECT_EQ(note.error().hint, "--no-verify launches it all the same");
}

TEST(VerifyFirst, AVerifierThatFailsIsAnError) {
  auto note = verifyFirst(verifier(3, "oops"), options());
  ASSERT_FALSE(note.ok());
  EXPECT_EQ(note.error().code, ExitCode::BadInput);
  EXPECT_EQ(note.error().message, "tlx-verify cannot look at it first: exit status 3");
}

TEST(VerifyFirst, AVerifierThatIsNotThereIsAnError) {
  EXPECT_FALSE(verifyFirst(testing::TempDir() + "nowhere", options()).ok());
}

TEST(Second, ACheckWithoutAFolderIsAgainstTheSimulator) {
  const char *gpu[] = {"tlx-run", "--device", "cuda", "k.ttgir", "--check", "--bench"};
  Options options;
  EXPECT_EQ(parseOptions(6, gpu, options), std::nullopt);
  EXPECT_TRUE(options.compareSim && options.bench);
  EXPECT_EQ(options.check, std::nullopt);
  const char *folder[] = {"tlx-run", "--device", "cuda", "k.ttgir", "--check", "d"};
  Options given;
  EXPECT_EQ(parseOptions(6, folder, given), std::nullopt);
  EXPECT_FALSE(given.compareSim);
  EXPECT_EQ(given.check, "d");
  const char *sim[] = {"tlx-run", "k.ttgir", "--check"};
  Options itself;
  testing::internal::CaptureStderr();
  EXPECT_EQ(parseOptions(3, sim, itself), 2);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("--check DIR"), std::string::npos);
}

} // namespace
