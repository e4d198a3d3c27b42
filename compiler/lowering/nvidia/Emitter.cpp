#include "compiler/lowering/nvidia/Emitter.h"
#include "compiler/lowering/nvidia/Ptx.h"

#include "compiler/analysis/EncodingToLayout.h"
#include "compiler/lowering/nvidia/Cluster.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
namespace LL = mlir::LLVM;

namespace tlx::nvidia {

Emitter::Emitter(tt::FuncOp kernel, const LoweringTable &table, const SharedPlan &plan,
                 const WarpPlan &warps, LL::LLVMFuncOp function)
    : b(kernel.getContext()), loc(kernel.getLoc()), kernel(kernel), plan(plan), warps(warps),
      function(function), axes(kernel), table(table) {
  Block *entry = &function.getBody().front();
  b.setInsertionPointToStart(entry);
  Value global =
      LL::AddressOfOp::create(b, loc, LL::LLVMPointerType::get(b.getContext(), 3), "global_smem");
  sharedBase = LL::PtrToIntOp::create(b, loc, b.getI32Type(), global);
}

//===----------------------------------------------------------------------===//
// Values and types
//===----------------------------------------------------------------------===//

const Registers &Emitter::get(Value value) {
  auto found = values.find(value);
  assert(found != values.end() && "an operand was not lowered");
  return found->second;
}

Type Emitter::scalarType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    type = tensor.getElementType();
  if (isa<tt::PointerType>(type))
    return LL::LLVMPointerType::get(b.getContext(), 1);
  if (tt::isTensorDesc(type))
    return LL::LLVMPointerType::get(b.getContext());
  if (type.isIndex())
    return b.getI32Type();
  if (auto integer = dyn_cast<IntegerType>(type))
    return b.getIntegerType(integer.getWidth());
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8)
    return b.getI8Type();
  return type;
}

SmallVector<Type> Emitter::registerTypes(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return SmallVector<Type>(layout(tensor).inSize(layout::kRegister), scalarType(type));
  if (isa<ttg::MemDescType>(type))
    return {b.getI32Type(), b.getI32Type()};
  if (isa<ttg::AsyncTokenType>(type))
    return {};
  return {scalarType(type)};
}

unsigned Emitter::memoryBits(Type element) {
  if (isa<tt::PointerType>(element))
    return 64;
  unsigned bits = element.getIntOrFloatBitWidth();
  return bits < 8 ? 8 : bits;
}

// Layouts that do not exist were refused before anything was emitted.
const layout::LinearLayout &Emitter::layout(RankedTensorType type) {
  auto found = layouts.find(type);
  if (found == layouts.end())
    found = layouts.try_emplace(type, std::move(*layoutOf(type))).first;
  return found->second;
}

const layout::LinearLayout &Emitter::layout(ttg::MemDescType type) {
  auto found = layouts.find(type);
  if (found == layouts.end())
    found = layouts.try_emplace(type, std::move(*layoutOf(type))).first;
  return found->second;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

// Constants stand at the function's beginning, so that they dominate all uses.
Value Emitter::constant(Type type, int64_t value) {
  TypedAttr attribute;
  if (auto floating = dyn_cast<FloatType>(type))
    attribute = b.getFloatAttr(type, double(value));
  else
    attribute = b.getIntegerAttr(type, APInt(type.getIntOrFloatBitWidth(), value, true, true));
  Value &known = constants[{type, attribute}];
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&function.getBody().front());
    known = LL::ConstantOp::create(b, kernel.getLoc(), type, attribute);
  }
  return known;
}

Value Emitter::zero(Type type) {
  if (isa<LL::LLVMPointerType, LL::LLVMStructType, VectorType>(type))
    return LL::ZeroOp::create(b, loc, type);
  return constant(type, 0);
}

Value Emitter::undefined(Type type) { return LL::PoisonOp::create(b, loc, type); }

std::optional<int64_t> Emitter::constantOf(Value value) {
  APInt found;
  if (!matchPattern(value, m_ConstantInt(&found)))
    return std::nullopt;
  return found.getSExtValue();
}

static bool isConstant(Value value, int64_t wanted) {
  std::optional<int64_t> found = Emitter::constantOf(value);
  return found && *found == wanted;
}

Value Emitter::add(Value x, Value y) {
  if (isConstant(x, 0))
    return y;
  if (isConstant(y, 0))
    return x;
  return LL::AddOp::create(b, loc, x, y);
}

Value Emitter::sub(Value x, Value y) {
  return isConstant(y, 0) ? x : Value(LL::SubOp::create(b, loc, x, y));
}

