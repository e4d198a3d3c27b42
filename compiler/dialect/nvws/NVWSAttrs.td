// Attributes and enumerations of dialect `nvws`.
#ifndef TLX_NVWS_ATTRS_TD
#define TLX_NVWS_ATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "compiler/dialect/nvws/NVWSDialect.td"

def NVWS_TokenLoadType : I32EnumAttr<"TokenLoadType", "what fills a token's buffer", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"AsyncLoad", 1, "asyncLoad">,
  I32EnumAttrCase<"LocalStore", 2, "localStore">, I32EnumAttrCase<"TmemLoad", 3, "tmemLoad">,
  I32EnumAttrCase<"TmaStore", 4, "tmaStore">]> {
  let cppNamespace = "::tlx::nvws";
}

def NVWS_AsyncOp : I32EnumAttr<"AsyncOp", "asynchronous op whose end releases a buffer", [
  I32EnumAttrCase<"NONE", 0, "none">, I32EnumAttrCase<"TMALoad", 1, "tma_load">,
  I32EnumAttrCase<"TC5MMA", 2, "tc5mma">, I32EnumAttrCase<"TMEMCopy", 3, "tmem_copy">,
  I32EnumAttrCase<"CpAsync", 4, "cp_async">, I32EnumAttrCase<"WGMMA", 5, "wgmma">]> {
  let cppNamespace = "::tlx::nvws";
  let genSpecializedAttr = 0;
}
def NVWS_AsyncOpAttr : EnumAttr<NVWS_Dialect, NVWS_AsyncOp, "async_op"> {
  let assemblyFormat = "`<` $value `>`";
}
def NVWS_AsyncOpArrayAttr : TypedArrayAttrBase<NVWS_AsyncOpAttr, "array of #nvws.async_op">;

#endif
