// Element-wise operations and casts against plain loops, for scalars, tensors and splats.
#include "Kernels.h"

#include <cmath>
#include <functional>
#include <limits>

using namespace tlx;
using namespace tlx::sim;
using namespace tlx::sim::test;

namespace {

/// Runs `body` on tensors loaded from the inputs (raw bits, one vector each) and
/// returns the raw bits of its result.
std::vector<uint64_t> apply(const std::vector<std::pair<DType, std::vector<uint64_t>>> &inputs,
                            DType result, const std::function<Reg(Kernel &, const Regs &)> &body,
                            std::string *findings = nullptr) {
  Kernel b("elementwise");
  int64_t n = int64_t(inputs[0].second.size());
  std::vector<std::vector<char>> raw;
  GlobalMemory memory;
  std::vector<Argument> arguments;
  Regs loaded;
  for (const auto &[type, bits] : inputs) {
    Reg pointer = b.pointerArg("in", type);
    raw.emplace_back(n * byteWidth(type));
    for (int64_t i = 0; i < n; ++i)
      std::memcpy(raw.back().data() + i * byteWidth(type), &bits[i], byteWidth(type));
    loaded.push_back(b.emit1(Op::Load, {b.pointers(pointer, n)}, b.tensor({n}, type)));
  }
  for (size_t i = 0; i < raw.size(); ++i)
    arguments.push_back(Argument::pointer(memory.add("in", raw[i].data(), raw[i].size())));
  Reg out = b.pointerArg("out", result);
  b.emit(Op::Store, {b.pointers(out, n), body(b, loaded)});
  b.ret();
  std::vector<char> results(n * byteWidth(result));
  arguments.push_back(Argument::pointer(memory.add("out", results.data(), results.size())));
  Program program = b.finish();
  RunReport report = run(program, memory, arguments);
  if (findings)
    *findings = text(program, report);
  else
    EXPECT_TRUE(report.clean()) << text(program, report);
  std::vector<uint64_t> bits(n, 0);
  for (int64_t i = 0; i < n; ++i)
    std::memcpy(&bits[i], results.data() + i * byteWidth(result), byteWidth(result));
  return bits;
}

std::vector<uint64_t> asBits(DType type, const std::vector<double> &values) {
  std::vector<uint64_t> bits;
  for (double value : values)
    bits.push_back(fromDouble(type, value));
  return bits;
}

const double inf = std::numeric_limits<double>::infinity(), quiet = std::nan("");

template <typename T> void checkInts(DType type, Op op, const std::function<T(T, T)> &expected) {
  using U = std::make_unsigned_t<T>;
  std::vector<T> values{0,
                        1,
                        2,
                        3,
                        7,
                        T(-1),
                        T(-2),
                        T(-7),
                        std::numeric_limits<T>::max(),
                        std::numeric_limits<T>::min(),
                        T(100),
                        T(-100)};
  std::vector<uint64_t> a, b;
  std::vector<T> want;
  for (T x : values)
    for (T y : values) {
      a.push_back(U(x));
      b.push_back(U(y));
      want.push_back(expected(x, y));
    }
  std::vector<uint64_t> got = apply({{type, a}, {type, b}}, type, [&](Kernel &k, const Regs &r) {
    return k.binary(op, r[0], r[1]);
  });
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(T(got[i]), want[i]) << name(op) << ' ' << +T(a[i]) << ' ' << +T(b[i]);
}

} // namespace

