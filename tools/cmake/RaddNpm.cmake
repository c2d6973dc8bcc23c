# Node's packages, for the pages and for the tests that drive them.
#
# radd_npm_install(<stamp variable> DIRECTORY <npm project>)
#   Brings the project's node_modules to what its lock file says, and stores in the variable the
#   file that others depend on. Nothing is fetched while the lock file stays as it is, also not for
#   a second build directory, since node_modules lies beside the lock file.
#
# radd_embed_pages(<target> DIRECTORY <npm project> OTHERWISE <source>)
#   Bundles the pages and adds to the target the source that embeds them. Without npm the target
#   gets OTHERWISE, which has none.
#
# radd_add_node_test(<name> SOURCE <file> [BROWSER] [DEPENDS <target>...] [TIMEOUT <seconds>])
#   A file for node's own test runner as one ctest entry. DEPENDS names targets that it opens at run
#   time. The label is web, or web_pages with BROWSER: those wait as people do and not as a
#   sanitizer needs.
find_program(RADD_NODE node)
find_program(RADD_NPM npm)
option(RADD_REQUIRE_NODE "Refuse to leave out the pages and what tests them" OFF)
if(RADD_REQUIRE_NODE AND NOT (RADD_NODE AND RADD_NPM))
  message(FATAL_ERROR "node or npm is missing, and RADD_REQUIRE_NODE is set: nothing of the pages "
    "would be tested. tools/setup installs both")
endif()

function(radd_npm_install stamp)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DIRECTORY" "")
  cmake_path(RELATIVE_PATH arg_DIRECTORY BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE name)
  string(MAKE_C_IDENTIFIER "${name}" name)
  set(file "${PROJECT_BINARY_DIR}/npm/${name}.stamp")
  add_custom_command(
    OUTPUT "${file}"
    COMMAND "${CMAKE_COMMAND}" "-DDIRECTORY=${arg_DIRECTORY}" "-DNPM=${RADD_NPM}" "-DSTAMP=${file}"
            -P "${PROJECT_SOURCE_DIR}/tools/cmake/NpmInstall.cmake"
    DEPENDS "${arg_DIRECTORY}/package.json" "${arg_DIRECTORY}/package-lock.json"
            "${PROJECT_SOURCE_DIR}/tools/cmake/NpmInstall.cmake"
    COMMENT "npm ci in ${arg_DIRECTORY}"
    VERBATIM)
  set(${stamp} "${file}" PARENT_SCOPE)
endfunction()

function(radd_embed_pages target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DIRECTORY;OTHERWISE" "")
  if(NOT RADD_NODE OR NOT RADD_NPM)
    message(WARNING "node or npm is missing: this build has no pages. tools/setup installs both")
    target_sources(${target} PRIVATE "${arg_OTHERWISE}")
    return()
  endif()
  radd_npm_install(installed DIRECTORY "${arg_DIRECTORY}")
  set(out "${CMAKE_CURRENT_BINARY_DIR}/pages")
  set(source "${out}/pages.cpp")
  # esbuild says what it read, so that no list of sources can go stale.
  add_custom_command(
    OUTPUT "${source}"
    COMMAND "${RADD_NODE}" build.mjs --out "${out}" --depfile "${out}.d" --target "${source}"
    WORKING_DIRECTORY "${arg_DIRECTORY}"
    DEPENDS "${installed}" "${arg_DIRECTORY}/build.mjs"
    DEPFILE "${out}.d"
    COMMENT "Bundling the pages"
    VERBATIM)
  target_sources(${target} PRIVATE "${source}")
endfunction()

function(radd_add_node_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "BROWSER" "SOURCE;TIMEOUT" "DEPENDS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  set(label web)
  if(arg_BROWSER)
    set(label web_pages)
  endif()
  add_custom_target(test_${name} ALL)
  add_dependencies(test_${name} web_test_packages ${arg_DEPENDS})
  add_test(NAME ${name}
    COMMAND "${RADD_NODE}" --test --test-reporter=tap "${CMAKE_CURRENT_SOURCE_DIR}/${arg_SOURCE}")
  # Node runs nothing for a file without tests and calls that a success.
  set_tests_properties(${name} PROPERTIES
    LABELS ${label} TIMEOUT ${arg_TIMEOUT}
    ENVIRONMENT "RADD_BINARY_DIR=${PROJECT_BINARY_DIR}"
    FAIL_REGULAR_EXPRESSION "# tests 0[^0-9]")
endfunction()
