// Dialect `amdg`: AMD hardware: buffer instructions, direct-to-LDS copies, the
// tensor data mover, MFMA registers, workgroup barriers.
#ifndef TLX_AMDG_DIALECT_TD
#define TLX_AMDG_DIALECT_TD

include "mlir/IR/DialectBase.td"

def AMDG_Dialect : Dialect {
  let name = "amdg";
  let cppNamespace = "::tlx::amdg";
  let summary = "units of AMD GPUs, as tile operations";
  let dependentDialects = ["::tlx::tt::TTDialect", "::tlx::ttg::TTGDialect"];
  let useDefaultAttributePrinterParser = 1;
  let usePropertiesForAttributes = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerOps();
  }];
}

#endif
