#include "compiler/pipelines/Compile.h"

#include "compiler/analysis/ElementType.h"
#include "compiler/analysis/TmaBox.h"
#include "compiler/codegen/Codegen.h"
#include "compiler/ingest/ParseFile.h"
#include "compiler/lowering/nvidia/Lowering.h"
#include "runtime/base/Sha256.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tlx {
namespace {

Result<tt::FuncOp> findKernel(ModuleOp module, const CompileOptions &options) {
  tt::FuncOp found;
  for (auto function : module.getOps<tt::FuncOp>()) {
    bool meant =
        options.kernel.empty() ? function.isPublic() : function.getName().str() == options.kernel;
    if (!meant || function.isExternal())
      continue;
    if (found)
      return Error("there are several kernels: '" + found.getName().str() + "' and '" +
                       function.getName().str() + "'",
                   {options.file, 0, 0}, "name one with --kernel");
    found = function;
  }
  if (!found)
    return Error(options.kernel.empty() ? "there is no kernel: no public tt.func"
                                        : "there is no kernel '" + options.kernel + "'",
                 {options.file, 0, 0});
  return found;
}

/// The architecture that code for a target is made for.
Result<std::string> archOf(ModuleOp module, const CompileOptions &options) {
  auto target = module->getAttrOfType<StringAttr>("ttg.target");
  if (!target || !module->hasAttr("ttg.num-warps"))
    return Error("the module does not say target and warps (ttg.target, ttg.num-warps)",
                 {options.file, 0, 0}, "compile .ttgir, which says them");
  if (target.getValue() != "cuda:90")
    return Error("code is generated for cuda:90 only; the module is for " + target.str(),
                 {options.file, 0, 0});
  return std::string("sm_90a");
}

/// What PTX and the driver do not take: other characters in names (NVPTX writes
/// '.' and '@' in another way), and more bytes of parameters than there is room for.
Result<void> checkSignature(ModuleOp module, tt::FuncOp kernel) {
  for (auto function : module.getOps<tt::FuncOp>())
    for (char c : function.getName())
      if (!llvm::isAlnum(c) && !StringRef("_$.@").contains(c))
        return Error("'tt.func' has a name with characters that PTX does not have",
                     sourceLocationOf(function.getLoc()));
  // CUDA C++ Programming Guide, "__global__ function parameters", from sm_70 on.
  constexpr uint64_t mostBytes = 32764, descriptorBytes = 128;
  uint64_t bytes = 0;
  for (Type type : kernel.getArgumentTypes())
    if (isa<RankedTensorType>(type))
      return Error("'tt.func' takes a tile, which no launch can give",
                   sourceLocationOf(kernel.getLoc()));
  for (Type type : kernel.getArgumentTypes())
    bytes += tt::isTensorDesc(type) ? descriptorBytes
             : type.isIntOrFloat()  ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 8)
                                    : 8;
  if (bytes > mostBytes)
    return Error("'tt.func' has " + std::to_string(bytes) + " bytes of parameters; at most " +
                     std::to_string(mostBytes) + " can be given",
                 sourceLocationOf(kernel.getLoc()));
  return {};
}

Result<PackageParameter> parameterOf(tt::FuncOp kernel, unsigned index) {
  Type type = kernel.getArgumentTypes()[index];
  PackageParameter parameter;
  auto loc = dyn_cast<NameLoc>(kernel.getArgument(index).getLoc());
  parameter.name = loc ? loc.getName().str() : "";
  Type element = type;
  if (auto pointer = dyn_cast<tt::PointerType>(type)) {
    parameter.kind = PackageParameter::Kind::Pointer;
    element = pointer.getPointeeType();
  } else if (auto descriptor = dyn_cast<tt::TensorDescType>(type)) {
    RankedTensorType block = descriptor.getBlockType();
    parameter.kind = PackageParameter::Kind::Descriptor;
    element = block.getElementType();
    parameter.block.assign(block.getShape().begin(), block.getShape().end());
    Result<TmaBox> box = tmaBox(block.getShape(), element, block.getEncoding());
    if (!box)
      return Error("parameter " + std::to_string(index) + ": " + box.error().message,
                   sourceLocationOf(kernel.getLoc()));
    parameter.box = box->shape;
    parameter.swizzleBytes = box->swizzleBytes;
  }
  std::optional<DType> dtype = elementType(element);
  if (!dtype)
    return Error("parameter " + std::to_string(index) + " has a type that no launch can give",
                 sourceLocationOf(kernel.getLoc()));
  parameter.element = *dtype;
  return parameter;
}

Result<Package> describe(tt::FuncOp kernel, const LoweredKernel &lowered,
                         const CompileOptions &options) {
  Package package;
  package.kernel = lowered.name;
  package.target = "cuda:90";
  package.warps = lowered.warps;
  package.cluster = lowered.cluster;
  package.sharedBytes = lowered.sharedBytes;
  package.globalScratchBytes = lowered.globalScratchBytes;
  package.globalScratchAlignment = lowered.globalScratchAlignment;
  package.sourceSha256 = sha256Hex(options.text);
  for (unsigned index = 0; index < kernel.getNumArguments(); ++index) {
    Result<PackageParameter> parameter = parameterOf(kernel, index);
    if (!parameter)
      return parameter.error();
    package.parameters.push_back(std::move(*parameter));
  }
  return package;
}

std::string printed(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text + "\n";
}

} // namespace

Result<Compiled> compileModule(ModuleOp module, const CompileOptions &options, Product product) {
  Result<tt::FuncOp> kernel = findKernel(module, options);
  if (!kernel)
    return kernel.error();
  Result<std::string> arch = archOf(module, options);
  if (!arch)
    return arch.error();
  Compiled result;
  if (product == Product::Ttgir) {
    result.text = printed(module);
    return result;
  }
  if (Result<void> checked = checkSignature(module, *kernel); !checked)
    return checked.error();
  FirstError errors(module.getContext());
  FailureOr<LoweredKernel> lowered = lowerToNvvm(*kernel);
  if (failed(lowered))
    return errors.take("the kernel could not be lowered");
  if (failed(mlir::verify(*lowered->module)))
    return Error::internal(errors.take("the lowered kernel is malformed").str());
  Result<Package> package = describe(*kernel, *lowered, options);
  if (!package)
    return package.error();
  result.package = std::move(*package);

  Result<LlvmCode> code = translateToLlvm(*lowered->module, *arch);
  if (!code)
    return code.error();
  if (product == Product::Llvm) {
    result.text = code->text();
    return result;
  }
  Result<std::string> ptx = emitPtx(*code, *arch);
  if (!ptx)
    return ptx.error();
  if (product == Product::Ptx) {
    result.text = std::move(*ptx);
    return result;
  }
  if (options.assembler.empty()) {
    if (product == Product::Cubin)
      return Error("there is no ptxas to make a cubin with", {},
                   "install the CUDA toolkit, or set TLX_PTXAS");
    result.package.codes.push_back({*arch, "ptx", std::move(*ptx)});
    return result;
  }
  Result<Assembled> assembled = assembleForOccupancy(
      *ptx, *arch, options.assembler, result.package.warps, result.package.sharedBytes);
  if (!assembled)
    return assembled.error();
  result.log = std::move(assembled->log);
  if (product == Product::Cubin)
    result.text = std::move(assembled->cubin);
  else
    result.package.codes.push_back({*arch, "cubin", std::move(assembled->cubin)});
  return result;
}

} // namespace tlx
