// Clusters of CTAs: barriers, ranks, remote shared memory.
// PTX ISA: "barrier.cluster", "mapa".
#ifndef TLX_TTNG_CLUSTER_OPS_TD
#define TLX_TTNG_CLUSTER_OPS_TD

include "compiler/dialect/ttng/TTNGOpBase.td"

def TTNG_ClusterArriveOp : TTNG_SyncOp<"cluster_arrive"> {
  let summary = "every thread arrives at the cluster's barrier; a release unless `relaxed`";
  let arguments = (ins DefaultValuedAttr<BoolAttr, "false">:$relaxed);
  let assemblyFormat = "attr-dict";
}

def TTNG_ClusterWaitOp : TTNG_SyncOp<"cluster_wait"> {
  let summary = "blocks until every thread of the cluster has arrived; an acquire";
  let assemblyFormat = "attr-dict";
}

def TTNG_ClusterBarrierOp : TTNG_SyncOp<"cluster_barrier"> {
  let summary = "cluster_arrive and cluster_wait";
  let arguments = (ins DefaultValuedAttr<BoolAttr, "false">:$relaxed);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def TTNG_ClusterSize1DOp : TTNG_PureOp<"cluster_size_1d", "Scalar"> {
  let summary = "number of CTAs in the cluster";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def TTNG_MapToRemoteBufferOp : TTNG_PureOp<"map_to_remote_buffer", "Scalar"> {
  let summary = "the buffer at the same place in the shared memory of CTA `ctaRank`";
  let arguments = (ins TTG_MemDesc:$src, I32:$ctaRank);
  let results = (outs TTG_MemDesc:$result);
  let assemblyFormat = [{
    $src `,` $ctaRank attr-dict `:` qualified(type($src)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def TTNG_TwoCTAPeerGatherOp : TTNG_SyncOp<"two_cta_peer_gather", [TT_SameType<"result", "src">]> {
  let summary = "exchanges parts of a tile between the CTAs of a pair";
  let arguments = (ins TT_Tensor:$src, I32Attr:$splitDim, I32Attr:$numCTAs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src `split_dim` `=` $splitDim `num_ctas` `=` $numCTAs attr-dict `:` type($result)
  }];
}

#endif
