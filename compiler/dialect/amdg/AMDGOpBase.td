// What every op record of dialect `amdg` starts from.
#ifndef TLX_AMDG_OP_BASE_TD
#define TLX_AMDG_OP_BASE_TD

include "compiler/dialect/ttg/TTGOpBase.td"
include "compiler/dialect/amdg/AMDGAttrs.td"

class AMDG_Op<string mnemonic, list<Trait> traits = []> : Op<AMDG_Dialect, mnemonic, traits>;

class AMDG_PureOp<string mnemonic, string unit, list<Trait> traits = []>
    : AMDG_Op<mnemonic, !listconcat([Pure, NoSyncEffects, CostPerElement<unit>], traits)>;

// Changes barriers, counters or the schedule. With no memory effects declared
// MLIR takes the op to touch everything: it is never moved, removed, or moved
// across.
class AMDG_SyncOp<string mnemonic, list<Trait> traits = []>
    : AMDG_Op<mnemonic, !listconcat([HasSyncEffects, CostPerElement<"Barrier">], traits)>;

defvar AMDG_DefaultCache =
    DefaultValuedAttr<TT_CacheModifier, "::tlx::tt::CacheModifier::NONE">;
defvar AMDG_Contiguity = DefaultValuedAttr<I32Attr, "1">;

#endif
