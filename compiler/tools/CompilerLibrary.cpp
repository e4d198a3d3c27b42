//===- CompilerLibrary.cpp - the compiler, as programs open it -------------===//
//
// libTlxCompiler.so: one function that turns a kernel file into what the
// simulator executes (runtime/loader/CompilerLibrary.h).
//
//===----------------------------------------------------------------------===//
#include "runtime/loader/CompilerLibrary.h"

#include "compiler/codegen/Codegen.h"
#include "compiler/dialect/registry/Registry.h"
#include "compiler/dialect/tt/TT.h"
#include "compiler/dialect/ttng/TTNG.h"
#include "compiler/export/Export.h"
#include "compiler/ingest/ParseFile.h"
#include "compiler/pipelines/Compile.h"
#include "compiler/pipelines/Ingest.h"
#include "compiler/pipelines/Ttgir.h"

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

/// What the launch and the module both state must be the same.
static Result<void> checkAgreement(ModuleOp module, const TlxCompilerRequest &request) {
  auto agrees = [&](StringRef attribute, StringRef key, std::optional<int64_t> given,
                    const SourceLocation &location) -> Result<void> {
    auto stated = module->getAttrOfType<IntegerAttr>(attribute);
    if (!location.line || !given || !stated || stated.getInt() == *given)
      return {};
    return Error(key.str() + " is " + std::to_string(*given) + "; " + request.file + " says " +
                     attribute.str() + " = " + std::to_string(stated.getInt()),
                 location, "the manifest belongs to another kernel, or to another build of it");
  };
  if (auto same =
          agrees("ttg.num-warps", "default_num_warps", request.numWarps, request.numWarpsLocation);
      !same)
    return same;
  return agrees("ttg.num-ctas", "num_ctas", request.numCtas, request.numCtasLocation);
}

/// The request's module, which has the kernel and fits the launch.
static Result<OwningOpRef<ModuleOp>> parse(const TlxCompilerRequest &request,
                                           TlxCompilerReply &reply, MLIRContext &context) {
  if (request.interfaceVersion != compilerInterfaceVersion)
    return Error("libTlxCompiler.so is of another build than this program");
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
  if (Result<void> fits = checkAgreement(**module, request); !fits)
    return fits.error();
  return module;
}

/// A context with all dialects.
struct Context {
  Context() : context(registered(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
  }
  static DialectRegistry registered() {
    DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }
  MLIRContext context;
};

static bool readsTensorMemory(ModuleOp module) {
  return module.walk([](ttng::TMEMLoadOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

static Result<std::unique_ptr<sim::Program>> load(const TlxCompilerRequest &request,
                                                  TlxCompilerReply &reply) {
  Context held;
  MLIRContext &context = held.context;
  Result<OwningOpRef<ModuleOp>> module = parse(request, reply, context);
  if (!module)
    return module.error();

  IrLevel level = irLevelOf(**module, request.file);
  if (FirstError errors(&context); failed(prepareModule(**module, level, launchFactsOf(request))))
    return errors.take("the front end's IR could not be prepared");
  // Where we choose no layouts, the simulator says what it would need them for; the instructions
  // that read tensor memory tell of those as well as ours would.
  if (level != IrLevel::Ttgir && dependsOnLayouts(**module) && !readsTensorMemory(**module)) {
    OwningOpRef<ModuleOp> settled = (*module)->clone();
    if (raiseToTtgir(*settled, IrLevel::Ttir, launchFactsOf(request)))
      module = std::move(settled);
  }
  return exportProgram(**module, exportOptionsOf(request, level));
}

static Result<std::string> compile(const TlxCompilerRequest &request, TlxCompilerReply &reply) {
  Context held;
  Result<OwningOpRef<ModuleOp>> module = parse(request, reply, held.context);
  if (!module)
    return module.error();
  if (Result<void> raised =
          raiseToTtgir(**module, irLevelOf(**module, request.file), launchFactsOf(request), true);
      !raised)
    return raised.error();
  CompileOptions options;
  options.kernel = request.kernel;
  options.file = request.file;
  options.text = request.text;
  options.assembler = findAssembler();
  Result<Compiled> compiled = compileModule(**module, options, Product::Package);
  if (!compiled)
    return compiled.error();
  return writePackage(compiled->package);
}

extern "C" int tlxCompilerCompile(const TlxCompilerRequest *request, TlxCompilerReply *reply,
                                  std::string *bytes) {
  Result<std::string> compiled = compile(*request, *reply);
  if (!compiled) {
    reply->error = compiled.error();
    return int(reply->error->code);
  }
  *bytes = std::move(*compiled);
  return 0;
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
