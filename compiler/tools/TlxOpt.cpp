//===- TlxOpt.cpp - reads, transforms and prints TLX IR --------------------===//
//
//   tlx-opt FILE [passes] [-o OUT]
//   tlx-opt --tlx-ingest kernel.source --manifest launch.json
//
// Reads all levels, in pretty or generic form. Locations are printed when the
// input carries them. --effects prints what each op does to barriers and memory
// instead. Exit codes: 0 done, 2 bad input or usage, 1 a pass failed
// or an expected diagnostic is missing, 4 a limit was met.
//
//===----------------------------------------------------------------------===//
#include "compiler/dialect/interfaces/OpFacts.h"
#include "compiler/dialect/registry/Registry.h"
#include "compiler/dialect/tt/TT.h"
#include "compiler/ingest/ParseFile.h"
#include "compiler/pipelines/Ingest.h"
#include "compiler/pipelines/Ttgir.h"
#include "compiler/tools/CommandLine.h"
#include "compiler/tools/GuardFlags.h"
#include "compiler/tools/LaunchFlags.h"
#include "compiler/tools/PassFlags.h"
#include "compiler/transforms/Passes.h"
#include "runtime/base/Output.h"
#include "runtime/base/SourceText.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/ToolUtilities.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace {

constexpr int kOk = 0, kFailed = 1, kBadInput = 2;

struct Options {
  cl::opt<std::string> input{cl::Positional, cl::desc("<file>"), cl::init("-")};
  cl::opt<std::string> output{"o", cl::desc("write here"), cl::value_desc("file"), cl::init("-")};
  cl::opt<bool> splitInput{"split-input-file",
                           cl::desc("treat the parts between '// -----' as files of their own")};
  cl::opt<bool> verifyDiagnostics{"verify-diagnostics",
                                  cl::desc("check against expected-error comments")};
  cl::opt<bool> allowUnregistered{"allow-unregistered-dialect",
                                  cl::desc("keep ops of unknown dialects")};
  cl::opt<bool> effects{
      "effects", cl::desc("instead of the IR: each op's effects on barriers and memory, and cost")};
  cl::opt<bool> noVerify{"no-verify", cl::desc("do not check the input's invariants")};
  tlx::LaunchFlags launch;
  tlx::GuardFlags limits;
  cl::opt<tlx::tt::IrVersion> irVersion{
      "ir-version", cl::desc("spelling of the printed IR"),
      cl::values(clEnumValN(tlx::tt::IrVersion::V3_7_4, "3.7.4", "fbtriton 3.7.4 (default)"),
                 clEnumValN(tlx::tt::IrVersion::Main, "main", "fbtriton main of August 2026")),
      cl::init(tlx::tt::IrVersion::V3_7_4)};
};

/// Locations written in the text are kept; invented ones are not printed.
bool carriesLocations(StringRef text) { return text.contains(" loc("); }

/// One line for each op that has any: place, name, effects, cost, between tabs.
void printEffects(ModuleOp module, llvm::raw_ostream &os) {
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    tlx::OpFacts facts = tlx::factsOf(op);
    if (facts.declared && facts.effects.empty() && facts.cost.empty())
      return;
    os << tlx::sourceLocationOf(op->getLoc()).str() << "\t" << op->getName() << "\t"
       << (facts.declared ? llvm::join(facts.effects, "; ") : "undeclared") << "\t" << facts.cost
       << "\n";
  });
}

LogicalResult runOn(const Options &options, PassPipelineCLParser &pipeline,
                    std::unique_ptr<llvm::MemoryBuffer> buffer, llvm::raw_ostream &os,
                    MLIRContext &context, int &code) {
  bool locations = carriesLocations(buffer->getBuffer());
  tlx::ParseOptions parse;
  parse.allowUnregistered = options.allowUnregistered;
  parse.verify = !options.noVerify;
  std::string file = buffer->getBufferIdentifier().str();
  bool unchecked = options.noVerify || StringRef(file).ends_with(".source");
  StringRef text = buffer->getBuffer();
  tlx::Result<OwningOpRef<ModuleOp>> parsed =
      tlx::parseText({text.data(), text.size()}, file, context, parse);
  if (!parsed) {
    llvm::errs() << parsed.error().str() << "\n";
    code = kBadInput;
    return failure();
  }
  OwningOpRef<ModuleOp> module = std::move(*parsed);
  PassManager passes(&context, ModuleOp::getOperationName());
  (void)applyPassManagerCLOptions(passes);
  // Without passes nothing may complain about IR that is not checked yet.
  passes.enableVerifier(!unchecked || pipeline.hasAnyOccurrences());
  auto onError = [&](const Twine &message) {
    llvm::errs() << "error: " << message << "\n";
    return failure();
  };
  if (failed(pipeline.addToPipeline(passes, onError))) {
    code = kBadInput;
    return failure();
  }
  if (passes.size() != 0) {
    tlx::FirstError errors(&context);
    if (failed(passes.run(*module))) {
      tlx::Error error = errors.take("a pass failed without saying why");
      if (error.location.file.empty())
        error.location.file = file;
      llvm::errs() << error.str() << "\n";
      code = kFailed;
      return failure();
    }
  }
  if (options.effects) {
    printEffects(*module, os);
    return success();
  }
  tlx::tt::setIrVersion(&context, options.irVersion);
  OpPrintingFlags flags;
  if (locations)
    flags.enableDebugInfo();
  // MLIR falls back to the generic form for ops that do not verify; `.source` is
  // read without that check and is printed as it was meant.
  flags.assumeVerified();
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  module->print(stream, flags);
  os << StringRef(printed).rtrim('\n') << "\n";
  return success();
}

