#include "compiler/transforms/LayoutProblem.h"

#include "compiler/dialect/tlx/TLX.h"
#include "compiler/transforms/BlockedLayouts.h"
#include "compiler/transforms/ShapeLayouts.h"
#include "compiler/transforms/ValueFlow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tlx {

bool isFreeSource(Operation *op) {
  return isa_and_present<arith::ConstantOp, tt::MakeRangeOp, tt::SplatOp>(op);
}

static RankedTensorType tileType(Value value) {
  return dyn_cast_or_null<RankedTensorType>(value ? value.getType() : Type());
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

LayoutProblem::Variable LayoutProblem::fresh(RankedTensorType type, Operation *context) {
  infos.push_back({type, context, {}});
  parents.push_back(parents.size());
  return parents.size() - 1;
}

LayoutProblem::Variable LayoutProblem::variableOf(Value value) {
  auto [it, isNew] = variables.try_emplace(value, 0);
  if (!isNew)
    return it->second;
  Operation *context = value.getDefiningOp();
  if (!context)
    context = &cast<BlockArgument>(value).getOwner()->front();
  Variable variable = fresh(tileType(value), context);
  if (Attribute layout = tlxd::unwrapLayout(tileType(value).getEncoding()))
    required.emplace_back(variable, layout);
  return variables[value] = variable;
}

LayoutProblem::Variable LayoutProblem::placeOrOwn(OpOperand &operand) {
  return isFreeSource(operand.get().getDefiningOp()) ? place(operand) : variableOf(operand.get());
}

LayoutProblem::Variable LayoutProblem::place(OpOperand &operand) {
  if (auto known = operandPlaces.find(&operand); known != operandPlaces.end())
    return known->second;
  Variable variable = fresh(tileType(operand.get()), operand.getOwner());
  operandPlaces[&operand] = variable;
  conversions.emplace_back(variableOf(operand.get()), variable);
  return variable;
}

LayoutProblem::Variable LayoutProblem::place(OpResult result) {
  Variable variable = fresh(tileType(result), result.getOwner());
  resultPlaces[result] = variable;
  conversions.emplace_back(variable, variableOf(result));
  return variable;
}

LayoutProblem::Variable LayoutProblem::leaderOf(Variable variable) const {
  while (parents[variable] != variable)
    variable = parents[variable] = parents[parents[variable]];
  return variable;
}

void LayoutProblem::join(Variable a, Variable b) {
  a = leaderOf(a);
  b = leaderOf(b);
  if (a == b)
    return;
  if (infos[b].type.getNumElements() > infos[a].type.getNumElements())
    infos[a].type = infos[b].type;
  parents[b] = a;
}

Attribute LayoutProblem::taken(OpOperand &operand) const {
  auto found = operandPlaces.find(&operand);
  return found == operandPlaces.end() ? of(operand.get()) : layoutOf(found->second);
}

Attribute LayoutProblem::given(OpResult result) const {
  auto found = resultPlaces.find(result);
  return found == resultPlaces.end() ? of(result) : layoutOf(found->second);
}

//===----------------------------------------------------------------------===//
// What ops ask for
//===----------------------------------------------------------------------===//

LayoutProblem::LayoutProblem(tt::FuncOp function) : function(function), axes(function) {
  function.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (tileType(result))
        variableOf(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          if (tileType(argument))
            variableOf(argument);
  });
  function.walk([&](Operation *op) { visit(op); });
}

/// The operand is taken in the layout of `with`.
void LayoutProblem::tie(OpOperand &operand, Value with) {
  if (!tileType(operand.get()) || !tileType(with))
    return;
  join(variableOf(with), placeOrOwn(operand));
}

/// All tiles of `op` have one layout.
void LayoutProblem::tieAll(Operation *op) {
  Value first;
  for (Value result : op->getResults())
    if (tileType(result)) {
      if (first)
        join(variableOf(first), variableOf(result));
      first = result;
    }
  std::optional<Variable> shared;
  if (first)
    shared = variableOf(first);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!tileType(operand.get()))
      continue;
    Variable mine = placeOrOwn(operand);
    if (shared)
      join(*shared, mine);
    shared = mine;
  }
}

void LayoutProblem::prefer(Value value, Attribute layout) {
  preferred.emplace_back(variableOf(value), layout);
}

void LayoutProblem::visitAccess(Operation *op, Value pointers, Value mask) {
  RankedTensorType type = tileType(pointers);
  if (!type)
    return;
  Variable shared = fresh(type, op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!tileType(operand.get()))
      continue;
    bool addresses = operand.get() == pointers || operand.get() == mask;
    join(shared, addresses ? placeOrOwn(operand) : place(operand));
  }
  for (OpResult result : op->getResults())
    if (tileType(result))
      join(shared, place(result));
  preferred.emplace_back(shared, accessLayout(type, axes.of(pointers), warpsOf(infos[shared])));
}

