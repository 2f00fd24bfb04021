# SPDX-License-Identifier: MIT
# Compile options of our own targets; nothing here reaches a consumer.

# Public settings are only the language level; everything else is PRIVATE.
function(drover_target_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  # Contracted multiply-adds round differently from one machine to the next.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  if(DROVER_DEVELOPER)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
                                             -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
  endif()
endfunction()

# Highway, for vector code: headers only, seen by no consumer.
function(drover_use_highway target)
  find_path(DROVER_HIGHWAY_INCLUDE hwy/highway.h DOC "Where Highway's headers are (Debian: libhwy-dev)")
  if(NOT DROVER_HIGHWAY_INCLUDE)
    message(FATAL_ERROR "hwy/highway.h not found; install Highway (Debian: libhwy-dev) or set DROVER_HIGHWAY_INCLUDE")
  endif()
  mark_as_advanced(DROVER_HIGHWAY_INCLUDE)
  target_include_directories(${target} SYSTEM PRIVATE "${DROVER_HIGHWAY_INCLUDE}")
endfunction()
