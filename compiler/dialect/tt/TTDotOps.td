// Tile products on registers.
#ifndef TLX_TT_DOT_OPS_TD
#define TLX_TT_DOT_OPS_TD

include "compiler/dialect/tt/TTOpBase.td"

def TT_DotOp : TT_Op<"dot", [Pure, NoSyncEffects, HasTileCost, TT_SameType<"d", "c">]> {
  let summary = "d = a x b + c";
  let arguments = (ins TT_Tensor:$a, TT_Tensor:$b, TT_Tensor:$c,
                       DefaultValuedAttr<TT_InputPrecision, "::tlx::tt::InputPrecision::IEEE">:$inputPrecision,
                       DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc,
                       UnitAttr:$two_ctas);
  let results = (outs TT_Tensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` `inputPrecision` `=` $inputPrecision^)? attr-dict `:`
    type($a) `*` type($b) `->` type($d)
  }];
  let hasVerifier = 1;
}

def TT_DotScaledOp : TT_Op<"dot_scaled", [Pure, NoSyncEffects, HasTileCost, AttrSizedOperandSegments,
                                         TT_SameType<"d", "c">]> {
  let summary = "d = (a * a_scale) x (b * b_scale) + c, scales per 32 (or 16) elements of k";
  let arguments = (ins TT_Tensor:$a, TT_Tensor:$b, TT_Tensor:$c,
                       Optional<TT_Tensor>:$a_scale, Optional<TT_Tensor>:$b_scale,
                       TT_ScaleDotElemType:$a_elem_type, TT_ScaleDotElemType:$b_elem_type,
                       BoolAttr:$fastMath,
                       DefaultValuedAttr<BoolAttr, "true">:$lhs_k_pack,
                       DefaultValuedAttr<BoolAttr, "true">:$rhs_k_pack);
  let results = (outs TT_Tensor:$d);
  let assemblyFormat = [{
    $a (`scale` $a_scale^)? `,` $b (`scale` $b_scale^)? `,` $c
    `lhs` `=` $a_elem_type `rhs` `=` $b_elem_type attr-dict `:`
    type($a) (`,` type($a_scale)^)? `*` type($b) (`,` type($b_scale)^)? `->` type($d)
  }];
  let hasVerifier = 1;
}

#endif
