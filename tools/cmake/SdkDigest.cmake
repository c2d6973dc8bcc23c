# Writes a header with the digest of the public headers, as the compiler sees them: what a comment
# or a blank says changes nothing, and everything else does.
#
#   cmake -DBASE=<dir> -DHEADERS=<a|b|...> -DOUTPUT=<file> -P SdkDigest.cmake
#   cmake -DBASE=<dir> -DHEADERS=<a|b|...> -DRECORD=- -P SdkDigest.cmake
#
# With RECORD a line for each header is printed, and nothing is written: for tools/abi.

string(REPLACE "|" ";" headers "${HEADERS}")
list(SORT headers)

set(digests "")
foreach(header IN LISTS headers)
  file(READ "${BASE}/${header}" text)
  # A quote behind the slashes may end a text that they stand in; such a comment counts.
  string(REGEX REPLACE "[ \t]+//[^\n\"]*\n" "\n" text "\n${text}")
  string(REGEX REPLACE "\n[ \t]*//[^\n]*" "\n" text "${text}")
  string(REGEX REPLACE "[ \t]+" " " text "${text}")
  string(REGEX REPLACE " ?\n[ \n]*" "\n" text "${text}")
  string(SHA256 digest "${text}")
  string(APPEND digests "${header} ${digest}\n")
endforeach()
if(RECORD)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E echo_append "${digests}")
  return()
endif()
string(SHA256 digest "${digests}")
string(SUBSTRING "${digest}" 0 16 digest)

# Left alone where nothing has changed: every plugin includes it.
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [=[#pragma once

/// Made by the build: which headers these are.

#include <radd/export.hpp>

/// Of every other header in this folder, comments and blank space aside.
#define RADD_SDK_DIGEST "@digest@"

/// Only its name matters: libradd_sdk.so defines it, every plugin refers to it, and a library that
/// was built against other headers fails to relocate, which is before its constructors run.
#define RADD_SDK_STAMP radd_abi_@digest@

extern "C" RADD_EXPORT const char RADD_SDK_STAMP;  // NOLINT(readability-identifier-naming)
]=])
