// Dialect `ttg`: GPU tiles: register and shared-memory layouts, local memory,
// warp specialisation.
#ifndef TLX_TTG_DIALECT_TD
#define TLX_TTG_DIALECT_TD

include "mlir/IR/DialectBase.td"

def TTG_Dialect : Dialect {
  let name = "ttg";
  let cppNamespace = "::tlx::ttg";
  let summary = "GPU-level tiles and local memory of Triton";
  let dependentDialects = ["::tlx::tt::TTDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let usePropertiesForAttributes = 1;
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
    void registerOps();
  }];
}

#endif