TEST(Integers, WrapAndDivideInTheirWidth) {
  checkInts<int32_t>(DType::i32, Op::AddI,
                     [](int32_t x, int32_t y) { return int32_t(uint32_t(x) + uint32_t(y)); });
  checkInts<int8_t>(DType::i8, Op::MulI, [](int8_t x, int8_t y) { return int8_t(x * y); });
  checkInts<int16_t>(DType::i16, Op::SubI, [](int16_t x, int16_t y) { return int16_t(x - y); });
  checkInts<int64_t>(DType::i64, Op::XorI, [](int64_t x, int64_t y) { return x ^ y; });
  auto divide = [](int32_t x, int32_t y) {
    return y == 0 ? 0 : y == -1 ? int32_t(-uint32_t(x)) : x / y;
  };
  checkInts<int32_t>(DType::i32, Op::DivSI, divide);
  checkInts<int32_t>(DType::i32, Op::RemSI,
                     [](int32_t x, int32_t y) { return y == 0 || y == -1 ? 0 : x % y; });
  checkInts<int32_t>(DType::i32, Op::DivUI, [](int32_t x, int32_t y) {
    return y == 0 ? 0 : int32_t(uint32_t(x) / uint32_t(y));
  });
  checkInts<int32_t>(DType::i32, Op::FloorDivSI, [&](int32_t x, int32_t y) {
    return y == 0 ? 0 : y == -1 ? divide(x, y) : int32_t(std::floor(double(x) / y));
  });
  checkInts<int32_t>(DType::i32, Op::CeilDivSI, [&](int32_t x, int32_t y) {
    return y == 0 ? 0 : y == -1 ? divide(x, y) : int32_t(std::ceil(double(x) / y));
  });
  checkInts<int32_t>(DType::i32, Op::MaxUI, [](int32_t x, int32_t y) {
    return int32_t(std::max(uint32_t(x), uint32_t(y)));
  });
  checkInts<int32_t>(DType::i32, Op::MinSI, [](int32_t x, int32_t y) { return std::min(x, y); });
  checkInts<int32_t>(DType::i32, Op::MulHiUI, [](int32_t x, int32_t y) {
    return int32_t(uint64_t(uint32_t(x)) * uint32_t(y) >> 32);
  });
}

TEST(Integers, ShiftsByTheWidthOrMoreAreDefined) {
  std::vector<uint64_t> x{1, 0x80000000u, 5, 0xFFFFFFF0u}, by{31, 31, 32, 4};
  auto shift = [&](Op op) {
    return apply({{DType::i32, x}, {DType::i32, by}}, DType::i32,
                 [&](Kernel &b, const Regs &r) { return b.binary(op, r[0], r[1]); });
  };
  EXPECT_EQ(shift(Op::ShlI), (std::vector<uint64_t>{0x80000000u, 0, 0, 0xFFFFFF00u}));
  EXPECT_EQ(shift(Op::ShrUI), (std::vector<uint64_t>{0, 1, 0, 0x0FFFFFFFu}));
  EXPECT_EQ(shift(Op::ShrSI), (std::vector<uint64_t>{0, 0xFFFFFFFFu, 0, 0xFFFFFFFFu}));
}

TEST(Integers, ComparisonsKnowTheSign) {
  std::vector<uint64_t> a{1, 0xFFFFFFFF, 5}, b{0xFFFFFFFF, 1, 5};
  auto compare = [&](CmpI predicate) {
    return apply({{DType::i32, a}, {DType::i32, b}}, DType::i1,
                 [&](Kernel &k, const Regs &r) { return k.compare(predicate, r[0], r[1]); });
  };
  EXPECT_EQ(compare(CmpI::Slt), (std::vector<uint64_t>{0, 1, 0}));
  EXPECT_EQ(compare(CmpI::Ult), (std::vector<uint64_t>{1, 0, 0}));
  EXPECT_EQ(compare(CmpI::Sge), (std::vector<uint64_t>{1, 0, 1}));
  EXPECT_EQ(compare(CmpI::Eq), (std::vector<uint64_t>{0, 0, 1}));
}

TEST(Integers, SplatsCombineWithTensorsOnEitherSide) {
  std::vector<uint64_t> x{1, 2, 3, 4};
  auto with = [&](bool left) {
    return apply({{DType::i32, x}}, DType::i32, [&](Kernel &b, const Regs &r) {
      Reg ten = b.emit1(Op::Splat, {b.i32(10)}, b.tensor({4}, DType::i32));
      return left ? b.binary(Op::SubI, ten, r[0]) : b.binary(Op::SubI, r[0], ten);
    });
  };
  EXPECT_EQ(with(true), (std::vector<uint64_t>{9, 8, 7, 6}));
  EXPECT_EQ(int32_t(with(false)[0]), -9);
}

TEST(Floats, RoundToTheElementType) {
  for (DType type : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    std::vector<double> xs{1.0, 1.0 / 3, 1000.5, -2.7, 65000, 1e-6, inf, quiet}, ys;
    for (size_t i = 0; i < xs.size(); ++i)
      ys.push_back(xs[(i * 3 + 1) % xs.size()]);
    std::vector<uint64_t> a = asBits(type, xs), b = asBits(type, ys);
    struct Case {
      Op op;
      double (*f)(double, double);
    };
    for (const Case &c : {Case{Op::AddF, [](double x, double y) { return x + y; }},
                          Case{Op::SubF, [](double x, double y) { return x - y; }},
                          Case{Op::MulF, [](double x, double y) { return x * y; }},
                          Case{Op::DivF, [](double x, double y) { return x / y; }}}) {
      std::vector<uint64_t> got =
          apply({{type, a}, {type, b}}, type,
                [&](Kernel &k, const Regs &r) { return k.binary(c.op, r[0], r[1]); });
      for (size_t i = 0; i < got.size(); ++i) {
        double x = toDouble(type, a[i]), y = toDouble(type, b[i]);
        double want = toDouble(type, fromDouble(type, c.f(x, y))), have = toDouble(type, got[i]);
        EXPECT_TRUE(have == want || (have != have && want != want))
            << name(c.op) << ' ' << name(type) << ' ' << x << ' ' << y << ": " << have;
      }
    }
  }
}

TEST(Floats, MaximaDifferInWhatTheyDoWithNan) {
  std::vector<uint64_t> a = asBits(DType::f32, {1, quiet, 3, -1}),
                        b = asBits(DType::f32, {2, 5, quiet, -3});
  auto result = [&](Op op) {
    std::vector<double> values;
    for (uint64_t bits : apply({{DType::f32, a}, {DType::f32, b}}, DType::f32,
                               [&](Kernel &k, const Regs &r) { return k.binary(op, r[0], r[1]); }))
      values.push_back(toDouble(DType::f32, bits));
    return values;
  };
  EXPECT_EQ(result(Op::MaxNumF), (std::vector<double>{2, 5, 3, -1}));
  EXPECT_EQ(result(Op::MinNumF), (std::vector<double>{1, 5, 3, -3}));
  std::vector<double> strict = result(Op::MaximumF);
  EXPECT_TRUE(std::isnan(strict[1]) && std::isnan(strict[2]));
  EXPECT_EQ(strict[0], 2);
}

TEST(Floats, OrderedAndUnorderedComparisons) {
  std::vector<uint64_t> a = asBits(DType::f32, {1, 2, quiet, 2}),
                        b = asBits(DType::f32, {2, 1, 1, 2});
  auto compare = [&](CmpF predicate) {
    return apply({{DType::f32, a}, {DType::f32, b}}, DType::i1,
                 [&](Kernel &k, const Regs &r) { return k.compare(predicate, r[0], r[1]); });
  };
  using V = std::vector<uint64_t>;
  EXPECT_EQ(compare(CmpF::Olt), (V{1, 0, 0, 0}));
  EXPECT_EQ(compare(CmpF::Ult), (V{1, 0, 1, 0}));
  EXPECT_EQ(compare(CmpF::One), (V{1, 1, 0, 0}));
  EXPECT_EQ(compare(CmpF::Une), (V{1, 1, 1, 0}));
  EXPECT_EQ(compare(CmpF::Ord), (V{1, 1, 0, 1}));
  EXPECT_EQ(compare(CmpF::Ueq), (V{0, 0, 1, 1}));
}

