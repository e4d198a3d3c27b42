//===- PassFlags.h - passes from the command line -------------------------------===//
//
//   --load-pass-plugin=my.so              passes of your own, loaded at once
//   --ttgir-passes='builtin.module(...)'  run on the tile program, before code is made
//   --mlir-print-ir-after=PASS            and MLIR's other switches of pass managers
//
// A plugin is a shared library that defines mlirGetPassPluginInfo
// (mlir/Tools/Plugins/PassPlugin.h) for the same release of MLIR. Nothing is ever
// loaded that the command line does not name.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/CommandLine.h"

namespace tlx {

/// Make one before the command line is parsed.
class PluginFlag {
public:
  PluginFlag();
  /// Of the first plugin that could not be loaded.
  Result<void> loaded() const;

private:
  llvm::cl::list<std::string> plugins;
  std::optional<Error> failure;
};

class PassFlags {
public:
  PassFlags();
  Result<void> loaded() const { return plugin.loaded(); }
  /// Runs --ttgir-passes; an Error (bad input) when the text is no pipeline or a
  /// pass fails.
  Result<void> runOn(mlir::ModuleOp module) const;

private:
  PluginFlag plugin;
  llvm::cl::opt<std::string> pipeline;
};

} // namespace tlx
