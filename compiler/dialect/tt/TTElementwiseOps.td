// Conversions and element-wise arithmetic that upstream dialects do not have.
#ifndef TLX_TT_ELEMENTWISE_OPS_TD
#define TLX_TT_ELEMENTWISE_OPS_TD

include "compiler/dialect/tt/TTOpBase.td"

def TT_IntToPtrOp : TT_PureOp<"int_to_ptr", "Scalar", [Elementwise, SameOperandsAndResultShape]> {
  let summary = "integers as addresses";
  let arguments = (ins TT_I64Like:$src);
  let results = (outs TT_PtrLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def TT_PtrToIntOp : TT_PureOp<"ptr_to_int", "Scalar", [Elementwise, SameOperandsAndResultShape]> {
  let summary = "addresses as integers";
  let arguments = (ins TT_PtrLike:$src);
  let results = (outs TT_I64Like:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def TT_BitcastOp : TT_PureOp<"bitcast", "None", [Elementwise, SameOperandsAndResultShape]> {
  let summary = "same bits, another type of the same width";
  let arguments = (ins TT_Any:$src);
  let results = (outs TT_Any:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def TT_FpToFpOp : TT_PureOp<"fp_to_fp", "Convert", [Elementwise, SameOperandsAndResultShape]> {
  let summary = "conversion between floating-point formats";
  let description = [{
    `rounding` is required when the result is narrower: rtz, rtne, or rs
    (stochastic), which takes its random bits from `rbits`.
  }];
  let arguments = (ins TT_FloatLike:$src, Optional<TT_I32Like>:$rbits,
                       OptionalAttr<TT_RoundingMode>:$rounding);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = [{
    $src `` custom<Rounding>($rbits, type($rbits), $rounding) attr-dict `:` type($src) `->`
    type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_ClampFOp : TT_PureOp<"clampf", "Alu", [Elementwise, SameOperandsAndResultType]> {
  let summary = "x limited to [min, max]";
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$min, TT_FloatLike:$max,
                       TT_PropagateNan:$propagateNan);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = [{
    $x `,` $min `,` $max `,` `propagateNan` `=` $propagateNan attr-dict `:` type($result)
  }];
}

def TT_PreciseSqrtOp : TT_PureOp<"precise_sqrt", "Mufu", [Elementwise, SameOperandsAndResultType]> {
  let summary = "correctly rounded square root";
  let arguments = (ins TT_FloatLike:$x);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def TT_PreciseDivFOp : TT_PureOp<"precise_divf", "Mufu", [Elementwise, SameOperandsAndResultType]> {
  let summary = "correctly rounded quotient";
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$y);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

def TT_MulhiUIOp : TT_PureOp<"mulhiui", "Alu", [Elementwise, SameOperandsAndResultType]> {
  let summary = "upper half of an unsigned product";
  let arguments = (ins TT_IntLike:$x, TT_IntLike:$y);
  let results = (outs TT_IntLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

def TT_AddPtrOp : TT_PureOp<"addptr", "Scalar", [Elementwise, SameOperandsAndResultShape,
                                                TT_SameType<"result", "ptr">]> {
  let summary = "pointer moved by elements";
  let arguments = (ins TT_PtrLike:$ptr, TT_IntLike:$offset);
  let results = (outs TT_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)";
  let hasFolder = 1;
}

def TT_ExternElementwiseOp : TT_Op<"extern_elementwise",
    [Elementwise, SameOperandsAndResultShape, NoSyncEffects, CostPerElement<"Mufu">,
     ConditionallySpeculatable,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "call of a device library function for each element";
  let arguments = (ins Variadic<TT_Any>:$srcs, StrAttr:$libname, StrAttr:$libpath,
                       StrAttr:$symbol, BoolAttr:$pure);
  let results = (outs TT_Any:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
  let extraClassDeclaration = [{
    ::mlir::Speculation::Speculatability getSpeculatability() {
      return getPure() ? ::mlir::Speculation::Speculatable
                       : ::mlir::Speculation::NotSpeculatable;
    }
  }];
}

def TT_ElementwiseInlineAsmOp : TT_Op<"elementwise_inline_asm",
    [NoSyncEffects, CostPerElement<"Alu">,
     ConditionallySpeculatable,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "target assembly applied to `packed_element` elements at a time";
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints, BoolAttr:$pure,
                       I32Attr:$packed_element, Variadic<TT_Any>:$args);
  let results = (outs Variadic<TT_Any>:$result);
  let assemblyFormat = [{
    $asm_string attr-dict ($args^ `:` type($args))? `->` type($result)
  }];
  let extraClassDeclaration = [{
    ::mlir::Speculation::Speculatability getSpeculatability() {
      return getPure() ? ::mlir::Speculation::Speculatable
                       : ::mlir::Speculation::NotSpeculatable;
    }
  }];
}

#endif
