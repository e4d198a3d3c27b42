// Operands and attributes of instructions: dialects ttg, tlx and ttng.
#include "compiler/export/Exporter.h"

#include "compiler/analysis/EncodingToLayout.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tlx {

bool Exporter::layOutStorage(tt::FuncOp kernel) {
  FirstError errors(module.getContext());
  FailureOr<StorageAliases> computed = StorageAliases::compute(kernel);
  if (failed(computed)) {
    error = errors.take("the buffers of a storage alias do not fit");
    return false;
  }
  aliases = std::move(*computed);
  addresses = StorageAllocation::compute(kernel, *aliases);
  constexpr int64_t columns = sim::tmemLaneBytes / 4;
  if (addresses.tensorColumns() <= columns)
    return true;
  for (auto [index, storage] : llvm::enumerate(aliases->storages()))
    if (storage.kind == tlxd::StorageKind::Tmem &&
        addresses.addressOf(index).offset + storage.size > columns)
      fail(storage.source->getLoc(), "needs " + Twine(addresses.tensorColumns()) +
                                         " columns of tensor memory; a CTA has " + Twine(columns));
  return false;
}

int32_t Exporter::allocationFor(Operation *op, ttg::MemDescType type) {
  const BufferPlace *place = aliases->placeOf(op->getResult(0));
  if (place && !place->isDirect())
    places[op->getResult(0)] = place;
  if (place)
    if (auto found = allocationOfStorage.find(place->storage); found != allocationOfStorage.end())
      return found->second;

  sim::Type memory = simType(type);
  sim::Allocation allocation;
  allocation.space = memory.space;
  allocation.loc = locationOf(op->getLoc());
  if (auto named = dyn_cast<NameLoc>(op->getLoc()))
    allocation.name = named.getName().str();
  unsigned rank = encodedRank(type);
  int64_t buffers = 1, elements = 1;
  for (int64_t dim : type.getShape().drop_back(rank))
    buffers *= dim;
  for (int64_t dim : type.getShape().take_back(rank))
    elements *= dim;
  int64_t bytes = memory.bufferBytes ? memory.bufferBytes : elements * memory.memoryElementBytes();
  allocation.bytes = buffers * bytes;
  if (memory.space == sync::Space::Shared) {
    if (Result<layout::EncodingPtr> encoding = describeEncoding(type.getEncoding()))
      allocation.alignment = std::max<int64_t>(16, layout::sharedAlignment(**encoding));
    if (auto alignment = op->getAttrOfType<IntegerAttr>("alignment"))
      allocation.alignment = std::max(allocation.alignment, alignment.getInt());
    if (place) {
      allocation.bytes = std::max(allocation.bytes, aliases->storageOf(*place).size);
      allocation.offset = addresses.addressOf(place->storage).offset;
    }
    if (auto offset = op->getAttrOfType<IntegerAttr>("allocation.offset"))
      allocation.offset = offset.getInt();
    // Offsets are one CTA's; the parts of all lie one after another here.
    if (allocation.offset > 0)
      allocation.offset *= options.facts.numCtas;
  } else {
    if (place) {
      const StorageAddress &address = addresses.addressOf(place->storage);
      allocation.bytes = std::max(allocation.bytes, aliases->storageOf(*place).size * 4);
      allocation.offset = address.lane * sim::tmemLaneBytes + address.offset * 4;
    }
    if (auto column = op->getAttrOfType<IntegerAttr>("tensor_memory_col_offset")) {
      int64_t lane = 0;
      if (auto row = op->getAttrOfType<IntegerAttr>("tensor_memory_row_offset"))
        lane = row.getInt();
      allocation.offset = lane * sim::tmemLaneBytes + column.getInt() * 4;
    }
  }
  int32_t id = builder.allocation(allocation);
  if (place)
    allocationOfStorage[place->storage] = id;
  return id;
}

bool Exporter::refineTtg(Operation *op, Form &form) {
  sim::Attrs &attrs = form.attrs;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<ttg::LocalAllocOp>([&](auto alloc) {
        attrs.allocation = allocationFor(op, alloc.getType());
        return true;
      })
      .Case<tlxd::StorageAliasLocalAllocOp>([&](auto alloc) {
        form.op = isa<ttng::TensorMemorySpaceAttr>(alloc.getType().getMemorySpace())
                      ? sim::Op::TmemAlloc
                      : sim::Op::LocalAlloc;
        form.operands.clear();
        attrs.allocation = allocationFor(op, alloc.getType());
        return true;
      })
      .Case<ttg::MemDescIndexOp>([&](auto view) {
        if (const BufferPlace *place = places.lookup(view.getSrc()))
          attrs.ints = {place->unit *
                            (aliases->storageOf(*place).kind == tlxd::StorageKind::Tmem ? 4 : 1),
                        place->scale, place->slot, place->group};
        return true;
      })
      .Case<ttg::MemDescSubsliceOp>([&](auto slice) {
        attrs.ints.assign(slice.getOffsets().begin(), slice.getOffsets().end());
        return true;
      })
      .Case<ttg::MemDescTransOp>([&](auto trans) {
        attrs.ints.assign(trans.getOrder().begin(), trans.getOrder().end());
        return true;
      })
      .Case<ttg::LocalGatherOp, ttg::LocalScatterOp>([&](auto access) {
        attrs.axis = access.getAxis();
        return true;
      })
      .Case<ttg::LocalAtomicScatterRMWOp>([&](auto access) {
        attrs.axis = access.getAxis();
        attrs.rmw = sim::Rmw(int(access.getAtomicRmwOp()) - 1);
        return true;
      })
      .Case<ttg::AsyncCopyGlobalToLocalOp>([&](auto copy) {
        if (copy.getUseBulk()) {
          form.op = sim::Op::BulkCopy;
          form.operands = {reg(copy.getSrc()), reg(copy.getResult()), reg(copy.getBulkSize()),
                           reg(copy.getBarrier())};
        } else {
          form.operands = {reg(copy.getSrc()), reg(copy.getResult()), reg(copy.getMask()),
                           reg(copy.getOther())};
        }
        attrs.cache = sim::Cache(int(copy.getCache()) - 1);
        attrs.evict = sim::Evict(int(copy.getEvict()) - 1);
        return true;
      })
      .Case<ttg::GlobalScratchAllocOp>([&](auto alloc) {
        attrs.count = alloc.getNbytes();
        attrs.alignment = alloc.getAlignment();
        return true;
      })
      .Case<ttg::Fp4ToFpOp>([&](auto convert) {
        attrs.axis = convert.getAxis();
        return true;
      })
      .Default(false);
}

