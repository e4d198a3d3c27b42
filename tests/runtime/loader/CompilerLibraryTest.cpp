#include "runtime/loader/CompilerLibrary.h"

#include "runtime/device/Device.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

using namespace tlx;

namespace tlx::sim {
struct Program {
  int token;
};
} // namespace tlx::sim

static const std::string fake = TLX_FAKE_COMPILER;

static TlxCompilerRequest request(const std::string &kernel) {
  TlxCompilerRequest out;
  out.text = "module {}";
  out.file = "k.ttir";
  out.kernel = kernel;
  return out;
}

TEST(CompilerLibrary, LoadsAndDeletes) {
  auto library = CompilerLibrary::open(fake);
  ASSERT_TRUE(library.ok()) << library.error().str();
  void *handle = dlopen(fake.c_str(), RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(handle, nullptr);
  auto deleted = reinterpret_cast<int (*)()>(dlsym(handle, "fakeCompilerDeleted"));
  int before = deleted();
  {
    auto program = library->load(request("good"));
    ASSERT_TRUE(program.ok()) << program.error().str();
    EXPECT_EQ((*program)->token, 9);
    EXPECT_EQ(deleted(), before);
  }
  EXPECT_EQ(deleted(), before + 1);
}

TEST(CompilerLibrary, ErrorsComeThrough) {
  auto library = CompilerLibrary::open(fake);
  ASSERT_TRUE(library.ok());
  EXPECT_EQ(library->load(request("bad")).error().str(), "k.ttir:3:7: error: cannot export it");
  EXPECT_EQ(library->load(request("other")).error().str(),
            "k.ttir: error: k.ttir has no kernel @other\nhint: it has @good, @bad");
  EXPECT_EQ(library->load(request("nothing"), {"l.json", 2, 5}).error().str(),
            "k.ttir: error: there is no kernel in this file: no public function");
  EXPECT_EQ(library->load(request("other"), {"l.json", 2, 5}).error().str(),
            "l.json:2:5: error: k.ttir has no kernel @other\nhint: it has @good, @bad");
  EXPECT_EQ(library->load(request("silent")).error().code, ExitCode::Internal);
}

TEST(CompilerLibrary, ARequestHasWhatTheLaunchSays) {
  device::KernelSource source;
  source.kernel = "k";
  source.target = "cuda:90";
  source.numWarps = 8;
  source.cluster = {2, 1, 1};
  TlxCompilerRequest one = requestFor(source);
  EXPECT_EQ(one.cluster, (std::array<int64_t, 3>{2, 1, 1}));
  EXPECT_EQ(one.numWarps, 8);
  EXPECT_EQ(one.target, "cuda:90");
  source.numCtas = 2; // the pair works on one program: no cluster of programs
  EXPECT_EQ(requestFor(source).cluster, (std::array<int64_t, 3>{1, 1, 1}));
  EXPECT_EQ(requestFor(source).numCtas, 2);
}

TEST(CompilerLibrary, Compiles) {
  auto library = CompilerLibrary::open(fake);
  ASSERT_TRUE(library.ok());
  EXPECT_EQ(*library->compile(request("good")), "code of module {}");
  EXPECT_EQ(library->compile(request("bad")).error().str(), "k.ttir:5:2: error: cannot compile it");
}

TEST(CompilerLibrary, WhatCannotBeOpened) {
  auto missing = CompilerLibrary::open("/nonexistent/libTlxCompiler.so");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ExitCode::Internal);
  auto other = CompilerLibrary::open("libm.so.6"); // a library, but not ours
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().message, "libm.so.6 does not have the functions of this build");
}
