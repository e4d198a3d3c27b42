// Traits of encodings, apart from the encodings themselves: other dialects'
// attributes carry them too.
#ifndef TLX_TTG_TRAITS_TD
#define TLX_TTG_TRAITS_TD

include "mlir/IR/AttrTypeBase.td"

// Marks attributes that place tensor elements in registers, lanes and warps.
def TTG_RegisterEncoding : NativeAttrTrait<"RegisterEncodingTrait"> {
  let cppNamespace = "::tlx::ttg";
}
// Marks attributes that place elements in shared memory.
def TTG_SharedEncoding : NativeAttrTrait<"SharedEncodingTrait"> {
  let cppNamespace = "::tlx::ttg";
}
// Marks the register encodings of matrix instructions.
def TTG_MmaEncoding : NativeAttrTrait<"MmaEncodingTrait"> {
  let cppNamespace = "::tlx::ttg";
}

#endif
