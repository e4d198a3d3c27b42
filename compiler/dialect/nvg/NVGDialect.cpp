#include "compiler/dialect/nvg/NVG.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Transforms/InliningUtils.h"

#include "compiler/dialect/nvg/NVGDialect.cpp.inc"
#include "compiler/dialect/nvg/NVGEnums.cpp.inc"

#define GET_OP_CLASSES
#include "compiler/dialect/nvg/NVGOps.cpp.inc"

using namespace mlir;
using namespace tlx::sync;

namespace tlx::nvg {
namespace {

struct NVGInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};

} // namespace

void NVGDialect::initialize() {
  registerOps();
  addInterfaces<NVGInlinerInterface>();
}

void NVGDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/nvg/NVGOps.cpp.inc"
      >();
}

// The type is spelled rather than built: LLVM's dialect headers are heavy.
ParseResult TensorMemoryBaseAddress::parse(OpAsmParser &parser, OperationState &result) {
  MLIRContext *context = parser.getContext();
  if (!context->getOrLoadDialect("llvm"))
    return parser.emitError(parser.getNameLoc(), "dialect llvm is not available");
  result.addTypes(parseType("!llvm.ptr<6>", context));
  return parser.parseOptionalAttrDict(result.attributes);
}

void TensorMemoryBaseAddress::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDict((*this)->getAttrs());
}

static unsigned bitsOf(WGMMAEltType type) {
  switch (type) {
  case WGMMAEltType::S8:
  case WGMMAEltType::E4M3:
  case WGMMAEltType::E5M2: return 8;
  case WGMMAEltType::F16:
  case WGMMAEltType::BF16: return 16;
  case WGMMAEltType::TF32:
  case WGMMAEltType::F32:
  case WGMMAEltType::S32: return 32;
  }
  return 0;
}

TileCost WGMMAOp::getTileCost() {
  TileCost cost;
  cost.unit = CostUnit::TensorCore;
  cost.m = getM();
  cost.n = getN();
  cost.k = getK();
  cost.operandBits = bitsOf(getEltTypeA());
  cost.elements = cost.m * cost.n;
  return cost;
}

// An operand in shared memory is an i64 matrix descriptor.
void WGMMAOp::getSyncEffects(SyncEffects &effects) {
  for (Value operand : {getOpA(), getOpB()}) {
    if (!operand.getType().isInteger(64))
      continue;
    SyncEffect read;
    read.kind = Kind::Read;
    read.space = Space::Shared;
    read.proxy = Proxy::Async;
    read.moment = Moment::Completion;
    read.group = Group::Wgmma;
    read.target = operand;
    effects.push_back(read);
  }
}

void WGMMAWaitGroupOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect wait;
  wait.kind = Kind::GroupWait;
  wait.group = Group::Wgmma;
  wait.amount = getPendings();
  effects.push_back(wait);
}

void LoadAcquireOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect read;
  read.kind = Kind::Read;
  read.space = Space::Global;
  read.threads = Threads::PerThread;
  read.target = getAddr();
  read.predicate = getMask();
  effects.push_back(read);
  if (getSem() == tt::MemSemantic::RELAXED)
    return;
  SyncEffect fence = read;
  fence.kind = Kind::MemoryFence;
  fence.target = {};
  effects.push_back(fence);
}

} // namespace tlx::nvg
