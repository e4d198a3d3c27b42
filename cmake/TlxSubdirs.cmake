# tlx_add_subdirs(): every subfolder that has a CMakeLists.txt, in name order.
# Targets may name each other across folders, so the order does not matter.
macro(tlx_add_subdirs)
  file(GLOB _files RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS */CMakeLists.txt)
  foreach(_file ${_files})
    get_filename_component(_dir ${_file} DIRECTORY)
    add_subdirectory(${_dir})
  endforeach()
endmacro()
