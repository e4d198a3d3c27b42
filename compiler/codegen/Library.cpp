// NVIDIA's device library: bitcode of mathematical functions that comes with the
// CUDA toolkit. Only what a kernel calls is linked.
#include "compiler/codegen/Codegen.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/IPO/Internalize.h"

#include <cstdlib>

namespace tlx {

static std::string findLibrary() {
  if (const char *given = std::getenv("TLX_LIBDEVICE"))
    return given;
  const char *usual = "/usr/local/cuda/nvvm/libdevice/libdevice.10.bc";
  return llvm::sys::fs::exists(usual) ? usual : "";
}

Result<void> linkLibrary(LlvmCode &code) {
  std::string called;
  for (const llvm::Function &function : *code.module)
    if (function.isDeclaration() && function.getName().starts_with("__nv_"))
      called = function.getName().str();
  if (called.empty())
    return {};
  std::string path = findLibrary();
  if (path.empty())
    return Error("the kernel calls '" + called + "' of NVIDIA's device library, which is not here",
                 {}, "install the CUDA toolkit, or set TLX_LIBDEVICE to libdevice.10.bc");
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return Error("cannot read the device library: " + buffer.getError().message(), {path, 0, 0});
  auto library = llvm::parseBitcodeFile(**buffer, *code.context);
  if (!library)
    return Error("is no device library: " + llvm::toString(library.takeError()), {path, 0, 0});
  // As the producer does: the library's f32 functions take subnormal numbers for 0.
  code.module->addModuleFlag(llvm::Module::Max, "nvvm-reflect-ftz", 1);
  (*library)->setTargetTriple(code.module->getTargetTriple());
  (*library)->setDataLayout(code.module->getDataLayout());
  llvm::StringSet<> own;
  for (const llvm::Function &function : *code.module)
    if (!function.isDeclaration())
      own.insert(function.getName());
  if (llvm::Linker::linkModules(*code.module, std::move(*library),
                                llvm::Linker::Flags::LinkOnlyNeeded))
    return Error::internal("the device library could not be linked");
  for (const llvm::Function &function : *code.module)
    if (function.isDeclaration() && function.getName().starts_with("__nv_"))
      return Error("the device library has no function '" + function.getName().str() + "'");
  llvm::internalizeModule(*code.module, [&](const llvm::GlobalValue &value) {
    return own.contains(value.getName()) || value.isDeclaration();
  });
  return {};
}

} // namespace tlx
