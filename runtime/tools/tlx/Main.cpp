//===- Main.cpp - tlx -------------------------------------------------------===//
#include "runtime/tools/tlx/Commands.h"

int main(int argc, char **argv) { return tlx::front::runFront({argv + 1, argv + argc}); }
