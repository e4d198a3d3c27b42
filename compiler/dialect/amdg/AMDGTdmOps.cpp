// The tensor data mover: syntax, verifiers, synchronisation effects.
#include "compiler/dialect/amdg/AMDG.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tlx::sync;

namespace tlx::amdg {
namespace {

/// The operands of a copy after its descriptor, told apart by their types:
/// [rows], index*, buffer, [pred], [barrier].
struct TdmOperands {
  Value rows;
  ValueRange indices;
  Value buffer, pred, barrier;
  bool ok = false;

  explicit TdmOperands(ValueRange rest) {
    auto is = [&](auto test) { return !rest.empty() && test(rest.front().getType()); };
    auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
    auto isIndex = [](Type type) { return type.isInteger(32); };
    auto isBuffer = [](Type type) { return isa<ttg::MemDescType>(type); };
    auto take = [&](Value &value) {
      value = rest.front();
      rest = rest.drop_front();
    };
    if (is(isTensor))
      take(rows);
    ValueRange all = rest;
    size_t count = 0;
    for (; is(isIndex); ++count)
      rest = rest.drop_front();
    indices = all.take_front(count);
    if (!is(isBuffer))
      return;
    take(buffer);
    if (is(isIndex))
      take(pred);
    if (is(isBuffer))
      take(barrier);
    ok = rest.empty();
  }
};

} // namespace

#define TDM_ACCESSORS(Op)                                                                          \
  Value Op::getRows() { return TdmOperands(getRest()).rows; }                                      \
  ValueRange Op::getIndices() { return TdmOperands(getRest()).indices; }                           \
  TypedValue<ttg::MemDescType> Op::getBuffer() {                                                   \
    return cast<TypedValue<ttg::MemDescType>>(TdmOperands(getRest()).buffer);                      \
  }                                                                                                \
  Value Op::getPred() { return TdmOperands(getRest()).pred; }                                      \
  Value Op::getBarrier() { return TdmOperands(getRest()).barrier; }

TDM_ACCESSORS(AsyncTDMCopyGlobalToLocalOp)
TDM_ACCESSORS(AsyncTDMCopyLocalToGlobalOp)
TDM_ACCESSORS(AsyncTDMGatherOp)
TDM_ACCESSORS(AsyncTDMScatterOp)
#undef TDM_ACCESSORS

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

namespace {

/// What distinguishes the four copies' syntax:
///
///   copy in   %d[%i, %j] into %m, pred = %p, barrier = %b : D, B -> M
///   copy out  %d[%i, %j] from %m, barrier = %b            : M, B -> D
///   gather    %d[%rows, %col] to %m, pred = %p            : R, M, B -> D
///   scatter   %d[%rows, %col] from %m                     : R, M, B -> D
struct TdmSyntax {
  const char *keyword;
  bool hasRows, descFirst, hasToken;
};
constexpr TdmSyntax copyIn{"into", false, true, true}, copyOut{"from", false, false, false},
    gather{"to", true, false, true}, scatter{"from", true, false, true};

ParseResult parseTdm(OpAsmParser &parser, OperationState &result, const TdmSyntax &syntax) {
  using Operand = OpAsmParser::UnresolvedOperand;
  Operand desc, buffer, pred, barrier;
  SmallVector<Operand> place;
  bool hasPred = false, hasBarrier = false;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperand(desc) ||
      parser.parseOperandList(place, OpAsmParser::Delimiter::OptionalSquare) ||
      parser.parseKeyword(syntax.keyword) || parser.parseOperand(buffer))
    return failure();
  if (syntax.hasRows && place.empty())
    return parser.emitError(loc, "expected row indices");
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc keyLoc = parser.getCurrentLocation();
    StringRef key;
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    bool isPred = key == "pred" && !hasPred && !hasBarrier;
    if (!isPred && (key != "barrier" || hasBarrier))
      return parser.emitError(keyLoc, "expected pred or barrier; got ") << key;
    if (parser.parseOperand(isPred ? pred : barrier))
      return failure();
    (isPred ? hasPred : hasBarrier) = true;
  }
  SmallVector<Type> types;
  Type last;
  SMLoc typesLoc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonTypeList(types) ||
      parser.parseArrow() || parser.parseType(last))
    return failure();
  size_t expected = 1 + syntax.hasRows + hasBarrier;
  if (types.size() != expected)
    return parser.emitError(typesLoc, "expected ")
           << expected << " types before '->'; got " << types.size();

  Type barrierType = hasBarrier ? types.pop_back_val() : Type();
  Type descType = syntax.descFirst ? types.back() : last;
  Type bufferType = syntax.descFirst ? last : types.back();
  Type i32 = parser.getBuilder().getI32Type();
  auto resolve = [&](const Operand &operand, Type type) {
    return parser.resolveOperand(operand, type, result.operands);
  };
  if (resolve(desc, descType))
    return failure();
  for (auto [i, operand] : llvm::enumerate(place))
    if (resolve(operand, syntax.hasRows && i == 0 ? types.front() : i32))
      return failure();
  if (resolve(buffer, bufferType) || (hasPred && resolve(pred, i32)) ||
      (hasBarrier && resolve(barrier, barrierType)))
    return failure();
  if (syntax.hasToken)
    result.addTypes(ttg::AsyncTokenType::get(parser.getContext()));
  // The generic form of 3.7.4, which has indices, carries the sizes.
  if (!syntax.hasRows && !place.empty()) {
    SmallVector<int32_t> segments{1, int32_t(place.size()), 1};
    if (syntax.descFirst)
      segments.push_back(hasPred);
    segments.push_back(hasBarrier);
    result.addAttribute("operandSegmentSizes", parser.getBuilder().getDenseI32ArrayAttr(segments));
  }
  return success();
}

