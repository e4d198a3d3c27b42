#include "compiler/lowering/nvidia/PtxInstruction.h"

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

void mbarrierArrive(Emitter &e, Value predicate, Value address, int64_t count, bool remote) {
  std::string space = !remote ? "mbarrier.arrive.shared::cta.b64 _, ["
                      : e.plan.releasesToCluster
                          ? "mbarrier.arrive.release.cluster.shared::cluster.b64 _, ["
                          : "mbarrier.arrive.shared::cluster.b64 _, [";
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

Value namedBarrierAsk(Emitter &e, Value id, Value threads, Value condition, bool all) {
  // The vote is for ptxas, which knows of nothing else that it is the same for a whole warp.
  std::string text = "{ .reg .pred answer; bar.red." + std::string(all ? "and" : "or") +
                     ".pred answer, $1, $2, $3; vote.sync.any.pred $0, answer, -1; }";
  return raw(e, text, "=b,r,r,b,~{memory}", {id, threads, condition}, {e.i1Type()}).front();
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

void endBlock(Emitter &e) { Instruction(e).when(e.never()).text("exit").emit(); }

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

} // namespace tlx::nvidia::ptx
