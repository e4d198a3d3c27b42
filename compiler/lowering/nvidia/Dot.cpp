// tt.dot: mma.sync where the result has its encoding, else sums of products.
#include "compiler/lowering/nvidia/Emitter.h"
#include "compiler/lowering/nvidia/Families.h"
#include "compiler/lowering/nvidia/Fragment.h"

#include "compiler/analysis/EncodingToLayout.h"

using namespace mlir;
namespace LL = mlir::LLVM;

namespace tlx::nvidia {
namespace {

std::optional<NVVM::MMATypes> typeOf(Type element) {
  if (element.isF16())
    return NVVM::MMATypes::f16;
  if (element.isBF16())
    return NVVM::MMATypes::bf16;
  if (element.isF32())
    return NVVM::MMATypes::tf32;
  if (element.isInteger(8))
    return NVVM::MMATypes::s8;
  return std::nullopt;
}

/// Both operands hold, in each thread, the same elements of the summed dimension;
/// in which order an instruction takes them makes no difference to the sum. So the
/// thread's k-th elements meet, whatever kWidth is.
class TensorCoreDot {
public:
  TensorCoreDot(tt::DotOp op, Emitter &e)
      : op(op), e(e), result(cast<RankedTensorType>(op.getType())),
        aType(cast<RankedTensorType>(op.getA().getType())),
        bType(cast<RankedTensorType>(op.getB().getType())), d(e.layout(result)), a(e.layout(aType)),
        b(e.layout(bType)) {}

  LogicalResult run() {
    if (aType.getElementType().isF64() && result.getElementType().isF64())
      return eachTile(&TensorCoreDot::doubleTile);
    std::optional<NVVM::MMATypes> aKind = typeOf(aType.getElementType());
    std::optional<NVVM::MMATypes> bKind = typeOf(bType.getElementType());
    Type element = result.getElementType();
    bool half = element.isF16();
    if (!aKind || !bKind || !(half || element.isF32() || element.isInteger(32)))
      return op.emitError("'tt.dot' of ")
             << aType.getElementType() << " to " << element << " has no mma.sync";
    kinds = {*aKind, *bKind};
    pack = 32 / aType.getElementTypeBitWidth();
    if (a.columns.size() % (2 * pack) || a.columns.size() != b.rows.size())
      return op.emitError("'tt.dot' sums too few elements for mma.sync");
    return eachTile(&TensorCoreDot::tile);
  }

private:
  LogicalResult eachTile(void (TensorCoreDot::*lower)(int64_t, int64_t, int64_t, Registers &)) {
    Registers sums = e.get(op.getC());
    for (int64_t batch : d.batches)
      for (int64_t row : d.rows)
        for (int64_t column : d.columns)
          if (row % 16 == 0 && column % 8 == 0)
            (this->*lower)(batch, row, column, sums);
    e.set(op.getResult(), std::move(sums));
    return success();
  }

  void tile(int64_t batch, int64_t row, int64_t column, Registers &sums) {
    const Registers &aRegisters = e.get(op.getA()), &bRegisters = e.get(op.getB());
    SmallVector<int64_t> places;
    for (int64_t below : {0, 8})
      for (int64_t right : {0, 1})
        places.push_back(d.at(row + below, column + right, batch));
    SmallVector<Value> values;
    for (int64_t place : places)
      values.push_back(sums[place]);
    for (size_t step = 0; step < a.columns.size(); step += 2 * pack) {
      SmallVector<Value> aWords, bWords;
      for (int64_t part = 0; part < 2; ++part) {
        for (int64_t below : {0, 8})
          aWords.push_back(word([&](int64_t index) {
            return aRegisters[a.at(row + below, a.columns[step + part * pack + index], batch)];
          }));
        bWords.push_back(word([&](int64_t index) {
          return bRegisters[b.at(b.rows[step + part * pack + index], column, batch)];
        }));
      }
      values = instruction(aWords, bWords, values);
    }
    for (auto [place, value] : llvm::zip(places, values))
      sums[place] = value;
  }

