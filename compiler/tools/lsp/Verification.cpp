//===- Verification.cpp -----------------------------------------------------===//
#include "compiler/tools/lsp/Verification.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace tlx::lsp {

using llvm::lsp::Diagnostic;
using llvm::lsp::DiagnosticRelatedInformation;
using llvm::lsp::DiagnosticSeverity;

static constexpr const char *secondsAllowed = "20";

namespace {

SourceLocation locationOf(const llvm::json::Object *object) {
  SourceLocation out;
  if (!object)
    return out;
  out.file = object->getString("file").value_or("").str();
  out.line = unsigned(object->getInteger("line").value_or(0));
  out.column = unsigned(object->getInteger("column").value_or(0));
  return out;
}

/// Runs the tool on the document's text; its standard output.
std::string run(const Document &document, const std::string &tool, std::string &error) {
  llvm::SmallString<128> input, output;
  llvm::StringRef extension = llvm::sys::path::extension(document.path());
  if (llvm::sys::fs::createTemporaryFile(
          "tlx-lsp", extension.empty() ? "mlir" : extension.drop_front(), input) ||
      llvm::sys::fs::createTemporaryFile("tlx-lsp", "json", output)) {
    error = "cannot write temporary files";
    return {};
  }
  llvm::FileRemover removeInput(input), removeOutput(output);
  {
    std::error_code failed;
    llvm::raw_fd_ostream stream(input, failed);
    stream << document.text();
  }
  llvm::SmallVector<llvm::StringRef> arguments{tool, input, "--json", "--timeout", secondsAllowed};
  // The manifest beside the file in the editor, which the copy does not have.
  llvm::SmallString<128> manifest(document.path());
  llvm::sys::path::replace_extension(manifest, "json");
  if (llvm::sys::fs::exists(manifest))
    arguments.append({"--manifest", manifest});
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), output.str(),
                                                llvm::StringRef("")};
  llvm::sys::ExecuteAndWait(tool, arguments, std::nullopt, redirects, /*SecondsToWait=*/60, 0,
                            &error);
  auto buffer = llvm::MemoryBuffer::getFile(output);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

Diagnostic diagnosticOf(const Document &document, const llvm::json::Object &result) {
  llvm::StringRef verdict = result.getString("verdict").value_or("");
  Diagnostic out;
  out.source = "tlx-verify";
  out.range = document.rangeOf(locationOf(result.getObject("location")));
  out.severity = llvm::StringSwitch<DiagnosticSeverity>(verdict)
                     .Case("BUG", DiagnosticSeverity::Error)
                     .Case("UNKNOWN", DiagnosticSeverity::Warning)
                     .Default(DiagnosticSeverity::Information);
  out.message = verdict.str();
  for (const char *key : {"class", "reason"})
    if (llvm::StringRef text = result.getString(key).value_or(""); !text.empty())
      out.message += "(" + text.str() + ")";
  if (llvm::StringRef text = result.getString("message").value_or(""); !text.empty())
    out.message += ": " + text.str();
  if (const llvm::json::Array *trace = result.getArray("trace")) {
    std::vector<DiagnosticRelatedInformation> related;
    auto uri = llvm::lsp::URIForFile::fromFile(document.path());
    for (const llvm::json::Value &entry : *trace) {
      const llvm::json::Object *step = entry.getAsObject();
      if (!step || !uri)
        continue;
      llvm::lsp::Location place(*uri, document.rangeOf(locationOf(step->getObject("location"))));
      std::string words = step->getString("task").value_or("").str() + ": " +
                          step->getString("note").value_or("").str();
      related.emplace_back(place, words);
    }
    if (uri)
      out.relatedInformation = std::move(related);
    else
      llvm::consumeError(uri.takeError());
  }
  return out;
}

} // namespace

std::vector<Diagnostic> verify(const Document &document, const std::string &tool) {
  std::string error;
  auto parsed = llvm::json::parse(run(document, tool, error));
  std::vector<Diagnostic> out;
  const llvm::json::Array *results = nullptr;
  if (parsed && parsed->getAsObject())
    results = parsed->getAsObject()->getArray("results");
  if (!parsed)
    llvm::consumeError(parsed.takeError());
  if (!results) {
    Diagnostic failed;
    failed.severity = DiagnosticSeverity::Warning;
    failed.source = "tlx-verify";
    failed.message = "tlx-verify gave no verdict" + (error.empty() ? "" : ": " + error);
    return {failed};
  }
  for (const llvm::json::Value &entry : *results)
    if (const llvm::json::Object *result = entry.getAsObject())
      out.push_back(diagnosticOf(document, *result));
  return out;
}

Diagnostic problemOf(const Document &document) {
  const Error &error = *document.problem();
  Diagnostic out;
  out.severity = DiagnosticSeverity::Error;
  out.source = "tlx";
  out.message = error.message + (error.hint.empty() ? "" : "\nhint: " + error.hint);
  out.range = document.rangeOf({document.path(), error.location.line, error.location.column});
  return out;
}

} // namespace tlx::lsp
