#include "runtime/loader/Arguments.h"

#include <gtest/gtest.h>

using namespace tlx;

namespace {

using Kind = ParameterType::Kind;

ParameterType type(Kind kind, DType element, std::vector<int64_t> block = {},
                   std::string name = "x") {
  ParameterType out;
  out.kind = kind;
  out.element = element;
  out.block = std::move(block);
  out.name = std::move(name);
  out.spelling = "!t";
  out.location = {"k.ttir", 3, 9};
  return out;
}
ParameterType scalar(DType element) { return type(Kind::Scalar, element); }

Manifest manifest() {
  const char *text = R"({"kernel": "gemm", "target": "cuda:90",
    "grid": [1, 1, 1], "args": [
    {"kind": "tensordesc", "name": "a", "dtype": "f16", "shape": [64, 32],
     "strides": [32, 1], "block_shape": [16, 32], "storage": 0, "offset": 8,
     "padding": "nan", "data": {"fill": "zeros"}},
    {"kind": "null", "name": "nothing"},
    {"kind": "pointer", "name": "p", "dtype": "f8E4M3FN", "shape": [4],
     "strides": [1], "storage": 1, "offset": 3, "data": {"fill": "zeros"}},
    {"kind": "scalar", "name": "n", "type": "i32", "value": -2}]})";
  auto parsed = parseManifest(text, "l.json");
  EXPECT_TRUE(parsed.ok()) << parsed.error().str();
  return std::move(*parsed);
}

std::vector<ParameterType> fitting() {
  return {type(Kind::TensorDesc, DType::f16, {16, 32}),
          scalar(DType::i32),
          scalar(DType::i32),
          scalar(DType::i64),
          scalar(DType::i64),
          type(Kind::Pointer, DType::f8E4M3FN),
          scalar(DType::i32)};
}

std::string errorOf(const std::vector<ParameterType> &parameters, int64_t cluster = 1) {
  Manifest launch = manifest();
  launch.cluster = {cluster, 1, 1};
  auto bound = bindParameters(launch, parameters);
  return bound.ok() ? "fits" : bound.error().str();
}

TEST(Parameters, DescriptorsAreExpanded) {
  auto bound = bindParameters(manifest(), fitting());
  ASSERT_TRUE(bound.ok()) << bound.error().str();
  ASSERT_EQ(bound->size(), 7u);
  EXPECT_EQ((*bound)[0].kind, ParameterValue::Kind::Descriptor);
  EXPECT_EQ((*bound)[0].byteOffset, 16);
  EXPECT_EQ((*bound)[1].bits, 64u);
  EXPECT_EQ((*bound)[2].bits, 32u);
  EXPECT_EQ((*bound)[3].bits, 32u);
  EXPECT_EQ((*bound)[4].bits, 1u);
  EXPECT_EQ((*bound)[5].storage, 1);
  EXPECT_EQ((*bound)[5].byteOffset, 3);
  EXPECT_EQ((*bound)[5].argument, 2u);
  EXPECT_EQ((*bound)[6].bits, 0xFFFFFFFEu);
}

TEST(Parameters, DescriptorAsPointer) {
  auto parameters = fitting();
  parameters[0] = type(Kind::Pointer, DType::f16);
  parameters[1] = parameters[2] = scalar(DType::i64);
  parameters.insert(parameters.begin() + 5, 2, scalar(DType::i1));
  auto bound = bindParameters(manifest(), parameters);
  ASSERT_TRUE(bound.ok()) << bound.error().str();
  EXPECT_EQ((*bound)[0].kind, ParameterValue::Kind::Pointer);
  EXPECT_EQ((*bound)[1].type, DType::i64);
  EXPECT_EQ((*bound)[5].bits, 1u); // pads with NaN
  EXPECT_EQ((*bound)[6].bits, 0u);
}

TEST(Parameters, RawBytesFit) {
  auto parameters = fitting();
  parameters[5].element = DType::i8;
  EXPECT_EQ(errorOf(parameters), "fits");
}

