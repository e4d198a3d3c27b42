//===- Scalar.h - the arithmetic that decides where a task goes -----------===//
//
// Timing needs addresses, trip counts and phases, not tiles. A register thus
// holds 64 bits: integers sign-extended, floats as the bits of a double, memory
// descriptors as a byte offset, pointers as an address. A tensor is stood for by
// its first element, which is what an affine tile of addresses or a mask needs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Dtype.h"
#include "sim/program/Program.h"

#include <cstdint>

namespace tlx::sim {

/// What evalScalar needs of an instruction, decoded once.
struct ScalarOp {
  Op op = Op::Copy;
  DType from = DType::i32; ///< first operand
  DType to = DType::i32;   ///< result
  CmpI cmpi = CmpI::Eq;
  CmpF cmpf = CmpF::False;
};

/// True for ops of which evalScalar computes the value.
bool isScalarOp(Op op);

/// The result; operands that an op does not have are ignored. Division by zero
/// gives 0, as a value that a correct program does not use.
int64_t evalScalar(const ScalarOp &op, int64_t a, int64_t b, int64_t c);

/// A literal of an element type as register bits.
int64_t scalarFromBits(DType type, uint64_t bits);

} // namespace tlx::sim
