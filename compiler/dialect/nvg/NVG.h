//===- NVG.h - dialect `nvg`: NVIDIA instructions on scalars ---------------===//
#pragma once

#include "compiler/dialect/ttg/TTG.h"

#include "compiler/dialect/nvg/NVGDialect.h.inc"
#include "compiler/dialect/nvg/NVGEnums.h.inc"

#define GET_OP_CLASSES
#include "compiler/dialect/nvg/NVGOps.h.inc"
