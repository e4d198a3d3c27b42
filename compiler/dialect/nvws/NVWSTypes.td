// Types of dialect `nvws`.
#ifndef TLX_NVWS_TYPES_TD
#define TLX_NVWS_TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "compiler/dialect/nvws/NVWSDialect.td"

def NVWS_Token : TypeDef<NVWS_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "one slot of a channel between two tasks";
}

def NVWS_Aref : TypeDef<NVWS_Dialect, "Aref"> {
  let mnemonic = "aref";
  let summary = "buffers that one task fills and others read";
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$buffers);
  let assemblyFormat = "`<` `[` $buffers `]` `>`";
}

#endif
