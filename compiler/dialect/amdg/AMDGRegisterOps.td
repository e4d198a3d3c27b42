// Register tiles: slices, transposes, scaled conversions, MFMA registers.
#ifndef TLX_AMDG_REGISTER_OPS_TD
#define TLX_AMDG_REGISTER_OPS_TD

include "compiler/dialect/amdg/AMDGOpBase.td"

def AMDG_ExtractSliceOp : AMDG_PureOp<"extract_slice", "None"> {
  let summary = "part of a tile that the same threads hold";
  let arguments = (ins TT_Tensor:$source, DenseI64ArrayAttr:$static_offsets);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $source $static_offsets attr-dict `:` type($source) `to` type($result)
  }];
  let hasVerifier = 1;
}

def AMDG_ConcatOp : AMDG_PureOp<"concat", "None"> {
  let summary = "a tile made of slices, in row-major order";
  let arguments = (ins Variadic<TT_Tensor>:$sources);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$sources attr-dict `:` type($sources) `->` type($result)";
  let hasVerifier = 1;
}

def AMDG_AssumeUniformOp : AMDG_PureOp<"assume_uniform", "Scalar", [TT_SameType<"result", "src">]> {
  let summary = "a scalar that is the same in all lanes, moved to a scalar register";
  let arguments = (ins AnyType:$src);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$src attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def AMDG_InThreadTransposeOp : AMDG_PureOp<"in_thread_transpose", "Alu"> {
  let summary = "the same elements in each thread, in another register order";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def AMDG_ScaledUpcastFp4Op : AMDG_PureOp<"scaled_upcast_fp4", "Convert"> {
  let summary = "unpacks e2m1 values along an axis and multiplies by scales";
  let arguments = (ins TT_IntTensor:$input, TT_Tensor:$scale, I32Attr:$axis);
  let results = (outs TT_FloatTensor:$output);
  let assemblyFormat = [{
    $input `scale` $scale attr-dict `:` type($input) `,` type($scale) `->` type($output)
  }];
  let hasVerifier = 1;
}

def AMDG_ScaledUpcastFp8Op : AMDG_PureOp<"scaled_upcast_fp8", "Convert"> {
  let summary = "widens 8-bit floats and multiplies by scales";
  let arguments = (ins TT_FloatTensor:$input, TT_Tensor:$scale);
  let results = (outs TT_FloatTensor:$output);
  let assemblyFormat = [{
    $input `scale` $scale attr-dict `:` type($input) `,` type($scale) `->` type($output)
  }];
  let hasVerifier = 1;
}

// The ops below place values in registers and order them; what they compute is
// their input. They must stay where they are.
class AMDG_PlacementOp<string mnemonic, list<Trait> traits = []>
    : AMDG_Op<mnemonic, !listconcat([NoSyncEffects], traits)>;

def AMDG_RematerializedRangeOp
    : AMDG_PureOp<"rematerialized_range", "Alu"> {
  let summary = "start, start + 1, ... computed anew at `placement`";
  let description = [{Ranges of different `identity` are never merged.}];
  let arguments = (ins I32:$placement, I32Attr:$start, I32Attr:$end, I32Attr:$identity);
  let results = (outs TT_I32Tensor:$result);
  let assemblyFormat = [{
    $start `to` $end `identity` $identity `at` $placement attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def AMDG_RegisterResidentOp
    : AMDG_PlacementOp<"register_resident", [CostPerElement<"None">,
                                             TT_SameType<"result", "input">]> {
  let summary = "keeps a tile in accumulator (agpr) or vector (vgpr) registers";
  let arguments = (ins TT_Tensor:$input, StrAttr:$register_class, I32Attr:$registers_per_group);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $input `class` $register_class `groups` $registers_per_group attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def AMDG_RegisterHandoffOp
    : AMDG_PlacementOp<"register_handoff", [CostPerElement<"None">,
                                            TT_SameType<"result", "input">]> {
  let summary = "moves a tile to another class of registers at this point";
  let arguments = (ins TT_Tensor:$input, StrAttr:$register_class);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$input `class` $register_class attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def AMDG_MfmaCommitOp
    : AMDG_PlacementOp<"mfma_commit", [CostPerElement<"None">,
                                       DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "makes the results of matrix instructions usable from here on";
  let arguments = (ins Variadic<TT_Tensor>:$inputs);
  let results = (outs Variadic<TT_Tensor>:$outputs);
  let assemblyFormat = "$inputs attr-dict `:` type($inputs)";
  let hasVerifier = 1;
}

def AMDG_ScheduledMfmaOp
    : AMDG_PlacementOp<"scheduled_mfma", [HasTileCost, TT_SameType<"result", "acc">]> {
  let summary = "d = a x b + acc with the registers' roles given";
  let description = [{With `initialize` the accumulator is taken to be zero.}];
  let arguments = (ins TT_Tensor:$a, TT_Tensor:$b, TT_Tensor:$acc, StrAttr:$resident_operand,
                       StrAttr:$accumulator_role, StrAttr:$accumulator_register_class,
                       BoolAttr:$initialize);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc `resident` $resident_operand `accumulator` $accumulator_role
    `register_class` $accumulator_register_class `initialize` $initialize attr-dict `:`
    type($a) `,` type($b) `,` type($acc) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif
