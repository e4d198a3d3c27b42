// Dialect `nvg`: NVIDIA instructions on scalars and LLVM values; what is left of
// tiles late in the lowering, and the cluster rank.
#ifndef TLX_NVG_DIALECT_TD
#define TLX_NVG_DIALECT_TD

include "mlir/IR/DialectBase.td"

def NVG_Dialect : Dialect {
  let name = "nvg";
  let cppNamespace = "::tlx::nvg";
  let summary = "NVIDIA instructions on scalars";
  let dependentDialects = ["::tlx::tt::TTDialect", "::tlx::ttg::TTGDialect"];
  let usePropertiesForAttributes = 1;
  let extraClassDeclaration = [{
    void registerOps();
  }];
}

#endif
