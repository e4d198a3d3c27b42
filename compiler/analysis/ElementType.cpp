#include "compiler/analysis/ElementType.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tlx {

std::optional<DType> elementType(Type type) {
  if (type.isIndex())
    return DType::i64;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1: return DType::i1;
    case 8: return isUnsigned ? DType::u8 : DType::i8;
    case 16: return isUnsigned ? DType::u16 : DType::i16;
    case 32: return isUnsigned ? DType::u32 : DType::i32;
    case 64: return isUnsigned ? DType::u64 : DType::i64;
    default: return std::nullopt;
    }
  }
  if (type.isF16())
    return DType::f16;
  if (type.isBF16())
    return DType::bf16;
  if (type.isF32())
    return DType::f32;
  if (type.isF64())
    return DType::f64;
  if (isa<Float8E4M3FNType>(type))
    return DType::f8E4M3FN;
  if (isa<Float8E5M2Type>(type))
    return DType::f8E5M2;
  if (isa<Float8E4M3FNUZType>(type))
    return DType::f8E4M3FNUZ;
  if (isa<Float8E5M2FNUZType>(type))
    return DType::f8E5M2FNUZ;
  if (isa<Float8E8M0FNUType>(type))
    return DType::f8E8M0FNU;
  return std::nullopt;
}

} // namespace tlx