Value Emitter::mul(Value x, Value y) {
  if (isConstant(x, 1))
    return y;
  return isConstant(y, 1) ? x : Value(LL::MulOp::create(b, loc, x, y));
}

Value Emitter::band(Value x, Value y) {
  if (isConstant(x, -1))
    return y;
  return isConstant(y, -1) ? x : Value(LL::AndOp::create(b, loc, x, y));
}

Value Emitter::bor(Value x, Value y) {
  if (isConstant(x, 0))
    return y;
  return isConstant(y, 0) ? x : Value(LL::OrOp::create(b, loc, x, y));
}

Value Emitter::bxor(Value x, Value y) {
  if (isConstant(x, 0))
    return y;
  return isConstant(y, 0) ? x : Value(LL::XOrOp::create(b, loc, x, y));
}

Value Emitter::shl(Value x, int64_t bits) {
  return bits == 0 ? x : Value(LL::ShlOp::create(b, loc, x, constant(x.getType(), bits)));
}

Value Emitter::lshr(Value x, int64_t bits) {
  return bits == 0 ? x : Value(LL::LShrOp::create(b, loc, x, constant(x.getType(), bits)));
}

Value Emitter::select(Value condition, Value x, Value y) {
  return LL::SelectOp::create(b, loc, condition, x, y);
}

Value Emitter::compare(LL::ICmpPredicate predicate, Value x, Value y) {
  return LL::ICmpOp::create(b, loc, predicate, x, y);
}

Value Emitter::cast(Value x, Type type) {
  return x.getType() == type ? x : Value(LL::BitcastOp::create(b, loc, type, x));
}

Value Emitter::resize(Value x, Type integer) {
  unsigned from = x.getType().getIntOrFloatBitWidth(), to = integer.getIntOrFloatBitWidth();
  if (from == to)
    return x;
  if (from < to)
    return LL::ZExtOp::create(b, loc, integer, x);
  return LL::TruncOp::create(b, loc, integer, x);
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

Value Emitter::flipped(Value index, ArrayRef<int64_t> bases) {
  Type type = index.getType();
  Value result = constant(type, 0);
  // Bits that move by the same distance move together.
  std::map<int, int64_t> moves;
  for (auto [bit, basis] : llvm::enumerate(bases)) {
    if (basis == 0)
      continue;
    if (llvm::isPowerOf2_64(basis)) {
      moves[int(llvm::Log2_64(basis)) - int(bit)] |= int64_t(1) << bit;
      continue;
    }
    Value set = band(lshr(index, bit), constant(type, 1));
    result = bxor(result, mul(set, constant(type, basis)));
  }
  for (auto [distance, mask] : moves) {
    Value part = band(index, constant(type, mask));
    result = bxor(result, distance >= 0 ? shl(part, distance) : lshr(part, -distance));
  }
  return result;
}

Value Emitter::ctaRank() { return NVVM::ClusterId::create(b, loc, b.getI32Type()); }

static SmallVector<int64_t> basesOf(const layout::LinearLayout &layout, std::string_view input,
                                    std::string_view output, int64_t scale) {
  SmallVector<int64_t> result;
  for (unsigned bit = 0; bit < layout.inBits(input); ++bit)
    result.push_back(layout.basis(input, bit, output) * scale);
  return result;
}

Index::Index(Emitter &e, const layout::LinearLayout &layout, std::string_view output, int64_t scale)
    : e(e), registerBases(basesOf(layout, layout::kRegister, output, scale)) {
  thread = e.i32(0);
  for (auto [name, value] :
       {std::pair(layout::kLane, e.task.lane), std::pair(layout::kWarp, e.task.warp)}) {
    SmallVector<int64_t> bases = basesOf(layout, name, output, scale);
    for (int64_t basis : bases)
      threadMask |= uint64_t(basis);
    thread = e.bxor(thread, e.flipped(value, bases));
  }
  SmallVector<int64_t> blocks = basesOf(layout, layout::kBlock, output, scale);
  if (llvm::any_of(blocks, [](int64_t basis) { return basis != 0; })) {
    for (int64_t basis : blocks)
      threadMask |= uint64_t(basis);
    thread = e.bxor(thread, e.flipped(e.ctaRank(), blocks));
  }
}

void Index::flip(Value value) {
  if (isConstant(value, 0))
    return;
  thread = e.bxor(thread, value);
  threadMask = ~uint64_t(0); // any bit may be set
}

Value Index::at(int64_t reg, int64_t &constant) {
  int64_t own = 0;
  for (size_t bit = 0; bit < registerBases.size(); ++bit)
    if (reg >> bit & 1)
      own ^= registerBases[bit];
  constant = own & ~threadMask;
  return e.bxor(thread, e.i32(own & threadMask));
}

Value Index::at(int64_t reg) {
  int64_t constant = 0;
  Value value = at(reg, constant);
  return e.add(value, e.i32(constant));
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

void Emitter::startTask(Task next) {
  task = next;
  Value tid = NVVM::ThreadIdXOp::create(b, loc, b.getI32Type());
  task.thread = sub(tid, i32(task.firstWarp * 32));
  task.lane = band(tid, i32(31));
  task.warp = lshr(task.thread, 5);
  task.uniformWarp = shuffle(task.warp, NVVM::ShflKind::idx, i32(0));
}

Value Emitter::isFirstThread() { return equal(task.thread, i32(0)); }

Value Emitter::isElected() {
  Value elected = NVVM::ElectSyncOp::create(b, loc, b.getI1Type(), Value());
  return band(elected, equal(task.uniformWarp, i32(0)));
}

Value Emitter::never() {
  if (!neverTrue) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&function.getBody().front());
    Value multiprocessor =
        ptx::raw(*this, "mov.u32 $0, %smid;", "=r", {}, {b.getI32Type()}, /*sideEffects=*/false)
            .front();
    Value none = LL::ConstantOp::create(b, loc, b.getI32Type(), -1);
    neverTrue = LL::ICmpOp::create(b, loc, LL::ICmpPredicate::eq, multiprocessor, none);
  }
  return neverTrue;
}

