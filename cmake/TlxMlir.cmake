# LLVM and MLIR 22 as shared libraries. Debian installs libMLIR.so inside LLVM's
# own library folder, which the loader does not search: tools carry an RPATH.
find_package(MLIR REQUIRED CONFIG)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
set(LLVM_EXTERNAL_LIT ${LLVM_TOOLS_BINARY_DIR}/lit CACHE FILEPATH "lit")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

set(TLX_MLIR_INCLUDES ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
# mlir_tablegen reads the directory property.
include_directories(SYSTEM ${TLX_MLIR_INCLUDES})

# One RPATH in the build and where it is installed. CMake would pad another one of the build with empty
# entries, which the loader takes for the current folder: it would load what anybody left there.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH ${LLVM_LIBRARY_DIR})
