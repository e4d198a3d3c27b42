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
  DictReader reader = DictReader::angled(parser);
  SmallVector<unsigned> size, threads, warps, order;
  ArrayAttr cga;
  reader.uints("sizePerThread", size);
  reader.uints("threadsPerWarp", threads);
  reader.uints("warpsPerCTA", warps);
  reader.uints("order", order);
  reader.bases("CGALayout", cga, /*required=*/false);
  return reader.finishAs<BlockedEncodingAttr>(ArrayRef<unsigned>(size), ArrayRef<unsigned>(threads),
                                              ArrayRef<unsigned>(warps), ArrayRef<unsigned>(order),
                                              cga);
}

void BlockedEncodingAttr::print(AsmPrinter &printer) const {
  DictPrinter fields(printer);
  fields.uints("sizePerThread", getSizePerThread());
  fields.uints("threadsPerWarp", getThreadsPerWarp());
  fields.uints("warpsPerCTA", getWarpsPerCTA());
  fields.uints("order", getOrder());
  fields.cga(getCga());
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
  DictReader reader = DictReader::angled(parser);
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
  DictPrinter fields(printer);
  fields.bases("register", attr.getRegisterBases());
  fields.bases("lane", attr.getLaneBases());
  fields.bases("warp", attr.getWarpBases());
  fields.bases("block", attr.getBlockBases());
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
  DictReader reader = DictReader::angled(parser);
  unsigned dim = 0;
  Attribute parent;
  reader.uint("dim", dim);
  reader.attribute("parent", parent);
  return reader.finishAs<SliceEncodingAttr>(dim, parent);
}

void SliceEncodingAttr::print(AsmPrinter &printer) const {
  DictPrinter fields(printer);
  fields.uint("dim", getDim());
  fields.attribute("parent", getParent());
}

LogicalResult SliceEncodingAttr::verify(EmitError emitError, unsigned, Attribute parent) {
  if (!parent || parent.hasTrait<SharedEncodingTrait>())
    return emitError() << "parent of a slice must be a register encoding; got " << parent;
  return success();
}

Attribute DotOperandEncodingAttr::parse(AsmParser &parser, Type) {
  DictReader reader = DictReader::angled(parser);
  unsigned opIdx = 0, kWidth = 0;
  Attribute parent;
  reader.uint("opIdx", opIdx);
  reader.attribute("parent", parent);
  reader.uint("kWidth", kWidth, /*required=*/false);
  return reader.finishAs<DotOperandEncodingAttr>(opIdx, parent, kWidth);
}

void DotOperandEncodingAttr::print(AsmPrinter &printer) const {
  DictPrinter fields(printer);
  fields.uint("opIdx", getOpIdx());
  fields.attribute("parent", getParent());
  if (getKWidth())
    fields.uint("kWidth", getKWidth());
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
  DictReader reader = DictReader::angled(parser);
  unsigned major = 0, minor = 0;
  SmallVector<unsigned> warps, instr;
  ArrayAttr cga;
  reader.uint("versionMajor", major);
  reader.uint("versionMinor", minor);
  reader.uints("warpsPerCTA", warps);
  reader.bases("CGALayout", cga, /*required=*/false);
  reader.uints("instrShape", instr);
  return reader.finishAs<NvidiaMmaEncodingAttr>(major, minor, ArrayRef<unsigned>(warps), cga,
                                                ArrayRef<unsigned>(instr));
}

void NvidiaMmaEncodingAttr::print(AsmPrinter &printer) const {
  DictPrinter fields(printer);
  fields.uint("versionMajor", getVersionMajor());
  fields.uint("versionMinor", getVersionMinor());
  fields.uints("warpsPerCTA", getWarpsPerCTA());
  fields.cga(getCga());
  fields.uints("instrShape", getInstrShape());
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
  DictReader reader = DictReader::angled(parser);
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
  if (tiles.empty())
    tiles.assign(warps.size(), 1);
  return reader.finishAs<AMDMfmaEncodingAttr>(version, ArrayRef<unsigned>(warps),
                                              ArrayRef<unsigned>(instr), transposed, cga,
                                              ArrayRef<unsigned>(tiles), width);
}

void AMDMfmaEncodingAttr::print(AsmPrinter &printer) const {
  DictPrinter fields(printer);
  fields.uint("version", getVersion());
  fields.uints("warpsPerCTA", getWarpsPerCTA());
  fields.uints("instrShape", getInstrShape());
  fields.boolean("isTransposed", getIsTransposed());
  fields.cga(getCga());
  if (llvm::any_of(getTilesPerWarp(), [](unsigned tiles) { return tiles != 1; }))
    fields.uints("tilesPerWarp", getTilesPerWarp());
  if (getElementBitWidth() != 32)
    fields.uint("elementBitWidth", getElementBitWidth());
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
  DictReader reader = DictReader::angled(parser);
  unsigned version = 0, rank = 0;
  bool transposed = false;
  ArrayAttr cga, registers, warps;
  SmallVector<unsigned> instr;
  reader.uint("version", version);
  reader.boolean("isTranspose", transposed);
  reader.bases("CGALayout", cga, /*required=*/false);
  reader.uints("instrShape", instr, /*required=*/false);
  reader.uint("rank", rank, /*required=*/false);
  DictReader layoutReader = reader.dictionary("ctaLayout");
  layoutReader.bases("register", registers, /*required=*/false);
  layoutReader.bases("warp", warps, /*required=*/false);
  if (!layoutReader.finish())
    return {};
  if (instr.empty())
    instr.assign(3, 16);
  return reader.finishAs<AMDWmmaEncodingAttr>(version, transposed, registers, warps, cga,
                                              ArrayRef<unsigned>(instr));
}

void AMDWmmaEncodingAttr::print(AsmPrinter &printer) const {
  DictPrinter fields(printer);
  fields.uint("version", getVersion());
  fields.boolean("isTranspose", getIsTranspose());
  fields.dictionary("ctaLayout", [&](DictPrinter &layout) {
    if (!getCtaRegisterBases().empty())
      layout.bases("register", getCtaRegisterBases());
    if (!getCtaWarpBases().empty())
      layout.bases("warp", getCtaWarpBases());
  });
  fields.cga(getCga());
  if (getInstrShape() != ArrayRef<unsigned>({16, 16, 16}))
    fields.uints("instrShape", getInstrShape());
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
