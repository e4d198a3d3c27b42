// Loads and stores of global memory.
#include "compiler/lowering/nvidia/Global.h"
#include "compiler/lowering/nvidia/Emitter.h"
#include "compiler/lowering/nvidia/Families.h"
#include "compiler/lowering/nvidia/Ptx.h"

#include "compiler/dialect/ttng/TTNG.h"
#include "compiler/layout/Queries.h"

using namespace mlir;
namespace LL = mlir::LLVM;

namespace tlx::nvidia {

/// Words that hold elements of a type in memory, and back.
static Value toWord(Emitter &e, Value element) {
  Type type = element.getType();
  if (isa<LL::LLVMPointerType>(type))
    return LL::PtrToIntOp::create(e.b, e.loc, e.b.getI64Type(), element);
  unsigned bits = type.getIntOrFloatBitWidth();
  Value word = e.cast(element, e.b.getIntegerType(bits));
  return bits < 8 ? e.resize(word, e.b.getI8Type()) : word;
}

static Value fromWord(Emitter &e, Value word, Type type) {
  if (isa<LL::LLVMPointerType>(type))
    return LL::IntToPtrOp::create(e.b, e.loc, type, word);
  if (type.isInteger(1))
    return e.compare(LL::ICmpPredicate::ne, word, e.constant(word.getType(), 0));
  return e.cast(e.resize(word, e.b.getIntegerType(type.getIntOrFloatBitWidth())), type);
}

Value isOwner(Emitter &e, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return e.isFirstThread();
  const layout::LinearLayout &layout = e.layout(tensor);
  Value owner;
  for (auto [name, value] :
       {std::pair(layout::kLane, e.task.lane), std::pair(layout::kWarp, e.task.warp)}) {
    uint64_t copies = layout.freeVariableMask(name);
    if (copies == 0)
      continue;
    Value mine = e.equal(e.band(value, e.i32(copies)), e.i32(0));
    owner = owner ? e.band(owner, mine) : mine;
  }
  return owner;
}

static StringRef cacheOf(tt::CacheModifier cache) {
  return cache == tt::CacheModifier::NONE ? "" : tt::stringifyCacheModifier(cache);
}

static StringRef evictOf(tt::EvictionPolicy evict) {
  return evict == tt::EvictionPolicy::NORMAL ? "" : tt::stringifyEvictionPolicy(evict);
}

static LogicalResult lowerLoad(tt::LoadOp op, Emitter &e) {
  const Registers pointers = e.get(op.getPtr());
  Type type = e.scalarType(op.getType());
  unsigned bits = Emitter::memoryBits(tt::elementTypeOrSelf(op.getType()));
  ptx::Access access{cacheOf(op.getCache()), evictOf(op.getEvict()), op.getIsVolatile()};
  Type word = e.b.getIntegerType(bits);
  SmallVector<unsigned> vector = pointerVector(e, op.getPtr(), op.getMask(), bits);
  Registers results(pointers.size());
  bool plain = !op.getMask() && access.cache.empty() && access.evict.empty() && bits >= 16;
  for (const SmallVector<int64_t> &group : groupsOf(pointers.size(), vector)) {
    Value pointer = pointers[group.front()];
    if (plain) {
      Type all = group.size() == 1 ? word : Type(VectorType::get({int64_t(group.size())}, word));
      Value loaded =
          LL::LoadOp::create(e.b, e.loc, all, pointer, group.size() * bits / 8, op.getIsVolatile());
      for (auto [index, reg] : llvm::enumerate(group))
        results[reg] =
            fromWord(e,
                     group.size() == 1
                         ? loaded
                         : Value(LL::ExtractElementOp::create(e.b, e.loc, loaded, e.i32(index))),
                     type);
      continue;
    }
    SmallVector<Value> others;
    for (int64_t reg : group)
      others.push_back(op.getOther() ? toWord(e, e.get(op.getOther())[reg]) : e.constant(word, 0));
    Value predicate = op.getMask() ? e.get(op.getMask())[group.front()] : Value();
    SmallVector<Value> words = ptx::loadGlobal(e, predicate, pointer, others, access);
    for (auto [reg, value] : llvm::zip(group, words))
      results[reg] = fromWord(e, value, type);
  }
  e.set(op.getResult(), std::move(results));
  return success();
}

static LogicalResult lowerStore(tt::StoreOp op, Emitter &e) {
  const Registers pointers = e.get(op.getPtr()), values = e.get(op.getValue());
  unsigned bits = Emitter::memoryBits(tt::elementTypeOrSelf(op.getValue().getType()));
  ptx::Access access{cacheOf(op.getCache()), evictOf(op.getEvict()), false};
  SmallVector<unsigned> vector = pointerVector(e, op.getPtr(), op.getMask(), bits);
  uint64_t copies = 0;
  if (auto tensor = dyn_cast<RankedTensorType>(op.getPtr().getType()))
    copies = e.layout(tensor).freeVariableMask(layout::kRegister);
  Value owner = isOwner(e, op.getPtr().getType());
  for (const SmallVector<int64_t> &group : groupsOf(pointers.size(), vector)) {
    if (group.front() & copies)
      continue;
    Value predicate = owner;
    if (op.getMask()) {
      Value mask = e.get(op.getMask())[group.front()];
      predicate = owner ? e.band(owner, mask) : mask;
    }
    SmallVector<Value> words;
    for (int64_t reg : group)
      words.push_back(toWord(e, values[reg]));
    ptx::storeGlobal(e, predicate, pointers[group.front()], words, access);
  }
  return success();
}

SmallVector<SmallVector<int64_t>> groupsOf(int64_t registers, ArrayRef<unsigned> vector) {
  uint64_t mask = 0;
  for (unsigned bit : vector)
    mask |= uint64_t(1) << bit;
  SmallVector<SmallVector<int64_t>> groups;
  for (int64_t first = 0; first < registers; ++first) {
    if (first & mask)
      continue;
    SmallVector<int64_t> group = {first};
    for (unsigned bit : vector)
      for (size_t index = 0, size = group.size(); index < size; ++index)
        group.push_back(group[index] | int64_t(1) << bit);
    groups.push_back(std::move(group));
  }
  return groups;
}

SmallVector<unsigned> pointerVector(Emitter &e, Value pointers, Value mask, unsigned elementBits) {
  auto tensor = dyn_cast<RankedTensorType>(pointers.getType());
  if (!tensor)
    return {};
  AxisInfo info = e.axes.of(pointers);
  unsigned dim = llvm::max_element(info.contiguity) - info.contiguity.begin();
  int64_t bytes = elementBits / 8;
  int64_t most = std::min({info.contiguity[dim], info.divisibility[dim] / bytes, 16 / bytes});
  if (mask)
    most = std::min(most, e.axes.of(mask).constancy[dim]);
  if (most <= 1)
    return {};
  const layout::LinearLayout &layout = e.layout(tensor);
  layout::LinearLayout along = layout.sublayout(layout.inNames(), {layout::dimName(dim)})
                                   .renameOut(layout::dimName(dim), layout::kOffset);
  std::vector<unsigned> bits =
      layout::vectorRegisterBits(along, elementBits, unsigned(most * elementBits));
  // Registers that differ along other dimensions as well are not consecutive.
  SmallVector<unsigned> result;
  for (unsigned bit : bits) {
    std::vector<int32_t> basis = layout.basis(layout::kRegister, bit);
    basis[dim] = 0;
    if (llvm::any_of(basis, [](int32_t value) { return value != 0; }))
      break;
    result.push_back(bit);
  }
  return result;
}

static LogicalResult lowerPrefetch(ttng::PrefetchOp op, Emitter &e) {
  StringRef level = op.getCache() == tt::CacheModifier::CA ? "L1" : "L2";
  for (auto [reg, pointer] : llvm::enumerate(Registers(e.get(op.getPtr())))) {
    Value mask = op.getMask() ? e.get(op.getMask())[reg] : Value();
    ptx::prefetch(e, mask, pointer, level);
  }
  return success();
}

void addGlobal(LoweringTable &table) {
  table.add<ttng::PrefetchOp>(lowerPrefetch);
  table.add<tt::LoadOp>(lowerLoad);
  table.add<tt::StoreOp>(lowerStore);
}

} // namespace tlx::nvidia