void LayoutProblem::visitReduce(tt::ReduceOp op) {
  Variable shared = fresh(tileType(op.getSrcs().front()), op);
  for (OpOperand &operand : op->getOpOperands())
    join(shared, placeOrOwn(operand));
  for (OpResult result : op->getResults())
    if (tileType(result))
      slices.push_back({place(result), shared, op.getAxis()});
}

/// Warps of mma.sync over the rows first, which share their columns.
static ttg::NvidiaMmaEncodingAttr mmaSync(RankedTensorType type, int warps) {
  unsigned rank = type.getRank();
  SmallVector<unsigned> warpsOf(rank, 1), shape(rank, 1);
  int64_t rows = type.getDimSize(rank - 2);
  unsigned down = std::min<int64_t>(warps, std::max<int64_t>(1, rows / 16));
  warpsOf[rank - 2] = down;
  warpsOf[rank - 1] = warps / down;
  shape[rank - 2] = 16;
  shape[rank - 1] = 8;
  return ttg::NvidiaMmaEncodingAttr::get(type.getContext(), 2, 0, warpsOf,
                                         ArrayAttr::get(type.getContext(), {}), shape);
}

static bool suitsMmaSync(tt::DotOp op) {
  RankedTensorType a = tileType(op.getA()), d = tileType(op.getD());
  unsigned rank = d.getRank();
  Type element = a.getElementType();
  bool kind = element.isF16() || element.isBF16() || element.isInteger(8) ||
              (element.isF32() && op.getInputPrecision() == tt::InputPrecision::TF32);
  int64_t sums = a.getDimSize(rank - 1) * element.getIntOrFloatBitWidth();
  return kind && element == tileType(op.getB()).getElementType() && sums >= 256 &&
         d.getDimSize(rank - 2) >= 16 && d.getDimSize(rank - 1) >= 8;
}

void LayoutProblem::visitDot(tt::DotOp op) {
  tie(op.getCMutable(), op.getD());
  RankedTensorType type = tileType(op.getD());
  if (type.getEncoding())
    return;
  int warps = warpsOf(infos[variableOf(op.getD())]);
  unsigned width = 0;
  Attribute parent = rowMajorLayout(type, 4, warps);
  if (suitsMmaSync(op)) {
    parent = mmaSync(type, warps);
    width = 32 / tileType(op.getA()).getElementTypeBitWidth();
  }
  required.emplace_back(variableOf(op.getD()), parent);
  for (unsigned index : {0, 1}) {
    OpOperand &operand = op->getOpOperand(index);
    // What is read from memory for this alone is read as it is taken.
    bool readsFor = operand.get().getDefiningOp<ttg::LocalLoadOp>() && operand.get().hasOneUse();
    required.emplace_back(readsFor ? variableOf(operand.get()) : place(operand),
                          ttg::DotOperandEncodingAttr::get(op.getContext(), index, parent, width));
  }
}

/// Each thread puts its own elements of both one after the other, and threads that
/// have the same elements have the same ones afterwards.
void LayoutProblem::visitCat(tt::CatOp op) {
  RankedTensorType half = tileType(op.getLhs());
  if (half.getRank() != 1)
    return;
  unsigned warps = warpsOf(infos[variableOf(op.getResult())]);
  unsigned share = std::max<int64_t>(1, half.getNumElements() / (32 * warps));
  auto fill = [&](Variable variable, unsigned size) {
    required.emplace_back(variable,
                          ttg::BlockedEncodingAttr::get(op.getContext(), {size}, {32u}, {warps},
                                                        {0u}, ArrayAttr::get(op.getContext(), {})));
  };
  for (OpOperand &operand : op->getOpOperands())
    fill(place(operand), share);
  fill(place(cast<OpResult>(op.getResult())), 2 * share);
}

/// The two values of a byte stay in the thread that has it.
void LayoutProblem::visitFp4(ttg::Fp4ToFpOp op) {
  RankedTensorType type = tileType(op.getSrc());
  auto bytes = rowMajorLayout(type, 4, warpsOf(infos[variableOf(op.getResult())]));
  SmallVector<unsigned> sizes(bytes.getSizePerThread());
  sizes[op.getAxis()] *= 2;
  required.emplace_back(place(op.getSrcMutable()), bytes);
  required.emplace_back(place(cast<OpResult>(op.getResult())),
                        ttg::BlockedEncodingAttr::get(op.getContext(), sizes,
                                                      bytes.getThreadsPerWarp(),
                                                      bytes.getWarpsPerCTA(), bytes.getOrder(),
                                                      ArrayAttr::get(op.getContext(), {})));
}

