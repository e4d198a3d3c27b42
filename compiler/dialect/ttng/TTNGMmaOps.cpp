// Matrix products: verifiers, synchronisation effects, cost.
//
// Encodings of other dialects (wrappers that a later pass removes) are left
// alone here; only layouts that are known to be wrong are errors.
#include "compiler/dialect/ttng/TTNG.h"
#include "compiler/dialect/ttng/TTNGVerify.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tlx::sync;

namespace tlx::ttng {

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<ShapedType>(value.getType()).getShape();
}

static Type elementOf(Value value) { return cast<ShapedType>(value.getType()).getElementType(); }

static unsigned bitsOf(Value value) {
  Type element = elementOf(value);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
}

static Attribute encodingOf(Value value) {
  if (auto buffer = dyn_cast<ttg::MemDescType>(value.getType()))
    return buffer.getEncoding();
  return cast<RankedTensorType>(value.getType()).getEncoding();
}

static bool isOurs(Attribute encoding) {
  return encoding &&
         (isa<ttg::TTGDialect>(encoding.getDialect()) || isa<TTNGDialect>(encoding.getDialect()));
}

/// a[M, K] x b[K, N] = d[M, N]. A pair of CTAs holds half of b's columns each:
/// there d may have twice as many.
static LogicalResult verifyProductShape(Operation *op, Value a, Value b, Value d, bool pair,
                                        int64_t packA = 1, int64_t packB = 1) {
  auto sa = shapeOf(a), sb = shapeOf(b), sd = shapeOf(d);
  if (sa.size() != 2 || sb.size() != 2 || sd.size() != 2)
    return op->emitOpError("operands must have rank 2; got ")
           << sa.size() << ", " << sb.size() << " and " << sd.size();
  if (sa[1] * packA != sb[0] * packB)
    return op->emitOpError("columns of a must equal rows of b; got ")
           << sa[1] * packA << " and " << sb[0] * packB;
  bool columns = sd[1] == sb[1] || (pair && sd[1] == 2 * sb[1]);
  if (sd[0] != sa[0] || !columns)
    return op->emitOpError("result must be ")
           << sa[0] << "x" << sb[1] << (pair ? " (or twice the columns)" : "") << "; got " << sd[0]
           << "x" << sd[1];
  return success();
}

static TileCost productCost(Value a, Value d, int64_t k) {
  TileCost cost;
  cost.unit = CostUnit::TensorCore;
  auto shape = shapeOf(d);
  if (shape.size() != 2)
    return cost;
  cost.m = shape[0];
  cost.n = shape[1];
  cost.k = k;
  cost.operandBits = bitsOf(a);
  cost.elements = cost.m * cost.n;
  return cost;
}

static SyncEffect operandRead(Value operand, Group group, Value predicate = {}) {
  SyncEffect read;
  read.kind = Kind::Read;
  read.space = spaceOf(operand);
  read.proxy = Proxy::Async;
  read.moment = Moment::Completion;
  read.group = group;
  read.target = operand;
  read.predicate = predicate;
  return read;
}

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

LogicalResult WarpGroupDotOp::verify() {
  if (failed(verifyProductShape(*this, getA(), getB(), getD(), /*pair=*/false)))
    return failure();
  Attribute layout = encodingOf(getD());
  auto mma = dyn_cast_or_null<ttg::NvidiaMmaEncodingAttr>(layout);
  if ((isOurs(layout) && !mma) || (mma && mma.getVersionMajor() != 3))
    return emitOpError("result must have an nvidia_mma layout of version 3; got ") << layout;
  if (!layout)
    return emitOpError("result must have an nvidia_mma layout of version 3; got none");
  if (shapeOf(getD())[0] % 64)
    return emitOpError("rows of the result must be a multiple of 64; got ") << shapeOf(getD())[0];
  if (shapeOf(getD())[1] % 8)
    return emitOpError("columns of the result must be a multiple of 8; got ") << shapeOf(getD())[1];
  if (isOurs(encodingOf(getB())) && !isa<ttg::NVMMASharedEncodingAttr>(encodingOf(getB())))
    return emitOpError("b must have an nvmma_shared layout; got ") << encodingOf(getB());
  Attribute layoutA = encodingOf(getA());
  auto dotA = dyn_cast_or_null<ttg::DotOperandEncodingAttr>(layoutA);
  if (isOurs(layoutA) && !dotA && !isa<ttg::NVMMASharedEncodingAttr>(layoutA))
    return emitOpError("a must have an nvmma_shared or dot_op layout; got ") << layoutA;
  if (dotA && dotA.getKWidth() != 32 / bitsOf(getA()))
    return emitOpError("a in registers must have kWidth ")
           << 32 / bitsOf(getA()) << "; got " << dotA.getKWidth();
  if (isa<Float8E5M2Type, Float8E4M3FNType>(elementOf(getA())) && elementOf(getD()).isF32() &&
      getMaxNumImpreciseAcc() < 32)
    return emitOpError("8-bit floats with an f32 accumulator need maxNumImpreciseAcc of at least "
                       "32; got ")
           << getMaxNumImpreciseAcc();
  return success();
}