static_assert(int(sim::PackedOp::Max) == int(ttng::PackedArithKind::MAX));

bool Exporter::refineTtng(Operation *op, Form &form) {
  sim::Attrs &attrs = form.attrs;
  auto withCoords = [&](sim::Regs fixed, ValueRange coords) {
    form.operands = std::move(fixed);
    llvm::append_range(form.operands, regs(coords));
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<ttng::AsyncTMACopyGlobalToLocalOp>([&](auto load) {
        withCoords({reg(load.getDesc()), reg(load.getBarrier()), reg(load.getResult()),
                    reg(load.getPred()), reg(load.getMulticastTargets())},
                   load.getCoord());
        attrs.twoCtas = load.getTwoCta();
        attrs.multicast = load.getMulticast() || load.getMulticastTargets();
        if (load.getTensorMode() != ttng::TensorMode::TILED)
          fail(op->getLoc(), "im2col addressing is not simulated");
        return true;
      })
      .Case<ttng::AsyncTMACopyLocalToGlobalOp>([&](auto store) {
        withCoords({reg(store.getDesc()), reg(store.getSrc())}, store.getCoord());
        return true;
      })
      .Case<ttng::AsyncTMAReduceOp>([&](auto reduce) {
        withCoords({reg(reduce.getDesc()), reg(reduce.getSrc())}, reduce.getCoord());
        attrs.reduceKind = sim::ReduceKind(int(reduce.getKind()));
        return true;
      })
      .Case<ttng::TensormapCreateOp>([&](auto create) {
        attrs.count = create.getBoxDim().size();
        attrs.ints = {int64_t(create.getElemType()), int64_t(create.getFillMode()),
                      int64_t(create.getInterleaveLayout()), int64_t(create.getSwizzleMode())};
        return true;
      })
      .Case<ttng::WarpGroupDotOp>([&](auto dot) {
        attrs.precision = sim::Precision(int(dot.getInputPrecision()));
        attrs.isAsync = dot.getIsAsync();
        return true;
      })
      .Case<ttng::TCGen5MMAOp>([&](auto mma) {
        form.operands = {reg(mma.getA()), reg(mma.getB()), reg(mma.getD()), reg(mma.getUseD()),
                         reg(mma.getPred())};
        attrs.isAsync = mma.getIsAsync();
        attrs.twoCtas = mma.getTwoCtas();
        attrs.isUnsigned = mma.getIsUnsigned();
        return true;
      })
      .Case<ttng::TCGen5MMAScaledOp>([&](auto mma) {
        form.operands = {reg(mma.getA()),      reg(mma.getB()),      reg(mma.getD()),
                         reg(mma.getAScale()), reg(mma.getBScale()), reg(mma.getUseD()),
                         reg(mma.getPred())};
        attrs.isAsync = mma.getIsAsync();
        attrs.twoCtas = mma.getTwoCtas();
        attrs.aType = sim::ScaleElem(int(mma.getAType()));
        attrs.bType = sim::ScaleElem(int(mma.getBType()));
        return true;
      })
      .Case<ttng::TMEMAllocOp>([&](auto alloc) {
        attrs.allocation = allocationFor(op, alloc.getResult().getType());
        return true;
      })
      .Case<ttng::TMEMSubSliceOp>([&](auto slice) {
        attrs.count = slice.getN();
        return true;
      })
      .Case<ttng::TMEMLoadOp>([&](auto load) {
        if (auto kind = load.getRedOp())
          attrs.tmemReduce = *kind == ttng::TMEMLoadReduceModifier::MIN ? sim::ReduceKind::Min
                                                                        : sim::ReduceKind::Max;
        attrs.abs = load.getAbs().value_or(false);
        attrs.propagateNan = load.getNaN().value_or(false);
        attrs.ints = warpGroupBits(load.getResult().getType());
        return true;
      })
      .Case<ttng::TMEMStoreOp>([&](auto store) {
        attrs.ints = warpGroupBits(store.getSrc().getType());
        return true;
      })
      .Case<ttng::TMEMCopyOp>([&](auto copy) {
        form.operands = {reg(copy.getSrc()), reg(copy.getDst())};
        return true;
      })
      .Case<ttng::PackedArithOp>([&](auto arith) {
        attrs.packed = sim::PackedOp(int(arith.getOpKind()));
        return true;
      })
      .Default(false);
}

} // namespace tlx
