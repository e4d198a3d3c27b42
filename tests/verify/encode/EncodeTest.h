//===- EncodeTest.h - IR in a test, encoded and judged ---------------------===//
#pragma once

#include "compiler/dialect/registry/Registry.h"
#include "verify/checks/Prover.h"
#include "verify/encode/Encoder.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace tlx::verify::testing {

class EncodeTest : public ::testing::Test {
protected:
  EncodeTest() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.disableMultithreading();
  }

  /// The first function of a module.
  EncodedKernel encoded(const std::string &text, const LaunchShape &launch = {}) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context));
    if (module)
      for (auto function : module->getOps<mlir::FunctionOpInterface>()) {
        EncodedKernel kernel = encode(function, launch);
        for (Buffer &buffer : kernel.program.buffers)
          buffer.blank &= startsBlank;
        return kernel;
      }
    EncodedKernel none;
    none.reason = "does not parse";
    return none;
  }

  /// "PROVED", the class of the BUG, or the reason of the UNKNOWN; `message` and
  /// `related` get what is said of it.
  std::string verdict(const std::string &text, const LaunchShape &launch = {}) {
    EncodedKernel kernel = encoded(text, launch);
    if (!kernel.reason.empty())
      return kernel.reason + ": " + kernel.message;
    ProofResult proof = prove(kernel.program, {});
    if (proof.verdict == ProofResult::Proved)
      return "PROVED";
    if (proof.verdict == ProofResult::Unknown)
      return proof.reason;
    message = proof.violation.message;
    related = proof.violation.related;
    return info(proof.violation.cls).name;
  }

  mlir::MLIRContext context;
  bool startsBlank = false; ///< memory holds nothing before it is written
  std::string message;
  std::vector<Step> related;
};

} // namespace tlx::verify::testing
