// Every resolved kernel of the corpus exports; skipped where the corpus is absent.
#include "compiler/dialect/registry/Registry.h"
#include "compiler/export/Export.h"
#include "compiler/ingest/ParseFile.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

using namespace tlx;
namespace fs = std::filesystem;

TEST(ExportCorpus, EveryKernelExports) {
  const char *shared = std::getenv("TLX_SHARED");
  fs::path corpus = fs::path(shared ? shared : TLX_SOURCE_DIR "/../shared") / "corpus";
  if (!fs::is_directory(corpus))
    GTEST_SKIP() << "no corpus beside the source tree";
  // A sample by default, all with TLX_CORPUS_ALL.
  bool all = std::getenv("TLX_CORPUS_ALL");
  std::vector<fs::path> files;
  for (const auto &entry : fs::recursive_directory_iterator(corpus))
    if (entry.path().extension() == ".ttir" || entry.path().extension() == ".ttgir")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  mlir::DialectRegistry registry;
  registerDialects(registry);
  unsigned exported = 0, seen = 0;
  std::map<std::string, std::string> causes; // message -> first file
  for (size_t at = 0; at < files.size(); at += all ? 1 : 16) {
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    context.loadAllAvailableDialects();
    ++seen;
    auto module = parseFile(files[at].string(), context);
    if (!module) {
      causes.emplace(module.error().message, files[at].string());
      continue;
    }
    auto program = exportProgram(**module);
    // Some kernels of bugs/ ask for more than a chip has, and are refused for that.
    bool excess = !program && files[at].stem() == "seeded" &&
                  program.error().message.find("; a CTA has ") != std::string::npos;
    if (program || excess)
      ++exported;
    else
      causes.emplace(program.error().message, files[at].string());
  }
  for (const auto &[message, file] : causes)
    ADD_FAILURE() << file << ": " << message;
  EXPECT_EQ(exported, seen);
  EXPECT_GT(seen, 50u);
}
