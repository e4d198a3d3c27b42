// Attributes and enumerations of dialect `ttng`: memory spaces, tensor-memory
// encodings.
#ifndef TLX_TTNG_ATTRS_TD
#define TLX_TTNG_ATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "compiler/dialect/ttng/TTNGDialect.td"

class TTNG_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tlx::ttng";
}

def TTNG_TensorMode : TTNG_Enum<"TensorMode", "addressing of a TMA load", [
  I32EnumAttrCase<"TILED", 0, "tiled">, I32EnumAttrCase<"IM2COL", 1, "im2col">]>;

def TTNG_TensorMemoryCTAMode : TTNG_Enum<"TensorMemoryCTAMode",
    "how a 64-row tile of a CTA pair lies on the 128 lanes", [
  I32EnumAttrCase<"DEFAULT", 0, "default">, I32EnumAttrCase<"TwoCTA_LHS", 1, "twocta_lhs">,
  I32EnumAttrCase<"TwoCTA_RHS", 2, "twocta_rhs">]>;

def TTNG_ScalesBlockRepOrder : TTNG_Enum<"ScalesBlockRepOrder",
    "order in which scale blocks repeat", [
  I32EnumAttrCase<"MnThenK", 0, "mnThenK">, I32EnumAttrCase<"KThenMn", 1, "kThenMn">]>;

def TTNG_PackedArithKind : TTNG_Enum<"PackedArithKind", "operator on packed pairs", [
  I32EnumAttrCase<"ADD", 0, "add">, I32EnumAttrCase<"SUB", 1, "sub">,
  I32EnumAttrCase<"MUL", 2, "mul">, I32EnumAttrCase<"FMA", 3, "fma">,
  I32EnumAttrCase<"MIN", 4, "min">, I32EnumAttrCase<"MAX", 5, "max">]>;

def TTNG_TMEMLoadReduceModifier : TTNG_Enum<"TMEMLoadReduceModifier",
    "reduction fused into a tensor-memory load", [
  I32EnumAttrCase<"MIN", 1, "min">, I32EnumAttrCase<"MAX", 2, "max">]> {
  let genSpecializedAttr = 0;
}
def TTNG_TMEMLoadReduceModifierAttr
    : EnumAttr<TTNG_Dialect, TTNG_TMEMLoadReduceModifier, "redOp"> {
  let assemblyFormat = "`<` $value `>`";
}

class TTNG_Attr<string name, string mnemonicText, list<Trait> traits = []>
    : AttrDef<TTNG_Dialect, name, traits> {
  let mnemonic = mnemonicText;
}

def TTNG_TensorMemorySpace : TTNG_Attr<"TensorMemorySpace", "tensor_memory"> {
  let summary = "tensor memory: 512 columns of 128 lanes of 32 bits in each CTA";
}
def TTNG_SharedClusterMemorySpace
    : TTNG_Attr<"SharedClusterMemorySpace", "shared_cluster_memory"> {
  let summary = "shared memory of another CTA of the cluster";
}

def TTNG_TensorMemoryEncoding : TTNG_Attr<"TensorMemoryEncoding", "tensor_memory_encoding"> {
  let summary = "tiles of blockM x blockN elements on lanes x columns";
  let description = [{
    `colStride` is the number of elements-wide columns from one element to the
    next: 1 packs, 32 / bitwidth spends a 32-bit column on each element. `cga`
    holds the bases of the CTAs of a cluster, empty for a single CTA.
    PTX ISA, "Tensor Memory"; "Data path layout organization" for the modes.
  }];
  let parameters = (ins "unsigned":$blockM, "unsigned":$blockN, "unsigned":$colStride,
                        "::mlir::ArrayAttr":$cga, "bool":$twoCTAs,
                        EnumParameter<TTNG_TensorMemoryCTAMode>:$ctaMode, "bool":$fp4Padded);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def TTNG_TensorMemoryScalesEncoding
    : TTNG_Attr<"TensorMemoryScalesEncoding", "tensor_memory_scales_encoding"> {
  let summary = "8-bit scale factors of a scaled product, replicated over the warps' lanes";
  let parameters = (ins "::mlir::ArrayAttr":$cga,
                        EnumParameter<TTNG_ScalesBlockRepOrder>:$blockRepOrder);
  let hasCustomAssemblyFormat = 1;
}

#endif
