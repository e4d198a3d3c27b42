#include "compiler/ingest/ParseFile.h"

#include "compiler/dialect/tt/TT.h"
#include "compiler/dialect/ttg/TTG.h"
#include "runtime/base/SourceText.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tlx {

StringRef name(IrLevel level) {
  switch (level) {
  case IrLevel::Source: return "source";
  case IrLevel::Ttir: return "ttir";
  case IrLevel::Ttgir: return "ttgir";
  }
  return "?";
}

namespace {

void report(StringRef file, unsigned line, unsigned column, const Twine &message,
            const Twine &hint) {
  llvm::errs() << file << ":" << line << ":" << column << ": error: " << message << "\n";
  if (std::string text = hint.str(); !text.empty())
    llvm::errs() << "hint: " << text << "\n";
}

// A line longer than this is not echoed: it would bury the message.
constexpr size_t kLongestEchoedLine = 2000;

/// Prints the first error with its notes and drops what follows from it.
class FirstErrorHandler : public SourceMgrDiagnosticHandler {
public:
  FirstErrorHandler(llvm::SourceMgr &sourceMgr, MLIRContext *context, StringRef file,
                    StringRef text)
      : SourceMgrDiagnosticHandler(sourceMgr, context), file(file), text(text) {
    setHandler([this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error && std::exchange(failed, true))
        return;
      // MLIR answers what it does not know in words for its developers.
      if (std::string unknown = unknownThing(diagnostic); !unknown.empty())
        return print(diagnostic, "unknown " + unknown);
      print(diagnostic, diagnostic.str());
      for (Diagnostic &note : diagnostic.getNotes())
        print(note, note.str());
    });
  }

private:
  void print(Diagnostic &diagnostic, const Twine &message) {
    emitDiagnostic(diagnostic.getLocation(), message, diagnostic.getSeverity(),
                   echoes(diagnostic.getLocation()));
  }

  /// The operation, attribute or type that a parser's error says is unknown; else
  /// nothing.
  std::string unknownThing(Diagnostic &diagnostic) const {
    std::string text = diagnostic.str();
    StringRef message = text;
    if (message.starts_with("operation being parsed with an unregistered dialect"))
      return "operation '" + stringBefore(diagnostic.getLocation()) + "'";
    StringRef name = message.split("not found for custom op '").second;
    if (message.starts_with("Dialect `") && !name.empty())
      return ("operation '" + name.split('\'').first + "'").str();
    auto [subject, rest] = message.split(" created with unregistered dialect");
    if (rest.empty())
      return {};
    subject.consume_back(" attribute");
    subject.consume_back(" type");
    subject.consume_back(" : 'none'");
    subject = subject.trim('`');
    return ((subject.starts_with("#") ? "attribute " : "type ") + subject).str();
  }

  /// The text from the line of `location` on; all of it for a place elsewhere.
  StringRef from(Location location) const {
    auto place = location->findInstanceOf<FileLineColLoc>();
    StringRef rest = text;
    if (place && place.getFilename() == file)
      for (unsigned line = 1; line < place.getLine() && !rest.empty(); ++line)
        rest = rest.split('\n').second;
    return rest;
  }

  /// The last string before `location` in its line, without its quotes: a generic
  /// operation's name.
  std::string stringBefore(Location location) const {
    StringRef line = from(location).split('\n').first;
    if (auto place = location->findInstanceOf<FileLineColLoc>())
      line = line.take_front(place.getColumn() - 1);
    size_t end = line.rfind('"');
    size_t start = end == StringRef::npos ? end : line.rfind('"', end);
    return start == StringRef::npos ? "" : line.slice(start + 1, end).str();
  }

  /// Whether the line of `location` may be shown.
  bool echoes(Location location) const {
    auto place = location->findInstanceOf<FileLineColLoc>();
    return !place || place.getFilename() != file ||
           from(location).split('\n').first.size() <= kLongestEchoedLine;
  }

  StringRef file, text;
  bool failed = false;
};

} // namespace

OwningOpRef<ModuleOp> parseBuffer(std::unique_ptr<llvm::MemoryBuffer> buffer, MLIRContext &context,
                                  const ParseOptions &options) {
  std::string file = buffer->getBufferIdentifier().str();
  StringRef text = buffer->getBuffer();
  if (Result<void> checked = checkSourceText(text, file); !checked) {
    llvm::errs() << checked.error().str() << "\n";
    return {};
  }
  if (text.trim().empty()) {
    report(file, 1, 1, "the file is empty", "expected a module with a tt.func");
    return {};
  }
  context.allowUnregisteredDialects(options.allowUnregistered);
  llvm::SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  FirstErrorHandler handler(sourceMgr, &context, file, text);
  bool verify = options.verify && !StringRef(file).ends_with(".source");
  ParserConfig config(&context, verify);
  return parseSourceFile<ModuleOp>(sourceMgr, config);
}

OwningOpRef<ModuleOp> parseFile(StringRef path, MLIRContext &context, const ParseOptions &options) {
  if (path != "-" && llvm::sys::fs::is_directory(path)) {
    report(path, 1, 1, "is a directory; expected an IR file", "");
    return {};
  }
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (std::error_code error = buffer.getError()) {
    report(path, 1, 1, "cannot read the file: " + error.message(), "");
    return {};
  }
  return parseBuffer(std::move(*buffer), context, options);
}

IrLevel irLevelOf(ModuleOp module, StringRef path) {
  bool calls = false, plainTensor = false, encodedTensor = false;
  module.walk([&](Operation *op) {
    calls |= isa<tt::CallOp>(op);
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        (tensor.getEncoding() ? encodedTensor : plainTensor) = true;
  });
  if (path.ends_with(".source") || calls)
    return IrLevel::Source;
  // Only the ttgir pipeline records the cluster shape or leaves every tile with
  // a layout.
  bool clusterDims = module->hasAttr("ttg.cluster-dim-x");
  if (clusterDims || path.ends_with(".ttgir") || (encodedTensor && !plainTensor))
    return IrLevel::Ttgir;
  return IrLevel::Ttir;
}

} // namespace tlx
