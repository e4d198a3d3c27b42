//===- Document.cpp ---------------------------------------------------------===//
#include "compiler/tools/lsp/Document.h"

#include "compiler/dialect/interfaces/OpFacts.h"
#include "compiler/dialect/registry/Registry.h"
#include "compiler/ingest/ParseFile.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

namespace tlx::lsp {

using llvm::lsp::Position;
using llvm::lsp::Range;

static std::unique_ptr<mlir::MLIRContext> makeContext() {
  auto context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  mlir::DialectRegistry registry;
  registerDialects(registry);
  context->appendDialectRegistry(registry);
  return context;
}

Document::Document(std::string path, std::string text)
    : file(std::move(path)), content(std::move(text)), context(makeContext()) {
  if (auto module = parseText(content, file, *context); !module) {
    parseProblem = module.error();
    return;
  }
  // Again, for the positions; it has just been seen to parse.
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(content, file), llvm::SMLoc());
  FirstError silent(context.get());
  mlir::ParserConfig config(context.get(), /*verifyAfterParse=*/false);
  (void)mlir::parseAsmSourceFile(sources, &parsed, config, &state);
}

const mlir::AsmParserState::OperationDefinition *Document::operationAt(Position at) const {
  const mlir::AsmParserState::OperationDefinition *best = nullptr;
  for (const auto &definition : state.getOpDefs()) {
    // The name's place, and the rest of its line.
    auto [line, column] = sources.getLineAndColumn(definition.loc.Start);
    if (int(line) - 1 == at.line && (!best || int(column) - 1 <= at.character))
      best = &definition;
  }
  return best;
}

std::string Document::describe(Position at) const {
  const auto *definition = operationAt(at);
  if (!definition)
    return {};
  mlir::Operation *op = definition->op;
  std::string out = "**" + op->getName().getStringRef().str() + "**\n\n";
  OpFacts facts = factsOf(op);
  if (!facts.declared)
    out += "declares no effects on barriers and memory\n";
  else if (facts.effects.empty())
    out += "no effect on barriers or on memory that other tasks see\n";
  for (const std::string &effect : facts.effects)
    out += "- " + effect + "\n";
  if (!facts.cost.empty())
    out += "\ncost: " + facts.cost + "\n";
  if (SourceLocation place = sourceLocationOf(op->getLoc()); place.line && place.file != file)
    out += "\nfrom " + place.str() + "\n";
  return out;
}

Range Document::rangeOf(const SourceLocation &location) const {
  auto lineRange = [](unsigned line, unsigned from, unsigned to) {
    return Range(Position(int(line) - 1, int(from) - 1), Position(int(line) - 1, int(to) - 1));
  };
  if (location.file == file && location.line)
    return lineRange(location.line, std::max(location.column, 1u),
                     std::max(location.column, 1u) + 1);
  for (const auto &definition : state.getOpDefs()) {
    SourceLocation place = sourceLocationOf(definition.op->getLoc());
    if (place.line != location.line || place.column != location.column ||
        place.file != location.file)
      continue;
    auto [line, from] = sources.getLineAndColumn(definition.loc.Start);
    auto [endLine, to] = sources.getLineAndColumn(definition.loc.End);
    return lineRange(line, from, endLine == line ? to : from + 1);
  }
  return lineRange(1, 1, 2);
}

} // namespace tlx::lsp
