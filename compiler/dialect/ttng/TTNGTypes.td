// Types of dialect `ttng`.
#ifndef TLX_TTNG_TYPES_TD
#define TLX_TTNG_TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "compiler/dialect/tt/TTTypes.td"
include "compiler/dialect/ttng/TTNGDialect.td"

def TTNG_TensorDescIm2Col : TypeDef<TTNG_Dialect, "TensorDescIm2Col", [TT_TensorDescTrait]> {
  let mnemonic = "tensordesc_im2col";
  let summary = "descriptor of a tensor in global memory, read in im2col order";
  let description = [{
    The block is a matrix of pixels by channels; coordinates are those of the
    convolution's tensor (3 to 5 of them), offsets those within the filter.
    Spelled like `tt.tensordesc`, both ways.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$blockType);
  let builders = [TypeBuilderWithInferredContext<
    (ins "::mlir::RankedTensorType":$blockType), [{
      return $_get(blockType.getContext(), blockType);
    }]>];
  let hasCustomAssemblyFormat = 1;
  let skipDefaultBuilders = 1;
  let genVerifyDecl = 1;
}

#endif
