// Syntax and verifiers of register encodings.
#include "compiler/dialect/ttg/EncodingSyntax.h"
#include "compiler/dialect/ttg/TTG.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace tlx::ttg {

using EmitError = function_ref<InFlightDiagnostic()>;

static bool isPermutation(ArrayRef<unsigned> order) {
  SmallVector<bool> seen(order.size());
  for (unsigned dim : order) {
    if (dim >= order.size() || seen[dim])
      return false;
    seen[dim] = true;
  }
  return true;
}

static bool allPowersOfTwo(ArrayRef<unsigned> values) {
  return llvm::all_of(values, [](unsigned value) { return llvm::isPowerOf2_32(value); });
}

//===----------------------------------------------------------------------===//
// blocked
//===----------------------------------------------------------------------===//

Attribute BlockedEncodingAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  DictionaryAttr dict = DictReader::parseAngled(parser);
  if (!dict)
    return {};
  DictReader reader(parser, loc, dict);
  SmallVector<unsigned> size, threads, warps, order;
  ArrayAttr cga;
  reader.uints("sizePerThread", size);
  reader.uints("threadsPerWarp", threads);
  reader.uints("warpsPerCTA", warps);
  reader.uints("order", order);
  reader.bases("CGALayout", cga, /*required=*/false);
  if (!reader.finish())
    return {};
  return parser.getChecked<BlockedEncodingAttr>(
      loc, parser.getContext(), ArrayRef<unsigned>(size), ArrayRef<unsigned>(threads),
      ArrayRef<unsigned>(warps), ArrayRef<unsigned>(order), cga);
}

void BlockedEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<{sizePerThread = ";
  printUints(printer, getSizePerThread());
  printer << ", threadsPerWarp = ";
  printUints(printer, getThreadsPerWarp());
  printer << ", warpsPerCTA = ";
  printUints(printer, getWarpsPerCTA());
  printer << ", order = ";
  printUints(printer, getOrder());
  printCga(printer, getCga());
  printer << "}>";
}

LogicalResult BlockedEncodingAttr::verify(EmitError emitError, ArrayRef<unsigned> size,
                                          ArrayRef<unsigned> threads, ArrayRef<unsigned> warps,
                                          ArrayRef<unsigned> order, ArrayAttr) {
  if (size.size() != order.size() || threads.size() != order.size() || warps.size() != order.size())
    return emitError() << "sizePerThread, threadsPerWarp, warpsPerCTA and order must have one rank";
  if (!isPermutation(order))
    return emitError() << "order must be a permutation of 0.." << int(order.size()) - 1;
  if (!allPowersOfTwo(size) || !allPowersOfTwo(threads) || !allPowersOfTwo(warps))
    return emitError() << "sizes of a blocked layout must be powers of two";
  return success();
}

//===----------------------------------------------------------------------===//
// linear, generic_linear
//===----------------------------------------------------------------------===//

template <typename AttrT> static Attribute parseLinear(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  DictionaryAttr dict = DictReader::parseAngled(parser);
  if (!dict)
    return {};
  DictReader reader(parser, loc, dict);
  ArrayAttr registers, lane, warp, block;
  reader.bases("register", registers);
  reader.bases("lane", lane);
  reader.bases("warp", warp);
  reader.bases("block", block);
  if (!reader.finish())
    return {};
  return AttrT::get(parser.getContext(), registers, lane, warp, block);
}

template <typename AttrT> static void printLinear(AttrT attr, AsmPrinter &printer) {
  printer << "<{register = ";
  printBases(printer, attr.getRegisterBases());
  printer << ", lane = ";
  printBases(printer, attr.getLaneBases());
  printer << ", warp = ";
  printBases(printer, attr.getWarpBases());
  printer << ", block = ";
  printBases(printer, attr.getBlockBases());
  printer << "}>";
}

Attribute LinearEncodingAttr::parse(AsmParser &parser, Type) {
  return parseLinear<LinearEncodingAttr>(parser);
}
void LinearEncodingAttr::print(AsmPrinter &printer) const { printLinear(*this, printer); }

Attribute GenericLinearEncodingAttr::parse(AsmParser &parser, Type) {
  return parseLinear<GenericLinearEncodingAttr>(parser);
}
void GenericLinearEncodingAttr::print(AsmPrinter &printer) const { printLinear(*this, printer); }

//===----------------------------------------------------------------------===//
// slice, dot_op
//===----------------------------------------------------------------------===//

Attribute SliceEncodingAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  DictionaryAttr dict = DictReader::parseAngled(parser);
  if (!dict)
    return {};
  DictReader reader(parser, loc, dict);
  unsigned dim = 0;
  Attribute parent;
  reader.uint("dim", dim);
  reader.attribute("parent", parent);
  if (!reader.finish())
    return {};
  return parser.getChecked<SliceEncodingAttr>(loc, parser.getContext(), dim, parent);
}

void SliceEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<{dim = " << getDim() << ", parent = " << getParent() << "}>";
}

LogicalResult SliceEncodingAttr::verify(EmitError emitError, unsigned, Attribute parent) {
  if (!parent || parent.hasTrait<SharedEncodingTrait>())
    return emitError() << "parent of a slice must be a register encoding; got " << parent;
  return success();
}

Attribute DotOperandEncodingAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  DictionaryAttr dict = DictReader::parseAngled(parser);
  if (!dict)
    return {};
  DictReader reader(parser, loc, dict);
  unsigned opIdx = 0, kWidth = 0;
  Attribute parent;
  reader.uint("opIdx", opIdx);
  reader.attribute("parent", parent);
  reader.uint("kWidth", kWidth, /*required=*/false);
  if (!reader.finish())
    return {};
  return parser.getChecked<DotOperandEncodingAttr>(loc, parser.getContext(), opIdx, parent, kWidth);
}

void DotOperandEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<{opIdx = " << getOpIdx() << ", parent = " << getParent();
  if (getKWidth())
    printer << ", kWidth = " << getKWidth();
  printer << "}>";
}

LogicalResult DotOperandEncodingAttr::verify(EmitError emitError, unsigned opIdx, Attribute parent,
                                             unsigned kWidth) {
  if (opIdx > 1)
    return emitError() << "opIdx must be 0 (A) or 1 (B); got " << opIdx;
  if (!parent || parent.hasTrait<SharedEncodingTrait>())
    return emitError() << "parent of a dot_op must be a register encoding; got " << parent;
  if (isa<BlockedEncodingAttr>(parent) && kWidth)
    return emitError() << "kWidth has no meaning for a blocked parent; got " << kWidth;
  return success();
}

//===----------------------------------------------------------------------===//
// nvidia_mma
//===----------------------------------------------------------------------===//

Attribute NvidiaMmaEncodingAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  DictionaryAttr dict = DictReader::parseAngled(parser);
  if (!dict)
    return {};
  DictReader reader(parser, loc, dict);
  unsigned major = 0, minor = 0;
  SmallVector<unsigned> warps, instr;
  ArrayAttr cga;
  reader.uint("versionMajor", major);
  reader.uint("versionMinor", minor);
  reader.uints("warpsPerCTA", warps);
  reader.bases("CGALayout", cga, /*required=*/false);
  reader.uints("instrShape", instr);
  if (!reader.finish())
    return {};
  return parser.getChecked<NvidiaMmaEncodingAttr>(loc, parser.getContext(), major, minor,
                                                  ArrayRef<unsigned>(warps), cga,
                                                  ArrayRef<unsigned>(instr));
}

void NvidiaMmaEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<{versionMajor = " << getVersionMajor() << ", versionMinor = " << getVersionMinor()
          << ", warpsPerCTA = ";
  printUints(printer, getWarpsPerCTA());
  printCga(printer, getCga());
  printer << ", instrShape = ";
  printUints(printer, getInstrShape());
  printer << "}>";
}

LogicalResult NvidiaMmaEncodingAttr::verify(EmitError emitError, unsigned major, unsigned,
                                            ArrayRef<unsigned> warps, ArrayAttr,
                                            ArrayRef<unsigned> instr) {
  if (major < 1 || major > 5)
    return emitError() << "versionMajor must be 1 to 5; got " << major;
  if (!allPowersOfTwo(warps))
    return emitError() << "warpsPerCTA must be powers of two";
  if (major == 3 && instr.size() != 3)
    return emitError() << "instrShape of version 3 must be [16, n, k]; got " << instr.size()
                       << " sizes";
  return success();
}

//===----------------------------------------------------------------------===//
// amd_mfma, amd_wmma
//===----------------------------------------------------------------------===//

Attribute AMDMfmaEncodingAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  DictionaryAttr dict = DictReader::parseAngled(parser);
  if (!dict)
    return {};
  DictReader reader(parser, loc, dict);
  unsigned version = 0, width = 32;
  bool transposed = false;
  SmallVector<unsigned> warps, instr, tiles;
  ArrayAttr cga;
  reader.uint("version", version);
  reader.uints("warpsPerCTA", warps);
  reader.uints("instrShape", instr);
  reader.boolean("isTransposed", transposed);
  reader.bases("CGALayout", cga, /*required=*/false);
  reader.uints("tilesPerWarp", tiles, /*required=*/false);
  reader.uint("elementBitWidth", width, /*required=*/false);
  if (!reader.finish())
    return {};
  if (tiles.empty())
    tiles.assign(warps.size(), 1);
  return parser.getChecked<AMDMfmaEncodingAttr>(
      loc, parser.getContext(), version, ArrayRef<unsigned>(warps), ArrayRef<unsigned>(instr),
      transposed, cga, ArrayRef<unsigned>(tiles), width);
}

void AMDMfmaEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<{version = " << getVersion() << ", warpsPerCTA = ";
  printUints(printer, getWarpsPerCTA());
  printer << ", instrShape = ";
  printUints(printer, getInstrShape());
  printer << ", isTransposed = " << (getIsTransposed() ? "true" : "false");
  printCga(printer, getCga());
  if (llvm::any_of(getTilesPerWarp(), [](unsigned tiles) { return tiles != 1; })) {
    printer << ", tilesPerWarp = ";
    printUints(printer, getTilesPerWarp());
  }
  if (getElementBitWidth() != 32)
    printer << ", elementBitWidth = " << getElementBitWidth();
  printer << "}>";
}

LogicalResult AMDMfmaEncodingAttr::verify(EmitError emitError, unsigned version, ArrayRef<unsigned>,
                                          ArrayRef<unsigned> instr, bool, ArrayAttr,
                                          ArrayRef<unsigned>, unsigned width) {
  if (version < 1 || version > 4)
    return emitError() << "version must be 1 to 4; got " << version;
  if (instr.size() != 3)
    return emitError() << "instrShape must be [m, n, k]; got " << instr.size() << " sizes";
  if (width != 32 && width != 64)
    return emitError() << "elementBitWidth must be 32 or 64; got " << width;
  return success();
}

Attribute AMDWmmaEncodingAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  DictionaryAttr dict = DictReader::parseAngled(parser);
  if (!dict)
    return {};
  DictReader reader(parser, loc, dict);
  unsigned version = 0, rank = 0;
  bool transposed = false;
  Attribute layout;
  ArrayAttr cga, registers, warps;
  SmallVector<unsigned> instr;
  reader.uint("version", version);
  reader.boolean("isTranspose", transposed);
  reader.attribute("ctaLayout", layout);
  reader.bases("CGALayout", cga, /*required=*/false);
  reader.uints("instrShape", instr, /*required=*/false);
  reader.uint("rank", rank, /*required=*/false);
  if (!reader.finish())
    return {};
  auto layoutDict = dyn_cast_or_null<DictionaryAttr>(layout);
  if (!layoutDict) {
    parser.emitError(loc, "'ctaLayout' must be {register = [...], warp = [...]}");
    return {};
  }
  DictReader layoutReader(parser, loc, layoutDict);
  layoutReader.bases("register", registers, /*required=*/false);
  layoutReader.bases("warp", warps, /*required=*/false);
  if (!layoutReader.finish())
    return {};
  if (instr.empty())
    instr.assign(3, 16);
  return parser.getChecked<AMDWmmaEncodingAttr>(loc, parser.getContext(), version, transposed,
                                                registers, warps, cga, ArrayRef<unsigned>(instr));
}

void AMDWmmaEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<{version = " << getVersion()
          << ", isTranspose = " << (getIsTranspose() ? "true" : "false") << ", ctaLayout = {";
  if (!getCtaRegisterBases().empty()) {
    printer << "register = ";
    printBases(printer, getCtaRegisterBases());
    if (!getCtaWarpBases().empty())
      printer << ", ";
  }
  if (!getCtaWarpBases().empty()) {
    printer << "warp = ";
    printBases(printer, getCtaWarpBases());
  }
  printer << "}";
  printCga(printer, getCga());
  if (getInstrShape() != ArrayRef<unsigned>({16, 16, 16})) {
    printer << ", instrShape = ";
    printUints(printer, getInstrShape());
  }
  printer << "}>";
}

LogicalResult AMDWmmaEncodingAttr::verify(EmitError emitError, unsigned version, bool, ArrayAttr,
                                          ArrayAttr, ArrayAttr, ArrayRef<unsigned> instr) {
  if (version < 1 || version > 3)
    return emitError() << "version must be 1 to 3; got " << version;
  if (instr.size() != 3)
    return emitError() << "instrShape must be [m, n, k]; got " << instr.size() << " sizes";
  return success();
}

//===----------------------------------------------------------------------===//
// cga_encoding
//===----------------------------------------------------------------------===//

Attribute CGAEncodingAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute list;
  if (parser.parseLess() || parser.parseAttribute(list) || parser.parseGreater())
    return {};
  // Reuse the reader's checks on a one-key dictionary.
  Builder builder(parser.getContext());
  DictReader reader(parser, loc, builder.getDictionaryAttr(builder.getNamedAttr("bases", list)));
  ArrayAttr bases;
  reader.bases("bases", bases);
  if (!reader.finish())
    return {};
  return CGAEncodingAttr::get(parser.getContext(), bases);
}

void CGAEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printBases(printer, getBases());
  printer << ">";
}

} // namespace tlx::ttg
