//===- CtaParts.h - buffers that the CTAs of one program share out ----------===//
#pragma once

#include "compiler/dialect/ttg/TTG.h"

namespace tlx::ttg {

/// How many parts of a buffer the CTAs of a program have, one each; 1: every CTA
/// has all of it.
int64_t ctaParts(MemDescType type);

} // namespace tlx::ttg
