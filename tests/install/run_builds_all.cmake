# Whatever `cmake --install` copies and a compiler makes is made by the targets that tools/run builds.
file(READ "${SOURCE}/tools/run" run)
if(NOT run MATCHES "--target ([a-z_ ]+)\n")
  message(FATAL_ERROR "tools/run names no targets")
endif()
separate_arguments(targets UNIX_COMMAND "${CMAKE_MATCH_1}")
execute_process(COMMAND "${NINJA}" -C "${BUILD}" -t commands ${targets}
  OUTPUT_VARIABLE commands COMMAND_ERROR_IS_FATAL ANY)

# Not of tests/: what a test installs elsewhere leaves scripts of its own there.
file(GLOB_RECURSE scripts "${BUILD}/host/cmake_install.cmake" "${BUILD}/plugins/cmake_install.cmake")
set(installed "")
foreach(script IN ITEMS "${BUILD}/cmake_install.cmake" LISTS scripts)
  file(READ "${script}" text)
  string(REGEX MATCHALL
    "TYPE (EXECUTABLE|MODULE|SHARED_LIBRARY|STATIC_LIBRARY)[^)]* FILES[^)]*" copied "${text}")
  string(REGEX MATCHALL "\"${BUILD}/[^\"]+\"" files "${copied}")
  list(APPEND installed ${files})
endforeach()
list(TRANSFORM installed REPLACE "^\"${BUILD}/|\"$" "")
# A link to a library is made with it.
list(FILTER installed EXCLUDE REGEX "/lib[^/]+[.]so([.][0-9]+)?$")
list(LENGTH installed count)
if(count LESS 10)
  message(FATAL_ERROR "only these are known to be installed: ${installed}")
endif()

foreach(file IN LISTS installed)
  string(FIND "${commands}" " -o ${file} " linked)
  string(FIND "${commands}" " qc ${file} " archived)
  if(linked EQUAL -1 AND archived EQUAL -1)
    message(FATAL_ERROR "${file} is installed, and tools/run does not build it: it builds ${targets}")
  endif()
endforeach()
message(STATUS "${count} files are installed and built")
