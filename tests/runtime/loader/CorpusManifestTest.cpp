// Every launch manifest of the corpus parses and its arguments can be made.
#include "runtime/loader/Arguments.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

using namespace tlx;
namespace fs = std::filesystem;

static fs::path corpus() {
  const char *shared = std::getenv("TLX_SHARED");
  fs::path root = shared ? fs::path(shared) : fs::path(TLX_SOURCE_DIR) / "../shared";
  return root / "corpus";
}

TEST(CorpusManifests, AllParseAndBuild) {
  if (!fs::exists(corpus()))
    GTEST_SKIP() << "no corpus at " << corpus();
  size_t count = 0;
  for (const auto &entry : fs::recursive_directory_iterator(corpus())) {
    std::string name = entry.path().filename().string();
    bool isLaunch = name.rfind("launch", 0) == 0 && entry.path().extension() == ".json";
    if (!isLaunch && name != "seeded.json" && name != "fixed.json")
      continue;
    ++count;
    auto manifest = readManifest(entry.path().string());
    ASSERT_TRUE(manifest.ok()) << manifest.error().str();
    auto descriptors = checkDescriptors(*manifest);
    ASSERT_TRUE(descriptors.ok()) << descriptors.error().str();
    auto storages = buildArguments(*manifest, {.maxFillBytes = 8 << 20});
    ASSERT_TRUE(storages.ok()) << storages.error().str();
    for (const Argument &argument : manifest->arguments)
      if (argument.isMemory()) {
        auto storage = std::find_if(storages->begin(), storages->end(),
                                    [&](const Storage &s) { return s.id == argument.storage; });
        ASSERT_NE(storage, storages->end());
        EXPECT_GE(int64_t(storage->memory.size()),
                  argument.extent() * int64_t(byteWidth(argument.dtype)));
      }
  }
  EXPECT_GE(count, 900u);
}
