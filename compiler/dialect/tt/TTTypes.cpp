#include "compiler/dialect/tt/TT.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#define GET_TYPEDEF_CLASSES
#include "compiler/dialect/tt/TTTypes.cpp.inc"

using namespace mlir;

namespace tlx::tt {

void TTDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/dialect/tt/TTTypes.cpp.inc"
      >();
}

// `ptr<f16>` or `ptr<f16, 3>`; address space 1 is not printed.
Type PointerType::parse(AsmParser &parser) {
  Type pointee;
  int addressSpace = 1;
  if (parser.parseLess() || parser.parseType(pointee))
    return {};
  if (succeeded(parser.parseOptionalComma()) && parser.parseInteger(addressSpace))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<PointerType>(parser.getContext(), pointee, addressSpace);
}

void PointerType::print(AsmPrinter &printer) const {
  printer << "<" << getPointeeType();
  if (getAddressSpace() != 1)
    printer << ", " << getAddressSpace();
  printer << ">";
}

LogicalResult PointerType::verify(function_ref<InFlightDiagnostic()> emitError, Type pointee,
                                  int addressSpace) {
  if (isa<TensorType>(pointee))
    return emitError() << "pointer to a tensor; a tensor of pointers was expected";
  if (addressSpace < 0)
    return emitError() << "address space must not be negative; got " << addressSpace;
  return success();
}

// `tensordesc<tensor<64x64xf16, #shared>>` or `tensordesc<64x64xf16, #shared>`.
Type TensorDescType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  RankedTensorType block;
  SmallVector<int64_t> shape;
  OptionalParseResult whole = [&]() -> OptionalParseResult {
    Type type;
    OptionalParseResult result = parser.parseOptionalType(type);
    if (!result.has_value() || failed(*result))
      return result;
    block = dyn_cast<RankedTensorType>(type);
    if (!block)
      return ParseResult(parser.emitError(loc, "expected a ranked tensor type or a block shape"));
    return ParseResult(success());
  }();
  if (whole.has_value()) {
    if (failed(*whole))
      return {};
  } else {
    Type element;
    Attribute encoding;
    if (parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element))
      return {};
    if (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(encoding))
      return {};
    block = RankedTensorType::getChecked([&] { return parser.emitError(loc); }, shape, element,
                                         encoding);
    if (!block)
      return {};
  }
  if (parser.parseGreater())
    return {};
  return TensorDescType::get(block);
}

void TensorDescType::print(AsmPrinter &printer) const {
  RankedTensorType block = getBlockType();
  if (getIrVersion(getContext()) == IrVersion::V3_7_4) {
    printer << "<" << block << ">";
    return;
  }
  printer << "<";
  for (int64_t dim : block.getShape())
    printer << dim << "x";
  printer << block.getElementType();
  if (block.getEncoding())
    printer << ", " << block.getEncoding();
  printer << ">";
}

bool isTensorDesc(Type type) { return type.hasTrait<TensorDescTrait>(); }

static Type withElement(Type like, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(like))
    return RankedTensorType::get(tensor.getShape(), element, tensor.getEncoding());
  return element;
}

Type i1SameShape(Type type) { return withElement(type, IntegerType::get(type.getContext(), 1)); }

Type elementTypeOrSelf(Type type) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.getElementType();
  return type;
}

Type pointeeSameShape(Type type) {
  auto pointer = dyn_cast<PointerType>(elementTypeOrSelf(type));
  return pointer ? withElement(type, pointer.getPointeeType()) : Type();
}

} // namespace tlx::tt
