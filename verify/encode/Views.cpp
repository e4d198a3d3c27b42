//===- Views.cpp - from a memdesc to the storage it is cut from -----------===//
//
// An array of buffers lies at a place of a storage (analysis/StorageAliases.h);
// aliases are arrays on one storage. A view is a part of one buffer of an array:
// an index picks the buffer, subslices and transpositions move the part, and what
// is reinterpreted is a new array, or a new buffer, where the old part begins.
// Which bytes or columns the part has in the end, its layout says.
//
// A view that cannot be followed exactly counts as all that it may be part of and
// is marked approximate: what it touches may prove a kernel, but not refute it.
//
//===----------------------------------------------------------------------===//

#include "verify/encode/EncoderImpl.h"

#include "compiler/analysis/EncodingToLayout.h"
#include "compiler/dialect/ttg/CtaParts.h"
#include "compiler/dialect/ttng/TTNG.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tlx::verify {

/// Arrays of tiles and arrays of barriers have a leading dimension of slots; not so
/// a barrier that each CTA of a program has a part of (`2xi64`).
bool Encoder::isArray(Value value) const {
  auto type = cast<ttg::MemDescType>(value.getType());
  if (isa<ttng::TensorMemorySpaceAttr>(type.getMemorySpace()))
    return type.getShape().size() >= 3;
  return type.getShape().size() > encodedRank(type) || indexedRoots.contains(value) ||
         (ttg::isBarrierType(type) && ttg::ctaParts(type) == 1);
}

/// The array of buffers at `place`, made by `value`.
View Encoder::arrayAt(Buffer place, Value value) {
  auto type = cast<ttg::MemDescType>(value.getType());
  place.name = nameOf(value, "buffer");
  place.ranks = p.ranks;
  place.loc = locOf(value.getDefiningOp());
  auto same = llvm::find_if(roots, [&](const Root &root) { return root.place == place; });
  View v;
  v.root = static_cast<int>(same - roots.begin());
  if (same == roots.end())
    roots.push_back({place});
  v.slot = isArray(value) ? NoExpr : e.constant(0);
  v.type = type;
  v.whole = v.shape = llvm::to_vector(type.getShape());
  v.offsets.assign(v.whole.size(), 0);
  return v;
}

int Encoder::bufferOf(int id) {
  Root &root = roots[id];
  if (root.buffer < 0)
    root.buffer = p.addBuffer(root.place);
  return root.buffer;
}

int Encoder::barrierOf(int id) {
  Root &root = roots[id];
  if (root.barrier >= 0)
    return root.barrier;
  // Two names of one array are one array.
  for (const Root &other : roots)
    if (other.barrier >= 0 && other.place.space == root.place.space &&
        other.place.base == root.place.base && other.place.stride == root.place.stride &&
        other.place.slots == root.place.slots)
      return root.barrier = other.barrier;
  BarrierArray array;
  array.name = root.place.name;
  array.slots = root.place.slots;
  array.ranks = p.ranks;
  array.loc = root.place.loc;
  array.space = root.place.space;
  array.base = root.place.base;
  array.stride = root.place.stride;
  return root.barrier = p.addBarrier(std::move(array));
}

std::optional<SmallVector<BufferSpan>> Encoder::spans(const View &v) {
  std::vector<int64_t> sizes;
  for (const auto &part : {v.whole, v.offsets, v.shape})
    sizes.insert(sizes.end(), part.begin(), part.end());
  auto [it, isNew] = spansOfViews.try_emplace({v.type.getAsOpaquePointer(), sizes});
  if (isNew)
    it->second = spansOf(v.type, {v.whole, v.offsets, v.shape});
  return it->second;
}

