// Types of dialect `tlx`.
#ifndef TLX_TLX_TYPES_TD
#define TLX_TLX_TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "compiler/dialect/tlx/TLXDialect.td"

def TLX_StorageAliasSpec : TypeDef<TLX_Dialect, "StorageAliasSpec"> {
  let mnemonic = "storage_alias_spec";
  let summary = "storage that several buffers share; size in bytes where the user gave one";
  let parameters = (ins "::tlx::tlxd::StorageKind":$storage, "std::optional<int64_t>":$size);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def TLX_ReuseGroup : TypeDef<TLX_Dialect, "ReuseGroup"> {
  let mnemonic = "reuse_group";
  let summary = "buffers that share (shared) or divide (distinct) a piece of storage";
  let parameters = (ins "::tlx::tlxd::ReuseGroupKind":$groupKind);
  let hasCustomAssemblyFormat = 1;
}

#endif
