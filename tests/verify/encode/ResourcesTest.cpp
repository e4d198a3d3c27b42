// Resources: each limit is met exactly by one kernel and exceeded by its twin.
#include "tests/verify/encode/EncodeTest.h"

using namespace tlx;
using namespace tlx::verify;
using tlx::verify::testing::EncodeTest;

namespace {

class ResourcesTest : public EncodeTest {
protected:
  std::string judge(const std::string &body, int warps = 4) {
    LaunchShape launch;
    launch.limits = {1000, 512};
    launch.target = target;
    return verdict(R"(
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#h = #ttng.tensor_memory_encoding<blockM = 64, blockN = 128, colStride = 1>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = )" +
                       std::to_string(warps) + R"( : i32} {
tt.func @k(%x: i32) {
  %c0 = arith.constant 0 : i32
)" + body + "  tt.return\n} }\n",
                   launch);
  }
  std::string target = "cuda:100";
};

std::string tensor(const std::string &name, int columns, int lanes = 128) {
  return "  %" + name + " = ttng.tmem_alloc : () -> !ttg.memdesc<" + std::to_string(columns / 128) +
         "x" + std::to_string(lanes) + "x128xf32, #" + (lanes == 128 ? "t" : "h") +
         ", #ttng.tensor_memory, mutable>\n";
}
/// Uses a buffer, so that it lives until here.
std::string use(const std::string &name, int columns, int lanes = 128) {
  std::string rest =
      std::string("#") + (lanes == 128 ? "t" : "h") + ", #ttng.tensor_memory, mutable>";
  std::string rows = std::to_string(lanes);
  return "  %" + name + "slot = ttg.memdesc_index %" + name + "[%c0] : !ttg.memdesc<" +
         std::to_string(columns / 128) + "x" + rows + "x128xf32, " + rest + " -> !ttg.memdesc<" +
         rows + "x128xf32, " + rest + "\n";
}
std::string bytes(const std::string &name, int count) {
  return "  %" + name + " = ttg.local_alloc : () -> !ttg.memdesc<" + std::to_string(count) +
         "xi8, #s, #smem, mutable>\n";
}
std::string load(const std::string &name, int count) {
  std::string n = std::to_string(count);
  return "  %" + name + "v = ttg.local_load %" + name + " : !ttg.memdesc<" + n +
         "xi8, #s, #smem, mutable> -> tensor<" + n + "xi8>\n";
}

/// A warp_specialize of partitions that have `warps`, do `work` and, where given, begin
/// at warps or ask for registers.
std::string specialize(const std::vector<int> &warps, const std::string &attributes = "",
                       const std::string &work = "") {
  std::string text = "  ttg.warp_specialize() " +
                     (attributes.empty() ? "" : "attributes {" + attributes + "} ") +
                     "\n  default {\n    ttg.warp_yield\n  }\n";
  for (size_t i = 0; i < warps.size(); ++i)
    text += "  partition" + std::to_string(i) + "() num_warps(" + std::to_string(warps[i]) +
            ") {\n" + work + "    ttg.warp_return\n  }\n";
  return text + "  : () -> ()\n";
}
std::string registers(const std::string &counts) {
  return "requestedRegisters = array<i32: " + counts + ">";
}
std::string starts(const std::string &ids) { return "warpGroupStartIds = array<i32: " + ids + ">"; }

TEST_F(ResourcesTest, CountOfAnMbarrier) {
  auto counting = [](int64_t count) {
    std::string type = " : !ttg.memdesc<1xi64, #s, #smem, mutable>\n";
    return "  %bar = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #s, #smem, mutable>\n"
           "  ttng.init_barrier %bar, " +
           std::to_string(count) + type;
  };
  EXPECT_EQ(judge(counting(1048575)), "PROVED");
  EXPECT_EQ(judge(counting(1048576)), "barrier-init");
  EXPECT_NE(message.find("1048576; it must lie between 1 and 1048575"), std::string::npos)
      << message;
}

} // namespace

TEST_F(ResourcesTest, tensorMemoryColumns) {
  std::string two = tensor("a", 256) + tensor("b", 256), uses = use("a", 256) + use("b", 256);
  EXPECT_EQ(judge(two + uses), "PROVED");
  EXPECT_EQ(judge(two + tensor("c", 128) + use("c", 128) + uses), "resources");
  EXPECT_EQ(message, "the kernel needs 640 columns of tensor memory at once; a CTA has 512");
  // One after the other.
  EXPECT_EQ(judge(two + uses + tensor("c", 128) + use("c", 128)), "PROVED");
}

