//===- Ptx.h - instructions that NVVM has no operation for -------------------===//
//
// The only place with PTX text (Ptx.cpp, PtxMemory.cpp). Most are here because they carry a
// predicate: a branch around one instruction would end the warp's convergence in the eyes of the
// assembler.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/lowering/nvidia/Emitter.h"

namespace tlx::nvidia::ptx {

//===--- mbarrier (PTX ISA, "mbarrier") -----------------------------------===//
void mbarrierInit(Emitter &e, Value predicate, Value address, int64_t count);
void mbarrierInval(Emitter &e, Value predicate, Value address);
void mbarrierExpect(Emitter &e, Value predicate, Value address, int64_t bytes);
/// At an address of the CTA's shared memory, or with `cluster` of the cluster's.
/// At this CTA's barrier, or one of the cluster (`remote`).
void mbarrierArrive(Emitter &e, Value predicate, Value address, int64_t count, bool remote);
/// Blocks until the phase of parity `phase` has completed, where `predicate`
/// holds (null: always). Each try sleeps up to `suspendNs` when that is not 0.
void mbarrierWait(Emitter &e, Value predicate, Value address, Value phase, int64_t suspendNs);
void fenceMbarrierInit(Emitter &e, Value predicate);

//===--- named barriers ---------------------------------------------------===//
void namedBarrierArrive(Emitter &e, Value id, Value threads);
/// A barrier that tells its threads whether `condition` (i1) holds for any of them, or for `all`.
Value namedBarrierAsk(Emitter &e, Value id, Value threads, Value condition, bool all);

//===--- tensor copies (PTX ISA, "cp.async.bulk.tensor") ------------------===//
struct TensorCopy {
  Value predicate, descriptor, shared;
  llvm::SmallVector<Value> coordinates; ///< fastest dimension first
  Value barrier;                        ///< loads
  Value multicast;                      ///< loads: i16 mask of CTAs; null: none
  Value policy;                         ///< i64 cache policy; null: none
};
void tensorLoad(Emitter &e, const TensorCopy &copy);
/// `reduction` is empty for a plain store, else "add", "min", …
void tensorStore(Emitter &e, const TensorCopy &copy, llvm::StringRef reduction);
void tensorPrefetch(Emitter &e, const TensorCopy &copy);
void prefetchTensormap(Emitter &e, Value predicate, Value descriptor);
/// A cache policy for all of an access: "evict_first", "evict_last".
Value cachePolicy(Emitter &e, llvm::StringRef priority);
void bulkWaitGroup(Emitter &e, int64_t pending, bool readOnly);

//===--- wgmma (PTX ISA, "wgmma.mma_async") -------------------------------===//
struct Wgmma {
  int64_t n = 0, k = 0;
  llvm::StringRef accumulator, a, b; ///< type names: "f32", "f16", "e4m3", …
  bool transposeA = false, transposeB = false;
  Value descriptorA;                  ///< or
  llvm::SmallVector<Value> fragmentA; ///< four 32-bit registers
  Value descriptorB;
  llvm::SmallVector<Value> accumulators; ///< empty: overwritten
  Value accumulate;                      ///< i1; null: as `accumulators` says
};
llvm::SmallVector<Value> wgmma(Emitter &e, const Wgmma &instruction, Type registerType);
/// The end of a basic block, over which ptxas moves no wait for products: a way out that no CTA
/// takes. It is gone from the machine code.
void endBlock(Emitter &e);
/// Blocks until at most `pending` groups are pending; the values pass through it.
llvm::SmallVector<Value> wgmmaWait(Emitter &e, int64_t pending, ValueRange values);

//===--- memory -----------------------------------------------------------===//
/// How a load or store goes: "ca", "cg", …, "evict_first", …; empty: default.
struct Access {
  llvm::StringRef cache, evict;
  bool isVolatile = false;
};
/// Integers of 8 to 64 bits at consecutive addresses, at most 128 bits; where
/// `predicate` does not hold they are `others`.
llvm::SmallVector<Value> loadGlobal(Emitter &e, Value predicate, Value pointer,
                                    llvm::ArrayRef<Value> others, const Access &access);
void storeGlobal(Emitter &e, Value predicate, Value pointer, llvm::ArrayRef<Value> elements,
                 const Access &access);
/// One word to the shared memory of another CTA.
void storeCluster(Emitter &e, Value predicate, Value address, Value word);
/// The same, completing its bytes on a barrier there.
void storeClusterAsync(Emitter &e, Value predicate, Value address, Value word, Value barrier);
/// The address in CTA `rank` of what is at `address` here.
Value mapToRank(Emitter &e, Value address, Value rank);
void copyAsync(Emitter &e, Value shared, Value pointer, int64_t bytes, Value sourceBytes,
               llvm::StringRef cache);
void bulkCopyToShared(Emitter &e, Value predicate, Value shared, Value pointer, Value bytes,
                      Value barrier);
void bulkCopyToGlobal(Emitter &e, Value predicate, Value pointer, Value shared, Value bytes);
void bulkCopyToCluster(Emitter &e, Value predicate, Value to, Value from, Value bytes,
                       Value barrier);

/// Prefetch of the line at a global address: "L1", "L2".
void prefetch(Emitter &e, Value predicate, Value pointer, llvm::StringRef level);
/// An atomic on global memory; the old value, zero where it was not executed.
Value atomic(Emitter &e, Value predicate, llvm::StringRef order, llvm::StringRef instruction,
             Value pointer, llvm::ArrayRef<Value> operands);
/// Adds 1 to a counter in shared memory.
void countShared(Emitter &e, Value predicate, Value address);

//===--- tensor maps made on the device (PTX ISA, "tensormap.replace") -------===//
/// Of a field with an ordinal when that is not negative.
void replaceTensormap(Emitter &e, Value predicate, llvm::StringRef field, Value shared,
                      int64_t ordinal, Value value);
void setTensormap(Emitter &e, Value predicate, llvm::StringRef field, Value shared, int64_t value);
/// By a whole warp: to global memory, where TMA may read it.
void publishTensormap(Emitter &e, Value pointer, Value shared);
void acquireTensormap(Emitter &e, Value pointer);

//===--- conversions and functions ----------------------------------------===//
/// i8 ("e4m3", "e5m2") to f16, and f32 to i8, to nearest even, saturating.
Value fromFloat8(Emitter &e, Value x, llvm::StringRef format);
Value toFloat8(Emitter &e, Value x, llvm::StringRef format);
/// f32 to f16 or bf16.
Value roundToZero(Emitter &e, Value x, Type type);
/// "ex2.approx.ftz" and the like, of an f32.
Value approximation(Emitter &e, llvm::StringRef instruction, Value x);

//===--- anything else ----------------------------------------------------===//
/// One instruction with operands and results as LLVM's inline assembly takes them.
llvm::SmallVector<Value> raw(Emitter &e, llvm::StringRef text, llvm::StringRef constraints,
                             ValueRange operands, llvm::ArrayRef<Type> results,
                             bool sideEffects = true);

} // namespace tlx::nvidia::ptx
