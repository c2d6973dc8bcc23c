function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${SCRATCH}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${SCRATCH}/built")
# What runs it names absolute paths, and they must be the ones of this prefix.
file(READ "${SCRATCH}/built/lib/systemd/system/radd.service" unit)
if(NOT unit MATCHES "\nExecStart=${SCRATCH}/built/bin/radd serve\n" OR unit MATCHES "@[A-Z_]+@")
  message(FATAL_ERROR "radd.service does not start the host that was installed:\n${unit}")
endif()
foreach(path IN ITEMS share/bash-completion/completions/radd share/zsh/site-functions/_radd
                      share/radd/manifests/host.yaml share/doc/radd/OPERATING.md)
  if(NOT EXISTS "${SCRATCH}/built/${path}")
    message(FATAL_ERROR "${path} was not installed")
  endif()
endforeach()
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

# Whoever turns testing on has the rules that all plugins keep as tests.
set(rules idempotent_entry deterministic elsewhere start_twice shared_state leftovers settings)
run("${CMAKE_CTEST_COMMAND}" --test-dir "${SCRATCH}/build" --output-on-failure --no-tests=error)
# check_tests(<source> <folder> <options> <rules> [<what their commands end with>]): which tests
# tally has.
function(check_tests source folder options expected)
  run("${CMAKE_COMMAND}" -G Ninja -S "${CMAKE_CURRENT_LIST_DIR}/${source}" -B "${SCRATCH}/${folder}"
    "-DCMAKE_PREFIX_PATH=${SCRATCH}/moved" "-DCMAKE_CXX_COMPILER=${COMPILER}" ${options})
  execute_process(COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${SCRATCH}/${folder}" -N -V
    OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "Test command: [^\n]*" commands "${listed}")
  list(TRANSFORM commands REPLACE "^Test command: [^ ]*/radd-conformance " "")
  set(wanted "")
  foreach(rule IN LISTS expected)
    list(APPEND wanted "\"${rule}\" \"${SCRATCH}/${folder}/plugins/tally.so\"${ARGN}")
  endforeach()
  if(NOT commands STREQUAL wanted)
    message(FATAL_ERROR "the tests of tally are to be\n${wanted}\nand are\n${listed}")
  endif()
endfunction()
check_tests(tally build "" "${rules}")
check_tests(tally_told told "" "${rules}" " \"--settings\" \"/some.yaml\"")
check_tests(tally untested "-DBUILD_TESTING=OFF" "")

# Who has no CMake asks pkg-config, and gets a library that the host would open.
find_program(PKG_CONFIG pkg-config REQUIRED)
function(ask variable)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env "PKG_CONFIG_PATH=${SCRATCH}/moved/lib/pkgconfig"
      "${PKG_CONFIG}" ${ARGN} radd
    OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(answer UNIX_COMMAND "${answer}")
  set(${variable} ${answer} PARENT_SCOPE)
endfunction()
ask(compile --variable=plugin_cflags)
ask(link --variable=plugin_ldflags)
ask(libraries --cflags --libs)
separate_arguments(flags UNIX_COMMAND "${flags}")
if(SANITIZE AND COMPILER MATCHES "clang")
  list(TRANSFORM link REPLACE ",-z,defs" "")
endif()
run("${COMPILER}" ${compile} ${flags} "-DRADD_PLUGIN_ID=\"plain\"" "-DRADD_PLUGIN_VERSION=\"1.0.0\""
  "${CMAKE_CURRENT_LIST_DIR}/plain/plain.cpp" -o "${SCRATCH}/build/plain.so" ${link} ${libraries})
run("${SCRATCH}/moved/bin/radd" inspect "${SCRATCH}/build/plain.so")
