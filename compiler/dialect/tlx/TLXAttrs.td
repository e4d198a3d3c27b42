// Layout wrappers and placeholders, and the enumerations of storage aliases.
#ifndef TLX_TLX_ATTRS_TD
#define TLX_TLX_ATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "compiler/dialect/tlx/TLXDialect.td"
include "compiler/dialect/ttg/TTGTraits.td"

class TLX_Attr<string name, string mnemonicText, list<Trait> traits = []>
    : AttrDef<TLX_Dialect, name, traits> {
  let mnemonic = mnemonicText;
}

def TLX_NoVerifyLayout : TLX_Attr<"NoVerifyLayout", "no_verify_layout", [TTG_RegisterEncoding]> {
  let summary = "a register layout whose checks wait until layouts are resolved";
  let parameters = (ins "::mlir::Attribute":$layout);
  let assemblyFormat = "`<` $layout `>`";
  let genVerifyDecl = 1;
}

// Counts as a shared encoding for printing, whatever it wraps, as fbtriton has it.
def TLX_UserLayout : TLX_Attr<"UserLayout", "user_layout", [TTG_SharedEncoding]> {
  let summary = "a layout that the user pinned";
  let parameters = (ins "::mlir::Attribute":$layout);
  let assemblyFormat = "`<` $layout `>`";
  let genVerifyDecl = 1;
}

def TLX_DummyRegisterLayout
    : TLX_Attr<"DummyRegisterLayout", "dummy_register_layout", [TTG_RegisterEncoding]> {
  let summary = "a register layout that is still to be chosen";
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "bool":$tmemCompatible);
  let hasCustomAssemblyFormat = 1;
}

def TLX_DummyTMEMLayout : TLX_Attr<"DummyTMEMLayout", "dummy_tmem_layout"> {
  let summary = "a tensor-memory layout that is still to be chosen";
}

class TLX_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tlx::tlxd";
}

def TLX_StorageKind : TLX_Enum<"StorageKind", "memory that aliased buffers share", [
  I32EnumAttrCase<"Smem", 0, "smem">, I32EnumAttrCase<"Tmem", 1, "tmem">]>;

def TLX_ReuseGroupKind : TLX_Enum<"ReuseGroupKind", "whether a group's members overlap", [
  I32EnumAttrCase<"Shared", 0, "shared">, I32EnumAttrCase<"Distinct", 1, "distinct">]>;

#endif
