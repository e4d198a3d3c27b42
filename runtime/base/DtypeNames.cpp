//===- DtypeNames.cpp - the names of element types ------------------------===//
#include "runtime/base/Dtype.h"

namespace tlx {

static constexpr const char *names[numDTypes] = {
    "i1",     "i8",         "i16",        "i32",           "i64",       "u8",    "u16",
    "u32",    "u64",        "f16",        "bf16",          "f32",       "f64",   "f8E4M3FN",
    "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3B11FNUZ", "f8E8M0FNU", "f4E2M1"};

const char *name(DType type) { return names[unsigned(type)]; }

std::optional<DType> parseDType(std::string_view text) {
  for (unsigned i = 0; i < numDTypes; ++i)
    if (text == names[i])
      return DType(i);
  struct Alias {
    std::string_view text;
    DType type;
  };
  static constexpr Alias aliases[] = {
      // Triton's front end.
      {"fp16", DType::f16},
      {"fp32", DType::f32},
      {"fp64", DType::f64},
      {"u1", DType::i1},
      {"fp8e4nv", DType::f8E4M3FN},
      {"fp8e5", DType::f8E5M2},
      {"fp8e4b8", DType::f8E4M3FNUZ},
      {"fp8e5b16", DType::f8E5M2FNUZ},
      {"fp8e4b15", DType::f8E4M3B11FNUZ},
      // MLIR.
      {"f4E2M1FN", DType::f4E2M1},
      {"ui8", DType::u8},
      {"ui16", DType::u16},
      {"ui32", DType::u32},
      {"ui64", DType::u64},
      {"si8", DType::i8},
      {"si16", DType::i16},
      {"si32", DType::i32},
      {"si64", DType::i64},
  };
  for (const Alias &alias : aliases)
    if (text == alias.text)
      return alias.type;
  return std::nullopt;
}

std::optional<DType> parsePointerType(std::string_view text) {
  if (text.empty() || text.front() != '*')
    return std::nullopt;
  text.remove_prefix(1);
  if (!text.empty() && text.front() == 'k') // "*kfp16": a constant pointer
    text.remove_prefix(1);
  return parseDType(text);
}

} // namespace tlx
