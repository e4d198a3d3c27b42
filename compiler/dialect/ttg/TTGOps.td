// All ops of dialect `ttg`, by family.
#ifndef TLX_TTG_OPS_TD
#define TLX_TTG_OPS_TD

include "compiler/dialect/ttg/TTGAsyncOps.td"
include "compiler/dialect/ttg/TTGControlOps.td"
include "compiler/dialect/ttg/TTGMemoryOps.td"

#endif
