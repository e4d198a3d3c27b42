"""Who may include whom, as data (docs/design/architecture.md tells why).

A folder's row names the folders of this project it may include besides itself, and the families of
outside headers it may see. The longest matching prefix is the row that counts. Everything may
include runtime/base and the standard library.
"""

# Outside headers that cost build time or tie a wing to a library: family -> how its headers begin.
FAMILIES = {
    "mlir": ("mlir/", "mlir-c/"),
    "llvm": ("llvm/", "llvm-c/", "clang/", "lld/"),
    # Tens of seconds in each file that includes one of these.
    "llvm-dialects": ("mlir/Dialect/LLVMIR/", "mlir/Conversion/LLVMCommon/", "mlir/Target/LLVMIR/"),
    "z3": ("z3",),
    "cli11": ("CLI/",),
    "cuda": ("cuda", "nvml", "nvrtc", "cupti"),
    "hip": ("hip/", "rocm", "hsa/"),
    "json": ("nlohmann/",),
    "gtest": ("gtest/", "gmock/"),
}

COMPILER = {"mlir", "llvm"}

# folder: (folders it may include, header families it may see)
RULES = {
    "runtime/base": (set(), {"json", "cli11"}),
    "runtime/device": (set(), set()),
    "runtime/loader": ({"runtime/device"}, set()),
    "runtime/backends": ({"runtime/device"}, set()),
    "runtime/backends/sim": ({"runtime/device", "runtime/loader/CompilerLibrary.h", "sim"}, set()),
    "runtime/backends/cuda": ({"runtime/device", "runtime/loader/CompilerLibrary.h"}, {"cuda"}),
    "runtime/backends/hip": ({"runtime/device"}, {"hip"}),
    "runtime/tools": ({"runtime/device", "runtime/loader", "runtime/backends"}, set()),

    "compiler/layout": (set(), set()),
    "compiler/dialect": ({"compiler/layout"}, COMPILER),
    # Kernels hold llvm and rocdl operations, which must be registered to be parsed.
    "compiler/dialect/registry": ({"compiler/dialect"}, COMPILER | {"llvm-dialects"}),
    "compiler/analysis": ({"compiler/layout", "compiler/dialect"}, COMPILER),
    "compiler/ingest": ({"compiler/layout", "compiler/dialect", "compiler/analysis"}, COMPILER),
    "compiler/transforms": ({"compiler/layout", "compiler/dialect", "compiler/analysis"}, COMPILER),
    "compiler/lowering": ({"compiler/layout", "compiler/dialect", "compiler/analysis"}, COMPILER | {"llvm-dialects"}),
    "compiler/codegen": ({"compiler/layout", "compiler/dialect", "compiler/analysis"}, COMPILER | {"llvm-dialects"}),
    "compiler/export": ({"compiler/layout", "compiler/dialect", "compiler/analysis", "sim/program",
                         # Where a location points, in the words of every tool.
                         "compiler/ingest/ParseFile.h",
                         # The interface of the library that tlx-run opens: no code.
                         "runtime/loader/CompilerLibrary.h"}, COMPILER),
    "compiler/pipelines": ({"compiler/layout", "compiler/dialect", "compiler/analysis", "compiler/ingest",
                            "compiler/transforms", "compiler/lowering", "compiler/codegen", "compiler/export",
                            "runtime/loader"},
                           COMPILER),
    "compiler/tools": ({"compiler", "sim/program", "runtime/loader/CompilerLibrary.h"}, COMPILER),

    "sim/program": (set(), set()),
    "sim/engine": (set(), set()),
    "sim/chips": (set(), set()),
    "sim": ({"sim"}, set()),
    "sim/units": ({"sim/program", "sim/engine", "sim/chips"}, set()),
    "sim/views": ({"sim/program", "sim/engine", "sim/chips", "sim/timing/Launch.h"}, set()),

    "verify/smt": (set(), {"z3"}),
    "verify/model": ({"verify/smt"}, set()),
    "verify/explore": ({"verify/model"}, set()),
    "verify/checks": ({"verify/smt", "verify/model"}, set()),
    "verify/encode": ({"verify/model", "compiler/layout", "compiler/dialect", "compiler/analysis"}, COMPILER),
    "verify/report": ({"verify/model", "verify/checks", "verify/explore"}, set()),
    "verify/tools": ({"verify", "compiler/layout", "compiler/dialect", "compiler/analysis", "compiler/ingest",
                      "compiler/pipelines", "runtime/loader",
                      # Limits of chips: data, no evaluator.
                      "sim/chips"}, COMPILER),

    # Tests may look at everything; nothing may look at tests.
    "tests": ({"compiler", "sim", "verify", "runtime", "tests"}, set(FAMILIES)),
}

# (file, included path): why. A row that no include needs any more fails the test.
EXEMPTIONS = {}

# A scan that finds fewer files than this has lost its way.
FEWEST_FILES = 150
