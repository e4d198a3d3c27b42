// Calls of the device library (libdevice), assembly that the program brings along,
// and regions applied element by element.
#include "compiler/lowering/nvidia/Library.h"

#include "compiler/lowering/nvidia/Families.h"
#include "compiler/lowering/nvidia/Fragment.h"
#include "compiler/lowering/nvidia/Ptx.h"

#include "compiler/dialect/tt/TT.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
namespace LL = mlir::LLVM;

namespace tlx::nvidia {

Value callLibrary(Emitter &e, StringRef symbol, Type result, ValueRange operands) {
  auto module = e.function->getParentOfType<ModuleOp>();
  auto callee = module.lookupSymbol<LL::LLVMFuncOp>(symbol);
  if (!callee) {
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(module.getBody());
    auto type = LL::LLVMFunctionType::get(result, SmallVector<Type>(operands.getTypes()));
    callee = LL::LLVMFuncOp::create(e.b, e.loc, symbol, type);
  }
  return LL::CallOp::create(e.b, e.loc, callee, operands).getResult();
}

LogicalResult lowerFunction(Operation *op, Emitter &e, StringRef name) {
  Type type = e.scalarType(op->getResult(0).getType());
  bool wide = type.isF64();
  Type work = wide ? type : Type(e.b.getF32Type());
  std::string symbol = ("__nv_" + name + (wide ? "" : "f")).str();
  return elementwise(op, e, [&](ValueRange x) -> Value {
    SmallVector<Value> operands;
    for (Value operand : x)
      operands.push_back(operand.getType() == work
                             ? operand
                             : Value(LL::FPExtOp::create(e.b, e.loc, work, operand)));
    Value result = callLibrary(e, symbol, work, operands);
    return work == type ? result : Value(LL::FPTruncOp::create(e.b, e.loc, type, result));
  });
}

namespace {

LogicalResult lowerExtern(tt::ExternElementwiseOp op, Emitter &e) {
  Type type = e.scalarType(op.getType());
  return elementwise(op, e, [&](ValueRange x) { return callLibrary(e, op.getSymbol(), type, x); });
}

template <typename Op> void addFunction(LoweringTable &table) {
  // math.erf is __nv_erff or __nv_erf, and so are the others.
  table.add<Op>(+[](Op op, Emitter &e) -> LogicalResult {
    return lowerFunction(op, e, op->getName().stripDialect());
  });
}

/// Registers of small elements travel four bytes at a time, in packs of
/// `packed_element` elements of every operand and result; the last element fills the last pack up.
LogicalResult lowerInlineAsm(tt::ElementwiseInlineAsmOp op, Emitter &e) {
  int64_t pack = op.getPackedElement();
  size_t count = op->getNumOperands() ? e.get(op->getOperand(0)).size()
                                      : e.registerTypes(op->getResult(0).getType()).size();
  // Elements that share a register, and the register's type.
  auto shareOf = [&](Type element) {
    unsigned bits = element.getIntOrFloatBitWidth();
    return pack == 1 || bits >= 32 ? int64_t(1) : std::min<int64_t>(pack, 32 / bits);
  };
  SmallVector<Type> resultTypes;
  for (Type type : op->getResultTypes()) {
    Type element = e.scalarType(type);
    int64_t share = shareOf(element);
    for (int64_t index = 0; index < pack; index += share)
      resultTypes.push_back(share > 1 ? e.b.getI32Type()
                            : isa<LL::LLVMPointerType>(element)
                                ? element
                                : Type(e.b.getIntegerType(element.getIntOrFloatBitWidth())));
  }
  SmallVector<Registers> results(op->getNumResults());
  for (size_t first = 0; first < count; first += pack) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      const Registers &registers = e.get(operand);
      auto at = [&](int64_t index) { return registers[std::min(first + index, count - 1)]; };
      Type element = registers.front().getType();
      int64_t share = isa<LL::LLVMPointerType>(element) ? 1 : shareOf(element);
      for (int64_t index = 0; index < pack; index += share) {
        SmallVector<Value> parts;
        for (int64_t part = 0; part < share; ++part)
          parts.push_back(at(index + part));
        if (share > 1)
          operands.push_back(packWord(e, parts));
        else if (isa<FloatType>(element))
          operands.push_back(
              e.cast(parts.front(), e.b.getIntegerType(element.getIntOrFloatBitWidth())));
        else
          operands.push_back(parts.front());
      }
    }
    SmallVector<Value> made =
        ptx::raw(e, op.getAsmString(), op.getConstraints(), operands, resultTypes, !op.getPure());
    size_t next = 0;
    for (auto [result, type] : llvm::zip(results, op->getResultTypes())) {
      Type element = e.scalarType(type);
      int64_t share = isa<LL::LLVMPointerType>(element) ? 1 : shareOf(element);
      for (int64_t index = 0; index < pack; index += share) {
        Value word = made[next++];
        if (share == 1) {
          result.push_back(e.cast(word, element));
          continue;
        }
        Value parts = e.cast(word, VectorType::get({share}, element));
        for (int64_t part = 0; part < share; ++part)
          result.push_back(LL::ExtractElementOp::create(e.b, e.loc, parts, e.i32(part)));
      }
    }
  }
  for (auto [result, registers] : llvm::zip(op->getResults(), results)) {
    registers.resize(count);
    e.set(result, registers);
  }
  return success();
}

/// The region for each pack of elements, its blocks and branches repeated.
LogicalResult lowerMap(tt::MapElementwiseOp op, Emitter &e) {
  int64_t pack = op.getPack();
  size_t count = e.get(op->getOperand(0)).size();
  SmallVector<Registers> results(op->getNumResults());
  for (size_t first = 0; first < count; first += pack) {
    SmallVector<Value> inputs;
    for (Value operand : op->getOperands())
      for (int64_t index = 0; index < pack; ++index)
        inputs.push_back(e.get(operand)[first + index]);
    FailureOr<SmallVector<Value>> made = e.inlineRegion(op.getScalarOp(), inputs);
    if (failed(made))
      return failure();
    for (size_t result = 0; result < results.size(); ++result)
      for (int64_t index = 0; index < pack; ++index)
        results[result].push_back((*made)[result * pack + index]);
  }
  for (auto [result, registers] : llvm::zip(op->getResults(), results))
    e.set(result, registers);
  return success();
}

} // namespace

void addLibrary(LoweringTable &table) {
  table.add<tt::ExternElementwiseOp>(lowerExtern);
  table.add<tt::ElementwiseInlineAsmOp>(lowerInlineAsm);
  table.add<tt::MapElementwiseOp>(lowerMap);
  addFunction<math::ErfOp>(table);
  addFunction<math::SinOp>(table);
  addFunction<math::CosOp>(table);
  addFunction<math::TanOp>(table);
  addFunction<math::TanhOp>(table);
  addFunction<math::AtanOp>(table);
  addFunction<math::Atan2Op>(table);
  addFunction<math::CbrtOp>(table);
  addFunction<math::Log10Op>(table);
  addFunction<math::Log1pOp>(table);
  addFunction<math::ExpM1Op>(table);
  table.add<math::PowFOp>(+[](math::PowFOp op, Emitter &e) { return lowerFunction(op, e, "pow"); });
}

} // namespace tlx::nvidia
