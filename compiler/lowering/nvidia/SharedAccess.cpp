#include "compiler/lowering/nvidia/SharedAccess.h"

#include "compiler/layout/Queries.h"
#include "compiler/lowering/nvidia/Fragment.h"
#include "compiler/lowering/nvidia/Ptx.h"

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

// Lanes 4r … 4r + 3 of a warp hold row r of a matrix of 8 x 8, two elements each; or
// column r, where reads transpose. One instruction moves up to four matrices; lane l
// gives the address of row l % 8 of matrix l / 8. Which matrices those are is told by
// register bits.
std::optional<SharedAccess::Matrices> SharedAccess::matrices(bool transposed) const {
  if (memory.getIntOrFloatBitWidth() != 16 || memory != element ||
      toShared.inBits(layout::kLane) != 5)
    return std::nullopt;
  auto offset = [&](std::string_view input, unsigned bit) {
    return int32_t(toShared.basis(input, bit, layout::kOffset));
  };
  // Of the two elements of a word, one bit each of a row's place and of a matrix's row.
  Matrices result;
  result.transposed = transposed;
  while (result.pairBit < toShared.inBits(layout::kRegister) &&
         offset(layout::kRegister, result.pairBit) == 0)
    ++result.pairBit;
  if (result.pairBit == toShared.inBits(layout::kRegister))
    return std::nullopt;
  int32_t pair = offset(layout::kRegister, result.pairBit);
  SmallVector<int32_t> places = {pair}, rows;
  for (unsigned bit = 0; bit < 5; ++bit)
    (bit < 2 ? places : rows).push_back(offset(layout::kLane, bit));
  if (transposed)
    std::swap(places, rows);
  if (ArrayRef(places) != ArrayRef<int32_t>({1, 2, 4}))
    return std::nullopt;
  // All that moves between rows and matrices must keep rows of 16 bytes whole.
  result.taken = uint64_t(1) << result.pairBit;
  layout::Bases rest, lanes, warps;
  auto whole = [](int32_t offset) { return offset % 8 == 0; };
  for (int32_t row : rows) {
    if (row == 0 || !whole(row))
      return std::nullopt;
    lanes.push_back({row});
  }
  for (unsigned bit = 0; bit < toShared.inBits(layout::kRegister); ++bit) {
    int32_t moved = offset(layout::kRegister, bit);
    rest.push_back({bit == result.pairBit ? 0 : moved});
    if (bit == result.pairBit)
      continue;
    if (!whole(moved))
      return std::nullopt;
    if (result.bits.size() == 2 || moved == 0)
      continue;
    result.bits.push_back(bit);
    result.taken |= uint64_t(1) << bit;
    rest.back() = {0};
    lanes.push_back({moved});
  }
  for (unsigned bit = 0; bit < toShared.inBits(layout::kWarp); ++bit) {
    warps.push_back({offset(layout::kWarp, bit)});
    if (!whole(warps.back().front()))
      return std::nullopt;
  }
  if (result.bits.empty())
    return std::nullopt;
  result.places = layout::LinearLayout::fromBases(
      {{std::string(layout::kRegister), rest},
       {std::string(layout::kLane), lanes},
       {std::string(layout::kWarp), warps}},
      {{std::string(layout::kOffset), toShared.outSize(layout::kOffset)}});
  return result;
}

void SharedAccess::eachInstruction(const Matrices &matrices, Buffer buffer,
                                   llvm::function_ref<void(Value, ArrayRef<int64_t>)> f) {
  Index address(e, matrices.places, layout::kOffset, 2);
  address.flip(buffer.flip);
  uint64_t copies = toShared.freeVariableMask(layout::kRegister);
  for (int64_t first = 0; first < toShared.inSize(layout::kRegister); ++first) {
    if (first & (matrices.taken | copies))
      continue;
    SmallVector<int64_t> words = {first};
    for (unsigned bit : matrices.bits)
      for (size_t index = 0, size = words.size(); index < size; ++index)
        words.push_back(words[index] | int64_t(1) << bit);
    int64_t constant = 0;
    Value at = e.add(buffer.base, address.at(first, constant));
    f(e.pointer(e.add(at, e.i32(constant)), 3), words);
  }
}

