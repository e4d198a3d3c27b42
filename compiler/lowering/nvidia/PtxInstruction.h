//===- PtxInstruction.h - one instruction's text and operands -----------------===//
#pragma once

#include "compiler/lowering/nvidia/Ptx.h"

#include <string>

namespace tlx::nvidia::ptx {

inline std::string number(int64_t value) { return std::to_string(value); }

/// Text, constraints and operands of one instruction, built together: `reg`
/// appends an operand and writes its place.
class Instruction {
public:
  explicit Instruction(Emitter &e) : e(e) {}

  Instruction &text(const llvm::Twine &more) {
    body += more.str();
    return *this;
  }
  Instruction &reg(Value value, llvm::StringRef constraint) {
    body += "$" + std::to_string(operands.size());
    operands.push_back(value);
    constraints += (constraints.empty() ? "" : ",") + constraint.str();
    return *this;
  }
  /// A guard; null: none.
  Instruction &when(Value predicate) {
    if (predicate)
      text("@").reg(predicate, "b").text(" ");
    return *this;
  }
  Instruction &list(ValueRange values, llvm::StringRef constraint) {
    text("{");
    for (auto [index, value] : llvm::enumerate(values))
      text(index ? ", " : "").reg(value, constraint);
    return text("}");
  }
  void emit(llvm::StringRef end = ";") {
    constraints += constraints.empty() ? "~{memory}" : ",~{memory}";
    raw(e, body + end.str(), constraints, operands, {});
  }

private:
  Emitter &e;
  std::string body, constraints;
  llvm::SmallVector<Value> operands;
};

} // namespace tlx::nvidia::ptx