void Encoder::targetOf(const View &v, bool barrier, Target &target) {
  const Buffer &place = roots[v.root].place;
  target.slot = v.slot;
  if (v.rank != NoExpr && target.rank == NoExpr)
    target.rank = v.rank;
  if (barrier) {
    target.object = barrierOf(v.root);
    return;
  }
  target.object = bufferOf(v.root);
  target.approximate = v.approximate;
  auto add = [&](int64_t begin, int64_t end) {
    target.parts.push_back({begin, end, 0, place.lanes});
  };
  if (v.slot == NoExpr) {
    for (int slot = 0; slot < place.slots; ++slot)
      add(place.start(slot) - place.start(0), place.start(slot) - place.start(0) + place.width());
    target.approximate |= !v.isWhole();
    return;
  }
  std::optional<SmallVector<BufferSpan>> parts;
  if (!v.isWhole()) {
    parts = spans(v);
    target.approximate |= !parts;
  }
  if (!parts)
    parts.emplace({BufferSpan{0, sizeInMemory(v.type, v.whole).value_or(place.width())}});
  for (BufferSpan part : *parts)
    add(v.origin + part.begin, v.origin + part.end);
  // All of the slot needs no saying.
  if (target.parts.size() == 1 && target.parts[0] == Rect{0, place.width(), 0, place.lanes})
    target.parts.clear();
}

ViewSet Encoder::view(Value value) {
  followed.insert(value);
  if (auto it = views.find(value); it != views.end())
    return it->second;
  ViewSet set;
  if (Operation *op = value.getDefiningOp())
    set = viewOf(op, value);
  return views[value] = std::move(set);
}

ViewSet Encoder::viewOf(Operation *op, Value value) {
  if (const BufferPlace *at = aliases.placeOf(value)) {
    const Storage &storage = aliases.storageOf(*at);
    Buffer place;
    place.where =
        storage.kind == tlxd::StorageKind::Tmem ? sync::Space::Tensor : sync::Space::Shared;
    place.space = spaces[at->storage];
    place.blank = true;
    place.lanes =
        place.where == sync::Space::Shared ? lanesOfShared() : std::max<int64_t>(storage.lanes, 1);
    place.lane = allocation.addressOf(at->storage).lane ? 64 : 0; // the upper half
    place.base = addressOf(at->storage) + at->unit * at->slot;
    if (isArray(value)) {
      place.slots = static_cast<int>(at->count);
      place.extent = at->unit;
      place.stride = at->unit * at->scale;
      place.group = at->group;
    } else {
      place.extent = place.stride = at->unit * at->count;
    }
    return {{NoExpr, arrayAt(place, value)}};
  }
  if (isa<arith::SelectOp>(op)) {
    ExprId cond = scalar(op->getOperand(0));
    ViewSet set;
    for (auto [operand, when] :
         {std::pair(op->getOperand(1), cond), std::pair(op->getOperand(2), e.logicalNot(cond))})
      for (ViewCase c : view(operand)) {
        c.when = e.both(when, c.when);
        set.push_back(c);
      }
    return set;
  }
  if (!isa<ttg::MemDescIndexOp, ttg::MemDescSubsliceOp, ttg::MemDescDynamicSubsliceOp,
           ttg::MemDescTransOp, ttg::MemDescReshapeOp, ttg::MemDescReinterpretOp,
           ttng::TMEMSubSliceOp, tlxd::RequireLayoutOp, ttng::MapToRemoteBufferOp>(op))
    return {};
  ViewSet set = view(op->getOperand(0));
  for (ViewCase &c : set)
    step(c.view, op, value);
  return set;
}

/// The view is all of a `type`, from the same beginning.
static void become(View &v, ttg::MemDescType type) {
  v.type = type;
  v.whole = v.shape = llvm::to_vector(type.getShape());
  v.offsets.assign(v.whole.size(), 0);
}

