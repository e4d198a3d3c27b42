#include "sim/functional/InlineAsm.h"
#include "sim/functional/Exec.h"
namespace tlx::sim {
void runInlineAsm(Exec &exec) { exec.unsupported("inline assembly '" + exec.attrs().text + "'"); }
} // namespace tlx::sim
