//===- Waves.cpp - kernels whose waves run in two groups -------------------===//
//
// A kernel with a warp pipeline is encoded twice, once for each group of waves; where
// they meet, model/Waves.h says. What a group's waves write of a tile is not known
// before layouts are, only that two operations that divide tiles alike give each wave
// the same part. So a buffer has lanes: a bit of a lane's number for each way to divide,
// and the second group writes those where it is set. Loads read all lanes.
//
//===----------------------------------------------------------------------===//

#include "compiler/analysis/EncodingToLayout.h"
#include "compiler/analysis/WarpPipeline.h"
#include "verify/encode/EncoderImpl.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tlx::verify {

static constexpr int WaysToDivide = 6;

/// Whether the kernel is one for two groups of waves.
void Encoder::findWaves() {
  bool pipelined = false;
  function->walk([&](scf::ForOp loop) { pipelined |= isWarpPipelined(loop); });
  if (!pipelined || defaultWarps <= FirstWaves)
    return;
  waveGroups = 2;
  function->walk([&](Operation *op) {
    SmallVector<tlx::SyncEffect> declared;
    collectSyncEffects(op, declared);
    if (isa<ttg::WarpSpecializeOp>(op) || llvm::any_of(declared, [](const tlx::SyncEffect &one) {
          return one.kind == sync::Kind::BarrierInit;
        }))
      besidesPipeline = op;
  });
}

int64_t Encoder::lanesOfShared() const { return waveGroups > 1 ? 1 << WaysToDivide : 1; }

/// The task of one group of waves.
void Encoder::asWaves(Task &task) {
  std::string first = std::to_string(waveGroup * FirstWaves);
  std::string last = std::to_string(waveGroup ? defaultWarps - 1 : FirstWaves - 1);
  task.name =
      (p.ranks > 1 ? "cta" + std::to_string(rank) + "." : "") + "waves " + first + "-" + last;
  task.warps = taskWarps = waveGroup ? defaultWarps - FirstWaves : FirstWaves;
}

/// The group that is being encoded.
WaveGroup Encoder::waves() {
  if (workgroupBarrier < 0) {
    BarrierArray array;
    array.name = "workgroup barrier";
    array.kind = BarrierKind::Named;
    array.ranks = p.ranks;
    workgroupBarrier = p.addBarrier(std::move(array));
  }
  return {workgroupBarrier, e.constant(int64_t(defaultWarps) * 32), waveGroup > 0};
}

/// Puts in the barriers where they meet.
void Encoder::meetOtherWaves(Block &body) {
  if (besidesPipeline)
    body.insert(body.begin(), unsupportedStmt(besidesPipeline->getName().getStringRef().str() +
                                                  ": beside a warp pipeline",
                                              locOf(besidesPipeline)));
  placeBarriers(p, body, waves());
}

void Encoder::stageBorder(Operation *op, Block &out) {
  out.push_back(stageEnd(p, "end of a stage", locOf(op)));
}

/// Whether every element stays in its wave; true where layouts are not known yet.
static bool staysInWaves(RankedTensorType from, RankedTensorType to) {
  auto before = layoutOf(from), after = layoutOf(to);
  if (!before || !after)
    return true;
  auto moved = before->invertAndCompose(*after);
  std::string wave(layout::kWarp);
  if (!moved ||
      !moved->sublayoutIsZero({std::string(layout::kRegister), std::string(layout::kLane)}, {wave}))
    return false;
  for (unsigned bit = 0; bit < before->inBits(wave); ++bit) {
    bool copies = before->packed(wave)[bit] == 0 && after->packed(wave)[bit] == 0;
    if (!copies && moved->basis(wave, bit, wave) != int64_t(1) << bit)
      return false;
  }
  return true;
}

/// Whether waves exchange data, with barriers of their own.
bool Encoder::exchangesBetweenWaves(Operation *op) const {
  auto type = op->getNumOperands() ? dyn_cast<RankedTensorType>(op->getOperand(0).getType())
                                   : RankedTensorType();
  if (!type)
    return false;
  if (isa<ttg::ConvertLayoutOp>(op))
    return !staysInWaves(type, cast<RankedTensorType>(op->getResult(0).getType()));
  auto registers = tlx::layoutOf(type);
  if (auto reduce = dyn_cast<tt::ReduceOp>(op))
    return registers && !registers->sublayoutIsZero({std::string(layout::kWarp)},
                                                    {layout::dimName(reduce.getAxis())});
  return isa<tt::ScanOp, tt::GatherOp, tt::HistogramOp>(op);
}

/// Whether a load that relies on a wait still does so at .ttgir: fbtriton makes those that
/// only products use anew, with the products' layouts, and they lose the attribute.
bool Encoder::staysRelaxed(Operation *load) const {
  return !launch.beforeTtgir || llvm::any_of(load->getUsers(), [](Operation *user) {
    return isa<LoopLikeOpInterface>(user) || user->hasTrait<OpTrait::IsTerminator>();
  });
}

/// Leaves what this group writes of a target. False: too many ways to divide tiles.
bool Encoder::partOfWaves(Operation *op, Type buffer, Target &target) {
  uint32_t way = shareOf(op, buffer) - 1;
  if (way >= WaysToDivide)
    return false;
  const Buffer &place = p.buffers[target.object];
  if (target.parts.empty())
    target.parts.push_back({0, place.width(), 0, place.lanes});
  std::vector<Rect> parts;
  int64_t run = int64_t(1) << (WaysToDivide - 1 - way);
  for (Rect part : target.parts)
    for (int64_t lane = waveGroup * run; lane < place.lanes; lane += 2 * run) {
      part.y0 = lane, part.y1 = lane + run;
      parts.push_back(part);
    }
  target.parts = std::move(parts);
  return true;
}

} // namespace tlx::verify