/// Which elements vote together is the layout's to say: neighbouring lanes hold neighbours.
void LayoutProblem::visitBallot(ttng::VoteBallotSyncOp op) {
  RankedTensorType type = tileType(op.getResult());
  if (!type)
    return;
  Attribute layout = rowMajorLayout(type, 1, warpsOf(infos[variableOf(op.getResult())]));
  required.emplace_back(place(op.getPredMutable()), layout);
  required.emplace_back(place(cast<OpResult>(op.getResult())), layout);
}

void LayoutProblem::visit(Operation *op) {
  if (eachHandover(op, [&](OpOperand &operand, Value value) { tie(operand, value); }))
    return;
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return visitAccess(op, load.getPtr(), load.getMask());
  if (auto store = dyn_cast<tt::StoreOp>(op))
    return visitAccess(op, store.getPtr(), store.getMask());
  if (auto atomic = dyn_cast<tt::AtomicRMWOp>(op))
    return visitAccess(op, atomic.getPtr(), atomic.getMask());
  if (auto atomic = dyn_cast<tt::AtomicCASOp>(op))
    return visitAccess(op, atomic.getPtr(), Value());
  if (auto copy = dyn_cast<ttg::AsyncCopyGlobalToLocalOp>(op))
    return visitAccess(op, copy.getSrc(), copy.getMask());
  if (auto dot = dyn_cast<tt::DotOp>(op))
    return visitDot(dot);
  if (auto reduce = dyn_cast<tt::ReduceOp>(op))
    return visitReduce(reduce);
  if (auto expand = dyn_cast<tt::ExpandDimsOp>(op)) {
    slices.push_back({place(expand.getSrcMutable()), variableOf(expand.getResult()),
                      unsigned(expand.getAxis())});
    return;
  }
  if (renamesElements(op)) {
    renamings.push_back({variableOf(op->getOperand(0)), variableOf(op->getResult(0)), op});
    return;
  }
  if (auto cat = dyn_cast<tt::CatOp>(op))
    return visitCat(cat);
  if (auto unpack = dyn_cast<ttg::Fp4ToFpOp>(op))
    return visitFp4(unpack);
  if (auto ballot = dyn_cast<ttng::VoteBallotSyncOp>(op))
    return visitBallot(ballot);
  // The halves of a pair are what is left without the last dimension.
  if (auto join = dyn_cast<tt::JoinOp>(op)) {
    unsigned axis = tileType(join.getResult()).getRank() - 1;
    pairs.push_back(place(cast<OpResult>(join.getResult())));
    for (OpOperand &operand : op->getOpOperands())
      slices.push_back({place(operand), pairs.back(), axis});
    return;
  }
  if (auto split = dyn_cast<tt::SplitOp>(op)) {
    unsigned axis = tileType(split.getSrc()).getRank() - 1;
    pairs.push_back(place(split.getSrcMutable()));
    for (OpResult result : op->getResults())
      slices.push_back({place(result), pairs.back(), axis});
    return;
  }
  if (auto convert = dyn_cast<ttg::ConvertLayoutOp>(op)) {
    conversions.emplace_back(variableOf(convert.getSrc()), variableOf(convert.getResult()));
    return;
  }
  if (auto load = dyn_cast<ttg::LocalLoadOp>(op)) {
    RankedTensorType type = tileType(load.getResult());
    unsigned bits = type.getElementType().getIntOrFloatBitWidth();
    prefer(load.getResult(), rowMajorLayout(type, 128 / std::max(8u, bits),
                                            warpsOf(infos[variableOf(load.getResult())])));
    return;
  }
  if (auto product = dyn_cast<ttng::WarpGroupDotOp>(op))
    return tie(product.getCMutable(), product.getD());
  if (auto wait = dyn_cast<ttng::WarpGroupDotWaitOp>(op)) {
    for (OpOperand &operand : op->getOpOperands())
      tie(operand, wait->getResult(operand.getOperandNumber()));
    return;
  }
  if (auto gather = dyn_cast<tt::GatherOp>(op))
    return tie(gather.getIndicesMutable(), gather.getResult());
  // What is broadcast is small: tiles of other layouts may be made of it too.
  if (auto broadcast = dyn_cast<tt::BroadcastOp>(op))
    return join(variableOf(broadcast.getResult()), place(broadcast.getSrcMutable()));
  if (op->hasTrait<OpTrait::Elementwise>() ||
      isa<tt::ScanOp, tt::MapElementwiseOp, tt::ElementwiseInlineAsmOp, ttg::LocalGatherOp,
          ttg::LocalScatterOp>(op))
    tieAll(op);
}

