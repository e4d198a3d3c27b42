//===- Program.h - what the simulator executes --------------------------------===//
//
// A kernel, free of MLIR: one array of instructions, with structured control
// flow lowered to jumps, dense registers in place of SSA values, and tables for
// everything that an instruction refers to. compiler/export fills it (through
// Builder.h); sim/functional computes values from it and sim/engine times it.
//
//   scf.for %i = %lo to %hi step %s iter_args(%acc = %init)      becomes
//      br [head: i <- lo, acc <- init]
//   head: c = cmpi slt i, hi
//      cond_br c, [body], [exit: r <- acc]
//   body: ...  i2 = addi i, s
//      br [head: i <- i2, acc <- acc2]
//
// Each task of a warp_specialize has its own register file: the registers of a
// partition's body are those of the function, with the captures copied in when
// the partition starts. The default region continues in its parent's file.
//
// The alternative, an interpreter over MLIR itself, was not taken: the program
// must be suspendable at every instruction, run on many threads at once, and be
// timed by code that does not link MLIR.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/program/Cost.h"
#include "sim/program/Effect.h"
#include "sim/program/Ops.h"
#include "sim/program/Types.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tlx::sim {

using Pc = int32_t;
using LocId = int32_t;
using CostId = int32_t;
using AttrsId = int32_t;
using BlockId = int32_t;

enum class CmpI : uint8_t { Eq, Ne, Slt, Sle, Sgt, Sge, Ult, Ule, Ugt, Uge };
/// In the order of arith.cmpf's predicate attribute.
enum class CmpF : uint8_t {
  False,
  Oeq,
  Ogt,
  Oge,
  Olt,
  Ole,
  One,
  Ord,
  Ueq,
  Ugt,
  Uge,
  Ult,
  Ule,
  Une,
  Uno,
  True
};
enum class Rmw : uint8_t { And, Or, Xor, Add, FAdd, Max, Min, UMax, UMin, Xchg };
enum class ReduceKind : uint8_t { None, Add, Min, Max, Inc, Dec, And, Or, Xor };
enum class FpRounding : uint8_t { NearestEven, TowardZero, Stochastic };
enum class Precision : uint8_t { Tf32, Tf32x3, Ieee, Bf16x3, Bf16x6 };
enum class ScaleElem : uint8_t { E4M3, E5M2, E2M3, E3M2, E2M1, BF16, FP16 };
enum class PackedOp : uint8_t { Add, Sub, Mul, Fma, Min, Max };
enum class Cache : uint8_t { None, Ca, Cg, Wb, Cs, Wt, Cv };
enum class Evict : uint8_t { Normal, First, Last };
enum class Scope : uint8_t { Gpu, Cta, Sys };
enum class Order : uint8_t { Relaxed, Acquire, Release, AcqRel };

/// Everything that is not a register. Ops.def says which fields an op reads.
struct Attrs {
  int32_t axis = 0;
  int64_t count = 0;
  std::vector<int64_t> ints;
  std::string text, text2;
  CmpI cmpi = CmpI::Eq;
  CmpF cmpf = CmpF::False;
  Rmw rmw = Rmw::Add;
  ReduceKind reduceKind = ReduceKind::None;
  FpRounding rounding = FpRounding::NearestEven;
  Precision precision = Precision::Ieee;
  ScaleElem aType = ScaleElem::E4M3, bType = ScaleElem::E4M3;
  PackedOp packed = PackedOp::Add;
  Cache cache = Cache::None;
  Evict evict = Evict::Normal;
  Scope scope = Scope::Gpu;
  Order order = Order::AcqRel;
  bool reverse = false;
  bool propagateNan = false;
  bool abs = false;
  bool hex = false;
  bool padNan = false; ///< descriptors: out-of-bounds elements read as NaN, not zero
  bool isUnsigned = false;
  bool isAsync = false;
  bool twoCtas = false;
  bool multicast = false;
  bool initialize = false; ///< scheduled_mfma: the accumulator is taken as zero
  bool isVolatile = false;
  bool aKPack = true, bKPack = true;
  ReduceKind tmemReduce = ReduceKind::None; ///< Min or Max
  BlockId block = -1;                       ///< Reduce, Scan, MapElementwise
  int32_t constant = -1;                    ///< Constant: index into Program::constants
  int32_t function = -1;                    ///< Call: index into Program::functions
  int32_t specialize = -1;                  ///< WarpSpecialize: index into Program::specializes
  int32_t allocation = -1; ///< LocalAlloc, TmemAlloc: index into Program::allocations
  int64_t alignment = 0;
};

/// A jump: where to, and which registers receive what. The copies are parallel.
struct Edge {
  Pc target = -1;
  std::vector<std::pair<Reg, Reg>> moves; ///< (destination, source)
};

struct Inst {
  Op op = Op::Sync;
  uint16_t numOperands = 0;
  uint16_t numResults = 0;
  uint16_t numEffects = 0;
  uint32_t operands = 0; ///< first index into Program::regs
  uint32_t results = 0;  ///< first index into Program::regs
  uint32_t effects = 0;  ///< first index into Program::effects
  AttrsId attrs = -1;
  int32_t edge = -1; ///< Br, CondBr: first index into Program::edges
  Pc merge = -1;     ///< CondBr: where both ways meet again; -1: unknown
  LocId loc = -1;
  CostId cost = -1;
};

/// A source position, Python's when the IR carries one.
struct Location {
  std::string file;
  int32_t line = 0, column = 0;
  /// The caller's location when the code was inlined; -1 otherwise.
  LocId caller = -1;
};

