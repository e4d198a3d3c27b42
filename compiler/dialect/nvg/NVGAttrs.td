// Enumerations of dialect `nvg`.
#ifndef TLX_NVG_ATTRS_TD
#define TLX_NVG_ATTRS_TD

include "mlir/IR/EnumAttr.td"
include "compiler/dialect/nvg/NVGDialect.td"

def NVG_WGMMALayout : I32EnumAttr<"WGMMALayout", "major order of a wgmma operand", [
  I32EnumAttrCase<"Row", 0, "row">, I32EnumAttrCase<"Col", 1, "col">]> {
  let cppNamespace = "::tlx::nvg";
}

def NVG_WGMMAEltType : I32EnumAttr<"WGMMAEltType", "element type of a wgmma operand", [
  I32EnumAttrCase<"S8", 0, "s8">, I32EnumAttrCase<"S32", 1, "s32">,
  I32EnumAttrCase<"E4M3", 2, "e4m3">, I32EnumAttrCase<"E5M2", 3, "e5m2">,
  I32EnumAttrCase<"F16", 4, "f16">, I32EnumAttrCase<"BF16", 5, "bf16">,
  I32EnumAttrCase<"TF32", 6, "tf32">, I32EnumAttrCase<"F32", 7, "f32">]> {
  let cppNamespace = "::tlx::nvg";
}

#endif