TEST(Math, FunctionsAreWithinOneUnit) {
  std::vector<double> xs;
  for (double x = -20; x <= 20; x += 0.37)
    xs.push_back(x);
  xs.insert(xs.end(), {0.0, 127.5, -126.5, -149.0, 128.5, -151.0});
  struct Case {
    Op op;
    double (*f)(double);
    bool positive;
  };
  for (const Case &c : {Case{Op::Exp2, [](double x) { return std::exp2(x); }, false},
                        Case{Op::Exp, [](double x) { return std::exp(x); }, false},
                        Case{Op::Log2, [](double x) { return std::log2(x); }, true},
                        Case{Op::Sqrt, [](double x) { return std::sqrt(x); }, true},
                        Case{Op::Rsqrt, [](double x) { return 1 / std::sqrt(x); }, true},
                        Case{Op::Erf, [](double x) { return std::erf(x); }, false},
                        Case{Op::Tanh, [](double x) { return std::tanh(x); }, false}}) {
    std::vector<double> in;
    for (double x : xs)
      if (!c.positive || x > 0)
        in.push_back(x);
    std::vector<uint64_t> bits = asBits(DType::f32, in);
    std::vector<uint64_t> got =
        apply({{DType::f32, bits}}, DType::f32,
              [&](Kernel &k, const Regs &r) { return k.unary(c.op, r[0]); });
    for (size_t i = 0; i < got.size(); ++i) {
      double want = c.f(toDouble(DType::f32, bits[i]));
      float nearest = float(want), have = float(toDouble(DType::f32, got[i]));
      double unit = std::isinf(nearest)
                        ? 0
                        : std::nextafter(std::fabs(nearest), INFINITY) - std::fabs(nearest);
      EXPECT_TRUE(have == nearest || std::fabs(double(have) - want) <= unit)
          << name(c.op) << ' ' << in[i] << ": " << have << " for " << want;
    }
  }
}

TEST(Math, FmaRoundsOnceInNarrowTypes) {
  // 1.0009765625^2 - 1.001953125 is 2^-20: lost when the product is rounded to f16 first.
  std::vector<uint64_t> x = asBits(DType::f16, {1.0009765625}),
                        z = asBits(DType::f16, {-1.001953125});
  std::vector<uint64_t> got =
      apply({{DType::f16, x}, {DType::f16, z}}, DType::f16, [&](Kernel &b, const Regs &r) {
        return b.emit1(Op::Fma, {r[0], r[0], r[1]}, b.tensor({1}, DType::f16));
      });
  EXPECT_EQ(toDouble(DType::f16, got[0]), std::ldexp(1.0, -20));
}

TEST(Math, UnknownLibraryFunctionIsNamed) {
  std::string findings;
  apply(
      {{DType::f32, {0}}}, DType::f32,
      [&](Kernel &b, const Regs &r) {
        Attrs attrs;
        attrs.text = "__nv_nothing";
        b.at(12);
        return b.emit1(Op::ExternElementwise, {r[0]}, b.tensor({1}, DType::f32), attrs);
      },
      &findings);
  EXPECT_NE(findings.find("unsupported: kernel.py:12:1: error: library function '__nv_nothing'"),
            std::string::npos)
      << findings;
}

TEST(Casts, NarrowFloatsRoundAndSaturate) {
  std::vector<uint64_t> x = asBits(DType::f32, {1.0, 1.0625, 1.1875, 500, -1e9, 0.001, quiet});
  auto cast = [&](DType to, FpRounding rounding) {
    std::vector<double> values;
    for (uint64_t bits : apply({{DType::f32, x}}, to, [&](Kernel &b, const Regs &r) {
           Attrs attrs;
           attrs.rounding = rounding;
           return b.emit1(Op::FpToFp, {r[0]}, b.tensor({7}, to), attrs);
         }))
      values.push_back(toDouble(to, bits));
    return values;
  };
  std::vector<double> near = cast(DType::f8E4M3FN, FpRounding::NearestEven);
  EXPECT_EQ(near[1], 1.0); // a tie goes to even
  EXPECT_EQ(near[2], 1.25);
  EXPECT_EQ(near[3], 448);
  EXPECT_EQ(near[4], -448);
  EXPECT_TRUE(std::isnan(near[6]));
  EXPECT_EQ(cast(DType::f8E4M3FN, FpRounding::TowardZero)[2], 1.125);
  EXPECT_EQ(cast(DType::f16, FpRounding::NearestEven)[4], -inf);
}

