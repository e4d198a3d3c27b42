//===- EncodingSyntax.h - reading and printing `<{key = value, ...}>` -------===//
//
// Most encodings are written as a dictionary in angle brackets. DictReader takes
// the dictionary apart, so that an encoding's parser is a list of its keys and
// any other key, a missing one or a wrong value is one located error.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"

namespace tlx::ttg {

class DictReader {
public:
  /// `dict` must outlive the reader; errors point at `loc`.
  DictReader(mlir::AsmParser &parser, llvm::SMLoc loc, mlir::DictionaryAttr dict)
      : parser(parser), loc(loc), dict(dict) {}

  /// Parses `{...}` at the current position.
  static mlir::DictionaryAttr parse(mlir::AsmParser &parser);
  /// Parses `<{...}>`.
  static mlir::DictionaryAttr parseAngled(mlir::AsmParser &parser);

  void uint(llvm::StringRef key, unsigned &value, bool required = true);
  void boolean(llvm::StringRef key, bool &value, bool required = true);
  void uints(llvm::StringRef key, llvm::SmallVectorImpl<unsigned> &value, bool required = true);
  /// [[0, 1], [2, 0]] as an array of DenseI32ArrayAttr; empty when absent.
  void bases(llvm::StringRef key, mlir::ArrayAttr &value, bool required = true);
  void attribute(llvm::StringRef key, mlir::Attribute &value, bool required = true);

  /// Every key was known and well formed.
  bool finish();

private:
  mlir::Attribute take(llvm::StringRef key, bool required);
  void fail(const llvm::Twine &message);

  mlir::AsmParser &parser;
  llvm::SMLoc loc;
  mlir::DictionaryAttr dict;
  llvm::StringSet<> known;
  bool ok = true;
};

/// [1, 2]
void printUints(mlir::AsmPrinter &printer, llvm::ArrayRef<unsigned> values);
/// [[0, 1], [2, 0]]
void printBases(mlir::AsmPrinter &printer, mlir::ArrayAttr bases);
/// `, CGALayout = [[1, 0]]` unless empty.
void printCga(mlir::AsmPrinter &printer, mlir::ArrayAttr cga);

} // namespace tlx::ttg
