// All ops of dialect `ttng`, by family.
#ifndef TLX_TTNG_OPS_TD
#define TLX_TTNG_OPS_TD

include "compiler/dialect/ttng/TTNGBarrierOps.td"
include "compiler/dialect/ttng/TTNGClcOps.td"
include "compiler/dialect/ttng/TTNGClusterOps.td"
include "compiler/dialect/ttng/TTNGControlOps.td"
include "compiler/dialect/ttng/TTNGMmaOps.td"
include "compiler/dialect/ttng/TTNGTmaOps.td"
include "compiler/dialect/ttng/TTNGTmemOps.td"

#endif
