// All ops of dialect `nvws`.
#ifndef TLX_NVWS_OPS_TD
#define TLX_NVWS_OPS_TD

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "compiler/dialect/ttg/TTGOpBase.td"
include "compiler/dialect/nvws/NVWSAttrs.td"
include "compiler/dialect/nvws/NVWSTypes.td"

class NVWS_Op<string mnemonic, list<Trait> traits = []> : Op<NVWS_Dialect, mnemonic, traits>;
class NVWS_SyncOp<string mnemonic, list<Trait> traits = []>
    : NVWS_Op<mnemonic, !listconcat([HasSyncEffects, CostPerElement<"Barrier">], traits)>;

//===----------------------------------------------------------------------===//
// Asynchronous references
//===----------------------------------------------------------------------===//

def NVWS_ArefCreateOp : NVWS_Op<"aref.create", [Pure, NoSyncEffects, CostPerElement<"None">]> {
  let summary = "a reference to multi-buffered allocations";
  let arguments = (ins Variadic<AnyType>:$buffers);
  let results = (outs NVWS_Aref:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def NVWS_ArefBufferOp : NVWS_Op<"aref.buffer", [NoSyncEffects, CostPerElement<"None">]> {
  let summary = "the buffers of the slot that a token stands for";
  let arguments = (ins NVWS_Aref:$aref, TTG_AsyncToken:$token, Optional<I32>:$stage);
  let results = (outs Variadic<TTG_MemDesc>:$buffers);
  let assemblyFormat = [{
    $aref (`[` $stage^ `]`)? `,` $token attr-dict `:` type($aref) `,` type($token) `->`
    type($buffers)
  }];
}

class NVWS_ArefEnterOp<string mnemonic> : NVWS_SyncOp<mnemonic, [AttrSizedOperandSegments]> {
  let arguments = (ins NVWS_Aref:$aref, Optional<I32>:$stage, Optional<I32>:$phase);
  let results = (outs Variadic<TTG_MemDesc>:$buffers, TTG_AsyncToken:$token);
  let assemblyFormat = [{
    $aref (`[` $stage^ `,` $phase `]`)? attr-dict `:` type($aref) `->` type(results)
  }];
  let hasVerifier = 1;
}
def NVWS_ArefPutEnterOp : NVWS_ArefEnterOp<"aref.put.enter"> {
  let summary = "waits until a slot may be filled";
}
def NVWS_ArefGetEnterOp : NVWS_ArefEnterOp<"aref.get.enter"> {
  let summary = "waits until a slot may be read";
}

class NVWS_ArefExitOp<string mnemonic> : NVWS_SyncOp<mnemonic> {
  let arguments = (ins NVWS_Aref:$aref, TTG_AsyncToken:$token, Optional<I32>:$stage,
                       NVWS_AsyncOpArrayAttr:$async_ops);
  let assemblyFormat = [{
    $aref (`[` $stage^ `]`)? `,` $token $async_ops attr-dict `:` type($aref) `,` type($token)
  }];
}
def NVWS_ArefPutExitOp : NVWS_ArefExitOp<"aref.put.exit"> {
  let summary = "says that a slot is filled once the asynchronous ops are done";
}
def NVWS_ArefGetExitOp : NVWS_ArefExitOp<"aref.get.exit"> {
  let summary = "says that a slot is read once the asynchronous ops are done";
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

def NVWS_TokenTensor : RankedTensorOf<[NVWS_Token]>;

def NVWS_CreateTokenOp : NVWS_Op<"create_token", [NoSyncEffects, CostPerElement<"None">]> {
  let summary = "the slots of a channel";
  let arguments = (ins I32Attr:$numBuffers, NVWS_TokenLoadType:$loadType);
  let results = (outs NVWS_TokenTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

class NVWS_TokenWaitOp<string mnemonic> : NVWS_SyncOp<mnemonic> {
  let arguments = (ins NVWS_TokenTensor:$token, I32:$idx, I1:$phase,
                       OptionalAttr<DictionaryAttr>:$constraints);
  let assemblyFormat = "$token `,` $idx `,` $phase attr-dict `:` type(operands)";
}
class NVWS_TokenArriveOp<string mnemonic> : NVWS_SyncOp<mnemonic> {
  let arguments = (ins NVWS_TokenTensor:$token, I32:$idx,
                       OptionalAttr<DictionaryAttr>:$constraints);
  let assemblyFormat = "$token `,` $idx attr-dict `:` type(operands)";
}
def NVWS_ProducerAcquireOp : NVWS_TokenWaitOp<"producer_acquire"> {
  let summary = "waits until slot `idx` may be filled";
}
def NVWS_ProducerCommitOp : NVWS_TokenArriveOp<"producer_commit"> {
  let summary = "says that slot `idx` is filled";
}
def NVWS_ConsumerWaitOp : NVWS_TokenWaitOp<"consumer_wait"> {
  let summary = "waits until slot `idx` is filled";
}
def NVWS_ConsumerReleaseOp : NVWS_TokenArriveOp<"consumer_release"> {
  let summary = "says that slot `idx` may be filled again";
}

//===----------------------------------------------------------------------===//
// Loads whose barrier is not chosen yet
//===----------------------------------------------------------------------===//

class NVWS_DescriptorOp<string mnemonic> : NVWS_Op<mnemonic,
    [HasSyncEffects, CostPerElement<"Tma">,
     MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TTG_SharedMemory>]>]>;

def NVWS_DescriptorLoadOp : NVWS_DescriptorOp<"descriptor_load"> {
  let summary = "one block of a described tensor to shared memory";
  let arguments = (ins TT_AnyDesc:$desc, Variadic<I32>:$indices, I32Attr:$txCount,
                       TTG_MemDesc:$result,
                       DefaultValuedAttr<TT_CacheModifier, "::tlx::tt::CacheModifier::NONE">:$cache,
                       DefaultValuedAttr<TT_EvictionPolicy, "::tlx::tt::EvictionPolicy::NORMAL">:$evict);
  let assemblyFormat = [{
    $desc `[` $indices `]` $txCount $result
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type(operands)
  }];
}

def NVWS_DescriptorGatherOp : NVWS_DescriptorOp<"descriptor_gather"> {
  let summary = "rows of a described matrix to shared memory";
  let arguments = (ins TT_AnyDesc:$desc, TT_I32Tensor:$x_offsets, I32:$y_offset, I32Attr:$txCount,
                       TTG_MemDesc:$result);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` $txCount $result attr-dict `:` type(operands)
  }];
}

//===----------------------------------------------------------------------===//
// Warp groups
//===----------------------------------------------------------------------===//

def NVWS_WarpGroupOp : NVWS_Op<"warp_group", [SyncEffectsOfBody, CostPerElement<"None">,
                                             RecursiveMemoryEffects]> {
  let summary = "regions that run at the same time on `numWarps[i]` warps each";
  let arguments = (ins DenseI32ArrayAttr:$numWarps);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region VariadicRegion<MinSizedRegion<1>>:$partitionRegions);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

class NVWS_Terminator<string mnemonic> : NVWS_Op<mnemonic,
    [Pure, Terminator, ReturnLike, NoSyncEffects, CostPerElement<"None">,
     HasParent<"WarpGroupOp">]>;

def NVWS_WarpGroupYieldOp : NVWS_Terminator<"warp_group.yield"> {
  let summary = "ends the region that gives the warp group its results";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^)? attr-dict (`:` type($values)^)?";
}
def NVWS_WarpGroupReturnOp : NVWS_Terminator<"warp_group.return"> {
  let summary = "ends a region of a warp group";
  let assemblyFormat = "attr-dict";
}

#endif