TEST(Casts, StochasticRoundingUsesTheGivenBits) {
  // 1 + 3/4 of a bf16 unit: rounded up for three quarters of the random numbers.
  std::vector<uint64_t> x(256, fromDouble(DType::f32, 1 + 0.75 / 128)), bits;
  for (uint64_t i = 0; i < 256; ++i)
    bits.push_back(i << 8);
  std::vector<uint64_t> got =
      apply({{DType::f32, x}, {DType::i32, bits}}, DType::bf16, [&](Kernel &b, const Regs &r) {
        Attrs attrs;
        attrs.rounding = FpRounding::Stochastic;
        return b.emit1(Op::FpToFp, {r[0], r[1]}, b.tensor({256}, DType::bf16), attrs);
      });
  int up = 0;
  for (uint64_t value : got) {
    double y = toDouble(DType::bf16, value);
    EXPECT_TRUE(y == 1 || y == 1 + 1.0 / 128) << y;
    up += y > 1;
  }
  EXPECT_EQ(up, 192);
}

TEST(Casts, IntegersAndFloats) {
  std::vector<uint64_t> ints{5, 0xFFFFFFFF, 16777217, 0x80000000};
  auto convert = [&](Op op, DType from, DType to, const std::vector<uint64_t> &in) {
    return apply({{from, in}}, to, [&](Kernel &b, const Regs &r) {
      return b.emit1(op, {r[0]}, b.tensor({int64_t(in.size())}, to));
    });
  };
  EXPECT_EQ(convert(Op::SIToFP, DType::i32, DType::f32, ints),
            asBits(DType::f32, {5, -1, 16777216, -2147483648.0}));
  EXPECT_EQ(convert(Op::UIToFP, DType::i32, DType::f32, ints),
            asBits(DType::f32, {5, 4294967295.0, 16777216, 2147483648.0}));
  std::vector<uint64_t> floats = asBits(DType::f32, {2.9, -2.9, 3e9, quiet});
  EXPECT_EQ(convert(Op::FPToSI, DType::f32, DType::i32, floats),
            (std::vector<uint64_t>{2, 0xFFFFFFFE, 0x7FFFFFFF, 0}));
  EXPECT_EQ(convert(Op::FPToUI, DType::f32, DType::i32, floats),
            (std::vector<uint64_t>{2, 0, 3000000000u, 0}));
  EXPECT_EQ(convert(Op::ExtSI, DType::i8, DType::i32, {0x80, 0x7F}),
            (std::vector<uint64_t>{0xFFFFFF80, 0x7F}));
  EXPECT_EQ(convert(Op::ExtUI, DType::i8, DType::i32, {0x80, 0x7F}),
            (std::vector<uint64_t>{0x80, 0x7F}));
  EXPECT_EQ(convert(Op::TruncI, DType::i32, DType::i8, {0x1234, 0xFF}),
            (std::vector<uint64_t>{0x34, 0xFF}));
  EXPECT_EQ(convert(Op::Bitcast, DType::f32, DType::i32, asBits(DType::f32, {1, -2})),
            (std::vector<uint64_t>{0x3F800000, 0xC0000000}));
  EXPECT_EQ(convert(Op::Bitcast, DType::i16, DType::f16, {0x3C00, 0xFC00}),
            (std::vector<uint64_t>{0x3C00, 0xFC00}));
}

