#include "compiler/ingest/ParseFile.h"

#include "compiler/dialect/tt/TT.h"
#include "compiler/dialect/ttg/TTG.h"
#include "compiler/ingest/ModuleLimits.h"
#include "compiler/ingest/ParserErrors.h"
#include "runtime/base/SourceText.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Location.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace tlx {

const char *name(IrLevel level) {
  switch (level) {
  case IrLevel::Source: return "source";
  case IrLevel::Ttir: return "ttir";
  case IrLevel::Ttgir: return "ttgir";
  }
  return "?";
}

SourceLocation sourceLocationOf(Location loc) {
  // Locations of any depth reach this: the parser reports with them.
  SmallVector<Location> waiting{loc};
  while (!waiting.empty()) {
    Location next = waiting.pop_back_val();
    if (auto file = dyn_cast<FileLineColLoc>(next))
      return {file.getFilename().str(), file.getLine(), file.getColumn()};
    if (auto named = dyn_cast<NameLoc>(next))
      waiting.push_back(named.getChildLoc());
    else if (auto call = dyn_cast<CallSiteLoc>(next))
      waiting.push_back(call.getCallee());
    else if (auto fused = dyn_cast<FusedLoc>(next))
      for (Location part : llvm::reverse(fused.getLocations()))
        waiting.push_back(part);
  }
  return {};
}

FirstError::FirstError(MLIRContext *context, std::string_view text, std::string file)
    : handler(context, [this, text, file](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error || first)
          return success();
        first = Error(parserMessage(diagnostic, text, file),
                      sourceLocationOf(diagnostic.getLocation()));
        // MLIR's notes on what it does not know are about its own registry.
        if (first->message != diagnostic.str())
          return success();
        for (Diagnostic &note : diagnostic.getNotes())
          first->notes.push_back({sourceLocationOf(note.getLocation()), note.str()});
        return success();
      }) {}

Error FirstError::take(const std::string &otherwise) {
  return first ? std::move(*first) : Error(otherwise);
}

Result<OwningOpRef<ModuleOp>> parseText(std::string_view text, const std::string &file,
                                        MLIRContext &context, const ParseOptions &options) {
  if (Result<void> checked = checkSourceText(text, file); !checked)
    return checked.error();
  if (StringRef(text.data(), text.size()).trim().empty())
    return Error("the file is empty", {file, 1, 1}, "expected a module with a tt.func");
  context.allowUnregisteredDialects(options.allowUnregistered);
  context.printOpOnDiagnostic(false); // an error is one line
  llvm::SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(StringRef(text.data(), text.size()), file),
      llvm::SMLoc());
  FirstError errors(&context, text, file);
  bool verify = options.verify && !StringRef(file).ends_with(".source");
  ParserConfig config(&context, verify);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sourceMgr, config);
  if (!module) {
    Error error = errors.take("not a module");
    if (error.location.file.empty())
      error.location = {file, 1, 1};
    return error;
  }
  if (Result<void> checked = checkModuleLimits(*module, file); !checked)
    return checked.error();
  return module;
}

Result<OwningOpRef<ModuleOp>> parseFile(const std::string &path, MLIRContext &context,
                                        const ParseOptions &options) {
  Result<std::string> text = readSourceText(path);
  if (!text)
    return text.error();
  return parseText(*text, path == "-" ? "<stdin>" : path, context, options);
}

IrLevel irLevelOf(ModuleOp module, std::string_view path) {
  bool calls = false, plainTensor = false, encodedTensor = false;
  module.walk([&](Operation *op) {
    calls |= isa<tt::CallOp>(op);
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        (tensor.getEncoding() ? encodedTensor : plainTensor) = true;
  });
  if (path.ends_with(".source"))
    return IrLevel::Source;
  // Only the ttgir pipeline records the cluster shape, or leaves every tile with
  // a layout. It leaves calls of functions that were to be kept apart.
  if (module->hasAttr("ttg.cluster-dim-x") || path.ends_with(".ttgir"))
    return IrLevel::Ttgir;
  if (calls)
    return IrLevel::Source;
  return encodedTensor && !plainTensor ? IrLevel::Ttgir : IrLevel::Ttir;
}

} // namespace tlx
