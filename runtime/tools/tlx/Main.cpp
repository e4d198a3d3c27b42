//===- Main.cpp - tlx -------------------------------------------------------===//
#include "runtime/base/Output.h"
#include "runtime/tools/tlx/Commands.h"

int main(int argc, char **argv) {
  return tlx::finishOutput(tlx::front::runFront({argv + 1, argv + argc}));
}
