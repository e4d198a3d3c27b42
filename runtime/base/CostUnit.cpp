#include "runtime/base/CostUnit.h"

namespace tlx {

const char *name(CostUnit unit) {
  switch (unit) {
  case CostUnit::None: return "none";
  case CostUnit::Scalar: return "scalar";
  case CostUnit::Alu: return "alu";
  case CostUnit::Fma: return "fma";
  case CostUnit::Fp64: return "fp64";
  case CostUnit::Mufu: return "mufu";
  case CostUnit::Convert: return "convert";
  case CostUnit::LoadStore: return "load-store";
  case CostUnit::SharedMemory: return "shared-memory";
  case CostUnit::Shuffle: return "shuffle";
  case CostUnit::Tma: return "tma";
  case CostUnit::TensorCore: return "tensor-core";
  case CostUnit::TensorMemory: return "tensor-memory";
  case CostUnit::Barrier: return "barrier";
  }
  return "?";
}

} // namespace tlx
