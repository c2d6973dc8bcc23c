# Warnings belong to our own targets: linked PRIVATE and never installed, so neither a
# dependency nor an SDK user inherits them.
add_library(radd_warnings INTERFACE)
target_compile_options(radd_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi -Wformat=2 -Wundef
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wduplicated-branches -Wlogical-op>
  # The stable_sort of libstdc++ 12 calls what C++17 deprecated, and clang names the caller.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)

# A unique symbol pins the library that defines it: dlclose() then succeeds and unmaps nothing.
# clang never emits one and does not know the flag.
target_compile_options(radd_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
