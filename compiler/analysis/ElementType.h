//===- ElementType.h - element types of the IR as the runtime names them -----===//
#pragma once

#include "runtime/base/Dtype.h"

#include "mlir/IR/Types.h"

#include <optional>

namespace tlx {

/// Nothing for a type that no buffer of a launch can have.
std::optional<DType> elementType(mlir::Type type);

} // namespace tlx