static SyncEffect wgmmaStep(Kind kind, int64_t pending = 0) {
  SyncEffect step;
  step.kind = kind;
  step.group = Group::Wgmma;
  step.amount = pending;
  return step;
}

void WarpGroupDotOp::getSyncEffects(SyncEffects &effects) {
  for (Value operand : {getA(), Value(getB())})
    if (isa<ttg::MemDescType>(operand.getType()))
      effects.push_back(operandRead(operand, Group::Wgmma));
  effects.push_back(wgmmaStep(Kind::GroupCommit));
  if (!getIsAsync())
    effects.push_back(wgmmaStep(Kind::GroupWait));
}

TileCost WarpGroupDotOp::getTileCost() {
  return productCost(getA(), getD(), shapeOf(getA()).back());
}

LogicalResult WarpGroupDotWaitOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                                   ValueRange operands, DictionaryAttr,
                                                   OpaqueProperties, RegionRange,
                                                   SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.getTypes());
  return success();
}

LogicalResult WarpGroupDotWaitOp::verify() {
  if (getInputs().empty())
    return emitOpError("needs at least one input");
  return success();
}

void WarpGroupDotWaitOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(wgmmaStep(Kind::GroupWait, getPendings()));
}

//===----------------------------------------------------------------------===//
// tcgen05
//===----------------------------------------------------------------------===//

namespace {
enum class MmaKind { Tf32, F16, F8F6F4, I8, None };
} // namespace

static MmaKind kindOf(Type element) {
  if (element.isF32())
    return MmaKind::Tf32;
  if (element.isF16() || element.isBF16())
    return MmaKind::F16;
  if (isa<Float8E5M2Type, Float8E4M3FNType, Float6E2M3FNType, Float6E3M2FNType, Float4E2M1FNType>(
          element))
    return MmaKind::F8F6F4;
  return element.isInteger(8) ? MmaKind::I8 : MmaKind::None;
}

static LogicalResult verifyElements(Operation *op, Value a, Value b, Value d) {
  Type ea = elementOf(a), eb = elementOf(b), ed = elementOf(d);
  for (auto [name, type] : {std::pair<const char *, Type>("a", ea), {"b", eb}})
    if (kindOf(type) == MmaKind::None)
      return op->emitOpError("element type of ") << name << " is not supported: " << type;
  if (kindOf(ea) != kindOf(eb))
    return op->emitOpError("element types of a and b do not go together: ") << ea << " and " << eb;
  bool fits = false;
  switch (kindOf(ea)) {
  case MmaKind::Tf32: fits = ed.isF32(); break;
  case MmaKind::F16: fits = ed.isF32() || (ed.isF16() && !ea.isBF16() && !eb.isBF16()); break;
  case MmaKind::F8F6F4: fits = ed.isF32() || ed.isF16(); break;
  case MmaKind::I8: fits = ed.isInteger(32); break;
  case MmaKind::None: break;
  }
  if (!fits)
    return op->emitOpError("accumulator of type ")
           << ed << " does not go with operands of types " << ea << " and " << eb;
  return success();
}

static LogicalResult verifyAccumulator(Operation *op, Value d) {
  Attribute encoding = encodingOf(d);
  if (spaceOf(d) != Space::Tensor)
    return op->emitOpError("d must be in tensor memory; got ") << d.getType();
  if (!cast<ttg::MemDescType>(d.getType()).getMutableMemory())
    return op->emitOpError("d must be mutable; got ") << d.getType();
  auto tmem = dyn_cast<TensorMemoryEncodingAttr>(encoding);
  if (!tmem)
    return isOurs(encoding)
               ? op->emitOpError("d must have a tensor_memory_encoding; got ") << encoding
               : success();
  unsigned bits = bitsOf(d);
  if (bits && tmem.getColStride() != 32 / bits)
    return op->emitOpError("colStride of d must be 32 / ")
           << bits << "; got " << tmem.getColStride();
  if (std::min<int64_t>(tmem.getBlockN(), shapeOf(d).back()) > 256)
    return op->emitOpError("columns of a block of d must be at most 256; got ") << tmem.getBlockN();
  return success();
}

