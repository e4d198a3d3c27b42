//===- Builder.h - writing a Program ----------------------------------------------===//
//
// What compiler/export and the tests write programs with. Types, layouts and
// locations are interned; structured control flow is written with lambdas and comes out
// as jumps:
//
//   Builder b("kernel");
//   Reg n = b.parameter("n", b.scalar(DType::i32), 0);
//   auto sum = b.forLoop(zero, n, one, {init}, [&](Reg i, const Regs &acc) {
//     return Regs{b.binary(Op::AddI, acc[0], i)};
//   });
//   b.emit(Op::Return, {});
//   Program program = b.finish();
//
// Unstructured control flow (cf) uses makeLabel, place, br and condBr.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/program/Program.h"

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace tlx::sim {

using Regs = std::vector<Reg>;

class Builder {
public:
  explicit Builder(std::string kernelName);

  LaunchFacts &facts() { return program.facts; }

  // Tables.
  TypeId type(const Type &type);
  TypeId scalar(DType elem) { return type(Type::scalar(elem)); }
  TypeId pointer(DType elem) { return type(Type::pointerTo(elem)); }
  TypeId tensor(Shape shape, DType elem) { return type(Type::tensor(std::move(shape), elem)); }
  LayoutId layout(const MemLayout &layout);
  LocId location(const Location &location);
  /// Location of the instructions emitted from now on.
  void setLocation(LocId loc) { currentLoc = loc; }
  /// Cost of the next instruction emitted.
  void setCost(const Cost &cost);
  int32_t allocation(Allocation allocation);
  const Type &typeOf(Reg reg) const { return program.typeOf(reg); }

  // Registers and instructions.
  Reg newReg(TypeId type);
  Reg parameter(std::string name, TypeId type, int32_t argument,
                Parameter::Field field = Parameter::Field::Value, int32_t dimension = 0,
                int64_t divisibility = 1);
  /// Emits into the current place; returns the result registers.
  Regs emit(Op op, const Regs &operands, const std::vector<TypeId> &resultTypes = {},
            const Attrs &attrs = {}, const std::vector<Effect> &effects = {});
  /// The same with result registers that exist already.
  void emitTo(Op op, const Regs &operands, const Regs &results, const Attrs &attrs = {},
              const std::vector<Effect> &effects = {});
  /// The first result of emit().
  Reg emit1(Op op, const Regs &operands, TypeId resultType, const Attrs &attrs = {},
            const std::vector<Effect> &effects = {});
  /// An op whose result has the first operand's type.
  Reg unary(Op op, Reg a, const Attrs &attrs = {});
  Reg binary(Op op, Reg a, Reg b, const Attrs &attrs = {});
  Reg compare(CmpI predicate, Reg a, Reg b);
  Reg compare(CmpF predicate, Reg a, Reg b);
  /// `bits` is one pattern (a splat) or one for each element.
  Reg constant(TypeId type, std::vector<uint64_t> bits);
  Reg constantInt(DType elem, int64_t value);
  Reg constantFloat(TypeId type, double value);

  // Unstructured control flow. A label is a place whose arguments are registers.
  struct Label {
    int32_t id = -1;
  };
  Label makeLabel();
  void place(Label label);
  void br(Label target, const Regs &from = {}, const Regs &to = {});
  /// `merge`: where both ways meet again; Label() when unknown.
  void condBr(Reg condition, Label ifTrue, const Regs &trueFrom, const Regs &trueTo, Label ifFalse,
              const Regs &falseFrom, const Regs &falseTo, Label merge);

  // Structured control flow.
  using LoopBody = std::function<Regs(Reg iv, const Regs &args)>;
  /// while (iv < upper, signed or not) { args = body(iv, args); iv += step; }
  Regs forLoop(Reg lower, Reg upper, Reg step, const Regs &inits, const LoopBody &body,
               bool isUnsigned = false);
  /// Both lambdas return as many values as there are `resultTypes`.
  Regs ifElse(Reg condition, const std::vector<TypeId> &resultTypes,
              const std::function<Regs()> &thenBody, const std::function<Regs()> &elseBody);
  struct WhileStep {
    Reg condition;
    Regs forwarded; ///< operands of scf.condition after the flag
  };
  /// scf.while: `before` computes the condition and what it forwards; `after`
  /// gets the forwarded values and returns the next iteration's arguments. The
  /// forwarded values of the last evaluation are the results.
  Regs whileLoop(const Regs &inits, const std::function<WhileStep(const Regs &)> &before,
                 const std::function<Regs(const Regs &)> &after);

  /// The region of a reduce, scan or map: emitted out of line.
  BlockId block(const std::vector<TypeId> &argTypes, const std::function<Regs(const Regs &)> &body);

  struct PartitionSpec {
    std::string name;
    int32_t numWarps = 4;
    int32_t startWarp = -1;
    int32_t requestedRegisters = -1;
    /// Emits the body; its last instruction, WarpReturn, is added. `args` are the
    /// captures inside the partition.
    std::function<void(const Regs &args)> body;
  };
  /// `defaultBody` returns what its WarpYield yields.
  Regs warpSpecialize(const Regs &captures, const std::vector<TypeId> &resultTypes,
                      const std::function<Regs()> &defaultBody,
                      const std::vector<PartitionSpec> &partitions, int32_t defaultRegisters = -1);

  /// A function that Call reaches. The body emits its own Return(s).
  int32_t declareFunction(std::string name, const std::vector<TypeId> &argTypes,
                          const std::vector<TypeId> &resultTypes);
  void defineFunction(int32_t function, const std::function<void(const Regs &args)> &body);

  /// Resolves labels and moves out-of-line code behind the kernel. Call once.
  Program finish();

private:
  /// Code is written in pieces, put one behind the other by finish(): the kernel
  /// first, then functions and the regions of reductions.
  struct Place {
    int32_t piece = -1;
    Pc pc = -1;
  };
  Program program;
  std::vector<std::vector<Inst>> pieces;
  int32_t piece = 0;         ///< the one written now
  std::vector<Place> labels; ///< until finish(), every Pc in the tables is a label
  LocId currentLoc = -1;
  CostId nextCost = -1;

  int32_t addEdges(std::initializer_list<Edge> edges);
  Edge edge(Label target, const Regs &from, const Regs &to);
  Label placedLabel();
  int32_t writePiece(const std::function<void()> &body);
};

} // namespace tlx::sim
