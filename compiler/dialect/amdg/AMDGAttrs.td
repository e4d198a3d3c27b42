// Attributes and enumerations of dialect `amdg`.
#ifndef TLX_AMDG_ATTRS_TD
#define TLX_AMDG_ATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "compiler/dialect/amdg/AMDGDialect.td"

def AMDG_SchedHint : I32EnumAttr<"SchedHint", "instruction schedule that is asked for", [
  I32EnumAttrCase<"NONE", 0, "none">, I32EnumAttrCase<"ATTENTION", 1, "attention">]> {
  let cppNamespace = "::tlx::amdg";
  let genSpecializedAttr = 0;
}
def AMDG_SchedHintAttr : EnumAttr<AMDG_Dialect, AMDG_SchedHint, "SchedHintVariant"> {
  let assemblyFormat = "`<` $value `>`";
}

#endif
