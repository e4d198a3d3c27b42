//===- Emitter.h - what the lowering of every operation shares --------------===//
//
// While a kernel is lowered, each value of the tile program has its registers:
// the values of one thread that stand for it.
//
//   scalar, pointer       one
//   tile                  one for each value of the layout's `register` input
//   tensor descriptor     one: a generic pointer to its 128 bytes
//   buffer (memdesc)      two: see Buffer
//   async token           none
//
// A lowering reads its operands' registers, emits operations at the insertion
// point, and sets its results' registers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/analysis/AxisInfo.h"
#include "compiler/dialect/ttg/TTG.h"
#include "compiler/layout/LinearLayout.h"
#include "compiler/lowering/nvidia/SharedPlan.h"
#include "compiler/lowering/nvidia/Specialize.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <functional>

namespace tlx::nvidia {

using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::success;
using mlir::Type;
using mlir::Value;
using mlir::ValueRange;

using Registers = llvm::SmallVector<Value, 4>;

class Emitter;
using Lowering = std::function<LogicalResult(Operation *, Emitter &)>;

/// Lowerings by operation name.
class LoweringTable {
public:
  template <typename Op> void add(LogicalResult (*lower)(Op, Emitter &)) {
    table[Op::getOperationName()] = [lower](Operation *op, Emitter &e) {
      return lower(mlir::cast<Op>(op), e);
    };
  }
  const Lowering *find(Operation *op) const {
    auto found = table.find(op->getName().getStringRef());
    return found == table.end() ? nullptr : &found->second;
  }

private:
  llvm::StringMap<Lowering> table;
};

/// The warps that run what is being emitted: the kernel's default warps, or those
/// of one partition.
struct Task {
  int64_t warps = 0;
  int64_t firstWarp = 0;
  int barrier = 0;          ///< number of its hardware barrier
  int64_t scratch = 0;      ///< byte offset in shared memory, of the operation's scratch
  Value thread, lane, warp; ///< within the task
  Value uniformWarp;        ///< `warp`, known to be the same in all lanes
};

/// Where a buffer's elements lie: the element with linear offset o of the layout
/// (in bytes) is at base + (o ^ flip). `flip` is 0 but in views that begin inside
/// of a swizzled tile. Both i32; `base` is an address of shared memory, of the
/// cluster's for remote buffers.
struct Buffer {
  Value base, flip;
};

class Emitter {
public:
  Emitter(tt::FuncOp kernel, const LoweringTable &table, const SharedPlan &plan,
          const WarpPlan &warps, mlir::LLVM::LLVMFuncOp function);

  mlir::OpBuilder b;
  mlir::Location loc;
  tt::FuncOp kernel;
  const SharedPlan &plan;
  const WarpPlan &warps;
  mlir::LLVM::LLVMFuncOp function;
  Task task;
  const AxisInfos axes;

  //===--- values ---------------------------------------------------------===//
  const Registers &get(Value value);
  Value scalar(Value value) { return get(value).front(); }
  Buffer buffer(Value value) { return {get(value)[0], get(value)[1]}; }
  void set(Value value, Registers registers) { values[value] = std::move(registers); }
  void set(Value value, Value single) { values[value] = {single}; }
  void set(Value value, Buffer buffer) { values[value] = {buffer.base, buffer.flip}; }
  bool has(Value value) const { return values.count(value); }
  llvm::DenseMap<Value, Registers> copyValues() const { return values; }
  /// Exchanges the values known so far for others.
  llvm::DenseMap<Value, Registers> swapValues(llvm::DenseMap<Value, Registers> other) {
    std::swap(values, other);
    return other;
  }

  //===--- types ----------------------------------------------------------===//
  /// Of one register of a scalar or of a tile's element.
  Type scalarType(Type type);
  /// Of all registers of a value.
  llvm::SmallVector<Type> registerTypes(Type type);
  /// Bits that one element takes in memory.
  static unsigned memoryBits(Type element);
  const layout::LinearLayout &layout(mlir::RankedTensorType type);
  const layout::LinearLayout &layout(ttg::MemDescType type);

