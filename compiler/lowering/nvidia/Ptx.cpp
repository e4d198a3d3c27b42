#include "compiler/lowering/nvidia/Ptx.h"

using namespace mlir;
namespace LL = mlir::LLVM;

namespace tlx::nvidia::ptx {

SmallVector<Value> raw(Emitter &e, StringRef text, StringRef constraints, ValueRange operands,
                       ArrayRef<Type> results, bool sideEffects) {
  SmallVector<Type> types;
  if (results.size() == 1)
    types.push_back(results.front());
  else if (!results.empty())
    types.push_back(LL::LLVMStructType::getLiteral(e.b.getContext(), results));
  auto op = LL::InlineAsmOp::create(
      e.b, e.loc, types, operands, text, constraints, sideEffects, /*is_align_stack=*/false,
      LL::TailCallKind::None, LL::AsmDialectAttr::get(e.b.getContext(), LL::AsmDialect::AD_ATT),
      ArrayAttr());
  SmallVector<Value> values;
  if (results.size() == 1)
    values.push_back(op.getResult(0));
  else
    for (size_t index = 0; index < results.size(); ++index)
      values.push_back(LL::ExtractValueOp::create(e.b, e.loc, op.getResult(0), index));
  return values;
}

namespace {

/// Text, constraints and operands of one instruction, built together: `reg`
/// appends an operand and writes its place.
class Instruction {
public:
  explicit Instruction(Emitter &e) : e(e) {}

