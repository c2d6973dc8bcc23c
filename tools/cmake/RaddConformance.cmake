# What every plugin keeps to, as tests of one's own plugin: find_package(radd) includes this file.

include_guard(GLOBAL)

# As `radd-conformance list` prints them.
set(RADD_CONFORMANCE_RULES
  idempotent_entry deterministic elsewhere start_twice shared_state leftovers settings
  CACHE INTERNAL "Rules that radd_add_plugin_conformance() makes a test of")

# radd_add_plugin_conformance(<id> [WITH <id>...] [SETTINGS <file>] [TIMEOUT <seconds>])
#
# A test `conformance.<id>.<rule>` for each rule, of the plugin that radd_add_plugin(<id>) makes. The
# library is loaded as the host loads it, beside those that it depends on (WITH: the targets or the
# files), with the settings of a YAML file if it must have any. Where radd_add_plugin() has made the
# tests already, they are run so from now on.
function(radd_add_plugin_conformance id)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SETTINGS;TIMEOUT" "WITH")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "radd_add_plugin_conformance(${id}): not understood: ${arg_UNPARSED_ARGUMENTS} ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT TARGET ${id})
    message(FATAL_ERROR "radd_add_plugin_conformance(${id}): no such target; call radd_add_plugin(${id}) before")
  endif()
  set(words "")
  foreach(other IN LISTS arg_WITH)
    if(TARGET ${other})
      list(APPEND words --with "$<TARGET_FILE:${other}>")
    else()
      list(APPEND words --with "${other}")
    endif()
  endforeach()
  if(arg_SETTINGS)
    cmake_path(ABSOLUTE_PATH arg_SETTINGS BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    list(APPEND words --settings "${arg_SETTINGS}")
  endif()
  set_property(TARGET ${id} PROPERTY RADD_CONFORMANCE_WORDS "${words}")
  _radd_add_conformance_tests(${id})
  if(arg_TIMEOUT)
    foreach(rule IN LISTS RADD_CONFORMANCE_RULES)
      set_tests_properties(conformance.${id}.${rule} PROPERTIES TIMEOUT ${arg_TIMEOUT})
    endforeach()
  endif()
endfunction()

# Once for each plugin. What they are run with is looked up when the build files are written, so that
# it may still be said after this.
function(_radd_add_conformance_tests id)
  get_property(is_made TARGET ${id} PROPERTY RADD_CONFORMANCE_IS_MADE)
  if(is_made)
    return()
  endif()
  set_property(TARGET ${id} PROPERTY RADD_CONFORMANCE_IS_MADE ON)
  foreach(rule IN LISTS RADD_CONFORMANCE_RULES)
    add_test(NAME conformance.${id}.${rule}
      COMMAND radd::conformance ${rule} "$<TARGET_FILE:${id}>"
        "$<TARGET_GENEX_EVAL:${id},$<TARGET_PROPERTY:${id},RADD_CONFORMANCE_WORDS>>"
      COMMAND_EXPAND_LISTS)
    set_tests_properties(conformance.${id}.${rule} PROPERTIES LABELS conformance TIMEOUT 60)
  endforeach()
endfunction()
