//===- IrTargets.cpp - kernels ------------------------------------------------===//
#include "tests/fuzz/targets/Targets.h"

#include "compiler/dialect/registry/Registry.h"
#include "compiler/export/Export.h"
#include "compiler/ingest/ParseFile.h"
#include "compiler/pipelines/Ingest.h"
#include "verify/checks/Prover.h"
#include "verify/encode/Encoder.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tlx::fuzz {

namespace {

/// A context with all dialects, asked for once an input: what an input leaves in it stays, so a new
/// one is made now and then; making one for each input takes longer than the input.
MLIRContext &context() {
  static std::unique_ptr<MLIRContext> held;
  static unsigned uses = 0;
  if (uses++ % 256 == 0) {
    DialectRegistry registry;
    registerDialects(registry);
    held = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
    held->loadAllAvailableDialects();
  }
  return *held;
}

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}

OwningOpRef<ModuleOp> parse(std::string_view text, MLIRContext &context) {
  auto parsed = parseText(text, nowhere, context);
  if (parsed)
    return std::move(*parsed);
  checkError(parsed.error());
  require(parsed.error().location.line > 0, "an error names a line");
  return {};
}

/// At the level that verifier and simulator start from; nothing when it cannot be
/// brought there.
OwningOpRef<ModuleOp> ingested(std::string_view text, LaunchFacts facts) {
  OwningOpRef<ModuleOp> module = parse(text, context());
  if (!module)
    return {};
  FirstError errors(module->getContext());
  if (failed(prepareModule(*module, irLevelOf(*module, nowhere), facts)))
    return {};
  return module;
}

void ir(std::string_view text) {
  MLIRContext &held = context();
  OwningOpRef<ModuleOp> module = parse(text, held);
  if (!module)
    return;
  std::string printed = print(*module);
  OwningOpRef<ModuleOp> again = parse(printed, held);
  require(bool(again), "printed IR parses");
  require(print(*again) == printed, "printing IR is stable");
}

void verify(std::string_view text) {
  OwningOpRef<ModuleOp> module = ingested(text, {});
  if (!module)
    return;
  for (auto function : module->getOps<FunctionOpInterface>()) {
    if (function.isExternal() || function.isPrivate())
      continue;
    verify::EncodedKernel encoded = verify::encode(function, {});
    if (!encoded.reason.empty())
      continue;
    verify::ProverOptions options;
    options.timeoutSeconds = 1;
    options.maxStates = 2000;
    verify::ProofResult result = verify::prove(encoded.program, options);
    require(result.verdict != verify::ProofResult::Unknown || !result.reason.empty(),
            "an UNKNOWN has a reason");
  }
}

void exportTarget(std::string_view text) {
  OwningOpRef<ModuleOp> module = ingested(text, {});
  if (!module)
    return;
  if (auto exported = exportProgram(*module); !exported)
    checkError(exported.error());
}

constexpr Target targets[] = {
    {"ir", ir, "ir", 61}, {"verify", verify, "ir", 61}, {"export", exportTarget, "ir", 61}};

} // namespace

std::span<const Target> irTargets() { return targets; }

} // namespace tlx::fuzz