//===----------------------------------------------------------------------===//
// Solving
//===----------------------------------------------------------------------===//

int LayoutProblem::warpsOf(const Info &info) const {
  return ttg::contextNumWarps(info.context).value_or(4);
}

LogicalResult LayoutProblem::fix() {
  for (auto [variable, layout] : required) {
    Info &info = infos[leaderOf(variable)];
    if (info.layout && info.layout != layout)
      return infos[variable].context->emitError("a tile must have two layouts at once, ")
             << info.layout << " and " << layout;
    info.layout = layout;
  }
  return success();
}

/// From a variable with a layout to those that would do well with it too.
void LayoutProblem::spread(Variable start) {
  SmallVector<Variable> queue = {leaderOf(start)};
  auto give = [&](Variable to, Attribute layout) {
    to = leaderOf(to);
    if (!layout || infos[to].layout)
      return;
    infos[to].layout = layout;
    queue.push_back(to);
  };
  for (size_t next = 0; next < queue.size(); ++next) {
    Variable from = queue[next];
    Attribute layout = infos[from].layout;
    for (unsigned index : slicesOf.lookup(from)) {
      const Slice &slice = slices[index];
      if (leaderOf(slice.parent) == from)
        give(slice.child, ttg::SliceEncodingAttr::get(function.getContext(), slice.axis, layout));
      else if (auto child = dyn_cast<ttg::SliceEncodingAttr>(layout);
               child && child.getDim() == slice.axis)
        give(slice.parent, child.getParent());
    }
    for (unsigned index : renamingsOf.lookup(from)) {
      const Renaming &renaming = renamings[index];
      if (leaderOf(renaming.source) == from)
        give(renaming.result, layoutAfter(renaming.op, layout));
      if (leaderOf(renaming.result) == from)
        give(renaming.source, layoutBefore(renaming.op, layout));
    }
    // Operands of a matrix instruction are laid out for nothing else.
    if (isa<ttg::DotOperandEncodingAttr>(layout))
      continue;
    for (unsigned index : conversionsOf.lookup(from)) {
      give(conversions[index].first, layout);
      give(conversions[index].second, layout);
    }
  }
}

void LayoutProblem::keepPairs() {
  for (Variable pair : pairs) {
    Info &info = infos[leaderOf(pair)];
    if (info.layout && hasHalvesInThreads(info.type, info.layout))
      continue;
    info.layout = rowMajorLayout(info.type, 2, warpsOf(info));
    spread(pair);
  }
}

LogicalResult LayoutProblem::solve() {
  for (auto [index, pair] : llvm::enumerate(conversions))
    for (Variable end : {pair.first, pair.second})
      conversionsOf[leaderOf(end)].push_back(index);
  for (auto [index, slice] : llvm::enumerate(slices))
    for (Variable end : {slice.child, slice.parent})
      slicesOf[leaderOf(end)].push_back(index);
  for (auto [index, renaming] : llvm::enumerate(renamings))
    for (Variable end : {renaming.source, renaming.result})
      renamingsOf[leaderOf(end)].push_back(index);
  if (failed(fix()))
    return failure();
  SmallVector<Variable> seeds;
  for (auto &[variable, layout] : required)
    seeds.push_back(variable);
  for (auto &[variable, layout] : preferred) {
    Info &info = infos[leaderOf(variable)];
    if (info.layout)
      continue;
    info.layout = layout;
    seeds.push_back(variable);
  }
  for (Variable seed : seeds)
    spread(seed);
  keepPairs();
  // What is left, tiles of many dimensions first: the others are their slices.
  SmallVector<Variable> left;
  for (Variable variable = 0; variable < infos.size(); ++variable)
    if (leaderOf(variable) == variable)
      left.push_back(variable);
  llvm::sort(left, [&](Variable a, Variable b) {
    RankedTensorType x = infos[a].type, y = infos[b].type;
    return std::tuple(y.getRank(), y.getNumElements(), a) <
           std::tuple(x.getRank(), x.getNumElements(), b);
  });
  for (Variable variable : left) {
    Info &info = infos[variable];
    if (info.layout)
      continue;
    info.layout = rowMajorLayout(info.type, 4, warpsOf(info));
    spread(variable);
  }
  // A slice whose parent was decided otherwise is converted to: it has to be one.
  for (const Slice &slice : slices) {
    Attribute layout =
        ttg::SliceEncodingAttr::get(function.getContext(), slice.axis, layoutOf(slice.parent));
    infos[leaderOf(slice.child)].layout = layout;
  }
  return success();
}

} // namespace tlx