/// What `op` makes of the view that it takes.
void Encoder::step(View &v, Operation *op, Value value) {
  auto to = cast<ttg::MemDescType>(value.getType());
  if (isa<ttng::MapToRemoteBufferOp>(op)) {
    v.rank = scalar(op->getOperand(1));
    return;
  }
  if (isa<ttg::MemDescDynamicSubsliceOp>(op))
    v.approximate = true;
  if (v.approximate)
    return;
  if (isa<ttg::MemDescIndexOp>(op))
    return index(v, scalar(op->getOperand(1)), to);
  if (auto slice = dyn_cast<ttg::MemDescSubsliceOp>(op)) {
    for (auto [offset, more] : llvm::zip(v.offsets, slice.getOffsets()))
      offset += more;
    v.shape = llvm::to_vector(to.getShape());
  } else if (auto slice = dyn_cast<ttng::TMEMSubSliceOp>(op)) {
    v.offsets.back() += slice.getN();
    v.shape = llvm::to_vector(to.getShape());
  } else if (auto trans = dyn_cast<ttg::MemDescTransOp>(op)) {
    for (auto *dims : {&v.whole, &v.offsets, &v.shape}) {
      SmallVector<int64_t> old = *dims;
      for (auto [at, from] : llvm::enumerate(trans.getOrder()))
        (*dims)[at] = old[from];
    }
    v.type = to;
  } else if (isa<ttg::MemDescReinterpretOp>(op)) {
    reinterpret(v, value);
  } else if (isa<tlxd::RequireLayoutOp>(op)) {
    // One that takes more room, such as 4-bit values padded to bytes, all of the buffer gets later.
    if (sizeInMemory(to, v.whole) == sizeInMemory(v.type, v.whole))
      v.type = to;
  } else if (v.isWhole()) { // memdesc_reshape
    become(v, to);
  } else {
    v.approximate = true;
  }
}

/// One buffer of an array, or one piece of a buffer along its first dimension.
void Encoder::index(View &v, ExprId index, ttg::MemDescType to) {
  if (v.slot == NoExpr) {
    v.slot = e.add(index, e.constant(v.offsets.front()));
    // A barrier of an array of barriers still has a dimension.
    if (to.getShape().size() == v.whole.size())
      return become(v, to);
    v.type = to;
    v.shape = llvm::to_vector(to.getShape());
    v.whole.erase(v.whole.begin());
    v.offsets.erase(v.offsets.begin());
    return;
  }
  std::optional<int64_t> unit = sizeInMemory(to, to.getShape());
  v.approximate = !v.isWhole() || !unit || !e.isConst(index);
  if (v.approximate)
    return;
  v.origin += e[index].value * *unit;
  become(v, to);
}

/// Where the first element of the view lies, counted from its slot.
std::optional<int64_t> Encoder::beginOf(const View &v) {
  if (v.isWhole())
    return v.origin;
  View first = v;
  if (v.slot == NoExpr) { // of the first buffer of the array
    if (v.offsets.front() != 0)
      return std::nullopt;
    for (auto *dims : {&first.whole, &first.offsets, &first.shape})
      dims->erase(dims->begin());
  }
  auto parts = spans(first);
  return parts ? std::optional(v.origin + parts->front().begin) : std::nullopt;
}

/// The same memory from its first element on, as a buffer or an array of its own.
void Encoder::reinterpret(View &v, Value value) {
  auto to = cast<ttg::MemDescType>(value.getType());
  std::optional<int64_t> begin = beginOf(v);
  if (!begin) {
    v.approximate = true;
  } else if (v.slot != NoExpr && !e.isConst(v.slot)) {
    v.origin = *begin;
    become(v, to);
  } else {
    Buffer place = roots[v.root].place;
    place.base = place.start(v.slot == NoExpr ? 0 : e[v.slot].value) + *begin;
    place.slots = 1, place.group = 1, place.extent = 0;
    ArrayRef<int64_t> shape = to.getShape();
    if (isArray(value)) {
      place.slots = static_cast<int>(shape.front());
      shape = shape.drop_front();
    }
    place.stride = sizeInMemory(to, shape).value_or(0);
    ExprId rank = v.rank;
    v = arrayAt(place, value);
    v.rank = rank;
  }
}

} // namespace tlx::verify
