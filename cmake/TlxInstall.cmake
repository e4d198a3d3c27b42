# `cmake --install` and `cpack -G DEB`: the programs, the libraries that tlx-run opens, the
# recorder's Python package, documents, manual pages and shell completion. Included last: it installs
# the tools that the folders declared.
include(GNUInstallDirs)

find_package(Python3 REQUIRED COMPONENTS Interpreter)

get_property(_tools GLOBAL PROPERTY TLX_TOOLS)
list(REMOVE_ITEM _tools tlx-mutate) # for this repository's tests
set_target_properties(${_tools} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/tlx;${LLVM_LIBRARY_DIR}")
set_target_properties(TlxSimDevice PROPERTIES INSTALL_RPATH "$ORIGIN")
set_target_properties(TlxCompiler PROPERTIES INSTALL_RPATH "$ORIGIN;${LLVM_LIBRARY_DIR}")
install(TARGETS ${_tools} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Beside the programs' folder, where they look for it whatever the architecture's library folder is, and
# not among the libraries that other programs link.
install(TARGETS TlxCompiler TlxSimDevice LIBRARY DESTINATION lib/tlx)
install(DIRECTORY python/tlx_record DESTINATION ${CMAKE_INSTALL_DATADIR}/tlx/python
  FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)
install(DIRECTORY docs/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/tlx)
install(FILES README.md cmake/debian/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tlx)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tlx
  FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.json" PATTERN examples EXCLUDE)
install(FILES cmake/debian/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME tlx)
install(PROGRAMS cmake/debian/tlx-record DESTINATION ${CMAKE_INSTALL_BINDIR})
# Written by the programs themselves, as completion is.
install(CODE "execute_process(COMMAND \"${Python3_EXECUTABLE}\" \"${CMAKE_SOURCE_DIR}/scripts/man_pages.py\"
    --build \"${CMAKE_BINARY_DIR}\" --out \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1\"
    COMMAND_ERROR_IS_FATAL ANY)")
foreach(_shell_place "bash|bash-completion/completions/tlx" "zsh|zsh/vendor-completions/_tlx" "fish|fish/vendor_completions.d/tlx.fish")
  string(REPLACE "|" ";" _shell_place "${_shell_place}")
  list(GET _shell_place 0 _shell)
  list(GET _shell_place 1 _place)
  get_filename_component(_folder ${_place} DIRECTORY)
  install(CODE "file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/${_folder}\")
    execute_process(COMMAND \"${CMAKE_BINARY_DIR}/bin/tlx\" completion ${_shell} COMMAND_ERROR_IS_FATAL ANY
      OUTPUT_FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/${_place}\")")
endforeach()

set(CPACK_PACKAGE_NAME tlx)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "TLX maintainers")
set(CPACK_PACKAGE_CONTACT "TLX maintainers <maintainers@tlx.example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Verifies, simulates and compiles warp-specialised GPU kernels")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Warp-specialised GPU kernels are small distributed programs held together
by one-bit barriers. From the IR that TLX (Triton) compiles them to, and
without a GPU, these tools prove that a kernel cannot hang or race, simulate
it with exact values and a predicted time, and compile it for NVIDIA Hopper.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# What Debian's policy asks for beside the files.
string(TIMESTAMP _date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(cmake/debian/changelog.in ${CMAKE_BINARY_DIR}/debian/changelog @ONLY)
install(CODE "execute_process(COMMAND gzip -9nc \"${CMAKE_BINARY_DIR}/debian/changelog\" COMMAND_ERROR_IS_FATAL ANY
    OUTPUT_FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/doc/tlx/changelog.gz\")")
# What the programs link. shlibdeps cannot see libTlxCompiler.so's dependencies through a private
# folder, so LLVM's packages are named.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, libstdc++6, libz3-4, libtbb12, libopenblas0, libmlir-22, libllvm22")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3, python3-numpy, python3-venv")
set(CPACK_GENERATOR DEB)
include(CPack)
