# cmake -DDIRECTORY= -DNAMES=a.sql|b.sql -DFUNCTION=ns::f -DOUTPUT= -P EmbedMigrations.cmake
#
# Writes the files as arrays of bytes: a string literal would have to be escaped, is cut at a
# compiler's length limit, and a raw one ends at whatever delimiter the SQL happens to hold.

cmake_minimum_required(VERSION 3.25)

string(REPLACE "|" ";" names "${NAMES}")
set(arrays "")
set(rows "")
set(previous "")
foreach(name IN LISTS names)
  if(NOT name MATCHES "^([0-9][0-9][0-9][0-9])_[a-z0-9_]+[.]sql$")
    message(FATAL_ERROR "${DIRECTORY}/${name}: must be called NNNN_what_it_does.sql")
  endif()
  set(number "${CMAKE_MATCH_1}")
  if(number STREQUAL previous)
    message(FATAL_ERROR "${DIRECTORY}/${name}: number ${number} is taken twice")
  endif()
  set(previous "${number}")

  file(READ "${DIRECTORY}/${name}" hex HEX)
  string(LENGTH "${hex}" size)
  math(EXPR size "${size} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
  # 96 characters of output are 12 bytes of input.
  string(REGEX REPLACE "('[^']+','[^']+','[^']+','[^']+','[^']+','[^']+','[^']+','[^']+',)" "\\1\n    " bytes "${bytes}")
  string(REGEX REPLACE "[.]sql$" "" stem "${name}")
  # The closing NUL is not counted; it keeps the array of an empty file from being empty.
  string(APPEND arrays "constexpr char sql_${number}[] = {\n    ${bytes}'\\0'};\n\n")
  string(APPEND rows "        {\"${stem}\", std::string_view{sql_${number}, ${size}}},\n")
endforeach()

string(REGEX REPLACE "^((.*)::)?([^:]+)$" "\\2;\\3" parts "${FUNCTION}")
list(GET parts 0 scope)
list(GET parts 1 function)
if(scope)
  set(open "namespace ${scope} {\n\n")
  set(close "\n}  // namespace ${scope}\n")
else()
  set(open "")
  set(close "")
endif()

file(WRITE "${OUTPUT}" "// Generated from the .sql files of one owner. Do not edit.

#include <string_view>
#include <vector>

#include <radd/migration.hpp>

namespace {

${arrays}}  // namespace

${open}std::vector<radd::Migration> ${function}();

std::vector<radd::Migration> ${function}() {
    return {
${rows}    };
}
${close}")
