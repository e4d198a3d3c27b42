// Pieces of syntax that several tcgen05 ops share.
//
//   %d[%dep]   the op makes a token, after the one given    custom<Token>
//   %d[]       the op makes a token
//   %d         it makes none
//   , %b[%p]   a barrier and the condition to arrive on it   custom<BarriersAndPreds>
#pragma once

#include "mlir/IR/OpImplementation.h"

namespace tlx::ttng {

mlir::ParseResult parseToken(mlir::OpAsmParser &parser,
                             std::optional<mlir::OpAsmParser::UnresolvedOperand> &dep,
                             mlir::Type &token);
void printToken(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Value dep,
                mlir::Type token);

mlir::ParseResult
parseBarriersAndPreds(mlir::OpAsmParser &parser,
                      llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &barriers,
                      llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &preds);
void printBarriersAndPreds(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                           mlir::OperandRange barriers, mlir::OperandRange preds);

} // namespace tlx::ttng
