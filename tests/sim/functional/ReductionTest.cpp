// Reductions, scans, maps and shape operations against plain loops.
#include "Kernels.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

using namespace tlx;
using namespace tlx::sim;
using namespace tlx::sim::test;

namespace {

/// A tensor of consecutive numbers goes through `body`; what it returns is stored.
template <typename T>
std::vector<T> shaped(DType elem, const Shape &shape, const std::vector<T> &input, int64_t outCount,
                      const std::function<Reg(Kernel &, Reg)> &body) {
  Kernel b("shapes");
  int64_t n = int64_t(input.size());
  Reg in = b.pointerArg("in", elem), out = b.pointerArg("out", elem);
  Reg flat = b.emit1(Op::Load, {b.pointers(in, n)}, b.tensor({n}, elem));
  Reg x = b.emit1(Op::Reshape, {flat}, b.tensor(shape, elem));
  Reg y = body(b, x);
  Reg result = b.emit1(Op::Reshape, {y}, b.tensor({outCount}, elem));
  b.emit(Op::Store, {b.pointers(out, outCount), result});
  b.ret();
  Program program = b.finish();
  std::vector<T> data = input, results(outCount);
  GlobalMemory memory;
  uint64_t at = memory.add("in", data.data(), data.size() * sizeof(T));
  RunReport report =
      run(program, memory,
          {Argument::pointer(at),
           Argument::pointer(memory.add("out", results.data(), outCount * sizeof(T)))});
  EXPECT_TRUE(report.clean()) << text(program, report);
  return results;
}

std::vector<float> ramp(int64_t n) {
  std::vector<float> values(n);
  for (int64_t i = 0; i < n; ++i)
    values[i] = float((i * 37) % 101) / 7 - 5;
  return values;
}

Attrs withBlock(Kernel &b, Op op, DType elem, int axis) {
  Attrs attrs;
  attrs.axis = axis;
  TypeId type = b.scalar(elem);
  attrs.block =
      b.block({type, type}, [&](const Regs &r) { return Regs{b.binary(op, r[0], r[1])}; });
  return attrs;
}

} // namespace

TEST(Reduce, SumsAndMaximaAlongEitherAxis) {
  std::vector<float> in = ramp(16 * 48);
  for (int axis : {0, 1}) {
    int64_t n = axis == 0 ? 48 : 16;
    std::vector<float> sums = shaped<float>(DType::f32, {16, 48}, in, n, [&](Kernel &b, Reg x) {
      return b.emit1(Op::Reduce, {x}, b.tensor({n}, DType::f32),
                     withBlock(b, Op::AddF, DType::f32, axis));
    });
    std::vector<float> maxima = shaped<float>(DType::f32, {16, 48}, in, n, [&](Kernel &b, Reg x) {
      return b.emit1(Op::Reduce, {x}, b.tensor({n}, DType::f32),
                     withBlock(b, Op::MaxNumF, DType::f32, axis));
    });
    for (int64_t i = 0; i < n; ++i) {
      double sum = 0, most = -1e30;
      for (int64_t k = 0; k < (axis == 0 ? 16 : 48); ++k) {
        double x = axis == 0 ? in[k * 48 + i] : in[i * 48 + k];
        sum += x;
        most = std::max(most, x);
      }
      EXPECT_NEAR(sums[i], sum, 1e-4);
      EXPECT_EQ(maxima[i], float(most));
    }
  }
}

