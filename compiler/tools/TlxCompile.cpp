//===- TlxCompile.cpp - compiles a kernel ---------------------------------------===//
//
//   tlx-compile kernel.ttgir -o kernel.tlxk
//   tlx-compile kernel.ttir --manifest launch.json --emit ptx
//
// Exit codes: 0 done, 2 bad input, something without a lowering, or usage, 3 a
// fault of the compiler, 4 a limit was met.
//
//===----------------------------------------------------------------------===//
#include "compiler/codegen/Codegen.h"
#include "compiler/dialect/registry/Registry.h"
#include "compiler/ingest/ParseFile.h"
#include "compiler/pipelines/Compile.h"
#include "compiler/pipelines/Ttgir.h"
#include "compiler/tools/CommandLine.h"
#include "compiler/tools/GuardFlags.h"
#include "compiler/tools/LaunchFlags.h"
#include "compiler/tools/LayoutDump.h"
#include "compiler/tools/PassFlags.h"
#include "runtime/base/Output.h"
#include "runtime/base/SourceText.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace {

struct Options {
  cl::opt<std::string> input{cl::Positional, cl::desc("<file>"), cl::init("-")};
  cl::opt<std::string> output{"o", cl::desc("write here (default: standard output)"),
                              cl::value_desc("file"), cl::init("-")};
  cl::opt<std::string> kernel{
      "kernel", cl::desc("the function (default: the manifest's, or the only public one)"),
      cl::value_desc("name")};
  cl::opt<bool> resources{"resources",
                          cl::desc("print what the assembler says about registers and memory")};
  cl::opt<bool> layouts{"dump-layout",
                        cl::desc("print where the elements of each tile and buffer lie")};
  tlx::LaunchFlags launch;
  tlx::PassFlags passes;
  tlx::GuardFlags limits;
  cl::opt<tlx::Product> emit{
      "emit", cl::desc("what to write"),
      cl::values(clEnumValN(tlx::Product::Ttgir, "ttgir", "the tile program"),
                 clEnumValN(tlx::Product::Llvm, "llvm", "LLVM IR"),
                 clEnumValN(tlx::Product::Ptx, "ptx", "PTX"),
                 clEnumValN(tlx::Product::Cubin, "cubin", "machine code"),
                 clEnumValN(tlx::Product::Package, "package", "a .tlxk package (default)")),
      cl::init(tlx::Product::Package)};
};

int report(const tlx::Error &error) {
  llvm::errs() << error.str() << "\n";
  return int(error.code);
}

int run(const Options &options) {
  std::string file = options.input == "-" ? "<stdin>" : options.input.getValue();
  options.limits.guard(file);
  if (tlx::Result<void> loaded = options.passes.loaded(); !loaded)
    return report(loaded.error());
  tlx::Result<std::string> text = tlx::readSourceText(options.input);
  if (!text)
    return report(text.error());
  DialectRegistry registry;
  tlx::registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  tlx::Result<OwningOpRef<ModuleOp>> module = tlx::parseText(*text, file, context);
  if (!module)
    return report(module.error());
  tlx::IrLevel level = tlx::irLevelOf(**module, file);
  std::optional<tlx::LaunchFacts> facts = options.launch.facts();
  if (!facts)
    return int(tlx::ExitCode::BadInput);
  bool forCode = options.emit != tlx::Product::Ttgir;
  if (tlx::Result<void> raised = tlx::raiseToTtgir(**module, level, *facts, forCode); !raised)
    return report(raised.error());
  if (tlx::Result<void> changed = options.passes.runOn(**module); !changed)
    return report(changed.error());
  if (options.layouts)
    tlx::dumpLayouts(**module, llvm::errs());
  tlx::CompileOptions compile;
  compile.kernel = options.kernel.empty() ? facts->kernel : options.kernel.getValue();
  compile.file = file;
  compile.text = *text;
  compile.assembler = tlx::findAssembler();
  tlx::Result<tlx::Compiled> compiled = tlx::compileModule(**module, compile, options.emit);
  if (!compiled)
    return report(compiled.error());
  if (options.resources)
    llvm::errs() << compiled->log;
  std::string bytes =
      options.emit == tlx::Product::Package ? tlx::writePackage(compiled->package) : compiled->text;
  if (tlx::Result<void> written = tlx::writeOutput(options.output, bytes); !written)
    return report(written.error());
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  tlx::CommandLine commandLine;
  Options options;
  if (!commandLine.parse(argc, argv, "compiles a kernel to machine code\n"))
    return int(tlx::ExitCode::BadInput);
  return run(options);
}
