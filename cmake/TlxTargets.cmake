# One function per kind of target, so that a folder's CMakeLists.txt is a list
# of sources and dependencies and nothing else.
include(CMakeParseArguments)
find_package(GTest REQUIRED)

# tlx_library(NAME SOURCES ... DEPS ...): plain C++20, standard library only.
function(tlx_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_DEPS})
endfunction()

# Code that sees MLIR is built as LLVM is: no RTTI, no exceptions.
set(TLX_MLIR_OPTIONS -fno-rtti -fno-exceptions -Xclang -fno-pch-timestamp)

# Headers that are precompiled once and reused. MLIR's core: 8-10 s become about 3 s in each file.
set(TlxMlirPch_HEADERS
  <mlir/IR/Builders.h> <mlir/IR/BuiltinAttributes.h> <mlir/IR/BuiltinOps.h>
  <mlir/IR/BuiltinTypes.h> <mlir/IR/DialectImplementation.h>
  <mlir/IR/OpImplementation.h> <mlir/IR/PatternMatch.h>
  <mlir/Interfaces/SideEffectInterfaces.h>
  <mlir/Interfaces/InferTypeOpInterface.h>
  <mlir/Interfaces/ControlFlowInterfaces.h>
  <mlir/Pass/Pass.h> <llvm/ADT/TypeSwitch.h> <map> <string> <vector>)
# LLVM's dialects, which take 20-40 s to read.
set(TlxLlvmPch_HEADERS
  <mlir/Dialect/LLVMIR/LLVMDialect.h> <mlir/Dialect/LLVMIR/NVVMDialect.h>
  <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/PatternMatch.h>
  <llvm/ADT/TypeSwitch.h> <map> <string> <vector>)

# tlx_pch_library(NAME PCH SOURCES ... DEPS ... TABLEGEN ...): a library whose files begin with one of
# these; the first one makes it.
function(tlx_pch_library name pch)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;TABLEGEN" ${ARGN})
  if(NOT TARGET ${pch})
    file(WRITE ${CMAKE_BINARY_DIR}/pch/${pch}.cpp "")
    add_library(${pch} OBJECT ${CMAKE_BINARY_DIR}/pch/${pch}.cpp)
    target_compile_options(${pch} PRIVATE ${TLX_MLIR_OPTIONS})
    target_precompile_headers(${pch} PRIVATE ${${pch}_HEADERS})
  endif()
  add_library(${name} STATIC ${ARG_SOURCES})
  target_compile_options(${name} PRIVATE ${TLX_MLIR_OPTIONS})
  target_precompile_headers(${name} REUSE_FROM ${pch})
  target_link_libraries(${name} PUBLIC ${ARG_DEPS} MLIR LLVM)
  if(ARG_TABLEGEN)
    add_dependencies(${name} ${ARG_TABLEGEN})
  endif()
endfunction()

# tlx_mlir_library(NAME SOURCES ... DEPS ... TABLEGEN ...): code that sees MLIR.
function(tlx_mlir_library name)
  tlx_pch_library(${name} TlxMlirPch ${ARGN})
endfunction()

# tlx_llvm_library(NAME SOURCES ... DEPS ... TABLEGEN ...): code that builds LLVM's dialects.
function(tlx_llvm_library name)
  tlx_pch_library(${name} TlxLlvmPch ${ARGN})
endfunction()

# tlx_tool(NAME SOURCES ... DEPS ...): a program in build/bin.
function(tlx_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
  set_property(GLOBAL APPEND PROPERTY TLX_TOOLS ${name})
endfunction()

# tlx_unittest(NAME SOURCES ... DEPS ...): a GoogleTest program, run by ctest.
function(tlx_unittest name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;DEPS" ${ARGN})
  if(ARG_MLIR)
    # Compiled as a library: the precompiled header is of position-independent
    # code, which an executable's own sources are not.
    tlx_mlir_library(${name}Objects SOURCES ${ARG_SOURCES} DEPS ${ARG_DEPS}
      TABLEGEN TlxDialectHeaders)
    set(ARG_DEPS -Wl,--whole-archive ${name}Objects -Wl,--no-whole-archive ${ARG_DEPS})
    target_compile_definitions(${name}Objects PRIVATE
      TLX_SOURCE_DIR="${CMAKE_SOURCE_DIR}" TLX_BINARY_DIR="${CMAKE_BINARY_DIR}")
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp "")
    set(_sources ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  else()
    set(_sources ${ARG_SOURCES})
  endif()
  add_executable(${name} ${_sources})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    TLX_SOURCE_DIR="${CMAKE_SOURCE_DIR}" TLX_BINARY_DIR="${CMAKE_BINARY_DIR}")
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 600)
endfunction()