template <typename Op> void printTdm(OpAsmPrinter &printer, Op op, const TdmSyntax &syntax) {
  TdmOperands operands(op.getRest());
  printer << " " << op.getDesc();
  SmallVector<Value> place;
  if (operands.rows)
    place.push_back(operands.rows);
  llvm::append_range(place, operands.indices);
  if (!place.empty())
    printer << "[" << place << "]";
  printer << " " << syntax.keyword << " " << operands.buffer;
  if (operands.pred)
    printer << ", pred = " << operands.pred;
  if (operands.barrier)
    printer << ", barrier = " << operands.barrier;
  SmallVector<StringRef> elided{"operandSegmentSizes"};
  if (auto cache = op->template getAttrOfType<IntegerAttr>("cache"))
    if (cache.getInt() == int64_t(tt::CacheModifier::NONE))
      elided.push_back("cache");
  printer.printOptionalAttrDict(op->getAttrs(), elided);
  printer << " : ";
  if (operands.rows)
    printer << operands.rows.getType() << ", ";
  printer << (syntax.descFirst ? op.getDesc() : operands.buffer).getType();
  if (operands.barrier)
    printer << ", " << operands.barrier.getType();
  printer << " -> " << (syntax.descFirst ? operands.buffer : op.getDesc()).getType();
}

} // namespace

#define TDM_SYNTAX(Op, syntax)                                                                     \
  ParseResult Op::parse(OpAsmParser &parser, OperationState &result) {                             \
    return parseTdm(parser, result, syntax);                                                       \
  }                                                                                                \
  void Op::print(OpAsmPrinter &printer) { printTdm(printer, *this, syntax); }

TDM_SYNTAX(AsyncTDMCopyGlobalToLocalOp, copyIn)
TDM_SYNTAX(AsyncTDMCopyLocalToGlobalOp, copyOut)
TDM_SYNTAX(AsyncTDMGatherOp, gather)
TDM_SYNTAX(AsyncTDMScatterOp, scatter)
#undef TDM_SYNTAX

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

static RankedTensorType blockOf(Value desc) {
  auto type = dyn_cast<tt::TensorDescType>(desc.getType());
  return type ? type.getBlockType() : RankedTensorType();
}

/// The data mover writes rows that are padded or plain, never swizzled.
static LogicalResult verifyLayout(Operation *op, ttg::MemDescType buffer, Attribute layout) {
  if (auto parts = dyn_cast<ttg::PartitionedSharedEncodingAttr>(layout))
    return verifyLayout(op, buffer, parts.getPartitionLayout());
  if (auto swizzled = dyn_cast<ttg::SwizzledSharedEncodingAttr>(layout))
    return swizzled.getMaxPhase() <= 1
               ? success()
               : op->emitOpError("cannot swizzle; got a buffer with layout ") << layout;
  auto padded = dyn_cast<ttg::PaddedSharedEncodingAttr>(layout);
  if (!padded)
    return isa<ttg::TTGDialect>(layout.getDialect())
               ? op->emitOpError("needs a padded or unswizzled buffer; got layout ") << layout
               : success();
  Type element = buffer.getElementType();
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  for (unsigned interval : padded.getIntervals())
    if (interval * bits < 64)
      return op->emitOpError("padding interval must be at least 2 dwords; got ")
             << interval << " elements of " << bits << " bits";
  for (unsigned padding : padded.getPaddings())
    if (padding * bits < 32)
      return op->emitOpError("padding must be at least 1 dword; got ")
             << padding << " elements of " << bits << " bits";
  return success();
}

