// Dialect `tlx`: layout pins and storage aliases of the TLX front end.
#ifndef TLX_TLX_DIALECT_TD
#define TLX_TLX_DIALECT_TD

include "mlir/IR/DialectBase.td"

def TLX_Dialect : Dialect {
  let name = "tlx";
  let cppNamespace = "::tlx::tlxd";
  let summary = "layout placeholders and storage aliases of TLX";
  let dependentDialects = ["::tlx::ttg::TTGDialect"];
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
