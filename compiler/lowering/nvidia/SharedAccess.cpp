#include "compiler/lowering/nvidia/SharedAccess.h"

#include "compiler/layout/Queries.h"
#include "compiler/lowering/nvidia/Fragment.h"

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

// Lanes 4r … 4r + 3 of a warp hold row r of a matrix, two elements each. One
// instruction stores up to four matrices; lane l gives the address of row l % 8 of
// matrix l / 8. Which matrices those are is told by register bits.
bool SharedAccess::storeMatrices(Buffer buffer, const Registers &registers) {
  if (memory.getIntOrFloatBitWidth() != 16 || memory != element || vector.size() != 1 ||
      toShared.inBits(layout::kLane) != 5)
    return false;
  auto offset = [&](std::string_view input, unsigned bit) {
    return toShared.basis(input, bit, layout::kOffset);
  };
  if (offset(layout::kLane, 0) != 2 || offset(layout::kLane, 1) != 4)
    return false;
  // All that moves between rows and matrices must keep rows of 16 bytes whole.
  SmallVector<unsigned> matrixBits;
  for (unsigned bit = 0; bit < toShared.inBits(layout::kRegister); ++bit) {
    if (bit == vector.front())
      continue;
    if (offset(layout::kRegister, bit) % 8 != 0)
      return false;
    if (matrixBits.size() < 2 && offset(layout::kRegister, bit) != 0)
      matrixBits.push_back(bit);
  }
  for (unsigned bit = 2; bit < 5; ++bit)
    if (offset(layout::kLane, bit) == 0 || offset(layout::kLane, bit) % 8 != 0)
      return false;
  for (unsigned bit = 0; bit < toShared.inBits(layout::kWarp); ++bit)
    if (offset(layout::kWarp, bit) % 8 != 0)
      return false;
  if (matrixBits.empty())
    return false;

  // The layout of addresses: lanes count rows, then matrices.
  std::vector<std::pair<std::string, layout::Bases>> bases;
  layout::Bases rest, lanes, warps;
  uint64_t taken = uint64_t(1) << vector.front();
  for (unsigned bit : matrixBits)
    taken |= uint64_t(1) << bit;
  for (unsigned bit = 0; bit < toShared.inBits(layout::kRegister); ++bit)
    rest.push_back({taken >> bit & 1 ? 0 : int32_t(offset(layout::kRegister, bit))});
  for (unsigned bit = 2; bit < 5; ++bit)
    lanes.push_back({int32_t(offset(layout::kLane, bit))});
  for (unsigned bit : matrixBits)
    lanes.push_back({int32_t(offset(layout::kRegister, bit))});
  for (unsigned bit = 0; bit < toShared.inBits(layout::kWarp); ++bit)
    warps.push_back({int32_t(offset(layout::kWarp, bit))});
  bases = {{std::string(layout::kRegister), rest},
           {std::string(layout::kLane), lanes},
           {std::string(layout::kWarp), warps}};
  layout::LinearLayout places = layout::LinearLayout::fromBases(
      bases, {{std::string(layout::kOffset), toShared.outSize(layout::kOffset)}});
  Index address(e, places, layout::kOffset, 2);
  address.flip(buffer.flip);
  uint64_t copies = toShared.freeVariableMask(layout::kRegister);
  for (int64_t first = 0; first < toShared.inSize(layout::kRegister); ++first) {
    if (first & (taken | copies))
      continue;
    SmallVector<int64_t> matrices = {first};
    for (unsigned bit : matrixBits)
      for (size_t index = 0, size = matrices.size(); index < size; ++index)
        matrices.push_back(matrices[index] | int64_t(1) << bit);
    SmallVector<Value> words;
    for (int64_t reg : matrices)
      words.push_back(packWord(e, {registers[reg], registers[reg | int64_t(1) << vector.front()]}));
    int64_t constant = 0;
    Value at = e.add(buffer.base, address.at(first, constant));
    Value pointer = e.pointer(e.add(at, e.i32(constant)), 3);
    auto shape = NVVM::LdStMatrixShapeAttr::get(e.b.getContext(), 8, 8);
    NVVM::StMatrixOp::create(e.b, e.loc, pointer, words, NVVM::MMALayout::row, shape,
                             NVVM::LdStMatrixEltType::B16);
  }
  return true;
}

void SharedAccess::store(Buffer buffer, const Registers &registers) {
  if (storeMatrices(buffer, registers))
    return;
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
