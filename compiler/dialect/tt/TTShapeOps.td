// Ops that make tiles or change their shape.
#ifndef TLX_TT_SHAPE_OPS_TD
#define TLX_TT_SHAPE_OPS_TD

include "compiler/dialect/tt/TTOpBase.td"

def TT_SplatOp : TT_PureOp<"splat", "None", [SameOperandsAndResultElementType]> {
  let summary = "a scalar in every element of a tile";
  let arguments = (ins TT_Any:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
}

def TT_UnsplatOp : TT_PureOp<"unsplat", "None",
    [TypesMatchWith<"result is the element type of src", "src", "result",
                    "::mlir::cast<::mlir::RankedTensorType>($_self).getElementType()">]> {
  let summary = "the only element of a one-element tile";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Any:$result);
  let assemblyFormat = "$src attr-dict `:` type($src)";
  let hasVerifier = 1;
}

def TT_ExpandDimsOp : TT_PureOp<"expand_dims", "None", [SameOperandsAndResultElementType]> {
  let summary = "inserts a dimension of size 1";
  let arguments = (ins TT_Tensor:$src, I32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def TT_ReshapeOp : TT_PureOp<"reshape", "None", [SameOperandsAndResultElementType]> {
  let summary = "same elements in row-major order, another shape";
  let arguments = (ins TT_Tensor:$src, UnitAttr:$allow_reorder, UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src (`allow_reorder` $allow_reorder^)? (`efficient_layout` $efficient_layout^)?
    attr-dict `:` type($src) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def TT_BroadcastOp : TT_PureOp<"broadcast", "None", [SameOperandsAndResultElementType]> {
  let summary = "repeats dimensions of size 1";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def TT_CatOp : TT_PureOp<"cat", "None", [SameOperandsAndResultElementType, TT_SameType<"lhs", "rhs">]> {
  let summary = "elements of both tiles, in any order";
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def TT_JoinOp : TT_PureOp<"join", "None", [SameOperandsAndResultElementType, TT_SameType<"lhs", "rhs">]> {
  let summary = "two tiles along a new trailing dimension of size 2";
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def TT_SplitOp : TT_PureOp<"split", "None",
    [SameOperandsAndResultElementType, TT_SameType<"outLHS", "outRHS">]> {
  let summary = "the two halves along the trailing dimension";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$outLHS, TT_Tensor:$outRHS);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($outLHS)";
  let hasVerifier = 1;
}

def TT_TransOp : TT_PureOp<"trans", "None", [SameOperandsAndResultElementType]> {
  let summary = "permutes dimensions";
  let arguments = (ins TT_Tensor:$src, DenseI32ArrayAttr:$order);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_MakeRangeOp : TT_PureOp<"make_range", "Alu"> {
  let summary = "start, start + 1, ..., end - 1";
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs TT_IntTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_GatherOp : TT_PureOp<"gather", "Shuffle"> {
  let summary = "elements of a tile picked by an index tile along one axis";
  let arguments = (ins TT_Tensor:$src, TT_IntTensor:$indices, I32Attr:$axis,
                       UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src `[` $indices `]` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def TT_HistogramOp : TT_PureOp<"histogram", "SharedMemory", [TT_MaskMatches<"src", "mask">]> {
  let summary = "how often each bin number occurs";
  let arguments = (ins TT_IntTensor:$src, Optional<TT_I1Tensor>:$mask);
  let results = (outs TT_IntTensor:$result);
  let assemblyFormat = [{
    $src (`,` $mask^)? attr-dict `:` type($src) `->` type($result)
  }];
}

#endif
