// Programs of a grid, and threads of one task, that access the same elements of global memory.
#include "tests/verify/encode/EncodeTest.h"

using namespace tlx::verify;
using tlx::verify::testing::EncodeTest;

namespace {
class GridTest : public EncodeTest {
protected:
  /// A kernel over two tensors and two numbers; %p, %s: its ids, %mine: 64 times the first.
  std::string judge(const std::string &body, std::vector<KnownLaunch> launches = {}) {
    LaunchShape shape;
    shape.launches = std::move(launches);
    const std::string text = R"(
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @k(%x: !tt.ptr<f32> loc("x"), %y: !tt.ptr<f32> loc("y"), %n: i32 loc("n"), %m: i32 loc("m")) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0.0 : f32
  %p = tt.get_program_id x : i32
  %s = tt.get_program_id y : i32
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %f = arith.sitofp %p : i32 to f32
  %mine = tt.splat %f : f32 -> tensor<64xf32>
)" + body + "  tt.return\n} }\n";
    notes = encoded(text, shape).notes;
    return verdict(text, shape);
  }

  /// %a`name`: 64 elements of `tensor` from `from` on; %o`name`: their numbers.
  static std::string at(const std::string &name, const std::string &tensor,
                        const std::string &from) {
    return "  %b" + name + " = tt.splat " + from + " : i32 -> tensor<64xi32>\n  %o" + name +
           " = arith.addi %b" + name + ", %i : tensor<64xi32>\n  %t" + name + " = tt.splat " +
           tensor + " : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>\n  %a" + name + " = tt.addptr %t" +
           name + ", %o" + name + " : tensor<64x!tt.ptr<f32>>, tensor<64xi32>\n";
  }
  static std::string store(const std::string &name, const std::string &value = "%mine",
                           const std::string &mask = "") {
    return "  tt.store %a" + name + ", " + value + mask + " : tensor<64x!tt.ptr<f32>>\n";
  }
  static std::string load(const std::string &name, const std::string &mask = "") {
    return "  %v" + name + " = tt.load %a" + name + mask + " : tensor<64x!tt.ptr<f32>>\n";
  }
  /// %k`name`: which of the elements are below `bound`.
  static std::string below(const std::string &name, const std::string &bound) {
    return "  %l" + name + " = tt.splat " + bound + " : i32 -> tensor<64xi32>\n  %k" + name +
           " = arith.cmpi slt, %o" + name + ", %l" + name + " : tensor<64xi32>\n";
  }
  static std::string op(const std::string &name, const std::string &what) {
    return "  %" + name + " = arith." + what + " : i32\n";
  }
  static KnownLaunch launch(int64_t x, int64_t y, int64_t n, int64_t m) {
    return {"k.json", {x, y, 1}, {{"n", n}, {"m", m}}};
  }
  bool notesSay(const std::string &text) const {
    return std::any_of(notes.begin(), notes.end(), [&](const std::string &note) {
      return note.find(text) != std::string::npos;
    });
  }
  const std::string own = op("own", "muli %p, %c64"), next = op("next", "addi %own, %c1");
  std::vector<std::string> notes;
};
} // namespace

TEST_F(GridTest, aNeighboursElementsBehindABound) {
  const std::string reads = own + next + at("r", "%x", "%next") + below("r", "%n") +
                            load("r", ", %kr") +
                            "  %barrier = arith.constant 0 : i32\n  ttg.barrier local\n";
  auto into = [&](const std::string &tensor) {
    return reads + at("w", tensor, "%own") + below("w", "%n") + store("w", "%vr", ", %kw");
  };
  EXPECT_EQ(judge(into("%x")), "race");
  EXPECT_NE(message.find("nothing orders programs"), std::string::npos) << message;
  EXPECT_EQ(judge(into("%y")), "PROVED");
}

TEST_F(GridTest, aBoundThatIsKnownCutsTilesOff) {
  // Tiles of 64 that begin 32 apart, of which n elements are used.
  const std::string body =
      op("from", "muli %p, %c32").insert(0, "  %c32 = arith.constant 32 : i32\n") +
      at("w", "%x", "%from") +
      "  %l = tt.splat %n : i32 -> tensor<64xi32>\n"
      "  %k = arith.cmpi slt, %i, %l : tensor<64xi32>\n" +
      store("w", "%mine", ", %k");
  EXPECT_EQ(judge(body), "PROVED"); // n may well be at most 32
  EXPECT_EQ(judge(body, {launch(4, 1, 32, 1)}), "PROVED");
  EXPECT_EQ(judge(body, {launch(4, 1, 33, 1)}), "race");
  EXPECT_NE(related.back().note.find("in the launch of k.json"), std::string::npos);
}

