// Dialect `tt`: Triton's target-independent tile operations.
#ifndef TLX_TT_DIALECT_TD
#define TLX_TT_DIALECT_TD

include "mlir/IR/DialectBase.td"

def TT_Dialect : Dialect {
  let name = "tt";
  let cppNamespace = "::tlx::tt";
  let summary = "tile-level operations of Triton";
  let useDefaultTypePrinterParser = 1;
  let usePropertiesForAttributes = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    void registerTypes();
    void registerOps();

    IrVersion irVersion = IrVersion::V3_7_4;
  }];
}

#endif