/// A literal, one element (a splat) or all of them, as bit patterns.
struct Constant {
  TypeId type = -1;
  std::vector<uint64_t> bits;
};

/// A function that Call reaches, or the kernel.
struct Function {
  std::string name;
  Pc entry = -1, end = -1; ///< [entry, end)
  std::vector<Reg> args;
  std::vector<TypeId> results;
};

/// The region of a reduce, scan or map_elementwise. Its instructions see scalars;
/// the machine runs them on whole tensors at once when they do not branch.
struct Block {
  Pc entry = -1, end = -1; ///< [entry, end), ends in Return
  std::vector<Reg> args;
  bool straightLine = true; ///< no branch and no call
};

/// A loop that came from scf.for or scf.while: for timing, progress and reports.
struct Loop {
  Pc head = -1, exit = -1; ///< first instruction of the head; first after the loop
  LocId loc = -1;
};

struct Partition {
  std::string name; ///< "partition0"
  Pc entry = -1, end = -1;
  int32_t numWarps = 0;
  int32_t startWarp = -1;                    ///< -1: assigned in order after the default region
  int32_t requestedRegisters = -1;           ///< -1: not given
  std::vector<std::pair<Reg, Reg>> captures; ///< (argument, captured register of the parent)
};

struct Specialize {
  std::vector<Partition> partitions;
  Pc defaultEntry = -1;
  Pc join = -1; ///< first instruction after the op
  int32_t defaultRegisters = -1;
  std::vector<Reg> results; ///< what the default region's WarpYield assigns
  LocId loc = -1;
};

/// Storage of one local_alloc or tmem_alloc.
struct Allocation {
  std::string name;
  sync::Space space = sync::Space::Shared;
  int64_t bytes = 0; ///< shared memory: size; tensor memory: columns * 4
  int64_t alignment = 128;
  /// Byte offset in the CTA's shared memory, or lane * 2048 + column * 4 in
  /// tensor memory; -1: the machine gives the allocation storage of its own.
  int64_t offset = -1;
  LocId loc = -1;
};

/// What a kernel argument is made of. A descriptor argument of a launch manifest
/// gives several parameters: the descriptor and, flattened, its shape (i32) and strides (i64).
struct Parameter {
  enum class Field : uint8_t { Value, DescShape, DescStride };
  std::string name;
  TypeId type = -1;
  Reg reg = noReg;
  int32_t argument = -1; ///< index of the manifest's argument; -1: passed no value (constexpr)
  Field field = Field::Value;
  int32_t dimension = 0;    ///< DescShape, DescStride
  int64_t divisibility = 1; ///< stated by the IR: of an address in bytes, of a value
};

struct LaunchFacts {
  std::string target; ///< "cuda:90", "cuda:100", "hip:gfx950"
  int32_t numWarps = 4;
  int32_t threadsPerWarp = 32;
  int32_t numCtas = 1;
  int32_t clusterDims[3] = {1, 1, 1};
  int32_t maxRegisters = 0; ///< 0: not given
  /// Where the kernel stands, for cost and messages.
  std::string level; ///< "source", "ttir", "ttgir"
  int32_t clusterSize() const { return clusterDims[0] * clusterDims[1] * clusterDims[2]; }
};

struct Program {
  std::string kernelName;
  LaunchFacts facts;
  std::vector<Parameter> parameters;

  std::vector<Inst> code;
  std::vector<Reg> regs; ///< operand and result lists
  std::vector<Effect> effects;
  std::vector<Edge> edges;
  std::vector<Attrs> attrs;
  std::vector<TypeId> regTypes; ///< type of each register; its size is the number of registers
  std::vector<Type> types;
  std::vector<MemLayout> layouts;
  std::vector<Location> locations;
  std::vector<Constant> constants;
  std::vector<Cost> costs;
  std::vector<Function> functions; ///< [0] is the kernel
  std::vector<Block> blocks;
  std::vector<Loop> loops;
  std::vector<Specialize> specializes;
  std::vector<Allocation> allocations;

  const Reg *operandsOf(const Inst &inst) const { return regs.data() + inst.operands; }
  Reg operand(const Inst &inst, unsigned index) const {
    return index < inst.numOperands ? regs[inst.operands + index] : noReg;
  }
  Reg result(const Inst &inst, unsigned index) const {
    return index < inst.numResults ? regs[inst.results + index] : noReg;
  }
  const Effect *effectsOf(const Inst &inst) const { return effects.data() + inst.effects; }
  const Attrs &attrsOf(const Inst &inst) const;
  const Type &typeOf(Reg reg) const { return types[regTypes[reg]]; }
  size_t numRegs() const { return regTypes.size(); }
  /// Of a CTA: the default region's and the partitions', whole warp groups of them.
  int32_t launchedWarps() const;
  /// What a person calls the instruction at `pc`: its op, or, for one that is all
  /// effects, its effects ("barrier-expect, barrier-arrive"); "?" out of range.
  std::string opText(Pc pc) const;
  /// "file:line:col", or the kernel's name when nothing is known.
  std::string locationText(LocId loc) const;
};

/// One problem of a program that an exporter produced, with its location.
struct ProgramError {
  Pc pc = -1;
  std::string message; ///< "file:line:col: error: ..."
};

/// Checks what every consumer relies on: tables in range, registers of known
/// type, operand counts, jump targets, last instructions. Empty: valid.
std::vector<ProgramError> validate(const Program &program);

/// A readable listing, one instruction a line, for tests and bug reports.
std::string dump(const Program &program);

} // namespace tlx::sim