TEST_F(GridTest, anArgumentThatIdsAreDividedBy) {
  auto body = [&](const std::string &by) {
    return op("q", "divsi %p, %n") + op("r", "remsi %p, " + by) + op("qq", "muli %q, %m") +
           op("rr", "muli %r, %c64") + op("at", "addi %qq, %rr") + at("w", "%x", "%at") +
           store("w");
  };
  EXPECT_EQ(judge(body("%n")), "PROVED");
  EXPECT_EQ(judge(body("%c2")), "race");
  // A remainder alone may wrap around in a buffer as long as the grid.
  EXPECT_EQ(judge(op("r", "remsi %p, %n") + op("at", "muli %r, %c64") + at("w", "%x", "%at") +
                  store("w")),
            "PROVED");
}

TEST_F(GridTest, anArgumentThatTellsWhatIsLeft) {
  // Every n-th step from the program's own on: no more than n programs share them.
  const std::string body = op("two", "muli %p, %n") + op("both", "addi %two, %s") +
                           op("at", "muli %both, %c64") + at("w", "%x", "%at") + own +
                           "  scf.for %t = %s to %m step %n : i32 {\n" + store("w") + "  }\n";
  EXPECT_EQ(judge(body), "PROVED");
}

TEST_F(GridTest, aGridThatMayBeOneProgram) {
  auto chosen = [&](const std::string &value) {
    return op("odd", "remsi %p, %c2") + "  %is = arith.cmpi eq, %odd, %c0 : i32\n" +
           at("w", "%x", "%c0") +
           "  %one = arith.constant dense<1.0> : tensor<64xf32>\n"
           "  %two = arith.constant dense<2.0> : tensor<64xf32>\n  scf.if %is {\n  " +
           store("w", value) + "  } else {\n  " + store("w", "%one") + "  }\n";
  };
  EXPECT_EQ(judge(chosen("%two")), "PROVED");
  EXPECT_EQ(judge(chosen("%two"), {launch(1, 1, 1, 1)}), "PROVED");
  EXPECT_EQ(judge(chosen("%two"), {launch(2, 1, 1, 1)}), "race");
  EXPECT_EQ(judge(chosen("%one"), {launch(2, 1, 1, 1)}), "PROVED");
}

/// As in a product whose programs share K: where they load depends on the second id only.
TEST_F(GridTest, anAxisAlongWhichNobodyStoresElsewhere) {
  auto partial = [&](const std::string &to) {
    return op("from", "muli %s, %c64") + at("r", "%y", "%from") + load("r") +
           op("row", "muli " + to + ", %c64") + at("w", "%x", "%row") + store("w", "%vr");
  };
  EXPECT_EQ(judge(partial("%p")), "PROVED");
  EXPECT_TRUE(notesSay("one program along y"));
  EXPECT_EQ(judge(partial("%p"), {launch(2, 1, 1, 1)}), "PROVED");
  EXPECT_EQ(judge(partial("%p"), {launch(1, 2, 1, 1)}), "race");
  EXPECT_EQ(judge(partial("%s")), "PROVED");
  EXPECT_FALSE(notesSay("one program along y"));
}

TEST_F(GridTest, sumsInPlace) {
  auto update = [&](const std::string &what) {
    return at("w", "%x", "%c0") + load("w") + "  %sum = arith.addf %vw, " + what +
           " : tensor<64xf32>\n  ttg.barrier local\n" + store("w", "%sum");
  };
  EXPECT_EQ(judge(update("%mine"), {launch(2, 1, 1, 1)}), "race");
  EXPECT_EQ(judge(update("%vw"), {launch(2, 1, 1, 1)}), "PROVED"); // as of one program
}

