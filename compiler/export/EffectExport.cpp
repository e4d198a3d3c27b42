// Effects, costs and locations of instructions.
#include "compiler/export/Exporter.h"

#include "mlir/IR/Location.h"

using namespace mlir;

namespace tlx {

std::vector<sim::Effect> Exporter::effectsOf(Operation *op) {
  std::vector<sim::Effect> result;
  llvm::SmallVector<SyncEffect> declared;
  if (!collectSyncEffects(op, declared)) {
    fail(op->getLoc(),
         "'" + op->getName().getStringRef() + "' declares no synchronisation effects");
    return result;
  }
  for (const SyncEffect &from : declared) {
    sim::Effect effect;
    effect.kind = from.kind;
    effect.space = from.space;
    effect.proxy = from.proxy;
    effect.moment = from.moment;
    effect.threads = from.threads;
    effect.group = from.group;
    effect.rankIsMask = from.rankIsMask;
    effect.taskBarrierBefore = from.taskBarrierBefore;
    effect.pairLeader = from.pairLeader;
    effect.relaxed = from.relaxed;
    effect.readOnly = from.readOnly;
    effect.target = reg(from.target);
    effect.predicate = reg(from.predicate);
    effect.matters = reg(from.matters);
    effect.phase = reg(from.phase);
    effect.amountReg = reg(from.amountValue);
    effect.rank = reg(from.rank);
    effect.barrier = reg(from.barrier);
    effect.barrierPredicate = reg(from.barrierPredicate);
    effect.amount = from.amount;
    effect.rankMask = from.rankMask;
    result.push_back(effect);
  }
  return result;
}

sim::Cost Exporter::costOf(Operation *op) {
  TileCost from = tileCostOf(op);
  sim::Cost cost;
  cost.unit = from.unit;
  cost.elements = from.elements;
  cost.bytes = from.bytes;
  cost.m = from.m;
  cost.n = from.n;
  cost.k = from.k;
  cost.operandBits = from.operandBits;
  refineCostByLayout(op, cost);
  return cost;
}

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

namespace {

/// The parts of a location that a person can use.
struct Place {
  FileLineColLoc file;
  LocationAttr caller;
};

void descend(LocationAttr loc, Place &place) {
  if (auto file = dyn_cast<FileLineColLoc>(loc)) {
    if (!place.file)
      place.file = file;
  } else if (auto named = dyn_cast<NameLoc>(loc)) {
    descend(named.getChildLoc(), place);
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    descend(call.getCallee(), place);
    if (!place.caller)
      place.caller = call.getCaller();
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location part : fused.getLocations())
      descend(part, place);
  }
}

} // namespace

sim::LocId Exporter::locationOf(Location loc) {
  auto found = locations.find(loc);
  if (found != locations.end())
    return found->second;
  Place place;
  descend(loc, place);
  sim::LocId id = -1;
  if (place.file) {
    sim::Location location;
    location.file = place.file.getFilename().str();
    location.line = place.file.getLine();
    location.column = place.file.getColumn();
    if (place.caller)
      location.caller = locationOf(Location(place.caller));
    id = builder.location(location);
  }
  locations[loc] = id;
  return id;
}

} // namespace tlx