  /// 8 x 8 x 4 at a time: an element of each operand and two sums a thread.
  void doubleTile(int64_t batch, int64_t row, int64_t column, Registers &sums) {
    const Registers &aRegisters = e.get(op.getA()), &bRegisters = e.get(op.getB());
    Type element = e.b.getF64Type();
    Type both = LL::LLVMStructType::getLiteral(e.b.getContext(), {element, element});
    int64_t shape[] = {8, 8, 4};
    for (int64_t below : {0, 8}) {
      int64_t places[] = {d.at(row + below, column, batch), d.at(row + below, column + 1, batch)};
      for (auto [aColumn, bRow] : llvm::zip_equal(a.columns, b.rows)) {
        Value sum = NVVM::MmaOp::create(
            e.b, e.loc, both, aRegisters[a.at(row + below, aColumn, batch)],
            bRegisters[b.at(bRow, column, batch)], ValueRange{sums[places[0]], sums[places[1]]},
            shape, std::nullopt, std::nullopt, std::array{NVVM::MMATypes::f64, NVVM::MMATypes::f64},
            std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
        for (int64_t index : {0, 1})
          sums[places[index]] = LL::ExtractValueOp::create(e.b, e.loc, sum, index);
      }
    }
  }

  Value word(llvm::function_ref<Value(int64_t)> element) {
    SmallVector<Value> parts;
    for (int64_t index = 0; index < pack; ++index)
      parts.push_back(element(index));
    Value packed = packWord(e, parts);
    // Halves travel as vectors, everything else as plain words.
    return kinds[0] == NVVM::MMATypes::f16 ? e.cast(packed, VectorType::get({2}, e.b.getF16Type()))
                                           : packed;
  }

  SmallVector<Value> instruction(ValueRange aWords, ValueRange bWords, SmallVector<Value> c) {
    Type element = e.scalarType(result);
    bool half = element.isF16();
    SmallVector<Value> operands = c;
    if (half) {
      operands.clear();
      for (Value both : pairUp(e, c))
        operands.push_back(e.cast(both, VectorType::get({2}, element)));
    }
    SmallVector<Type> types(operands.size(), operands.front().getType());
    Type all = LL::LLVMStructType::getLiteral(e.b.getContext(), types);
    std::optional<NVVM::MMAIntOverflow> overflow;
    if (element.isInteger(32))
      overflow = NVVM::MMAIntOverflow::wrapped;
    int64_t shape[] = {16, 8, 8 * pack};
    Value sum = NVVM::MmaOp::create(e.b, e.loc, all, aWords, bWords, operands, shape, std::nullopt,
                                    overflow, kinds,
                                    std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
    SmallVector<Value> results;
    for (size_t index = 0; index < types.size(); ++index)
      results.push_back(LL::ExtractValueOp::create(e.b, e.loc, sum, index));
    return half ? takeApart(e, results, element) : results;
  }

  tt::DotOp op;
  Emitter &e;
  RankedTensorType result, aType, bType;
  Fragment d, a, b;
  std::array<NVVM::MMATypes, 2> kinds{};
  int64_t pack = 1;
};

/// Each thread has the rows and columns of its results, all of k.
LogicalResult sumProducts(tt::DotOp op, Emitter &e) {
  auto type = cast<RankedTensorType>(op.getType());
  Fragment d(e.layout(type)), a(e.layout(cast<RankedTensorType>(op.getA().getType())));
  Fragment b(e.layout(cast<RankedTensorType>(op.getB().getType())));
  const Registers &aRegisters = e.get(op.getA()), &bRegisters = e.get(op.getB());
  Type element = e.scalarType(type);
  auto widened = [&](Value value) -> Value {
    if (value.getType() == element)
      return value;
    if (isa<FloatType>(element))
      return LL::FPExtOp::create(e.b, e.loc, element, value);
    return LL::SExtOp::create(e.b, e.loc, element, value);
  };
  Type narrow = cast<RankedTensorType>(op.getA().getType()).getElementType();
  if (isa<FloatType>(element) != isa<FloatType>(aRegisters.front().getType()))
    return op.emitError("'tt.dot' of ") << narrow << " to " << element << " has no lowering";
  Registers sums = e.get(op.getC());
  for (int64_t batch : d.batches)
    for (int64_t row : d.rows)
      for (int64_t column : d.columns) {
        Value &sum = sums[d.at(row, column, batch)];
        for (int64_t inner : a.columns) {
          Value x = widened(aRegisters[a.at(row, inner, batch)]);
          Value y = widened(bRegisters[b.at(inner, column, batch)]);
          if (isa<FloatType>(element))
            sum = LL::FMAOp::create(e.b, e.loc, element, ValueRange{x, y, sum});
          else
            sum = e.add(sum, e.mul(x, y));
        }
      }
  e.set(op.getResult(), std::move(sums));
  return success();
}

LogicalResult lowerDot(tt::DotOp op, Emitter &e) {
  Result<layout::EncodingPtr> encoding =
      describeEncoding(cast<RankedTensorType>(op.getType()).getEncoding());
  if (const auto *mma = (*encoding)->as<layout::NvidiaMmaEncoding>(); mma) {
    if (mma->versionMajor != 2)
      return op.emitError("'tt.dot' result must have an nvidia_mma encoding of version 2");
    return TensorCoreDot(op, e).run();
  }
  if ((*encoding)->as<layout::BlockedEncoding>())
    return sumProducts(op, e);
  return op.emitError("'tt.dot' result has an encoding without a lowering");
}

} // namespace

void addDot(LoweringTable &table) { table.add<tt::DotOp>(lowerDot); }

} // namespace tlx::nvidia