static LogicalResult verifyOperandLayouts(Operation *op, Value a, Value b) {
  Attribute encodingB = encodingOf(b);
  auto isSharedOperand = [](Attribute encoding) {
    return isa<ttg::NVMMASharedEncodingAttr, ttg::SharedLinearEncodingAttr>(encoding);
  };
  if (isOurs(encodingB) && !isSharedOperand(encodingB))
    return op->emitOpError("b must have an nvmma_shared or shared_linear layout; got ")
           << encodingB;
  Attribute encodingA = encodingOf(a);
  if (auto tmem = dyn_cast<TensorMemoryEncodingAttr>(encodingA)) {
    if (tmem.getColStride() != 1)
      return op->emitOpError("colStride of a must be 1; got ") << tmem.getColStride();
    return success();
  }
  if (isOurs(encodingA) && !isSharedOperand(encodingA))
    return op->emitOpError("a must have an nvmma_shared, shared_linear or tensor_memory_encoding "
                           "layout; got ")
           << encodingA;
  return success();
}

template <typename Op> static LogicalResult verifyCompletion(Op op) {
  if (!op.getIsAsync() && !op.getBarriers().empty())
    return op.emitOpError("has completion barriers but is not is_async");
  if (failed(verifyPredicates(op, op.getBarriers().size(), op.getBarrierPreds().size())))
    return failure();
  for (Value barrier : op.getBarriers())
    // A barrier that is a view of rank 2 is left for a later pass to shape.
    if (shapeOf(barrier).size() == 1 && failed(verifyBarrier(op, barrier)))
      return failure();
  return success();
}

LogicalResult TCGen5MMAOp::verify() {
  if (failed(verifyCompletion(*this)) || failed(verifyElements(*this, getA(), getB(), getD())) ||
      failed(verifyOperandLayouts(*this, getA(), getB())) ||
      failed(verifyAccumulator(*this, getD())))
    return failure();
  return verifyProductShape(*this, getA(), getB(), getD(), getTwoCtas());
}

/// Two e2m1 values share a byte.
static int64_t packing(Value operand, tt::ScaleDotElemType type) {
  return type == tt::ScaleDotElemType::E2M1 && elementOf(operand).isInteger(8) ? 2 : 1;
}

/// Values of a packed operand along k: a padded buffer holds one in each byte.
static bool isPadded(Value operand) {
  auto shared = dyn_cast<ttg::NVMMASharedEncodingAttr>(encodingOf(operand));
  auto tmem = dyn_cast<TensorMemoryEncodingAttr>(encodingOf(operand));
  return (shared && shared.getFp4Padded()) || (tmem && tmem.getFp4Padded());
}

LogicalResult TCGen5MMAScaledOp::verify() {
  if (failed(verifyCompletion(*this)) || failed(verifyAccumulator(*this, getD())) ||
      failed(verifyOperandLayouts(*this, getA(), getB())))
    return failure();
  if (auto tmem = dyn_cast<TensorMemoryEncodingAttr>(encodingOf(getD())))
    if (tmem.getBlockM() != 128)
      return emitOpError("blockM of d must be 128; got ") << tmem.getBlockM();
  auto sa = shapeOf(getA()), sb = shapeOf(getB()), sd = shapeOf(getD());
  if (sa.size() != 2 || sb.size() != 2 || sd.size() != 2)
    return emitOpError("operands must have rank 2; got ")
           << sa.size() << ", " << sb.size() << " and " << sd.size();
  return success();
}

/// k in values, whatever the packing of `a`.
static int64_t scaledK(TCGen5MMAScaledOp op) {
  int64_t k = shapeOf(op.getA()).back();
  return isPadded(op.getA()) ? k : k * packing(op.getA(), op.getAType());
}

TileCost TCGen5MMAOp::getTileCost() { return productCost(getA(), getD(), shapeOf(getA()).back()); }

TileCost TCGen5MMAScaledOp::getTileCost() {
  TileCost cost = productCost(getA(), getD(), scaledK(*this));
  if (getAType() == tt::ScaleDotElemType::E2M1 && getBType() == tt::ScaleDotElemType::E2M1)
    cost.operandBits = 4;
  return cost;
}

