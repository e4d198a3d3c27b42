//===- Codegen.h - from LLVM's dialect to machine code ------------------------===//
//
//   module of LLVM's dialect ── translate, optimise ── LLVM IR ── NVPTX ── PTX
//                                                                   ptxas ── cubin
//
// PTX is made in this process. A cubin takes the CUDA toolkit's assembler; where
// there is none, the driver compiles the PTX when the kernel is loaded.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace tlx {

/// LLVM IR with the context that owns it, optimised for the target.
struct LlvmCode {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;

  LlvmCode();
  LlvmCode(LlvmCode &&);
  ~LlvmCode();
  std::string text() const;
};

/// `arch` is the processor's name: "sm_90a".
Result<LlvmCode> translateToLlvm(mlir::ModuleOp module, const std::string &arch);

/// Adds the functions of NVIDIA's device library that the code calls.
Result<void> linkLibrary(LlvmCode &code);

Result<std::string> emitPtx(LlvmCode &code, const std::string &arch);

/// The CUDA toolkit's assembler: `TLX_PTXAS`, on the path, or in its usual place;
/// empty when there is none.
std::string findAssembler();

struct Assembled {
  std::string cubin;
  std::string log; ///< resources and warnings, as the assembler words them
};
Result<Assembled> assemble(const std::string &ptx, const std::string &arch,
                           const std::string &assembler);

/// The same for a CTA of some warps with some shared memory; assembled again with fewer registers
/// where a few too many keep a further CTA from a multiprocessor, else with all that the CTAs
/// leave.
Result<Assembled> assembleForOccupancy(const std::string &ptx, const std::string &arch,
                                       const std::string &assembler, int64_t warps,
                                       int64_t sharedBytes);

} // namespace tlx
