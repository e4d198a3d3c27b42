#include "compiler/dialect/nvws/NVWS.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

#include "compiler/dialect/nvws/NVWSDialect.cpp.inc"
#include "compiler/dialect/nvws/NVWSEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/nvws/NVWSAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "compiler/dialect/nvws/NVWSTypes.cpp.inc"

#define GET_OP_CLASSES
#include "compiler/dialect/nvws/NVWSOps.cpp.inc"

using namespace mlir;

namespace tlx::nvws {
namespace {

struct NVWSInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
};

} // namespace

void NVWSDialect::initialize() {
  registerTypes();
  registerAttributes();
  registerOps();
  addInterfaces<NVWSInlinerInterface>();
}

void NVWSDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/dialect/nvws/NVWSTypes.cpp.inc"
      >();
}

void NVWSDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/dialect/nvws/NVWSAttrs.cpp.inc"
      >();
}

void NVWSDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/nvws/NVWSOps.cpp.inc"
      >();
}

} // namespace tlx::nvws
