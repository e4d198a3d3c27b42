// TMA and bulk copies: verifiers, syntax, synchronisation effects.
#include "compiler/dialect/ttg/CtaParts.h"
#include "compiler/dialect/ttng/TTNG.h"
#include "compiler/dialect/ttng/TTNGVerify.h"

using namespace mlir;
using namespace tlx::sync;

namespace tlx::ttng {

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

/// Descriptors tell signed from unsigned integers, buffers do not.
static bool sameElement(Type block, Type buffer) {
  if (block == buffer)
    return true;
  return isa<IntegerType>(block) && isa<IntegerType>(buffer) &&
         block.getIntOrFloatBitWidth() == buffer.getIntOrFloatBitWidth();
}

/// A block and the shared-memory buffer it is moved to or from: the same
/// elements (unit dimensions may be dropped), laid out as the descriptor says.
static LogicalResult verifyBlock(Operation *op, Value desc, Value buffer) {
  RankedTensorType block = blockOf(desc);
  auto type = cast<ttg::MemDescType>(buffer.getType());
  if (!block)
    return success();
  auto layout = dyn_cast<ttg::NVMMASharedEncodingAttr>(type.getEncoding());
  if (!layout && (isa<ttg::TTGDialect>(type.getEncoding().getDialect()) ||
                  isa<TTNGDialect>(type.getEncoding().getDialect())))
    return op->emitOpError("buffer must have an nvmma_shared layout; got ") << type.getEncoding();
  if (layout && layout.getTransposed())
    return op->emitOpError("buffer must not be transposed; got ") << layout;
  if (!sameElement(block.getElementType(), type.getElementType()))
    return op->emitOpError("block and buffer must have the same element type; got ")
           << block.getElementType() << " and " << type.getElementType();
  if (block.getNumElements() != type.getNumElements())
    return op->emitOpError("block and buffer must have the same number of elements; got ")
           << block << " and " << type;
  Attribute encoding = block.getEncoding();
  auto descLayout = dyn_cast_or_null<ttg::NVMMASharedEncodingAttr>(encoding);
  if (encoding && layout && !descLayout && isa<ttg::TTGDialect>(encoding.getDialect()))
    return op->emitOpError("descriptor must have an nvmma_shared layout; got ") << encoding;
  if (descLayout && layout &&
      (descLayout.getTransposed() != layout.getTransposed() ||
       descLayout.getSwizzlingByteWidth() != layout.getSwizzlingByteWidth() ||
       descLayout.getElementBitWidth() != layout.getElementBitWidth() ||
       descLayout.getFp4Padded() != layout.getFp4Padded()))
    return op->emitOpError("descriptor and buffer must have the same layout; got ")
           << descLayout << " and " << layout;
  return success();
}

static LogicalResult verifyCoordinates(Operation *op, Value desc, size_t coordinates) {
  RankedTensorType block = blockOf(desc);
  if (block && size_t(block.getRank()) != coordinates)
    return op->emitOpError("needs ")
           << block.getRank() << " coordinates for " << desc.getType() << "; got " << coordinates;
  if (coordinates < 1 || coordinates > 5)
    return op->emitOpError("needs between 1 and 5 coordinates; got ") << coordinates;
  return success();
}

/// im2col: coordinates in the convolution's tensor (batch, 1 to 3 spatial
/// dimensions, channels), offsets in its spatial dimensions.
static LogicalResult verifyIm2Col(Operation *op, size_t coordinates, size_t offsets) {
  if (coordinates < 3 || coordinates > 5)
    return op->emitOpError("needs between 3 and 5 coordinates in im2col mode; got ") << coordinates;
  if (offsets != coordinates - 2)
    return op->emitOpError("needs ")
           << coordinates - 2 << " offsets in im2col mode; got " << offsets;
  return success();
}

LogicalResult AsyncTMACopyGlobalToLocalOp::verify() {
  bool im2col = getTensorMode() == TensorMode::IM2COL;
  if (im2col != isa<TensorDescIm2ColType>(getDesc().getType()))
    return emitOpError("tensor mode ")
           << stringifyTensorMode(getTensorMode()) << " does not go with " << getDesc().getType();
  if (!im2col && !getOffsets().empty())
    return emitOpError("takes offsets in im2col mode only");
  if (failed(verifyBarrier(*this, getBarrier())) ||
      failed(im2col ? verifyIm2Col(*this, getCoord().size(), getOffsets().size())
                    : verifyCoordinates(*this, getDesc(), getCoord().size())))
    return failure();
  if (!getResult().getType().getMutableMemory())
    return emitOpError("writes a buffer that is not mutable: ") << getResult().getType();
  return verifyBlock(*this, getDesc(), getResult());
}

template <typename Op> static LogicalResult verifyStore(Op op) {
  if (failed(verifyCoordinates(op, op.getDesc(), op.getCoord().size())))
    return failure();
  auto layout = dyn_cast<ttg::NVMMASharedEncodingAttr>(op.getSrc().getType().getEncoding());
  if (layout && layout.getFp4Padded())
    return op.emitOpError("cannot store a padded 4-bit buffer; got ") << layout;
  return verifyBlock(op, op.getDesc(), op.getSrc());
}

LogicalResult AsyncTMACopyLocalToGlobalOp::verify() { return verifyStore(*this); }
LogicalResult AsyncTMAReduceOp::verify() { return verifyStore(*this); }

/// Gather and scatter move whole rows: the block is one of them.
static LogicalResult verifyRows(Operation *op, Value desc, Value rows, Value buffer) {
  RankedTensorType block = blockOf(desc);
  if (block && (block.getRank() != 2 || block.getShape()[0] != 1))
    return op->emitOpError("block must be a single row; got ") << block;
  auto indices = cast<RankedTensorType>(rows.getType());
  auto type = cast<ttg::MemDescType>(buffer.getType());
  if (indices.getRank() != 1)
    return op->emitOpError("row indices must have rank 1; got ") << indices;
  if (type.getShape().size() != 2 || type.getShape()[0] != indices.getShape()[0])
    return op->emitOpError("buffer must have a row for each of the ")
           << indices.getShape()[0] << " indices; got " << type;
  if (block && (!sameElement(block.getElementType(), type.getElementType()) ||
                block.getShape()[1] != type.getShape()[1]))
    return op->emitOpError("row of type ") << block << " does not fit a buffer of type " << type;
  return success();
}

LogicalResult AsyncTMAGatherOp::verify() {
  if (failed(verifyBarrier(*this, getBarrier())))
    return failure();
  if (!getResult().getType().getMutableMemory())
    return emitOpError("writes a buffer that is not mutable: ") << getResult().getType();
  return verifyRows(*this, getDesc(), getXOffsets(), getResult());
}

LogicalResult AsyncTMAScatterOp::verify() {
  return verifyRows(*this, getDesc(), getXOffsets(), getSrc());
}

LogicalResult TMAStoreTokenWaitOp::verify() {
  if (getNvwsTokens().size() != getNvwsTokenIndices().size())
    return emitOpError("needs one index for each nvws token; got ")
           << getNvwsTokens().size() << " tokens and " << getNvwsTokenIndices().size()
           << " indices";
  return verifyPredicates(*this, getBarriers().size(), getBarrierPreds().size());
}

LogicalResult TensormapCreateOp::verify() {
  size_t rank = getBoxDim().size();
  if (rank < 1 || rank > 5)
    return emitOpError("needs between 1 and 5 box sizes; got ") << rank;
  if (getGlobalDim().size() != rank || getElementStride().size() != rank ||
      getGlobalStride().size() != rank - 1)
    return emitOpError("needs ") << rank << " sizes, " << rank - 1 << " strides and " << rank
                                 << " element strides for " << rank << " box sizes; got "
                                 << getGlobalDim().size() << ", " << getGlobalStride().size()
                                 << " and " << getElementStride().size();
  // Fields of the tensor map: driver API, CUtensorMapDataType and its fellows.
  for (auto [name, value, most] :
       {std::tuple<const char *, uint32_t, uint32_t>("elem_type", getElemType(), 15),
        {"interleave_layout", getInterleaveLayout(), 2},
        {"swizzle_mode", getSwizzleMode(), 3},
        {"fill_mode", getFillMode(), 1}})
    if (value > most)
      return emitOpError() << name << " must be between 0 and " << most << "; got " << value;
  return success();
}

//===----------------------------------------------------------------------===//
// Syntax of the token wait
//===----------------------------------------------------------------------===//

// `%t(, %b[%p])*( nvws_token %n[%i])* attr-dict : token(, types of %b and %n)*`
ParseResult TMAStoreTokenWaitOp::parse(OpAsmParser &parser, OperationState &result) {
  using Operands = SmallVector<OpAsmParser::UnresolvedOperand>;
  OpAsmParser::UnresolvedOperand token;
  Operands barriers, preds, tokens, indices;
  auto parseIndexed = [&](Operands &values, Operands &subscripts) -> ParseResult {
    return failure(parser.parseOperand(values.emplace_back()) || parser.parseLSquare() ||
                   parser.parseOperand(subscripts.emplace_back()) || parser.parseRSquare());
  };
  if (parser.parseOperand(token))
    return failure();
  while (succeeded(parser.parseOptionalComma()))
    if (parseIndexed(barriers, preds))
      return failure();
  while (succeeded(parser.parseOptionalKeyword("nvws_token")))
    if (parseIndexed(tokens, indices))
      return failure();
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonTypeList(types))
    return failure();
  if (types.size() != 1 + barriers.size() + tokens.size())
    return parser.emitError(loc, "expected ")
           << 1 + barriers.size() + tokens.size() << " types; got " << types.size();
  ArrayRef<Type> all(types);
  Builder &builder = parser.getBuilder();
  if (parser.resolveOperand(token, all[0], result.operands) ||
      parser.resolveOperands(barriers, all.slice(1, barriers.size()), loc, result.operands) ||
      parser.resolveOperands(preds, builder.getI1Type(), result.operands) ||
      parser.resolveOperands(tokens, all.take_back(tokens.size()), loc, result.operands) ||
      parser.resolveOperands(indices, builder.getI32Type(), result.operands))
    return failure();
  result.getOrAddProperties<Properties>().operandSegmentSizes = {
      1, int32_t(barriers.size()), int32_t(preds.size()), int32_t(tokens.size()),
      int32_t(indices.size())};
  return success();
}

