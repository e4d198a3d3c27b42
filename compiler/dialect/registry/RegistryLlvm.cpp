// LLVM's dialects in a file of their own: their headers take 15 s to compile.
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/InlinerInterfaceImpl.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Transforms/InliningUtils.h"

namespace tlx {
namespace {

/// Upstream has none for ROCDL; scheduling hints occur in helper functions.
struct RocdlInlinerInterface : public mlir::DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(mlir::Operation *, mlir::Region *, bool, mlir::IRMapping &) const final {
    return true;
  }
};

} // namespace

void registerLlvmDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::LLVM::LLVMDialect, mlir::ROCDL::ROCDLDialect>();
  mlir::LLVM::registerInlinerInterface(registry);
  registry.addExtension(+[](mlir::MLIRContext *, mlir::ROCDL::ROCDLDialect *dialect) {
    dialect->addInterfaces<RocdlInlinerInterface>();
  });
}

} // namespace tlx
