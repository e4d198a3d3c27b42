#include "compiler/ingest/ModuleLimits.h"

#include "compiler/ingest/ParseFile.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tlx {
namespace {

/// Attributes that name a launch's parameters, and what they may be.
struct Bounded {
  const char *name;
  int64_t least, most;
  bool powerOfTwo;
};
constexpr Bounded launchAttributes[] = {
    {"ttg.num-warps", 1, 64, true},         {"ttg.num-ctas", 1, 16, true},
    {"ttg.threads-per-warp", 32, 64, true}, {"ttg.cluster-dim-x", 1, 16, false},
    {"ttg.cluster-dim-y", 1, 16, false},    {"ttg.cluster-dim-z", 1, 16, false},
};

std::string sizeText(int64_t least, int64_t most, bool powerOfTwo) {
  return std::string(powerOfTwo ? "a power of two" : "an integer") + " from " +
         std::to_string(least) + " to " + std::to_string(most);
}

/// What is wrong with a launch parameter of `op`, or nothing.
std::string problemOf(Operation *op) {
  for (const Bounded &bounded : launchAttributes) {
    Attribute attribute = op->getAttr(bounded.name);
    if (!attribute)
      continue;
    auto integer = dyn_cast<IntegerAttr>(attribute);
    bool fits = integer && integer.getValue().getSignificantBits() <= 64;
    int64_t value = fits ? integer.getValue().getSExtValue() : 0;
    if (!fits || value < bounded.least || value > bounded.most ||
        (bounded.powerOfTwo && (value & (value - 1))))
      return std::string("'") + bounded.name + "' must be " +
             sizeText(bounded.least, bounded.most, bounded.powerOfTwo);
  }
  return {};
}

/// What is wrong with a tile or buffer, or nothing.
std::string problemOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank())
    return {};
  bool tile = isa<RankedTensorType>(type);
  std::string what = tile ? "a tile" : "a buffer";
  int64_t most = tile ? maxTileElements : maxBufferElements, count = 1;
  for (int64_t size : shaped.getShape()) {
    if (ShapedType::isDynamic(size) || size < 1)
      return what + " without a fixed, positive size";
    if (size > most / count)
      return what + " of more than " + std::to_string(most) + " elements";
    count *= size;
  }
  return {};
}

} // namespace

Result<void> checkModuleLimits(ModuleOp module, const std::string &file) {
  std::optional<Error> refused;
  auto refuse = [&](Operation *op, const std::string &problem) {
    if (problem.empty() || refused)
      return;
    SourceLocation place = sourceLocationOf(op->getLoc());
    refused = Error(problem, place.file.empty() ? SourceLocation{file, 1, 1} : place);
  };
  DenseSet<Type> fine;
  auto check = [&](Operation *op, Type type) {
    if (!fine.insert(type).second)
      return;
    if (std::string problem = problemOf(type); !problem.empty())
      refuse(op, "'" + op->getName().getStringRef().str() + "' has " + problem);
  };
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumRegions())
      refuse(op, problemOf(op));
    for (Type type : op->getResultTypes())
      check(op, type);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          check(op, type);
    return refused ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (refused)
    return std::move(*refused);
  return {};
}

} // namespace tlx
