#include "compiler/ingest/ParseFile.h"

#include "compiler/dialect/tt/TT.h"
#include "compiler/dialect/ttg/TTG.h"

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

// The parser recurses on brackets; far deeper nesting than any kernel has would
// end in a stack overflow instead of an error.
constexpr unsigned kMaxNesting = 2000;

void report(StringRef file, unsigned line, unsigned column, const Twine &message,
            const Twine &hint) {
  llvm::errs() << file << ":" << line << ":" << column << ": error: " << message << "\n";
  if (std::string text = hint.str(); !text.empty())
    llvm::errs() << "hint: " << text << "\n";
}

/// Text that can be IR at all: no NUL bytes, brackets nested sanely.
LogicalResult checkText(StringRef file, StringRef text) {
  if (text.starts_with("ML\xEFR"))
    return success(); // MLIR bytecode
  unsigned line = 1, column = 1, depth = 0;
  bool inString = false, inComment = false;
  for (size_t at = 0; at < text.size(); ++at, ++column) {
    char c = text[at];
    if (c == '\n') {
      ++line;
      column = 0;
      inComment = false;
      continue;
    }
    if (c == '\0') {
      report(file, line, column, "not text: the file contains a NUL byte",
             "expected MLIR as fbtriton writes it (.source, .ttir, .ttgir, .mlir)");
      return failure();
    }
    if (inComment)
      continue;
    if (inString) {
      if (c == '\\')
        ++at, ++column;
      else if (c == '"')
        inString = false;
      continue;
    }
    if (c == '"')
      inString = true;
    else if (c == '/' && at + 1 < text.size() && text[at + 1] == '/')
      inComment = true;
    else if (c == '{' || c == '(' || c == '[' || c == '<')
      ++depth;
    else if ((c == '}' || c == ')' || c == ']' || (c == '>' && (at == 0 || text[at - 1] != '-'))) &&
             depth)
      --depth;
    if (depth > kMaxNesting) {
      report(file, line, column,
             "brackets nested more than " + Twine(kMaxNesting) + " deep", "");
      return failure();
    }
  }
  return success();
}

/// Prints the first error with its notes and drops what follows from it.
class FirstErrorHandler : public SourceMgrDiagnosticHandler {
public:
  FirstErrorHandler(llvm::SourceMgr &sourceMgr, MLIRContext *context)
      : SourceMgrDiagnosticHandler(sourceMgr, context) {
    setHandler([this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error && std::exchange(failed, true))
        return;
      emitDiagnostic(diagnostic);
    });
  }

private:
  bool failed = false;
};

} // namespace

OwningOpRef<ModuleOp> parseBuffer(std::unique_ptr<llvm::MemoryBuffer> buffer, MLIRContext &context,
                                  const ParseOptions &options) {
  std::string file = buffer->getBufferIdentifier().str();
  if (failed(checkText(file, buffer->getBuffer())))
    return {};
  if (buffer->getBuffer().trim().empty()) {
    report(file, 1, 1, "the file is empty", "expected a module with a tt.func");
    return {};
  }
  context.allowUnregisteredDialects(options.allowUnregistered);
  llvm::SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  FirstErrorHandler handler(sourceMgr, &context);
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
