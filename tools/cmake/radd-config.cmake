include(CMakeFindDependencyMacro)
find_dependency(nlohmann_json)
include("${CMAKE_CURRENT_LIST_DIR}/radd-targets.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/RaddPlugin.cmake")
