//===- WarpPipeline.h - loops whose waves run one stage apart ---------------===//
//
// AMD's warp pipelining cuts the body of a loop into stages. The waves of a
// workgroup run them in two groups, the second one stage behind the first, so that
// one group computes while the other loads:
//
//   with tlx.warp_pipeline_stage("mfma"): ...   first group:  mfma | mem  | mfma
//   with tlx.warp_pipeline_stage("mem"): ...    second group:        mfma | mem  | mfma
//
// Before .ttgir a border (`rocdl.sched.barrier` with an attribute) stands after each
// stage; at .ttgir a stage is a region and the loop is marked.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tlx {

/// Waves of the first group; all others are in the second.
constexpr int FirstWaves = 4;

/// The end of a stage, before .ttgir.
bool isStageBorder(mlir::Operation *op);

/// A stage, at .ttgir.
bool isStage(mlir::Operation *op);

bool isWarpPipelined(mlir::scf::ForOp loop);

/// Whether operations of the loop's body are left behind its last border: a stage of their own.
bool endsInOpenStage(mlir::scf::ForOp loop);

} // namespace tlx
