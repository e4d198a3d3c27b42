#include "compiler/lowering/nvidia/SharedAccess.h"

#include "compiler/layout/Queries.h"

using namespace mlir;
namespace LL = mlir::LLVM;

namespace tlx::nvidia {

static Type memoryType(Emitter &e, Type element) {
  if (isa<LL::LLVMPointerType>(element))
    return e.b.getI64Type();
  if (element.isInteger() && element.getIntOrFloatBitWidth() < 8)
    return e.b.getI8Type();
  return element;
}

SharedAccess::SharedAccess(Emitter &e, const layout::LinearLayout &registers,
                           const layout::LinearLayout &shared, Type element)
    : e(e), toShared(*layout::registersToShared(registers, shared)), element(element),
      memory(memoryType(e, element)),
      vector(layout::vectorRegisterBits(toShared, memory.getIntOrFloatBitWidth())) {}

void SharedAccess::limit(ArrayRef<unsigned> bits) {
  size_t common = 0;
  while (common < std::min(vector.size(), bits.size()) && vector[common] == bits[common])
    ++common;
  vector.resize(common);
}

Value SharedAccess::toMemory(Value value) {
  if (isa<LL::LLVMPointerType>(element))
    return LL::PtrToIntOp::create(e.b, e.loc, memory, value);
  return memory == element ? value : e.resize(value, memory);
}

Value SharedAccess::fromMemory(Value stored) {
  if (isa<LL::LLVMPointerType>(element))
    return LL::IntToPtrOp::create(e.b, e.loc, element, stored);
  return memory == element ? stored : e.resize(stored, element);
}

void SharedAccess::each(Buffer buffer, llvm::function_ref<void(Value, ArrayRef<int64_t>)> f) {
  unsigned bits = memory.getIntOrFloatBitWidth();
  uint64_t vectorMask = 0;
  for (unsigned bit : vector)
    vectorMask |= uint64_t(1) << bit;
  Index offset(e, toShared, layout::kOffset, bits / 8);
  offset.flip(buffer.flip);
  for (int64_t first = 0; first < toShared.inSize(layout::kRegister); ++first) {
    if (first & vectorMask)
      continue;
    SmallVector<int64_t> registers = {first};
    for (unsigned bit : vector)
      for (size_t index = 0, size = registers.size(); index < size; ++index)
        registers.push_back(registers[index] | int64_t(1) << bit);
    int64_t constant = 0;
    Value address = e.add(buffer.base, offset.at(first, constant));
    f(e.add(address, e.i32(constant)), registers);
  }
}

Registers SharedAccess::load(Buffer buffer) {
  Registers results(toShared.inSize(layout::kRegister));
  each(buffer, [&](Value address, ArrayRef<int64_t> registers) {
    unsigned count = registers.size();
    Type type = count == 1 ? memory : Type(VectorType::get({int64_t(count)}, memory));
    Value loaded = e.loadShared(type, address);
    for (auto [index, reg] : llvm::enumerate(registers))
      results[reg] = fromMemory(
          count == 1 ? loaded
                     : Value(LL::ExtractElementOp::create(e.b, e.loc, loaded, e.i32(index))));
  });
  return results;
}

void SharedAccess::store(Buffer buffer, const Registers &registers) {
  // Registers that hold a copy of another register's element need no store.
  uint64_t copies = toShared.freeVariableMask(layout::kRegister);
  each(buffer, [&](Value address, ArrayRef<int64_t> numbers) {
    if (numbers.front() & copies)
      return;
    if (numbers.size() == 1) {
      e.storeShared(toMemory(registers[numbers.front()]), address);
      return;
    }
    Value all = e.undefined(VectorType::get({int64_t(numbers.size())}, memory));
    for (auto [index, reg] : llvm::enumerate(numbers))
      all = LL::InsertElementOp::create(e.b, e.loc, all, toMemory(registers[reg]), e.i32(index));
    e.storeShared(all, address);
  });
}

} // namespace tlx::nvidia
