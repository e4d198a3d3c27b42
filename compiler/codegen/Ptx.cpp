// LLVM's dialect to LLVM IR to PTX.
#include "compiler/codegen/Codegen.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

#include <mutex>

using namespace mlir;

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace tlx {

LlvmCode::LlvmCode() : context(std::make_unique<llvm::LLVMContext>()) {}
LlvmCode::LlvmCode(LlvmCode &&) = default;
LlvmCode::~LlvmCode() = default;

std::string LlvmCode::text() const {
  std::string printed;
  llvm::raw_string_ostream os(printed);
  module->print(os, nullptr);
  return printed;
}

/// PTX 8.6 has all that sm_90a has; CUDA 12.7 and later read it.
constexpr const char *kFeatures = "+ptx86";

static Result<std::unique_ptr<llvm::TargetMachine>> machineFor(const std::string &arch) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  std::string problem;
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target)
    return Error::internal("LLVM has no NVPTX target: " + problem);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, arch, kFeatures, options, std::nullopt, std::nullopt,
                                  llvm::CodeGenOptLevel::Aggressive));
}

/// The default pipeline without what makes code for wide SIMD units: loops stay as
/// they were written, so that registers stay where the lowering put them.
static void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false;
  tuning.LoopInterleaving = false;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

Result<LlvmCode> translateToLlvm(ModuleOp module, const std::string &arch) {
  MLIRContext *context = module.getContext();
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  context->appendDialectRegistry(registry);

  LlvmCode code;
  code.module = translateModuleToLLVMIR(module, *code.context);
  if (!code.module)
    return Error::internal("the lowered kernel could not be translated to LLVM IR");
  auto machine = machineFor(arch);
  if (!machine)
    return std::move(machine).error();
  code.module->setTargetTriple((*machine)->getTargetTriple());
  code.module->setDataLayout((*machine)->createDataLayout());
  if (auto linked = linkLibrary(code); !linked)
    return std::move(linked).error();
  optimise(*code.module, **machine);
  return code;
}

Result<std::string> emitPtx(LlvmCode &code, const std::string &arch) {
  auto machine = machineFor(arch);
  if (!machine)
    return std::move(machine).error();
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream os(text);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, os, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return Error::internal("LLVM cannot print PTX");
  passes.run(*code.module);
  return text.str().str();
}

} // namespace tlx
