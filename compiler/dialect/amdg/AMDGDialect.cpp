#include "compiler/dialect/amdg/AMDG.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

#include "compiler/dialect/amdg/AMDGDialect.cpp.inc"
#include "compiler/dialect/amdg/AMDGEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/amdg/AMDGAttrs.cpp.inc"

using namespace mlir;

namespace tlx::amdg {
namespace {

struct AMDGInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};

} // namespace

void AMDGDialect::initialize() {
  registerAttributes();
  registerOps();
  addInterfaces<AMDGInlinerInterface>();
}

void AMDGDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/dialect/amdg/AMDGAttrs.cpp.inc"
      >();
}

} // namespace tlx::amdg
