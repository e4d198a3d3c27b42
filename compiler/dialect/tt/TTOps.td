// All ops of dialect `tt`, by family.
#ifndef TLX_TT_OPS_TD
#define TLX_TT_OPS_TD

include "compiler/dialect/tt/TTControlOps.td"
include "compiler/dialect/tt/TTDotOps.td"
include "compiler/dialect/tt/TTElementwiseOps.td"
include "compiler/dialect/tt/TTMemoryOps.td"
include "compiler/dialect/tt/TTReductionOps.td"
include "compiler/dialect/tt/TTShapeOps.td"

#endif