/// The product reads `operands` and, unless useD is known to be false, d; then
/// writes d and arrives on the barriers.
template <typename Op>
static void productEffects(Op op, ArrayRef<Value> operands, SyncEffects &effects) {
  size_t first = effects.size();
  Value barrier = op.getBarriers().empty() ? Value() : op.getBarriers()[0];
  for (Value operand : operands)
    effects.push_back(operandRead(operand, Group::Tcgen05, op.getPred()));
  if (!matchPattern(op.getUseD(), m_Zero())) {
    effects.push_back(operandRead(op.getD(), Group::Tcgen05, op.getPred()));
    effects.back().matters = op.getUseD();
  }
  SyncEffect write = operandRead(op.getD(), Group::Tcgen05, op.getPred());
  write.kind = Kind::Write;
  effects.push_back(write);
  for (SyncEffect &effect : llvm::drop_begin(effects, first))
    effect.barrier = barrier;
  for (auto [target, condition] : llvm::zip(op.getBarriers(), op.getBarrierPreds())) {
    SyncEffect arrive;
    arrive.kind = Kind::BarrierArrive;
    arrive.space = spaceOf(target);
    arrive.moment = Moment::Completion;
    arrive.group = Group::Tcgen05;
    arrive.target = target;
    arrive.rank = remoteRankOf(target);
    arrive.amount = 1;
    arrive.predicate = op.getPred();
    arrive.barrierPredicate = condition;
    effects.push_back(arrive);
  }
  for (SyncEffect &effect : llvm::drop_begin(effects, first)) {
    effect.threads = Threads::Elected;
    effect.pairLeader = op.getTwoCtas();
  }
  if (op.getIsAsync())
    return;
  // The compiler gives a synchronous product a barrier of its own and waits.
  SyncEffect wait;
  wait.kind = Kind::GroupWait;
  wait.group = Group::Tcgen05;
  wait.predicate = op.getPred();
  effects.push_back(wait);
}

void TCGen5MMAOp::getSyncEffects(SyncEffects &effects) {
  productEffects(*this, {getA(), getB()}, effects);
}

void TCGen5MMAScaledOp::getSyncEffects(SyncEffects &effects) {
  productEffects(*this, {getA(), getB(), getAScale(), getBScale()}, effects);
}

//===----------------------------------------------------------------------===//
// tcgen05.commit
//===----------------------------------------------------------------------===//

// `%b(, %pred)?(,? descs %m, %n)? attr-dict : types`
ParseResult TCGen5CommitOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands(1), descs;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperand(operands[0]))
    return failure();
  bool hasPred = false;
  if (succeeded(parser.parseOptionalComma())) {
    OpAsmParser::UnresolvedOperand pred;
    OptionalParseResult given = parser.parseOptionalOperand(pred);
    if (given.has_value()) {
      if (failed(*given))
        return failure();
      operands.push_back(pred);
      hasPred = true;
    }
  }
  if (succeeded(parser.parseOptionalKeyword("descs")) && parser.parseOperandList(descs))
    return failure();
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonTypeList(types))
    return failure();
  llvm::append_range(operands, descs);
  if (hasPred && !types.empty())
    types.insert(types.begin() + 1, parser.getBuilder().getI1Type());
  auto &segments = result.getOrAddProperties<Properties>().operandSegmentSizes;
  segments = {1, hasPred, int32_t(descs.size())};
  return parser.resolveOperands(operands, types, loc, result.operands);
}

void TCGen5CommitOp::print(OpAsmPrinter &printer) {
  printer << " " << getBarrier();
  if (getPred())
    printer << ", " << getPred();
  if (!getDescs().empty())
    printer << " descs " << getDescs();
  printer.printOptionalAttrDict((*this)->getAttrs(), {getOperandSegmentSizesAttrName()});
  printer << " : " << getBarrier().getType();
  for (Value desc : getDescs())
    printer << ", " << desc.getType();
}

LogicalResult TCGen5CommitOp::verify() {
  if (getDescs().size() > 4)
    return emitOpError("takes at most 4 descs; got ") << getDescs().size();
  return verifyBarrier(*this, getBarrier());
}

void TCGen5CommitOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect arrive;
  arrive.kind = Kind::BarrierArrive;
  arrive.space = spaceOf(getBarrier());
  arrive.moment = Moment::Completion;
  arrive.threads = Threads::Elected;
  arrive.group = Group::Tcgen05;
  arrive.target = getBarrier();
  arrive.rank = remoteRankOf(getBarrier());
  arrive.amount = 1;
  arrive.predicate = getPred();
  arrive.pairLeader = pairsCtas(*this);
  effects.push_back(arrive);
}

} // namespace tlx::ttng
