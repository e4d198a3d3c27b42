// What every op record of dialect `tt` starts from.
#ifndef TLX_TT_OP_BASE_TD
#define TLX_TT_OP_BASE_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "compiler/dialect/interfaces/SyncEffects.td"
include "compiler/dialect/interfaces/TileCost.td"
include "compiler/dialect/tt/TTAttrs.td"
include "compiler/dialect/tt/TTTypes.td"

def TT_GlobalMemory : Resource<"::tlx::tt::GlobalMemory">;

class TT_Op<string mnemonic, list<Trait> traits = []> : Op<TT_Dialect, mnemonic, traits>;

// Ops on registers only.
class TT_PureOp<string mnemonic, string unit, list<Trait> traits = []>
    : TT_Op<mnemonic, !listconcat([Pure, NoSyncEffects, CostPerElement<unit>], traits)>;

// `to` is an i1 of the shape and encoding of `from`, where it is given.
class TT_MaskMatches<string from, string to>
    : TypesMatchWith<"mask has the shape of " # from, from, to,
                     "::tlx::tt::i1SameShape($_self)",
                     "true || ::std::equal_to<>()">;

class TT_SameType<string from, string to>
    : TypesMatchWith<to # " has the type of " # from, from, to, "$_self">;

// The value loaded from or stored to a pointer or tensor of pointers.
class TT_PointeeMatches<string from, string to>
    : TypesMatchWith<to # " has the pointee type of " # from, from, to,
                     "::tlx::tt::pointeeSameShape($_self)",
                     "true || ::std::equal_to<>()">;

#endif
