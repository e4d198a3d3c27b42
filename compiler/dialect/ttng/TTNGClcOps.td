// Cluster launch control: taking over the work of clusters not yet launched.
// PTX ISA: "clusterlaunchcontrol.try_cancel", "clusterlaunchcontrol.query_cancel".
#ifndef TLX_TTNG_CLC_OPS_TD
#define TLX_TTNG_CLC_OPS_TD

include "compiler/dialect/ttng/TTNGOpBase.td"

def TTNG_AsyncCLCTryCancelOp : TTNG_SyncOp<"async_clc_try_cancel"> {
  let summary = "asks for a cluster's work; 16 bytes of answer complete on a barrier";
  let description = [{
    The answer is written to the same place in every CTA of the cluster, and 16
    bytes complete on each CTA's copy of the barrier.
  }];
  let arguments = (ins TTG_MemDesc:$mbarAlloc, TTG_MemDesc:$clcResAlloc);
  let assemblyFormat = "$mbarAlloc `,` $clcResAlloc attr-dict `:` type(operands)";
}

def TTNG_CLCQueryCancelOp : TTNG_Op<"clc_query_cancel",
    [HasSyncEffects, CostPerElement<"Scalar">,
     MemoryEffects<[MemRead<TTG_SharedMemory>, MemWrite<TTG_SharedMemory>]>]> {
  let summary = "first CTA of the cluster that was taken over, or (-1, -1, -1)";
  let arguments = (ins TTG_MemDesc:$clcResAlloc);
  let results = (outs I32:$ctaIdX, I32:$ctaIdY, I32:$ctaIdZ);
  let assemblyFormat = "$clcResAlloc attr-dict `:` functional-type(operands, results)";
}

def TTNG_CLCTryCancelOp : TTNG_SyncOp<"clc_try_cancel"> {
  let summary = "asks for a cluster's work; the answer is two 64-bit words";
  let arguments = (ins TTG_MemDesc:$result, TTG_MemDesc:$mbarrier,
                       OptionalAttr<BoolAttr>:$multicast);
  let assemblyFormat = "$result `,` $mbarrier attr-dict `:` type(operands)";
  let hasVerifier = 1;
}

def TTNG_CLCLoadResultOp : TTNG_Op<"clc_load_result",
    [HasSyncEffects, CostPerElement<"Scalar">, MemoryEffects<[MemRead<TTG_SharedMemory>]>]> {
  let summary = "reads the answer to a request";
  let arguments = (ins TTG_MemDesc:$src);
  let results = (outs I<128>:$clcResult);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` type($clcResult)";
  let hasVerifier = 1;
}

def TTNG_CLCIsCanceledOp : TTNG_PureOp<"clc_is_canceled", "Scalar"> {
  let summary = "whether a cluster's work was taken over";
  let arguments = (ins I<128>:$clcResult);
  let results = (outs I1:$is_canceled);
  let assemblyFormat = "$clcResult attr-dict `:` type($clcResult) `->` type($is_canceled)";
}

def TTNG_CLCGetProgramIdOp : TTNG_PureOp<"clc_get_program_id", "Scalar"> {
  let summary = "grid position of the work that was taken over, along one axis";
  let arguments = (ins I<128>:$clcResult, TT_ProgramDim:$dim);
  let results = (outs I32:$result);
  let assemblyFormat = "$clcResult `,` $dim attr-dict `:` type($clcResult) `->` type($result)";
}

// The three below name no buffer or barrier: their lowering makes its own.
def TTNG_CLCAdvanceOp : TTNG_SyncOp<"clc_advance"> {
  let summary = "asks for a cluster's work and waits for the answer";
  let results = (outs I1:$isValid, I32:$x, I32:$y, I32:$z);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def TTNG_CLCTryCancelAsyncOp : TTNG_SyncOp<"clc_try_cancel_async"> {
  let summary = "asks for a cluster's work; the token's reader waits for the answer";
  let results = (outs TTG_AsyncToken:$token);
  let assemblyFormat = "attr-dict `:` type($token)";
}
def TTNG_CLCReadOp : TTNG_SyncOp<"clc_read"> {
  let summary = "waits for the answer to a request";
  let arguments = (ins TTG_AsyncToken:$token);
  let results = (outs I1:$isValid, I32:$x, I32:$y, I32:$z);
  let assemblyFormat = "$token attr-dict `:` type($token) `->` type(results)";
}

#endif
