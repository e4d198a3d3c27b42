//===- TensorMaps.cpp - tensor maps that a kernel writes itself -----------===//
//
// A tensor map in scratch memory is 128 bytes that TMA reads with every copy.
// Each scratch allocation is an array of maps; making a descriptor writes one,
// a copy reads it until it is complete. A map that cannot be followed to its
// allocation (a descriptor that is an argument or carried by a loop) is not
// checked.
//
//===----------------------------------------------------------------------===//

#include "verify/encode/EncoderImpl.h"

#include "compiler/dialect/tt/TT.h"
#include "compiler/dialect/ttng/TTNG.h"

using namespace mlir;

namespace tlx::verify {

constexpr int64_t MapBytes = 128;

Value throughCaptures(Value value) {
  while (auto arg = dyn_cast<BlockArgument>(value)) {
    auto holder = dyn_cast<ttg::WarpSpecializePartitionsOp>(arg.getOwner()->getParentOp());
    if (!holder)
      break;
    value = holder.getExplicitCaptures()[arg.getArgNumber()];
  }
  return value;
}

/// What multiplied with `by` gives an expression, where it shows.
std::optional<ExprId> Encoder::divided(ExprId expr, int64_t by) {
  const ExprNode node = e[expr];
  if (node.op == Op::Const && node.value % by == 0)
    return e.constant(node.value / by);
  if (node.op == Op::Mul)
    for (auto [factor, other] : {std::pair(node.a, node.b), std::pair(node.b, node.a)})
      if (e.isConst(factor) && e[factor].value % by == 0)
        return e.binary(Op::Mul, other, e.constant(e[factor].value / by));
  return std::nullopt;
}

/// Bytes in whole maps.
ExprId Encoder::mapsIn(ExprId bytes) {
  std::optional<ExprId> maps = divided(bytes, MapBytes);
  return maps ? *maps : e.binary(Op::Div, bytes, e.constant(MapBytes));
}

/// The map that a descriptor, or a pointer to one, stands for.
std::optional<Target> Encoder::mapOf(Value value) {
  ExprId slot = e.constant(0);
  while (true) {
    value = throughCaptures(value);
    Operation *op = value.getDefiningOp();
    if (!op)
      return std::nullopt;
    if (auto make = dyn_cast<tt::MakeTensorDescOp>(op)) {
      value = make.getDescPtr();
      if (!value)
        return std::nullopt;
    } else if (isa<ttng::ReinterpretTensorDescOp>(op)) {
      value = op->getOperand(0);
    } else if (isa<tt::AddPtrOp>(op)) {
      slot = e.add(slot, mapsIn(scalar(op->getOperand(1))));
      value = op->getOperand(0);
    } else if (auto scratch = dyn_cast<ttg::GlobalScratchAllocOp>(op)) {
      auto [it, isNew] = maps.try_emplace(op, -1);
      if (isNew) {
        Buffer buffer;
        buffer.name = nameOf(value, "tensor map");
        buffer.where = sync::Space::Global;
        buffer.space = ~static_cast<int>(maps.size()); // storages count up from 0
        buffer.stride = MapBytes;
        buffer.slots = static_cast<int>((scratch.getNbytes() + MapBytes - 1) / MapBytes);
        buffer.ranks = p.ranks;
        buffer.loc = locOf(op);
        it->second = p.addBuffer(std::move(buffer));
      }
      Target target;
      target.object = it->second;
      target.slot = slot;
      return target;
    } else {
      return std::nullopt;
    }
  }
}

/// What an access to global memory does to tensor maps.
void Encoder::mapEffect(const tlx::SyncEffect &from, Effect effect, std::vector<Effect> &out) {
  if (!from.target)
    return;
  bool copies = isa<tt::TensorDescType>(from.target.getType());
  if (!copies && !isa<tt::PointerType>(from.target.getType()))
    return;
  std::optional<Target> target = mapOf(from.target);
  if (!target)
    return;
  if (copies)
    effect.kind = sync::Kind::Read; // whatever it does to the tensor
  effect.target = *target;
  out.push_back(std::move(effect));
}

} // namespace tlx::verify
