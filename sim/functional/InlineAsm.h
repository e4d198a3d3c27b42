//===- InlineAsm.h - elementwise inline PTX -------------------------------===//
#pragma once

namespace tlx::sim {
struct Exec;

/// tt.elementwise_inline_asm: understands the PTX listed in InlineAsm.cpp; anything
/// else is an error that quotes the instruction.
void runInlineAsm(Exec &exec);
} // namespace tlx::sim
