// The op interface behind SyncEffects.h, and the trait that says "none".
#ifndef TLX_SYNC_EFFECTS_TD
#define TLX_SYNC_EFFECTS_TD

include "mlir/IR/OpBase.td"

def SyncEffectsOpInterface : OpInterface<"SyncEffectsOpInterface"> {
  let cppNamespace = "::tlx";
  let description = [{
    What the op does to memory and barriers, in the words of
    runtime/base/Sync.h.
  }];
  let methods = [
    InterfaceMethod<"Appends the op's effects in program order.",
      "void", "getSyncEffects", (ins "::tlx::SyncEffects &":$effects)>,
  ];
}

// Declares that an op has no effect on memory that other tasks can see, nor on
// any barrier.
def NoSyncEffects : NativeOpTrait<"NoSyncEffects"> {
  let cppNamespace = "::tlx";
}

// The op's effects are those of its regions or of the function it calls.
def SyncEffectsOfBody : NativeOpTrait<"SyncEffectsOfBody"> {
  let cppNamespace = "::tlx";
}

// For ops whose effects are written in C++ beside their verifier.
def HasSyncEffects : DeclareOpInterfaceMethods<SyncEffectsOpInterface>;

#endif