static LogicalResult verifyBlock(Operation *op, Value desc, ttg::MemDescType buffer) {
  if (RankedTensorType block = blockOf(desc)) {
    for (int64_t size : block.getShape())
      if (size > 65535)
        return op->emitOpError("block dimensions must be at most 65535; got ") << size;
    Type element = block.getElementType(), other = buffer.getElementType();
    bool same =
        element == other || (element.isInteger() && other.isInteger() &&
                             element.getIntOrFloatBitWidth() == other.getIntOrFloatBitWidth());
    if (!same)
      return op->emitOpError("block and buffer must have the same element type; got ")
             << element << " and " << other;
  }
  return verifyLayout(op, buffer, buffer.getEncoding());
}

template <typename Op> static LogicalResult verifyCopy(Op op, bool hasRows, bool hasPred) {
  TdmOperands operands(op.getRest());
  if (!operands.ok || bool(operands.rows) != hasRows || (operands.pred && !hasPred))
    return op.emitOpError("operands must be desc, ")
           << (hasRows ? "rows, [column]" : "indices") << ", buffer" << (hasPred ? ", [pred]" : "")
           << ", [barrier]";
  if (hasRows && operands.indices.size() > 1)
    return op.emitOpError("takes at most one column offset; got ") << operands.indices.size();
  if (std::optional<ArrayRef<int32_t>> segments = op.getOperandSegmentSizes()) {
    int64_t sum = 0;
    for (int32_t size : *segments)
      sum += size;
    if (sum != op->getNumOperands())
      return op.emitOpError("operandSegmentSizes add up to ")
             << sum << ", but there are " << op->getNumOperands() << " operands";
  }
  return verifyBlock(op, op.getDesc(), op.getBuffer().getType());
}

template <typename Op> static LogicalResult verifyMutable(Op op) {
  if (!op.getBuffer().getType().getMutableMemory())
    return op.emitOpError("writes a buffer that is not mutable: ") << op.getBuffer().getType();
  return success();
}

LogicalResult AsyncTDMCopyGlobalToLocalOp::verify() {
  return failure(failed(verifyCopy(*this, /*hasRows=*/false, /*hasPred=*/true)) ||
                 failed(verifyMutable(*this)));
}

LogicalResult AsyncTDMCopyLocalToGlobalOp::verify() {
  if (failed(verifyCopy(*this, /*hasRows=*/false, /*hasPred=*/false)))
    return failure();
  auto padded = dyn_cast<ttg::PaddedSharedEncodingAttr>(getBuffer().getType().getEncoding());
  RankedTensorType block = blockOf(getDesc());
  if (!padded || !block)
    return success();
  if (padded.getIntervals().size() != 1 || padded.getIntervals()[0] != block.getShape().back())
    return emitOpError("stores padded buffers only when the padding interval is the innermost "
                       "block dimension, ")
           << block.getShape().back() << "; got " << padded;
  return success();
}

LogicalResult AsyncTDMGatherOp::verify() {
  return failure(failed(verifyCopy(*this, /*hasRows=*/true, /*hasPred=*/true)) ||
                 failed(verifyMutable(*this)));
}

LogicalResult AsyncTDMScatterOp::verify() {
  return verifyCopy(*this, /*hasRows=*/true, /*hasPred=*/false);
}

LogicalResult AsyncTDMFusedCopyGlobalToLocalOp::verify() {
  size_t members = getDescs().size();
  if (members < 2 || members > 4)
    return emitOpError("moves between 2 and 4 blocks; got ") << members;
  if (getDests().size() != members || getWarpUsedHints().size() != members)
    return emitOpError("needs a buffer and a warp hint for each of ")
           << members << " descriptors; got " << getDests().size() << " and "
           << getWarpUsedHints().size();
  uint32_t used = 0;
  for (int32_t hint : getWarpUsedHints()) {
    if (hint == 0 || (used & hint))
      return emitOpError("warp hints must be disjoint and not empty");
    used |= hint;
  }
  for (auto [desc, dest] : llvm::zip(getDescs(), getDests())) {
    auto type = cast<ttg::MemDescType>(dest.getType());
    if (!type.getMutableMemory())
      return emitOpError("writes a buffer that is not mutable: ") << type;
    if (failed(verifyBlock(*this, desc, type)))
      return failure();
  }
  return success();
}

