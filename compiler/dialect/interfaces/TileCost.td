// The op interface behind TileCost.h, with one-line declarations for the usual
// cases: an op's record names its unit, the tile's size comes from its types.
#ifndef TLX_TILE_COST_TD
#define TLX_TILE_COST_TD

include "mlir/IR/OpBase.td"

def TileCostOpInterface : OpInterface<"TileCostOpInterface"> {
  let cppNamespace = "::tlx";
  let description = [{The hardware unit an op uses and how much of it.}];
  let methods = [
    InterfaceMethod<"Work over the whole tile.", "::tlx::TileCost", "getTileCost">,
  ];
}

// Work counted as the elements (and bytes) of the op's largest tile.
class CostPerElement<string unit>
    : ParamNativeOpTrait<"CostPerElement", "::tlx::CostUnit::" # unit> {
  let cppNamespace = "::tlx";
}

// For ops whose cost is written in C++ beside their verifier.
def HasTileCost : DeclareOpInterfaceMethods<TileCostOpInterface>;

#endif