bool SharedAccess::storeMatrices(Buffer buffer, const Registers &registers) {
  std::optional<Matrices> found = matrices(/*transposed=*/false);
  if (!found)
    return false;
  int64_t pair = int64_t(1) << found->pairBit;
  auto shape = NVVM::LdStMatrixShapeAttr::get(e.b.getContext(), 8, 8);
  eachInstruction(*found, buffer, [&](Value pointer, ArrayRef<int64_t> numbers) {
    SmallVector<Value> words;
    for (int64_t reg : numbers)
      words.push_back(packWord(e, {registers[reg], registers[reg | pair]}));
    NVVM::StMatrixOp::create(e.b, e.loc, pointer, words, NVVM::MMALayout::row, shape,
                             NVVM::LdStMatrixEltType::B16);
  });
  return true;
}

std::optional<Registers> SharedAccess::loadMatrices(Buffer buffer) {
  std::optional<Matrices> found = matrices(/*transposed=*/false);
  if (!found)
    found = matrices(/*transposed=*/true);
  if (!found)
    return std::nullopt;
  Registers results(toShared.inSize(layout::kRegister));
  int64_t pair = int64_t(1) << found->pairBit;
  auto shape = NVVM::LdStMatrixShapeAttr::get(e.b.getContext(), 8, 8);
  NVVM::MMALayout order = found->transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
  eachInstruction(*found, buffer, [&](Value pointer, ArrayRef<int64_t> numbers) {
    SmallVector<Type> types(numbers.size(), e.b.getI32Type());
    Type all = LL::LLVMStructType::getLiteral(e.b.getContext(), types);
    Value loaded = NVVM::LdMatrixOp::create(e.b, e.loc, all, pointer, numbers.size(), order, shape,
                                            NVVM::LdStMatrixEltType::B16);
    for (auto [index, reg] : llvm::enumerate(numbers)) {
      Value word = LL::ExtractValueOp::create(e.b, e.loc, loaded, index);
      SmallVector<Value> both = takeApart(e, word, element);
      results[reg] = both[0];
      results[reg | pair] = both[1];
    }
  });
  int64_t copies = toShared.freeVariableMask(layout::kRegister);
  for (auto [reg, value] : llvm::enumerate(results))
    if (!value)
      value = results[reg & ~copies];
  return results;
}

BankUse SharedAccess::use(bool loads) const {
  std::optional<Matrices> found = matrices(/*transposed=*/false);
  if (!found && loads)
    found = matrices(/*transposed=*/true);
  uint64_t together = 0;
  for (unsigned bit : vector)
    together |= uint64_t(1) << bit;
  uint64_t copies = toShared.freeVariableMask(layout::kRegister);
  uint64_t skipped = (found ? found->taken : together) | copies;
  int64_t accesses = int64_t(1) << (toShared.inBits(layout::kRegister) - llvm::popcount(skipped));
  layout::BankCost cost =
      found ? layout::bankCost(found->places, 16, 8)
            : layout::bankCost(toShared, memory.getIntOrFloatBitWidth(), 1u << vector.size());
  return {accesses, accesses * cost.wavefronts, accesses * cost.ideal};
}

Registers SharedAccess::load(Buffer buffer) {
  if (std::optional<Registers> whole = loadMatrices(buffer))
    return *whole;
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

void SharedAccess::storeEverywhere(Buffer buffer, const Registers &registers, int64_t ctas) {
  unsigned bits = memory.getIntOrFloatBitWidth();
  Value always = e.constant(e.b.getI1Type(), 1);
  each(buffer, [&](Value address, ArrayRef<int64_t> numbers) {
    for (int64_t rank = 0; rank < ctas; ++rank) {
      Value there = ptx::mapToRank(e, address, e.i32(rank));
      for (auto [index, reg] : llvm::enumerate(numbers))
        ptx::storeCluster(e, always, e.add(there, e.i32(int64_t(index) * bits / 8)),
                          e.cast(toMemory(registers[reg]), e.b.getIntegerType(bits)));
    }
  });
}

} // namespace tlx::nvidia
