// What a plugin's relocation looks for. One symbol for each set of headers that this library still
// serves.

#include <radd/sdk_digest.hpp>

extern "C" const char RADD_SDK_STAMP = 1;
