//===- DialectsTest.h - a test with a context that knows all dialects ------===//
#pragma once

#include "compiler/dialect/registry/Registry.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

namespace tlx::testing {

class DialectsTest : public ::testing::Test {
protected:
  DialectsTest() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.disableMultithreading();
  }

  mlir::MLIRContext context;
};

} // namespace tlx::testing
