# What `cmake --install` puts where: the host, its plugins, and the package that find_package(radd)
# reads. The package is relocatable: nothing in it knows the prefix.

set(RADD_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/radd")

set(exported "")
foreach(target IN ITEMS radd_sdk radd_testing radd_conformance)
  if(TARGET ${target})
    list(APPEND exported ${target})
  endif()
endforeach()
if(NOT exported)
  return()
endif()

install(TARGETS ${exported} EXPORT radd FILE_SET HEADERS)
install(EXPORT radd NAMESPACE radd:: FILE radd-targets.cmake DESTINATION "${RADD_PACKAGE_DIR}")

include(CMakePackageConfigHelpers)
# Before 1.0 every minor release may change the ABI, and the package says so.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/radd-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
    "${PROJECT_BINARY_DIR}/radd-config-version.cmake"
    "${PROJECT_SOURCE_DIR}/tools/cmake/EmbedMigrations.cmake"
    "${PROJECT_SOURCE_DIR}/tools/cmake/RaddConformance.cmake"
    "${PROJECT_SOURCE_DIR}/tools/cmake/RaddPlugin.cmake"
    "${PROJECT_SOURCE_DIR}/tools/cmake/plugin.map"
    "${PROJECT_SOURCE_DIR}/tools/cmake/radd-config.cmake"
  DESTINATION "${RADD_PACKAGE_DIR}")

# The same for who builds without CMake.
set(RADD_PC_DIR "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}/${RADD_PC_DIR}"
  OUTPUT_VARIABLE RADD_PC_TO_PREFIX)
configure_file("${PROJECT_SOURCE_DIR}/tools/cmake/radd.pc.in" "${PROJECT_BINARY_DIR}/radd.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/radd.pc" DESTINATION "${RADD_PC_DIR}")
