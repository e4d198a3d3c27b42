// What every op record of dialect `ttng` starts from.
#ifndef TLX_TTNG_OP_BASE_TD
#define TLX_TTNG_OP_BASE_TD

include "compiler/dialect/ttg/TTGOpBase.td"
include "compiler/dialect/ttng/TTNGAttrs.td"
include "compiler/dialect/ttng/TTNGTypes.td"

def TTNG_TensorMemory : Resource<"::tlx::ttng::TensorMemory">;

class TTNG_Op<string mnemonic, list<Trait> traits = []> : Op<TTNG_Dialect, mnemonic, traits>;

class TTNG_PureOp<string mnemonic, string unit, list<Trait> traits = []>
    : TTNG_Op<mnemonic, !listconcat([Pure, NoSyncEffects, CostPerElement<unit>], traits)>;

// Changes barriers, groups or fences. With no memory effects declared MLIR takes
// the op to touch everything: it is never moved, removed, or moved across.
class TTNG_SyncOp<string mnemonic, list<Trait> traits = []>
    : TTNG_Op<mnemonic, !listconcat([HasSyncEffects, CostPerElement<"Barrier">], traits)>;

// Says that the hardware may act early; has no effect on values or order, but
// must stay where it was written.
class TTNG_HintOp<string mnemonic, list<Trait> traits = []>
    : TTNG_Op<mnemonic, !listconcat([HasSyncEffects,
        MemoryEffects<[MemWrite<TT_GlobalMemory>]>], traits)>;

#endif
