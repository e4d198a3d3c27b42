#include "compiler/dialect/registry/Registry.h"

#include "compiler/dialect/amdg/AMDG.h"
#include "compiler/dialect/nvg/NVG.h"
#include "compiler/dialect/nvws/NVWS.h"
#include "compiler/dialect/tlx/TLX.h"
#include "compiler/dialect/tt/TT.h"
#include "compiler/dialect/ttg/TTG.h"
#include "compiler/dialect/ttng/TTNG.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace tlx {

void registerLlvmDialects(mlir::DialectRegistry &registry);

void registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<tt::TTDialect, ttg::TTGDialect, ttng::TTNGDialect, nvg::NVGDialect,
                  nvws::NVWSDialect, amdg::AMDGDialect, tlxd::TLXDialect, mlir::arith::ArithDialect,
                  mlir::math::MathDialect, mlir::scf::SCFDialect, mlir::cf::ControlFlowDialect,
                  mlir::ub::UBDialect, mlir::gpu::GPUDialect>();
  registerLlvmDialects(registry);
}

} // namespace tlx
