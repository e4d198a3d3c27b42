// Instructions on memory, tensor maps and conversions.
#include "compiler/lowering/nvidia/PtxInstruction.h"

using namespace mlir;
namespace LL = mlir::LLVM;

namespace tlx::nvidia::ptx {

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static StringRef letterOf(unsigned bits) { return bits == 64 ? "l" : bits == 16 ? "h" : "r"; }

static std::string qualifiers(const Access &access) {
  if (access.isVolatile)
    return ".volatile.global";
  std::string text = ".global";
  if (!access.cache.empty())
    text += "." + access.cache.str();
  if (!access.evict.empty())
    text += ".L1::" + access.evict.str();
  return text;
}

static std::string vectorOf(size_t words) {
  return words == 1 ? "" : ".v" + number(int64_t(words));
}

/// Small integers side by side in registers of 32 bits, or of 16 when there are
/// not enough.
static SmallVector<Value> packed(Emitter &e, ArrayRef<Value> elements) {
  unsigned bits = elements.front().getType().getIntOrFloatBitWidth();
  unsigned total = bits * elements.size(), width = std::max(16u, std::min(32u, total));
  if (bits >= 32)
    return SmallVector<Value>(elements);
  if (total < width)
    return {e.resize(elements.front(), e.b.getIntegerType(width))};
  auto small = VectorType::get({int64_t(elements.size())}, elements.front().getType());
  Value all = e.undefined(small);
  for (auto [index, element] : llvm::enumerate(elements))
    all = LL::InsertElementOp::create(e.b, e.loc, all, element, e.i32(index));
  int64_t count = total / width;
  Type word = e.b.getIntegerType(width);
  if (count == 1)
    return {e.cast(all, word)};
  Value words = e.cast(all, VectorType::get({count}, word));
  SmallVector<Value> result;
  for (int64_t index = 0; index < count; ++index)
    result.push_back(LL::ExtractElementOp::create(e.b, e.loc, words, e.i32(index)));
  return result;
}

static SmallVector<Value> unpacked(Emitter &e, ArrayRef<Value> words, Type element, size_t count) {
  unsigned bits = element.getIntOrFloatBitWidth();
  unsigned width = words.front().getType().getIntOrFloatBitWidth();
  if (bits >= 32)
    return SmallVector<Value>(words);
  if (bits * count < width)
    return {e.resize(words.front(), element)};
  Value all = words.front();
  if (words.size() > 1) {
    all = e.undefined(VectorType::get({int64_t(words.size())}, words.front().getType()));
    for (auto [index, word] : llvm::enumerate(words))
      all = LL::InsertElementOp::create(e.b, e.loc, all, word, e.i32(index));
  }
  all = e.cast(all, VectorType::get({int64_t(count)}, element));
  SmallVector<Value> result;
  for (size_t index = 0; index < count; ++index)
    result.push_back(LL::ExtractElementOp::create(e.b, e.loc, all, e.i32(index)));
  return result;
}

/// Bits that each register of an access carries: fewer than it has when there is
/// one small element.
static int64_t carriedBits(ArrayRef<Value> elements, ArrayRef<Value> words) {
  unsigned bits = elements.front().getType().getIntOrFloatBitWidth();
  return bits * elements.size() / words.size();
}

SmallVector<Value> loadGlobal(Emitter &e, Value predicate, Value pointer, ArrayRef<Value> others,
                              const Access &access) {
  SmallVector<Value> values = packed(e, others);
  size_t words = values.size();
  Type type = values.front().getType();
  unsigned width = type.getIntOrFloatBitWidth();
  std::string letter = letterOf(width).str(), constraints, moves, list;
  for (size_t index = 0; index < words; ++index) {
    constraints += (index ? ",=&" : "=&") + letter;
    list += (index ? ", $" : "$") + number(index);
    moves +=
        "mov.b" + number(width) + " $" + number(index) + ", $" + number(words + index) + ";\n\t";
  }
  for (size_t index = 0; index < words; ++index)
    constraints += "," + letter;
  std::string text = moves, address = "$" + number(2 * words);
  int64_t bits = carriedBits(others, values);
  values.push_back(pointer);
  constraints += ",l";
  if (predicate) {
    text += "@$" + number(2 * words + 1) + " ";
    values.push_back(predicate);
    constraints += ",b";
  }
  text += "ld" + qualifiers(access) + vectorOf(words) + ".b" + number(bits) + " " +
          (words == 1 ? list : "{" + list + "}") + ", [" + address + "];";
  SmallVector<Value> loaded =
      raw(e, text, constraints + ",~{memory}", values, SmallVector<Type>(words, type));
  return unpacked(e, loaded, others.front().getType(), others.size());
}

void storeGlobal(Emitter &e, Value predicate, Value pointer, ArrayRef<Value> elements,
                 const Access &access) {
  SmallVector<Value> words = packed(e, elements);
  StringRef letter = letterOf(words.front().getType().getIntOrFloatBitWidth());
  Instruction store(e);
  store.when(predicate)
      .text("st" + qualifiers(access) + vectorOf(words.size()) + ".b" +
            number(carriedBits(elements, words)) + " [")
      .reg(pointer, "l")
      .text("], ");
  if (words.size() == 1)
    store.reg(words.front(), letter);
  else
    store.list(words, letter);
  store.emit();
}

void storeCluster(Emitter &e, Value predicate, Value address, Value word) {
  unsigned bits = word.getType().getIntOrFloatBitWidth();
  Instruction(e)
      .when(predicate)
      .text("st.shared::cluster.b" + number(bits) + " [")
      .reg(address, "r")
      .text("], ")
      .reg(word, letterOf(bits))
      .emit();
}

void storeClusterAsync(Emitter &e, Value predicate, Value address, Value word, Value barrier) {
  unsigned bits = word.getType().getIntOrFloatBitWidth();
  Instruction(e)
      .when(predicate)
      .text("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b" + number(bits) + " [")
      .reg(address, "r")
      .text("], ")
      .reg(word, letterOf(bits))
      .text(", [")
      .reg(barrier, "r")
      .text("]")
      .emit();
}

Value mapToRank(Emitter &e, Value address, Value rank) {
  return raw(e, "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r", {address, rank},
             {e.b.getI32Type()}, /*sideEffects=*/false)
      .front();
}

void copyAsync(Emitter &e, Value shared, Value pointer, int64_t bytes, Value sourceBytes,
               StringRef cache) {
  Instruction copy(e);
  copy.text("cp.async." + (cache.empty() ? std::string(bytes == 16 ? "cg" : "ca") : cache.str()) +
            ".shared.global [")
      .reg(shared, "r")
      .text("], [")
      .reg(pointer, "l")
      .text("], " + number(bytes));
  if (sourceBytes)
    copy.text(", ").reg(sourceBytes, "r");
  copy.emit();
}

void bulkCopyToShared(Emitter &e, Value predicate, Value shared, Value pointer, Value bytes,
                      Value barrier) {
  Instruction(e)
      .when(predicate)
      .text("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [")
      .reg(shared, "r")
      .text("], [")
      .reg(pointer, "l")
      .text("], ")
      .reg(bytes, "r")
      .text(", [")
      .reg(barrier, "r")
      .text("]")
      .emit();
}

void bulkCopyToGlobal(Emitter &e, Value predicate, Value pointer, Value shared, Value bytes) {
  Instruction(e)
      .when(predicate)
      .text("cp.async.bulk.global.shared::cta.bulk_group [")
      .reg(pointer, "l")
      .text("], [")
      .reg(shared, "r")
      .text("], ")
      .reg(bytes, "r")
      .emit();
}

void bulkCopyToCluster(Emitter &e, Value predicate, Value to, Value from, Value bytes,
                       Value barrier) {
  Instruction(e)
      .when(predicate)
      .text("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [")
      .reg(to, "r")
      .text("], [")
      .reg(from, "r")
      .text("], ")
      .reg(bytes, "r")
      .text(", [")
      .reg(barrier, "r")
      .text("]")
      .emit();
}

void prefetch(Emitter &e, Value predicate, Value pointer, StringRef level) {
  Instruction(e)
      .when(predicate)
      .text("prefetch.global." + level + " [")
      .reg(pointer, "l")
      .text("]")
      .emit();
}

Value atomic(Emitter &e, Value predicate, StringRef order, StringRef instruction, Value pointer,
             ArrayRef<Value> operands) {
  Type type = operands.front().getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  std::string letter = letterOf(bits).str(), constraints = "=&" + letter + ",l";
  SmallVector<Value> values = {pointer};
  std::string list;
  for (Value operand : operands) {
    list += ", $" + number(values.size() + 1);
    values.push_back(e.cast(operand, e.b.getIntegerType(bits)));
    constraints += "," + letter;
  }
  std::string text = "mov.b" + number(bits) + " $0, 0;\n\t";
  if (predicate) {
    text += "@$" + number(values.size() + 1) + " ";
    values.push_back(predicate);
    constraints += ",b";
  }
  text += ("atom." + order + ".global." + instruction).str() + " $0, [$1]" + list + ";";
  Value old = raw(e, text, constraints + ",~{memory}", values, {e.b.getIntegerType(bits)}).front();
  return e.cast(old, type);
}

void countShared(Emitter &e, Value predicate, Value address) {
  Instruction(e)
      .when(predicate)
      .text("red.relaxed.cta.shared::cta.add.u32 [")
      .reg(address, "r")
      .text("], 1")
      .emit();
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

static std::string replaceName(StringRef field, bool wide) {
  return ("tensormap.replace.tile." + field + ".shared::cta.b1024.").str() +
         (wide ? "b64 [" : "b32 [");
}

void replaceTensormap(Emitter &e, Value predicate, StringRef field, Value shared, int64_t ordinal,
                      Value value) {
  bool wide = value.getType().isInteger(64);
  Instruction replace(e);
  replace.when(predicate).text(replaceName(field, wide)).reg(shared, "r").text("], ");
  if (ordinal >= 0)
    replace.text(number(ordinal) + ", ");
  replace.reg(value, wide ? "l" : "r").emit();
}

void setTensormap(Emitter &e, Value predicate, StringRef field, Value shared, int64_t value) {
  Instruction(e)
      .when(predicate)
      .text(replaceName(field, false))
      .reg(shared, "r")
      .text("], " + number(value))
      .emit();
}

void publishTensormap(Emitter &e, Value pointer, Value shared) {
  Instruction(e)
      .text("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync"
            ".aligned [")
      .reg(pointer, "l")
      .text("], [")
      .reg(shared, "r")
      .text("], 128")
      .emit();
}

void acquireTensormap(Emitter &e, Value pointer) {
  Instruction(e)
      .text("fence.proxy.tensormap::generic.acquire.gpu [")
      .reg(pointer, "l")
      .text("], 128")
      .emit();
}

//===----------------------------------------------------------------------===//
// Conversions and functions
//===----------------------------------------------------------------------===//

// The instructions convert pairs; the upper one is not used.
Value fromFloat8(Emitter &e, Value x, StringRef format) {
  Value pair = e.resize(x, e.b.getIntegerType(16));
  Value both = raw(e, ("cvt.rn.f16x2." + format + "x2 $0, $1;").str(), "=r,h", {pair},
                   {e.b.getI32Type()}, false)
                   .front();
  return e.cast(e.resize(both, e.b.getIntegerType(16)), e.b.getF16Type());
}

Value toFloat8(Emitter &e, Value x, StringRef format) {
  Value pair = raw(e, ("cvt.rn.satfinite." + format + "x2.f32 $0, $1, $2;").str(), "=h,f,f",
                   {e.zero(e.b.getF32Type()), x}, {e.b.getIntegerType(16)}, false)
                   .front();
  return e.resize(pair, e.b.getI8Type());
}

Value roundToZero(Emitter &e, Value x, Type type) {
  std::string name = type.isBF16() ? "bf16" : "f16";
  Value bits =
      raw(e, "cvt.rz." + name + ".f32 $0, $1;", "=h,f", {x}, {e.b.getIntegerType(16)}, false)
          .front();
  return e.cast(bits, type);
}

Value approximation(Emitter &e, StringRef instruction, Value x) {
  return raw(e, (instruction + ".f32 $0, $1;").str(), "=f,f", {x}, {e.b.getF32Type()}, false)
      .front();
}

} // namespace tlx::nvidia::ptx
