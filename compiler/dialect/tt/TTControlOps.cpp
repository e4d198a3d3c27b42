// Functions, calls, printing.
#include "compiler/dialect/tt/TT.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;

namespace tlx::tt {

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type) {
  state.addAttribute(SymbolTable::getSymbolAttrName(), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.addRegion();
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false,
                                           getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                           getResAttrsAttrName());
}

LogicalResult ReturnOp::verify() {
  auto function = (*this)->getParentOfType<FuncOp>();
  if (!function)
    return emitOpError("must be inside a tt.func");
  ArrayRef<Type> results = function.getFunctionType().getResults();
  if (getNumOperands() != results.size())
    return emitOpError("has ") << getNumOperands() << " operands, but '" << function.getName()
                               << "' returns " << results.size();
  for (auto [index, type] : llvm::enumerate(results))
    if (getOperand(index).getType() != type)
      return emitOpError("operand ") << index << " has type " << getOperand(index).getType()
                                     << ", but '" << function.getName() << "' returns " << type;
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError("'") << getCallee() << "' does not name a tt.func";
  FunctionType type = callee.getFunctionType();
  if (type.getNumInputs() != getNumOperands())
    return emitOpError("passes ") << getNumOperands() << " operands, but '" << getCallee()
                                  << "' takes " << type.getNumInputs();
  for (auto [index, input] : llvm::enumerate(type.getInputs()))
    if (getOperand(index).getType() != input)
      return emitOpError("operand ") << index << " has type " << getOperand(index).getType()
                                     << ", but '" << getCallee() << "' takes " << input;
  if (type.getResults() != getResultTypes())
    return emitOpError("result types differ from those of '") << getCallee() << "'";
  return success();
}

} // namespace tlx::tt
