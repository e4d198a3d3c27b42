// What every op record of dialect `ttg` starts from.
#ifndef TLX_TTG_OP_BASE_TD
#define TLX_TTG_OP_BASE_TD

include "compiler/dialect/tt/TTOpBase.td"
include "compiler/dialect/ttg/TTGAttrs.td"
include "compiler/dialect/ttg/TTGTypes.td"

def TTG_SharedMemory : Resource<"::tlx::ttg::SharedMemory">;
def TTG_SyncState : Resource<"::tlx::ttg::SyncState">;

class TTG_Op<string mnemonic, list<Trait> traits = []> : Op<TTG_Dialect, mnemonic, traits>;

// A view of a buffer: no instructions, no effect.
class TTG_ViewOp<string mnemonic, list<Trait> traits = []>
    : TTG_Op<mnemonic, !listconcat([Pure, NoSyncEffects, CostPerElement<"None">], traits)> {
  let results = (outs TTG_MemDesc:$result);
}

#endif
