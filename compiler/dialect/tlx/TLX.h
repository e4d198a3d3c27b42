//===- TLX.h - dialect `tlx`: layout wrappers, storage aliases -------------===//
#pragma once

#include "compiler/dialect/ttg/TTG.h"

#include "compiler/dialect/tlx/TLXDialect.h.inc"
#include "compiler/dialect/tlx/TLXEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/tlx/TLXAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "compiler/dialect/tlx/TLXTypes.h.inc"

namespace tlx::tlxd {

/// The layout inside any nest of no_verify_layout and user_layout.
mlir::Attribute unwrapLayout(mlir::Attribute layout);

} // namespace tlx::tlxd

#define GET_OP_CLASSES
#include "compiler/dialect/tlx/TLXOps.h.inc"
