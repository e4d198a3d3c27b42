//===- Library.h - math library functions by symbol -----------------------===//
#pragma once

namespace tlx::sim {
struct Exec;

/// tt.extern_elementwise: the functions of CUDA's and ROCm's device libraries. An unknown
/// symbol is an error that names it.
void runLibraryFunction(Exec &exec);
} // namespace tlx::sim
