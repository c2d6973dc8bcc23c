# Build speed and sanitizers: properties of a build directory, never of a target.

find_program(RADD_CCACHE ccache)
if(RADD_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${RADD_CCACHE}")
endif()

find_program(RADD_MOLD mold)
if(RADD_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

if(RADD_SANITIZE)
  # On the whole build: a host with and a plugin without are two allocators in one process.
  # vptr is off because SOCI hides the typeinfo that its check links against.
  # TSan does not model atomic_thread_fence and g++ warns about each one in Asio.
  add_compile_options(
    -fsanitize=${RADD_SANITIZE} -fno-sanitize=vptr -fno-sanitize-recover=all
    -fno-omit-frame-pointer
    $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>
    # g++ 12 then loses track of initialisation inside libstdc++, in <regex> first of all.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  add_link_options(-fsanitize=${RADD_SANITIZE} -fno-sanitize=vptr)
endif()
