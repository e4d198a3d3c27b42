# Compiler options shared by every target: warnings, ccache, a fast linker,
# sanitizers.
find_program(TLX_CCACHE ccache)
if(TLX_CCACHE)
  # Precompiled headers are cacheable only with these two relaxations.
  set(_launcher ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${TLX_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${_launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${_launcher})
endif()

find_program(TLX_MOLD mold)
find_program(TLX_LLD NAMES ld.lld-22 ld.lld)
if(TLX_MOLD)
  add_link_options(-fuse-ld=mold)
elseif(TLX_LLD)
  add_link_options(-fuse-ld=${TLX_LLD})
endif()

add_compile_options(-Wall -Wextra -Wno-unused-parameter)

set(TLX_SANITIZE "" CACHE STRING "Sanitizers to build with, e.g. address,undefined")
if(TLX_SANITIZE)
  add_compile_options(-fsanitize=${TLX_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TLX_SANITIZE})
endif()

option(TLX_FUZZ "Build the libFuzzer programs of tests/fuzz" OFF)
if(TLX_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
