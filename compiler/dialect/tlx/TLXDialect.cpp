#include "compiler/dialect/tlx/TLX.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

#include "compiler/dialect/tlx/TLXDialect.cpp.inc"
#include "compiler/dialect/tlx/TLXEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/tlx/TLXAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "compiler/dialect/tlx/TLXTypes.cpp.inc"

using namespace mlir;

namespace tlx::tlxd {
namespace {

struct TLXInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Operation *, bool) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};

} // namespace

void TLXDialect::initialize() {
  registerTypes();
  registerAttributes();
  registerOps();
  addInterfaces<TLXInlinerInterface>();
}

void TLXDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/dialect/tlx/TLXTypes.cpp.inc"
      >();
}

void TLXDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/dialect/tlx/TLXAttrs.cpp.inc"
      >();
}

Attribute unwrapLayout(Attribute layout) {
  while (layout) {
    if (auto wrapper = dyn_cast<NoVerifyLayoutAttr>(layout))
      layout = wrapper.getLayout();
    else if (auto wrapper = dyn_cast<UserLayoutAttr>(layout))
      layout = wrapper.getLayout();
    else
      break;
  }
  return layout;
}

LogicalResult NoVerifyLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                         Attribute layout) {
  if (isa_and_present<NoVerifyLayoutAttr>(layout))
    return emitError() << "no_verify_layout directly inside no_verify_layout";
  return success();
}

LogicalResult UserLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                     Attribute layout) {
  if (isa_and_present<UserLayoutAttr>(layout))
    return emitError() << "user_layout directly inside user_layout";
  return success();
}

// `<[128, 64], f32, true>`
Attribute DummyRegisterLayoutAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> shape;
  Type element;
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&] { return parser.parseInteger(shape.emplace_back()); }) ||
      parser.parseComma() || parser.parseType(element))
    return {};
  bool tmemCompatible = false;
  if (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("true")))
      tmemCompatible = true;
    else if (parser.parseKeyword("false"))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return DummyRegisterLayoutAttr::get(parser.getContext(), shape, element, tmemCompatible);
}

void DummyRegisterLayoutAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getShape(), printer);
  printer << "], " << getElementType() << ", " << (getTmemCompatible() ? "true" : "false") << ">";
}

// `<smem>` or `<tmem, 16384>`
Type StorageAliasSpecType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseLess() || parser.parseKeyword(&keyword))
    return {};
  std::optional<StorageKind> storage = symbolizeStorageKind(keyword);
  if (!storage) {
    parser.emitError(loc, "storage must be smem or tmem; got ") << keyword;
    return {};
  }
  std::optional<int64_t> size;
  if (succeeded(parser.parseOptionalComma())) {
    int64_t value = 0;
    if (parser.parseInteger(value))
      return {};
    size = value;
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<StorageAliasSpecType>(loc, parser.getContext(), *storage, size);
}

void StorageAliasSpecType::print(AsmPrinter &printer) const {
  printer << "<" << stringifyStorageKind(getStorage());
  if (getSize())
    printer << ", " << *getSize();
  printer << ">";
}

LogicalResult StorageAliasSpecType::verify(function_ref<InFlightDiagnostic()> emitError,
                                           StorageKind, std::optional<int64_t> size) {
  if (size && *size <= 0)
    return emitError() << "size of a storage alias must be positive; got " << *size;
  return success();
}

Type ReuseGroupType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseLess() || parser.parseKeyword(&keyword) || parser.parseGreater())
    return {};
  std::optional<ReuseGroupKind> kind = symbolizeReuseGroupKind(keyword);
  if (!kind) {
    parser.emitError(loc, "group kind must be shared or distinct; got ") << keyword;
    return {};
  }
  return ReuseGroupType::get(parser.getContext(), *kind);
}

void ReuseGroupType::print(AsmPrinter &printer) const {
  printer << "<" << stringifyReuseGroupKind(getGroupKind()) << ">";
}

} // namespace tlx::tlxd
