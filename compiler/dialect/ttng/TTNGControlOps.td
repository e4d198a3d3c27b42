// Warp votes, packed arithmetic and sub-tiled regions.
#ifndef TLX_TTNG_CONTROL_OPS_TD
#define TLX_TTNG_CONTROL_OPS_TD

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "compiler/dialect/ttng/TTNGOpBase.td"

def TTNG_VoteBallotSyncOp : TTNG_PureOp<"vote_ballot_sync", "Shuffle"> {
  let summary = "mask of the lanes of the warp whose predicate holds";
  let description = [{
    Of a tensor, one ballot on whether any of the thread's elements holds; every
    element of the result is that mask.
  }];
  let arguments = (ins I32:$mask, TT_BoolLike:$pred);
  let results = (outs TT_I32Like:$result);
  let assemblyFormat = "$mask `,` $pred attr-dict `:` type($pred) `->` type($result)";
  let hasVerifier = 1;
}

def TTNG_PackedArithOp : TTNG_PureOp<"packed_arith", "Fma"> {
  let summary = "arithmetic on pairs of elements";
  let arguments = (ins TTNG_PackedArithKind:$op_kind, Variadic<TT_Tensor>:$inputs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$op_kind $inputs attr-dict `:` functional-type($inputs, $result)";
  let hasVerifier = 1;
}

def TTNG_SubtiledRegionOp : TTNG_Op<"subtiled_region",
    [AttrSizedOperandSegments, IsolatedFromAbove, SyncEffectsOfBody, CostPerElement<"None">,
     RecursiveMemoryEffects, SingleBlock]> {
  let summary = "a body that runs once for each of `numTiles` sub-tiles";
  let description = [{
    `perTileArgs` holds the arguments of tile 0, then of tile 1, and so on; the
    body's arguments are one tile's, then `sharedArgs`, then optionally the tile's
    index. The results are those of tile 0, then of tile 1, and so on.
  }];
  let arguments = (ins Variadic<AnyType>:$perTileArgs, Variadic<AnyType>:$sharedArgs,
                       I32Attr:$numTiles);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$tileRegion);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TTNG_SubtiledRegionYieldOp : TTNG_Op<"subtiled_region_yield",
    [Pure, Terminator, ReturnLike, NoSyncEffects, CostPerElement<"None">,
     HasParent<"SubtiledRegionOp">]> {
  let summary = "ends the body of a sub-tiled region";
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "($results^ `:` type($results))? attr-dict";
}

#endif