TEST(Reduce, RegionOfTwoValuesFindsTheFirstMaximum) {
  // argmax: (value, index) pairs, lower index wins ties; the axis is no power of two.
  std::vector<int32_t> in{3, 9, 1, 9, 2, 9, 4, 4, 8, 8, 1, 7};
  std::vector<int32_t> best = shaped<int32_t>(DType::i32, {2, 6}, in, 2, [&](Kernel &b, Reg x) {
    TypeId i32 = b.scalar(DType::i32);
    Attrs range;
    range.ints = {0, 6};
    Reg row = b.emit1(Op::MakeRange, {}, b.tensor({6}, DType::i32), range);
    Reg wide = b.emit1(Op::ExpandDims, {row}, b.tensor({1, 6}, DType::i32));
    Reg index = b.emit1(Op::Broadcast, {wide}, b.tensor({2, 6}, DType::i32));
    Attrs attrs;
    attrs.axis = 1;
    attrs.block = b.block({i32, i32, i32, i32}, [&](const Regs &r) {
      Reg greater = b.compare(CmpI::Sgt, r[0], r[2]), equal = b.compare(CmpI::Eq, r[0], r[2]);
      Reg first = b.compare(CmpI::Slt, r[1], r[3]);
      Reg take = b.binary(Op::OrI, greater, b.binary(Op::AndI, equal, first));
      return Regs{b.emit1(Op::Select, {take, r[0], r[2]}, i32),
                  b.emit1(Op::Select, {take, r[1], r[3]}, i32)};
    });
    TypeId row2 = b.tensor({2}, DType::i32);
    return b.emit(Op::Reduce, {x, index}, {row2, row2}, attrs)[1];
  });
  EXPECT_EQ(best, (std::vector<int32_t>{1, 2}));
}

TEST(Scan, PrefixSumsBothWays) {
  std::vector<int32_t> in(3 * 8);
  std::iota(in.begin(), in.end(), 1);
  for (bool reverse : {false, true}) {
    std::vector<int32_t> got = shaped<int32_t>(DType::i32, {3, 8}, in, 24, [&](Kernel &b, Reg x) {
      Attrs attrs = withBlock(b, Op::AddI, DType::i32, 1);
      attrs.reverse = reverse;
      return b.emit1(Op::Scan, {x}, b.tensor({3, 8}, DType::i32), attrs);
    });
    for (int64_t r = 0; r < 3; ++r) {
      int32_t sum = 0;
      for (int64_t k = 0; k < 8; ++k) {
        int64_t at = r * 8 + (reverse ? 7 - k : k);
        sum += in[at];
        EXPECT_EQ(got[at], sum);
      }
    }
  }
}

TEST(Map, ElementsMayBranch) {
  // Collatz steps: a loop of data-dependent length for every element.
  std::vector<int32_t> in{1, 2, 3, 7, 27, 6, 12, 19};
  std::vector<int32_t> got = shaped<int32_t>(DType::i32, {8}, in, 8, [&](Kernel &b, Reg x) {
    TypeId i32 = b.scalar(DType::i32);
    Attrs attrs;
    attrs.block = b.block({i32}, [&](const Regs &r) {
      Reg zero = b.i32(0), one = b.i32(1), two = b.i32(2), three = b.i32(3);
      Regs out = b.whileLoop(
          {r[0], zero},
          [&](const Regs &args) {
            return Builder::WhileStep{b.compare(CmpI::Ne, args[0], one), args};
          },
          [&](const Regs &args) {
            Reg odd = b.compare(CmpI::Ne, b.binary(Op::AndI, args[0], one), zero);
            Regs next = b.ifElse(
                odd, {i32}, [&] { return Regs{b.add(b.mul(args[0], three), one)}; },
                [&] { return Regs{b.binary(Op::DivSI, args[0], two)}; });
            return Regs{next[0], b.add(args[1], one)};
          });
      return Regs{out[1]};
    });
    attrs.count = 1;
    return b.emit1(Op::MapElementwise, {x}, b.tensor({8}, DType::i32), attrs);
  });
  EXPECT_EQ(got, (std::vector<int32_t>{0, 1, 7, 16, 111, 8, 9, 20}));
}

TEST(Map, PacksNeighbours) {
  std::vector<int32_t> in{1, 2, 3, 4, 5, 6};
  std::vector<int32_t> got = shaped<int32_t>(DType::i32, {6}, in, 6, [&](Kernel &b, Reg x) {
    TypeId i32 = b.scalar(DType::i32);
    Attrs attrs;
    attrs.count = 2;
    attrs.block = b.block({i32, i32}, [&](const Regs &r) {
      return Regs{b.add(r[0], r[1]), b.binary(Op::SubI, r[0], r[1])};
    });
    return b.emit1(Op::MapElementwise, {x}, b.tensor({6}, DType::i32), attrs);
  });
  EXPECT_EQ(got, (std::vector<int32_t>{3, -1, 7, -1, 11, -1}));
}

TEST(Shapes, TransposeOfAnyRank) {
  std::vector<float> in = ramp(2 * 3 * 4);
  std::vector<float> got = shaped<float>(DType::f32, {2, 3, 4}, in, 24, [&](Kernel &b, Reg x) {
    Attrs attrs;
    attrs.ints = {2, 0, 1};
    return b.emit1(Op::Trans, {x}, b.tensor({4, 2, 3}, DType::f32), attrs);
  });
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j < 2; ++j)
      for (int64_t k = 0; k < 3; ++k)
        EXPECT_EQ(got[(i * 2 + j) * 3 + k], in[(j * 3 + k) * 4 + i]);
}

TEST(Shapes, JoinSplitCatBroadcast) {
  std::vector<int32_t> in{1, 2, 3, 4};
  std::vector<int32_t> joined = shaped<int32_t>(DType::i32, {4}, in, 8, [](Kernel &b, Reg x) {
    return b.emit1(Op::Join, {x, b.add(x, x)}, b.tensor({4, 2}, DType::i32));
  });
  EXPECT_EQ(joined, (std::vector<int32_t>{1, 2, 2, 4, 3, 6, 4, 8}));
  std::vector<int32_t> right = shaped<int32_t>(DType::i32, {2, 2}, in, 2, [](Kernel &b, Reg x) {
    TypeId half = b.tensor({2}, DType::i32);
    return b.emit(Op::Split, {x}, {half, half})[1];
  });
  EXPECT_EQ(right, (std::vector<int32_t>{2, 4}));
  std::vector<int32_t> both = shaped<int32_t>(DType::i32, {4}, in, 8, [](Kernel &b, Reg x) {
    return b.emit1(Op::Cat, {x, b.mul(x, x)}, b.tensor({8}, DType::i32));
  });
  EXPECT_EQ(both, (std::vector<int32_t>{1, 2, 3, 4, 1, 4, 9, 16}));
  std::vector<int32_t> wide = shaped<int32_t>(DType::i32, {4, 1}, in, 12, [](Kernel &b, Reg x) {
    return b.emit1(Op::Broadcast, {x}, b.tensor({4, 3}, DType::i32));
  });
  EXPECT_EQ(wide, (std::vector<int32_t>{1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4}));
}

TEST(Gather, FollowsIndicesAlongTheAxis) {
  std::vector<int32_t> in{0, 1, 2, 10, 11, 12};
  std::vector<int32_t> got = shaped<int32_t>(DType::i32, {2, 3}, in, 4, [](Kernel &b, Reg x) {
    Reg index = b.constant(b.tensor({2, 2}, DType::i32), {2, 0, 1, 1});
    Attrs attrs;
    attrs.axis = 1;
    return b.emit1(Op::Gather, {x, index}, b.tensor({2, 2}, DType::i32), attrs);
  });
  EXPECT_EQ(got, (std::vector<int32_t>{2, 0, 11, 11}));
}

TEST(Histogram, CountsMaskedElements) {
  std::vector<int32_t> in{0, 1, 1, 3, 3, 3, 9, 2};
  std::vector<int32_t> got = shaped<int32_t>(DType::i32, {8}, in, 4, [](Kernel &b, Reg x) {
    Reg two = b.emit1(Op::Splat, {b.i32(2)}, b.tensor({8}, DType::i32));
    Reg mask = b.compare(CmpI::Ne, x, two);
    return b.emit1(Op::Histogram, {x, mask}, b.tensor({4}, DType::i32));
  });
  EXPECT_EQ(got, (std::vector<int32_t>{1, 2, 0, 3}));
}
