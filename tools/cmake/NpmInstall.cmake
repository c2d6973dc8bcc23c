# cmake -DDIRECTORY= -DNPM= -DSTAMP= -P NpmInstall.cmake
#
# `npm ci`, unless node_modules already is what the lock file says. Presets share node_modules, and
# two of them may build at once.

cmake_minimum_required(VERSION 3.25)

set(lock "${DIRECTORY}/package-lock.json")
set(installed "${DIRECTORY}/node_modules/.installed-lock.json")

file(LOCK "${DIRECTORY}/.npm-install.lock" GUARD PROCESS TIMEOUT 600)
execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files "${lock}" "${installed}"
                RESULT_VARIABLE differs OUTPUT_QUIET ERROR_QUIET)
if(differs)
  execute_process(COMMAND "${NPM}" ci --no-progress --prefer-offline
                  WORKING_DIRECTORY "${DIRECTORY}"
                  RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(failed)
    message(FATAL_ERROR "npm ci failed in ${DIRECTORY}:\n${said}")
  endif()
  # Last, so that what was cut short is done again.
  configure_file("${lock}" "${installed}" COPYONLY)
endif()
file(TOUCH "${STAMP}")