  Instruction &text(const Twine &more) {
    body += more.str();
    return *this;
  }
  Instruction &reg(Value value, StringRef constraint) {
    body += "$" + std::to_string(operands.size());
    operands.push_back(value);
    constraints += (constraints.empty() ? "" : ",") + constraint.str();
    return *this;
  }
  /// A guard; null: none.
  Instruction &when(Value predicate) {
    if (predicate)
      text("@").reg(predicate, "b").text(" ");
    return *this;
  }
  Instruction &list(ValueRange values, StringRef constraint) {
    text("{");
    for (auto [index, value] : llvm::enumerate(values))
      text(index ? ", " : "").reg(value, constraint);
    return text("}");
  }
  void emit(StringRef end = ";") {
    constraints += constraints.empty() ? "~{memory}" : ",~{memory}";
    raw(e, body + end.str(), constraints, operands, {});
  }

private:
  Emitter &e;
  std::string body, constraints;
  SmallVector<Value> operands;
};

std::string number(int64_t value) { return std::to_string(value); }

} // namespace

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void mbarrierInit(Emitter &e, Value predicate, Value address, int64_t count) {
  Instruction(e)
      .when(predicate)
      .text("mbarrier.init.shared::cta.b64 [")
      .reg(address, "r")
      .text("], " + number(count))
      .emit();
}

void mbarrierInval(Emitter &e, Value predicate, Value address) {
  Instruction(e)
      .when(predicate)
      .text("mbarrier.inval.shared::cta.b64 [")
      .reg(address, "r")
      .text("]")
      .emit();
}

void mbarrierExpect(Emitter &e, Value predicate, Value address, int64_t bytes) {
  Instruction(e)
      .when(predicate)
      .text("mbarrier.arrive.expect_tx.shared::cta.b64 _, [")
      .reg(address, "r")
      .text("], " + number(bytes))
      .emit();
}

void mbarrierArrive(Emitter &e, Value predicate, Value address, int64_t count, bool cluster) {
  std::string space = cluster ? "mbarrier.arrive.release.cluster.shared::cluster.b64 _, ["
                              : "mbarrier.arrive.shared::cta.b64 _, [";
  Instruction(e)
      .when(predicate)
      .text(space)
      .reg(address, "r")
      .text(count == 1 ? "]" : "], " + number(count))
      .emit();
}

void mbarrierWait(Emitter &e, Value predicate, Value address, Value phase, int64_t suspendNs) {
  Instruction wait(e);
  wait.text("{\n\t.reg .pred done;\n");
  if (predicate)
    wait.text("\t@!").reg(predicate, "b").text(" bra.uni passed;\n");
  wait.text("again:\n\tmbarrier.try_wait.parity.shared::cta.b64 done, [")
      .reg(address, "r")
      .text("], ")
      .reg(phase, "r")
      .text(suspendNs ? ", " + number(suspendNs) : std::string())
      .text(";\n\t@!done bra.uni again;\n")
      .text(predicate ? "passed:\n}" : "}")
      .emit("");
}

void fenceMbarrierInit(Emitter &e, Value predicate) {
  Instruction(e).when(predicate).text("fence.mbarrier_init.release.cluster").emit();
}

void namedBarrierArrive(Emitter &e, Value id, Value threads) {
  Instruction(e).text("bar.arrive ").reg(id, "r").text(", ").reg(threads, "r").emit();
}

//===----------------------------------------------------------------------===//
// Tensor copies
//===----------------------------------------------------------------------===//

static std::string rankOf(const TensorCopy &copy) { return number(copy.coordinates.size()) + "d"; }

void tensorLoad(Emitter &e, const TensorCopy &copy) {
  Instruction load(e);
  load.when(copy.predicate)
      .text("cp.async.bulk.tensor." + rankOf(copy) +
            ".shared::cluster.global.mbarrier::complete_tx::bytes");
  if (copy.multicast)
    load.text(".multicast::cluster");
  if (copy.policy)
    load.text(".L2::cache_hint");
  load.text(" [")
      .reg(copy.shared, "r")
      .text("], [")
      .reg(copy.descriptor, "l")
      .text(", ")
      .list(copy.coordinates, "r")
      .text("], [")
      .reg(copy.barrier, "r")
      .text("]");
  if (copy.multicast)
    load.text(", ").reg(copy.multicast, "h");
  if (copy.policy)
    load.text(", ").reg(copy.policy, "l");
  load.emit();
}

void tensorStore(Emitter &e, const TensorCopy &copy, StringRef reduction) {
  Instruction store(e);
  store.when(copy.predicate)
      .text(reduction.empty() ? "cp.async.bulk.tensor." : "cp.reduce.async.bulk.tensor.")
      .text(rankOf(copy) + ".global.shared::cta");
  if (!reduction.empty())
    store.text("." + reduction);
  store.text(copy.policy ? ".bulk_group.L2::cache_hint [" : ".bulk_group [")
      .reg(copy.descriptor, "l")
      .text(", ")
      .list(copy.coordinates, "r")
      .text("], [")
      .reg(copy.shared, "r")
      .text("]");
  if (copy.policy)
    store.text(", ").reg(copy.policy, "l");
  store.emit();
}

void tensorPrefetch(Emitter &e, const TensorCopy &copy) {
  Instruction fetch(e);
  fetch.when(copy.predicate)
      .text("cp.async.bulk.prefetch.tensor." + rankOf(copy) +
            (copy.policy ? ".L2.global.tile.L2::cache_hint [" : ".L2.global.tile ["))
      .reg(copy.descriptor, "l")
      .text(", ")
      .list(copy.coordinates, "r")
      .text("]");
  if (copy.policy)
    fetch.text(", ").reg(copy.policy, "l");
  fetch.emit();
}

void prefetchTensormap(Emitter &e, Value predicate, Value descriptor) {
  Instruction(e).when(predicate).text("prefetch.tensormap [").reg(descriptor, "l").text("]").emit();
}

Value cachePolicy(Emitter &e, StringRef priority) {
  return raw(e, ("createpolicy.fractional.L2::" + priority + ".b64 $0, 1.0;").str(), "=l", {},
             {e.b.getI64Type()}, /*sideEffects=*/false)
      .front();
}

void bulkWaitGroup(Emitter &e, int64_t pending, bool readOnly) {
  Instruction(e)
      .text((readOnly ? "cp.async.bulk.wait_group.read " : "cp.async.bulk.wait_group ") +
            number(pending))
      .emit();
}

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

SmallVector<Value> wgmma(Emitter &e, const Wgmma &in, Type registerType) {
  bool half = registerType.isInteger(32) && in.accumulator == "f16";
  int64_t count = half ? in.n / 4 : in.n / 2;
  StringRef letter = isa<FloatType>(registerType) ? "f" : "r";
  std::string text = "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, ", operands, constraints;
  SmallVector<Value> values;
  auto place = [&](int64_t index) { return "$" + number(index); };
  for (int64_t index = 0; index < count; ++index) {
    operands += (index ? ", " : "") + place(index);
    constraints += (index ? ",=" : "=") + letter.str();
  }
  int64_t next = count;
  auto add = [&](Value value, const std::string &constraint) {
    values.push_back(value);
    constraints += "," + constraint;
    return place(next++);
  };
  std::string a;
  if (in.descriptorA) {
    a = add(in.descriptorA, "l");
  } else {
    for (Value register32 : in.fragmentA)
      a += (a.empty() ? "{" : ", ") + add(register32, "r");
    a += "}";
  }
  std::string b = add(in.descriptorB, "l");
  Value accumulate =
      in.accumulate ? e.resize(in.accumulate, e.i32Type()) : e.i32(!in.accumulators.empty());
  text += add(accumulate, "r") + ", 0;\n\t";
  // The accumulators come in where they go out.
  for (auto [index, value] : llvm::enumerate(in.accumulators))
    add(value, number(index));

  text += "wgmma.mma_async.sync.aligned.m64n" + number(in.n) + "k" + number(in.k) + "." +
          in.accumulator.str() + "." + in.a.str() + "." + in.b.str() + " {" + operands + "}, " + a +
          ", " + b + ", p";
  bool integer = in.accumulator == "s32";
  if (!integer)
    text += ", 1, 1";
  if (in.a == "f16" || in.a == "bf16") {
    if (in.descriptorA)
      text += in.transposeA ? ", 1" : ", 0";
    text += in.transposeB ? ", 1" : ", 0";
  }
  text += ";\n}";
  return raw(e, text, constraints, values, SmallVector<Type>(count, registerType));
}

SmallVector<Value> wgmmaWait(Emitter &e, int64_t pending, ValueRange values) {
  std::string constraints, text = "wgmma.wait_group.sync.aligned " + number(pending) + ";";
  SmallVector<Type> types(values.getTypes());
  for (auto [index, type] : llvm::enumerate(types))
    constraints += (index ? ",=" : "=") + std::string(isa<FloatType>(type) ? "f" : "r");
  for (size_t index = 0; index < types.size(); ++index)
    constraints += "," + number(index);
  constraints += constraints.empty() ? "~{memory}" : ",~{memory}";
  return raw(e, text, constraints, values, types);
}

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
