// tt.print, through the driver's vprintf: one line for each element,
//
//   pid (0, 0, 0) idx (3, 5) prefix: 1.500000
//
// from the thread that owns it.
#include "compiler/lowering/nvidia/Emitter.h"
#include "compiler/lowering/nvidia/Families.h"
#include "compiler/lowering/nvidia/Global.h"

#include "compiler/dialect/tt/TT.h"

using namespace mlir;
namespace LL = mlir::LLVM;

namespace tlx::nvidia {
namespace {

/// What C does with an argument that has no declared type.
Value promoted(Emitter &e, Value value, bool isSigned) {
  Type type = value.getType();
  if (isa<LL::LLVMPointerType>(type))
    return LL::PtrToIntOp::create(e.b, e.loc, e.b.getI64Type(), value);
  if (isa<FloatType>(type))
    return type.isF64() ? value : Value(LL::FPExtOp::create(e.b, e.loc, e.b.getF64Type(), value));
  if (type.getIntOrFloatBitWidth() >= 32)
    return value;
  if (isSigned && !type.isInteger(1))
    return LL::SExtOp::create(e.b, e.loc, e.i32Type(), value);
  return LL::ZExtOp::create(e.b, e.loc, e.i32Type(), value);
}

std::string conversionOf(Type type, bool hex, bool isSigned) {
  if (isa<FloatType>(type))
    return "%f";
  unsigned bits = type.getIntOrFloatBitWidth();
  std::string length = bits == 64 ? "ll" : "";
  return hex ? "0x%0" + std::to_string(bits / 4) + length + "x"
             : "%" + length + (isSigned ? "d" : "u");
}

/// Percent signs of a prefix are no conversions.
std::string literal(StringRef text) {
  std::string result;
  for (char c : text)
    result += c == '%' ? "%%" : std::string(1, c);
  return result;
}

class Printer {
public:
  Printer(tt::PrintOp op, Emitter &e) : op(op), e(e) {
    module = e.function->getParentOfType<ModuleOp>();
    pointer = LL::LLVMPointerType::get(e.b.getContext());
    print = module.lookupSymbol<LL::LLVMFuncOp>("vprintf");
    if (print)
      return;
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    auto type = LL::LLVMFunctionType::get(e.i32Type(), {pointer, pointer});
    print = LL::LLVMFuncOp::create(b, e.loc, "vprintf", type);
  }

  LogicalResult run() {
    if (op.getArgs().empty())
      e.ifThen(e.isFirstThread(), [&] { line({}, {}, ""); });
    for (auto [index, value] : llvm::enumerate(op.getArgs())) {
      Type element = tt::elementTypeOrSelf(value.getType());
      if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 16)
        return op.emitError("'tt.print' of ") << element << " has no lowering for sm_90a";
      bool isSigned = index < op.getIsSigned().size() && op.getIsSigned()[index] != 0;
      if (auto tile = dyn_cast<RankedTensorType>(value.getType()))
        elements(tile, value, isSigned);
      else
        e.ifThen(e.isFirstThread(), [&] { one({}, e.scalar(value), isSigned); });
    }
    return success();
  }

private:
  void elements(RankedTensorType tile, Value value, bool isSigned) {
    const layout::LinearLayout &layout = e.layout(tile);
    const Registers registers = e.get(value);
    Value owner = isOwner(e, tile);
    uint64_t copies = layout.freeVariableMask(layout::kRegister);
    auto all = [&] {
      for (int64_t reg = 0; reg < layout.inSize(layout::kRegister); ++reg) {
        if (reg & copies)
          continue;
        SmallVector<Value> place;
        for (int64_t dim = 0; dim < tile.getRank(); ++dim)
          place.push_back(Index(e, layout, layout::dimName(dim)).at(reg));
        one(place, registers[reg], isSigned);
      }
    };
    if (owner)
      e.ifThen(owner, all);
    else
      all();
  }

  void one(ArrayRef<Value> place, Value value, bool isSigned) {
    Value wide = promoted(e, value, isSigned);
    line(place, wide, conversionOf(wide.getType(), op.getHex(), isSigned));
  }

  void line(ArrayRef<Value> place, Value value, const std::string &conversion) {
    std::string format = "pid (%d, %d, %d) ";
    SmallVector<Value> values = {NVVM::BlockIdXOp::create(e.b, e.loc, e.i32Type()),
                                 NVVM::BlockIdYOp::create(e.b, e.loc, e.i32Type()),
                                 NVVM::BlockIdZOp::create(e.b, e.loc, e.i32Type())};
    for (auto [dim, coordinate] : llvm::enumerate(place)) {
      format += dim == 0 ? "idx (%d" : ", %d";
      values.push_back(coordinate);
    }
    format += (place.empty() ? "" : ") ") + literal(op.getPrefix()) + conversion + "\n";
    if (value)
      values.push_back(value);
    call(format, values);
  }

  void call(const std::string &format, ValueRange values) {
    Type all = LL::LLVMStructType::getLiteral(e.b.getContext(), llvm::to_vector(values.getTypes()));
    auto [known, isNew] = lines.try_emplace(format);
    Line &line = known->second;
    if (isNew) {
      line.text = makeText(format);
      OpBuilder::InsertionGuard guard(e.b);
      e.b.setInsertionPointToStart(&e.function.getBody().front());
      Value once = LL::ConstantOp::create(e.b, e.loc, e.i32Type(), e.b.getI32IntegerAttr(1));
      line.arguments = LL::AllocaOp::create(e.b, e.loc, pointer, all, once);
    }
    for (auto [index, value] : llvm::enumerate(values)) {
      Value at = LL::GEPOp::create(e.b, e.loc, pointer, all, line.arguments,
                                   ArrayRef<LL::GEPArg>{0, int32_t(index)});
      LL::StoreOp::create(e.b, e.loc, value, at);
    }
    Value text = LL::AddressOfOp::create(e.b, e.loc, line.text);
    LL::CallOp::create(e.b, e.loc, print, ValueRange{text, line.arguments});
  }

  LL::GlobalOp makeText(std::string text) {
    text.push_back('\0');
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    auto type = LL::LLVMArrayType::get(b.getI8Type(), text.size());
    unsigned number = llvm::range_size(module.getOps<LL::GlobalOp>());
    return LL::GlobalOp::create(b, e.loc, type, /*isConstant=*/true, LL::Linkage::Internal,
                                "print_" + std::to_string(number), b.getStringAttr(text));
  }

  /// A format, and where its arguments are put together.
  struct Line {
    LL::GlobalOp text;
    Value arguments;
  };

  tt::PrintOp op;
  Emitter &e;
  ModuleOp module;
  Type pointer;
  LL::LLVMFuncOp print;
  llvm::StringMap<Line> lines;
};

LogicalResult lowerPrint(tt::PrintOp op, Emitter &e) { return Printer(op, e).run(); }

} // namespace

void addPrint(LoweringTable &table) { table.add<tt::PrintOp>(lowerPrint); }

} // namespace tlx::nvidia
