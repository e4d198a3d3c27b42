// Ops that combine elements with a region: reduce, scan, map.
#ifndef TLX_TT_REDUCTION_OPS_TD
#define TLX_TT_REDUCTION_OPS_TD

include "compiler/dialect/tt/TTOpBase.td"

class TT_CombineOp<string mnemonic, list<Trait> traits = []>
    : TT_Op<mnemonic, !listconcat([NoSyncEffects, CostPerElement<"Shuffle">, SingleBlock,
                                   RecursivelySpeculatable, RecursiveMemoryEffects], traits)>;

class TT_CombineReturnOp<string mnemonic, string parent,
                         string format = "($results^)? attr-dict (`:` type($results)^)?">
    : TT_Op<mnemonic, [ParentOneOf<[parent]>, Pure, Terminator, ReturnLike, NoSyncEffects,
                       CostPerElement<"None">]> {
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = format;
}

def TT_ReduceOp : TT_CombineOp<"reduce"> {
  let summary = "combines the elements along an axis with the region's function";
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis,
                       OptionalAttr<StrAttr>:$reduction_ordering);
  let results = (outs Variadic<AnyType>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasVerifier = 1;
}

def TT_ReduceReturnOp : TT_CombineReturnOp<"reduce.return", "ReduceOp"> {
  let summary = "result of a reduction's function";
}

def TT_ScanOp : TT_CombineOp<"scan"> {
  let summary = "running combination along an axis";
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis, BoolAttr:$reverse);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasVerifier = 1;
}

def TT_ScanReturnOp : TT_CombineReturnOp<"scan.return", "ScanOp"> {
  let summary = "result of a scan's function";
}

def TT_MapElementwiseOp : TT_Op<"map_elementwise",
    [NoSyncEffects, CostPerElement<"Alu">, RecursivelySpeculatable, RecursiveMemoryEffects]> {
  let summary = "applies the region to `pack` elements at a time";
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$pack);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region AnyRegion:$scalarOp);
}

def TT_MapElementwiseReturnOp : TT_CombineReturnOp<"map_elementwise.return", "MapElementwiseOp",
    "attr-dict ($results^ `:` type($results))?"> {
  let summary = "results of a map's function";
}

#endif
