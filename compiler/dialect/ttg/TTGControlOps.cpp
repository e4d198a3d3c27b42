// Warp specialisation: syntax, structure and control flow; task-wide barriers.
#include "compiler/dialect/ttg/TTG.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tlx::sync;

namespace tlx::ttg {

LogicalResult Fp4ToFpOp::verify() {
  auto from = cast<RankedTensorType>(getSrc().getType()), to = cast<RankedTensorType>(getType());
  int64_t axis = int32_t(getAxis());
  if (axis < 0 || axis >= from.getRank() || to.getRank() != from.getRank())
    return emitOpError("axis must be in [0, ") << from.getRank() << "); got " << axis;
  for (int64_t dim = 0; dim < from.getRank(); ++dim) {
    int64_t expected = from.getDimSize(dim) * (dim == axis ? 2 : 1);
    if (to.getDimSize(dim) != expected)
      return emitOpError("dimension ")
             << dim << " of the result must be " << expected << "; got " << to.getDimSize(dim);
  }
  return success();
}

void BarrierOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect barrier;
  barrier.kind = Kind::TaskBarrier;
  effects.push_back(barrier);
}

//===----------------------------------------------------------------------===//
// warp_specialize
//===----------------------------------------------------------------------===//

WarpSpecializePartitionsOp WarpSpecializeOp::getPartitionsOp() {
  if (getPartitionOpHolder().empty() || getPartitionOpHolder().front().empty())
    return {};
  return dyn_cast<WarpSpecializePartitionsOp>(getPartitionOpHolder().front().front());
}

MutableArrayRef<Region> WarpSpecializeOp::getPartitionRegions() {
  WarpSpecializePartitionsOp holder = getPartitionsOp();
  return holder ? holder.getPartitionRegions() : MutableArrayRef<Region>();
}

ValueRange WarpSpecializeOp::getCaptures() {
  WarpSpecializePartitionsOp holder = getPartitionsOp();
  return holder ? ValueRange(holder.getExplicitCaptures()) : ValueRange();
}

ParseResult WarpSpecializeOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> captures;
  SMLoc captureLoc = parser.getCurrentLocation();
  if (parser.parseOperandList(captures, AsmParser::Delimiter::Paren) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseKeyword("default") || parser.parseRegion(*result.addRegion()))
    return failure();

  Region *holder = result.addRegion();
  OpBuilder builder(parser.getContext());
  Block &block = holder->emplaceBlock();
  OperationState partitions(parser.getEncodedSourceLoc(parser.getNameLoc()),
                            WarpSpecializePartitionsOp::getOperationName());
  SmallVector<int32_t> numWarps;
  SmallString<16> keyword("partition0");
  while (succeeded(parser.parseOptionalKeyword(keyword))) {
    SmallVector<OpAsmParser::Argument> arguments;
    int32_t warps = 0;
    if (parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren, /*allowType=*/true,
                                 /*allowAttrs=*/false) ||
        parser.parseKeyword("num_warps") || parser.parseLParen() || parser.parseInteger(warps) ||
        parser.parseRParen() || parser.parseRegion(*partitions.addRegion(), arguments))
      return failure();
    numWarps.push_back(warps);
    keyword = ("partition" + Twine(numWarps.size())).str();
  }

  FunctionType types;
  if (parser.parseColon() || parser.parseType(types) ||
      parser.resolveOperands(captures, types.getInputs(), captureLoc, partitions.operands))
    return failure();
  result.addTypes(types.getResults());
  result.addAttribute(getPartitionNumWarpsAttrName(result.name),
                      builder.getDenseI32ArrayAttr(numWarps));
  builder.setInsertionPointToStart(&block);
  builder.create(partitions);
  return success();
}

void WarpSpecializeOp::print(OpAsmPrinter &printer) {
  printer << "(";
  printer.printOperands(getCaptures());
  printer << ")";
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getPartitionNumWarpsAttrName()});
  printer.printNewline();
  printer << "default ";
  printer.printRegion(getDefaultRegion(), /*printEntryBlockArgs=*/false);
  for (auto [index, region, warps] :
       llvm::enumerate(getPartitionRegions(), getPartitionNumWarps())) {
    printer.printNewline();
    printer << "partition" << index << "(";
    llvm::interleaveComma(region.getArguments(), printer,
                          [&](BlockArgument argument) { printer.printRegionArgument(argument); });
    printer << ") num_warps(" << warps << ") ";
    printer.printRegion(region, /*printEntryBlockArgs=*/false);
  }
  printer << " : ";
  printer.printFunctionalType(getCaptures().getTypes(), getResultTypes());
}

LogicalResult WarpSpecializeOp::verify() {
  WarpSpecializePartitionsOp holder = getPartitionsOp();
  if (!holder)
    return emitOpError("second region must hold one warp_specialize.partitions");
  size_t count = holder.getPartitionRegions().size();
  if (getPartitionNumWarps().size() != count)
    return emitOpError("has ") << count << " partitions, but partitionNumWarps lists "
                               << getPartitionNumWarps().size();
  for (int32_t warps : getPartitionNumWarps())
    if (warps <= 0 || !llvm::isPowerOf2_32(warps))
      return emitOpError("partition must have a power-of-two number of warps; got ") << warps;
  if (auto ids = getWarpGroupStartIds(); ids && ids->size() != count)
    return emitOpError("has ") << count << " partitions, but warpGroupStartIds lists "
                               << ids->size();
  if ((*this)->getParentOfType<WarpSpecializeOp>())
    return emitOpError("cannot be nested inside another warp_specialize");
  auto yield = dyn_cast<WarpYieldOp>(getDefaultRegion().back().getTerminator());
  if (yield && yield.getValues().getTypes() != getResultTypes())
    return emitOpError("default region must yield the op's result types");
  return success();
}

LogicalResult WarpSpecializePartitionsOp::verify() {
  for (auto [index, region] : llvm::enumerate(getPartitionRegions())) {
    if (region.getNumArguments() != getExplicitCaptures().size())
      return emitOpError("partition ")
             << index << " has " << region.getNumArguments() << " arguments for "
             << getExplicitCaptures().size() << " captured values";
    for (auto [argument, capture] : llvm::zip(region.getArguments(), getExplicitCaptures()))
      if (argument.getType() != capture.getType())
        return emitOpError("partition ")
               << index << " argument #" << argument.getArgNumber() << " has type "
               << argument.getType() << ", captured is " << capture.getType();
  }
  return success();
}

void WarpSpecializeOp::getSuccessorRegions(RegionBranchPoint point,
                                           SmallVectorImpl<RegionSuccessor> &successors) {
  if (point.isParent()) {
    successors.emplace_back(&getDefaultRegion());
    successors.emplace_back(&getPartitionOpHolder());
    return;
  }
  Region *from = point.getTerminatorPredecessorOrNull()->getParentRegion();
  if (from == &getDefaultRegion())
    successors.emplace_back(getOperation(), getResults());
}

void WarpSpecializePartitionsOp::getSuccessorRegions(RegionBranchPoint point,
                                                     SmallVectorImpl<RegionSuccessor> &successors) {
  if (!point.isParent())
    return;
  for (Region &region : getPartitionRegions())
    successors.emplace_back(&region, region.getArguments());
}

OperandRange WarpSpecializePartitionsOp::getEntrySuccessorOperands(RegionSuccessor) {
  return getExplicitCaptures();
}

} // namespace tlx::ttg
