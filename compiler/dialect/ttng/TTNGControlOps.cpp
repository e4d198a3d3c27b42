// Votes, packed arithmetic and sub-tiled regions: verifiers and syntax.
#include "compiler/dialect/ttng/TTNG.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tlx::ttng {

LogicalResult VoteBallotSyncOp::verify() {
  auto pred = dyn_cast<RankedTensorType>(getPred().getType());
  auto result = dyn_cast<RankedTensorType>(getType());
  if (bool(pred) != bool(result))
    return emitOpError("predicate and result must both be scalars or both be tensors; got ")
           << getPred().getType() << " and " << getType();
  if (pred && (pred.getShape() != result.getShape() || pred.getEncoding() != result.getEncoding()))
    return emitOpError("predicate and result must have the same shape and layout; got ")
           << pred << " and " << result;
  return success();
}

LogicalResult PackedArithOp::verify() {
  size_t arity = getOpKind() == PackedArithKind::FMA ? 3 : 2;
  if (getInputs().size() != arity)
    return emitOpError("needs ") << arity << " operands; got " << getInputs().size();
  return success();
}

// subtiled_region per_tile(%a, %b : T, T) shared(%s : S) {...} tile { ... } -> (R, R)
static ParseResult parseGroup(OpAsmParser &parser, SmallVectorImpl<Value> &operands,
                              int32_t &count) {
  SmallVector<OpAsmParser::UnresolvedOperand> names;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLParen() || parser.parseOperandList(names) || parser.parseColonTypeList(types) ||
      parser.parseRParen() || parser.resolveOperands(names, types, loc, operands))
    return failure();
  count = names.size();
  return success();
}

ParseResult SubtiledRegionOp::parse(OpAsmParser &parser, OperationState &result) {
  int32_t perTile = 0, shared = 0;
  if (succeeded(parser.parseOptionalKeyword("per_tile")) &&
      parseGroup(parser, result.operands, perTile))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("shared")) &&
      parseGroup(parser, result.operands, shared))
    return failure();
  result.getOrAddProperties<Properties>().operandSegmentSizes = {perTile, shared};
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseKeyword("tile") ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::OptionalParen,
                               /*allowType=*/true) ||
      parser.parseRegion(*result.addRegion(), arguments))
    return failure();
  return parser.parseOptionalArrowTypeList(result.types);
}

void SubtiledRegionOp::print(OpAsmPrinter &printer) {
  auto printGroup = [&](StringRef name, OperandRange operands) {
    if (!operands.empty())
      printer << " " << name << "(" << operands << " : " << operands.getTypes() << ")";
  };
  printGroup("per_tile", getPerTileArgs());
  printGroup("shared", getSharedArgs());
  printer.printOptionalAttrDict((*this)->getAttrs(), {getOperandSegmentSizesAttrName()});
  printer << " tile(";
  llvm::interleaveComma(getTileRegion().getArguments(), printer,
                        [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") ";
  printer.printRegion(getTileRegion(), /*printEntryBlockArgs=*/false);
  if (!getResults().empty())
    printer << " -> (" << getResultTypes() << ")";
}

LogicalResult SubtiledRegionOp::verify() {
  int32_t tiles = getNumTiles();
  if (tiles < 1)
    return emitOpError("numTiles must be at least 1; got ") << tiles;
  size_t total = getPerTileArgs().size();
  if (total % tiles)
    return emitOpError("cannot divide ")
           << total << " per-tile arguments among " << tiles << " tiles";
  SmallVector<Type> expected;
  for (size_t i = 0; i < total / tiles; ++i)
    expected.push_back(getPerTileArgs()[i].getType());
  llvm::append_range(expected, getSharedArgs().getTypes());
  auto arguments = llvm::to_vector(getTileRegion().getArgumentTypes());
  // One more may name the tile's index.
  if (arguments.size() == expected.size() + 1 && arguments.back().isInteger(32))
    expected.push_back(arguments.back());
  if (arguments != expected)
    return emitOpError("body must take one tile's arguments, then the shared ones; expected ")
           << expected.size() << " arguments, got " << arguments.size();
  auto yield = dyn_cast<SubtiledRegionYieldOp>(getTileRegion().front().getTerminator());
  if (!yield)
    return emitOpError("body must end in subtiled_region_yield");
  if (yield.getResults().size() * tiles != getResults().size())
    return emitOpError("body yields ")
           << yield.getResults().size() << " values for each of " << tiles
           << " tiles, but the op has " << getResults().size() << " results";
  return success();
}

} // namespace tlx::ttng