TEST(Parameters, ABlockIsCutIntoNoMorePartsThanThereAreCtas) {
  auto parameters = fitting();
  parameters[0].block = {8, 32};
  EXPECT_NE(errorOf(parameters).find("'a', whose block is 16x32,"), std::string::npos);
  EXPECT_EQ(errorOf(parameters, 2), "fits");
  parameters[0].block = {8, 16};
  EXPECT_NE(errorOf(parameters, 2).find("'a', whose block is 16x32,"), std::string::npos);
}

TEST(Parameters, Misfits) {
  auto parameters = fitting();
  parameters.pop_back();
  EXPECT_EQ(errorOf(parameters), "l.json:9:5: error: @gemm takes 6 parameters; there is none left "
                                 "for 'n'");
  parameters = fitting();
  parameters.push_back(scalar(DType::i32));
  EXPECT_EQ(errorOf(parameters),
            "l.json: error: the manifest gives 7 parameter values; @gemm takes "
            "8\nk.ttir:3:9: note: no argument for parameter 7 'x' of type !t");
  parameters = fitting();
  parameters[6] = scalar(DType::f32);
  EXPECT_EQ(errorOf(parameters), "l.json:9:5: error: 'n', a scalar of type i32, does not fit "
                                 "parameter 6 'x' of type !t\nk.ttir:3:9: note: the parameter is "
                                 "here");
  parameters = fitting();
  parameters[0].element = DType::bf16;
  EXPECT_EQ(errorOf(parameters).substr(0, 60),
            "l.json:3:5: error: 'a', a descriptor of f16, does not fit pa");
  parameters = fitting();
  parameters[0].block = {12, 32};
  EXPECT_NE(errorOf(parameters).find("'a', whose block is 16x32,"), std::string::npos);
  parameters = fitting();
  parameters[5] = type(Kind::Pointer, DType::f16);
  EXPECT_NE(errorOf(parameters).find("'p', a pointer to f8E4M3FN,"), std::string::npos);
  parameters = fitting();
  parameters[5] = type(Kind::Other, DType::f16);
  EXPECT_NE(errorOf(parameters).find("does not fit"), std::string::npos);
}

TEST(Parameters, WhatTheCompilerReliesOnMustHold) {
  auto parameters = fitting();
  parameters[5].divisibility = 3;
  EXPECT_EQ(errorOf(parameters), "fits");
  parameters[5].divisibility = 16;
  EXPECT_EQ(errorOf(parameters),
            "l.json:7:5: error: 'p', whose offset is 3 bytes, no multiple of 16 "
            "(tt.divisibility), does not fit parameter 5 'x' of type !t\n"
            "k.ttir:3:9: note: the parameter is here");
}

TEST(Descriptors, WhatTmaCannotAddressIsRefused) {
  Manifest good = manifest();
  EXPECT_TRUE(checkDescriptors(good).ok());
  auto errorAfter = [&](auto change) {
    Manifest changed = good;
    change(changed.arguments[0]);
    auto checked = checkDescriptors(changed);
    return checked.ok() ? "fine" : checked.error().str();
  };
  EXPECT_EQ(errorAfter([](Argument &x) { x.offset = 4; }),
            "l.json:3:5: error: descriptor 'a' begins at byte 8 of its storage; "
            "TMA needs a multiple of 16\nhint: change 'offset', which counts "
            "elements");
  EXPECT_NE(errorAfter([](Argument &x) {
              x.strides = {36, 1};
            }).find("has strides[0] = 36, 72 bytes; TMA needs a multiple"),
            std::string::npos);
  EXPECT_NE(errorAfter([](Argument &x) { x.strides = {32, 2}; }).find("needs contiguous elements"),
            std::string::npos);
  EXPECT_NE(errorAfter([](Argument &x) {
              x.shape = {0, 32};
            }).find("has shape[0] = 0; TMA needs 1 to 2^32"),
            std::string::npos);
  EXPECT_NE(errorAfter([](Argument &x) {
              x.tensorMap = TensorMapFacts();
              x.tensorMap->blockSize = {512, 32};
            }).find("has a box of 512 elements"),
            std::string::npos);
  good.target = "hip:gfx950";
  EXPECT_EQ(errorAfter([](Argument &x) { x.offset = 4; }), "fine");
}

} // namespace
