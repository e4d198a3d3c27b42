// Ops of dialect `tlx`.
#ifndef TLX_TLX_OPS_TD
#define TLX_TLX_OPS_TD

include "compiler/dialect/tlx/TLXAttrs.td"
include "compiler/dialect/tlx/TLXTypes.td"
include "compiler/dialect/ttg/TTGOpBase.td"

class TLX_Op<string mnemonic, list<Trait> traits = []>
    : Op<TLX_Dialect, mnemonic, !listconcat([NoSyncEffects, CostPerElement<"None">], traits)>;

// A tile in registers or a buffer.
def TLX_TensorOrMemDesc : AnyTypeOf<[TT_Tensor, TTG_MemDesc], "tensor or memdesc">;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

def TLX_RequireLayoutOp : TLX_Op<"require_layout", [Pure]> {
  let summary = "the same tile or buffer, in the layout of the result type";
  let arguments = (ins TLX_TensorOrMemDesc:$src);
  let results = (outs TLX_TensorOrMemDesc:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TLX_ReleaseLayoutOp : TLX_Op<"release_layout", [Pure]> {
  let summary = "the same tile, its layout free again";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

class TLX_LayoutCheckOp<string mnemonic> : TLX_Op<mnemonic, [MemoryEffects<[MemWrite<DefaultResource>]>]>;

def TLX_AssertSameLayoutOp : TLX_LayoutCheckOp<"assert_same_layout"> {
  let summary = "compile-time check that two tiles have one layout";
  let arguments = (ins TLX_TensorOrMemDesc:$lhs, TLX_TensorOrMemDesc:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
}

def TLX_AssertSameLayoutExpectedOp : TLX_LayoutCheckOp<"assert_same_layout_expected"> {
  let summary = "compile-time check of a tile's layout";
  let arguments = (ins TLX_TensorOrMemDesc:$src, AnyAttr:$expected);
  let assemblyFormat = "$src attr-dict `:` type($src)";
}

def TLX_DumpLayoutOp : TLX_LayoutCheckOp<"dump_layout"> {
  let summary = "prints a layout at compile time";
  let arguments = (ins TLX_TensorOrMemDesc:$src);
  let assemblyFormat = "$src attr-dict `:` type($src)";
}

//===----------------------------------------------------------------------===//
// Storage aliases
//===----------------------------------------------------------------------===//

def TLX_LocalAliasOp : TLX_Op<"local_alias", [Pure]> {
  let summary = "another view of a whole allocation, from its first byte";
  let arguments = (ins TTG_MemDesc:$src);
  let results = (outs TTG_MemDesc:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def TLX_StorageAliasSpecOp : TLX_Op<"storage_alias_spec", [MemoryEffects<[MemAlloc<DefaultResource>]>]> {
  let summary = "storage that buffers will share";
  let arguments = (ins TLX_StorageKind:$storage, OptionalAttr<I64Attr>:$buffer_size_bytes,
                       OptionalAttr<DenseI64ArrayAttr>:$buffer_shape);
  let results = (outs TLX_StorageAliasSpec:$result);
  let assemblyFormat = [{
    `storage` `=` $storage (`,` `size` `=` $buffer_size_bytes^)? attr-dict `:`
    qualified(type($result))
  }];
  let hasVerifier = 1;
}

def TLX_StorageAliasLocalAllocOp
    : TLX_Op<"storage_alias_local_alloc"> {
  let summary = "a buffer in shared storage";
  let arguments = (ins TLX_StorageAliasSpec:$storage_alias);
  let results = (outs Res<TTG_MemDesc, "", [MemAlloc<DefaultResource>]>:$result);
  let assemblyFormat = [{
    $storage_alias attr-dict `:` qualified(type($storage_alias)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def TLX_ReuseGroupOp : TLX_Op<"reuse_group", [Pure]> {
  let summary = "buffers and groups that share or divide storage";
  let arguments = (ins Variadic<AnyTypeOf<[TTG_MemDesc, TLX_ReuseGroup]>>:$elements,
                       TLX_ReuseGroupKind:$group_kind, DefaultValuedAttr<I64Attr, "1">:$group_size);
  let results = (outs TLX_ReuseGroup:$result);
  let assemblyFormat = [{
    `(` $elements `)` `group_kind` `=` $group_kind (`,` `group_size` `=` $group_size^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def TLX_SetBufferOverlapOp
    : TLX_Op<"set_buffer_overlap", [MemoryEffects<[MemWrite<DefaultResource>]>]> {
  let summary = "how the buffers of a storage overlap";
  let arguments = (ins TLX_StorageAliasSpec:$storage_alias_spec, TLX_ReuseGroup:$overlap_def);
  let assemblyFormat = [{
    `(` $storage_alias_spec `,` $overlap_def `)` `:` functional-type(operands, results) attr-dict
  }];
  let hasVerifier = 1;
}

#endif
