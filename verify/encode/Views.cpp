//===- Views.cpp - from a memdesc to the allocation it is cut from --------===//
//
// A view is a slot of an allocation and a rectangle within the slot. Index and
// subslice move them; transposition swaps the sides; a reinterpretation keeps
// the rectangle but forgets its inside, so later cuts count as the whole of it.
//
//===----------------------------------------------------------------------===//

#include "verify/encode/EncoderImpl.h"

using namespace mlir;

namespace tlx::verify {

static int64_t product(ArrayRef<int64_t> dims) {
  int64_t n = 1;
  for (int64_t d : dims)
    n *= d;
  return n;
}

static int64_t bitsOf(Type type) { return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64; }

int Encoder::rootOf(Value alloc, Operation *op) {
  if (auto it = rootIds.find(alloc); it != rootIds.end())
    return it->second;
  auto type = cast<ttg::MemDescType>(alloc.getType());
  Root root;
  root.value = alloc;
  root.name = nameOf(alloc, "buffer");
  root.elementBits = bitsOf(type.getElementType());
  root.tensor = op->getName().getStringRef() == "ttng.tmem_alloc";
  ArrayRef<int64_t> shape = type.getShape();
  // Arrays of tiles and arrays of barriers have a leading dimension of slots.
  bool array = shape.size() >= 3 || ttg::isBarrierType(type) || indexedRoots.contains(alloc);
  if (array && !shape.empty()) {
    root.slots = static_cast<int>(shape[0]);
    shape = shape.drop_front();
  }
  root.columns = shape.empty() ? 1 : shape.back();
  root.rows = shape.empty() ? 1 : product(shape.drop_back());
  root.space = spaces++;
  // An alias lies on the allocation that it names, in bytes or columns.
  if (op->getName().getStringRef() == "tlx.local_alias") {
    ViewSet base = view(op->getOperand(0));
    if (base.size() == 1) {
      Root &under = roots[base[0].view.root];
      root.space = under.space;
      root.tensor = under.tensor;
      root.bytes = under.bytes = !under.tensor;
    }
  }
  roots.push_back(root);
  return rootIds[alloc] = static_cast<int>(roots.size()) - 1;
}

int Encoder::bufferOf(int id) {
  Root &root = roots[id];
  if (root.buffer >= 0)
    return root.buffer;
  Buffer buffer;
  buffer.name = root.name;
  buffer.where = root.tensor ? sync::Space::Tensor : sync::Space::Shared;
  buffer.space = root.space;
  buffer.slots = root.slots;
  buffer.ranks = p.ranks;
  if (root.tensor) {
    buffer.stride = (root.columns * root.elementBits + 31) / 32;
    buffer.lanes = static_cast<int>(root.rows);
  } else if (root.bytes) {
    buffer.stride = (root.columns * root.rows * root.elementBits + 7) / 8;
  } else {
    buffer.stride = root.columns;
    buffer.lanes = static_cast<int>(root.rows);
  }
  if (Operation *op = root.value.getDefiningOp())
    buffer.loc = locOf(op);
  return root.buffer = p.addBuffer(std::move(buffer));
}

int Encoder::barrierOf(int id) {
  Root &root = roots[id];
  if (root.barrier >= 0)
    return root.barrier;
  BarrierArray array;
  array.name = root.name;
  array.slots = root.slots;
  array.ranks = p.ranks;
  if (Operation *op = root.value.getDefiningOp())
    array.loc = locOf(op);
  return root.barrier = p.addBarrier(std::move(array));
}

bool Encoder::targetOf(const View &v, bool barrier, Target &target) {
  const Root &root = roots[v.root];
  target.slot = v.slot;
  if (v.rank != NoExpr && target.rank == NoExpr)
    target.rank = v.rank;
  if (barrier) {
    target.object = barrierOf(v.root);
    return true;
  }
  target.object = bufferOf(v.root);
  const Buffer &buffer = p.buffers[target.object];
  bool allSlots = v.slot == NoExpr && root.slots > 1;
  if (root.tensor) {
    target.x0 = v.x0 * root.elementBits / 32;
    target.x1 = (v.x1 * root.elementBits + 31) / 32;
    target.y0 = static_cast<int>(v.y0);
    target.y1 = static_cast<int>(v.y1);
  } else if (root.bytes) {
    bool fullRows = v.x0 == 0 && v.x1 == root.columns;
    if (fullRows) {
      target.x0 = v.y0 * root.columns * root.elementBits / 8;
      target.x1 = (v.y1 * root.columns * root.elementBits + 7) / 8;
    }
  } else {
    target.x0 = v.x0, target.x1 = v.x1;
    target.y0 = static_cast<int>(v.y0), target.y1 = static_cast<int>(v.y1);
  }
  if (allSlots) {
    target.x0 = 0;
    target.x1 = buffer.stride * root.slots;
  }
  return true;
}

ViewSet Encoder::view(Value value) {
  if (auto it = views.find(value); it != views.end())
    return it->second;
  ViewSet set;
  if (Operation *op = value.getDefiningOp())
    set = viewOf(op, value);
  return views[value] = std::move(set);
}

ViewSet Encoder::viewOf(Operation *op, Value value) {
  StringRef name = op->getName().getStringRef();
  if (name == "ttg.local_alloc" || name == "ttng.tmem_alloc" || name == "tlx.local_alias") {
    View v;
    v.root = rootOf(value, op);
    const Root &root = roots[v.root];
    v.x1 = root.columns, v.y1 = root.rows;
    if (root.slots == 1)
      v.slot = e.constant(0);
    return {{NoExpr, v}};
  }
  if (name == "arith.select") {
    ExprId cond = scalar(op->getOperand(0));
    ViewSet set;
    for (auto [operand, when] :
         {std::pair(op->getOperand(1), cond), std::pair(op->getOperand(2), e.logicalNot(cond))})
      for (ViewCase c : view(operand)) {
        c.when = c.when == NoExpr ? when : e.binary(Op::And, when, c.when);
        set.push_back(c);
      }
    return set;
  }
  bool isView = name.starts_with("ttg.memdesc_") || name == "ttng.tmem_subslice" ||
                name == "tlx.require_layout" || name == "ttng.map_to_remote_buffer";
  if (!isView || op->getNumOperands() == 0)
    return {};
  ViewSet set = view(op->getOperand(0));
  auto from = cast<ttg::MemDescType>(op->getOperand(0).getType());
  auto to = cast<ttg::MemDescType>(value.getType());
  for (ViewCase &c : set) {
    View &v = c.view;
    Root &root = roots[v.root];
    if (name == "ttg.memdesc_index") {
      ExprId index = scalar(op->getOperand(1));
      if (v.slot == NoExpr && !v.opaque) {
        v.slot = index;
      } else if (root.slots == 1 && !v.indexed && !v.opaque) {
        // The only slot: an index other than 0 is out of range.
        v.slot = index;
      } else if (!v.opaque && e.isConst(index) && from.getShape().size() >= 2) {
        int64_t rows = product(to.getShape().drop_back());
        v.y0 += e[index].value * rows;
        v.y1 = v.y0 + rows;
      } else {
        v.opaque = true; // some part of what it was
      }
      v.indexed = true;
    } else if (name == "ttg.memdesc_subslice") {
      ArrayRef<int32_t> offsets = cast<ttg::MemDescSubsliceOp>(op).getOffsets();
      size_t n = to.getShape().size();
      bool simple = !v.opaque && !v.transposed && offsets.size() == n && n >= 1;
      for (size_t i = 0; simple && i + 2 < n; ++i)
        simple = to.getShape()[i] == from.getShape()[i];
      if (simple && n > 2 && to.getShape()[n - 2] != from.getShape()[n - 2])
        simple = product(from.getShape().drop_back(2)) == 1;
      if (!simple) {
        v.opaque = true;
        continue;
      }
      v.x0 += offsets[n - 1];
      v.x1 = v.x0 + to.getShape()[n - 1];
      if (n >= 2 && to.getShape()[n - 2] != from.getShape()[n - 2]) {
        v.y0 += offsets[n - 2];
        v.y1 = v.y0 + to.getShape()[n - 2];
      }
    } else if (name == "ttng.tmem_subslice") {
      if (auto offset = op->getAttrOfType<IntegerAttr>("N"); offset && !v.opaque) {
        v.x0 += offset.getInt();
        v.x1 = v.x0 + to.getShape().back();
      } else {
        v.opaque = true;
      }
    } else if (name == "ttg.memdesc_trans") {
      v.transposed = !v.transposed;
    } else if (name == "ttg.memdesc_reshape") {
      v.opaque |= to.getShape().back() != from.getShape().back();
    } else if (name == "ttg.memdesc_reinterpret") {
      v.opaque = true;
    } else if (name == "ttg.memdesc_dynamic_subslice") {
      v.opaque = true;
    } else if (name == "ttng.map_to_remote_buffer") {
      v.rank = scalar(op->getOperand(1));
    }
  }
  return set;
}

} // namespace tlx::verify
