function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${SCRATCH}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${SCRATCH}/built")
# A package that works only where it was installed first has the prefix written into it.
file(RENAME "${SCRATCH}/built" "${SCRATCH}/moved")

set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=${SANITIZE} -fno-sanitize=vptr")
endif()
run("${CMAKE_COMMAND}" -G Ninja -S "${CMAKE_CURRENT_LIST_DIR}/tally" -B "${SCRATCH}/build"
  "-DCMAKE_PREFIX_PATH=${SCRATCH}/moved" "-DCMAKE_CXX_COMPILER=${COMPILER}"
  "-DCMAKE_CXX_FLAGS=${flags}" "-DRADD_SANITIZE=${SANITIZE}")
run("${CMAKE_COMMAND}" --build "${SCRATCH}/build")

execute_process(
  COMMAND "${NM}" -D --defined-only --format=posix "${SCRATCH}/build/plugins/tally.so"
  OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES "^radd_plugin_entry_v1 T [^\n]*\n$")
  message(FATAL_ERROR "tally.so must export its entry and nothing else, it exports:\n${symbols}")
endif()
