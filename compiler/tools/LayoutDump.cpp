#include "compiler/tools/LayoutDump.h"

#include "compiler/analysis/EncodingToLayout.h"
#include "compiler/layout/Print.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tlx {
namespace {

/// Nothing for types that lie nowhere: scalars, pointers, descriptors.
std::optional<Result<std::string>> dumpOf(Type type) {
  ArrayRef<int64_t> dims;
  Attribute encoding;
  if (auto tile = dyn_cast<RankedTensorType>(type)) {
    dims = tile.getShape();
    encoding = tile.getEncoding();
  } else if (auto buffer = dyn_cast<ttg::MemDescType>(type)) {
    dims = buffer.getShape().take_back(encodedRank(buffer));
    encoding = buffer.getEncoding();
  } else {
    return std::nullopt;
  }
  if (!encoding)
    return Result<std::string>("no layout\n");
  Result<layout::EncodingPtr> described = describeEncoding(encoding);
  if (!described)
    return Result<std::string>(described.error());
  return layout::dumpLayout(**described, layout::Shape(dims.begin(), dims.end()));
}

} // namespace

void dumpLayouts(ModuleOp module, llvm::raw_ostream &os) {
  llvm::SetVector<Type> types;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      types.insert(result.getType());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          types.insert(argument.getType());
  });
  for (Type type : types)
    if (std::optional<Result<std::string>> dump = dumpOf(type))
      os << type << "\n" << (*dump ? **dump : dump->error().message + "\n");
}

} // namespace tlx
