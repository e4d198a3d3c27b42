// Tensor-memory encodings: `key = value` lists in any order, defaults left out.
#include "compiler/dialect/ttg/EncodingSyntax.h"
#include "compiler/dialect/ttng/TTNG.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/ttng/TTNGAttrs.cpp.inc"

using namespace mlir;

namespace tlx::ttng {

void TTNGDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/dialect/ttng/TTNGAttrs.cpp.inc"
      >();
}

/// Parses `<key = value, ...>`; `value` reads what belongs to a key and returns
/// nothing for a key it does not know.
static ParseResult
parseFields(AsmParser &parser,
            llvm::function_ref<std::optional<ParseResult>(StringRef key)> value) {
  if (parser.parseLess())
    return failure();
  if (succeeded(parser.parseOptionalGreater()))
    return success();
  llvm::StringSet<> seen;
  do {
    SMLoc loc = parser.getCurrentLocation();
    StringRef key;
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    if (!seen.insert(key).second)
      return parser.emitError(loc, "field '") << key << "' is given twice";
    std::optional<ParseResult> result = value(key);
    if (!result)
      return parser.emitError(loc, "unknown field '") << key << "'";
    if (failed(*result))
      return failure();
  } while (succeeded(parser.parseOptionalComma()));
  return parser.parseGreater();
}

static ParseResult parseBool(AsmParser &parser, bool &value) {
  if (succeeded(parser.parseOptionalKeyword("true"))) {
    value = true;
    return success();
  }
  value = false;
  return parser.parseKeyword("false");
}

/// `[[1, 0], [0, 1]]`: one basis for each doubling of the number of CTAs.
static ParseResult parseBases(AsmParser &parser, ArrayAttr &bases) {
  SmallVector<Attribute> list;
  auto parseBasis = [&]() -> ParseResult {
    SmallVector<int32_t> basis;
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                       [&] { return parser.parseInteger(basis.emplace_back()); }))
      return failure();
    list.push_back(DenseI32ArrayAttr::get(parser.getContext(), basis));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseBasis))
    return failure();
  bases = ArrayAttr::get(parser.getContext(), list);
  return success();
}

template <typename Enum>
static ParseResult parseEnum(AsmParser &parser, Enum &value,
                             std::optional<Enum> (*symbolize)(StringRef), const char *choices) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Enum> parsed = symbolize(keyword);
  if (!parsed)
    return parser.emitError(loc, "expected one of ") << choices << "; got " << keyword;
  value = *parsed;
  return success();
}

Attribute TensorMemoryEncodingAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  std::optional<unsigned> blockM, blockN, colStride;
  ArrayAttr cga = ArrayAttr::get(parser.getContext(), {});
  bool twoCTAs = false, fp4Padded = false;
  TensorMemoryCTAMode mode = TensorMemoryCTAMode::DEFAULT;
  auto field = [&](StringRef key) -> std::optional<ParseResult> {
    if (key == "blockM")
      return parser.parseInteger(blockM.emplace());
    if (key == "blockN")
      return parser.parseInteger(blockN.emplace());
    if (key == "colStride")
      return parser.parseInteger(colStride.emplace());
    if (key == "CGALayout")
      return parseBases(parser, cga);
    if (key == "twoCTAs")
      return parseBool(parser, twoCTAs);
    if (key == "ctaMode")
      return parseEnum<TensorMemoryCTAMode>(parser, mode, symbolizeTensorMemoryCTAMode,
                                            "default, twocta_lhs, twocta_rhs");
    if (key == "fp4Padded")
      return parseBool(parser, fp4Padded);
    return std::nullopt;
  };
  if (parseFields(parser, field))
    return {};
  if (!blockM || !blockN || !colStride) {
    parser.emitError(loc, "needs blockM, blockN and colStride");
    return {};
  }
  return parser.getChecked<TensorMemoryEncodingAttr>(loc, parser.getContext(), *blockM, *blockN,
                                                     *colStride, cga, twoCTAs, mode, fp4Padded);
}

void TensorMemoryEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<blockM = " << getBlockM() << ", blockN = " << getBlockN()
          << ", colStride = " << getColStride();
  ttg::printCga(printer, getCga());
  if (getTwoCTAs())
    printer << ", twoCTAs = true";
  if (getCtaMode() != TensorMemoryCTAMode::DEFAULT)
    printer << ", ctaMode = " << stringifyTensorMemoryCTAMode(getCtaMode());
  if (getFp4Padded())
    printer << ", fp4Padded = true";
  printer << ">";
}

LogicalResult TensorMemoryEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                               unsigned blockM, unsigned blockN, unsigned colStride,
                                               ArrayAttr, bool, TensorMemoryCTAMode, bool) {
  if (blockM != 64 && blockM != 128)
    return emitError() << "blockM must be 64 or 128; got " << blockM;
  if (!llvm::isPowerOf2_32(blockN) || blockN > 512)
    return emitError() << "blockN must be a power of two up to 512; got " << blockN;
  if (colStride != 1 && colStride != 2 && colStride != 4)
    return emitError() << "colStride must be 1, 2 or 4; got " << colStride;
  return success();
}

Attribute TensorMemoryScalesEncodingAttr::parse(AsmParser &parser, Type) {
  ArrayAttr cga = ArrayAttr::get(parser.getContext(), {});
  ScalesBlockRepOrder order = ScalesBlockRepOrder::MnThenK;
  auto field = [&](StringRef key) -> std::optional<ParseResult> {
    if (key == "CGALayout")
      return parseBases(parser, cga);
    if (key == "blockRepOrder")
      return parseEnum<ScalesBlockRepOrder>(parser, order, symbolizeScalesBlockRepOrder,
                                            "mnThenK, kThenMn");
    return std::nullopt;
  };
  if (parseFields(parser, field))
    return {};
  return get(parser.getContext(), cga, order);
}

void TensorMemoryScalesEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<";
  if (!getCga().empty()) {
    printer << "CGALayout = ";
    ttg::printBases(printer, getCga());
  }
  if (getBlockRepOrder() != ScalesBlockRepOrder::MnThenK)
    printer << (getCga().empty() ? "" : ", ")
            << "blockRepOrder = " << stringifyScalesBlockRepOrder(getBlockRepOrder());
  printer << ">";
}

} // namespace tlx::ttng
