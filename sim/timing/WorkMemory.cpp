// Work on memory: loads and stores, copies, products, clusters.
#include "sim/timing/WorkDecoder.h"

#include <algorithm>
#include <bit>

namespace tlx::sim {

void WorkDecoder::addAccess(const Type &data) {
  int64_t bytes = bytesOf(data);
  int64_t perElement = std::max<int64_t>(1, bytes / std::max<int64_t>(1, data.numElements()));
  work->bytes = bytes;
  work->elements = data.numElements();
  add(Pipe::Lsu, 1.0 / double(std::max<int64_t>(1, 16 / perElement)), data.numElements());
}

bool WorkDecoder::global() {
  switch (inst->op) {
  case Op::AddPtr:
    work->scalarValue = false;
    work->stride = std::max<int64_t>(1, byteWidth(resultType().elem));
    work->elements = resultType().numElements();
    add(Pipe::Alu, 2, work->elements);
    return route(Route::View);
  case Op::Load:
    addAccess(resultType());
    work->usedUp = usedUpByReduction(program.result(*inst, 0));
    return route(Route::GlobalLoad);
  case Op::Store: addAccess(operandType(1)); return route(Route::GlobalStore);
  case Op::AtomicRmw:
  case Op::AtomicCas:
    addAccess(operandType(inst->op == Op::AtomicCas ? 2 : 1));
    // The chip adds 32-bit words; neighbours share one.
    if (const Type &data = operandType(1); inst->op == Op::AtomicRmw && bitWidth(data.elem) == 16)
      work->swaps = int(std::min<int64_t>(2, data.numElements()));
    else if (inst->op == Op::AtomicRmw && !isTensor(data))
      work->sameWord = 1;
    return route(Route::Atomic);
  case Op::GlobalScratchAlloc: return route(Route::Value);
  case Op::Prefetch: add(Pipe::Lsu, 1, work->elements); return route(Route::Tile);
  default: return false;
  }
}

bool WorkDecoder::shared() {
  switch (inst->op) {
  case Op::LocalAlloc:
    if (inst->numOperands == 0)
      return route(Route::Value);
    addAccess(operandType(0));
    return route(Route::SharedStore);
  case Op::LocalDealloc: return route(Route::Free);
  case Op::MemDescIndex: work->stride = bufferStride(operandType(0)); return route(Route::View);
  case Op::MemDescSubslice:
  case Op::MemDescDynamicSubslice:
  case Op::MemDescTrans:
  case Op::MemDescReshape:
  case Op::MemDescReinterpret: return route(Route::Free);
  case Op::LocalLoad: addAccess(resultType()); return route(Route::SharedLoad);
  case Op::LocalStore: addAccess(operandType(0)); return route(Route::SharedStore);
  case Op::LocalGather:
    addAccess(resultType());
    work->wavefronts = work->elements / 32 + 1;
    return route(Route::SharedLoad);
  case Op::LocalScatter:
    addAccess(operandType(1));
    work->wavefronts = work->elements / 32 + 1;
    return route(Route::SharedStore);
  case Op::LocalAtomicScatterRmw:
    addAccess(operandType(1));
    work->wavefronts = work->elements / 16 + 1;
    return route(Route::SharedStore);
  default: return false;
  }
}

bool WorkDecoder::barrier() {
  if (inst->op == Op::ReadBarrierPhase || inst->op == Op::ArriveBarrierPhase)
    work->scalarValue = false;
  return route(Route::Sync);
}

void WorkDecoder::boxesOf(const Type &tile) {
  if (tile.shape.empty())
    return;
  int64_t inner = tile.shape.back() * std::max<int64_t>(1, tile.memoryElementBytes());
  // What one copy moves at most (CUDA driver API, cuTensorMapEncodeTiled).
  constexpr int64_t rowBytes = 128, rows = 256;
  int64_t boxes = (inner + rowBytes - 1) / rowBytes;
  for (size_t i = 0; i + 1 < tile.shape.size(); ++i)
    boxes *= (tile.shape[i] + rows - 1) / rows;
  work->boxes = int(std::max<int64_t>(1, boxes));
  work->bytes = bytesOf(tile);
}

bool WorkDecoder::tma() {
  switch (inst->op) {
  case Op::MakeTensorDescriptor:
  case Op::ReinterpretTensorDescriptor:
  case Op::UpdateTensorDescriptor: return route(Route::Value);
  case Op::TensormapCreate: add(Pipe::Lsu, 16, 32); return route(Route::Tile);
  case Op::TmaLoad: boxesOf(operandType(2)); return route(Route::TmaLoad);
  case Op::TmaGather: boxesOf(operandType(4)); return route(Route::TmaLoad);
  case Op::TmaStore:
  case Op::TmaReduce: boxesOf(operandType(1)); return route(Route::TmaStore);
  case Op::TmaScatter: boxesOf(operandType(3)); return route(Route::TmaStore);
  case Op::BulkStore: boxesOf(operandType(0)); return route(Route::BulkStore);
  case Op::DescriptorLoad:
  case Op::DescriptorGather: addAccess(resultType()); return route(Route::GlobalLoad);
  case Op::DescriptorStore: addAccess(operandType(1)); return route(Route::GlobalStore);
  case Op::DescriptorScatter: addAccess(operandType(3)); return route(Route::GlobalStore);
  default: return false;
  }
}

bool WorkDecoder::asyncCopy() {
  switch (inst->op) {
  case Op::AsyncCopy:
    addAccess(operandType(1));
    work->memOperand = 0;
    return route(Route::AsyncCopy);
  case Op::AsyncCopyLocalToGlobal: addAccess(operandType(0)); return route(Route::GlobalStore);
  case Op::BulkCopy: work->bytes = bytesOf(operandType(1)); return route(Route::BulkLoad);
  default: return false;
  }
}

MmaFormat WorkDecoder::formatOf(const Type &a) const {
  switch (a.elem) {
  case DType::f64: return MmaFormat::F64;
  case DType::f32: return MmaFormat::Tf32;
  case DType::f16:
  case DType::bf16: return MmaFormat::F16;
  case DType::f4E2M1: return MmaFormat::F4;
  default: return MmaFormat::F8;
  }
}

bool WorkDecoder::setProduct(const Type &a, const Type &b, const Type &d, int64_t unitM) {
  if (a.shape.size() < 2 || d.shape.size() < 2)
    return false;
  work->m = d.shape[d.shape.size() - 2];
  work->n = d.shape.back();
  work->k = a.shape.back();
  for (size_t i = 0; i + 2 < d.shape.size(); ++i)
    work->m *= d.shape[i];
  work->format = formatOf(a);
  double elementBytes = bitWidth(a.elem) / 8.0;
  int64_t unitK = std::max<int64_t>(1, int64_t(32 / elementBytes));
  int64_t unitsM = std::max<int64_t>(1, (work->m + unitM - 1) / unitM);
  int64_t unitsK = std::max<int64_t>(1, (work->k + unitK - 1) / unitK);
  work->productInstructions = int(unitsM * unitsK);
  if (a.kind == TypeKind::MemDesc && a.space == sync::Space::Shared)
    work->productSmemBytes += int64_t(double(work->m * work->k) * elementBytes);
  if (b.kind == TypeKind::MemDesc)
    work->productSmemBytes +=
        unitsM * int64_t(double(work->n * work->k) * (bitWidth(b.elem) / 8.0));
  return true;
}

bool WorkDecoder::product() {
  switch (inst->op) {
  case Op::WarpGroupDot:
    work->route = Route::Product;
    return setProduct(operandType(0), operandType(1), operandType(2), 64);
  case Op::Dot:
    work->route = Route::SyncProduct;
    return setProduct(operandType(0), operandType(1), operandType(2), 16);
  case Op::DotScaled:
    work->route = Route::SyncProduct;
    return setProduct(operandType(0), operandType(1), operandType(2), 16);
  case Op::ScheduledMfma:
    work->route = Route::SyncProduct;
    return setProduct(operandType(0), operandType(1), operandType(2), 16);
  case Op::WarpGroupDotWait:
  case Op::MfmaCommit: return route(Route::Sync);
  default: return false;
  }
}

bool WorkDecoder::tmem() {
  const Attrs &attrs = program.attrsOf(*inst);
  work->pair = attrs.twoCtas;
  switch (inst->op) {
  case Op::TmemAlloc:
    work->bytes = inst->numOperands ? bytesOf(operandType(0)) : 0;
    return route(Route::TmemAlloc);
  case Op::TmemSubslice: return route(Route::Free);
  case Op::TmemLoad: work->bytes = bytesOf(resultType()); return route(Route::TmemLoad);
  case Op::TmemStore: work->bytes = bytesOf(operandType(1)); return route(Route::TmemStore);
  case Op::TmemCopy: work->bytes = bytesOf(operandType(0)); return route(Route::TmemCopy);
  case Op::Tcgen05Mma:
  case Op::Tcgen05MmaScaled:
    work->route = Route::TensorMma;
    if (!setProduct(operandType(0), operandType(1), operandType(2), 128))
      return false;
    if (inst->op == Op::Tcgen05MmaScaled && attrs.aType == ScaleElem::E2M1 &&
        attrs.bType == ScaleElem::E2M1) {
      work->format = MmaFormat::F4;
      work->k *= 2; // two to a byte
    }
    return true;
  default: return false;
  }
}

bool WorkDecoder::cluster() {
  switch (inst->op) {
  case Op::ClusterId:
  case Op::ClusterSize: return route(Route::Value);
  case Op::MapToRemoteBuffer: return route(Route::View);
  case Op::RemoteStore:
  case Op::AsyncRemoteStore: addAccess(operandType(0)); return route(Route::RemoteStore);
  case Op::AsyncRemoteCopy: work->bytes = bytesOf(operandType(0)); return route(Route::RemoteStore);
  default: return false;
  }
}

bool WorkDecoder::amd() {
  switch (inst->op) {
  case Op::BufferLoad: addAccess(resultType()); return route(Route::GlobalLoad);
  case Op::BufferLoadToLocal:
    addAccess(operandType(0));
    work->memOperand = 1;
    return route(Route::AsyncCopy);
  case Op::BufferStore:
    addAccess(operandType(0));
    work->memOperand = 1;
    return route(Route::GlobalStore);
  case Op::BufferAtomicRmw:
  case Op::BufferAtomicCas: addAccess(resultType()); return route(Route::Atomic);
  case Op::TdmLoad:
    boxesOf(operandType(1));
    work->boxes = 1;
    return route(Route::TmaLoad);
  case Op::TdmStore:
    boxesOf(operandType(1));
    work->boxes = 1;
    return route(Route::TmaStore);
  case Op::TdmPrefetch: return route(Route::Free);
  default: return false;
  }
}

} // namespace tlx::sim
