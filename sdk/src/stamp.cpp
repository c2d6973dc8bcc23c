// What a plugin's relocation looks for. One symbol per ABI that this library still serves.

#include <radd/abi.hpp>

extern "C" const char radd_abi_1_0 = 1;
