// Matrix products: wgmma on Hopper, tcgen05.mma on Blackwell.
// PTX ISA: "wgmma.mma_async", "tcgen05.mma", "tcgen05.commit".
#ifndef TLX_TTNG_MMA_OPS_TD
#define TLX_TTNG_MMA_OPS_TD

include "compiler/dialect/ttng/TTNGOpBase.td"

def TTNG_TensorOrMemDesc : AnyTypeOf<[TT_Tensor, TTG_MemDesc], "tensor or memdesc">;

def TTNG_WarpGroupDotOp : TTNG_Op<"warp_group_dot",
    [HasSyncEffects, HasTileCost, MemoryEffects<[MemRead<TTG_SharedMemory>]>,
     TT_SameType<"d", "c">]> {
  let summary = "d = a x b + c on the tensor cores of a warp group";
  let description = [{
    `b`, and `a` unless it is in registers, are read asynchronously from shared
    memory; with `isAsync` the product is an open group until
    `warp_group_dot_wait`. `useC` false overwrites instead of accumulating.
  }];
  let arguments = (ins TTNG_TensorOrMemDesc:$a, TTG_MemDesc:$b, TT_Tensor:$c, Optional<I1>:$useC,
                       DefaultValuedAttr<TT_InputPrecision, "::tlx::tt::InputPrecision::IEEE">:$inputPrecision,
                       DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc,
                       DefaultValuedAttr<BoolAttr, "false">:$isAsync);
  let results = (outs TT_Tensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` $useC^)? attr-dict `:`
    type($a) `*` qualified(type($b)) `->` type($d)
  }];
  let hasVerifier = 1;
}

def TTNG_WarpGroupDotWaitOp : TTNG_SyncOp<"warp_group_dot_wait",
    [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "blocks until at most `pendings` products are pending";
  let description = [{The results are the inputs, usable from here on.}];
  let arguments = (ins Variadic<TTNG_TensorOrMemDesc>:$inputs, I32Attr:$pendings);
  let results = (outs Variadic<TTNG_TensorOrMemDesc>:$outputs);
  let assemblyFormat = "$inputs attr-dict `:` type($inputs)";
  let hasVerifier = 1;
}

class TTNG_Tcgen05Op<string mnemonic, list<Trait> traits = []>
    : TTNG_Op<mnemonic, !listconcat([HasSyncEffects,
        MemoryEffects<[MemRead<TTG_SharedMemory>, MemRead<TTNG_TensorMemory>,
                       MemWrite<TTNG_TensorMemory>, MemRead<TTG_SyncState>,
                       MemWrite<TTG_SyncState>]>], traits)>;

class TTNG_TCGen5MMABase<string mnemonic>
    : TTNG_Tcgen05Op<mnemonic, [HasTileCost, AttrSizedOperandSegments]> {
  let results = (outs Optional<TTG_AsyncToken>:$token);
  let hasVerifier = 1;
}

def TTNG_TCGen5MMAOp : TTNG_TCGen5MMABase<"tc_gen5_mma"> {
  let summary = "d = a x b (+ d) into tensor memory";
  let description = [{
    Issued by one elected thread when `pred` holds. `a` is in shared or tensor
    memory, `b` in shared memory. `useD` false overwrites d. Each barrier whose
    predicate holds gets one arrival when the product is complete. With
    `two_ctas` the even CTA of a pair issues for both: d has the columns of both
    halves of b.
  }];
  let arguments = (ins TTG_MemDesc:$a, TTG_MemDesc:$b, TTG_MemDesc:$d,
                       Optional<TTG_AsyncToken>:$acc_dep, I1:$useD, I1:$pred,
                       Variadic<TTG_MemDesc>:$barriers, Variadic<I1>:$barrier_preds,
                       UnitAttr:$is_async, UnitAttr:$two_ctas, UnitAttr:$multicast,
                       UnitAttr:$is_unsigned);
  let assemblyFormat = [{
    $a `,` $b `,` $d `` custom<Token>($acc_dep, type($token)) `,` $useD `,` $pred ``
    custom<BarriersAndPreds>($barriers, $barrier_preds) attr-dict `:`
    qualified(type($a)) `,` qualified(type($b)) `,` qualified(type($d)) (`,` type($barriers)^)?
  }];
}

def TTNG_TCGen5MMAScaledOp : TTNG_TCGen5MMABase<"tc_gen5_mma_scaled"> {
  let summary = "d = (a * a_scale) x (b * b_scale) (+ d) into tensor memory";
  let arguments = (ins TTG_MemDesc:$a, TTG_MemDesc:$b, TTG_MemDesc:$d,
                       Optional<TTG_AsyncToken>:$acc_dep, TTG_MemDesc:$a_scale,
                       TTG_MemDesc:$b_scale, I1:$useD, I1:$pred,
                       Variadic<TTG_MemDesc>:$barriers, Variadic<I1>:$barrier_preds,
                       TT_ScaleDotElemType:$a_type, TT_ScaleDotElemType:$b_type,
                       UnitAttr:$is_async, UnitAttr:$two_ctas, UnitAttr:$multicast);
  let assemblyFormat = [{
    $a `,` $b `,` $d `` custom<Token>($acc_dep, type($token)) `,` $a_scale `,` $b_scale `,`
    $useD `,` $pred `lhs` `=` $a_type `rhs` `=` $b_type ``
    custom<BarriersAndPreds>($barriers, $barrier_preds) attr-dict `:`
    qualified(type($a)) `,` qualified(type($b)) `,` qualified(type($d)) `,`
    qualified(type($a_scale)) `,` qualified(type($b_scale)) (`,` type($barriers)^)?
  }];
}

def TTNG_TCGen5CommitOp : TTNG_SyncOp<"tc_gen5_commit", [AttrSizedOperandSegments]> {
  let summary = "one arrival when all tcgen05 work this thread has issued is complete";
  let description = [{
    `descs` are operand buffers whose CTAs are to be told too.
  }];
  let arguments = (ins TTG_MemDesc:$barrier, Optional<I1>:$pred, Variadic<TTG_MemDesc>:$descs);
  // A comma before `descs` is read, and not printed.
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif
