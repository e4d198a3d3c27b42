// Syntax and verifiers of shared-memory encodings.
#include "compiler/dialect/ttg/EncodingSyntax.h"
#include "compiler/dialect/ttg/TTG.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace tlx::ttg {

using EmitError = function_ref<InFlightDiagnostic()>;

//===----------------------------------------------------------------------===//
// swizzled_shared, amd_rotating_shared
//===----------------------------------------------------------------------===//

template <typename AttrT> static Attribute parseSwizzled(AsmParser &parser) {
  DictReader reader = DictReader::angled(parser);
  unsigned vec = 0, perPhase = 0, maxPhase = 0;
  SmallVector<unsigned> order;
  ArrayAttr cga;
  reader.uint("vec", vec);
  reader.uint("perPhase", perPhase);
  reader.uint("maxPhase", maxPhase);
  reader.uints("order", order);
  reader.bases("CGALayout", cga, /*required=*/false);
  return reader.finishAs<AttrT>(vec, perPhase, maxPhase, ArrayRef<unsigned>(order), cga);
}

template <typename AttrT> static void printSwizzled(AttrT attr, AsmPrinter &printer) {
  DictPrinter fields(printer);
  fields.uint("vec", attr.getVec());
  fields.uint("perPhase", attr.getPerPhase());
  fields.uint("maxPhase", attr.getMaxPhase());
  fields.uints("order", attr.getOrder());
  fields.cga(attr.getCga());
}

static LogicalResult verifySwizzled(EmitError emitError, unsigned vec, unsigned perPhase,
                                    unsigned maxPhase) {
  for (unsigned value : {vec, perPhase, maxPhase})
    if (!llvm::isPowerOf2_32(value))
      return emitError() << "vec, perPhase and maxPhase must be powers of two; got " << value;
  return success();
}

Attribute SwizzledSharedEncodingAttr::parse(AsmParser &parser, Type) {
  return parseSwizzled<SwizzledSharedEncodingAttr>(parser);
}
void SwizzledSharedEncodingAttr::print(AsmPrinter &printer) const { printSwizzled(*this, printer); }
LogicalResult SwizzledSharedEncodingAttr::verify(EmitError emitError, unsigned vec,
                                                 unsigned perPhase, unsigned maxPhase,
                                                 ArrayRef<unsigned>, ArrayAttr) {
  return verifySwizzled(emitError, vec, perPhase, maxPhase);
}

Attribute AMDRotatingSharedEncodingAttr::parse(AsmParser &parser, Type) {
  return parseSwizzled<AMDRotatingSharedEncodingAttr>(parser);
}
void AMDRotatingSharedEncodingAttr::print(AsmPrinter &printer) const {
  printSwizzled(*this, printer);
}
LogicalResult AMDRotatingSharedEncodingAttr::verify(EmitError emitError, unsigned vec,
                                                    unsigned perPhase, unsigned maxPhase,
                                                    ArrayRef<unsigned>, ArrayAttr) {
  return verifySwizzled(emitError, vec, perPhase, maxPhase);
}

//===----------------------------------------------------------------------===//
// nvmma_shared
//===----------------------------------------------------------------------===//

Attribute NVMMASharedEncodingAttr::parse(AsmParser &parser, Type) {
  DictReader reader = DictReader::angled(parser);
  unsigned width = 0, bits = 0, rank = 2;
  bool transposed = false, fp4Padded = false;
  ArrayAttr cga;
  reader.uint("swizzlingByteWidth", width);
  reader.boolean("transposed", transposed);
  reader.uint("elementBitWidth", bits);
  reader.boolean("fp4Padded", fp4Padded, /*required=*/false);
  reader.uint("rank", rank, /*required=*/false);
  reader.bases("CGALayout", cga, /*required=*/false);
  if (!cga.empty())
    rank = cast<DenseI32ArrayAttr>(cga[0]).size();
  return reader.finishAs<NVMMASharedEncodingAttr>(width, transposed, bits, fp4Padded, rank, cga);
}

void NVMMASharedEncodingAttr::print(AsmPrinter &printer) const {
  DictPrinter fields(printer);
  fields.uint("swizzlingByteWidth", getSwizzlingByteWidth());
  fields.boolean("transposed", getTransposed());
  fields.uint("elementBitWidth", getElementBitWidth());
  if (getFp4Padded())
    fields.boolean("fp4Padded", true);
  // The rank of a multi-CTA layout is that of its bases.
  if (getRank() != 2 && getCga().empty())
    fields.uint("rank", getRank());
  fields.cga(getCga());
}

LogicalResult NVMMASharedEncodingAttr::verify(EmitError emitError, unsigned width, bool,
                                              unsigned bits, bool, unsigned rank, ArrayAttr) {
  if (width != 0 && width != 32 && width != 64 && width != 128)
    return emitError() << "swizzlingByteWidth must be 0, 32, 64 or 128; got " << width;
  if (!llvm::isPowerOf2_32(bits) || bits > 128)
    return emitError() << "elementBitWidth must be a power of two up to 128; got " << bits;
  if (rank < 1 || rank > 5)
    return emitError() << "a TMA tile has rank 1 to 5; got " << rank;
  return success();
}

//===----------------------------------------------------------------------===//
// padded_shared
//===----------------------------------------------------------------------===//

// `<[512:+16, 1024:+32] {order = [1, 0], shape = [64, 64]}>` or, with explicit
// bases, `<[512:+16] {offset = [[0, 1]], block = []}>`.
Attribute PaddedSharedEncodingAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<unsigned> intervals, paddings, order, shape;
  auto parsePair = [&]() -> ParseResult {
    unsigned interval = 0, padding = 0;
    if (parser.parseInteger(interval) || parser.parseColon() || parser.parsePlus() ||
        parser.parseInteger(padding))
      return failure();
    intervals.push_back(interval);
    paddings.push_back(padding);
    return success();
  };
  if (parser.parseLess() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePair))
    return {};
  DictionaryAttr dict = DictReader::parse(parser);
  if (!dict || parser.parseGreater())
    return {};
  for (auto [interval, padding] : llvm::zip(intervals, paddings))
    if (!llvm::isPowerOf2_32(interval) || !llvm::isPowerOf2_32(padding)) {
      parser.emitError(loc, "intervals and paddings must be powers of two");
      return {};
    }
  DictReader reader(parser, loc, dict);
  ArrayAttr offset, block, cga;
  bool explicitBases = bool(dict.get("offset"));
  reader.uints("order", order, !explicitBases);
  reader.uints("shape", shape, !explicitBases);
  reader.bases("offset", offset, explicitBases);
  reader.bases("block", block, /*required=*/false);
  reader.bases("CGALayout", cga, /*required=*/false);
  if (!reader.finish())
    return {};
  return PaddedSharedEncodingAttr::get(parser.getContext(), intervals, paddings, order, shape,
                                       offset, block, cga);
}

void PaddedSharedEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(llvm::zip(getIntervals(), getPaddings()), printer, [&](auto pair) {
    printer << std::get<0>(pair) << ":+" << std::get<1>(pair);
  });
  DictPrinter fields(printer, "] {");
  if (!getOrder().empty()) {
    fields.uints("order", getOrder());
    fields.uints("shape", getShape());
  } else {
    fields.bases("offset", getOffsetBases());
    fields.bases("block", getBlockBases());
  }
  fields.cga(getCga());
}

//===----------------------------------------------------------------------===//
// shared_linear, partitioned_shared
//===----------------------------------------------------------------------===//

// `<{offset = [[0, 1]], block = [[1, 0]]}, alignment = 16>`
Attribute SharedLinearEncodingAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  unsigned alignment = 16;
  if (parser.parseLess())
    return {};
  DictionaryAttr dict = DictReader::parse(parser);
  if (!dict || parser.parseComma() || parser.parseKeyword("alignment") || parser.parseEqual() ||
      parser.parseInteger(alignment) || parser.parseGreater())
    return {};
  DictReader reader(parser, loc, dict);
  ArrayAttr offset, block;
  reader.bases("offset", offset);
  reader.bases("block", block, /*required=*/false);
  if (!reader.finish())
    return {};
  return SharedLinearEncodingAttr::get(parser.getContext(), offset, block, alignment);
}

void SharedLinearEncodingAttr::print(AsmPrinter &printer) const {
  {
    DictPrinter fields(printer, "<{", "}, alignment = ");
    fields.bases("offset", getOffsetBases());
    if (!getBlockBases().empty())
      fields.bases("block", getBlockBases());
  }
  printer << getAlignment() << ">";
}

Attribute PartitionedSharedEncodingAttr::parse(AsmParser &parser, Type) {
  DictReader reader = DictReader::angled(parser);
  unsigned partitions = 0, groups = 0, dim = 0;
  Attribute layout;
  reader.uint("numPartitions", partitions);
  reader.uint("numGroups", groups);
  reader.uint("partitionDim", dim);
  reader.attribute("partitionLayout", layout);
  if (!reader.finish())
    return {};
  return PartitionedSharedEncodingAttr::get(parser.getContext(), partitions, groups, dim, layout);
}

void PartitionedSharedEncodingAttr::print(AsmPrinter &printer) const {
  DictPrinter fields(printer);
  fields.uint("numPartitions", getNumPartitions());
  fields.uint("numGroups", getNumGroups());
  fields.uint("partitionDim", getPartitionDim());
  fields.attribute("partitionLayout", getPartitionLayout());
}

} // namespace tlx::ttg
