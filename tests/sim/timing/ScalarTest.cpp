#include "sim/timing/Scalar.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::sim;

namespace {

int64_t eval(Op op, DType type, int64_t a, int64_t b = 0, int64_t c = 0) {
  return evalScalar({op, type, type, CmpI::Eq, CmpF::False}, a, b, c);
}

double evalF(Op op, DType type, double a, double b = 0) {
  return std::bit_cast<double>(
      eval(op, type, std::bit_cast<int64_t>(a), std::bit_cast<int64_t>(b)));
}

TEST(Scalar, IntegersWrapToTheirWidth) {
  EXPECT_EQ(eval(Op::AddI, DType::i32, INT32_MAX, 1), INT32_MIN);
  EXPECT_EQ(eval(Op::MulI, DType::i8, 100, 3), 44);
  EXPECT_EQ(eval(Op::ShlI, DType::i16, 1, 15), -32768);
  EXPECT_EQ(eval(Op::XorI, DType::i1, 1, 1), 0);
}

TEST(Scalar, Division) {
  EXPECT_EQ(eval(Op::DivSI, DType::i32, -7, 2), -3);
  EXPECT_EQ(eval(Op::RemSI, DType::i32, -7, 2), -1);
  EXPECT_EQ(eval(Op::FloorDivSI, DType::i32, -7, 2), -4);
  EXPECT_EQ(eval(Op::CeilDivSI, DType::i32, 7, 2), 4);
  EXPECT_EQ(eval(Op::DivUI, DType::i32, -1, 2), INT32_MAX);
  EXPECT_EQ(eval(Op::DivSI, DType::i32, 5, 0), 0);
  EXPECT_EQ(eval(Op::DivSI, DType::i32, INT32_MIN, -1), INT32_MIN);
  EXPECT_EQ(eval(Op::DivSI, DType::i64, INT64_MIN, -1), INT64_MIN);
}

TEST(Scalar, SignedAndUnsigned) {
  EXPECT_EQ(evalScalar({Op::CmpI, DType::i32, DType::i1, CmpI::Slt}, -1, 1, 0), 1);
  EXPECT_EQ(evalScalar({Op::CmpI, DType::i32, DType::i1, CmpI::Ult}, -1, 1, 0), 0);
  EXPECT_EQ(eval(Op::MinUI, DType::i32, -1, 1), 1);
  EXPECT_EQ(eval(Op::ShrUI, DType::i32, -1, 31), 1);
  EXPECT_EQ(eval(Op::ShrSI, DType::i32, -8, 1), -4);
  EXPECT_EQ(evalScalar({Op::ExtUI, DType::i8, DType::i32}, -1, 0, 0), 255);
  EXPECT_EQ(evalScalar({Op::ExtSI, DType::i1, DType::i32}, 1, 0, 0), -1);
  EXPECT_EQ(eval(Op::MulHiUI, DType::i32, -1, -1), -2); // 0xFFFFFFFE
}

TEST(Scalar, FloatsRoundToTheirType) {
  EXPECT_EQ(evalF(Op::AddF, DType::f32, 16777216.0, 1.0), 16777216.0);
  EXPECT_EQ(evalF(Op::AddF, DType::f64, 16777216.0, 1.0), 16777217.0);
  EXPECT_EQ(evalF(Op::MulF, DType::f16, 300.0, 300.0), INFINITY);
  EXPECT_EQ(evalScalar({Op::FPToSI, DType::f32, DType::i32}, std::bit_cast<int64_t>(-2.7), 0, 0),
            -2);
  EXPECT_EQ(evalScalar({Op::SIToFP, DType::i32, DType::f32}, -3, 0, 0),
            std::bit_cast<int64_t>(-3.0));
  EXPECT_EQ(evalScalar({Op::Bitcast, DType::f32, DType::i32}, std::bit_cast<int64_t>(1.0), 0, 0),
            0x3F800000);
  EXPECT_EQ(evalScalar({Op::Bitcast, DType::i32, DType::f32}, 0x3F800000, 0, 0),
            std::bit_cast<int64_t>(1.0));
}

TEST(Scalar, Comparisons) {
  auto compare = [](CmpF p, double a, double b) {
    return evalScalar({Op::CmpF, DType::f32, DType::i1, CmpI::Eq, p}, std::bit_cast<int64_t>(a),
                      std::bit_cast<int64_t>(b), 0);
  };
  EXPECT_EQ(compare(CmpF::Olt, 1, 2), 1);
  EXPECT_EQ(compare(CmpF::Olt, NAN, 2), 0);
  EXPECT_EQ(compare(CmpF::Ult, NAN, 2), 1);
  EXPECT_EQ(compare(CmpF::One, 1, 1), 0);
  EXPECT_EQ(compare(CmpF::Une, NAN, NAN), 1);
}

} // namespace