TEST_F(GridTest, programsBeyondTheDataThatTheKernelAsksFor) {
  auto clamped = [&](const std::string &value) {
    return op("last", "subi %n, %c1") + op("q", "minsi %p, %last") + op("at", "muli %q, %c64") +
           at("w", "%x", "%at") + "  %one = arith.constant dense<1.0> : tensor<64xf32>\n" +
           store("w", value);
  };
  EXPECT_EQ(judge(clamped("%one")), "PROVED");
  EXPECT_EQ(judge(clamped("%mine")), "race");
  // The last program is asked for, one behind it is not.
  auto last = [&](const std::string &condition) {
    return op("last", "subi %n, %c1") + "  %is = arith.cmpi " + condition +
           ", %p, %last : i32\n  scf.if %is {\n" + at("w", "%x", "%c0") + store("w") + "  }\n";
  };
  EXPECT_EQ(judge(last("eq")), "PROVED");
  EXPECT_EQ(judge(last("sge")), "PROVED");
}

TEST_F(GridTest, aGridThatIsKnown) {
  const std::string body = op("two", "muli %p, %c2") + op("both", "addi %two, %s") +
                           op("at", "muli %both, %c64") + at("w", "%x", "%at") +
                           "  %g = arith.sitofp %s : i32 to f32\n"
                           "  %theirs = tt.splat %g : f32 -> tensor<64xf32>\n" +
                           store("w", "%theirs");
  EXPECT_EQ(judge(body, {launch(4, 3, 1, 1)}), "race");
}

TEST_F(GridTest, sumsOfWhatAllComputeAlike) {
  auto total = [&](const std::string &value) {
    return at("r", "%y", "%c0") +
           "  %sum = scf.for %t = %c0 to %n step %c1 "
           "iter_args(%now = %zero) -> (f32) : i32 {\n" +
           load("r") +
           "  %part = \"tt.reduce\"(%vr) <{axis = 0 : i32}> ({\n  ^bb0(%u: f32, %w: f32):\n"
           "    %uw = arith.addf %u, %w : f32\n    tt.reduce.return %uw : f32\n"
           "  }) : (tensor<64xf32>) -> f32\n"
           "  %then = arith.addf %now, %part : f32\n  scf.yield %then : f32\n  }\n"
           "  %more = arith.addf %sum, %f : f32\n" +
           own + "  %all = tt.splat " + value + " : f32 -> tensor<64xf32>\n" +
           at("o", "%x", "%own") + store("o", "%all") + op("far", "subi %c0, %c64") +
           at("w", "%x", "%far") + store("w", "%all");
  };
  EXPECT_EQ(judge(total("%sum")), "PROVED");
  EXPECT_EQ(judge(total("%more")), "race");
}

TEST_F(GridTest, whatDependsOnMemoryIsNamed) {
  const std::string loaded = "  %w = tt.addptr %y, %p : !tt.ptr<f32>, i32\n"
                             "  %read = tt.load %w : !tt.ptr<f32>\n"
                             "  %big = arith.cmpf ogt, %read, %zero : f32\n";
  const std::string branch =
      loaded + "  scf.if %big {\n" + at("w", "%x", "%c0") + store("w") + "  }\n";
  EXPECT_EQ(judge(branch, {launch(2, 1, 1, 1)}), "PROVED");
  EXPECT_TRUE(notesSay("not decided"));
  const std::string scattered =
      loaded + "  %to = arith.fptosi %read : f32 to i32\n" + at("w", "%x", "%to") + store("w");
  EXPECT_EQ(judge(scattered), "PROVED");
  EXPECT_TRUE(notesSay("not followed where they lie"));
  EXPECT_EQ(judge(own + at("w", "%x", "%own") + store("w")), "PROVED");
  EXPECT_TRUE(notes.empty());
}

TEST_F(GridTest, masksLeaveThreadsOut) {
  const std::string body =
      own + at("w", "%x", "%own") + below("w", "%n") + load("w", ", %kw") + store("w", "%mine");
  EXPECT_EQ(judge(body, {launch(4, 1, 200, 1)}), "PROVED");
}

TEST_F(GridTest, threadsOfOneTask) {
  auto readBack = [&](const std::string &between, const std::string &from) {
    return own + next + at("w", "%x", "%own") + store("w") + between + at("r", "%x", from) +
           load("r") + at("c", "%y", "%own") + store("c", "%vr");
  };
  EXPECT_EQ(judge(readBack("", "%own")), "PROVED"); // each thread its own elements
  const std::string few = "  %few = arith.cmpi eq, %p, %c0 : i32\n  scf.if %few {\n";
  EXPECT_EQ(judge(few + readBack("", "%next") + "  }\n"), "race");
  EXPECT_NE(message.find("other threads of the task"), std::string::npos) << message;
  EXPECT_EQ(judge(few + readBack("  ttg.barrier local\n", "%next") + "  }\n"), "PROVED");
}