LogicalResult TDMPrefetchOp::verify() {
  if (getReturnOffsets() != bool(getMaybeOffsets()))
    return emitOpError("has a result exactly when returnOffsets is given");
  return success();
}

LogicalResult UpdateTensorDescriptorOp::verify() {
  if (getAddOffsets().empty() && getSetBounds().empty() && !getPred())
    return emitOpError("needs add_offsets, set_bounds or pred");
  RankedTensorType block = blockOf(getDesc());
  for (auto [name, values] : {std::pair<const char *, OperandRange>("add_offsets", getAddOffsets()),
                              {"set_bounds", getSetBounds()}})
    if (block && !values.empty() && values.size() != size_t(block.getRank()))
      return emitOpError() << name << " needs " << block.getRank() << " values; got "
                           << values.size();
  if (getClampBounds() && (getAddOffsets().empty() || !getSetBounds().empty()))
    return emitOpError("clamp_bounds goes with add_offsets and without set_bounds");
  return success();
}

//===----------------------------------------------------------------------===//
// Synchronisation effects
//===----------------------------------------------------------------------===//

static SyncEffect step(Kind kind, Space space, Value target, Value predicate = {}) {
  SyncEffect effect;
  effect.kind = kind;
  effect.space = space;
  effect.moment = Moment::Completion;
  effect.threads = Threads::EachWarp;
  effect.group = Group::Tdm;
  effect.target = target;
  effect.predicate = predicate;
  return effect;
}

/// Each op is a group of its own: the counter that is waited on counts ops.
static void commit(SyncEffects &effects) {
  SyncEffect close;
  close.kind = Kind::GroupCommit;
  close.threads = Threads::EachWarp;
  close.group = Group::Tdm;
  effects.push_back(close);
}

template <typename Op> static void copyEffects(Op op, bool loads, SyncEffects &effects) {
  Value pred = op.getPred(), barrier = op.getBarrier();
  Value from = loads ? Value(op.getDesc()) : op.getBuffer();
  Value to = loads ? Value(op.getBuffer()) : op.getDesc();
  SyncEffect read = step(Kind::Read, loads ? Space::Global : Space::Shared, from, pred);
  SyncEffect write = step(Kind::Write, loads ? Space::Shared : Space::Global, to, pred);
  read.barrier = write.barrier = barrier;
  effects.push_back(read);
  effects.push_back(write);
  if (barrier) {
    SyncEffect arrive = step(Kind::BarrierArrive, Space::Shared, barrier, pred);
    arrive.amount = 1;
    effects.push_back(arrive);
  }
  commit(effects);
}

void AsyncTDMCopyGlobalToLocalOp::getSyncEffects(SyncEffects &effects) {
  copyEffects(*this, /*loads=*/true, effects);
}
void AsyncTDMCopyLocalToGlobalOp::getSyncEffects(SyncEffects &effects) {
  copyEffects(*this, /*loads=*/false, effects);
}
void AsyncTDMGatherOp::getSyncEffects(SyncEffects &effects) {
  copyEffects(*this, /*loads=*/true, effects);
}
void AsyncTDMScatterOp::getSyncEffects(SyncEffects &effects) {
  copyEffects(*this, /*loads=*/false, effects);
}

void AsyncTDMFusedCopyGlobalToLocalOp::getSyncEffects(SyncEffects &effects) {
  for (auto [desc, dest] : llvm::zip(getDescs(), getDests())) {
    effects.push_back(step(Kind::Read, Space::Global, desc));
    effects.push_back(step(Kind::Write, Space::Shared, dest));
  }
  commit(effects);
}

static void waitFor(SyncEffects &effects, int64_t pending) {
  SyncEffect wait;
  wait.kind = Kind::GroupWait;
  wait.threads = Threads::EachWarp;
  wait.group = Group::Tdm;
  wait.amount = pending;
  effects.push_back(wait);
}

void AsyncTDMWait::getSyncEffects(SyncEffects &effects) { waitFor(effects, getNum()); }
void AsyncTDMIntrinsicWait::getSyncEffects(SyncEffects &effects) { waitFor(effects, getCount()); }

void TDMPrefetchOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect hint;
  hint.target = getDesc();
  hint.predicate = getPred();
  effects.push_back(hint);
}

} // namespace tlx::amdg
