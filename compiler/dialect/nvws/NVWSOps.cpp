// Channels: verifiers, syntax, synchronisation effects.
//
// A channel's barriers are not chosen yet: the effects name the token or the
// reference itself, so whoever needs an mbarrier finds none and can say so.
#include "compiler/dialect/nvws/NVWS.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tlx::sync;

namespace tlx::nvws {

// `%a, %b attr-dict : <[A, B]>`; the operands' types are the reference's.
ParseResult ArefCreateOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> buffers;
  ArefType type;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(buffers) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColon() || parser.parseCustomTypeWithFallback(type))
    return failure();
  result.addTypes(type);
  return parser.resolveOperands(buffers, type.getBuffers(), loc, result.operands);
}

void ArefCreateOp::print(OpAsmPrinter &printer) {
  printer << " " << getBuffers();
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : ";
  printer.printStrippedAttrOrType(getResult().getType());
}

LogicalResult ArefCreateOp::verify() {
  if (getBuffers().getTypes() != getResult().getType().getBuffers())
    return emitOpError("buffers must be those of the reference's type ") << getResult().getType();
  return success();
}

template <typename Op> static LogicalResult verifyEnter(Op op) {
  if (bool(op.getStage()) != bool(op.getPhase()))
    return op.emitOpError("needs both stage and phase, or neither");
  if (op.getBuffers().size() != op.getAref().getType().getBuffers().size())
    return op.emitOpError("needs a result for each of the reference's ")
           << op.getAref().getType().getBuffers().size() << " buffers; got "
           << op.getBuffers().size();
  return success();
}

LogicalResult ArefPutEnterOp::verify() { return verifyEnter(*this); }
LogicalResult ArefGetEnterOp::verify() { return verifyEnter(*this); }

static void channelEffect(SyncEffects &effects, Kind kind, Value channel, Value phase = {}) {
  SyncEffect effect;
  effect.kind = kind;
  effect.target = channel;
  effect.phase = phase;
  effect.amount = kind == Kind::BarrierArrive ? 1 : 0;
  effects.push_back(effect);
}

void ArefPutEnterOp::getSyncEffects(SyncEffects &effects) {
  channelEffect(effects, Kind::BarrierWait, getAref(), getPhase());
}
void ArefGetEnterOp::getSyncEffects(SyncEffects &effects) {
  channelEffect(effects, Kind::BarrierWait, getAref(), getPhase());
}
void ArefPutExitOp::getSyncEffects(SyncEffects &effects) {
  channelEffect(effects, Kind::BarrierArrive, getAref());
}
void ArefGetExitOp::getSyncEffects(SyncEffects &effects) {
  channelEffect(effects, Kind::BarrierArrive, getAref());
}
void ProducerAcquireOp::getSyncEffects(SyncEffects &effects) {
  channelEffect(effects, Kind::BarrierWait, getToken(), getPhase());
}
void ProducerCommitOp::getSyncEffects(SyncEffects &effects) {
  channelEffect(effects, Kind::BarrierArrive, getToken());
}
void ConsumerWaitOp::getSyncEffects(SyncEffects &effects) {
  channelEffect(effects, Kind::BarrierWait, getToken(), getPhase());
}
void ConsumerReleaseOp::getSyncEffects(SyncEffects &effects) {
  channelEffect(effects, Kind::BarrierArrive, getToken());
}

static void loadEffects(SyncEffects &effects, Value desc, Value buffer) {
  SyncEffect read;
  read.kind = Kind::Read;
  read.space = Space::Global;
  read.proxy = Proxy::Async;
  read.moment = Moment::Completion;
  read.threads = Threads::Elected;
  read.target = desc;
  SyncEffect write = read;
  write.kind = Kind::Write;
  write.space = Space::Shared;
  write.target = buffer;
  effects.push_back(read);
  effects.push_back(write);
}

void DescriptorLoadOp::getSyncEffects(SyncEffects &effects) {
  loadEffects(effects, getDesc(), getResult());
}
void DescriptorGatherOp::getSyncEffects(SyncEffects &effects) {
  loadEffects(effects, getDesc(), getResult());
}

// warp_group attributes {...}
// partition0 num_warps(4) { ... }
// partition1 num_warps(8) { ... } -> (T)
ParseResult WarpGroupOp::parse(OpAsmParser &parser, OperationState &result) {
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  SmallVector<int32_t> warps;
  while (succeeded(parser.parseOptionalKeyword("partition" + std::to_string(warps.size())))) {
    if (parser.parseKeyword("num_warps") || parser.parseLParen() ||
        parser.parseInteger(warps.emplace_back()) || parser.parseRParen() ||
        parser.parseRegion(*result.addRegion()))
      return failure();
  }
  result.addAttribute(getNumWarpsAttrName(result.name),
                      parser.getBuilder().getDenseI32ArrayAttr(warps));
  return parser.parseOptionalArrowTypeList(result.types);
}

void WarpGroupOp::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getNumWarpsAttrName()});
  for (auto [index, region] : llvm::enumerate(getPartitionRegions())) {
    printer.printNewline();
    printer << "partition" << index << " num_warps(" << getNumWarps()[index] << ") ";
    printer.printRegion(region, /*printEntryBlockArgs=*/false);
  }
  printer.printOptionalArrowTypeList(getResultTypes());
}

LogicalResult WarpGroupOp::verify() {
  if (getNumWarps().size() != getPartitionRegions().size())
    return emitOpError("needs a number of warps for each of its ")
           << getPartitionRegions().size() << " regions; got " << getNumWarps().size();
  for (int32_t warps : getNumWarps())
    if (warps < 1 || !llvm::isPowerOf2_32(warps))
      return emitOpError("number of warps must be a power of two; got ") << warps;
  if (getResults().empty())
    return success();
  for (Region &region : getPartitionRegions())
    if (auto yield = dyn_cast<WarpGroupYieldOp>(region.front().getTerminator()))
      if (yield.getValues().getTypes() == getResultTypes())
        return success();
  return emitOpError("needs a region that yields its results");
}

} // namespace tlx::nvws
