#include "compiler/dialect/ttg/TTG.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#define GET_TYPEDEF_CLASSES
#include "compiler/dialect/ttg/TTGTypes.cpp.inc"

using namespace mlir;

namespace tlx::ttg {

void TTGDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/dialect/ttg/TTGTypes.cpp.inc"
      >();
}

// `memdesc<2x64x64xf16, #shared, #smem, mutable, 4x64x64>`
Type MemDescType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape, allocShape;
  Type element;
  Attribute encoding, space;
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseComma() || parser.parseAttribute(encoding) ||
      parser.parseComma() || parser.parseAttribute(space))
    return {};
  bool isMutable = false;
  while (succeeded(parser.parseOptionalComma())) {
    if (!isMutable && succeeded(parser.parseOptionalKeyword("mutable"))) {
      isMutable = true;
      continue;
    }
    if (parser.parseDimensionList(allocShape, /*allowDynamic=*/false, /*withTrailingX=*/false))
      return {};
    break;
  }
  if (parser.parseGreater())
    return {};
  if (allocShape.empty())
    allocShape = shape;
  return parser.getChecked<MemDescType>(loc, parser.getContext(), shape, element, encoding, space,
                                        isMutable, allocShape);
}

void MemDescType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t dim : getShape())
    printer << dim << "x";
  printer << getElementType() << ", " << getEncoding() << ", " << getMemorySpace();
  if (getMutableMemory())
    printer << ", mutable";
  if (getAllocShape() != getShape()) {
    printer << ", ";
    llvm::interleave(getAllocShape(), printer, "x");
  }
  printer << ">";
}

LogicalResult MemDescType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> shape, Type element, Attribute encoding,
                                  Attribute space, bool, ArrayRef<int64_t> allocShape) {
  if (shape.empty())
    return emitError() << "memdesc needs at least one dimension";
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (size <= 0)
      return emitError() << "memdesc dimension " << dim << " must be positive; got " << size;
    if (dim > 0 && !llvm::isPowerOf2_64(size))
      return emitError() << "memdesc dimension " << dim << " must be a power of two; got " << size;
  }
  if (allocShape.size() < shape.size())
    return emitError() << "allocation has rank " << allocShape.size() << ", below the view's rank "
                       << shape.size();
  for (auto [size, alloc] : llvm::zip(shape, allocShape.take_back(shape.size())))
    if (size > alloc)
      return emitError() << "view of size " << size << " exceeds its allocation of size " << alloc;
  if (!element.isIntOrFloat() && !isa<tt::PointerType>(element))
    return emitError() << "memdesc element must be an integer, float or pointer; got " << element;
  if (!encoding || !space)
    return emitError() << "memdesc needs an encoding and a memory space";
  return success();
}

bool isBarrierType(MemDescType type) {
  return type.getElementType().isInteger(64) && type.getShape().size() == 1;
}

} // namespace tlx::ttg