  //===--- constants and integer arithmetic, folded where it is plain -----===//
  Type i1Type() { return b.getI1Type(); }
  Type i32Type() { return b.getI32Type(); }
  Value constant(Type type, int64_t value);
  Value i32(int64_t value) { return constant(b.getI32Type(), value); }
  Value i64(int64_t value) { return constant(b.getI64Type(), value); }
  Value boolean(bool value) { return constant(b.getI1Type(), value); }
  Value zero(Type type);
  Value undefined(Type type);
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value band(Value x, Value y);
  Value bor(Value x, Value y);
  Value bxor(Value x, Value y);
  Value shl(Value x, int64_t bits);
  Value lshr(Value x, int64_t bits);
  Value select(Value condition, Value x, Value y);
  Value compare(mlir::LLVM::ICmpPredicate predicate, Value x, Value y);
  Value equal(Value x, Value y) { return compare(mlir::LLVM::ICmpPredicate::eq, x, y); }
  Value cast(Value x, Type type);      ///< bits kept: int, float, vector
  Value resize(Value x, Type integer); ///< unsigned
  static std::optional<int64_t> constantOf(Value value);

  //===--- layouts --------------------------------------------------------===//
  /// For each bit of `index`, the exclusive or of `bases`.
  Value flipped(Value index, llvm::ArrayRef<int64_t> bases);
  /// Rank of this CTA in its cluster.
  Value ctaRank();

  //===--- threads --------------------------------------------------------===//
  /// One thread of the task, always the same.
  Value isFirstThread();
  /// One thread of the task's first warp, as the hardware elects it.
  Value isElected();
  /// Barrier over the task's threads.
  void taskBarrier();
  /// `bar.sync id, threads`.
  void namedBarrier(Value id, Value threads);
  /// Makes generic writes to shared memory visible to asynchronous readers.
  void proxyFence(bool cluster = false);
  Value shuffle(Value x, mlir::NVVM::ShflKind kind, Value lane);
  /// False, which nobody but the hardware can know.
  Value never();
  void startTask(Task next);

  //===--- shared memory --------------------------------------------------===//
  /// Address of byte `offset` of the CTA's shared memory, i32.
  Value sharedAddress(int64_t offset);
  Value scratch() { return sharedAddress(task.scratch); }
  Value pointer(Value address, unsigned space);
  Value loadShared(Type type, Value address);
  void storeShared(Value value, Value address);

  //===--- control --------------------------------------------------------===//
  LogicalResult lower(Operation *op);
  /// The operations of a block, up to its terminator.
  LogicalResult lowerBody(mlir::Block &block);
  llvm::SmallVector<Value> scalarsOf(ValueRange values);
  /// Runs a region on scalars; its terminator's operands.
  mlir::FailureOr<llvm::SmallVector<Value>> inlineRegion(mlir::Region &region, ValueRange inputs);
  mlir::Block *newBlock(llvm::ArrayRef<Type> arguments = {});
  void branch(mlir::Block *to, ValueRange operands = {});
  void branch(Value condition, mlir::Block *then, ValueRange thenOperands, mlir::Block *otherwise,
              ValueRange otherwiseOperands);
  /// Runs `body` in the threads where `condition` holds.
  void ifThen(Value condition, llvm::function_ref<void()> body);
  void moveTo(mlir::Block *block) { b.setInsertionPointToEnd(block); }
  /// Target blocks of branches between blocks of the source function.
  llvm::DenseMap<mlir::Block *, mlir::Block *> blocks;

private:
  const LoweringTable &table;
  llvm::DenseMap<Value, Registers> values;
  llvm::DenseMap<Type, layout::LinearLayout> layouts;
  llvm::DenseMap<std::pair<Type, mlir::Attribute>, Value> constants;
  Value sharedBase, neverTrue;
};

/// A value of one output of a layout, for each register: the part of lane and
/// warp is computed once.
class Index {
public:
  /// `scale` multiplies the output (bytes of an element).
  Index(Emitter &e, const layout::LinearLayout &layout, std::string_view output, int64_t scale = 1);
  /// Exclusive or with a run-time value from now on.
  void flip(Value value);
  /// The value at a register; `constant` is what is to be added to it, so that
  /// loads and stores can take it as their offset.
  Value at(int64_t reg, int64_t &constant);
  Value at(int64_t reg);

private:
  Emitter &e;
  llvm::SmallVector<int64_t> registerBases;
  Value thread;
  uint64_t threadMask = 0;
};

/// Applies `f` to corresponding registers of the operands.
LogicalResult elementwise(Operation *op, Emitter &e, llvm::function_ref<Value(ValueRange)> f);

} // namespace tlx::nvidia
