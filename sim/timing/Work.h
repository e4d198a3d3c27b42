//===- Work.h - what an instruction asks of an SM -------------------------===//
//
// Each instruction of a program is decoded once: how the machine executes it
// (its route) and how much work it is, counted over the whole tile. Work is in
// warp instructions' worth of lanes, so that a task of W warps issues
// lanes / (W * warp size) of them per warp, rounded up:
//
//   arith.mulf tensor<64x256xf32>   Fma 16384 lanes   -> 128 instructions a warp
//   arith.truncf f32 -> f16         Convert, two elements to a lane -> 64
//
// Counts come from operation and types; what the exporter knows better (warp
// instructions, wavefronts, sectors, boxes; Cost.h) wins.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Result.h"
#include "sim/program/Program.h"
#include "sim/timing/Scalar.h"
#include "sim/units/sm/SubPartition.h"
#include "sim/units/tensor_core/TensorCore.h"

#include <algorithm>
#include <string>
#include <vector>

namespace tlx::sim {

enum class Route : uint8_t {
  Free,   ///< no instruction: the first result is the first operand's value
  Value,  ///< no instruction: a value that the machine looks up
  Scalar, ///< uniform arithmetic
  Tile,   ///< arithmetic over a tile
  Branch,
  CondBranch,
  Call,
  Return,
  Fork, ///< warp_specialize
  Yield,
  TaskReturn,
  View, ///< computes a memory descriptor
  Sync, ///< effects only
  SharedLoad,
  SharedStore,
  GlobalLoad,
  GlobalStore,
  Atomic,
  TmaLoad,
  TmaStore,
  BulkLoad, ///< cp.async.bulk, without a descriptor
  BulkStore,
  AsyncCopy, ///< cp.async, AMD direct-to-LDS loads
  RemoteStore,
  Product,     ///< wgmma: asynchronous, accumulator in registers
  SyncProduct, ///< mma.sync, MFMA, WMMA
  TensorMma,   ///< tcgen05.mma
  TmemLoad,
  TmemStore,
  TmemCopy,
  TmemAlloc,
  Clock,
  ClcQuery,
};

/// Device memory moves in sectors, four to a line of the caches; a pass of shared memory takes
/// all 32 banks once (CUDA C++ Best Practices Guide, "Device Memory Spaces").
inline constexpr int64_t SectorBytes = 32, LineBytes = 128, PassBytes = 128;

/// Lanes of work on one pipe.
struct PipeWork {
  Pipe pipe = Pipe::Alu;
  int64_t lanes = 0;
};

struct Work {
  Route route = Route::Free;
  uint8_t numPipes = 0;
  bool scalarValue = false; ///< evalScalar gives the result's first element
  bool divides = false;     ///< scalar: by a value known at run time only
  uint8_t memOperand = 0;   ///< index of the operand that is the memory
  MmaFormat format = MmaFormat::F16;
  ScalarOp scalar;
  PipeWork pipes[3];
  int64_t elements = 1;
  int64_t bytes = 0;       ///< moved
  int64_t sectorBytes = 0; ///< of device memory, whole sectors; 0: as bytes
  bool scattered = false;  ///< device memory: elements lie anywhere
  bool usedUp = false;     ///< loads: a reduction uses up what is loaded
  int64_t lines = 0;       ///< looked up in the first-level cache
  int64_t wavefronts = 0;  ///< passes of shared memory
  int64_t sameWord = 0;    ///< atomics: lanes that meet in one word, one after the other
  int swaps = 0;           ///< atomics on parts of a word: compare-and-swaps that follow each other
  int spillStores = 0, spillLoads = 0; ///< registers of a thread
  int64_t codeLanes = 0;               ///< lanes issued in all: how much code there is
  // Products.
  int64_t m = 0, n = 0, k = 0;
  int64_t productSmemBytes = 0;
  int productInstructions = 1;
  bool pair = false; ///< two CTAs
  // Reductions: what follows one after the other.
  int chainSteps = 0;        ///< exchanges between lanes
  int64_t chainElements = 0; ///< combined by one thread
  int warpSteps = 0;         ///< exchanges between warps, through shared memory
  int series = 0; ///< instructions of one element's division or function that wait for each other
  // Copies.
  int boxes = 1;
  int64_t stride = 0; ///< views: bytes between two buffers

  /// What reaches L2: at least a sector.
  int64_t memoryBytes() const { return std::max<int64_t>({bytes, sectorBytes, SectorBytes}); }
};

/// Decodes every instruction. Error: an operation that the model does not know,
/// with its location.
Result<std::vector<Work>> decodeWork(const Program &program);

/// Bytes of a value of this type.
int64_t bytesOf(const Type &type);

} // namespace tlx::sim