void Emitter::namedBarrier(Value id, Value threads) {
  NVVM::BarrierOp::create(b, loc, TypeRange{}, id, threads, {}, Value());
}

void Emitter::taskBarrier() {
  if (task.warps == 1) {
    NVVM::SyncWarpOp::create(b, loc, i32(-1));
    return;
  }
  namedBarrier(i32(task.barrier), i32(task.warps * 32));
}

void Emitter::proxyFence(bool cluster) {
  auto space = cluster ? NVVM::SharedSpace::shared_cluster : NVVM::SharedSpace::shared_cta;
  NVVM::FenceProxyOp::create(b, loc, NVVM::ProxyKind::async_shared,
                             NVVM::SharedSpaceAttr::get(b.getContext(), space));
}

Value Emitter::shuffle(Value x, NVVM::ShflKind kind, Value lane) {
  Type type = x.getType();
  unsigned bits = isa<LL::LLVMPointerType>(type) ? 64 : type.getIntOrFloatBitWidth();
  if (bits > 32) {
    Value wide = isa<LL::LLVMPointerType>(type)
                     ? Value(LL::PtrToIntOp::create(b, loc, b.getI64Type(), x))
                     : cast(x, b.getI64Type());
    Value low = shuffle(resize(wide, b.getI32Type()), kind, lane);
    Value high = shuffle(resize(lshr(wide, 32), b.getI32Type()), kind, lane);
    Value both = bor(resize(low, b.getI64Type()), shl(resize(high, b.getI64Type()), 32));
    if (isa<LL::LLVMPointerType>(type))
      return LL::IntToPtrOp::create(b, loc, type, both);
    return cast(both, type);
  }
  Value word = resize(cast(x, b.getIntegerType(bits)), b.getI32Type());
  Value moved =
      NVVM::ShflOp::create(b, loc, b.getI32Type(), i32(-1), word, lane, i32(31), kind, UnitAttr());
  return cast(resize(moved, b.getIntegerType(bits)), type);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

Value Emitter::sharedAddress(int64_t offset) { return add(sharedBase, i32(offset)); }

Value Emitter::pointer(Value address, unsigned space) {
  return LL::IntToPtrOp::create(b, loc, LL::LLVMPointerType::get(b.getContext(), space), address);
}

Value Emitter::loadShared(Type type, Value address) {
  return LL::LoadOp::create(b, loc, type, pointer(address, 3));
}

void Emitter::storeShared(Value value, Value address) {
  LL::StoreOp::create(b, loc, value, pointer(address, 3));
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

LogicalResult Emitter::lower(Operation *op) {
  const Lowering *lowering = table.find(op);
  if (!lowering)
    return op->emitError("'" + op->getName().getStringRef() + "' has no lowering for sm_90a");
  llvm::SaveAndRestore<Location> place(loc, op->getLoc());
  auto meeting = plan.meetings.find(op);
  if (meeting != plan.meetings.end()) {
    if (meeting->second.fence)
      proxyFence();
    taskBarrier();
    // Costs nothing, and keeps ptxas from moving what follows, a wait for products above
    // all, in front of arithmetic that the products could overlap.
    if (task.warps > 1)
      NVVM::SyncWarpOp::create(b, loc, i32(-1));
  }
  llvm::SaveAndRestore<int64_t> scratch(task.scratch, plan.scratch.lookup(op));
  if (failed((*lowering)(op, *this)))
    return failure();
  if (op == plan.clusterEntryAfter)
    meetAtClusterEntry(*this);
  return success();
}

LogicalResult Emitter::lowerBody(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(lower(&op)))
      return failure();
  return success();
}

FailureOr<SmallVector<Value>> Emitter::inlineRegion(Region &region, ValueRange inputs) {
  Block *entry = &region.front();
  for (auto [argument, input] : llvm::zip_equal(entry->getArguments(), inputs))
    set(argument, input);
  if (region.hasOneBlock()) {
    if (failed(lowerBody(*entry)))
      return failure();
    return scalarsOf(entry->getTerminator()->getOperands());
  }
  // All ways out lead to one block, which receives the results.
  SmallVector<Type> types;
  for (Block &block : region)
    if (block.getTerminator()->getNumSuccessors() == 0)
      types = llvm::map_to_vector(block.getTerminator()->getOperandTypes(),
                                  [&](Type type) { return scalarType(type); });
  Block *after = newBlock(types);
  for (Block &block : region)
    if (&block != entry)
      blocks[&block] = newBlock(llvm::map_to_vector(block.getArgumentTypes(),
                                                    [&](Type type) { return scalarType(type); }));
  for (Block &block : region) {
    if (&block != entry) {
      Block *target = blocks.lookup(&block);
      moveTo(target);
      for (auto [argument, value] : llvm::zip(block.getArguments(), target->getArguments()))
        set(argument, value);
    }
    if (failed(lowerBody(block)))
      return failure();
    Operation *terminator = block.getTerminator();
    if (terminator->getNumSuccessors() == 0)
      branch(after, scalarsOf(terminator->getOperands()));
    else if (failed(lower(terminator)))
      return failure();
  }
  moveTo(after);
  return SmallVector<Value>(after->getArguments());
}

SmallVector<Value> Emitter::scalarsOf(ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) { return scalar(value); });
}

