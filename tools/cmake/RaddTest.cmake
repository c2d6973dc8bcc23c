# radd_add_test(<name> LABELS <label>... SOURCES <file>... [LINK <lib>...] [TIMEOUT <seconds>]
#               [DEPENDS <target>...] [SERIAL] [LONG])
#
# One doctest executable, one ctest entry. With the label pg or faults it gets the shared
# cluster: RADD_TEST_CLUSTER names a folder whose file `url` holds a libpq URL. A fault test, and
# any other that is LONG, is registered once more as <name>.long, with RADD_LONG=1 and ten times the
# time, which only `ctest -C Long` runs. DEPENDS names targets the test opens at run time, such as plugins.
# SERIAL keeps timing tests alone.
function(radd_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SERIAL;LONG" "TIMEOUT" "LABELS;SOURCES;LINK;DEPENDS")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "radd_add_test(${name}): ${arg_UNPARSED_ARGUMENTS} ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT arg_SOURCES OR NOT arg_LABELS)
    message(FATAL_ERROR "radd_add_test(${name}): SOURCES and LABELS are required")
  endif()
  foreach(label IN LISTS arg_LABELS)
    if(NOT label MATCHES "^(unit|pg|mail|loader|compile_fail|install|faults|web|bench)$")
      message(FATAL_ERROR "radd_add_test(${name}): unknown label ${label}")
    endif()
  endforeach()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()

  # The prefix leaves plain names such as `items` to the plugins.
  set(target test_${name})
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE
    radd_test_main doctest::doctest radd_warnings ${arg_LINK})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(${target} PRIVATE
    RADD_SOURCE_DIR="${PROJECT_SOURCE_DIR}" RADD_BINARY_DIR="${PROJECT_BINARY_DIR}")
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  if(arg_DEPENDS)
    add_dependencies(${target} ${arg_DEPENDS})
  endif()

  _radd_register_test(${name} ${target} ${arg_TIMEOUT} ${arg_SERIAL} "${arg_LABELS}" "")
  if(arg_LONG OR "faults" IN_LIST arg_LABELS)
    math(EXPR timeout "${arg_TIMEOUT} * 10")
    _radd_register_test(${name}.long ${target} ${timeout} ON long "RADD_LONG=1" CONFIGURATIONS Long)
  endif()
endfunction()

function(_radd_register_test name target timeout serial labels environment)
  list(APPEND environment
    ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1
    "LSAN_OPTIONS=print_suppressions=0:suppressions=${PROJECT_SOURCE_DIR}/tools/lsan.supp"
    UBSAN_OPTIONS=print_stacktrace=1
    "TSAN_OPTIONS=halt_on_error=1:suppressions=${PROJECT_SOURCE_DIR}/tools/tsan.supp")
  add_test(NAME ${name} COMMAND ${target} --no-colors ${ARGN})
  if(labels MATCHES "(^|;)(pg|faults|long)(;|$)")
    list(APPEND environment "RADD_TEST_CLUSTER=${RADD_TEST_CLUSTER}")
    set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED postgres_cluster)
  endif()
  # doctest runs nothing for a filter that matches nothing and calls that a success.
  set_tests_properties(${name} PROPERTIES
    LABELS "${labels}" TIMEOUT ${timeout} RUN_SERIAL ${serial}
    ENVIRONMENT "${environment}"
    FAIL_REGULAR_EXPRESSION "test cases: +0 [|]")
endfunction()
