// Dialect `nvws`: what automatic warp specialisation works with before it has
// chosen barriers: tokens and references to buffers that tasks pass on.
#ifndef TLX_NVWS_DIALECT_TD
#define TLX_NVWS_DIALECT_TD

include "mlir/IR/DialectBase.td"

def NVWS_Dialect : Dialect {
  let name = "nvws";
  let cppNamespace = "::tlx::nvws";
  let summary = "producer-consumer channels of automatic warp specialisation";
  let dependentDialects = ["::tlx::tt::TTDialect", "::tlx::ttg::TTGDialect"];
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
