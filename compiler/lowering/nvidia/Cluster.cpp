// Clusters of CTAs: barriers, ranks, remote shared memory.
#include "compiler/lowering/nvidia/Cluster.h"

#include "compiler/lowering/nvidia/Emitter.h"
#include "compiler/lowering/nvidia/Families.h"
#include "compiler/lowering/nvidia/Ptx.h"

#include "compiler/dialect/nvg/NVG.h"
#include "compiler/dialect/ttng/TTNG.h"

using namespace mlir;

namespace tlx::nvidia {

int64_t ctasOfProgram(Operation *op) {
  auto ctas = op->getParentOfType<ModuleOp>()->getAttrOfType<IntegerAttr>("ttg.num-ctas");
  return ctas ? ctas.getInt() : 1;
}

static void arrive(Emitter &e, bool relaxed) {
  UnitAttr aligned = e.b.getUnitAttr();
  if (relaxed)
    NVVM::ClusterArriveRelaxedOp::create(e.b, e.loc, aligned);
  else
    NVVM::ClusterArriveOp::create(e.b, e.loc, aligned);
}

static void wait(Emitter &e) { NVVM::ClusterWaitOp::create(e.b, e.loc, e.b.getUnitAttr()); }

void meetAtClusterEntry(Emitter &e) {
  ptx::fenceMbarrierInit(e, e.isFirstThread());
  arrive(e, true);
  wait(e);
}

void meetCluster(Emitter &e) {
  arrive(e, false);
  wait(e);
}

void arriveAtClusterEntry(Emitter &e) {
  if (e.plan.clusterEntryAfter)
    arrive(e, true);
}

static LogicalResult lowerArrive(ttng::ClusterArriveOp op, Emitter &e) {
  arrive(e, op.getRelaxed());
  return success();
}

static LogicalResult lowerWait(ttng::ClusterWaitOp, Emitter &e) {
  wait(e);
  return success();
}

static LogicalResult lowerBarrier(ttng::ClusterBarrierOp op, Emitter &e) {
  arrive(e, op.getRelaxed());
  wait(e);
  return success();
}

static LogicalResult lowerRank(nvg::ClusterCTAIdOp op, Emitter &e) {
  e.set(op.getResult(), e.ctaRank());
  return success();
}

static LogicalResult lowerSize(ttng::ClusterSize1DOp op, Emitter &e) {
  e.set(op.getResult(), Value(NVVM::ClusterDim::create(e.b, e.loc, e.i32Type())));
  return success();
}

static LogicalResult lowerMap(ttng::MapToRemoteBufferOp op, Emitter &e) {
  Buffer source = e.buffer(op.getSrc());
  e.set(op.getResult(),
        Buffer{ptx::mapToRank(e, source.base, e.scalar(op.getCtaRank())), source.flip});
  return success();
}

void addCluster(LoweringTable &table) {
  table.add<ttng::ClusterArriveOp>(lowerArrive);
  table.add<ttng::ClusterWaitOp>(lowerWait);
  table.add<ttng::ClusterBarrierOp>(lowerBarrier);
  table.add<nvg::ClusterCTAIdOp>(lowerRank);
  table.add<ttng::ClusterSize1DOp>(lowerSize);
  table.add<ttng::MapToRemoteBufferOp>(lowerMap);
}

} // namespace tlx::nvidia
