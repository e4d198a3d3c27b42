// Dialect `ttng`: NVIDIA Hopper and Blackwell hardware: mbarriers, TMA, wgmma,
// tcgen05, tensor memory, clusters.
#ifndef TLX_TTNG_DIALECT_TD
#define TLX_TTNG_DIALECT_TD

include "mlir/IR/DialectBase.td"

def TTNG_Dialect : Dialect {
  let name = "ttng";
  let cppNamespace = "::tlx::ttng";
  let summary = "asynchronous units of NVIDIA GPUs, as tile operations";
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