void TMAStoreTokenWaitOp::print(OpAsmPrinter &printer) {
  // The space behind the token is how fbtriton prints it.
  printer << " " << getToken() << " ";
  for (auto [barrier, pred] : llvm::zip(getBarriers(), getBarrierPreds()))
    printer << ", " << barrier << "[" << pred << "]";
  for (auto [token, index] : llvm::zip(getNvwsTokens(), getNvwsTokenIndices()))
    printer << " nvws_token " << token << "[" << index << "]";
  printer.printOptionalAttrDict((*this)->getAttrs(), {getOperandSegmentSizesAttrName()});
  printer << " : " << getToken().getType();
  for (Type type : llvm::concat<Type>(llvm::to_vector(getBarriers().getTypes()),
                                      llvm::to_vector(getNvwsTokens().getTypes())))
    printer << ", " << type;
}

//===----------------------------------------------------------------------===//
// Synchronisation effects
//===----------------------------------------------------------------------===//

/// What an elected thread asks the TMA unit to do with `target`.
static SyncEffect transfer(Kind kind, Space space, Value target) {
  SyncEffect effect;
  effect.kind = kind;
  effect.space = space;
  effect.proxy = Proxy::Async;
  effect.moment = Moment::Completion;
  effect.threads = Threads::Elected;
  effect.target = target;
  return effect;
}

