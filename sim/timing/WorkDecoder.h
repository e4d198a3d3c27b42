//===- WorkDecoder.h - from instructions to work on units -------------------===//
//
// One pass over a program; its members stand by family in Work.cpp (dispatch,
// control), WorkArithmetic.cpp (registers) and WorkMemory.cpp (memory, products).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/timing/Work.h"

#include <string>
#include <vector>

namespace tlx::sim {

inline bool isTensor(const Type &type) { return type.kind == TypeKind::Tensor; }

class WorkDecoder {
public:
  explicit WorkDecoder(const Program &program)
      : program(program), constants(program.numRegs(), -1) {
    for (const Inst &inst : program.code)
      if (inst.op == Op::Constant && inst.numResults == 1)
        constants[program.result(inst, 0)] = program.attrsOf(inst).constant;
    findAddresses();
    findFused();
    findUsers();
  }

  Result<std::vector<Work>> run();

private:
  SourceLocation locationOf(LocId loc) const;
  const Type &type(Reg reg) const;
  const Type &operandType(unsigned i) const { return type(program.operand(*inst, i)); }
  const Type &resultType(unsigned i = 0) const { return type(program.result(*inst, i)); }

  void add(Pipe pipe, double lanesPerElement, int64_t elements);
  bool decode();
  /// Ops through which an address or a mask is computed.
  static bool computesAddresses(const Inst &inst);
  /// Is operand `i` of this memory access an address, an offset or a mask?
  static bool isAddressOperand(const Inst &inst, unsigned i);
  /// Tiles that are addresses, offsets or masks of vector accesses and nothing
  /// else: the compiler computes them once for a vector, and folds what differs
  /// by constants into the access.
  void findAddresses();
  /// Products whose only use is a sum: the compiler makes one fused instruction
  /// of both, which the sum stands for.
  void findFused();
  /// The one instruction that uses each register.
  void findUsers();
  /// Whether a reduction is all that uses a tile, through arithmetic on its elements.
  bool usedUpByReduction(Reg reg) const;
  bool route(Route route);
  bool control();
  /// A change of register layout goes through shared memory when the exporter
  /// says so, and costs nothing otherwise.
  bool copy();
  bool constantOperand(unsigned index, int64_t &value) const;
  /// Lanes per element of an integer division on the ALU.
  double divisionLanes();
  bool arithmetic();
  bool shape();
  /// Instructions of a region, each on the pipe of its kind.
  void addBlock(BlockId id, double times);
  bool reduce();
  /// Vector accesses of up to 16 bytes to a lane.
  void addAccess(const Type &data);
  bool global();
  bool structure();
  /// Bytes between the buffers of an array.
  int64_t bufferStride(const Type &array) const {
    if (array.bufferBytes)
      return array.bufferBytes;
    int64_t elements = 1;
    for (size_t i = 1; i < array.shape.size(); ++i)
      elements *= array.shape[i];
    return std::max<int64_t>(1, elements * std::max<int64_t>(1, array.memoryElementBytes()));
  }

  bool shared();
  bool barrier();
  /// A tile is cut into boxes: 128 bytes of the innermost dimension (the widest
  /// swizzle), at most 256 of the others.
  void boxesOf(const Type &tile);
  bool tma();
  bool asyncCopy();
  MmaFormat formatOf(const Type &a) const;
  /// m, n, k and operand traffic. wgmma's unit is 64 x n x 32 bytes, tcgen05's
  /// 128 x n x 32 bytes; A is read once for each, B too.
  bool setProduct(const Type &a, const Type &b, const Type &d, int64_t unitM);
  bool product();
  bool tmem();
  bool cluster();
  bool amd();
  /// What the exporter counted wins over what types tell.
  void refine();
  const Program &program;
  std::vector<bool> fused;        ///< by register: see findFused
  std::vector<Pc> user;           ///< by register; -1: none, or not one
  std::vector<bool> address;      ///< by register: see findAddresses
  std::vector<int32_t> constants; ///< constant pool index of each register, or -1
  const Inst *inst = nullptr;
  Work *work = nullptr;
};

} // namespace tlx::sim
