//===- NVWS.h - dialect `nvws`: channels of automatic warp specialisation --===//
#pragma once

#include "compiler/dialect/ttg/TTG.h"

#include "compiler/dialect/nvws/NVWSDialect.h.inc"
#include "compiler/dialect/nvws/NVWSEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/nvws/NVWSAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "compiler/dialect/nvws/NVWSTypes.h.inc"

#define GET_OP_CLASSES
#include "compiler/dialect/nvws/NVWSOps.h.inc"
