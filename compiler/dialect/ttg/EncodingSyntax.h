//===- EncodingSyntax.h - reading and printing `<{key = value, ...}>` -------===//
//
// Most encodings are written as a dictionary in angle brackets. DictReader takes
// the dictionary apart, so that an encoding's parser is a list of its keys and
// any other key, a missing one or a wrong value is one located error. DictPrinter
// is its counterpart.
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
  /// Errors point at `loc`. Without a `dict`, whose parser has said why, nothing is read and
  /// finish() is false.
  DictReader(mlir::AsmParser &parser, llvm::SMLoc loc, mlir::DictionaryAttr dict)
      : parser(parser), loc(loc), dict(dict), ok(bool(dict)) {}

  /// Parses `{...}` at the current position.
  static mlir::DictionaryAttr parse(mlir::AsmParser &parser);
  /// Parses `<{...}>`.
  static DictReader angled(mlir::AsmParser &parser);

  void uint(llvm::StringRef key, unsigned &value, bool required = true);
  void boolean(llvm::StringRef key, bool &value, bool required = true);
  void uints(llvm::StringRef key, llvm::SmallVectorImpl<unsigned> &value, bool required = true);
  /// [[0, 1], [2, 0]] as an array of DenseI32ArrayAttr; empty when absent.
  void bases(llvm::StringRef key, mlir::ArrayAttr &value, bool required = true);
  void attribute(llvm::StringRef key, mlir::Attribute &value, bool required = true);
  /// A reader of the dictionary that `key` holds.
  DictReader dictionary(llvm::StringRef key);

  /// Every key was known and well formed.
  bool finish();
  /// finish(), and the attribute of these parameters, which its verifier checks; null after an
  /// error.
  template <typename AttrT, typename... Params> AttrT finishAs(Params &&...params) {
    if (!finish())
      return {};
    return parser.getChecked<AttrT>(loc, parser.getContext(), std::forward<Params>(params)...);
  }

private:
  mlir::Attribute take(llvm::StringRef key, bool required);
  void fail(const llvm::Twine &message);

  mlir::AsmParser &parser;
  llvm::SMLoc loc;
  mlir::DictionaryAttr dict;
  llvm::StringSet<> known;
  bool ok;
};

/// [[0, 1], [2, 0]]
void printBases(mlir::AsmPrinter &printer, mlir::ArrayAttr bases);
/// `, CGALayout = [[1, 0]]` unless empty.
void printCga(mlir::AsmPrinter &printer, mlir::ArrayAttr cga);

/// Prints `{key = value, ...}`, the brackets being its life.
class DictPrinter {
public:
  explicit DictPrinter(mlir::AsmPrinter &printer, llvm::StringRef open = "<{",
                       llvm::StringRef close = "}>")
      : printer(printer), close(close) {
    printer << open;
  }
  ~DictPrinter() { printer << close; }
  DictPrinter(const DictPrinter &) = delete;
  DictPrinter &operator=(const DictPrinter &) = delete;

  void uint(llvm::StringRef key, unsigned value) { start(key) << value; }
  void boolean(llvm::StringRef key, bool value) { start(key) << (value ? "true" : "false"); }
  void uints(llvm::StringRef key, llvm::ArrayRef<unsigned> values);
  void bases(llvm::StringRef key, mlir::ArrayAttr value) { printBases(start(key), value); }
  /// `CGALayout`, unless empty.
  void cga(mlir::ArrayAttr value);
  void attribute(llvm::StringRef key, mlir::Attribute value) { start(key) << value; }
  /// `body` prints the entries of the dictionary that `key` holds.
  void dictionary(llvm::StringRef key, llvm::function_ref<void(DictPrinter &)> body) {
    DictPrinter inner(start(key), "{", "}");
    body(inner);
  }

private:
  mlir::AsmPrinter &start(llvm::StringRef key);

  mlir::AsmPrinter &printer;
  llvm::StringRef close;
  bool first = true;
};

} // namespace tlx::ttg