TEST(Casts, FourBitFloatsUnpackLowNibbleFirst) {
  std::vector<uint64_t> got =
      apply({{DType::i8, {0x21, 0xF7}}}, DType::f16, [&](Kernel &b, const Regs &r) {
        Attrs attrs;
        attrs.axis = 0;
        Reg four = b.emit1(Op::Fp4ToFp, {r[0]}, b.tensor({4}, DType::f16), attrs);
        Attrs slice;
        slice.ints = {1}; // elements 1 and 2: high nibble of the first, low one of the second
        return b.emit1(Op::ExtractSlice, {four}, b.tensor({2}, DType::f16), slice);
      });
  EXPECT_EQ(got, asBits(DType::f16, {1.0, 6.0}));
}

TEST(InlineAsm, PackedProducts) {
  std::vector<uint64_t> a = asBits(DType::f32, {1, 2, 3, 4}), c = asBits(DType::f32, {5, 6, 7, 8});
  std::vector<uint64_t> got =
      apply({{DType::f32, a}, {DType::f32, c}}, DType::f32, [&](Kernel &b, const Regs &r) {
        Attrs attrs;
        attrs.text = "{ .reg .b64 ra, rb, rc;\n mov.b64 ra, { $2, $3 };\n mov.b64 rb, { $4, $5 };\n"
                     " mul.f32x2 rc, ra, rb;\n mov.b64 { $0, $1 }, rc; }";
        attrs.text2 = "=r,=r,r,r,r,r";
        attrs.count = 2;
        return b.emit1(Op::InlineAsm, {r[0], r[1]}, b.tensor({4}, DType::f32), attrs);
      });
  EXPECT_EQ(got, asBits(DType::f32, {5, 12, 21, 32}));
}

TEST(InlineAsm, ConversionToFourPackedBytes) {
  std::vector<uint64_t> x = asBits(DType::f32, {1, -2, 1000, 0.5});
  std::vector<uint64_t> got =
      apply({{DType::f32, x}}, DType::f8E4M3FN, [&](Kernel &b, const Regs &r) {
        Attrs attrs;
        attrs.text = "{ .reg .b16 lo, hi; cvt.rn.satfinite.e4m3x2.f32 lo, $2, $1;"
                     " cvt.rn.satfinite.e4m3x2.f32 hi, $4, $3; mov.b32 $0, {lo, hi}; }";
        attrs.text2 = "=r,f,f,f,f";
        attrs.count = 4;
        return b.emit1(Op::InlineAsm, {r[0]}, b.tensor({4}, DType::f8E4M3FN), attrs);
      });
  EXPECT_EQ(got, asBits(DType::f8E4M3FN, {1, -2, 448, 0.5}));
}

TEST(InlineAsm, LaunchesBesideThisOneAreNotWaitedFor) {
  std::vector<uint64_t> got = apply({{DType::i32, {7}}}, DType::i32, [&](Kernel &b, const Regs &r) {
    Attrs attrs;
    attrs.text = "griddepcontrol.wait; griddepcontrol.launch_dependents; mov.b32 $0, $1;";
    attrs.text2 = "=r,r";
    attrs.count = 1;
    return b.emit1(Op::InlineAsm, {r[0]}, b.tensor({1}, DType::i32), attrs);
  });
  EXPECT_EQ(got, std::vector<uint64_t>{7});
}

TEST(InlineAsm, UnknownInstructionIsQuoted) {
  std::string findings;
  apply(
      {{DType::f32, {0}}}, DType::f32,
      [&](Kernel &b, const Regs &r) {
        Attrs attrs;
        attrs.text = "frobnicate.f32 $0, $1;";
        attrs.text2 = "=f,f";
        attrs.count = 1;
        return b.emit1(Op::InlineAsm, {r[0]}, b.tensor({1}, DType::f32), attrs);
      },
      &findings);
  EXPECT_NE(findings.find("'frobnicate.f32 $0, $1'"), std::string::npos) << findings;
}
