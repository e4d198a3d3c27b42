# lit's configuration: which files are tests and what their RUN lines may say.
#
# Every tool of build/bin is known by its name; so are FileCheck, not and split-file of LLVM 22.
# A tool that was not built makes the tests that name it fail. Besides lit's own substitutions:
#   %kernels  the folder kernels/ of the source tree
#   %python   the interpreter that runs this
#   %tests    the folder of the build that test programs and plugins are in
#   %shared   the corpus; tests that use it say "REQUIRES: corpus" and are reported as unsupported
#             where it is absent
import os

import lit.formats

config.name = "TLX"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".ttir", ".ttgir", ".source", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.join(config.tlx_source_dir, "tests")
config.test_exec_root = os.path.join(config.tlx_binary_dir, "tests")

bin_dir = os.path.join(config.tlx_binary_dir, "bin")
shared = os.path.realpath(os.environ.get("TLX_SHARED") or os.path.join(config.tlx_source_dir, "..", "shared"))
if os.path.isdir(os.path.join(shared, "corpus")):
    config.available_features.add("corpus")

# A tool's name becomes its absolute path wherever it stands as a command: where the tool was not
# built, the path does not exist and the test fails, under `not` too.
tools = [(tool, os.path.join(bin_dir, tool)) for tool in config.tlx_tools if tool]
tools += [(tool, os.path.join(config.llvm_tools_dir, tool)) for tool in ("FileCheck", "not", "split-file")]
for name, path in tools:
    config.substitutions.append((r"(^|(?<=[\s|;&(]))" + name + r"(?=\s|$)", path))
config.substitutions.append(("%kernels", os.path.join(config.tlx_source_dir, "kernels")))
config.substitutions.append(("%shared", shared))
config.substitutions.append(("%tests", os.path.join(bin_dir, "..", "tests")))
config.substitutions.append(("%python", config.python))
