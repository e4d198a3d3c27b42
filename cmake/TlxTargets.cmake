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

# The MLIR core headers, precompiled once and reused: 8-10 s become about 3 s in
# each file that includes them.
function(tlx_mlir_pch)
  if(TARGET TlxMlirPch)
    return()
  endif()
  file(WRITE ${CMAKE_BINARY_DIR}/pch/TlxMlirPch.cpp "")
  add_library(TlxMlirPch OBJECT ${CMAKE_BINARY_DIR}/pch/TlxMlirPch.cpp)
  target_compile_options(TlxMlirPch PRIVATE -fno-rtti -fno-exceptions
    -Xclang -fno-pch-timestamp)
  target_precompile_headers(TlxMlirPch PRIVATE
    <mlir/IR/Builders.h> <mlir/IR/BuiltinAttributes.h> <mlir/IR/BuiltinOps.h>
    <mlir/IR/BuiltinTypes.h> <mlir/IR/DialectImplementation.h>
    <mlir/IR/OpImplementation.h> <mlir/IR/PatternMatch.h>
    <mlir/Interfaces/SideEffectInterfaces.h>
    <mlir/Interfaces/InferTypeOpInterface.h>
    <mlir/Interfaces/ControlFlowInterfaces.h>
    <mlir/Pass/Pass.h> <llvm/ADT/TypeSwitch.h> <map> <string> <vector>)
endfunction()

# tlx_mlir_library(NAME SOURCES ... DEPS ... TABLEGEN ...): code that sees MLIR.
# It is built as LLVM is: no RTTI, no exceptions.
function(tlx_mlir_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;TABLEGEN" ${ARGN})
  tlx_mlir_pch()
  add_library(${name} STATIC ${ARG_SOURCES})
  target_compile_options(${name} PRIVATE -fno-rtti -fno-exceptions
    -Xclang -fno-pch-timestamp)
  target_precompile_headers(${name} REUSE_FROM TlxMlirPch)
  target_link_libraries(${name} PUBLIC ${ARG_DEPS} MLIR LLVM)
  if(ARG_TABLEGEN)
    add_dependencies(${name} ${ARG_TABLEGEN})
  endif()
endfunction()

# tlx_llvm_library(NAME SOURCES ... DEPS ... TABLEGEN ...): the same for code that
# builds LLVM's dialects, whose headers take 20-40 s to read: precompiled as well.
function(tlx_llvm_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;TABLEGEN" ${ARGN})
  if(NOT TARGET TlxLlvmPch)
    file(WRITE ${CMAKE_BINARY_DIR}/pch/TlxLlvmPch.cpp "")
    add_library(TlxLlvmPch OBJECT ${CMAKE_BINARY_DIR}/pch/TlxLlvmPch.cpp)
    target_compile_options(TlxLlvmPch PRIVATE -fno-rtti -fno-exceptions
      -Xclang -fno-pch-timestamp)
    target_precompile_headers(TlxLlvmPch PRIVATE
      <mlir/Dialect/LLVMIR/LLVMDialect.h> <mlir/Dialect/LLVMIR/NVVMDialect.h>
      <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/PatternMatch.h>
      <llvm/ADT/TypeSwitch.h> <map> <string> <vector>)
  endif()
  add_library(${name} STATIC ${ARG_SOURCES})
  target_compile_options(${name} PRIVATE -fno-rtti -fno-exceptions
    -Xclang -fno-pch-timestamp)
  target_precompile_headers(${name} REUSE_FROM TlxLlvmPch)
  target_link_libraries(${name} PUBLIC ${ARG_DEPS} MLIR LLVM)
  if(ARG_TABLEGEN)
    add_dependencies(${name} ${ARG_TABLEGEN})
  endif()
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
