// All ops of dialect `amdg`, by family.
#ifndef TLX_AMDG_OPS_TD
#define TLX_AMDG_OPS_TD

include "compiler/dialect/amdg/AMDGBarrierOps.td"
include "compiler/dialect/amdg/AMDGMemoryOps.td"
include "compiler/dialect/amdg/AMDGRegisterOps.td"
include "compiler/dialect/amdg/AMDGTdmOps.td"

#endif