/// Checks expected-error comments: diagnostics go to the test, not the user.
LogicalResult verifyDiagnosticsOf(const Options &options, PassPipelineCLParser &pipeline,
                                  std::unique_ptr<llvm::MemoryBuffer> buffer,
                                  MLIRContext &context) {
  llvm::SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  SourceMgrDiagnosticVerifierHandler handler(sourceMgr, &context);
  context.allowUnregisteredDialects(options.allowUnregistered);
  context.printOpOnDiagnostic(false);
  ParserConfig config(&context, !options.noVerify);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sourceMgr, config);
  if (module) {
    PassManager passes(&context, ModuleOp::getOperationName());
    auto onError = [&](const Twine &message) {
      llvm::errs() << "error: " << message << "\n";
      return failure();
    };
    if (failed(pipeline.addToPipeline(passes, onError)))
      return failure();
    if (passes.size() != 0)
      (void)passes.run(*module);
  }
  return handler.verify();
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  tlx::CommandLine commandLine;
  Options options;
  registerAsmPrinterCLOptions();
  registerMLIRContextCLOptions();
  registerPassManagerCLOptions();
  mlir::registerTransformsPasses();
  tlx::registerTlxPasses();
  tlx::LaunchFacts facts; // known once the command line has been read
  PassPipelineRegistration<> ingest(
      "tlx-ingest", "the front end's IR (.source) to the level of fbtriton's .ttir",
      [&facts](OpPassManager &passes) { tlx::buildIngestPipeline(passes, facts); });
  PassPipelineRegistration<> ttgir("tlx-ttgir", "layouts: .ttir to .ttgir",
                                   [](OpPassManager &passes) { tlx::buildTtgirPipeline(passes); });
  tlx::PluginFlag plugin;
  PassPipelineCLParser pipeline("", "passes to run");
  if (!commandLine.parse(argc, argv, "reads, transforms and prints TLX IR\n"))
    return kBadInput;
  std::string file = options.input == "-" ? "<stdin>" : options.input.getValue();
  options.limits.guard(file);
  if (tlx::Result<void> loaded = plugin.loaded(); !loaded) {
    llvm::errs() << loaded.error().str() << "\n";
    return kBadInput;
  }
  if (std::optional<tlx::LaunchFacts> given = options.launch.facts())
    facts = *given;
  else
    return kBadInput;

  DialectRegistry registry;
  tlx::registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();

  tlx::Result<std::string> contents = tlx::readSourceText(options.input);
  if (!contents) {
    llvm::errs() << contents.error().str() << "\n";
    return kBadInput;
  }
  auto buffer = llvm::MemoryBuffer::getMemBuffer(*contents, file);

  std::string text;
  llvm::raw_string_ostream os(text);
  int code = kOk;
  auto process = [&](std::unique_ptr<llvm::MemoryBuffer> part, llvm::raw_ostream &out) {
    if (options.verifyDiagnostics) {
      if (succeeded(verifyDiagnosticsOf(options, pipeline, std::move(part), context)))
        return success();
      code = kFailed;
      return failure();
    }
    return runOn(options, pipeline, std::move(part), out, context, code);
  };
  LogicalResult result = splitAndProcessBuffer(std::move(buffer), process, os,
                                               options.splitInput ? kDefaultSplitMarker : "",
                                               options.splitInput ? kDefaultSplitMarker : "");
  if (failed(result))
    return code == kOk ? kFailed : code;
  if (options.verifyDiagnostics)
    return kOk;

  if (tlx::Result<void> written = tlx::writeOutput(options.output, text); !written) {
    llvm::errs() << written.error().str() << "\n";
    return kBadInput;
  }
  return kOk;
}
