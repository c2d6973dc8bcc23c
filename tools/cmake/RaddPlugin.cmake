# How a plugin is built, inside this tree and out of it: find_package(radd) includes this file.

include_guard(GLOBAL)
set(RADD_PLUGIN_CMAKE_DIR "${CMAKE_CURRENT_LIST_DIR}" CACHE INTERNAL "Where the files beside this one are")

# radd_add_plugin(<id> VERSION <x.y.z> SOURCES <file>... [MIGRATIONS <dir>] [LINK <lib>...]
#                 [TESTS <file>...] [OUTPUT_DIRECTORY <dir>] [UNSEALED])
#
# One shared object, <id>.so in <build>/plugins, that exports one symbol and leaves none
# unresolved: what is missing fails here, at link time, and not in a customer's dlopen().
# Sources see RADD_PLUGIN_ID and RADD_PLUGIN_VERSION as string literals, and with MIGRATIONS
# also radd::plugin_migrations() (<radd/migration.hpp>).
#
# TESTS are doctest files, one of which defines DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN. They see the
# plugin as radd::testing::linked_manifest() (<radd/testing/fixture_host.hpp>), and become the ctest
# entry <id>; <id>.inspect asks the host that came with the package whether it would open the
# library. With BUILD_TESTING off there is neither.
#
# Where radd comes from find_package() and testing is on (include(CTest), or TESTS), a plugin that is
# sealed also has its conformance tests. One that depends on others, or must have settings, says so
# with radd_add_plugin_conformance().
#
# Once linked, the library is opened in a child process and sealed: what it brings is written into
# it, so that `radd inspect` tells it without running any of it, and the host refuses it if it ever
# brings something else (E19). What cannot be opened where it is built fails here; UNSEALED builds it
# all the same.
function(radd_add_plugin id)
  cmake_parse_arguments(PARSE_ARGV 1 arg "UNSEALED" "VERSION;MIGRATIONS;OUTPUT_DIRECTORY" "SOURCES;LINK;TESTS")
  if(NOT id MATCHES "^[a-z][a-z0-9_]*$")
    message(FATAL_ERROR "radd_add_plugin: id '${id}' must be lower case letters, digits and _, a letter first")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "radd_add_plugin(${id}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "radd_add_plugin(${id}): no value for: ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT arg_VERSION MATCHES "^[0-9]+[.][0-9]+[.][0-9]+$")
    message(FATAL_ERROR "radd_add_plugin(${id}): VERSION '${arg_VERSION}' must be x.y.z")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "radd_add_plugin(${id}): SOURCES is missing")
  endif()
  if(NOT arg_OUTPUT_DIRECTORY)
    set(arg_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/plugins")
  endif()

  add_library(${id} MODULE ${arg_SOURCES})
  target_link_libraries(${id} PRIVATE radd::sdk ${arg_LINK})
  if(TARGET radd_warnings)
    target_link_libraries(${id} PRIVATE radd_warnings)
  endif()
  target_compile_features(${id} PRIVATE cxx_std_20)
  target_compile_definitions(${id} PRIVATE
    RADD_PLUGIN_ID="${id}" RADD_PLUGIN_VERSION="${arg_VERSION}")
  # No RPATH: the SDK library is the one the host has already loaded, and no other.
  set_target_properties(${id} PROPERTIES
    PREFIX "" OUTPUT_NAME "${id}"
    LIBRARY_OUTPUT_DIRECTORY "${arg_OUTPUT_DIRECTORY}"
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    SKIP_BUILD_RPATH ON INSTALL_RPATH ""
    LINK_DEPENDS "${RADD_PLUGIN_CMAKE_DIR}/plugin.map")
  target_compile_options(${id} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  target_link_options(${id} PRIVATE
    "LINKER:--version-script=${RADD_PLUGIN_CMAKE_DIR}/plugin.map"
    LINKER:-z,now LINKER:-z,relro LINKER:-z,noexecstack
    LINKER:--build-id=sha1 LINKER:--exclude-libs,ALL)
  # clang leaves the sanitizer runtime in the executable, so its plugins cannot be closed.
  if(NOT (RADD_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang"))
    target_link_options(${id} PRIVATE LINKER:-z,defs)
  endif()

  if(arg_MIGRATIONS)
    radd_embed_migrations(${id} "${arg_MIGRATIONS}" radd::plugin_migrations)
  endif()
  if(NOT arg_UNSEALED)
    _radd_seal_plugin(${id})
  endif()
  if(arg_TESTS AND (BUILD_TESTING OR NOT DEFINED BUILD_TESTING))
    _radd_add_plugin_tests(${id} "${arg_TESTS}" "${arg_LINK}")
  endif()
  # Inside of this tree plugins exist that break the rules, and tests/loader says which must not.
  get_target_property(is_installed radd::conformance IMPORTED)
  if(is_installed AND NOT arg_UNSEALED AND NOT CMAKE_CROSSCOMPILING
     AND (BUILD_TESTING OR (arg_TESTS AND NOT DEFINED BUILD_TESTING)))
    _radd_add_conformance_tests(${id})
  endif()
endfunction()

# A section that is not mapped: strip(1) leaves it where it is, and the build id stays what it was.
function(_radd_seal_plugin id)
  if(CMAKE_CROSSCOMPILING)
    message(STATUS "radd_add_plugin(${id}): not sealed, as another machine's code cannot be run here")
    return()
  endif()
  if(NOT CMAKE_OBJCOPY)
    message(FATAL_ERROR "radd_add_plugin(${id}): no objcopy to seal it with; install binutils, or say UNSEALED")
  endif()
  set(seal "${CMAKE_CURRENT_BINARY_DIR}/${id}.manifest.json")
  add_custom_command(TARGET ${id} POST_BUILD
    COMMAND radd::conformance manifest "$<TARGET_FILE:${id}>" "${seal}"
    COMMAND "${CMAKE_OBJCOPY}" --add-section ".radd.manifest=${seal}" "$<TARGET_FILE:${id}>"
    VERBATIM)
endfunction()

# The tests link what the plugin was compiled to, so that nothing is compiled twice.
function(_radd_add_plugin_tests id sources libraries)
  enable_testing()
  find_package(doctest REQUIRED)
  add_executable(${id}_test ${sources} $<TARGET_OBJECTS:${id}>)
  target_link_libraries(${id}_test PRIVATE radd::testing doctest::doctest ${libraries})
  set_target_properties(${id}_test PROPERTIES CXX_EXTENSIONS OFF)
  add_test(NAME ${id} COMMAND ${id}_test)
  # doctest runs nothing for a file without cases and calls that a success.
  set_tests_properties(${id} PROPERTIES FAIL_REGULAR_EXPRESSION "test cases: +0 [|]")
  if(TARGET radd::radd)
    add_test(NAME ${id}.inspect COMMAND radd::radd inspect $<TARGET_FILE:${id}>)
  endif()
endfunction()

# radd_add_events(<id>): the INTERFACE library <id>_events, for plugins that publish headers.
function(radd_add_events id)
  if(ARGN)
    message(FATAL_ERROR "radd_add_events(${id}): unknown arguments: ${ARGN}")
  endif()
  set(include "${CMAKE_CURRENT_SOURCE_DIR}/include")
  if(NOT EXISTS "${include}/${id}")
    set(include "${CMAKE_CURRENT_SOURCE_DIR}/${id}/include")
  endif()
  if(NOT EXISTS "${include}/${id}")
    message(FATAL_ERROR "radd_add_events(${id}): no include/${id} here")
  endif()
  add_library(${id}_events INTERFACE)
  target_include_directories(${id}_events INTERFACE "${include}")
  target_link_libraries(${id}_events INTERFACE radd::sdk)
endfunction()

# radd_embed_migrations(<target> <dir> <function>): compiles <dir>/NNNN_what_it_does.sql into
# <target> as `std::vector<radd::Migration> function()`, sorted. Call it where <target> is made.
function(radd_embed_migrations target directory function)
  if(ARGN)
    message(FATAL_ERROR "radd_embed_migrations(${target}): unknown arguments: ${ARGN}")
  endif()
  if(NOT function MATCHES "^[a-z_][a-z0-9_]*(::[a-z_][a-z0-9_]*)*$")
    message(FATAL_ERROR "radd_embed_migrations(${target}): '${function}' is no qualified function name")
  endif()
  cmake_path(ABSOLUTE_PATH directory BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  if(NOT IS_DIRECTORY "${directory}")
    message(FATAL_ERROR "radd_embed_migrations(${target}): no directory ${directory}")
  endif()

  # The only glob in the build. Migrations are append-only data, and one that is forgotten in a
  # list is found in production.
  file(GLOB files CONFIGURE_DEPENDS "${directory}/*.sql")
  set(names "${files}")
  list(TRANSFORM names REPLACE "^.*/" "")
  list(SORT names)
  # On the command line, so that removing a file changes the command and the output is made again.
  list(JOIN names "|" names)

  string(REPLACE "::" "_" stem "${target}_${function}")
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${stem}.cpp")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DDIRECTORY=${directory}" "-DNAMES=${names}"
      "-DFUNCTION=${function}" "-DOUTPUT=${output}"
      -P "${RADD_PLUGIN_CMAKE_DIR}/EmbedMigrations.cmake"
    DEPENDS ${files} "${RADD_PLUGIN_CMAKE_DIR}/EmbedMigrations.cmake"
    COMMENT "Embedding ${directory}"
    VERBATIM)
  target_sources(${target} PRIVATE "${output}")
endfunction()