Block *Emitter::newBlock(ArrayRef<Type> arguments) {
  auto *block = new Block();
  function.getBody().push_back(block);
  for (Type type : arguments)
    block->addArgument(type, loc);
  return block;
}

void Emitter::branch(Block *to, ValueRange operands) { LL::BrOp::create(b, loc, operands, to); }

void Emitter::branch(Value condition, Block *then, ValueRange thenOperands, Block *otherwise,
                     ValueRange otherwiseOperands) {
  LL::CondBrOp::create(b, loc, condition, then, thenOperands, otherwise, otherwiseOperands);
}

void Emitter::ifThen(Value condition, llvm::function_ref<void()> body) {
  Block *inside = newBlock(), *after = newBlock();
  branch(condition, inside, {}, after, {});
  moveTo(inside);
  body();
  branch(after);
  moveTo(after);
}

/// Register bits between which the elements of a tile are equal: those of a mask that
/// cuts off whole vectors, for one.
static uint64_t bitsOfEquals(Value value, Emitter &e) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return 0;
  AxisInfo info = e.axes.of(value);
  const layout::LinearLayout &layout = e.layout(type);
  uint64_t mask = 0;
  for (unsigned bit = 0; bit < layout.inBits(layout::kRegister); ++bit) {
    std::vector<int32_t> basis = layout.basis(layout::kRegister, bit);
    bool within = true;
    for (auto [moved, length] : llvm::zip(basis, info.constancy))
      within &= moved < length;
    if (within)
      mask |= uint64_t(1) << bit;
  }
  return mask;
}

LogicalResult elementwise(Operation *op, Emitter &e, llvm::function_ref<Value(ValueRange)> f) {
  Registers results;
  size_t count = e.get(op->getOperand(0)).size();
  uint64_t equal = bitsOfEquals(op->getResult(0), e);
  for (size_t index = 0; index < count; ++index) {
    if (index & equal) {
      results.push_back(results[index & ~equal]);
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(e.get(operand)[e.get(operand).size() == 1 ? 0 : index]);
    results.push_back(f(operands));
  }
  e.set(op->getResult(0), std::move(results));
  return success();
}

} // namespace tlx::nvidia