TEST_F(ResourcesTest, tensorMemoryOf64LanesLiesSideBySide) {
  std::string text, uses;
  for (const char *name : {"a", "b", "c", "d"}) {
    text += tensor(name, 256, 64);
    uses += use(name, 256, 64);
  }
  EXPECT_EQ(judge(text + uses), "PROVED");
  EXPECT_EQ(judge(text + tensor("f", 128, 64) + use("f", 128, 64) + uses), "resources");
}

TEST_F(ResourcesTest, sharedMemory) {
  std::string text = bytes("a", 512) + bytes("b", 256) + bytes("c", 128), uses;
  for (auto [name, count] : {std::pair("a", 512), std::pair("b", 256), std::pair("c", 128)})
    uses += load(name, count);
  EXPECT_EQ(judge(text + uses), "PROVED");
  EXPECT_EQ(judge(text + bytes("d", 128) + load("d", 128) + uses), "resources");
  EXPECT_EQ(message, "the kernel needs 1024 bytes of shared memory at once; a CTA has 1000");
}

TEST_F(ResourcesTest, warps) {
  EXPECT_EQ(judge(specialize({16, 8, 4})), "PROVED");
  EXPECT_EQ(judge(specialize({16, 8, 4, 1})), "resources");
  EXPECT_EQ(message, "'ttg.warp_specialize' needs 36 warps; a CTA has at most 32");
}

TEST_F(ResourcesTest, startIdsMustNotOverlap) {
  EXPECT_EQ(judge(specialize({2, 1, 1}, starts("4, 6, 7"))), "PROVED");
  EXPECT_EQ(judge(specialize({2, 1, 1}, starts("4, 5, 7"))), "resources");
  EXPECT_EQ(message, "'ttg.warp_specialize' partitions 0 and 1 both have warp 5");
  EXPECT_EQ(judge(specialize({2, 1, 1}, starts("3, 6, 7"))), "resources");
}

TEST_F(ResourcesTest, barriersOfPartitions) {
  EXPECT_EQ(judge(specialize(std::vector<int>(14, 1))), "PROVED");
  EXPECT_EQ(judge(specialize(std::vector<int>(15, 1))), "resources");
  EXPECT_EQ(message, "'ttg.warp_specialize' has 15 partitions; a CTA has hardware barriers for 14");
}

TEST_F(ResourcesTest, registersOfRoles) {
  // 12 warps share 65536 registers: 168 for each thread at first.
  EXPECT_EQ(judge(specialize({4, 4}, registers("240, 240"))), "PROVED");
  EXPECT_EQ(judge(specialize({4, 4}, registers("248, 248"))), "resources");
  EXPECT_EQ(judge(specialize({4}, registers("24"))), "PROVED");
  EXPECT_EQ(judge(specialize({4, 4}, registers("240, -1"))), "PROVED"); // -1: none asked for
  EXPECT_EQ(judge(specialize({4}, registers("16"))), "resources");
  EXPECT_EQ(judge(specialize({4}, registers("264"))), "resources");
  EXPECT_NE(message.find("asks for 264 registers"), std::string::npos) << message;
}

TEST_F(ResourcesTest, namedBarriersOfTheCompiler) {
  auto meet = [](int id) {
    return "    %id = arith.constant " + std::to_string(id) +
           " : i32\n    %n = arith.constant 128 : i32\n"
           "    ttng.wait_barrier_named %id, %n : i32, i32\n";
  };
  // Barriers 0 and 1 belong to the default warps and to all, 2 to the partition.
  EXPECT_EQ(judge(specialize({4}, "", meet(3))), "PROVED");
  EXPECT_EQ(judge(specialize({4}, "", meet(2))), "named-barrier");
  EXPECT_NE(message.find("the compiler's own"), std::string::npos) << message;
  EXPECT_EQ(judge(specialize({4}, "", meet(16))), "out-of-range");
}

TEST_F(ResourcesTest, withoutLimitsMemoryIsNotChecked) {
  LaunchShape unknown;
  EXPECT_EQ(verdict("#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>\n"
                    "module { tt.func @k() {\n" +
                        tensor("a", 1024) + "  tt.return\n} }\n",
                    unknown),
            "PROVED");
}