/// Global memory to `buffer`; its bytes complete on `barrier`. With `ranks` both
/// happen in every CTA of that mask.
static void loadEffects(SyncEffects &effects, Value source, Value buffer, Value barrier,
                        Value predicate, Value ranks = {}, bool pair = false) {
  SyncEffect read = transfer(Kind::Read, Space::Global, source);
  SyncEffect write = transfer(Kind::Write, spaceOf(buffer), buffer);
  SyncEffect complete = transfer(Kind::BarrierComplete, spaceOf(barrier), barrier);
  complete.proxy = Proxy::Generic;
  auto type = cast<ttg::MemDescType>(buffer.getType());
  complete.amount = bytesOf(type) / ttg::ctaParts(type);
  complete.rank = remoteRankOf(barrier);
  complete.pairLeader = pair;
  write.rank = remoteRankOf(buffer);
  if (ranks) {
    write.rank = complete.rank = ranks;
    write.rankIsMask = complete.rankIsMask = true;
  }
  read.barrier = write.barrier = barrier;
  for (SyncEffect *effect : {&read, &write, &complete}) {
    effect->predicate = predicate;
    effects.push_back(*effect);
  }
}

/// `buffer` to global memory; then every thread closes a bulk group.
static void storeEffects(SyncEffects &effects, Value buffer, Value destination, bool reduces,
                         Value bytes = {}) {
  SyncEffect read = transfer(Kind::Read, spaceOf(buffer), buffer);
  SyncEffect write = transfer(Kind::Write, Space::Global, destination);
  read.group = write.group = Group::BulkStore;
  read.amountValue = write.amountValue = bytes;
  effects.push_back(read);
  if (reduces) {
    SyncEffect old = write;
    old.kind = Kind::Read;
    effects.push_back(old);
  }
  effects.push_back(write);
  SyncEffect commit;
  commit.kind = Kind::GroupCommit;
  commit.group = Group::BulkStore;
  commit.threads = Threads::PerThread;
  effects.push_back(commit);
}

