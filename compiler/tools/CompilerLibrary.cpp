//===- CompilerLibrary.cpp - the compiler, as programs open it -------------===//
//
// libTlxCompiler.so: one function that turns a kernel file into what the
// simulator executes (runtime/loader/CompilerLibrary.h).
//
//===----------------------------------------------------------------------===//
#include "runtime/loader/CompilerLibrary.h"

#include "compiler/dialect/registry/Registry.h"
#include "compiler/dialect/tt/TT.h"
#include "compiler/export/Export.h"
#include "compiler/ingest/ParseFile.h"
#include "compiler/pipelines/Ingest.h"

#include "mlir/IR/MLIRContext.h"

using namespace mlir;
using namespace tlx;

static LaunchFacts launchFactsOf(const TlxCompilerRequest &request) {
  LaunchFacts facts;
  facts.target = request.target;
  if (request.numWarps)
    facts.numWarps = int(*request.numWarps);
  facts.numCtas = int(request.numCtas);
  facts.cluster = request.cluster;
  facts.from = "the launch manifest";
  return facts;
}

static ExportOptions exportOptionsOf(const TlxCompilerRequest &request, IrLevel level) {
  ExportOptions options;
  options.kernel = request.kernel;
  options.facts.target = request.target;
  if (request.numWarps)
    options.facts.numWarps = int32_t(*request.numWarps);
  options.facts.numCtas = int32_t(request.numCtas);
  for (size_t axis = 0; axis < 3; ++axis)
    options.facts.clusterDims[axis] = int32_t(request.cluster[axis]);
  if (request.maxRegisters)
    options.facts.maxRegisters = int32_t(*request.maxRegisters);
  options.facts.level = name(level);
  return options;
}

static Result<std::unique_ptr<sim::Program>> load(const TlxCompilerRequest &request,
                                                  TlxCompilerReply &reply) {
  if (request.interfaceVersion != compilerInterfaceVersion)
    return Error("libTlxCompiler.so is of another build than this program");
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();

  Result<OwningOpRef<ModuleOp>> module = parseText(request.text, request.file, context);
  if (!module)
    return module.error();
  for (auto function : (*module)->getOps<tt::FuncOp>())
    if (function.isPublic())
      reply.kernels.push_back(function.getName().str());
  if (llvm::find(reply.kernels, request.kernel) == reply.kernels.end()) {
    reply.noSuchKernel = true;
    return Error("'" + request.file + "' has no kernel '" + request.kernel + "'");
  }

  IrLevel level = irLevelOf(**module, request.file);
  if (level == IrLevel::Source) {
    FirstError errors(&context);
    if (failed(ingestModule(**module, launchFactsOf(request))))
      return errors.take("the front end's IR could not be prepared");
  }
  return exportProgram(**module, exportOptionsOf(request, level));
}

extern "C" int tlxCompilerLoad(const TlxCompilerRequest *request, TlxCompilerReply *reply) {
  Result<std::unique_ptr<sim::Program>> program = load(*request, *reply);
  if (!program) {
    reply->error = program.error();
    return int(reply->error->code);
  }
  reply->program = program->release();
  return 0;
}

extern "C" void tlxCompilerDeleteProgram(sim::Program *program) { delete program; }
