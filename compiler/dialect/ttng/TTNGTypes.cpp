#include "compiler/dialect/ttng/TTNG.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#define GET_TYPEDEF_CLASSES
#include "compiler/dialect/ttng/TTNGTypes.cpp.inc"

using namespace mlir;

namespace tlx::ttng {

void TTNGDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/dialect/ttng/TTNGTypes.cpp.inc"
      >();
}

// A block is spelled as that of `tt.tensordesc` is: whole (`<tensor<64x64xf16>>`,
// release 3.7.4) or by its contents (`<64x64xf16, #shared>`, main).
Type TensorDescIm2ColType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  Type whole;
  RankedTensorType block;
  OptionalParseResult isWhole = parser.parseOptionalType(whole);
  if (isWhole.has_value()) {
    if (failed(*isWhole))
      return {};
    block = dyn_cast<RankedTensorType>(whole);
    if (!block) {
      parser.emitError(loc, "expected a ranked tensor; got ") << whole;
      return {};
    }
  } else {
    SmallVector<int64_t> shape;
    Type element;
    Attribute encoding;
    if (parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element) ||
        (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(encoding)))
      return {};
    block = RankedTensorType::get(shape, element, encoding);
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<TensorDescIm2ColType>(loc, parser.getContext(), block);
}

void TensorDescIm2ColType::print(AsmPrinter &printer) const {
  RankedTensorType block = getBlockType();
  printer << "<";
  if (tt::getIrVersion(getContext()) == tt::IrVersion::V3_7_4) {
    printer << block;
  } else {
    for (int64_t size : block.getShape())
      printer << size << "x";
    printer << block.getElementType();
    if (block.getEncoding())
      printer << ", " << block.getEncoding();
  }
  printer << ">";
}

LogicalResult TensorDescIm2ColType::verify(function_ref<InFlightDiagnostic()> emitError,
                                           RankedTensorType block) {
  if (block.getRank() != 2)
    return emitError() << "im2col descriptor needs a block of rank 2; got " << block;
  return success();
}

} // namespace tlx::ttng