static void hint(SyncEffects &effects, Value target, Value predicate = {}) {
  SyncEffect effect;
  effect.kind = Kind::Hint;
  effect.target = target;
  effect.predicate = predicate;
  effects.push_back(effect);
}

void AsyncTMACopyGlobalToLocalOp::getSyncEffects(SyncEffects &effects) {
  loadEffects(effects, getDesc(), getResult(), getBarrier(), getPred(), getMulticastTargets(),
              getTwoCta());
}

void AsyncTMAGatherOp::getSyncEffects(SyncEffects &effects) {
  loadEffects(effects, getDesc(), getResult(), getBarrier(), getPred());
}

void AsyncTMAPrefetchOp::getSyncEffects(SyncEffects &effects) {
  hint(effects, getDesc(), getPred());
}
void PrefetchOp::getSyncEffects(SyncEffects &effects) { hint(effects, getPtr()); }
void PrefetchTensormapOp::getSyncEffects(SyncEffects &effects) { hint(effects, getDesc()); }

void AsyncTMACopyLocalToGlobalOp::getSyncEffects(SyncEffects &effects) {
  storeEffects(effects, getSrc(), getDesc(), /*reduces=*/false);
}
void AsyncTMAReduceOp::getSyncEffects(SyncEffects &effects) {
  storeEffects(effects, getSrc(), getDesc(), /*reduces=*/true);
}
void AsyncTMAScatterOp::getSyncEffects(SyncEffects &effects) {
  storeEffects(effects, getSrc(), getDesc(), /*reduces=*/false);
}
void AsyncStoreOp::getSyncEffects(SyncEffects &effects) {
  storeEffects(effects, getSrc(), getDst(), /*reduces=*/false, getSize());
}

static SyncEffect storeWait(int64_t pendings) {
  SyncEffect wait;
  wait.kind = Kind::GroupWait;
  wait.group = Group::BulkStore;
  wait.threads = Threads::PerThread;
  wait.amount = pendings;
  // Release 3.7.4 emits the `.read` form always, so more may not be relied on.
  wait.readOnly = true;
  return wait;
}

void TMAStoreWaitOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(storeWait(getPendings()));
}

// The number of younger groups that may stay pending follows from where the
// token's store is: `target` names the token, and `amount` is the safe 0.
void TMAStoreTokenWaitOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect wait = storeWait(0);
  wait.target = getToken();
  effects.push_back(wait);
  for (auto [barrier, pred] : llvm::zip(getBarriers(), getBarrierPreds())) {
    SyncEffect arrive;
    arrive.kind = Kind::BarrierArrive;
    arrive.space = spaceOf(barrier);
    arrive.threads = Threads::Elected;
    arrive.target = barrier;
    arrive.rank = remoteRankOf(barrier);
    arrive.amount = 1;
    arrive.predicate = pred;
    arrive.taskBarrierBefore = true;
    effects.push_back(arrive);
  }
}

void AsyncSharedStoreOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect write = transfer(Kind::Write, spaceOf(getDst()), getDst());
  write.proxy = Proxy::Generic;
  write.threads = Threads::All;
  write.barrier = getMbarrier();
  effects.push_back(write);
  SyncEffect complete = transfer(Kind::BarrierComplete, spaceOf(getMbarrier()), getMbarrier());
  complete.proxy = Proxy::Generic;
  complete.threads = Threads::All;
  complete.amount = bytesOf(getDst().getType());
  effects.push_back(complete);
}

void TensormapCreateOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect write;
  write.kind = Kind::Write;
  write.space = Space::Global;
  write.threads = Threads::Elected;
  write.target = getDescPtr();
  write.amount = 128;
  effects.push_back(write);
}

void TensormapFenceproxyAcquireOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect fence;
  fence.kind = Kind::TensormapFence;
  fence.space = Space::Global;
  fence.target = getDescPtr();
  fence.amount = 128;
  effects.push_back(fence);
}

} // namespace tlx::ttng
