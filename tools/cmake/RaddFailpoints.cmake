# Places where a test may kill or freeze the process, see host/db/failpoint.hpp.
option(RADD_FAILPOINTS "Let tests kill and freeze the process at named places; never in a release" OFF)
if(RADD_FAILPOINTS AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  message(FATAL_ERROR "RADD_FAILPOINTS is for tests, and CMAKE_BUILD_TYPE is '${CMAKE_BUILD_TYPE}', not Debug")
endif()

# radd_failpoints(<source>...): these sources have such places. Of single sources and not of the
# whole build, so that all others are compiled as in a release.
function(radd_failpoints)
  if(RADD_FAILPOINTS)
    set_source_files_properties(${ARGV} PROPERTIES COMPILE_DEFINITIONS RADD_FAILPOINTS)
  endif()
endfunction()
