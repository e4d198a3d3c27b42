#include "compiler/analysis/StorageAliases.h"

#include "compiler/analysis/BufferSpans.h"
#include "compiler/analysis/EncodingToLayout.h"
#include "compiler/analysis/TensorMemorySize.h"
#include "compiler/dialect/ttng/TTNG.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using tlx::tlxd::ReuseGroupKind;
using tlx::tlxd::StorageKind;

namespace tlx {
namespace {

constexpr int64_t kSharedAlignment = 128;

/// What the swizzle of `type` needs; 16 bytes where it needs nothing.
int64_t alignmentInMemory(ttg::MemDescType type) {
  Result<layout::EncodingPtr> encoding = describeEncoding(type.getEncoding());
  return encoding ? layout::sharedAlignment(**encoding) : 16;
}

/// Where a member of a group begins, in units, and how far its index `i` is from
/// that of `i + 1` (`stride`, shared by `group` consecutive indices).
struct MemberPlace {
  int64_t offset, stride, group;
};

} // namespace

ttg::MemDescType settledType(Value allocation) {
  auto type = cast<ttg::MemDescType>(allocation.getType());
  auto stated = dyn_cast<ttng::TensorMemoryEncodingAttr>(tlxd::unwrapLayout(type.getEncoding()));
  if (!stated)
    return type;
  SmallVector<Value> views{allocation};
  llvm::DenseSet<Value> seen(views.begin(), views.end());
  while (!views.empty()) {
    for (OpOperand &use : views.pop_back_val().getUses()) {
      Operation *op = use.getOwner();
      SmallVector<Value> next;
      if (auto require = dyn_cast<tlxd::RequireLayoutOp>(op)) {
        auto asked = dyn_cast<ttng::TensorMemoryEncodingAttr>(
            cast<ttg::MemDescType>(require.getType()).getEncoding());
        if (asked && asked.getBlockM() == stated.getBlockM() &&
            asked.getBlockN() == stated.getBlockN())
          return ttg::MemDescType::get(type.getContext(), type.getShape(), type.getElementType(),
                                       asked, type.getMemorySpace(), type.getMutableMemory(),
                                       type.getAllocShape());
      } else if (auto holder = dyn_cast<ttg::WarpSpecializePartitionsOp>(op)) {
        for (Region &region : holder.getPartitionRegions())
          next.push_back(region.getArgument(use.getOperandNumber()));
      } else if (auto index = dyn_cast<ttg::MemDescIndexOp>(op)) {
        next.push_back(index.getResult());
      }
      for (Value value : next)
        if (seen.insert(value).second)
          views.push_back(value);
    }
  }
  return type;
}

class StorageAliasBuilder {
public:
  FailureOr<StorageAliases> run(Operation *root) {
    SmallVector<tlxd::LocalAliasOp> views;
    llvm::MapVector<Operation *, SmallVector<tlxd::StorageAliasLocalAllocOp>> members;
    WalkResult walk = root->walk([&](Operation *op) {
      if (isa<ttg::LocalAllocOp, ttng::TMEMAllocOp>(op))
        return WalkResult(addAllocation(op));
      if (auto spec = dyn_cast<tlxd::StorageAliasSpecOp>(op))
        members.insert({spec, {}});
      else if (auto alloc = dyn_cast<tlxd::StorageAliasLocalAllocOp>(op)) {
        Operation *spec = alloc.getStorageAlias().getDefiningOp();
        if (!isa_and_present<tlxd::StorageAliasSpecOp>(spec)) {
          alloc.emitOpError("storage must come from a storage_alias_spec in the same function");
          return WalkResult::interrupt();
        }
        members[spec].push_back(alloc);
      } else if (auto overlap = dyn_cast<tlxd::SetBufferOverlapOp>(op)) {
        Operation *spec = overlap.getStorageAliasSpec().getDefiningOp();
        if (auto [at, isNew] = overlaps.insert({spec, overlap}); !isNew) {
          overlap.emitOpError("sets the overlap of a storage that has one already")
                  .attachNote(at->second.getLoc())
              << "set here";
          return WalkResult::interrupt();
        }
      } else if (auto view = dyn_cast<tlxd::LocalAliasOp>(op))
        views.push_back(view);
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
    for (auto &[spec, allocs] : members)
      if (!allocs.empty() && failed(addSpec(cast<tlxd::StorageAliasSpecOp>(spec), allocs)))
        return failure();
    for (tlxd::LocalAliasOp view : views)
      if (failed(addView(view)))
        return failure();
    return std::move(result);
  }

private:
  static bool isTensor(ttg::MemDescType type) {
    return isa<ttng::TensorMemorySpaceAttr>(type.getMemorySpace());
  }

  /// Buffers along the leading dimension, which memdesc_index picks one of. Plain
  /// two-dimensional tensor memory is one buffer.
  static int64_t countOf(ttg::MemDescType type) {
    return isTensor(type) && type.getShape().size() < 3 ? 1 : type.getShape().front();
  }

  ttg::MemDescType typeOf(Operation *allocation) {
    ttg::MemDescType &type = types[allocation];
    if (!type)
      type = settledType(allocation->getResult(0));
    return type;
  }

  /// From one buffer of an allocation to the next; 0 after an error.
  int64_t unitOf(Operation *op) {
    ttg::MemDescType type = typeOf(op);
    bool multiple = !isTensor(type) || type.getShape().size() >= 3;
    std::optional<int64_t> size =
        sizeInMemory(type, multiple ? type.getShape().drop_front() : type.getShape());
    if (!size)
      op->emitOpError("tensor memory cannot hold ") << type;
    return size.value_or(0);
  }

  int64_t lanesOf(ttg::MemDescType type) {
    std::optional<TensorMemorySize> size;
    if (isTensor(type))
      size = tensorMemorySize(type, type.getShape());
    return size ? size->lanes : 0;
  }

  /// A storage as large as `type`, and its only place so far.
  LogicalResult addAllocation(Operation *op) {
    ttg::MemDescType type = typeOf(op);
    Storage storage;
    storage.source = op;
    storage.kind = isTensor(type) ? StorageKind::Tmem : StorageKind::Smem;
    BufferPlace place;
    place.storage = result.all.size();
    place.unit = unitOf(op);
    place.count = countOf(type);
    if (!place.unit)
      return failure();
    storage.size = place.unit * place.count;
    storage.lanes = lanesOf(type);
    storage.alignment = alignmentInMemory(type);
    if (auto alloc = dyn_cast<ttg::LocalAllocOp>(op))
      storage.alignment = std::max<int64_t>(storage.alignment, alloc.getAlignment().value_or(1));
    // Bytes that are seen as swizzled tiles.
    for (Operation *user : op->getResult(0).getUsers())
      if (auto view = dyn_cast<ttg::MemDescReinterpretOp>(user))
        storage.alignment = std::max(storage.alignment, alignmentInMemory(view.getType()));
    result.all.push_back(storage);
    result.places[op->getResult(0)] = place;
    return success();
  }

  /// All of another allocation, from its beginning.
  LogicalResult addView(tlxd::LocalAliasOp op) {
    const BufferPlace *base = result.placeOf(originOf(op.getSrc()));
    if (!base)
      return op.emitOpError("aliases a value that is no allocation: ") << op.getSrc().getType();
    BufferPlace place;
    place.storage = base->storage;
    place.unit = unitOf(op);
    place.count = countOf(op.getType());
    if (!place.unit)
      return failure();
    Storage &storage = result.all[place.storage];
    storage.size = std::max(storage.size, place.unit * place.count);
    storage.lanes = std::max(storage.lanes, lanesOf(typeOf(op)));
    result.places[op.getResult()] = place;
    return success();
  }

  /// Through layout requirements and reinterpretations of whole allocations.
  static Value originOf(Value value) {
    while (Operation *op = value.getDefiningOp()) {
      if (!isa<tlxd::RequireLayoutOp, ttg::MemDescReinterpretOp>(op))
        break;
      value = op->getOperand(0);
    }
    return value;
  }

  //===--------------------------------------------------------------------===//
  // Storage aliases
  //===--------------------------------------------------------------------===//

  int64_t sizeOf(Value node) {
    auto group = node.getDefiningOp<tlxd::ReuseGroupOp>();
    if (!group)
      return unitOf(node.getDefiningOp());
    int64_t size = 0;
    for (Value element : group.getElements()) {
      int64_t part = sizeOf(element);
      if (!part)
        return 0;
      if (group.getGroupKind() == ReuseGroupKind::Shared)
        size = std::max(size, part);
      else
        size = llvm::alignTo(size, distinctAlignment(element)) + part;
    }
    return group.getGroupKind() == ReuseGroupKind::Shared ? size * int64_t(group.getGroupSize())
                                                          : size;
  }

  int64_t alignmentOf(Value node) {
    if (auto group = node.getDefiningOp<tlxd::ReuseGroupOp>()) {
      int64_t alignment = 1;
      for (Value element : group.getElements())
        alignment = std::max(alignment, alignmentOf(element));
      return alignment;
    }
    return tensor ? unitOf(node.getDefiningOp()) : kSharedAlignment;
  }

  /// Members of a distinct group start at multiples of the whole tree's alignment
  /// in shared memory, of their own in tensor memory.
  int64_t distinctAlignment(Value element) { return tensor ? alignmentOf(element) : rootAlignment; }

  LogicalResult addSpec(tlxd::StorageAliasSpecOp spec,
                        MutableArrayRef<tlxd::StorageAliasLocalAllocOp> allocs) {
    tensor = spec.getStorage() == StorageKind::Tmem;
    Storage storage;
    storage.source = spec;
    storage.kind = spec.getStorage();
    storage.alignment = kSharedAlignment;
    int64_t index = result.all.size();
    result.all.push_back(storage);

    for (tlxd::StorageAliasLocalAllocOp alloc : allocs) {
      BufferPlace place;
      place.storage = index;
      place.unit = unitOf(alloc);
      place.count = countOf(alloc.getType());
      if (!place.unit)
        return failure();
      result.places[alloc.getResult()] = place;
      result.all[index].alignment =
          std::max(result.all[index].alignment, alignmentInMemory(alloc.getType()));
      result.all[index].lanes = std::max(result.all[index].lanes, lanesOf(typeOf(alloc)));
    }

    // Without an overlap every buffer begins at the beginning. fbtriton sizes
    // tensor memory as if there were none.
    int64_t needed = 0;
    for (tlxd::StorageAliasLocalAllocOp alloc : allocs) {
      const BufferPlace &at = result.places[alloc.getResult()];
      needed = std::max(needed, at.unit * at.count);
    }
    auto overlap = overlaps.find(spec);
    if (overlap != overlaps.end()) {
      Value root = overlap->second.getOverlapDef();
      rootAlignment = alignmentOf(root);
      int64_t size = sizeOf(root);
      if (!size)
        return failure();
      int64_t stride = llvm::alignTo(size, rootAlignment);
      if (failed(place(root, {0, stride, 1})))
        return failure();
      if (!tensor)
        needed = stride * result.places[allocs.front().getResult()].count;
    }
    // The views are as long as their last index reaches; the longest is allocated.
    int64_t largest = 0;
    for (tlxd::StorageAliasLocalAllocOp alloc : allocs) {
      const BufferPlace &at = result.places[alloc.getResult()];
      largest = std::max(largest, at.offsetOf(at.count - 1) + at.unit);
    }
    return sizeStorage(spec, result.all[index], needed, largest);
  }

  LogicalResult sizeStorage(tlxd::StorageAliasSpecOp spec, Storage &storage, int64_t needed,
                            int64_t largest) {
    int64_t size = needed;
    if (std::optional<int64_t> asked = spec.getBufferSizeBytes()) {
      int64_t units = tensor ? *asked / (4 * std::max<int64_t>(storage.lanes, 1)) : *asked;
      if (units < needed)
        return spec.emitOpError("size ")
               << *asked << " is too small for its buffers, which need "
               << (tensor ? needed * 4 * storage.lanes : needed) << " bytes";
      size = units;
    }
    storage.size = std::max(size, largest);
    return success();
  }

  LogicalResult place(Value node, MemberPlace at) {
    auto group = node.getDefiningOp<tlxd::ReuseGroupOp>();
    if (!group)
      return placeBuffer(node, at);
    if (group.getGroupKind() == ReuseGroupKind::Shared) {
      int64_t size = group.getGroupSize();
      for (Value element : group.getElements())
        if (failed(place(element, {at.offset, at.stride / size, at.group * size})))
          return failure();
      return success();
    }
    int64_t offset = at.offset, used = 0;
    for (Value element : group.getElements()) {
      int64_t alignment = distinctAlignment(element);
      offset = llvm::alignTo(offset, alignment);
      used = llvm::alignTo(used, alignment) + sizeOf(element);
      if (failed(place(element, {offset, at.stride, at.group})))
        return failure();
      offset += sizeOf(element);
    }
    if (used > at.stride)
      return group.emitOpError("not enough space for distinct buffers: they need ")
             << used << (tensor ? " columns" : " bytes") << ", the group has " << at.stride;
    return success();
  }

  LogicalResult placeBuffer(Value buffer, MemberPlace at) {
    BufferPlace &place = result.places[buffer];
    Operation *op = buffer.getDefiningOp();
    StringRef units = tensor ? " columns" : " bytes";
    if (at.stride % place.unit)
      return op->emitOpError("a buffer of ")
             << place.unit << units << " does not divide its group's " << at.stride << units;
    if (at.offset % place.unit)
      return op->emitOpError("begins at ")
             << at.offset << units << ", no multiple of its size " << place.unit;
    place.scale = at.stride / place.unit;
    place.slot = at.offset / place.unit;
    // fbtriton rewrites indices only where they move.
    if (place.scale > 1 || place.slot > 0)
      place.group = at.group;
    return success();
  }

  StorageAliases result;
  llvm::DenseMap<Operation *, ttg::MemDescType> types;
  llvm::DenseMap<Operation *, tlxd::SetBufferOverlapOp> overlaps;
  bool tensor = false;       ///< of the storage at hand
  int64_t rootAlignment = 1; ///< of its tree
};

FailureOr<StorageAliases> StorageAliases::compute(Operation *root) {
  return StorageAliasBuilder().run(root);
}

const BufferPlace *StorageAliases::placeOf(Value buffer) const {
  auto at = places.find(buffer);
  return at == places.end() ? nullptr : &at->second;
}

bool StorageAliases::overlap(const BufferPlace &a, int64_t indexA, const BufferPlace &b,
                             int64_t indexB) const {
  if (a.storage != b.storage)
    return false;
  int64_t fromA = a.offsetOf(indexA), fromB = b.offsetOf(indexB);
  return fromA < fromB + b.unit && fromB < fromA + a.unit;
}

} // namespace tlx
